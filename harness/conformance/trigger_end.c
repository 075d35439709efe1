/*
 * The end of triggered tasks with their pool, their decoration, and want of memory and threads.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "scheduled/trigger.h"

#include "fault.h"
#include "suite.h"
#include "trigger_support.h"

#define START         INT64_C(1700000000000000000)
#define HEAP_CAPACITY 16 /* the first; the next task makes it grow */

static gp_scheduled *scheduled_going_on(struct hand_clock *clock)
{
    gp_scheduled_config config = config_by(clock);
    config.continue_periodic = true;
    return scheduled_of(&config);
}

/* Shutting down. */

static void shutdown_ends_triggered_tasks(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {GP_NEVER - 1}, .count = 1};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    scheduled_end(scheduled);
    check_int(job.subject.destroyed, 1);
    check_int(script.destroyed, 0); /* there is a handle, and the pool is gone */
    check_int(status_of(future).next, GP_NEVER);
    future_end(future, GP_ECANCELLED);
    check_int(script.destroyed, 1);
}

static void after_shutdown_triggered_tasks_go_on_if_that_is_the_policy(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_going_on(&clock);
    int64_t start = hand_clock_now(&clock);
    struct script script = {
        .times = {start, start + GP_MILLISECONDS(1), start + GP_MILLISECONDS(2)}, .count = 3};
    struct job job;
    job_init_holding(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    latch_await(&job.begun);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    gate_open(&job.go_on, 3);
    scheduled_end(scheduled); /* nothing keeps the pool when the last task has ended */
    check_int(job.subject.runs, 3);
    future_end(future, GP_ECANCELLED);
}

/* The worker waits for the task; the look takes it out and ends it. Only then may it go. */
static void a_pool_ends_when_a_look_has_ended_its_last_task(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true};
    gp_trigger_options options = {.missed = GP_MISSED_SKIP};
    gp_scheduled *scheduled = scheduled_going_on(&clock);
    struct script script = {.times = {hand_clock_now(&clock) + HOUR}, .count = 1};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, &options);
    check(await_idle(gp_scheduled_pool(scheduled), 1));
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    check(!gp_pool_is_terminated(gp_scheduled_pool(scheduled)));
    hand_clock_move(&clock, 2 * HOUR);
    gp__watch_look(scheduled);
    check_status(gp_pool_await_termination(gp_scheduled_pool(scheduled), long_enough()), GP_OK);
    future_end(future, GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1);
}

static void shutdown_now_hands_them_back_and_nothing_else(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {GP_NEVER - 1, GP_NEVER - 1}, .count = 2};
    struct job job;
    gp_task_list unrun;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 1);
    gp_pool_shutdown_now(gp_scheduled_pool(scheduled), &unrun);
    check_int(unrun.count, 1);
    gp_task *task = gp_task_list_pop(&unrun);
    require(gp_task_future(task) == future);
    check(gp_task_argument(task) == &job.subject); /* the user's own */
    gp_task_run(task);                             /* here and now, whatever its time */
    check_int(job.subject.runs, 1);
    check_int(job.subject.destroyed, 1);
    check_int(status_of(future).runs, 1);
    future_end(future, GP_ECANCELLED);
    check_int(script.destroyed, 1);
    scheduled_end(scheduled);
}

static void figures_know_triggered_tasks_and_nothing_of_the_watch(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {0, GP_NEVER - 1}, .count = 2};
    struct job job;
    gp_pool_stats stats;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check(await_completed(gp_scheduled_pool(scheduled), 1));
    gp_pool_statistics(gp_scheduled_pool(scheduled), &stats);
    check_int(stats.queued, 1);
    check_int(stats.deepest, 1);
    check_int(stats.total, 2);
    check_int(stats.ran.count, 1);
    check(gp_pool_remove(gp_scheduled_pool(scheduled), future));
    check_status(gp_pool_await_quiescence(gp_scheduled_pool(scheduled), long_enough()), GP_OK);
    gp_future_release(future);
    scheduled_end(scheduled);
}

/* Decoration. */

struct decoration {
    int status;
    _Atomic int runs;
    _Atomic int destroyed;
};

