/*
 * The delayed queue (impl/queue/delayed.c), one thread, no waiting: what the heap costs.
 *
 *     delayed/offer_poll  one task in, the earliest out
 *     delayed/longest_way the head out and in again
 *     delayed/remove      one task out of the middle, and in again
 *
 * All at 10^3 ... 10^6 pending tasks, with the fit to log n that the heap promises. The fit is of
 * time, and in a large heap each level is a cache miss more: expect some error in it. longest_way
 * is there to tell the two apart: it takes the longest way down and the longest way up each time,
 * but over the same few entries, which stay in the cache.
 *
 * offer_poll is the "hold model" (Jones, "An empirical comparison of priority-queue and event-set
 * implementations", CACM 29:4, 1986): the number of pending tasks stays the same, and each new task
 * is due a random time after the one that left. Its times lie an hour back, so that poll never
 * waits; they advance with the bench, about half a microsecond per iteration. Tasks are made and
 * destroyed with the clock stopped, a batch at a time: malloc is not the subject. Each run takes up
 * the queue where the one before left it.
 */

#include <stdlib.h> /* calloc */

#include <glasspool/glasspool.h>

#include "gbench.h"
#include "random.h"

enum {
    BATCH = 1024 /* tasks made ready while the clock stands still */
};

struct pending {
    gp_queue *queue;
    size_t count;
    gp_task **tasks; /* by number, not by time */
    int64_t spread;  /* times lie so far apart at most, in nanoseconds */
    uint64_t seed;
    uint64_t sequence;
    int status; /* GP_OK, or the first thing that went wrong */
};

static void nothing(void *argument)
{
    (void)argument;
}

static void note(struct pending *pending, int status)
{
    if (pending->status == GP_OK)
        pending->status = status;
}

static gp_task *task_after(struct pending *pending, int64_t time)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    const int64_t later = (int64_t)random_below(&pending->seed, (size_t)pending->spread);
    gp_task *task = NULL;

    note(pending,
         gp_task_new_delayed(&callable, gp_time_after(time, later), pending->sequence++, &task));
    return task;
}

static void fill(struct pending *pending, int64_t time)
{
    for (size_t i = 0; i < pending->count && pending->status == GP_OK; i++) {
        pending->tasks[i] = task_after(pending, time);
        if (pending->status == GP_OK)
            note(pending, gp_queue_offer(pending->queue, pending->tasks[i]));
    }
}

static struct pending *pending_new(gb_state *state, int64_t time)
{
    struct pending *pending = calloc(1, sizeof(*pending));

    if (!pending) {
        gb_fail(state, gp_strerror(GP_ENOMEM));
        return NULL;
    }
    pending->count = (size_t)gb_value(state, 0);
    pending->spread = GP_MICROSECONDS(pending->count);
    pending->tasks = calloc(pending->count, sizeof(pending->tasks[0]));
    note(pending, pending->tasks ? gp_delayed_new(&pending->queue) : GP_ENOMEM);
    fill(pending, time);
    if (pending->status != GP_OK)
        gb_fail(state, gp_strerror(pending->status));
    return pending;
}

static void *pending_past(gb_state *state)
{
    return pending_new(state, gp_time_after(gp_now(), -GP_SECONDS(3600)));
}

static void *pending_future(gb_state *state)
{
    return pending_new(state, gp_time_after(gp_now(), GP_SECONDS(3600)));
}

static void pending_free(void *fixture)
{
    struct pending *pending = fixture;

    if (pending) {
        if (pending->queue)
            (void)gp_queue_free(pending->queue);
        free(pending->tasks);
        free(pending);
    }
}

static void finish(gb_state *state, struct pending *pending)
{
    if (pending->status == GP_OK)
        note(pending, gp_queue_check(pending->queue));
    if (pending->status != GP_OK)
        gb_fail(state, gp_strerror(pending->status));
    gb_items(state, gb_iterations(state));
}

/* The first batch follows the head; later ones follow, task by task, those that have left. */
static void next_batch(struct pending *pending, gp_task *batch[BATCH])
{
    gp_task *head = NULL;

    if (gp_queue_peek(pending->queue, &head) != GP_OK) {
        note(pending, GP_EEMPTY);
        return;
    }
    for (size_t i = 0; i < BATCH && pending->status == GP_OK; i++) {
        gp_task *gone = batch[i];
        batch[i] = task_after(pending, gp_task_time(gone ? gone : head));
        if (gone)
            gp_task_discard(gone);
    }
    gp_task_release(head);
}

static void discard_batch(gp_task *batch[BATCH])
{
    for (size_t i = 0; i < BATCH; i++)
        if (batch[i])
            gp_task_discard(batch[i]);
}

static void offer_poll(gb_state *state)
{
    struct pending *pending = state->fixture;
    gp_task *batch[BATCH] = {NULL};
    size_t next = BATCH;

    while (gb_keep_running(state)) {
        if (next == BATCH) {
            gb_pause(state);
            next_batch(pending, batch);
            next = 0;
            gb_resume(state);
        }
        note(pending, gp_queue_offer(pending->queue, batch[next]));
        note(pending, gp_queue_poll(pending->queue, &batch[next]));
        next++;
    }
    discard_batch(batch);
    finish(state, pending);
}

static void longest_way(gb_state *state)
{
    struct pending *pending = state->fixture;

    while (gb_keep_running(state)) {
        gp_task *head = NULL;
        note(pending, gp_queue_poll(pending->queue, &head));
        note(pending, gp_queue_offer(pending->queue, head));
    }
    finish(state, pending);
}

static void remove_random(gb_state *state)
{
    struct pending *pending = state->fixture;

    while (gb_keep_running(state)) {
        gp_task *task = pending->tasks[random_below(&pending->seed, pending->count)];
        note(pending, gp_queue_remove(pending->queue, task));
        note(pending, gp_queue_offer(pending->queue, task));
    }
    finish(state, pending);
}

static const gb_bench benches[] = {
    {.name = "delayed/offer_poll",
     .run = offer_poll,
     .set_up = pending_past,
     .tear_down = pending_free,
     .keep = true,
     .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}},
     .fit = GB_O_LOG_N},
    {.name = "delayed/longest_way",
     .run = longest_way,
     .set_up = pending_past,
     .tear_down = pending_free,
     .keep = true,
     .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}},
     .fit = GB_O_LOG_N},
    {.name = "delayed/remove",
     .run = remove_random,
     .set_up = pending_future,
     .tear_down = pending_free,
     .keep = true,
     .arguments = {{.name = "pending", .from = 1000, .to = 1000000, .times = 10}},
     .fit = GB_O_LOG_N},
};
GB_REGISTER(benches);
