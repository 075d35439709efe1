/*
 * What all queues share when somebody waits for a task: first come, first served, interrupts,
 * deadlines, crowds, and knowing when all is quiet.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/queue.h"

#include "fault.h"
#include "queue_kinds.h"
#include "suite.h"
#include "support.h"

/* A taker: one timed poll in another thread, and what it got. */
struct taker {
    struct helper helper;
    gp_queue *queue;
    int64_t nanos;
    int status;
    gp_task *task;
    bool flag_after;
};

static void take_and_note(void *argument)
{
    struct taker *taker = argument;
    taker->status = taker->nanos == GP_FOREVER
                        ? gp_queue_take(taker->queue, &taker->task)
                        : gp_queue_poll_timed(taker->queue, taker->nanos, &taker->task);
    taker->flag_after = gp_interrupted();
}

static void take_as_worker(void *argument)
{
    struct taker *taker = argument;
    gp_thread_self(); /* a worker has a record */
    taker->status = gp__queue_next_task(taker->queue, taker->nanos, &taker->task);
}

/* Starts it and returns when it waits, as the `position`th. */
static void start_as(struct taker *taker, void (*take)(void *), gp_queue *queue, int64_t nanos,
                     size_t position)
{
    *taker = (struct taker){.queue = queue, .nanos = nanos};
    helper_start(&taker->helper, take, taker);
    check(await_takers(queue, position));
    check_int(gp_queue_check(queue), 0);
}

static void taker_start(struct taker *taker, gp_queue *queue, int64_t nanos, size_t position)
{
    start_as(taker, take_and_note, queue, nanos, position);
}

static void taker_end(struct taker *taker, const struct subject *expected)
{
    helper_join(&taker->helper);
    check_status(taker->status, GP_OK);
    if (taker->status != GP_OK)
        return;
    check(gp_task_argument(taker->task) == expected);
    gp_task_discard(taker->task);
}

enum {
    CROWD = 3
};

static void takers_are_served_in_order_of_arrival(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subjects[CROWD] = {0};
        struct taker takers[CROWD];
        gp_queue *queue = queue_of(kind);
        for (size_t i = 0; i < CROWD; i++)
            taker_start(&takers[i], queue, i == 1 ? GP_SECONDS(3600) : GP_FOREVER, i + 1);
        for (int i = 0; i < CROWD; i++) {
            offer_task(queue, kind, &subjects[i]);
            taker_end(&takers[i], &subjects[i]);
        }
        queue_end(queue);
    }
}

static void many_tasks_at_once_wake_many_takers(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        struct taker takers[CROWD];
        gp_queue *queue = queue_of(kind);
        for (size_t i = 0; i < CROWD; i++)
            taker_start(&takers[i], queue, GP_FOREVER, i + 1);
        for (int i = 0; i < CROWD; i++)
            offer_task(queue, kind, &subject);
        for (int i = 0; i < CROWD; i++)
            taker_end(&takers[i], &subject);
        check_int(gp_queue_size(queue), 0);
        queue_end(queue);
    }
}

static void a_timed_poll_gives_up_but_never_early(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        gp_queue *queue = queue_of(kind);
        gp_task *task = NULL;
        int64_t start = gp_now();
        check_status(gp_queue_poll_timed(queue, GP_MILLISECONDS(5), &task), GP_ETIMEDOUT);
        check(gp_now() - start >= GP_MILLISECONDS(5));
        check(task == NULL);
        check_int(waiting_takers(queue), 0);
        queue_end(queue);
    }
}

static void one_who_gives_up_takes_nothing_with_it(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        struct taker quitter;
        struct taker stayer;
        gp_queue *queue = queue_of(kind);
        taker_start(&quitter, queue, GP_FOREVER, 1);
        taker_start(&stayer, queue, GP_FOREVER, 2);
        helper_interrupt(&quitter.helper);
        helper_join(&quitter.helper);
        check_status(quitter.status, GP_EINTERRUPTED);
        check(!quitter.flag_after);
        offer_task(queue, kind, &subject);
        taker_end(&stayer, &subject);
        queue_end(queue);
    }
}

