/*
 * Triggers and a wall clock that is set: put forward, put back, by a little or a lot, at every
 * moment of a task's life. The clocks here are said to be steady: then nobody looks but the test.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "scheduled/trigger.h"

#include "suite.h"
#include "trigger_support.h"

/* Forward. */

static void put_forward_a_run_comes_sooner(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_RUN_ONCE);
    check_delay(&waiting, HOUR);
    move_and_look(&waiting, 20 * MINUTE);
    check_delay(&waiting, 40 * MINUTE);
    check_int(status_of(waiting.future).missed, 0);
    end_waiting(&waiting);
    check_int(waiting.job.subject.runs, 1);
    check_int(waiting.script.asked, 2); /* the time itself has not changed */
}

static void what_was_jumped_over_is_run_once_at_once(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_RUN_ONCE);
    move_and_look(&waiting, 50 * HOUR);
    check(await_ended_runs(waiting.future, 2));
    check(await_queued(gp_scheduled_pool(waiting.scheduled), 1));
    gp_triggered_status status = status_of(waiting.future);
    check_int(status.missed, 1);
    check_int(status.last.scheduled, waiting.next);
    check(status.last.actual >= waiting.first + 50 * HOUR);
    check_delay(&waiting, 50 * HOUR);
    end_waiting(&waiting);
    check_int(waiting.job.subject.runs, 2);
}

static void what_was_jumped_over_can_be_skipped(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_SKIP);
    move_and_look(&waiting, 50 * HOUR);
    gp_triggered_status status = status_of(waiting.future);
    check_int(status.missed, 1);
    check_int(status.next, waiting.first + 100 * HOUR);
    check_int(status.last.scheduled, waiting.first); /* there was no other run */
    check_delay(&waiting, 50 * HOUR);
    end_waiting(&waiting);
    check_int(waiting.job.subject.runs, 1);
    check_int(waiting.script.asked, 3);
    check_int(waiting.script.contexts[2].scheduled, waiting.next); /* as if it had run just now */
    check(waiting.script.contexts[2].completion >= waiting.first + 50 * HOUR);
    check_int(waiting.script.nows[2], waiting.script.contexts[2].completion);
}

static void a_task_that_skips_its_last_time_ends(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_SKIP);
    move_and_look(&waiting, 2 * HOUR);
    move_and_look(&waiting, 200 * HOUR);
    check(gp_future_is_cancelled(waiting.future));
    check_int(pool_queued(gp_scheduled_pool(waiting.scheduled)), 0);
    check_int(status_of(waiting.future).next, GP_NEVER);
    check_int(status_of(waiting.future).missed, 2);
    end_waiting(&waiting);
    check_int(waiting.job.subject.runs, 1);
}

/* The pool has one worker, which is busy when the task falls due. */
static void late_is_not_missed(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true};
    gp_trigger_options options = {.missed = GP_MISSED_SKIP};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {START - HOUR}, .count = 1};
    struct job busy;
    struct job job;
    job_init_holding(&busy);
    job_init(&job);
    gp_future *first = job_schedule(scheduled, &busy, 0);
    latch_await(&busy.begun);
    gp_future *future = job_trigger(scheduled, &job, &script, &options);
    hand_clock_move(&clock, 5 * HOUR);
    gp__watch_look(scheduled);
    check(delay_of(future) <= 0);
    job_let_go(&busy);
    future_end(first, GP_OK);
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_ECANCELLED);
    check_int(status_of(future).runs, 1);
    check_int(status_of(future).missed, 0);
    gp_future_release(future);
    scheduled_end(scheduled);
}

/* Back. */