static void run_decorated(void *context, gp_proceeding *proceeding)
{
    struct decoration *decoration = context;
    atomic_fetch_add(&decoration->runs, 1);
    gp_proceed(proceeding);
}

static void destroy_decoration(void *context)
{
    struct decoration *decoration = context;
    atomic_fetch_add(&decoration->destroyed, 1);
}

static int decorate(void *context, gp_future *task, gp_decorator *out)
{
    struct decoration *decoration = context;
    check(gp_scheduled_is_periodic(task));
    *out = (gp_decorator){run_decorated, context, destroy_decoration};
    return decoration->status;
}

static gp_scheduled_config decorating_config(struct hand_clock *clock,
                                             struct decoration *decoration)
{
    gp_scheduled_config config = config_by(clock);
    config.decorate = decorate;
    config.decorate_context = decoration;
    config.remove_on_cancel = true;
    return config;
}

/* After the first run, when the task is in the queue again and nobody is there to take it. */
static void put_clock_back_once(void *context, gp_task *task, int status)
{
    struct hand_clock *clock = context;
    (void)task;
    (void)status;
    hand_clock_move(clock, clock->moves_by);
    clock->moves_by = 0;
}

static void a_decorator_stands_around_each_run_and_only_around_runs(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true, .moves_by = -HOUR};
    struct decoration decoration = {0};
    gp_scheduled_config config = decorating_config(&clock, &decoration);
    config.hooks.after_execute = put_clock_back_once;
    config.hooks.context = &clock;
    gp_scheduled *scheduled = scheduled_of(&config);
    int64_t start = hand_clock_now(&clock);
    struct script script = {.times = {start, start + GP_MILLISECONDS(1)}, .count = 2};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check(await_completed(gp_scheduled_pool(scheduled), 2)); /* the second was early: no run, */
    check_int(status_of(future).runs, 1);                    /* and no decorator */
    check_int(decoration.runs, 1);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 1);
    check(delay_of(future) > HOUR / 2);
    hand_clock_move(&clock, 2 * HOUR);
    gp__watch_look(scheduled);
    future_end(future, GP_ECANCELLED);
    scheduled_end(scheduled);
    check_int(decoration.runs, 2);
    check_int(decoration.destroyed, 1);
    check_int(script.destroyed, 1);
}

static void when_decorate_refuses_the_trigger_goes_as_the_argument_does(void)
{
    const struct {
        int status;
        int destroyed;
    } cases[] = {{GP_EPERM, 0}, {GP_EREJECTED, 1}};
    for (int i = 0; i < 2; i++) {
        struct hand_clock clock = {.offset = START};
        struct decoration decoration = {.status = cases[i].status};
        gp_scheduled_config config = decorating_config(&clock, &decoration);
        gp_scheduled *scheduled = scheduled_of(&config);
        struct script script = {.times = {0}, .count = 1};
        struct subject subject = {0};
        gp_trigger trigger = script_trigger(&script);
        gp_callable callable = callable_of(&subject);
        check_status(gp_schedule_trigger(scheduled, &callable, &trigger, NULL, NULL),
                     cases[i].status);
        check_int(subject.destroyed, cases[i].destroyed);
        check_int(script.destroyed, cases[i].destroyed);
        scheduled_end(scheduled);
    }
}

/* Want. */

static void fill(gp_scheduled *scheduled, struct subject *subject, int count)
{
    gp_callable callable = callable_of(subject);
    for (int i = 0; i < count; i++)
        check_status(gp_schedule(scheduled, &callable, HOUR, NULL), GP_OK);
}