static void an_interrupt_before_a_waiting_call_wins_over_a_task(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        gp_queue *queue = queue_of(kind);
        gp_task *task = kind->task(&subject);
        gp_task *out = NULL;
        gp_thread *self = gp_thread_self();
        gp_thread_interrupt(self);
        check_status(gp_queue_put(queue, task), GP_EINTERRUPTED);
        gp_thread_interrupt(self);
        check_status(gp_queue_offer_timed(queue, task, 0), GP_EINTERRUPTED);
        check_int(gp_queue_size(queue), 0);
        gp_thread_interrupt(self);
        check_status(gp_queue_offer(queue, task), GP_OK); /* does not wait, does not look */
        check_status(gp_queue_take(queue, &out), GP_EINTERRUPTED);
        gp_thread_interrupt(self);
        check_status(gp_queue_poll_timed(queue, 0, &out), GP_EINTERRUPTED);
        check(!gp_interrupted());
        check_int(gp_queue_size(queue), 1);
        queue_end(queue);
    }
}

/*
 * An interrupt and a task at the same time: the taker reports the one and leaves the task in the
 * queue, or takes the task and keeps its flag. Neither may get lost. The queue's lock is held while
 * both come, so that the taker finds both.
 */
static void offer_one(void *argument)
{
    struct taker *taker = argument;
    taker->status = gp_queue_offer(taker->queue, taker->task);
}

static void check_interrupt_against_offer(gp_queue *queue, const struct queue_kind *kind)
{
    struct subject subject = {0};
    struct taker taker;
    struct taker offerer = {.queue = queue, .task = kind->task(&subject)};
    taker_start(&taker, queue, GP_FOREVER, 1);
    helper_await_asleep(&taker.helper);
    pthread_mutex_lock(&queue->lock);
    helper_interrupt(&taker.helper);
    helper_await_asleep(&taker.helper);
    helper_start(&offerer.helper, offer_one, &offerer);
    helper_await_asleep(&offerer.helper);
    pthread_mutex_unlock(&queue->lock);
    helper_join(&taker.helper);
    helper_join(&offerer.helper);
    check_status(offerer.status, GP_OK);
    if (taker.status == GP_OK) {
        check(taker.flag_after);
        gp_task_discard(taker.task);
    } else {
        check_status(taker.status, GP_EINTERRUPTED);
        check(!taker.flag_after);
        check_int(gp_queue_size(queue), 1);
        gp_queue_clear(queue);
    }
    check_int(subject.destroyed, 1);
}

static void an_interrupt_that_races_a_task_is_reported_or_kept(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        gp_queue *queue = queue_of(kind);
        for (unsigned round = 0; round < scaled(40); round++)
            check_interrupt_against_offer(queue, kind);
        queue_end(queue);
    }
}

static void a_queue_is_not_freed_while_somebody_waits(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        struct taker taker;
        gp_queue *queue = queue_of(kind);
        taker_start(&taker, queue, GP_FOREVER, 1);
        check_status(gp_queue_free(queue), GP_EBUSY);
        offer_task(queue, kind, &subject);
        taker_end(&taker, &subject);
        queue_end(queue);
    }
}

/* Without a record a thread cannot wait, but what does not wait needs none. */
struct recordless {
    gp_queue *queue;
    gp_task *task;
    int take_status;
    int put_status;
    int poll_status;
};

static void use_without_memory(void *argument)
{
    struct recordless *thread = argument;
    gp_task *out;
    fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
    thread->take_status = gp_queue_take(thread->queue, &out);
    thread->put_status = gp_queue_put(thread->queue, thread->task);
    thread->poll_status = gp_queue_poll(thread->queue, &out);
    fault_disarm();
}

static void a_thread_that_cannot_get_a_record_cannot_wait(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        struct recordless thread = {.queue = queue_of(kind), .task = kind->task(&subject)};
        struct helper helper;
        helper_start_bare(&helper, use_without_memory, &thread);
        helper_join(&helper);
        check_status(thread.take_status, GP_ENOMEM);
        check_status(thread.put_status, GP_ENOMEM);
        check_status(thread.poll_status, GP_EEMPTY);
        gp_task_discard(thread.task);
        queue_end(thread.queue);
    }
}

/* Producers and consumers: nothing is lost, nothing comes twice. */

struct market {
    gp_queue *queue;
    const struct queue_kind *kind;
    struct subject subject;
    unsigned each; /* tasks per producer */
    _Atomic unsigned left;
    _Atomic int wrong;
};

static void produce(void *argument)
{
    struct market *market = argument;
    for (unsigned i = 0; i < market->each; i++)
        if (gp_queue_put(market->queue, market->kind->task(&market->subject)) != GP_OK)
            atomic_fetch_add(&market->wrong, 1);
}

