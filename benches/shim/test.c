/* Benches that use every part of gbench.h once; benches/shim/test looks at what is reported. They
 * judge themselves where they can: a bench that finds something wrong fails, and says "WRONG". */

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h> /* atexit */
#include <time.h>

#include "../gbench.h"

static void check(gb_state *state, bool right)
{
    if (!right)
        gb_fail(state, "WRONG");
}

static void iterations(gb_state *state)
{
    int64_t count = 0;

    while (gb_keep_running(state))
        count++;
    check(state, count == gb_iterations(state) && count == 1000);
}

static void arguments(gb_state *state)
{
    while (gb_keep_running(state))
        GB_KEEP(gb_value(state, 0) + gb_value(state, 1));
}

/* Fixtures: made once per run, or once per set of arguments; seen by all threads. */

static atomic_int made, destroyed, kept;

static void *make(gb_state *state)
{
    (void)state;
    return malloc((size_t)(atomic_fetch_add(&made, 1) + 1));
}

static void destroy(void *fixture)
{
    atomic_fetch_add(&destroyed, 1);
    free(fixture);
}

static void *make_kept(gb_state *state)
{
    atomic_fetch_add(&kept, 1);
    return make(state);
}

static void fixture(gb_state *state)
{
    check(state, state->fixture && state->threads == 2 && state->thread < 2);
    while (gb_keep_running(state))
        GB_KEEP(state->fixture);
}

static void keep(gb_state *state)
{
    check(state, state->fixture != NULL);
    while (gb_keep_running(state))
        GB_KEEP(state->fixture);
}

static void report(void)
{
    printf("fixtures: %s, kept: %d\n", made == destroyed ? "all destroyed" : "WRONG", kept);
}

/* Errors. */

static void *make_nothing(gb_state *state)
{
    gb_fail(state, "cannot be set up");
    return make(state);
}

static void unreachable(gb_state *state)
{
    check(state, false);
    printf("WRONG: run in spite of its set-up\n");
}

static void fail(gb_state *state)
{
    int64_t count = 0;

    while (gb_keep_running(state))
        if (++count == 3)
            gb_fail(state, "at the third");
    if (count != 3)
        printf("WRONG: %lld iterations\n", (long long)count);
}

static void not_here(gb_state *state)
{
    gb_skip(state, "it is a test");
    while (gb_keep_running(state))
        printf("WRONG: not skipped\n");
}

static void *make_elsewhere(gb_state *state)
{
    gb_skip(state, "it cannot be made here");
    return make(state);
}

/* Whatever it says: a failure is one. */
static void says_skipped(gb_state *state)
{
    gb_fail(state, "skipped, it says");
    while (gb_keep_running(state))
        printf("WRONG: not failed\n");
}

static void left_early(gb_state *state)
{
    while (gb_keep_running(state))
        break;
}

/* Time. */

static void paused(gb_state *state)
{
    const struct timespec long_time = {.tv_nsec = 100000000};

    while (gb_keep_running(state)) {
        gb_pause(state);
        nanosleep(&long_time, NULL);
        gb_resume(state);
    }
}

static void manual(gb_state *state)
{
    while (gb_keep_running(state))
        gb_iteration_time(state, 0.25);
}

static void linear(gb_state *state)
{
    while (gb_keep_running(state))
        gb_iteration_time(state, 1e-6 * (double)gb_value(state, 0));
}

static void linear_in_n(gb_state *state)
{
    while (gb_keep_running(state))
        gb_iteration_time(state, 1e-6 * (double)gb_value(state, 0));
    gb_complexity_n(state, gb_value(state, 0) / 2);
}

/* Counters, with four iterations of a quarter of a second. */

static void counters(gb_state *state)
{
    while (gb_keep_running(state))
        gb_iteration_time(state, 0.25);
    gb_counter(state, "plain", 42, GB_PLAIN);
    gb_counter(state, "rate", 7, GB_RATE);
    gb_counter(state, "each", 12, GB_PER_ITERATION);
    gb_counter(state, "inverse", 4, GB_RATE | GB_INVERT);
    gb_counter(state, "binary", 4096, GB_BINARY);
    gb_items(state, 500);
    gb_bytes(state, 8192);
    gb_label(state, "labelled");
}

/* 1 ... 2000, backwards; and the smallest samples. */
static void percentiles(gb_state *state)
{
    static double many[2000], one[] = {5}, none[1];

    while (gb_keep_running(state))
        for (int i = 0; i < 2000; i++)
            many[i] = 2000 - i;
    gb_percentiles(state, "many", many, 2000);
    gb_percentiles(state, "one", one, 1);
    gb_percentiles(state, "none", none, 0);
}

static void per_thread(gb_state *state)
{
    while (gb_keep_running(state))
        GB_KEEP(0);
    gb_counter(state, "sum", 3, GB_PLAIN);
    gb_counter(state, "mean", 3, GB_PER_THREAD);
}

static const gb_bench benches[] = {
    {.name = "iterations", .run = iterations, .iterations = 1000},
    {.name = "arguments",
     .run = arguments,
     .arguments = {{.name = "a", .from = 1, .to = 100, .times = 10},
                   {.name = "b", .from = 0, .to = 5, .plus = 2}},
     .iterations = 1},
    {.name = "fixture", .run = fixture, .set_up = make, .tear_down = destroy, .threads = {2}},
    {.name = "keep",
     .run = keep,
     .set_up = make_kept,
     .tear_down = destroy,
     .keep = true,
     .arguments = {{.name = "n", .from = 1, .to = 3}}},
    {.name = "no_fixture",
     .run = unreachable,
     .set_up = make_nothing,
     .tear_down = destroy,
     .threads = {2}},
    {.name = "fail", .run = fail, .iterations = 10},
    {.name = "not_here", .run = not_here},
    {.name = "not_here/fixture",
     .run = unreachable,
     .set_up = make_elsewhere,
     .tear_down = destroy},
    {.name = "says_skipped", .run = says_skipped},
    {.name = "left_early", .run = left_early},
    {.name = "paused", .run = paused, .clock = GB_REAL_TIME, .unit = GB_SECONDS, .iterations = 2},
    {.name = "manual",
     .run = manual,
     .clock = GB_MANUAL_TIME,
     .unit = GB_MILLISECONDS,
     .iterations = 2},
    {.name = "linear",
     .run = linear,
     .arguments = {{.name = "n", .from = 8, .to = 512, .times = 8}},
     .clock = GB_MANUAL_TIME,
     .fit = GB_O_N,
     .iterations = 2},
    {.name = "linear_in_n",
     .run = linear_in_n,
     .arguments = {{.name = "n", .from = 8, .to = 512, .times = 8}},
     .clock = GB_MANUAL_TIME,
     .fit = GB_O_N,
     .iterations = 2},
    {.name = "counters", .run = counters, .clock = GB_MANUAL_TIME, .iterations = 4},
    {.name = "percentiles", .run = percentiles, .iterations = 1},
    {.name = "per_thread", .run = per_thread, .threads = {2}, .iterations = 1},
};
GB_REGISTER(benches);

__attribute__((constructor)) static void report_at_exit(void)
{
    atexit(report);
}
