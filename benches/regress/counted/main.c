/*
 * Runs one of the workloads that are counted in instructions.
 *
 *     counted --list   their names
 *     counted NAME     runs one; exit status 1 and a line on stderr if it went wrong
 */
#include <stdio.h>
#include <string.h> /* strcmp */

#include "benches/regress/counted/counted.h"

static const struct workload *find(const char *name, bool list)
{
    const struct workload *const families[] = {workloads_queue, workloads_pool, workloads_timer,
                                               workloads_text};

    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        for (const struct workload *each = families[i]; each->name; each++) {
            if (list)
                puts(each->name);
            else if (strcmp(each->name, name) == 0)
                return each;
        }
    return NULL;
}

int main(int argc, char **argv)
{
    const bool list = argc == 2 && strcmp(argv[1], "--list") == 0;
    const struct workload *workload = argc == 2 ? find(argv[1], list) : NULL;

    if (list)
        return 0;
    if (!workload) {
        fputs("usage: counted --list | NAME\n", stderr);
        return 2;
    }
    if (!workload->run()) {
        fprintf(stderr, "workload %s went wrong\n", argv[1]);
        return 1;
    }
    return 0;
}