static void consume(void *argument)
{
    struct market *market = argument;
    gp_task *task;
    while (gp_queue_take(market->queue, &task) == GP_OK) {
        gp_task_run(task);
        atomic_fetch_sub(&market->left, 1);
    }
}

static bool is_sold_out(void *argument)
{
    return atomic_load((_Atomic unsigned *)argument) == 0;
}

static void each_task_of_many_producers_reaches_one_of_many_consumers(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct market market = {.queue = queue_of(kind), .kind = kind, .each = scaled(2000)};
        struct helper producers[2];
        struct helper consumers[2];
        atomic_store(&market.left, 2 * market.each);
        for (int i = 0; i < 2; i++)
            helper_start(&consumers[i], consume, &market);
        for (int i = 0; i < 2; i++)
            helper_start(&producers[i], produce, &market);
        for (int i = 0; i < 2; i++)
            helper_join(&producers[i]);
        check(eventually(is_sold_out, &market.left));
        for (int i = 0; i < 2; i++)
            helper_interrupt(&consumers[i]);
        for (int i = 0; i < 2; i++)
            helper_join(&consumers[i]);
        check_int(market.wrong, 0);
        check_int(market.subject.runs, 2 * market.each);
        check_int(market.subject.destroyed, 2 * market.each);
        queue_end(market.queue);
    }
}

/* One task at a time, each offered just when the taker is about to wait for it. */

struct ping_pong {
    gp_queue *queue;
    unsigned offered; /* by the testing thread, which alone looks at it */
    _Atomic unsigned taken;
};

static void take_and_count(void *argument)
{
    struct ping_pong *game = argument;
    gp_task *task;
    while (gp_queue_take(game->queue, &task) == GP_OK) {
        atomic_fetch_add(&game->taken, 1);
        gp_task_discard(task);
    }
}

static bool has_taken(void *argument)
{
    struct ping_pong *game = argument;
    return atomic_load(&game->taken) == game->offered;
}

/* Spins at first, to come with the next task in time; but the taker may need this processor. */
static bool await_taken(struct ping_pong *game)
{
    int64_t start = gp_now();
    while (!has_taken(game) && gp_now() - start < GP_MICROSECONDS(50))
        continue;
    return eventually(has_taken, game);
}

static void a_task_that_comes_as_the_taker_goes_to_sleep_wakes_it(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        struct ping_pong game = {.queue = queue_of(kind)};
        struct helper taker;
        uint64_t random = 17;
        bool woken = true;
        helper_start(&taker, take_and_count, &game);
        int64_t start = gp_now(); /* on a busy processor each round may take milliseconds */
        for (unsigned i = 1; i <= scaled(5000) && gp_now() - start < GP_MILLISECONDS(500) && woken;
             i++) {
            for (uint64_t pause = random_below(&random, 400); pause > 0; pause--)
                atomic_signal_fence(memory_order_seq_cst); /* keeps the empty loop */
            check_status(gp_queue_offer(game.queue, kind->task(&subject)), GP_OK);
            game.offered = i;
            woken = await_taken(&game);
        }
        check(woken);
        helper_interrupt(&taker);
        helper_join(&taker);
        queue_end(game.queue);
    }
}

/* Quiet: the queue is empty and all workers wait. */

struct listener {
    struct helper helper;
    gp_queue *queue;
    _Atomic size_t workers;
    int64_t deadline;
    int status;
};

static size_t count_workers(void *context)
{
    return atomic_load((_Atomic size_t *)context);
}

static void listen_for_quiet(void *argument)
{
    struct listener *listener = argument;
    listener->status = gp__queue_await_quiet(listener->queue, count_workers, &listener->workers,
                                             listener->deadline);
}

static void listener_start(struct listener *listener, gp_queue *queue, size_t workers)
{
    *listener = (struct listener){.queue = queue, .workers = workers, .deadline = GP__NO_DEADLINE};
    helper_start(&listener->helper, listen_for_quiet, listener);
    helper_await_asleep(&listener->helper);
}

static void it_is_quiet_at_once_without_workers_and_tasks(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        gp_queue *queue = queue_of(kind);
        struct listener listener = {.queue = queue, .deadline = gp__deadline(0)};
        listen_for_quiet(&listener);
        check_status(listener.status, GP_OK);
        atomic_store(&listener.workers, 1);
        listen_for_quiet(&listener);
        check_status(listener.status, GP_ETIMEDOUT);
        gp_thread_interrupt(gp_thread_self());
        listen_for_quiet(&listener);
        check_status(listener.status, GP_EINTERRUPTED);
        queue_end(queue);
    }
}

