/* The list of the targets, and what they share. */
#include "harness/fuzz/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct target targets[TARGETS] = {
    {"cron", fuzz_cron},
    {"duration", fuzz_duration},
    {"table", fuzz_table},
    {"zone", fuzz_zone},
};

const struct target *target_of(const char *name)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (name && strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

char *string_of(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        abort();
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

_Noreturn void broken(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
    abort();
}
