/*
 * Where do timeouts lie in a hashed wheel, and how many rounds have they left? Asked of the
 * library, in virtual time: what docs/pictures/draw makes wheels from.
 *
 *     wheel LENGTH BUCKETS TICKS DELAY...
 *
 * A wheel with ticks of LENGTH and so many BUCKETS, a power of two, gets all timeouts when it
 * starts, and is watched for the first TICKS. Times are milliseconds; a timeout is called by its
 * delay. Prints for each tick, when it is over, what is in the buckets, and what the hand takes
 * out.
 *
 *     tick T
 *     in B DELAY ROUNDS
 *     due DELAY
 *
 * The program is wheel.c, and takes turns on the explorer's machine, as goes_on.h says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "docs/pictures/goes_on.h"
#include "docs/pictures/wheel.h"

static void print_turn(const struct turn_seen *seen)
{
    printf("tick %" PRId64 "\n", seen->tick);
    for (int i = 0; i < seen->timeout_count; i++)
        printf("in %" PRId64 " %" PRId64 " %" PRId64 "\n", seen->timeouts[i].bucket,
               seen->timeouts[i].delay, seen->timeouts[i].rounds);
    for (int i = 0; i < seen->due_count; i++)
        printf("due %" PRId64 "\n", seen->due[i]);
}

int main(int argc, char **argv)
{
    static struct turning turning;
    if (argc < 5 || argc - 4 > MOST_TIMEOUTS)
        return 2;
    turning.tick_length = strtol(argv[1], NULL, 10);
    turning.bucket_count = strtol(argv[2], NULL, 10);
    turning.most_turns = (int)strtol(argv[3], NULL, 10);
    if (turning.most_turns > MOST_TURNS)
        return 2;
    for (int i = 4; i < argc; i++)
        turning.delays[turning.delay_count++] = strtol(argv[i], NULL, 10);
    if (!run_going_on("wheel", turning_run, &turning))
        return 1;
    for (int i = 0; i < turning.turn_count; i++)
        print_turn(&turning.turns[i]);
    return 0;
}