static void it_is_quiet_when_the_last_worker_waits(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        struct listener listener;
        struct taker taker;
        gp_queue *queue = queue_of(kind);
        listener_start(&listener, queue, 1);
        start_as(&taker, take_as_worker, queue, GP_FOREVER, 1);
        helper_join(&listener.helper);
        check_status(listener.status, GP_OK);
        offer_task(queue, kind, &subject);
        taker_end(&taker, &subject);
        queue_end(queue);
    }
}

static void it_is_not_quiet_because_a_stranger_waits(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct subject subject = {0};
        struct listener listener = {.queue = queue_of(kind), .workers = 1};
        struct taker stranger;
        taker_start(&stranger, listener.queue, GP_FOREVER, 1);
        listener.deadline = gp__deadline(GP_MILLISECONDS(1));
        listen_for_quiet(&listener);
        check_status(listener.status, GP_ETIMEDOUT);
        offer_task(listener.queue, kind, &subject);
        taker_end(&stranger, &subject);
        queue_end(listener.queue);
    }
}

static void a_nudge_makes_the_listener_count_the_workers_again(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        struct listener listener;
        gp_queue *queue = queue_of(kind);
        listener_start(&listener, queue, 1);
        atomic_store(&listener.workers, 0);
        gp__queue_nudge(queue);
        helper_join(&listener.helper);
        check_status(listener.status, GP_OK);
        queue_end(queue);
    }
}

/* Emptied by somebody who is no worker: remove, drain, clear, poll. */
static void empty_by_remove(gp_queue *queue, gp_task *task)
{
    check_status(gp_queue_remove(queue, task), GP_OK);
    gp_task_discard(task);
}

static void empty_by_drain(gp_queue *queue, gp_task *task)
{
    (void)task;
    gp_queue_clear(queue);
}

static bool is_any(gp_task *task, void *context)
{
    (void)task;
    (void)context;
    return true;
}

static void empty_by_match(gp_queue *queue, gp_task *task)
{
    gp_task_list list = {0};
    (void)task;
    gp__queue_remove_if(queue, is_any, NULL, &list);
    gp_task_list_discard(&list);
}

static void empty_by_poll(gp_queue *queue, gp_task *task)
{
    gp_task *out = NULL;
    check_status(gp_queue_poll(queue, &out), GP_OK);
    check(out == task);
    gp_task_discard(task);
}

static void it_is_quiet_when_the_last_task_is_taken_away(void)
{
    static void (*const ways[])(gp_queue *, gp_task *) = {empty_by_remove, empty_by_drain,
                                                          empty_by_match, empty_by_poll};
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            struct subject subject = {0};
            struct listener listener;
            gp_queue *queue = queue_of(kind);
            gp_task *task = offer_task(queue, kind, &subject);
            listener_start(&listener, queue, 0);
            ways[i](queue, task);
            helper_join(&listener.helper);
            check_status(listener.status, GP_OK);
            queue_end(queue);
        }
    }
}

static const struct test tests[] = {
    TEST(takers_are_served_in_order_of_arrival),
    TEST(many_tasks_at_once_wake_many_takers),
    TEST(a_timed_poll_gives_up_but_never_early),
    TEST(one_who_gives_up_takes_nothing_with_it),
    TEST(an_interrupt_before_a_waiting_call_wins_over_a_task),
    TEST(an_interrupt_that_races_a_task_is_reported_or_kept),
    TEST(a_queue_is_not_freed_while_somebody_waits),
    TEST(a_thread_that_cannot_get_a_record_cannot_wait),
    TEST(each_task_of_many_producers_reaches_one_of_many_consumers),
    TEST(a_task_that_comes_as_the_taker_goes_to_sleep_wakes_it),
    TEST(it_is_quiet_at_once_without_workers_and_tasks),
    TEST(it_is_quiet_when_the_last_worker_waits),
    TEST(it_is_not_quiet_because_a_stranger_waits),
    TEST(a_nudge_makes_the_listener_count_the_workers_again),
    TEST(it_is_quiet_when_the_last_task_is_taken_away),
    END_OF_TESTS,
};

const struct suite queue_wait_suite = {.name = "queue_wait", .tests = tests};
