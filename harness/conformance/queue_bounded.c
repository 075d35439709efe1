/*
 * What the bounded queues share: refusing when full, waiting for room, and being woken by whatever
 * makes some.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "queue_kinds.h"
#include "suite.h"
#include "support.h"

static void fill(gp_queue *queue, const struct queue_kind *kind, struct subject *subject,
                 gp_task **tasks)
{
    for (int i = 0; i < BOUND; i++)
        tasks[i] = offer_task(queue, kind, subject);
}

/* A putter: one put in another thread, and what came of it. */
struct putter {
    struct helper helper;
    gp_queue *queue;
    gp_task *task;
    int64_t nanos;
    int status;
    bool flag_after;
};

static void put_and_note(void *argument)
{
    struct putter *putter = argument;
    putter->status = putter->nanos == GP_FOREVER
                         ? gp_queue_put(putter->queue, putter->task)
                         : gp_queue_offer_timed(putter->queue, putter->task, putter->nanos);
    putter->flag_after = gp_interrupted();
}

/* Starts it and returns when it waits, as the `position`th. */
static void putter_start(struct putter *putter, gp_queue *queue, gp_task *task, size_t position)
{
    *putter = (struct putter){.queue = queue, .task = task, .nanos = GP_FOREVER};
    helper_start(&putter->helper, put_and_note, putter);
    check(await_putters(queue, position));
}

static void putter_end(struct putter *putter)
{
    helper_join(&putter->helper);
    check_status(putter->status, GP_OK);
    check_int(gp_queue_check(putter->queue), 0);
}

static void a_full_queue_refuses_and_leaves_the_task_with_the_caller(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        struct subject subject = {0};
        gp_queue *queue = queue_of(kind);
        gp_task *tasks[BOUND];
        gp_task *extra = kind->task(&subject);
        fill(queue, kind, &subject, tasks);
        check_status(gp_queue_offer(queue, extra), GP_EFULL);
        check_status(gp_queue_offer_timed(queue, extra, 0), GP_ETIMEDOUT);
        check_status(gp_queue_offer_timed(queue, extra, INT64_MIN), GP_ETIMEDOUT);
        check_int(gp_queue_size(queue), BOUND);
        check_int(gp_queue_remaining(queue), 0);
        check_int(subject.destroyed, 0);
        gp_task_discard(extra);
        queue_end(queue);
    }
}

static void a_timed_offer_gives_up_but_never_early(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        struct subject subject = {0};
        gp_queue *queue = queue_of(kind);
        gp_task *tasks[BOUND];
        gp_task *extra = kind->task(&subject);
        fill(queue, kind, &subject, tasks);
        int64_t start = gp_now();
        check_status(gp_queue_offer_timed(queue, extra, GP_MILLISECONDS(5)), GP_ETIMEDOUT);
        check(gp_now() - start >= GP_MILLISECONDS(5));
        gp_task_discard(extra);
        queue_end(queue);
    }
}

/* Five ways to make room in a full queue; each returns how many tasks it took out. */
static int room_by_poll(gp_queue *queue, gp_task **tasks)
{
    gp_task *task = NULL;
    check_status(gp_queue_poll(queue, &task), GP_OK);
    check(task == tasks[0]);
    gp_task_discard(task);
    return 1;
}

static int room_by_take(gp_queue *queue, gp_task **tasks)
{
    gp_task *task = NULL;
    check_status(gp_queue_take(queue, &task), GP_OK);
    check(task == tasks[0]);
    gp_task_discard(task);
    return 1;
}

static int room_by_remove(gp_queue *queue, gp_task **tasks)
{
    check_status(gp_queue_remove(queue, tasks[2]), GP_OK);
    gp_task_discard(tasks[2]);
    return 1;
}

static int room_by_clear(gp_queue *queue, gp_task **tasks)
{
    (void)tasks;
    gp_queue_clear(queue);
    return BOUND;
}

static bool is_the_second(gp_task *task, void *context)
{
    return task == ((gp_task **)context)[1];
}

static int room_by_match(gp_queue *queue, gp_task **tasks)
{
    gp_task_list list = {0};
    gp__queue_remove_if(queue, is_the_second, tasks, &list);
    check_int(list.count, 1);
    gp_task_list_discard(&list);
    return 1;
}

static int (*const ways_to_make_room[])(gp_queue *, gp_task **) = {
    room_by_poll, room_by_take, room_by_remove, room_by_clear, room_by_match};

enum {
    WAYS = sizeof ways_to_make_room / sizeof ways_to_make_room[0]
};

static void put_waits_until_there_is_room_however_it_is_made(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        for (int way = 0; way < WAYS; way++) {
            struct subject subject = {0};
            struct putter putter;
            gp_queue *queue = queue_of(kind);
            gp_task *tasks[BOUND];
            fill(queue, kind, &subject, tasks);
            putter_start(&putter, queue, kind->task(&subject), 1);
            int taken = ways_to_make_room[way](queue, tasks);
            putter_end(&putter);
            check_int(gp_queue_size(queue), BOUND - taken + 1);
            queue_end(queue);
            check_int(subject.destroyed, BOUND + 1);
        }
    }
}

