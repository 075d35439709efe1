/* The history: what is recorded, and in which order. */
#include "harness/scenario/history.h"

#include <sched.h>
#include <stdatomic.h>

#include "suite.h"
#include "support.h"

enum {
    SOMETHING = 3 /* an operation; histories do not know any */
};

/* One thread. */

static void stamps_count_events_from_one(void)
{
    struct history history = {0};
    struct history_open first = history_begin(&history, 0, SOMETHING, 7);
    struct history_open second = history_begin(&history, 1, SOMETHING, 8);
    history_end(first, 70);
    history_end(second, 80);
    check_int(first.call->began, 1);
    check_int(second.call->began, 2);
    check_int(first.call->ended, 3);
    check_int(second.call->ended, 4);
    check_int(history.stamps, 4);
}

static void a_call_is_kept_with_argument_and_result(void)
{
    struct history history = {0};
    struct history_open open = history_begin(&history, 2, SOMETHING, -5);
    history_end(open, INT64_MIN);
    const struct history_call *call = &history.lanes[2].calls[0];
    check_int(history.lanes[2].count, 1);
    check_int(call->operation, SOMETHING);
    check_int(call->argument, -5);
    check_int(call->result, INT64_MIN);
    check(!history_is_pending(call));
    check(history_gave(call, INT64_MIN));
    check(!history_gave(call, 0));
}

static void a_call_that_does_not_return_is_pending_and_may_have_given_anything(void)
{
    struct history history = {0};
    struct history_open open = history_begin(&history, 0, SOMETHING, 0);
    check(history_is_pending(open.call));
    check_int(history_end_of(open.call), HISTORY_NEVER);
    check(history_gave(open.call, 1) && history_gave(open.call, 2));
}

static void calls_of_a_lane_stand_in_order(void)
{
    struct history history = {0};
    for (int i = 0; i < HISTORY_CALLS; i++)
        history_end(history_begin(&history, HISTORY_ALONE, SOMETHING, i), i);
    check_int(history.lanes[HISTORY_ALONE].count, HISTORY_CALLS);
    for (int i = 0; i < HISTORY_CALLS; i++)
        check_int(history.lanes[HISTORY_ALONE].calls[i].argument, i);
}

static void a_full_lane_shows_that_calls_are_missing_and_keeps_the_others(void)
{
    struct history history = {0};
    for (int i = 0; i < 1000; i++)
        history_end(history_begin(&history, 0, SOMETHING, i), i);
    check_int(history.lanes[0].count, HISTORY_CALLS + 1);
    check_int(history.lanes[0].calls[HISTORY_CALLS - 1].argument, HISTORY_CALLS - 1);
    check_int(history.lanes[1].count, 0);
    check_int(history.stamps, 2 * HISTORY_CALLS);
}

/* Many threads. */

struct recorder {
    struct history *history;
    unsigned lane;
};

static void fill_lane(void *argument)
{
    struct recorder *recorder = argument;
    for (int i = 0; i < HISTORY_CALLS; i++)
        history_end(history_begin(recorder->history, recorder->lane, SOMETHING, i), i);
}

static void check_stamps_of(const struct history_lane *lane, bool seen[HISTORY_NEVER])
{
    unsigned previous = 0;
    for (unsigned i = 0; i < lane->count; i++) {
        const struct history_call *call = &lane->calls[i];
        check(previous < call->began && call->began < call->ended);
        check(!seen[call->began] && !seen[call->ended]);
        seen[call->began] = seen[call->ended] = true;
        previous = call->ended;
    }
}

static void no_stamp_is_given_twice(void)
{
    for (unsigned round = 0; round < scaled(200); round++) {
        struct history history = {0};
        struct helper helpers[HISTORY_LANES];
        struct recorder recorders[HISTORY_LANES];
        bool seen[HISTORY_NEVER] = {false};
        for (unsigned i = 0; i < HISTORY_LANES; i++) {
            recorders[i] = (struct recorder){&history, i};
            helper_start_bare(&helpers[i], fill_lane, &recorders[i]);
        }
        for (unsigned i = 0; i < HISTORY_LANES; i++)
            helper_join(&helpers[i]);
        for (unsigned i = 0; i < HISTORY_LANES; i++)
            check_stamps_of(&history.lanes[i], seen);
        check_int(history.stamps, 2 * HISTORY_LANES * HISTORY_CALLS);
    }
}

/* A ball that goes to and fro: each call is made after the other's has returned. */
struct rally {
    struct history history;
    atomic_int turn;
};

static void play(struct rally *rally, int side)
{
    for (int i = 0; i < HISTORY_CALLS; i++) {
        while (atomic_load(&rally->turn) != 2 * i + side)
            sched_yield();
        history_end(history_begin(&rally->history, (unsigned)side, SOMETHING, i), i);
        atomic_fetch_add(&rally->turn, 1);
    }
}

static void play_first(void *argument)
{
    play(argument, 0);
}

static void play_second(void *argument)
{
    play(argument, 1);
}

static void a_call_made_after_another_returned_has_later_stamps(void)
{
    for (unsigned round = 0; round < scaled(200); round++) {
        struct rally rally = {.turn = 0};
        struct helper first;
        struct helper second;
        helper_start_bare(&first, play_first, &rally);
        helper_start_bare(&second, play_second, &rally);
        helper_join(&first);
        helper_join(&second);
        for (unsigned i = 0; i < HISTORY_CALLS; i++) {
            check_int(rally.history.lanes[0].calls[i].began, 4 * i + 1);
            check_int(rally.history.lanes[0].calls[i].ended, 4 * i + 2);
            check_int(rally.history.lanes[1].calls[i].began, 4 * i + 3);
            check_int(rally.history.lanes[1].calls[i].ended, 4 * i + 4);
        }
    }
}

static const struct test tests[] = {
    TEST(stamps_count_events_from_one),
    TEST(a_call_is_kept_with_argument_and_result),
    TEST(a_call_that_does_not_return_is_pending_and_may_have_given_anything),
    TEST(calls_of_a_lane_stand_in_order),
    TEST(a_full_lane_shows_that_calls_are_missing_and_keeps_the_others),
    TEST(no_stamp_is_given_twice),
    TEST(a_call_made_after_another_returned_has_later_stamps),
    END_OF_TESTS,
};

const struct suite history_suite = {.name = "history", .tests = tests};
