/*
 * The watch: which thread looks at the wall clock, when, and what a look does to the queue.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "queue/delayed.h"
#include "scheduled/trigger.h"

#include "suite.h"
#include "trigger_support.h"

/* A look. */

static void small_steps_add_up(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_RUN_ONCE);
    int64_t time = gp_task_time(gp_future_task(waiting.future));
    move_and_look(&waiting, GP__STEP_TOLERANCE - GP_MILLISECONDS(10));
    check_int(gp_task_time(gp_future_task(waiting.future)), time);
    move_and_look(&waiting, GP__STEP_TOLERANCE - GP_MILLISECONDS(10));
    check(are_near(time - gp_task_time(gp_future_task(waiting.future)),
                   2 * (GP__STEP_TOLERANCE - GP_MILLISECONDS(10))));
    end_waiting(&waiting);
}

static void clocks_that_were_read_apart_are_read_again(void)
{
    struct hand_clock clock = {.offset = START, .slow_reads = 1};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct gp__moment moment = gp__moment_of(scheduled);
    check_int(clock.slow_reads, 0);
    check(clock.reads >= 2);
    check(gp__moment_offset(&moment) > START - GP_MILLISECONDS(2)); /* by the later reading */
    clock.slow_reads = 1000;                                        /* but not for ever */
    moment = gp__moment_of(scheduled);
    check(gp__moment_offset(&moment) <= START - GP_MILLISECONDS(2));
    scheduled_end(scheduled);
}

static void looking_without_tasks_does_nothing(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    hand_clock_move(&clock, HOUR);
    gp__watch_look(scheduled);
    scheduled_end(scheduled);
}

static void a_look_moves_only_what_has_a_trigger(void)
{
    struct waiting waiting;
    struct job once;
    struct job periodic;
    begin_waiting(&waiting, GP_MISSED_RUN_ONCE);
    job_init(&once);
    job_init(&periodic);
    gp_future *first = job_schedule(waiting.scheduled, &once, 30 * MINUTE);
    gp_future *second = job_at_fixed_rate(waiting.scheduled, &periodic, 40 * MINUTE, HOUR);
    int64_t times[] = {gp_task_time(gp_future_task(first)), gp_task_time(gp_future_task(second))};
    move_and_look(&waiting, 50 * MINUTE);
    check_int(gp_task_time(gp_future_task(first)), times[0]);
    check_int(gp_task_time(gp_future_task(second)), times[1]);
    check_delay(&waiting, 10 * MINUTE);
    check(gp_scheduled_compare(waiting.future, first) < 0);
    check(gp_future_cancel(first, false));
    gp_future_release(first);
    gp_future_release(second);
    end_waiting(&waiting);
}

static void a_cancelled_task_is_left_alone(void)
{
    struct waiting waiting;
    begin_waiting(&waiting, GP_MISSED_SKIP);
    check(gp_future_cancel(waiting.future, false));
    move_and_look(&waiting, 2 * HOUR);
    check_int(status_of(waiting.future).missed, 0);
    end_waiting(&waiting);
    check_int(waiting.script.asked, 2);
}

/* By itself. */

/* Nobody calls gp__watch_look here: the idle worker does, within half a second. */
static void an_idle_worker_looks_by_itself(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script script = {.times = {hand_clock_now(&clock) + HOUR}, .count = 1};
    struct job job;
    job_init(&job);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    check(await_idle(gp_scheduled_pool(scheduled), 1));
    check_int(gp__watch_check(scheduled), 0);
    hand_clock_move(&clock, HOUR);
    future_end(future, GP_ECANCELLED);
    check_int(job.subject.runs, 1);
    check(await_completed(gp_scheduled_pool(scheduled), 1));    /* its worker counts afterwards */
    check_int(pool_completed(gp_scheduled_pool(scheduled)), 1); /* a look is not a task */
    scheduled_end(scheduled);
}

/* Without remove_on_cancel it stays in the queue; that is no reason to have an alarm. */
static void a_cancelled_task_needs_no_alarm(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    struct script scripts[2];
    struct job jobs[2];
    gp_future *futures[2];
    for (int i = 0; i < 2; i++) {
        scripts[i] = (struct script){.times = {hand_clock_now(&clock) + HOUR}, .count = 1};
        job_init(&jobs[i]);
        futures[i] = job_trigger(scheduled, &jobs[i], &scripts[i], NULL);
    }
    check(gp_future_cancel(futures[0], false));
    check(scheduled->watch.has_alarm);
    check(gp_future_cancel(futures[1], false));
    check(!scheduled->watch.has_alarm);
    check_int(pool_queued(gp_scheduled_pool(scheduled)), 2);
    check_int(gp__watch_check(scheduled), 0);
    gp_future_release(futures[0]);
    gp_future_release(futures[1]);
    scheduled_end(scheduled);
}

