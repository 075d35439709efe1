/*
 * Triggers: what they are asked and told, the ready-made ones, how runs and tasks end, and whose
 * the trigger is.
 */
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"
#include "trigger_support.h"

#define SOON  GP_MILLISECONDS(1)
#define START INT64_C(1700000000000000000)

/* Runs. */

static void a_trigger_is_asked_first_without_and_then_with_the_last_run(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    int64_t start = hand_clock_now(&clock);
    struct script script = {.times = {start + SOON, start + 2 * SOON}, .count = 2};
    struct job job;
    job_init(&job);
    future_end(job_trigger(scheduled, &job, &script, NULL), GP_ECANCELLED); /* it had no third */
    scheduled_end(scheduled);
    check_int(job.subject.runs, 2);
    check_int(job.subject.destroyed, 1);
    check_int(script.asked, 3);
    check_int(script.destroyed, 1);
    check_int(script.contexts[0].scheduled, GP_NEVER);
    check_int(script.contexts[0].actual, GP_NEVER);
    check_int(script.contexts[0].completion, GP_NEVER);
    check(script.nows[0] >= start);
    for (int i = 1; i < 3; i++) {
        check_int(script.contexts[i].scheduled, script.times[i - 1]);
        check(script.contexts[i].actual >= script.contexts[i].scheduled);
        check(script.contexts[i].completion >= script.contexts[i].actual);
        check_int(script.nows[i], script.contexts[i].completion);
    }
}

static void cancel_after_a_run(struct script *script)
{
    if (atomic_load(&script->asked) > 0)
        gp_future_cancel(script->context, false);
}

/* It is put back for its next time, which has come, and taken out again. */
static void what_does_not_begin_is_no_run(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    int64_t start = hand_clock_now(&clock);
    struct script script = {.times = {start, start}, .count = 2, .inside = cancel_after_a_run};
    struct job job;
    job_init_holding(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    latch_await(&job.begun);
    script.context = future;
    job_let_go(&job);
    check_status(gp_pool_await_quiescence(gp_scheduled_pool(scheduled), long_enough()), GP_OK);
    check_int(script.asked, 2);
    check_int(job.subject.runs, 1);
    check_int(status_of(future).runs, 1);
    scheduled_end(scheduled);
    future_end(future, GP_ECANCELLED);
}

static void a_status_tells_the_last_run_and_the_next(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    int64_t start = hand_clock_now(&clock);
    struct script script = {.times = {start, start + HOUR}, .count = 2};
    struct job job;
    job_init_holding(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    latch_await(&job.begun);
    check_int(status_of(future).runs, 0);
    check_int(status_of(future).next, start); /* of the run that is going on */
    check_int(status_of(future).last.completion, GP_NEVER);
    job_let_go(&job);
    check(await_queued(gp_scheduled_pool(scheduled), 1));
    gp_triggered_status status = status_of(future);
    check_int(status.runs, 1);
    check_int(status.failures, 0);
    check_int(status.missed, 0);
    check_int(status.last.scheduled, start);
    check(status.last.completion >= status.last.actual);
    check_int(status.next, start + HOUR);
    check(gp_future_cancel(future, false));
    check_int(status_of(future).next, GP_NEVER);
    gp_future_release(future);
    scheduled_end(scheduled);
}

static void a_triggered_task_is_a_periodic_one_that_knows_its_delay(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {hand_clock_now(&clock) + HOUR}, .count = 1};
    struct job job;
    struct job other;
    struct job plain;
    gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);
    gp_triggered_status status;
    job_init(&job);
    job_init(&other);
    job_init(&plain);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    gp_future *periodic = job_at_fixed_rate(scheduled, &other, 2 * HOUR, HOUR);
    check(gp_scheduled_is_periodic(future));
    check(delay_of(future) <= HOUR);
    check(delay_of(future) > HOUR - long_enough());
    check(gp_scheduled_compare(future, periodic) < 0);
    gp_future *submitted = job_submit(gp_scheduled_pool(scheduled), &plain);
    check_status(gp_triggered_status_of(submitted, &status), GP_EINVAL);
    check_status(gp_triggered_status_of(periodic, &status), GP_EINVAL);
    future_end(submitted, GP_OK);
    require_ok(gp_future_new(&callable, &submitted));
    check_status(gp_triggered_status_of(submitted, &status), GP_EINVAL);
    gp_future_release(submitted);
    check_status(gp_triggered_status_of(future, NULL), GP_EINVAL);
    gp_future_release(future);
    gp_future_release(periodic);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
}

