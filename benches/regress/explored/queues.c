/*
 * Queues, with two threads on either side.
 *
 *     linked       all offered at once, then taken
 *     array        with room for two: producers wait too
 *     priority     as linked, the least first
 *     synchronous  from hand to hand
 *     leader       the delayed queue: tasks fall due one after the other, takers wait for them
 */
#include "benches/regress/explored/programs.h"

#include <pthread.h>
#include <stdint.h>

#include <glasspool/glasspool.h>

enum {
    TASKS = 12, /* of each side */
    ROOM = 2,
    TAKERS = 3 /* of the delayed queue */
};

static void *put_all(void *queue)
{
    const gp_callable callable = gp_callable_of(count_task, NULL, NULL);
    gp_task *task;

    for (int i = 0; i < TASKS; i++)
        if (gp_task_new(&callable, &task) == GP_OK && gp_queue_put(queue, task) != GP_OK)
            gp_task_discard(task);
    return NULL;
}

static void *take_all(void *queue)
{
    gp_task *task;

    for (int i = 0; i < TASKS; i++)
        if (gp_queue_take(queue, &task) == GP_OK)
            gp_task_run(task);
    return NULL;
}

static void *put_beside(void *queue)
{
    side_by_side(put_all, queue);
    return NULL;
}

static void hand_over(gp_queue *queue, void *done)
{
    pthread_t producers;

    pthread_create(&producers, NULL, put_beside, queue);
    side_by_side(take_all, queue);
    pthread_join(producers, NULL);
    (void)gp_queue_free(queue);
    report_to(done);
}

static void program_linked(void *done)
{
    gp_queue *queue;

    if (gp_linked_new(GP_UNBOUNDED, &queue) == GP_OK)
        hand_over(queue, done);
}

static void program_array(void *done)
{
    gp_queue *queue;

    if (gp_array_new(ROOM, &queue) == GP_OK)
        hand_over(queue, done);
}

/* None is less than another. */
static int compare(const gp_task *left, const gp_task *right)
{
    (void)left;
    (void)right;
    return 0;
}

static void program_priority(void *done)
{
    gp_queue *queue;

    if (gp_priority_new(compare, &queue) == GP_OK)
        hand_over(queue, done);
}

static void program_synchronous(void *done)
{
    gp_queue *queue;

    if (gp_synchronous_new(&queue) == GP_OK)
        hand_over(queue, done);
}

/* The latest first: the head changes with each. */
static void offer_apart(gp_queue *queue)
{
    const gp_callable callable = gp_callable_of(count_task, NULL, NULL);
    const int64_t now = gp_now();
    gp_task *task;

    for (int i = TAKERS * TASKS; i > 0; i--)
        if (gp_task_new_delayed(&callable, now + GP_MILLISECONDS(i), (uint64_t)i, &task) == GP_OK &&
            gp_queue_offer(queue, task) != GP_OK)
            gp_task_discard(task);
}

static void program_leader(void *done)
{
    pthread_t takers[TAKERS];
    gp_queue *queue;

    if (gp_delayed_new(&queue) != GP_OK)
        return;
    for (int i = 0; i < TAKERS; i++)
        pthread_create(&takers[i], NULL, take_all, queue);
    offer_apart(queue);
    for (int i = 0; i < TAKERS; i++)
        pthread_join(takers[i], NULL);
    (void)gp_queue_free(queue);
    report_to(done);
}

const struct program programs_queue[] = {
    {"linked", program_linked, SIDES *TASKS},
    {"array", program_array, SIDES *TASKS},
    {"priority", program_priority, SIDES *TASKS},
    {"synchronous", program_synchronous, SIDES *TASKS},
    {"leader", program_leader, TAKERS *TASKS},
    {NULL, NULL, 0},
};