static void a_timed_offer_gets_room_that_comes_in_time(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        struct subject subject = {0};
        gp_queue *queue = queue_of(kind);
        gp_task *tasks[BOUND];
        fill(queue, kind, &subject, tasks);
        struct putter putter = {
            .queue = queue, .task = kind->task(&subject), .nanos = GP_SECONDS(3600)};
        helper_start(&putter.helper, put_and_note, &putter);
        check(await_putters(queue, 1));
        room_by_poll(queue, tasks);
        putter_end(&putter);
        queue_end(queue);
    }
}

enum {
    CROWD = 3
};

static void putters_are_served_in_order_of_arrival(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        struct subject subject = {0};
        struct subject waiting[CROWD] = {0};
        struct putter putters[CROWD];
        gp_queue *queue = queue_of(kind);
        gp_task *tasks[BOUND];
        fill(queue, kind, &subject, tasks);
        for (size_t i = 0; i < CROWD; i++)
            putter_start(&putters[i], queue, kind->task(&waiting[i]), i + 1);
        for (int i = 0; i < CROWD; i++) {
            room_by_poll(queue, &tasks[i]);
            putter_end(&putters[i]);
        }
        room_by_poll(queue, &tasks[CROWD]);
        for (int i = 0; i < CROWD; i++) {
            gp_task *task = NULL;
            check_status(gp_queue_poll(queue, &task), GP_OK);
            check(gp_task_argument(task) == &waiting[i]);
            gp_task_discard(task);
        }
        queue_end(queue);
    }
}

static void much_room_at_once_lets_all_putters_go_on(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        for (int way = 0; way < 2; way++) {
            struct subject subject = {0};
            struct putter putters[CROWD];
            gp_queue *queue = queue_of(kind);
            gp_task *tasks[BOUND];
            fill(queue, kind, &subject, tasks);
            for (size_t i = 0; i < CROWD; i++)
                putter_start(&putters[i], queue, kind->task(&subject), i + 1);
            if (way == 0)
                gp_queue_clear(queue);
            for (int i = 0; way == 1 && i < CROWD; i++) {
                gp_task *task = NULL;
                check_status(gp_queue_poll(queue, &task), GP_OK);
                gp_task_discard(task);
            }
            for (int i = 0; i < CROWD; i++)
                putter_end(&putters[i]);
            queue_end(queue);
            check_int(subject.destroyed, BOUND + CROWD);
        }
    }
}

static void an_interrupted_put_keeps_its_task(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        struct subject subject = {0};
        struct putter quitter;
        struct putter stayer;
        gp_queue *queue = queue_of(kind);
        gp_task *tasks[BOUND];
        fill(queue, kind, &subject, tasks);
        putter_start(&quitter, queue, kind->task(&subject), 1);
        putter_start(&stayer, queue, kind->task(&subject), 2);
        helper_interrupt(&quitter.helper);
        helper_join(&quitter.helper);
        check_status(quitter.status, GP_EINTERRUPTED);
        check(!quitter.flag_after);
        check_int(subject.destroyed, 0);
        gp_task_discard(quitter.task);
        room_by_poll(queue, tasks);
        putter_end(&stayer);
        queue_end(queue);
    }
}

static void a_queue_is_not_freed_while_a_putter_waits(void)
{
    for (const struct queue_kind *kind = first_bounded(); kind != NULL; kind = next_bounded(kind)) {
        struct subject subject = {0};
        struct putter putter;
        gp_queue *queue = queue_of(kind);
        gp_task *tasks[BOUND];
        fill(queue, kind, &subject, tasks);
        putter_start(&putter, queue, kind->task(&subject), 1);
        check_status(gp_queue_free(queue), GP_EBUSY);
        check_int(gp_queue_size(queue), BOUND);
        room_by_poll(queue, tasks);
        putter_end(&putter);
        queue_end(queue);
    }
}

static const struct test tests[] = {
    TEST(a_full_queue_refuses_and_leaves_the_task_with_the_caller),
    TEST(a_timed_offer_gives_up_but_never_early),
    TEST(put_waits_until_there_is_room_however_it_is_made),
    TEST(a_timed_offer_gets_room_that_comes_in_time),
    TEST(putters_are_served_in_order_of_arrival),
    TEST(much_room_at_once_lets_all_putters_go_on),
    TEST(an_interrupted_put_keeps_its_task),
    TEST(a_queue_is_not_freed_while_a_putter_waits),
    END_OF_TESTS,
};

const struct suite queue_bounded_suite = {.name = "queue_bounded", .tests = tests};