/* The triggered task comes second: the worker sleeps for another one already. */
static void a_worker_that_sleeps_longer_is_woken_for_the_alarm(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled_config config = config_by(&clock);
    config.core_size = 2;
    gp_scheduled *scheduled = scheduled_of(&config);
    struct script script = {.times = {hand_clock_now(&clock) + 2 * HOUR}, .count = 1};
    struct job head;
    struct job job;
    job_init(&head);
    job_init(&job);
    gp_future *first = job_schedule(scheduled, &head, HOUR);
    gp_pool_prestart_all_core(gp_scheduled_pool(scheduled));
    check(await_idle(gp_scheduled_pool(scheduled), 2));
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    hand_clock_move(&clock, 2 * HOUR);
    future_end(future, GP_ECANCELLED);
    check_int(job.subject.runs, 1);
    check(gp_future_cancel(first, false));
    gp_future_release(first);
    scheduled_end(scheduled);
}

/* The trigger is asked in a look, by a worker that counts as idle, and eats its interrupt. */
struct eater {
    struct latch asked;
    struct gate gate;
};

static void eat_interrupt(struct script *script)
{
    struct eater *eater = script->context;
    if (script->asked == 0)
        return;
    latch_count_down(&eater->asked);
    gate_pass(&eater->gate);
    gp_interrupted();
}

static void a_shutdown_is_noticed_after_a_trigger_was_asked_in_a_look(void)
{
    struct hand_clock clock = {.offset = START};
    gp_scheduled *scheduled = scheduled_by(&clock);
    int64_t start = hand_clock_now(&clock);
    struct eater eater;
    struct script script = {
        .times = {start + HOUR, start}, .count = 2, .inside = eat_interrupt, .context = &eater};
    struct job job;
    job_init(&job);
    latch_init(&eater.asked, 1);
    gate_init(&eater.gate);
    gp_future *future = job_trigger(scheduled, &job, &script, NULL);
    hand_clock_move(&clock, -5 * HOUR);
    latch_await(&eater.asked);
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    gate_open(&eater.gate, 1);
    future_end(future, GP_ECANCELLED);
    check_status(gp_pool_await_termination(gp_scheduled_pool(scheduled), GP_SECONDS(60)), GP_OK);
    scheduled_end(scheduled);
}

/* [WATCH-4]: who schedules while the clock is set leaves the review to a worker. */
static void the_scheduling_thread_takes_nothing_out_of_the_queue(void)
{
    struct hand_clock clock = {.offset = START, .is_steady = true};
    gp_scheduled *scheduled = scheduled_by(&clock);
    int64_t start = hand_clock_now(&clock);
    struct script waiting = {.times = {start + HOUR, start - 4 * HOUR}, .count = 2};
    struct script added = {.times = {start + 2 * HOUR, start - 3 * HOUR}, .count = 2};
    struct job jobs[2];
    job_init(&jobs[0]);
    job_init(&jobs[1]);
    gp_future *first = job_trigger(scheduled, &jobs[0], &waiting, NULL);
    clock.moves_by = -5 * HOUR;
    clock.moves_after = clock.reads + 1;
    gp_future *second = job_trigger(scheduled, &jobs[1], &added, NULL);
    check_int(waiting.asked, 1);
    check_int(added.asked, 1);
    gp__watch_look(scheduled); /* as a worker does at once, unless the clock is steady */
    check_int(waiting.asked, 2);
    check_int(added.asked, 2);
    gp_future_release(first);
    gp_future_release(second);
    scheduled_end(scheduled);
}

/* The alarm. */

/* It rings again at once, and always finds something to do. */
static bool count_ring(struct gp__alarm *alarm, int64_t now)
{
    ++*(int *)alarm->context;
    alarm->at = now;
    return true;
}