static void put_back_nothing_runs_again_and_the_next_time_stays(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_RUN_ONCE);
    move_and_look(&waiting, -GP_CLOCK_CORRECTION);
    check_delay(&waiting, 4 * HOUR);
    check_int(status_of(waiting.future).next, waiting.next);
    move_and_look(&waiting, -GP_CLOCK_CORRECTION); /* once more: that is not one large step */
    check_delay(&waiting, 7 * HOUR);
    move_and_look(&waiting, 6 * HOUR);
    check_delay(&waiting, HOUR);
    end_waiting(&waiting);
    check_int(waiting.job.subject.runs, 1);
    check_int(waiting.script.asked, 2);
}

static void put_back_by_much_the_new_time_is_the_true_one(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_RUN_ONCE);
    waiting.script.times[2] = waiting.first - 999 * HOUR;
    gp_trigger_context last = status_of(waiting.future).last;
    move_and_look(&waiting, -1000 * HOUR);
    check_int(status_of(waiting.future).next, waiting.first - 999 * HOUR);
    check_delay(&waiting, HOUR);
    end_waiting(&waiting);
    check_int(waiting.script.asked, 3);
    check(are_near(waiting.script.contexts[2].scheduled, last.scheduled - 1000 * HOUR));
    check(are_near(waiting.script.contexts[2].actual, last.actual - 1000 * HOUR));
    check(are_near(waiting.script.contexts[2].completion, last.completion - 1000 * HOUR));
}

static void put_back_by_much_before_the_first_run_nothing_is_known(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {START * 2, START * 2 - HOUR}, .count = 2};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    hand_clock_move(&clock, -5 * HOUR);
    gp__watch_look(scheduled);
    check_int(status_of(future).next, START * 2 - HOUR);
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(script.contexts[1].scheduled, GP_NEVER);
    check_int(script.contexts[1].completion, GP_NEVER);
}

static void a_task_that_comes_too_early_is_put_back(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_RUN_ONCE);
    move_and_look(&waiting, HOUR - GP_MILLISECONDS(1));
    check(await_ended_runs(waiting.future, 2)); /* that one was in time */
    check(await_queued(gp_scheduled_pool(waiting.scheduled), 1));
    move_and_look(&waiting, 99 * HOUR - GP_MILLISECONDS(20)); /* 20 ms to go ... */
    hand_clock_move(&waiting.clock, -HOUR);                   /* ... and nobody has seen this */
    check(await_completed(gp_scheduled_pool(waiting.scheduled), 3)); /* a take is not a run */
    check(await_queued(gp_scheduled_pool(waiting.scheduled), 1));
    check_delay(&waiting, HOUR);
    check_int(status_of(waiting.future).runs, 2);
    end_waiting(&waiting);
    check_int(waiting.job.subject.runs, 2);
}

static void a_task_that_comes_too_early_by_much_may_have_to_end(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {hand_clock_now(&clock) + GP_MILLISECONDS(20)}, .count = 1};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    hand_clock_move(&clock, -5 * HOUR);
    future_end(future, GP_ECANCELLED); /* asked anew, the trigger had none */
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
    check_int(script.asked, 2);
}

/* During a run. */

struct stepping {
    struct hand_clock clock;
    int64_t step;
};

static void step_once(struct job *job)
{
    struct stepping *stepping = job->context;
    if (job->subject.runs == 1)
        hand_clock_move(&stepping->clock, stepping->step);
}

static gp_triggered_status run_through_a_step(int64_t step, gp_missed missed, int64_t second,
                                              struct script *script)
{
    struct stepping stepping = {{.offset = START, .is_steady = true}, step};
    gp_trigger_options options = {.missed = missed};
    gp_scheduled *scheduled = scheduled_by(&stepping.clock);
    int64_t start = hand_clock_now(&stepping.clock);
    struct job job;
    *script = (struct script){.times = {start, start + second, start + 200 * HOUR}, .count = 3};
    job_init_acting(&job, step_once, NULL);
    job.context = &stepping;
    gp_future *future = job_trigger(scheduled, &job, script, &options);
    check(await_ended_runs(future, second < step && missed == GP_MISSED_RUN_ONCE ? 2 : 1));
    check(await_queued(gp_scheduled_pool(scheduled), 1));
    gp_triggered_status status = status_of(future);
    status.next -= start;
    gp_future_release(future);
    scheduled_end(scheduled);
    return status;
}

