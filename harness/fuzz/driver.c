/* The fuzzer's side: libFuzzer calls this with its inputs. FUZZ in the environment: which. */
#include <stdio.h>
#include <stdlib.h>

#include "harness/fuzz/targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct target *target_wanted(void)
{
    const struct target *target = target_of(getenv("FUZZ"));

    if (!target) {
        fprintf(stderr, "fuzz: FUZZ names none of the targets\n");
        exit(2);
    }
    return target;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct target *target;

    if (!target)
        target = target_wanted();
    target->run(bytes, size);
    return 0;
}