static void a_time_in_the_past_is_due_at_once(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {INT64_MIN, -1, START - HOUR}, .count = 3};
    struct job job;
    job_init(&job);
    future_end(job_trigger(scheduled, &job, &script, NULL), GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 3);
}

static void a_time_beyond_all_bounds_is_not(void)
{
    struct hand_clock clock = {.offset = INT64_MIN / 2};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {GP_NEVER - 1}, .count = 1};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check(delay_of(future) > 100 * 365 * 24 * HOUR);
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
}

static void times_before_1970_are_times(void)
{
    struct hand_clock clock = {.offset = -START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    int64_t start = hand_clock_now(&clock);
    struct script script = {.times = {start + SOON, start + HOUR}, .count = 2};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check(await_ended_runs(future, 1));
    check(await_queued(gp_scheduled_pool(scheduled), 1));
    check_int(status_of(future).last.scheduled, start + SOON);
    check(delay_of(future) > HOUR - long_enough());
    gp_future_release(future);
    scheduled_end(scheduled);
}

static void the_wall_clock_is_the_systems_unless_another_is_given(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    int64_t start = gp_wall_now();
    struct script script = {.times = {start + SOON}, .count = 1};
    struct job job;
    job_init(&job);
    check(start > START);
    future_end(job_trigger(scheduled, &job, &script, NULL), GP_ECANCELLED);
    check(gp_wall_now() >= start + SOON);
    scheduled_end(scheduled);
    check(script.nows[0] >= start);
}

/* The ready-made ones, asked by hand. */

static int64_t ask(const gp_trigger *trigger, int64_t scheduled, int64_t completion, int64_t now)
{
    const gp_trigger_context context = {scheduled, scheduled, completion};
    return trigger->next(trigger->self, &context, now);
}

static int64_t ask_first(const gp_trigger *trigger, int64_t now)
{
    return ask(trigger, GP_NEVER, GP_NEVER, now);
}

static void at_a_fixed_rate_times_are_start_and_periods_after_it(void)
{
    gp_trigger trigger = {0};
    require_ok(gp_trigger_at_fixed_rate(1000, 100, &trigger));
    check_int(ask_first(&trigger, 400), 1000);
    check_int(ask_first(&trigger, 1000), 1000);
    check_int(ask_first(&trigger, 1001), 1100); /* what is over is over */
    check_int(ask(&trigger, 1000, 1010, 1010), 1100);
    check_int(ask(&trigger, 1000, 1100, 1100), 1200);
    check_int(ask(&trigger, 1000, 1350, 1350), 1400); /* it took too long */
    check_int(ask(&trigger, 1100, 1099, 1099), 1200); /* the timer was early: not 1100 again */
    check_int(ask(&trigger, 500, 600, 600), 1000);    /* the clock was put back before the start */
    check_int(ask(&trigger, 1000, GP_NEVER - 2, 0), GP_NEVER - 1);
    gp_trigger_discard(&trigger);
    check(trigger.next == NULL);
}

static void at_a_fixed_rate_without_a_start_the_first_time_is_now(void)
{
    gp_trigger trigger = {0};
    require_ok(gp_trigger_at_fixed_rate(GP_NEVER, 100, &trigger));
    check_int(ask_first(&trigger, 730), 730);
    check_int(ask(&trigger, 730, 731, 731), 830);
    check_int(ask(&trigger, 201, 202, 202), 230); /* the clock was put back: the grid goes on */
    check_int(ask(&trigger, 230, 230, 230), 330);
    gp_trigger_discard(&trigger);
}

static void with_a_fixed_delay_times_are_after_the_end_of_each_run(void)
{
    gp_trigger trigger = {0};
    gp_trigger at_once = {0};
    require_ok(gp_trigger_with_fixed_delay(1000, 100, &trigger));
    require_ok(gp_trigger_with_fixed_delay(GP_NEVER, 100, &at_once));
    check_int(ask_first(&trigger, 400), 1000);
    check_int(ask_first(&trigger, 1400), 1400);
    check_int(ask_first(&at_once, 730), 730);
    check_int(ask(&trigger, 1000, 1023, 1023), 1123);
    check_int(ask(&trigger, 1000, GP_NEVER - 2, 0), GP_NEVER - 1);
    gp_trigger_discard(&trigger);
    gp_trigger_discard(&at_once);
}

static void periodic_triggers_want_a_period(void)
{
    gp_trigger trigger = {0};
    check_status(gp_trigger_at_fixed_rate(0, 0, &trigger), GP_EINVAL);
    check_status(gp_trigger_at_fixed_rate(0, -1, &trigger), GP_EINVAL);
    check_status(gp_trigger_at_fixed_rate(0, 1, NULL), GP_EINVAL);
    check_status(gp_trigger_with_fixed_delay(0, 0, &trigger), GP_EINVAL);
    check_status(gp_trigger_with_fixed_delay(0, 1, NULL), GP_EINVAL);
    check(trigger.next == NULL);
}

static void a_cron_trigger_goes_by_the_later_of_due_time_and_end(void)
{
    gp_cron *cron = NULL;
    require_ok(gp_cron_parse("*/10 * * * * *", "UTC", 0, &cron, NULL));
    gp_trigger trigger = gp_trigger_of_cron(cron);
    gp_cron_release(cron); /* the trigger has one of its own */
    check_int(ask_first(&trigger, START), START + GP_SECONDS(10));
    check_int(ask_first(&trigger, START - 1), START);
    check_int(ask(&trigger, START, START + SOON, START), START + GP_SECONDS(10));
    check_int(ask(&trigger, START, START - SOON, START), START + GP_SECONDS(10)); /* it was early */
    check_int(ask(&trigger, START, START + GP_SECONDS(25), START), START + GP_SECONDS(30));
    gp_trigger_discard(&trigger);
}

static void a_task_runs_by_a_cron_expression(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    gp_future *future = NULL;
    gp_cron *cron = NULL;
    struct job job;
    job_init(&job);
    gp_callable callable = job_callable(&job);
    require_ok(gp_cron_parse("0 0 * * * *", NULL, 0, &cron, NULL));
    gp_trigger trigger = gp_trigger_of_cron(cron);
    int64_t next = gp_cron_next(cron, hand_clock_now(&clock));
    require_ok(gp_schedule_trigger(scheduled, &callable, &trigger, NULL, &future));
    check_int(status_of(future).next, next);
    hand_clock_move(&clock, next - hand_clock_now(&clock)); /* nobody has to wait for an hour */
    check(await_ended_runs(future, 1));
    check(await_queued(gp_scheduled_pool(scheduled), 1));
    check_int(status_of(future).last.scheduled, next);
    check_int(status_of(future).next, next + GP_SECONDS(3600));
    gp_future_release(future);
    scheduled_end(scheduled);
    gp_cron_release(cron);
}

static void a_disabled_expression_has_no_first_time(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);
    gp_cron *cron = NULL;
    require_ok(gp_cron_parse("-", NULL, 0, &cron, NULL));
    gp_trigger trigger = gp_trigger_of_cron(cron);
    gp_cron_release(cron);
    check_status(gp_schedule_trigger(scheduled, &callable, &trigger, NULL, NULL), GP_ENOTFOUND);
    gp_trigger_discard(&trigger);
    scheduled_end(scheduled);
}

