/*
 * When does a scheduled task run? Asked of the library, in virtual time: what docs/pictures/draw
 * makes timelines from.
 *
 *     timeline KIND INITIAL PERIOD UNTIL LENGTH...
 *
 * KIND is once, rate, skip (a rate that leaves out what it has missed) or delay. All times are
 * milliseconds after the call. The first run takes the first LENGTH, the second the second, all
 * others the last. Prints a line "BEGIN END" for each run that begins before UNTIL.
 *
 * The program is timeline.c, and takes turns on the explorer's machine, as goes_on.h says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "docs/pictures/goes_on.h"
#include "docs/pictures/timeline.h"

int main(int argc, char **argv)
{
    struct timeline timeline = {0};
    if (argc < 6 || argc - 5 > MOST_RUNS)
        return 2;
    timeline.kind = argv[1];
    timeline.initial = strtol(argv[2], NULL, 10);
    timeline.period = strtol(argv[3], NULL, 10);
    timeline.until = strtol(argv[4], NULL, 10);
    for (int i = 5; i < argc; i++)
        timeline.lengths[timeline.length_count++] = strtol(argv[i], NULL, 10);
    if (!run_going_on("timeline", timeline_run, &timeline))
        return 1;
    for (int i = 0; i < timeline.run_count; i++)
        if (timeline.runs[i].begins < timeline.until)
            printf("%" PRId64 " %" PRId64 "\n", timeline.runs[i].begins, timeline.runs[i].ends);
    return 0;
}
