/*
 * Taking from the delayed queue: never early, one leader at a time, and a new one whenever the old
 * one leaves. The same with either kind.
 */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "suite.h"
#include "support.h"

static int (*make)(gp_queue **); /* of the kind at hand; set before each test */

static void prepare_reference(void)
{
    make = gp_delayed_new;
}

static void prepare_laned(void)
{
    make = gp_delayed_lane_new;
}

static gp_queue *new_queue(void)
{
    gp_queue *queue = NULL;
    require_ok(make(&queue));
    return queue;
}

static int64_t after(int64_t nanos)
{
    return gp_time_after(gp_now(), nanos);
}

static gp_task *offer_new(gp_queue *queue, struct subject *subject, int64_t time)
{
    static uint64_t sequence;
    gp_task *task = delayed_task_of(subject, time, sequence++);
    check_status(gp_queue_offer(queue, task), GP_OK);
    check_int(gp_queue_check(queue), 0);
    return task;
}

/*
 * A taker: one call of take in another thread, and what it got. A machine may be so slow that a
 * task falls due before the test has done what it meant to do first; the tests allow for that.
 */
static _Atomic size_t takers_that_ended;

struct taker {
    struct helper helper;
    gp_queue *queue;
    int64_t nanos;
    int status;
    gp_task *task;
    int64_t ended;
    bool flag_after;
};

static void take_and_note(void *argument)
{
    struct taker *taker = argument;
    taker->status = gp_queue_poll_timed(taker->queue, taker->nanos, &taker->task);
    taker->ended = gp_now();
    taker->flag_after = gp_interrupted();
    atomic_fetch_add(&takers_that_ended, 1);
}

struct arrival {
    gp_queue *queue;
    size_t position;
};

static bool has_arrived(void *argument)
{
    const struct arrival *arrival = argument;
    return waiting_takers(arrival->queue) + atomic_load(&takers_that_ended) >= arrival->position;
}

/* Starts it and returns when it waits, as the `position`th of the test, or has ended already. */
static void taker_start(struct taker *taker, gp_queue *queue, int64_t nanos, size_t position)
{
    if (position == 1)
        atomic_store(&takers_that_ended, 0);
    *taker = (struct taker){.queue = queue, .nanos = nanos};
    helper_start(&taker->helper, take_and_note, taker);
    check(eventually(has_arrived, &(struct arrival){queue, position}));
    check_int(gp_queue_check(queue), 0);
}

/* It got a task, and not before it was due. Returns which. */
static gp_task *taker_end(struct taker *taker)
{
    helper_join(&taker->helper);
    check_status(taker->status, GP_OK);
    if (taker->status != GP_OK)
        return NULL;
    gp_task *task = taker->task;
    check(gp_time_until(taker->ended, gp_task_time(task)) >= 0);
    gp_task_discard(task);
    return task;
}