static void a_clock_set_during_a_run_counts_as_set_after_it(void)
{
    struct script script;
    gp_triggered_status status = run_through_a_step(50 * HOUR, GP_MISSED_RUN_ONCE, HOUR, &script);
    check_int(status.runs, 2);
    check_int(status.missed, 1);
    check_int(status.next, 200 * HOUR);
    check(script.contexts[1].completion < script.times[0] + HOUR); /* by the clock as it was */
    status = run_through_a_step(50 * HOUR, GP_MISSED_SKIP, HOUR, &script);
    check_int(status.runs, 1);
    check_int(status.missed, 1);
    check_int(status.next, 200 * HOUR);
    check(script.contexts[2].completion > script.times[0] + 49 * HOUR);
    status = run_through_a_step(-HOUR, GP_MISSED_SKIP, HOUR, &script);
    check_int(status.missed, 0);
    check_int(status.next, HOUR);
    status = run_through_a_step(-50 * HOUR, GP_MISSED_SKIP, HOUR, &script);
    check_int(status.next, 200 * HOUR);
    check(script.contexts[2].scheduled < script.times[0] - 49 * HOUR);
}

static void a_clock_set_during_the_last_run_but_one_may_end_the_task(void)
{
    struct stepping stepping = {{.offset = START, .is_steady = true}, -50 * HOUR};
    gp_scheduled *scheduled = scheduled_by(&stepping.clock);
    int64_t start = hand_clock_now(&stepping.clock);
    struct script script = {.times = {start, start + HOUR}, .count = 2};
    struct job job;
    job_init_acting(&job, step_once, NULL);
    job.context = &stepping;
    future_end(job_trigger(scheduled, &job, &script, NULL), GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 1);
    check_int(script.asked, 3);
    check_int(script.destroyed, 1);
}

/* [TRIGGER-4]: the clock moves right after it was read for the nth time. With no watch, the one who
   put the task into the queue has to notice. */
static void a_clock_set_while_a_task_is_put_back_is_noticed(void)
{
    for (int reads = 1; reads < 5; reads++) {
        struct hand_clock clock = {.offset = START, .is_steady = true};
        gp_scheduled *scheduled = scheduled_by(&clock);
        int64_t start = hand_clock_now(&clock);
        struct script script = {.times = {start, start + 2 * HOUR}, .count = 2};
        struct job job;
        job_init_holding(&job);
        gp_future *future = job_trigger(scheduled, &job, &script, NULL);
        latch_await(&job.begun);
        clock.moves_by = HOUR;
        clock.moves_after = clock.reads + reads;
        job_let_go(&job);
        check(await_ended_runs(future, 1));
        check(await_queued(gp_scheduled_pool(scheduled), 1));
        while (clock.reads < clock.moves_after) /* it has noticed, or nobody has read so often */
            gp__watch_look(scheduled);
        gp__watch_look(scheduled);
        check(delay_of(future) <= HOUR);
        gp_future_release(future);
        scheduled_end(scheduled);
    }
}

static void a_clock_set_while_a_task_is_scheduled_is_noticed(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true, .moves_by = HOUR};
    gp_scheduled *scheduled = scheduled_by(&clock);
    gp_trigger_options options = {.missed = GP_MISSED_SKIP};
    int64_t start = hand_clock_now(&clock);
    struct script script = {.times = {start + 2 * HOUR}, .count = 1};
    struct script missing = {.times = {start + 90 * MINUTE, start + 5 * HOUR}, .count = 2};
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    clock.moves_after = 2; /* once it is read for the time */
    gp_future *future = job_trigger(scheduled, &jobs[0], &script, NULL);
    gp__watch_look(scheduled);
    check(delay_of(future) <= HOUR);
    clock.moves_after = clock.reads + 1;
    gp_future *other = job_trigger(scheduled, &jobs[1], &missing, &options);
    gp__watch_look(scheduled);
    check_int(status_of(other).missed, 1);
    check_int(status_of(other).next, start + 5 * HOUR);
    gp_future_release(future);
    gp_future_release(other);
    scheduled_end(scheduled);
}

