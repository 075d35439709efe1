/*
 * Queues, by one thread.
 *
 *     delayed   20,000 tasks go in in random order, 5,000 are removed from the middle and offered
 *               again, and all are polled, earliest first
 *     linked    100 times 200 tasks in and out
 *     array     the same
 *     priority  10,000 tasks go in in random order and come out, the least first
 */
#include <stdlib.h> /* calloc */

#include "benches/regress/counted/counted.h"

static void nothing(void *argument)
{
    (void)argument;
}

/* ---- delayed ---- */

enum {
    TASKS = 20000,
    REMOVALS = 5000
};

struct delayed {
    gp_queue *queue;
    gp_task *tasks[TASKS]; /* in the order in which they are offered */
    size_t removals[REMOVALS];
    gp_task *polled[TASKS];
};

MEASURED measured_delayed(struct delayed *work);

MEASURED measured_delayed(struct delayed *work)
{
    int failures = 0;

    for (size_t i = 0; i < TASKS; i++)
        failures += gp_queue_offer(work->queue, work->tasks[i]) != GP_OK;
    for (size_t i = 0; i < REMOVALS; i++) {
        gp_task *task = work->tasks[work->removals[i]];
        failures += gp_queue_remove(work->queue, task) != GP_OK;
        failures += gp_queue_offer(work->queue, task) != GP_OK;
    }
    for (size_t i = 0; i < TASKS; i++)
        failures += gp_queue_poll(work->queue, &work->polled[i]) != GP_OK;
    return failures;
}

/* Every eighth task shares its time with an earlier one, so that sequence numbers matter too. */
static int make_delayed(struct delayed *work)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    const int64_t past = gp_time_after(gp_now(), -GP_SECONDS(3600));
    uint64_t seed = 1;
    int failures = 0;

    for (size_t i = 0; i < TASKS; i++) {
        const size_t later = random_below(&seed, TASKS * 4);
        const int64_t time = i % 8 == 7 ? gp_task_time(work->tasks[random_below(&seed, i)])
                                        : gp_time_after(past, (int64_t)later);
        failures += gp_task_new_delayed(&callable, time, i, &work->tasks[i]) != GP_OK;
    }
    for (size_t i = 0; i < REMOVALS; i++)
        work->removals[i] = random_below(&seed, TASKS);
    return failures;
}

static int check_times(struct delayed *work)
{
    int failures = gp_queue_size(work->queue) != 0;

    for (size_t i = 1; i < TASKS; i++) {
        const int64_t before = gp_task_time(work->polled[i - 1]);
        failures += gp_time_until(gp_task_time(work->polled[i]), before) < 0;
    }
    return failures;
}

static bool delayed(void)
{
    struct delayed *work = calloc(1, sizeof(*work));
    bool done = work && gp_delayed_new(&work->queue) == GP_OK && make_delayed(work) == 0 &&
                measured_delayed(work) == 0 && check_times(work) == 0;

    if (done) {
        for (size_t i = 0; i < TASKS; i++)
            gp_task_discard(work->polled[i]);
        done = gp_queue_free(work->queue) == GP_OK;
    }
    free(work);
    return done;
}

/* ---- first in, first out ---- */

enum {
    ROOM = 200,
    ROUNDS = 100,
    RANKED = 10000
};

struct plain {
    gp_queue *queue;
    gp_task *tasks[RANKED];
    size_t ranks[RANKED]; /* of the tasks: their arguments */
};

MEASURED measured_fifo(struct plain *work);

MEASURED measured_fifo(struct plain *work)
{
    int failures = 0;

    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < ROOM; i++)
            failures += gp_queue_offer(work->queue, work->tasks[i]) != GP_OK;
        for (size_t i = 0; i < ROOM; i++) {
            gp_task *task = NULL;
            failures += gp_queue_poll(work->queue, &task) != GP_OK || task != work->tasks[i];
        }
    }
    return failures;
}

MEASURED measured_priority(struct plain *work);

MEASURED measured_priority(struct plain *work)
{
    int failures = 0;
    size_t last = 0;

    for (size_t i = 0; i < RANKED; i++)
        failures += gp_queue_offer(work->queue, work->tasks[i]) != GP_OK;
    for (size_t i = 0; i < RANKED; i++) {
        failures += gp_queue_poll(work->queue, &work->tasks[i]) != GP_OK;
        const size_t rank = *(size_t *)gp_task_argument(work->tasks[i]);
        failures += rank < last;
        last = rank;
    }
    return failures;
}

static int compare(const gp_task *left, const gp_task *right)
{
    const size_t one = *(size_t *)gp_task_argument(left);
    const size_t other = *(size_t *)gp_task_argument(right);

    return (one > other) - (one < other);
}

static int make_ranked(struct plain *work)
{
    uint64_t seed = 1;
    int failures = 0;

    for (size_t i = 0; i < RANKED; i++) {
        work->ranks[i] = random_below(&seed, RANKED);
        const gp_callable callable = gp_callable_of(nothing, &work->ranks[i], NULL);
        failures += gp_task_new(&callable, &work->tasks[i]) != GP_OK;
    }
    return failures;
}

static bool run_plain(int (*make)(gp_queue **), int (*measured)(struct plain *))
{
    struct plain *work = calloc(1, sizeof(*work));
    bool done = work && make(&work->queue) == GP_OK && make_ranked(work) == 0 &&
                measured(work) == 0 && gp_queue_free(work->queue) == GP_OK;

    for (size_t i = 0; done && i < RANKED; i++)
        gp_task_discard(work->tasks[i]);
    free(work);
    return done;
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

static bool linked(void)
{
    return run_plain(make_linked, measured_fifo);
}

static bool array(void)
{
    return run_plain(make_array, measured_fifo);
}

static bool priority(void)
{
    return run_plain(make_priority, measured_priority);
}

const struct workload workloads_queue[] = {{"delayed", delayed},
                                           {"linked", linked},
                                           {"array", array},
                                           {"priority", priority},
                                           {NULL, NULL}};
