/* The eager pool when memory, locks or threads are not to be had, at each point of each call. */
#include <glasspool/clock.h>
#include <glasspool/eager.h>
#include <glasspool/status.h>

#include "eager_support.h"
#include "fault.h"
#include "suite.h"
#include "support.h"

static void gp_task_queue_new_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_queue *queue = NULL;
        int status = gp_task_queue_new(1, &queue);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((queue == NULL) == hit);
        gp_queue_free(queue);
    }
    check(walk.point > 3);
}

static void check_new(gp_pool_config config)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_pool *pool = NULL;
        int status = gp_eager_new(&config, &pool);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((pool == NULL) == hit);
        if (pool != NULL)
            eager_end(pool);
    }
    check(walk.point > 3);
}

/* A queue of ours stays ours, and is good for the next attempt. */
static void gp_eager_new_fails_cleanly_at_each_point(void)
{
    check_new(config_with(1, 1, NULL));
    check_new(config_with(1, 1, task_queue_of(1)));
}

/* Submitting to a pool without a worker, and to one whose worker is busy. */

static void check_submit(bool busy)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    bool over = false;
    while (!over) {
        gp_pool *pool = eager_with(0, 2, 1);
        gp_future *future = NULL;
        struct job running;
        struct job job;
        job_init_holding(&running);
        job_init(&job);
        gp_callable callable = job_callable(&job);
        if (busy) {
            job_execute(pool, &running);
            latch_await(&running.begun);
        }
        over = !fault_walk_next(&walk);
        int status = gp_pool_submit(pool, &callable, &future);
        bool hit = fault_walk_hit(&walk);
        if (hit && status != GP_OK) {
            check(status == GP_ENOMEM || status == GP_EAGAIN);
            check_int(job.subject.destroyed, 0);
            check_int(gp_eager_submitted(pool), busy);
        } else {
            check_status(status, GP_OK); /* a busy pool makes do with what it has */
        }
        job_let_go(&running);
        check(await_submitted(pool, 0));
        gp_future_release(future);
        eager_end(pool);
        check_int(job.subject.runs, status == GP_OK);
    }
}

static void submitting_fails_cleanly_at_each_point(void)
{
    check_submit(false);
    check_submit(true);
}

static void without_threads_it_makes_do_with_those_it_has(void)
{
    struct job running;
    struct job queued;
    gp_pool *pool = eager_with(0, 2, 1);
    job_init_holding(&running);
    job_init(&queued);
    job_execute(pool, &running);
    latch_await(&running.begun);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    job_execute(pool, &queued);
    check(fault_disarm() >= 1);
    check_int(pool_size(pool), 1);
    check_int(pool_queued(pool), 1);
    check_int(gp_eager_check(pool), 0);
    job_let_go(&running);
    eager_end(pool);
    check_int(queued.subject.runs, 1);
}

/* The second try does not wait, and so does not look at the flag. */
static void an_interrupted_submitter_is_not_rejected(void)
{
    struct job running;
    struct job queued;
    gp_pool *pool = eager_with(0, 2, 1);
    job_init_holding(&running);
    job_init(&queued);
    job_execute(pool, &running);
    latch_await(&running.begun);
    gp_thread_interrupt(gp_thread_self());
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    int status = gp_pool_execute_task(pool, job_task(&queued));
    check(fault_disarm() >= 1);
    check_status(status, GP_OK);
    check(gp_interrupted());
    job_let_go(&running);
    eager_end(pool);
    check_int(queued.subject.runs, 1);
}

static const struct test tests[] = {
    TEST(gp_task_queue_new_fails_cleanly_at_each_point),
    TEST(gp_eager_new_fails_cleanly_at_each_point),
    TEST(submitting_fails_cleanly_at_each_point),
    TEST(without_threads_it_makes_do_with_those_it_has),
    TEST(an_interrupted_submitter_is_not_rejected),
    END_OF_TESTS,
};

const struct suite eager_faults_suite = {.name = "eager_faults", .tests = tests};