static void fail_in_the_third_run(struct job *job)
{
    if (job->subject.runs == 3)
        job->subject.code = 4;
}

static void a_task_runs_at_a_fixed_rate_of_wall_time(void)
{
    struct hand_clock clock = {.offset = START};
    gp_trigger_options options = {.stop_on_failure = true};
    gp_scheduled *scheduled = scheduled_by(&clock);
    gp_trigger trigger = {0};
    gp_future *future = NULL;
    struct job job;
    job_init_acting(&job, fail_in_the_third_run, NULL);
    gp_callable callable = job_callable(&job);
    require_ok(gp_trigger_at_fixed_rate(START, SOON, &trigger));
    require_ok(gp_schedule_trigger(scheduled, &callable, &trigger, &options, &future));
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_EFAILED);
    scheduled_end(scheduled);
    gp_triggered_status status = status_of(future);
    check_int(status.runs, 3);
    check_int((status.last.scheduled - START) % SOON, 0);
    check(status.last.actual >= status.last.scheduled - GP_MILLISECONDS(50));
    gp_future_release(future);
}

/* Failing. */

struct complaint {
    _Atomic int count;
    int code;
    const char *message;
    gp_future_state state;
    gp_future *future;
    _Atomic int payloads_destroyed;
};

static void complain(void *context, gp_future *future, const gp_failure *failure)
{
    struct complaint *complaint = context;
    complaint->code = failure->code;
    complaint->message = failure->message;
    complaint->state = gp_future_state_of(future);
    complaint->future = future;
    atomic_fetch_add(&complaint->count, 1);
}