/* Not when nothing is queued, and not before its time. */
static void no_alarm_rings_without_need(void)
{
    gp_queue *queue = NULL;
    gp_task *task = NULL;
    int rings = 0;
    struct subject subject = {0};
    struct gp__alarm alarm = {.at = gp_now(), .ring = count_ring, .context = &rings};
    require_ok(gp_delayed_new(&queue));
    gp__delayed_set_alarm(queue, &alarm);
    check_status(gp_queue_poll_timed(queue, 0, &task), GP_ETIMEDOUT);
    check_int(rings, 0);
    alarm.at = gp_now() + HOUR;
    gp__delayed_set_alarm(queue, &alarm);
    require_ok(gp_queue_offer(queue, delayed_task_of(&subject, gp_now(), 0)));
    require_ok(gp_queue_take(queue, &task));
    gp_task_discard(task);
    check_int(rings, 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* [DELAYED-7] */
static void alarms_without_end_delay_no_due_task(void)
{
    gp_queue *queue = NULL;
    gp_task *task = NULL;
    int rings = 0;
    struct subject subjects[3] = {{0}};
    struct gp__alarm alarm = {.at = gp_now(), .ring = count_ring, .context = &rings};
    require_ok(gp_delayed_new(&queue));
    gp__delayed_set_alarm(queue, &alarm);
    for (uint64_t i = 0; i < 2; i++)
        require_ok(gp_queue_offer(queue, delayed_task_of(&subjects[i], gp_now(), i)));
    for (int i = 1; i <= 2; i++) {
        check_status(gp_queue_take(queue, &task), GP_EAGAIN);
        require_ok(gp_queue_take(queue, &task));
        gp_task_discard(task);
        check_int(rings, i);
    }
    require_ok(
        gp_queue_offer(queue, delayed_task_of(&subjects[2], gp_now() + GP_MILLISECONDS(1), 2)));
    int status;
    do
        status = gp_queue_take(queue, &task); /* it rings again and again meanwhile */
    while (status == GP_EAGAIN);
    require_ok(status);
    gp_task_discard(task);
    check(rings >= 3);
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

static void an_alarm_that_is_taken_away_rings_no_more(void)
{
    gp_queue *queue = NULL;
    gp_task *task = NULL;
    int rings = 0;
    struct subject subject = {0};
    struct gp__alarm alarm = {.at = gp_now(), .ring = count_ring, .context = &rings};
    require_ok(gp_delayed_new(&queue));
    gp__delayed_set_alarm(queue, &alarm);
    require_ok(gp_queue_offer(queue, delayed_task_of(&subject, gp_now(), 0)));
    gp__delayed_set_alarm(queue, &(struct gp__alarm){0});
    require_ok(gp_queue_take(queue, &task));
    gp_task_discard(task);
    check_int(rings, 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* A thread that waits for the queue to be quiet is told of each taker that begins to wait, and
   looks. */
enum {
    RINGS = 50,
    FIRST_LOOKS = 10 /* before the first ring, and then some */
};

struct walk {
    gp_queue *queue;
    int rings; /* both under the queue's lock */
    int looks;
    int looks_in_the_end;
    struct latch over;
};

static bool ring_for_nothing(struct gp__alarm *alarm, int64_t now)
{
    struct walk *walk = alarm->context;
    alarm->at = gp_time_after(now, GP_MILLISECONDS(1));
    if (++walk->rings == RINGS) {
        walk->looks_in_the_end = walk->looks;
        latch_count_down(&walk->over);
    }
    return false;
}

static size_t count_look(void *argument)
{
    struct walk *walk = argument;
    walk->looks++;
    return 0;
}

static void await_quiet(void *argument)
{
    struct walk *walk = argument;
    check_status(gp__queue_await_quiet(walk->queue, count_look, walk, GP__NO_DEADLINE), GP_OK);
}

static void take_and_discard(void *argument)
{
    struct walk *walk = argument;
    gp_task *task = NULL;
    require_ok(gp_queue_take(walk->queue, &task));
    gp_task_discard(task);
}

/* [WATCH-5] */
static void an_alarm_with_nothing_to_do_wakes_no_thread(void)
{
    struct walk walk = {0};
    const struct gp__alarm alarm = {.at = gp_now(), .ring = ring_for_nothing, .context = &walk};
    struct subject subjects[3] = {{0}};
    struct helper helpers[3];
    require_ok(gp_delayed_new(&walk.queue));
    latch_init(&walk.over, 1);
    require_ok(gp_queue_offer(walk.queue, delayed_task_of(&subjects[0], gp_now() + HOUR, 0)));
    for (int i = 0; i < 3; i++) {
        helper_start(&helpers[i], i < 2 ? take_and_discard : await_quiet, &walk);
        helper_await_asleep(&helpers[i]);
    }
    gp__delayed_set_alarm(walk.queue, &alarm);
    latch_await(&walk.over);
    gp__delayed_set_alarm(walk.queue, &(struct gp__alarm){0});
    check(walk.looks_in_the_end <= RINGS + FIRST_LOOKS);
    for (uint64_t i = 1; i <= 2; i++)
        require_ok(gp_queue_offer(walk.queue, delayed_task_of(&subjects[i], gp_now(), i)));
    for (int i = 0; i < 2; i++)
        helper_join(&helpers[i]);
    gp_queue_clear(walk.queue);
    helper_join(&helpers[2]);
    check_status(gp_queue_free(walk.queue), GP_OK);
}

static const struct test tests[] = {
    TEST(small_steps_add_up),
    TEST(clocks_that_were_read_apart_are_read_again),
    TEST(looking_without_tasks_does_nothing),
    TEST(a_look_moves_only_what_has_a_trigger),
    TEST(a_cancelled_task_is_left_alone),
    TEST(an_idle_worker_looks_by_itself),
    TEST(a_cancelled_task_needs_no_alarm),
    TEST(a_worker_that_sleeps_longer_is_woken_for_the_alarm),
    TEST(a_shutdown_is_noticed_after_a_trigger_was_asked_in_a_look),
    TEST(the_scheduling_thread_takes_nothing_out_of_the_queue),
    TEST(no_alarm_rings_without_need),
    TEST(alarms_without_end_delay_no_due_task),
    TEST(an_alarm_that_is_taken_away_rings_no_more),
    TEST(an_alarm_with_nothing_to_do_wakes_no_thread),
    END_OF_TESTS,
};

const struct suite trigger_watch_suite = {.name = "trigger_watch", .tests = tests};