static void queue_end(gp_queue *queue)
{
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* One taker. */

static void a_due_task_is_taken_at_once(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *out = NULL;
    gp_task *task = offer_new(queue, &subject, after(0));
    check_status(gp_queue_take(queue, &out), GP_OK);
    check(out == task);
    gp_task_run(out);
    check_int(subject.runs, 1);
    queue_end(queue);
}

static void take_waits_until_the_head_is_due_never_less(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *out = NULL;
    offer_new(queue, &subject, after(GP_SECONDS(3600)));
    check_status(gp_queue_poll(queue, &out), GP_EEMPTY);
    int64_t time = after(GP_MILLISECONDS(30));
    gp_task *head = offer_new(queue, &subject, time);
    check_status(gp_queue_take(queue, &out), GP_OK);
    check(gp_time_until(gp_now(), time) >= 0);
    check(out == head);
    gp_task_discard(out);
    queue_end(queue);
}

static void a_timed_poll_gives_up_at_its_deadline_not_before(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *out = NULL;
    int64_t start = gp_now();
    check_status(gp_queue_poll_timed(queue, GP_MILLISECONDS(10), &out), GP_ETIMEDOUT);
    check(gp_now() - start >= GP_MILLISECONDS(10));
    offer_new(queue, &subject, after(GP_SECONDS(3600)));
    start = gp_now();
    check_status(gp_queue_poll_timed(queue, GP_MILLISECONDS(10), &out), GP_ETIMEDOUT);
    check(gp_now() - start >= GP_MILLISECONDS(10));
    check(out == NULL);
    queue_end(queue);
}

static void a_timed_poll_without_time_takes_only_what_is_due(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *out = NULL;
    check_status(gp_queue_poll_timed(queue, 0, &out), GP_ETIMEDOUT);
    check_status(gp_queue_poll_timed(queue, -1, &out), GP_ETIMEDOUT);
    offer_new(queue, &subject, after(GP_SECONDS(3600)));
    check_status(gp_queue_poll_timed(queue, INT64_MIN, &out), GP_ETIMEDOUT);
    gp_task *due = offer_new(queue, &subject, after(0));
    check_status(gp_queue_poll_timed(queue, 0, &out), GP_OK);
    check(out == due);
    gp_task_discard(out);
    queue_end(queue);
}

static void a_timed_poll_gets_a_task_that_falls_due_in_time(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker taker;
    offer_new(queue, &subject, after(GP_MILLISECONDS(30)));
    taker_start(&taker, queue, GP_SECONDS(3600), 1);
    taker_end(&taker);
    queue_end(queue);
}

static void a_taker_of_an_empty_queue_is_woken_by_an_offer(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker taker;
    taker_start(&taker, queue, GP_FOREVER, 1);
    gp_task *task = offer_new(queue, &subject, after(GP_MILLISECONDS(5)));
    check(taker_end(&taker) == task);
    queue_end(queue);
}

static void an_earlier_task_overtakes_the_one_the_leader_waits_for(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker taker;
    offer_new(queue, &subject, after(GP_SECONDS(3600)));
    taker_start(&taker, queue, GP_FOREVER, 1);
    gp_task *early = offer_new(queue, &subject, after(GP_MILLISECONDS(5)));
    check(taker_end(&taker) == early);
    queue_end(queue);
}

static void when_the_head_is_removed_the_leader_waits_for_the_next(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker taker;
    gp_task *head = offer_new(queue, &subject, after(GP_MILLISECONDS(40)));
    gp_task *next = offer_new(queue, &subject, after(GP_MILLISECONDS(80)));
    taker_start(&taker, queue, GP_FOREVER, 1);
    bool in_time = gp_queue_remove(queue, head) == GP_OK;
    check(taker_end(&taker) == (in_time ? next : head));
    if (in_time)
        gp_task_discard(head);
    queue_end(queue);
}

static void a_task_of_the_farthest_future_can_be_waited_for(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker taker;
    offer_new(queue, &subject, after(INT64_MAX)); /* wrapped: negative */
    taker_start(&taker, queue, GP_FOREVER, 1);
    helper_await_asleep(&taker.helper);
    helper_interrupt(&taker.helper);
    helper_join(&taker.helper);
    check_status(taker.status, GP_EINTERRUPTED);
    queue_end(queue);
}

static void the_check_notices_a_leader_that_does_not_wait(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker taker;
    offer_new(queue, &subject, after(GP_SECONDS(3600)));
    taker_start(&taker, queue, GP_FOREVER, 1);
    atomic_store(&queue->takers, 0); /* as if the leader had left without a word */
    check_int(gp_queue_check(queue), 5);
    atomic_store(&queue->takers, 1);
    helper_interrupt(&taker.helper);
    helper_join(&taker.helper);
    queue_end(queue);
}

/* Several takers. */

static void each_due_task_goes_to_one_taker(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker takers[3];
    for (size_t i = 0; i < 3; i++)
        taker_start(&takers[i], queue, GP_FOREVER, i + 1);
    for (int i = 0; i < 3; i++)
        offer_new(queue, &subject, after(GP_MILLISECONDS(3 - i))); /* each a new head */
    for (int i = 0; i < 3; i++)
        taker_end(&takers[i]);
    check_int(subject.destroyed, 3);
    queue_end(queue);
}

/* Both wait before there is a task: one who comes when it is due may take it before the leader. */
static void the_leader_that_takes_makes_a_follower_the_next_leader(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker leader;
    struct taker follower;
    taker_start(&leader, queue, GP_FOREVER, 1);
    taker_start(&follower, queue, GP_FOREVER, 2);
    gp_task *first = offer_new(queue, &subject, after(GP_MILLISECONDS(20)));
    gp_task *second = offer_new(queue, &subject, after(GP_MILLISECONDS(40)));
    check(taker_end(&leader) == first);
    check(taker_end(&follower) == second);
    queue_end(queue);
}

static void an_interrupted_leader_hands_over(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker leader;
    struct taker follower;
    gp_task *task = offer_new(queue, &subject, after(GP_MILLISECONDS(60)));
    taker_start(&leader, queue, GP_FOREVER, 1);
    taker_start(&follower, queue, GP_FOREVER, 2);
    helper_interrupt(&leader.helper);
    helper_join(&leader.helper);
    bool in_time = leader.status == GP_EINTERRUPTED;
    if (!in_time) { /* the task was due before */
        check(leader.task == task);
        gp_task_discard(leader.task);
        task = offer_new(queue, &subject, after(0));
    }
    check(!(in_time && leader.flag_after));
    check(taker_end(&follower) == task);
    queue_end(queue);
}

static void an_interrupted_follower_takes_nothing_with_it(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker leader;
    struct taker follower;
    offer_new(queue, &subject, after(GP_SECONDS(3600))); /* nothing for the follower to take */
    taker_start(&leader, queue, GP_FOREVER, 1);
    taker_start(&follower, queue, GP_FOREVER, 2);
    helper_interrupt(&follower.helper);
    helper_join(&follower.helper);
    check_status(follower.status, GP_EINTERRUPTED);
    gp_task *task = offer_new(queue, &subject, after(GP_MILLISECONDS(5)));
    check(taker_end(&leader) == task);
    queue_end(queue);
}

/* The first taker gets the signal for the new head, but has no time to wait for it. */
static void a_taker_that_times_out_hands_over(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker hasty;
    struct taker patient;
    taker_start(&hasty, queue, GP_MILLISECONDS(60), 1);
    taker_start(&patient, queue, GP_FOREVER, 2);
    gp_task *task = offer_new(queue, &subject, after(GP_MILLISECONDS(120)));
    helper_join(&hasty.helper);
    if (hasty.status == GP_OK) { /* it was so late that the task was due before */
        check(hasty.task == task);
        gp_task_discard(hasty.task);
        task = offer_new(queue, &subject, after(0));
    } else {
        check_status(hasty.status, GP_ETIMEDOUT);
    }
    check(taker_end(&patient) == task);
    queue_end(queue);
}

static void a_new_head_makes_a_new_leader_and_the_old_one_follows(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker takers[2];
    gp_task *late = offer_new(queue, &subject, after(GP_MILLISECONDS(50)));
    taker_start(&takers[0], queue, GP_FOREVER, 1);
    taker_start(&takers[1], queue, GP_FOREVER, 2);
    gp_task *early = offer_new(queue, &subject, after(GP_MILLISECONDS(25)));
    gp_task *first = taker_end(&takers[0]);
    gp_task *second = taker_end(&takers[1]);
    check((first == early && second == late) || (first == late && second == early));
    queue_end(queue);
}

/* Somebody has joined the line of takers behind the one who was last. */
struct line {
    gp_queue *queue;
    struct gp__waiter *last;
};

static bool has_grown(void *argument)
{
    const struct line *line = argument;
    pthread_mutex_lock(&line->queue->lock);
    bool grown = line->queue->available.last != line->last;
    pthread_mutex_unlock(&line->queue->lock);
    return grown;
}

/* The first taker becomes the leader and so the last in line: the next signal is not for it. */
static void a_new_head_deposes_the_leader_whoever_is_signalled(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    struct taker takers[2];
    taker_start(&takers[0], queue, GP_FOREVER, 1);
    taker_start(&takers[1], queue, GP_FOREVER, 2);
    struct line line = {.queue = queue, .last = queue->available.last};
    offer_new(queue, &subject, after(GP_SECONDS(3600)));
    check(eventually(has_grown, &line));
    gp_task *early = offer_new(queue, &subject, after(GP_MILLISECONDS(5)));
    check(taker_end(&takers[1]) == early);
    helper_interrupt(&takers[0].helper);
    helper_join(&takers[0].helper);
    check_status(takers[0].status, GP_EINTERRUPTED);
    queue_end(queue);
}

static void an_interrupt_before_take_wins_over_a_due_task(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *out = NULL;
    offer_new(queue, &subject, after(0));
    gp_thread_interrupt(gp_thread_self());
    check_status(gp_queue_take(queue, &out), GP_EINTERRUPTED);
    check(!gp_interrupted());
    check_int(gp_queue_size(queue), 1);
    queue_end(queue);
}

/* A crowd: several takers, tasks that fall due all the time, offered in no order. */
struct crowd {
    gp_queue *queue;
    _Atomic int left;
    _Atomic int early;
};

static void take_many(void *argument)
{
    struct crowd *crowd = argument;
    gp_task *task;
    while (gp_queue_take(crowd->queue, &task) == GP_OK) {
        if (gp_time_until(gp_now(), gp_task_time(task)) < 0)
            atomic_fetch_add(&crowd->early, 1);
        gp_task_run(task);
        atomic_fetch_sub(&crowd->left, 1);
    }
}

static bool all_taken(void *argument)
{
    return atomic_load((_Atomic int *)argument) == 0;
}

static void a_crowd_of_takers_gets_each_task_once_and_none_early(void)
{
    enum {
        TAKERS = 4,
        TASKS = 500
    };
    struct subject subject = {0};
    struct helper takers[TAKERS];
    struct crowd crowd = {.queue = new_queue()};
    uint64_t random = 31;
    int tasks = (int)scaled(TASKS);
    atomic_store(&crowd.left, tasks);
    for (int i = 0; i < TAKERS; i++)
        helper_start(&takers[i], take_many, &crowd);
    for (int i = 0; i < tasks; i++)
        offer_new(crowd.queue, &subject, after((int64_t)random_below(&random, 10000000)));
    check(eventually(all_taken, &crowd.left));
    for (int i = 0; i < TAKERS; i++)
        helper_interrupt(&takers[i]);
    for (int i = 0; i < TAKERS; i++)
        helper_join(&takers[i]);
    check_int(subject.runs, tasks);
    check_int(subject.destroyed, tasks);
    check_int(crowd.early, 0);
    queue_end(crowd.queue);
}

static const struct test tests[] = {
    TEST(a_due_task_is_taken_at_once),
    TEST(take_waits_until_the_head_is_due_never_less),
    TEST(a_timed_poll_gives_up_at_its_deadline_not_before),
    TEST(a_timed_poll_without_time_takes_only_what_is_due),
    TEST(a_timed_poll_gets_a_task_that_falls_due_in_time),
    TEST(a_taker_of_an_empty_queue_is_woken_by_an_offer),
    TEST(an_earlier_task_overtakes_the_one_the_leader_waits_for),
    TEST(when_the_head_is_removed_the_leader_waits_for_the_next),
    TEST(a_task_of_the_farthest_future_can_be_waited_for),
    TEST(the_check_notices_a_leader_that_does_not_wait),
    TEST(each_due_task_goes_to_one_taker),
    TEST(the_leader_that_takes_makes_a_follower_the_next_leader),
    TEST(an_interrupted_leader_hands_over),
    TEST(an_interrupted_follower_takes_nothing_with_it),
    TEST(a_taker_that_times_out_hands_over),
    TEST(a_new_head_makes_a_new_leader_and_the_old_one_follows),
    TEST(a_new_head_deposes_the_leader_whoever_is_signalled),
    TEST(an_interrupt_before_take_wins_over_a_due_task),
    TEST(a_crowd_of_takers_gets_each_task_once_and_none_early),
    END_OF_TESTS,
};

const struct suite delayed_take_suite = {
    .name = "delayed_take", .tests = tests, .prepare = prepare_reference};
const struct suite delayed_take_laned_suite = {
    .name = "delayed_take_laned", .tests = tests, .prepare = prepare_laned};