static void destroy_payload(void *payload)
{
    struct complaint *complaint = payload;
    atomic_fetch_add(&complaint->payloads_destroyed, 1);
}

static int fail_at_length(void *argument, void **result)
{
    (void)result;
    return gp_fail(&(gp_failure){
        .code = 9, .message = "no", .payload = argument, .destroy_payload = destroy_payload});
}

static void run_failing(struct complaint *complaint, bool stop, int expected)
{
    struct hand_clock clock = {.offset = START};
    gp_trigger_options options = {
        .stop_on_failure = stop, .failed = complain, .context = complaint};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {0, 0, 0}, .count = 3};
    gp_trigger trigger = script_trigger(&script);
    gp_callable callable = {.call = fail_at_length, .argument = complaint};
    gp_future *future = NULL;
    require_ok(gp_schedule_trigger(scheduled, &callable, &trigger, &options, &future));
    check_status(gp_future_get_timed(future, long_enough(), NULL), expected);
    scheduled_end(scheduled);
    check(complaint->future == future);
    check_int(complaint->state, GP_NEW);
    check_int(complaint->code, 9);
    check_text(complaint->message, "no");
    check_int(status_of(future).runs, complaint->count);
    check_int(status_of(future).failures, complaint->count);
    check_int(complaint->payloads_destroyed, complaint->count - (stop ? 1 : 0));
    check_int(future_failure_code(future), stop ? 9 : 0);
    gp_future_release(future);
    check_int(complaint->payloads_destroyed, complaint->count);
    check_int(script.destroyed, 1);
}

static void a_failing_task_goes_on_and_each_failure_is_told(void)
{
    struct complaint complaint = {0};
    run_failing(&complaint, false, GP_ECANCELLED); /* in the end the trigger had no more */
    check_int(complaint.count, 3);
}

static void a_failing_task_stops_if_it_is_to(void)
{
    struct complaint complaint = {0};
    run_failing(&complaint, true, GP_EFAILED);
    check_int(complaint.count, 1);
}

static void nobody_needs_to_be_told_of_a_failure(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {0, 0}, .count = 2};
    struct job job;
    job_init(&job);
    job.subject.code = 3;
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_ECANCELLED);
    check_int(status_of(future).failures, 2);
    gp_future_release(future);
    scheduled_end(scheduled);
}

static void mend_after_a_run(struct script *script)
{
    if (atomic_load(&script->asked) > 0)
        ((struct job *)script->context)->subject.code = 0;
}