/* Two steps. */

static void check_next_after_steps(gp_trigger trigger, gp_missed missed, int64_t step, int64_t then,
                                   int64_t expected)
{
    struct hand_clock clock = {.offset = START, .is_steady = true};
    gp_scheduled *scheduled = scheduled_by(&clock);
    gp_trigger_options options = {.missed = missed};
    gp_future *future = NULL;
    struct job job;
    job_init(&job);
    gp_callable callable = job_callable(&job);
    require_ok(gp_schedule_trigger(scheduled, &callable, &trigger, &options, &future));
    check(await_ended_runs(future, 1));
    check(await_queued(gp_scheduled_pool(scheduled), 1));
    hand_clock_move(&clock, step);
    gp__watch_look(scheduled);
    hand_clock_move(&clock, then);
    gp__watch_look(scheduled);
    int64_t wait = status_of(future).next - hand_clock_now(&clock);
    check(wait > expected - GP_SECONDS(60) && wait <= expected);
    check_int(status_of(future).runs, 1);
    check(gp_future_cancel(future, false));
    gp_future_release(future);
    scheduled_end(scheduled);
}

/* [TRIGGER-3]: a wrong date that is put right again must not bring back a time that was run. */
static void all_steps_since_the_last_run_count(void)
{
    gp_trigger trigger;
    require_ok(gp_trigger_at_fixed_rate(GP_NEVER, 24 * HOUR, &trigger));
    check_next_after_steps(trigger, GP_MISSED_SKIP, 20 * HOUR, -20 * HOUR, 24 * HOUR);
    require_ok(gp_trigger_at_fixed_rate(GP_NEVER, 24 * HOUR, &trigger));
    check_next_after_steps(trigger, GP_MISSED_SKIP, 30 * HOUR, -30 * HOUR, 24 * HOUR);
    require_ok(gp_trigger_with_fixed_delay(GP_NEVER, HOUR, &trigger));
    check_next_after_steps(trigger, GP_MISSED_RUN_ONCE, -4 * HOUR, -4 * HOUR, HOUR);
    require_ok(gp_trigger_at_fixed_rate(GP_NEVER, HOUR, &trigger));
    check_next_after_steps(trigger, GP_MISSED_RUN_ONCE, -4 * HOUR, -4 * HOUR, HOUR);
}

static const struct test tests[] = {
    TEST(put_forward_a_run_comes_sooner),
    TEST(what_was_jumped_over_is_run_once_at_once),
    TEST(what_was_jumped_over_can_be_skipped),
    TEST(a_task_that_skips_its_last_time_ends),
    TEST(late_is_not_missed),
    TEST(put_back_nothing_runs_again_and_the_next_time_stays),
    TEST(put_back_by_much_the_new_time_is_the_true_one),
    TEST(put_back_by_much_before_the_first_run_nothing_is_known),
    TEST(a_task_that_comes_too_early_is_put_back),
    TEST(a_task_that_comes_too_early_by_much_may_have_to_end),
    TEST(a_clock_set_during_a_run_counts_as_set_after_it),
    TEST(a_clock_set_during_the_last_run_but_one_may_end_the_task),
    TEST(a_clock_set_while_a_task_is_put_back_is_noticed),
    TEST(a_clock_set_while_a_task_is_scheduled_is_noticed),
    TEST(all_steps_since_the_last_run_count),
    END_OF_TESTS,
};

const struct suite trigger_clock_suite = {.name = "trigger_clock", .tests = tests};