static void visit(struct fault_walk *walk, int core_size, int filled)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled_config config = config_by(&clock);
    config.core_size = core_size;
    gp_scheduled *scheduled = scheduled_of(&config);
    struct subject filling = {0};
    struct subject subject = {0};
    struct script script = {.times = {GP_NEVER - 1}, .count = 1};
    gp_trigger trigger = script_trigger(&script);
    gp_callable callable = callable_of(&subject);
    fill(scheduled, &filling, filled);
    fault_walk_next(walk);
    int status = gp_schedule_trigger(scheduled, &callable, &trigger, NULL, NULL);
    if (fault_walk_hit(walk))
        check(status == GP_OK || status == GP_ENOMEM || status == GP_EAGAIN);
    else
        check_status(status, GP_OK);
    int taken_over = status == GP_OK ? 1 : 0;
    check_int(pool_queued(gp_scheduled_pool(scheduled)), filled + taken_over);
    check_int(scheduled->watch.tasks, taken_over); /* [WATCH-1] */
    check_int(gp__watch_check(scheduled), 0);
    scheduled_end_now(scheduled);
    check_int(subject.destroyed, taken_over);
    check_int(script.destroyed, taken_over);
}

static void schedule_trigger_fails_cleanly_at_each_point(void)
{
    for (int core_size = 0; core_size < 2; core_size++)
        for (int filled = 0; filled <= HEAP_CAPACITY; filled += HEAP_CAPACITY) {
            struct fault_walk walk = {.kinds = FAULT_ANY};
            while (!walk.over)
                visit(&walk, core_size, filled);
            check(walk.point > 2);
        }
}

static void triggers_fail_cleanly_without_memory(void)
{
    gp_trigger trigger = {0};
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int rate = gp_trigger_at_fixed_rate(0, 1, &trigger);
    int delay = gp_trigger_with_fixed_delay(0, 1, &trigger);
    fault_disarm();
    check_status(rate, GP_ENOMEM);
    check_status(delay, GP_ENOMEM);
    check(trigger.next == NULL);
}

/* The heap is full of others as soon as the task is out of it; asking fills the slot up. */
static void steal_the_slot(struct script *script)
{
    gp_callable callable = gp_callable_of(run_nothing, NULL, NULL);
    script->inside = NULL;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int status = gp_schedule(script->context, &callable, HOUR, NULL);
    fault_disarm();
    check(status == GP_ENOMEM);
    fault_arm(FAULT_REALLOC, FAULT_EVERY, FAULT_THIS_THREAD);
    status = gp_schedule(script->context, &callable, HOUR, NULL);
    fault_disarm();
    check(status == GP_ENOMEM); /* no slot is free: that of the task is reserved */
}

static void a_task_taken_out_to_be_asked_comes_back_without_memory(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true};
    gp_trigger_options options = {.missed = GP_MISSED_SKIP};
    gp_scheduled *scheduled = scheduled_by(&clock);
    int64_t start = hand_clock_now(&clock);
    struct script script = {.times = {start + HOUR, start + 9 * HOUR}, .count = 2};
    struct subject filling = {0};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, &options);
    fill(scheduled, &filling, HEAP_CAPACITY - 1);
    script.inside = steal_the_slot;
    script.context = scheduled;
    hand_clock_move(&clock, 2 * HOUR);
    gp__watch_look(scheduled);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), HEAP_CAPACITY);
    check_int(status_of(future).next, start + 9 * HOUR);
    check(!gp_future_is_done(future));
    check_int(gp_pool_check(gp_scheduled_pool(scheduled)), 0);
    gp_future_release(future);
    scheduled_end_now(scheduled);
    check_int(script.destroyed, 1);
}

static const struct test tests[] = {
    TEST(shutdown_ends_triggered_tasks),
    TEST(after_shutdown_triggered_tasks_go_on_if_that_is_the_policy),
    TEST(a_pool_ends_when_a_look_has_ended_its_last_task),
    TEST(shutdown_now_hands_them_back_and_nothing_else),
    TEST(figures_know_triggered_tasks_and_nothing_of_the_watch),
    TEST(a_decorator_stands_around_each_run_and_only_around_runs),
    TEST(when_decorate_refuses_the_trigger_goes_as_the_argument_does),
    TEST(schedule_trigger_fails_cleanly_at_each_point),
    TEST(triggers_fail_cleanly_without_memory),
    TEST(a_task_taken_out_to_be_asked_comes_back_without_memory),
    END_OF_TESTS,
};

const struct suite trigger_end_suite = {.name = "trigger_end", .tests = tests};