static void a_success_after_a_failure_is_one(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct job job;
    struct script script = {
        .times = {0, 0}, .count = 2, .inside = mend_after_a_run, .context = &job};
    job_init(&job);
    job.subject.code = 3;
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_ECANCELLED);
    check_int(status_of(future).runs, 2);
    check_int(status_of(future).failures, 1);
    gp_future_release(future);
    scheduled_end(scheduled);
}

static void a_task_that_leaves_its_thread_ends_untold(void)
{
    struct hand_clock clock = {.offset = START};
    struct complaint complaint = {0};
    gp_trigger_options options = {.failed = complain, .context = &complaint};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {0, 0}, .count = 2};
    struct job job;
    job_init_acting(&job, leave_by_exit, NULL);
    gp_future *future = job_trigger(scheduled, &job, &script, &options);
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_EFAILED);
    check_int(future_failure_code(future), GP_EABRUPT);
    scheduled_end(scheduled);
    check_int(status_of(future).runs, 1);
    check_int(status_of(future).failures, 1);
    check_int(complaint.count, 0);
    check_int(script.asked, 1);
    gp_future_release(future);
    check_int(script.destroyed, 1);
    check_int(job.subject.destroyed, 1);
}

/* Cancelling. */

static void cancel_interrupts_a_run(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {0, 0}, .count = 2};
    struct job job;
    job_init_acting(&job, sleep_until_interrupted, NULL);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    latch_await(&job.begun);
    check(gp_future_cancel(future, true));
    future_end(future, GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(job.status, GP_EINTERRUPTED);
    check_int(job.subject.runs, 1);
    check_int(script.asked, 1); /* nobody wants to know what comes next */
    check_int(script.destroyed, 1);
}

static void cancel_takes_a_task_out_of_the_queue_if_that_is_the_policy(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled_config config = config_by(&clock);
    config.remove_on_cancel = true;
    gp_scheduled *scheduled = scheduled_of(&config);
    struct script script = {.times = {GP_NEVER - 1}, .count = 1};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check(gp_future_cancel(future, false));
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 0);
    check_int(job.subject.destroyed, 1);
    check_int(script.destroyed, 0); /* there is a handle */
    gp_future_release(future);
    check_int(script.destroyed, 1);
    scheduled_end(scheduled);
}

static void a_cancelled_task_that_stays_in_the_queue_is_not_run(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {hand_clock_now(&clock) + 5 * SOON}, .count = 1};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check(gp_future_cancel(future, false));
    check(await_completed(gp_scheduled_pool(scheduled), 1));
    check_int(status_of(future).runs, 0);
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
    check_int(script.destroyed, 1);
    check_int(script.asked, 1);
}

static void cancel_this_one(struct script *script)
{
    gp_future_cancel(script->context, false);
}

static void a_trigger_may_cancel_its_own_task(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled_config config = config_by(&clock);
    config.remove_on_cancel = true;
    gp_scheduled *scheduled = scheduled_of(&config);
    struct script script = {.times = {0, GP_NEVER - 1}, .count = 2};
    struct job job;
    job_init_holding(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    latch_await(&job.begun);
    script.context = future;
    script.inside = cancel_this_one;
    job_let_go(&job);
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_ECANCELLED);
    job_await_end(&job);
    check_status(gp_pool_await_quiescence(gp_scheduled_pool(scheduled), long_enough()), GP_OK);
    gp_future_release(future);
    scheduled_end(scheduled);
    check_int(script.destroyed, 1);
}

/* Refusals: trigger and argument stay the caller's. */

