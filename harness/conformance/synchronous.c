/* The synchronous queue: holds nothing, hands over, and forgets those who give up. */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "fault.h"
#include "suite.h"
#include "support.h"

static gp_queue *new_queue(void)
{
    gp_queue *queue = NULL;
    require_ok(gp_synchronous_new(&queue));
    return queue;
}

static void queue_end(gp_queue *queue)
{
    check_int(gp_queue_check(queue), 0);
    check_int(gp_queue_size(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}

/* One put or take in another thread. */
struct partner {
    struct helper helper;
    gp_queue *queue;
    gp_task *task;
    int64_t nanos;
    int status;
    bool flag_after;
};

static void take_and_note(void *argument)
{
    struct partner *taker = argument;
    taker->status = gp_queue_poll_timed(taker->queue, taker->nanos, &taker->task);
    taker->flag_after = gp_interrupted();
}

static void put_and_note(void *argument)
{
    struct partner *putter = argument;
    putter->status = gp_queue_offer_timed(putter->queue, putter->task, putter->nanos);
    putter->flag_after = gp_interrupted();
}

static void taker_start(struct partner *taker, gp_queue *queue, size_t position)
{
    *taker = (struct partner){.queue = queue, .nanos = GP_FOREVER};
    helper_start(&taker->helper, take_and_note, taker);
    check(await_takers(queue, position));
    check_int(gp_queue_check(queue), 0);
}

static void putter_start(struct partner *putter, gp_queue *queue, gp_task *task, size_t position)
{
    *putter = (struct partner){.queue = queue, .task = task, .nanos = GP_FOREVER};
    helper_start(&putter->helper, put_and_note, putter);
    check(await_putters(queue, position));
    check_int(gp_queue_check(queue), 0);
}

static void taker_end(struct partner *taker, const struct subject *expected)
{
    helper_join(&taker->helper);
    check_status(taker->status, GP_OK);
    if (taker->status != GP_OK)
        return;
    check(gp_task_argument(taker->task) == expected);
    gp_task_discard(taker->task);
}

static void alone_nobody_gives_and_nobody_takes(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *task = task_of(&subject);
    gp_task *out = NULL;
    gp_task_list list;
    check_status(gp_queue_offer(queue, task), GP_EFULL);
    check_status(gp_queue_offer_timed(queue, task, 0), GP_ETIMEDOUT);
    check_status(gp_queue_poll(queue, &out), GP_EEMPTY);
    check_status(gp_queue_poll_timed(queue, 0, &out), GP_ETIMEDOUT);
    check_status(gp_queue_peek(queue, &out), GP_EEMPTY);
    check_status(gp_queue_remove(queue, task), GP_ENOTFOUND);
    gp_queue_drain(queue, &list);
    check_int(list.count, 0);
    check_int(gp_queue_snapshot(queue, &out, 1), 0);
    check_int(gp_queue_remaining(queue), 0);
    check_int(subject.destroyed, 0);
    gp_task_discard(task);
    queue_end(queue);
}

static void timed_calls_give_up_but_never_early(void)
{
    struct subject subject = {0};
    gp_queue *queue = new_queue();
    gp_task *task = task_of(&subject);
    gp_task *out = NULL;
    int64_t start = gp_now();
    check_status(gp_queue_offer_timed(queue, task, GP_MILLISECONDS(5)), GP_ETIMEDOUT);
    check(gp_now() - start >= GP_MILLISECONDS(5));
    start = gp_now();
    check_status(gp_queue_poll_timed(queue, GP_MILLISECONDS(5), &out), GP_ETIMEDOUT);
    check(gp_now() - start >= GP_MILLISECONDS(5));
    check_int(gp_queue_check(queue), 0);
    gp_task_discard(task);
    queue_end(queue);
}

static void an_offer_succeeds_when_somebody_waits_to_take(void)
{
    struct subject subject = {0};
    struct partner taker;
    gp_queue *queue = new_queue();
    taker_start(&taker, queue, 1);
    check_status(gp_queue_offer(queue, task_of(&subject)), GP_OK);
    check_int(waiting_takers(queue), 0); /* it has been handed a task: it does not wait any more */
    taker_end(&taker, &subject);
    queue_end(queue);
}

static void a_put_hands_over_at_once_when_somebody_waits(void)
{
    struct subject subject = {0};
    struct partner taker;
    gp_queue *queue = new_queue();
    taker_start(&taker, queue, 1);
    check_status(gp_queue_put(queue, task_of(&subject)), GP_OK);
    taker_end(&taker, &subject);
    queue_end(queue);
}

static void a_put_waits_for_a_taker(void)
{
    struct subject subject = {0};
    struct partner putter;
    gp_queue *queue = new_queue();
    gp_task *out = NULL;
    putter_start(&putter, queue, task_of(&subject), 1);
    check_status(gp_queue_take(queue, &out), GP_OK);
    helper_join(&putter.helper);
    check_status(putter.status, GP_OK);
    check(out == putter.task);
    gp_task_run(out);
    check_int(subject.runs, 1);
    queue_end(queue);
}

enum {
    CROWD = 3
};

static void the_taker_that_came_last_is_served_first(void)
{
    struct subject subjects[CROWD] = {0};
    struct partner takers[CROWD];
    gp_queue *queue = new_queue();
    for (size_t i = 0; i < CROWD; i++)
        taker_start(&takers[i], queue, i + 1);
    for (int i = CROWD - 1; i >= 0; i--) {
        check_status(gp_queue_offer(queue, task_of(&subjects[i])), GP_OK);
        taker_end(&takers[i], &subjects[i]);
    }
    queue_end(queue);
}

static void the_putter_that_came_first_is_served_first(void)
{
    struct subject subjects[CROWD] = {0};
    struct partner putters[CROWD];
    gp_queue *queue = new_queue();
    for (size_t i = 0; i < CROWD; i++)
        putter_start(&putters[i], queue, task_of(&subjects[i]), i + 1);
    for (int i = 0; i < CROWD; i++) {
        gp_task *task = NULL;
        check_status(gp_queue_poll(queue, &task), GP_OK);
        check(gp_task_argument(task) == &subjects[i]);
        gp_task_discard(task);
        helper_join(&putters[i].helper);
        check_status(putters[i].status, GP_OK);
    }
    queue_end(queue);
}

static void takers_that_give_up_are_forgotten(void)
{
    for (int victim = 0; victim < CROWD; victim++) {
        struct subject subject = {0};
        struct partner takers[CROWD];
        gp_queue *queue = new_queue();
        for (size_t i = 0; i < CROWD; i++)
            taker_start(&takers[i], queue, i + 1);
        helper_interrupt(&takers[victim].helper);
        helper_join(&takers[victim].helper);
        check_status(takers[victim].status, GP_EINTERRUPTED);
        check(!takers[victim].flag_after);
        check_int(waiting_takers(queue), CROWD - 1);
        for (int i = CROWD - 1; i >= 0; i--) {
            if (i == victim)
                continue;
            check_status(gp_queue_offer(queue, task_of(&subject)), GP_OK);
            taker_end(&takers[i], &subject);
        }
        queue_end(queue);
    }
}

static void putters_that_give_up_are_forgotten_and_keep_their_task(void)
{
    for (int victim = 0; victim < CROWD; victim++) {
        struct subject subject = {0};
        struct partner putters[CROWD];
        gp_queue *queue = new_queue();
        for (size_t i = 0; i < CROWD; i++)
            putter_start(&putters[i], queue, task_of(&subject), i + 1);
        helper_interrupt(&putters[victim].helper);
        helper_join(&putters[victim].helper);
        check_status(putters[victim].status, GP_EINTERRUPTED);
        check_int(subject.destroyed, 0);
        gp_task_discard(putters[victim].task);
        gp_queue_clear(queue);
        for (int i = 0; i < CROWD; i++)
            if (i != victim)
                helper_join(&putters[i].helper);
        check_int(subject.destroyed, CROWD);
        queue_end(queue);
    }
}

static void drain_takes_from_those_who_wait_to_put(void)
{
    struct subject subjects[CROWD] = {0};
    struct partner putters[CROWD];
    gp_queue *queue = new_queue();
    gp_task_list list;
    for (size_t i = 0; i < CROWD; i++)
        putter_start(&putters[i], queue, task_of(&subjects[i]), i + 1);
    gp_queue_drain(queue, &list);
    check_int(list.count, CROWD);
    for (int i = 0; i < CROWD; i++) {
        helper_join(&putters[i].helper);
        check_status(putters[i].status, GP_OK);
        gp_task *task = gp_task_list_pop(&list);
        check(gp_task_argument(task) == &subjects[i]);
        gp_task_discard(task);
    }
    queue_end(queue);
}

static bool is_any(gp_task *task, void *context)
{
    (void)task;
    (void)context;
    return true;
}

static void what_a_putter_offers_is_still_its_own(void)
{
    struct subject subject = {0};
    struct partner putter;
    gp_queue *queue = new_queue();
    gp_task *task = task_of(&subject);
    gp_task *out = NULL;
    gp_task_list list = {0};
    putter_start(&putter, queue, task, 1);
    check_status(gp_queue_remove(queue, task), GP_ENOTFOUND);
    check_status(gp_queue_peek(queue, &out), GP_EEMPTY);
    check_int(gp_queue_size(queue), 0);
    gp__queue_remove_if(queue, is_any, NULL, &list);
    check_int(list.count, 0);
    check_status(gp_queue_poll(queue, &out), GP_OK);
    helper_join(&putter.helper);
    gp_task_discard(out);
    queue_end(queue);
}

static void a_queue_is_not_freed_while_somebody_waits(void)
{
    struct subject subject = {0};
    struct partner taker;
    struct partner putter;
    gp_queue *queue = new_queue();
    taker_start(&taker, queue, 1);
    check_status(gp_queue_free(queue), GP_EBUSY);
    check_status(gp_queue_offer(queue, task_of(&subject)), GP_OK);
    taker_end(&taker, &subject);
    putter_start(&putter, queue, task_of(&subject), 1);
    check_status(gp_queue_free(queue), GP_EBUSY);
    gp_queue_clear(queue);
    helper_join(&putter.helper);
    queue_end(queue);
}

/* A hand-over that meets an interrupt: the task is taken, the flag stays up; or neither. */
static void an_interrupt_that_races_a_hand_over_is_reported_or_kept(void)
{
    for (unsigned round = 0; round < scaled(100); round++) {
        struct subject subject = {0};
        struct partner taker;
        gp_queue *queue = new_queue();
        gp_task *task = task_of(&subject);
        taker_start(&taker, queue, 1);
        helper_interrupt(&taker.helper);
        int status = gp_queue_offer(queue, task);
        helper_join(&taker.helper);
        check_status(taker.status, status == GP_OK ? GP_OK : GP_EINTERRUPTED);
        check_int(taker.flag_after, status == GP_OK);
        gp_task_discard(task); /* the taker's or still ours: it is the same task */
        queue_end(queue);
    }
}

struct market {
    gp_queue *queue;
    struct subject subject;
    unsigned each;
};

/* Each failure doubles their patience: on however slow a machine they meet in the end. */

static void produce(void *argument)
{
    struct market *market = argument;
    for (unsigned i = 0; i < market->each; i++) {
        gp_task *task = task_of(&market->subject);
        int64_t nanos = GP_MICROSECONDS(50);
        while (gp_queue_offer_timed(market->queue, task, nanos) != GP_OK)
            nanos *= 2;
    }
}

static void consume(void *argument)
{
    struct market *market = argument;
    for (unsigned i = 0; i < market->each; i++) {
        gp_task *task;
        int64_t nanos = GP_MICROSECONDS(30);
        while (gp_queue_poll_timed(market->queue, nanos, &task) != GP_OK)
            nanos *= 2;
        gp_task_run(task);
    }
}

static void impatient_partners_lose_no_task(void)
{
    struct market market = {.queue = new_queue(), .each = scaled(500)};
    struct helper helpers[4];
    for (int i = 0; i < 4; i++)
        helper_start(&helpers[i], i % 2 == 0 ? produce : consume, &market);
    for (int i = 0; i < 4; i++)
        helper_join(&helpers[i]);
    check_int(market.subject.runs, 2 * market.each);
    check_int(market.subject.destroyed, 2 * market.each);
    queue_end(market.queue);
}

static void without_memory_or_locks_no_queue_is_made(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    check_status(gp_synchronous_new(NULL), GP_EINVAL);
    while (fault_walk_next(&walk)) {
        gp_queue *queue = NULL;
        int status = gp_synchronous_new(&queue);
        check_status(status, fault_walk_hit(&walk) ? GP_ENOMEM : GP_OK);
        check_status(gp_queue_free(queue), GP_OK);
    }
}

static const struct test tests[] = {
    TEST(alone_nobody_gives_and_nobody_takes),
    TEST(timed_calls_give_up_but_never_early),
    TEST(an_offer_succeeds_when_somebody_waits_to_take),
    TEST(a_put_hands_over_at_once_when_somebody_waits),
    TEST(a_put_waits_for_a_taker),
    TEST(the_taker_that_came_last_is_served_first),
    TEST(the_putter_that_came_first_is_served_first),
    TEST(takers_that_give_up_are_forgotten),
    TEST(putters_that_give_up_are_forgotten_and_keep_their_task),
    TEST(drain_takes_from_those_who_wait_to_put),
    TEST(what_a_putter_offers_is_still_its_own),
    TEST(a_queue_is_not_freed_while_somebody_waits),
    TEST(an_interrupt_that_races_a_hand_over_is_reported_or_kept),
    TEST(impatient_partners_lose_no_task),
    TEST(without_memory_or_locks_no_queue_is_made),
    END_OF_TESTS,
};

const struct suite synchronous_suite = {.name = "synchronous", .tests = tests};
