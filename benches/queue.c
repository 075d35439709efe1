/*
 * The queues (impl/queue/), each alone and contended.
 *
 *     queue/pairs/KIND      each thread offers a task and takes one, whichever it gets: one thread
 *                           is the queue alone, more of them contend at both ends
 *     queue/hand_over/KIND  one thread puts, the other takes: they wait for each other
 *
 * Some tasks are in the queue all the time, so that nobody waits in `pairs`; the synchronous queue
 * holds nothing, and is there only from hand to hand. What is taken is offered again: no task is
 * made or destroyed while the clock runs. In `hand_over` the taker gives tasks back in a ring, and
 * who puts waits, yielding its processor, only if it is a whole ring ahead.
 */
#include <sched.h> /* sched_yield */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"

enum {
    IN_QUEUE = 64,
    THREADS = 8,
    RING = 4096, /* tasks on their way */
    ROOM = 1024  /* of the array queue */
};

struct subject {
    gp_queue *queue;
    gp_task *ring[RING];
    _Alignas(64) _Atomic int64_t taken; /* how many are back in the ring */
};

static void nothing(void *argument)
{
    (void)argument;
}

/* In time, or in no order: all are due, all are alike. */
static int compare(const gp_task *left, const gp_task *right)
{
    (void)left;
    (void)right;
    return 0;
}

static int make_linked(gp_queue **out)
{
    return gp_linked_new(GP_UNBOUNDED, out);
}

static int make_array(gp_queue **out)
{
    return gp_array_new(ROOM, out);
}

static int make_priority(gp_queue **out)
{
    return gp_priority_new(compare, out);
}

static int make_task(uint64_t number, gp_task **out)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);

    return gp_task_new_delayed(&callable, gp_time_after(gp_now(), -GP_SECONDS(1)), number, out);
}

static struct subject *subject_of(gb_state *state, int (*make)(gp_queue **))
{
    struct subject *subject = aligned_alloc(64, sizeof(*subject));
    int status = GP_ENOMEM;

    if (subject) {
        *subject = (struct subject){.queue = NULL};
        status = make(&subject->queue);
    }
    for (uint64_t i = 0; i < RING && status == GP_OK; i++)
        status = make_task(i, &subject->ring[i]);
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    return subject;
}

/* A task is in the queue or in the ring. */
static struct subject *filled(gb_state *state, int (*make)(gp_queue **))
{
    struct subject *subject = subject_of(state, make);

    for (int i = THREADS; i < THREADS + IN_QUEUE && subject && subject->ring[RING - 1]; i++)
        if (gp_queue_offer(subject->queue, subject->ring[i]) == GP_OK)
            subject->ring[i] = NULL;
    return subject;
}

static void subject_drop(void *fixture)
{
    struct subject *subject = fixture;

    if (!subject)
        return;
    if (subject->queue)
        (void)gp_queue_free(subject->queue);
    for (int i = 0; i < RING; i++)
        if (subject->ring[i])
            gp_task_discard(subject->ring[i]);
    free(subject);
}

/* ---- pairs ---- */

static void pairs(gb_state *state)
{
    struct subject *subject = state->fixture;
    gp_task *task = subject->ring[state->thread];

    while (gb_keep_running(state)) {
        int status = gp_queue_offer(subject->queue, task);
        if (status == GP_OK) {
            task = NULL; /* the queue's */
            status = gp_queue_take(subject->queue, &task);
        }
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
    }
    subject->ring[state->thread] = task;
    gb_items(state, gb_iterations(state));
}

/* ---- from hand to hand ---- */

static int put_next(struct subject *subject, int64_t number)
{
    /* pairs with the store in take_next: the slot has been filled again */
    while (number - atomic_load_explicit(&subject->taken, memory_order_acquire) >= RING)
        sched_yield();
    return gp_queue_put(subject->queue, subject->ring[number % RING]);
}

static int take_next(struct subject *subject, int64_t number)
{
    gp_task *task = NULL;
    const int status = gp_queue_take(subject->queue, &task);

    if (status == GP_OK) {
        subject->ring[number % RING] = task;
        atomic_store_explicit(&subject->taken, number + 1, memory_order_release);
    }
    return status;
}

static void hand_over(gb_state *state)
{
    int (*const step)(struct subject *, int64_t) = state->thread == 0 ? put_next : take_next;
    struct subject *subject = state->fixture;
    int64_t number = 0;

    while (gb_keep_running(state)) {
        const int status = step(subject, number++);
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
    }
    if (state->thread == 0)
        gb_items(state, gb_iterations(state));
}

#define SET_UP(kind, make)                      \
    static void *filled_##kind(gb_state *state) \
    {                                           \
        return filled(state, make);             \
    }                                           \
    static void *empty_##kind(gb_state *state)  \
    {                                           \
        return subject_of(state, make);         \
    }

SET_UP(linked, make_linked)
SET_UP(conveyor, gp_conveyor_new)
SET_UP(array, make_array)
SET_UP(priority, make_priority)
SET_UP(delayed, gp_delayed_new)

static void *empty_synchronous(gb_state *state)
{
    return subject_of(state, gp_synchronous_new);
}

#define PAIRS(kind)                                                                     \
    {                                                                                   \
        .name = "queue/pairs/" #kind, .run = pairs, .set_up = filled_##kind,            \
        .tear_down = subject_drop, .threads = {1, 2, 4, THREADS}, .clock = GB_REAL_TIME \
    }
#define HAND_OVER(kind)                                                             \
    {                                                                               \
        .name = "queue/hand_over/" #kind, .run = hand_over, .set_up = empty_##kind, \
        .tear_down = subject_drop, .threads = {2}, .clock = GB_REAL_TIME            \
    }

static const gb_bench benches[] = {
    PAIRS(linked),       PAIRS(conveyor),    PAIRS(array),           PAIRS(priority),
    PAIRS(delayed),      HAND_OVER(linked),  HAND_OVER(conveyor),    HAND_OVER(array),
    HAND_OVER(priority), HAND_OVER(delayed), HAND_OVER(synchronous),
};
GB_REGISTER(benches);