static void bad_arguments_are_refused(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    gp_trigger_options bad_options = {.missed = (gp_missed)2};
    struct script script = {.times = {0}, .count = 1};
    struct subject subject = {0};
    gp_trigger trigger = script_trigger(&script);
    gp_trigger empty = {0};
    gp_callable callable = callable_of(&subject);
    gp_callable nothing = {0};
    check_status(gp_schedule_trigger(NULL, &callable, &trigger, NULL, NULL), GP_EINVAL);
    check_status(gp_schedule_trigger(scheduled, NULL, &trigger, NULL, NULL), GP_EINVAL);
    check_status(gp_schedule_trigger(scheduled, &nothing, &trigger, NULL, NULL), GP_EINVAL);
    check_status(gp_schedule_trigger(scheduled, &callable, NULL, NULL, NULL), GP_EINVAL);
    check_status(gp_schedule_trigger(scheduled, &callable, &empty, NULL, NULL), GP_EINVAL);
    check_status(gp_schedule_trigger(scheduled, &callable, &trigger, &bad_options, NULL),
                 GP_EINVAL);
    check_int(script.asked, 0);
    check_int(script.destroyed, 0);
    check_int(subject.destroyed, 0);
    scheduled_end(scheduled);
}

static void a_trigger_without_a_first_time_is_refused(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct script script = {.count = 0};
    struct subject subject = {0};
    gp_trigger trigger = script_trigger(&script);
    gp_callable callable = callable_of(&subject);
    gp_future *future = NULL;
    check_status(gp_schedule_trigger(scheduled, &callable, &trigger, NULL, &future), GP_ENOTFOUND);
    check(future == NULL);
    check_int(script.destroyed, 0);
    check_int(subject.destroyed, 0);
    scheduled_end(scheduled);
}

static void a_rejected_trigger_is_destroyed_with_its_task(void)
{
    gp_scheduled *scheduled = scheduled_with(1);
    struct script script = {.times = {0}, .count = 1};
    struct subject subject = {0};
    gp_trigger trigger = script_trigger(&script);
    gp_callable callable = callable_of(&subject);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    check_status(gp_schedule_trigger(scheduled, &callable, &trigger, NULL, NULL), GP_EREJECTED);
    check_int(script.destroyed, 1);
    check_int(subject.destroyed, 1);
    scheduled_end(scheduled);
}

static const struct test tests[] = {
    TEST(a_trigger_is_asked_first_without_and_then_with_the_last_run),
    TEST(what_does_not_begin_is_no_run),
    TEST(a_status_tells_the_last_run_and_the_next),
    TEST(a_triggered_task_is_a_periodic_one_that_knows_its_delay),
    TEST(a_time_in_the_past_is_due_at_once),
    TEST(a_time_beyond_all_bounds_is_not),
    TEST(times_before_1970_are_times),
    TEST(the_wall_clock_is_the_systems_unless_another_is_given),
    TEST(at_a_fixed_rate_times_are_start_and_periods_after_it),
    TEST(at_a_fixed_rate_without_a_start_the_first_time_is_now),
    TEST(with_a_fixed_delay_times_are_after_the_end_of_each_run),
    TEST(periodic_triggers_want_a_period),
    TEST(a_cron_trigger_goes_by_the_later_of_due_time_and_end),
    TEST(a_task_runs_by_a_cron_expression),
    TEST(a_disabled_expression_has_no_first_time),
    TEST(a_task_runs_at_a_fixed_rate_of_wall_time),
    TEST(a_failing_task_goes_on_and_each_failure_is_told),
    TEST(a_failing_task_stops_if_it_is_to),
    TEST(nobody_needs_to_be_told_of_a_failure),
    TEST(a_success_after_a_failure_is_one),
    TEST(a_task_that_leaves_its_thread_ends_untold),
    TEST(cancel_interrupts_a_run),
    TEST(cancel_takes_a_task_out_of_the_queue_if_that_is_the_policy),
    TEST(a_cancelled_task_that_stays_in_the_queue_is_not_run),
    TEST(a_trigger_may_cancel_its_own_task),
    TEST(bad_arguments_are_refused),
    TEST(a_trigger_without_a_first_time_is_refused),
    TEST(a_rejected_trigger_is_destroyed_with_its_task),
    END_OF_TESTS,
};

const struct suite trigger_suite = {.name = "trigger", .tests = tests};
