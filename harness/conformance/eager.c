/*
 * The eager pool: when it starts a worker and when it queues; its queue; the second try. What its
 * count says is in eager_count.c.
 */
#include <glasspool/eager.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "eager_support.h"
#include "suite.h"
#include "support.h"

/* The task queue. */

static void a_task_queue_has_room_for_one_at_least(void)
{
    static const int capacities[] = {-1, 0, 1, 7};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        gp_queue *queue = task_queue_of(capacities[i]);
        check_int(gp_queue_remaining(queue), capacities[i] < 1 ? 1 : capacities[i]);
        check_status(gp_queue_free(queue), GP_OK);
    }
    check_status(gp_task_queue_new(1, NULL), GP_EINVAL);
}

static void a_task_queue_without_a_pool_rejects(void)
{
    struct subject subject = {0};
    gp_queue *queue = task_queue_of(1);
    gp_task *task = task_of(&subject);
    check_status(gp_queue_offer(queue, task), GP_EREJECTED);
    check_status(gp_queue_put(queue, task), GP_EREJECTED);
    check_int(gp_queue_size(queue), 0);
    check_int(subject.destroyed, 0);
    gp_task_discard(task);
    check_status(gp_queue_free(queue), GP_OK);
}

static void a_plain_pool_is_no_pool_for_it(void)
{
    gp_pool *pool = pool_with(1, 2, task_queue_of(1));
    struct job running;
    struct job refused;
    job_init_holding(&running);
    job_init(&refused);
    job_execute(pool, &running);
    check_status(gp_pool_execute_task(pool, job_task(&refused)), GP_EREJECTED);
    check_int(refused.subject.destroyed, 1);
    check_int(gp_eager_submitted(pool), 0);
    check_int(gp_eager_check(pool), 0);
    job_let_go(&running);
    pool_end(pool);
}

/* Making. */

static void check_refused(const gp_pool_config *config)
{
    gp_pool *pool = NULL;
    check_status(gp_eager_new(config, &pool), GP_EINVAL);
    check(pool == NULL);
}

static void only_a_task_queue_that_no_pool_has_will_do(void)
{
    gp_pool_config config = config_with(1, 1, linked_of(1));
    check_refused(&config);
    check_status(gp_queue_free(config.queue), GP_OK); /* it is still ours */
    config.queue = task_queue_of(1);
    gp_pool *pool = eager_of(&config);
    check_refused(&config);
    eager_end(pool);
}

static void a_configuration_that_makes_no_sense_is_refused(void)
{
    gp_pool_config config = config_with(2, 1, NULL);
    check_refused(&config);
    check_refused(NULL);
    config = config_with(1, 1, NULL);
    check_status(gp_eager_new(&config, NULL), GP_EINVAL);
}

static void by_default_its_queue_is_for_one(void)
{
    gp_pool_config config = config_with(1, 1, NULL);
    gp_pool *pool = eager_of(&config);
    check_int(gp_queue_remaining(pool->queue), 1);
    eager_end(pool);
}

/* Threads first. */

enum {
    MANY = 6
};

static void hold(gp_pool *pool, struct job *job)
{
    job_init_holding(job);
    job_execute(pool, job);
}

static void let_all_go(struct job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        job_let_go(&jobs[i]);
}

static void it_starts_all_its_workers_before_it_queues(void)
{
    gp_pool *pool = eager_with(1, 4, 2);
    struct job jobs[MANY];
    struct job refused;
    for (int i = 0; i < 4; i++) {
        hold(pool, &jobs[i]);
        check_int(pool_size(pool), i + 1);
        check_int(pool_queued(pool), 0);
    }
    for (int i = 0; i < 4; i++)
        latch_await(&jobs[i].begun);
    for (int i = 4; i < MANY; i++)
        hold(pool, &jobs[i]);
    check_int(pool_size(pool), 4);
    check_int(pool_queued(pool), 2);
    job_init(&refused);
    check_status(gp_pool_execute_task(pool, job_task(&refused)), GP_EREJECTED);
    check_int(gp_eager_submitted(pool), MANY);
    let_all_go(jobs, MANY);
    eager_end(pool);
    for (int i = 0; i < MANY; i++)
        check_int(jobs[i].subject.runs, 1);
}

/* A plain pool of the same size queues the second task. */
static void a_plain_pool_queues_first(void)
{
    gp_pool *pool = pool_with(1, 4, linked_of(2));
    struct job jobs[2];
    hold(pool, &jobs[0]);
    hold(pool, &jobs[1]);
    check_int(pool_size(pool), 1);
    check_int(pool_queued(pool), 1);
    let_all_go(jobs, 2);
    pool_end(pool);
}

static void with_two_idle_workers_it_queues(void)
{
    gp_pool *pool = eager_with(2, 4, 1);
    struct job job;
    check_int(gp_pool_prestart_all_core(pool), 2);
    check(await_idle(pool, 2));
    job_init(&job);
    job_run(pool, &job);
    check_int(pool_size(pool), 2);
    eager_end(pool);
}

/* submitted < workers: with `<=`, as Tomcat has it, the idle one would get it. */
static void it_keeps_one_worker_in_reserve(void)
{
    gp_pool *pool = eager_with(1, 4, 1);
    struct job job;
    check_int(gp_pool_prestart_all_core(pool), 1);
    check(await_idle(pool, 1));
    job_init(&job);
    job_run(pool, &job);
    check_int(pool_size(pool), 2);
    eager_end(pool);
}

static void a_core_worker_comes_before_all_that(void)
{
    gp_pool *pool = eager_with(3, 3, 1);
    struct job jobs[3];
    for (int i = 0; i < 3; i++) {
        job_init(&jobs[i]);
        job_run(pool, &jobs[i]);
        check(await_submitted(pool, 0));
        check_int(pool_size(pool), i + 1);
    }
    eager_end(pool);
}

static void a_maximum_that_is_raised_is_used(void)
{
    gp_pool *pool = eager_with(1, 1, 1);
    struct job jobs[3];
    hold(pool, &jobs[0]);
    hold(pool, &jobs[1]);
    check_int(pool_queued(pool), 1);
    check_status(gp_pool_set_maximum_size(pool, 2), GP_OK);
    hold(pool, &jobs[2]);
    latch_await(&jobs[2].begun);
    check_int(pool_size(pool), 2);
    let_all_go(jobs, 3);
    eager_end(pool);
}

static void what_a_pool_can_do_it_can_do(void)
{
    gp_pool *pool = eager_with(0, 3, 1);
    struct job jobs[3];
    gp_callable callables[3];
    gp_future *futures[3];
    gp_pool_stats stats;
    for (int i = 0; i < 3; i++) {
        job_init(&jobs[i]);
        callables[i] = job_callable(&jobs[i]);
    }
    check_status(gp_pool_invoke_all(pool, callables, 3, long_enough(), futures), GP_OK);
    for (int i = 0; i < 3; i++) {
        future_end(futures[i], GP_OK);
        job_await_end(&jobs[i]);
    }
    check_status(gp_pool_execute(pool, run_nothing, NULL), GP_OK);
    check_status(gp_pool_await_quiescence(pool, long_enough()), GP_OK);
    check_int(gp_eager_submitted(pool), 0);
    gp_pool_statistics(pool, &stats);
    check_int(stats.completed, 4);
    check_int(stats.waited.count, 4);
    eager_end(pool);
}

/* The second try. */

static void what_the_pool_rejects_is_offered_once_more(void)
{
    int failures = 0;
    gp_pool_config config = config_with(0, 2, task_queue_of(1));
    struct job jobs[3];
    config.factory = (gp_thread_factory){.create = create_after_failures, .context = &failures};
    config.keep_alive = GP_SECONDS(3600);
    gp_pool *pool = eager_of(&config);
    hold(pool, &jobs[0]);
    latch_await(&jobs[0].begun);
    failures = 3; /* the queue was "full", no worker is to be had, nor when it looks again */
    hold(pool, &jobs[1]);
    check_int(pool_size(pool), 1);
    check_int(pool_queued(pool), 1);
    check_int(failures, 1);
    job_init(&jobs[2]); /* now it is full */
    check_status(gp_pool_execute_task(pool, job_task(&jobs[2])), GP_EREJECTED);
    check_int(failures, 0);
    check_int(gp_eager_submitted(pool), 2);
    let_all_go(jobs, 2);
    eager_end(pool);
    check_int(jobs[1].subject.runs, 1);
}

/* [EAGER-3]: the task that was queued in vain gets a worker before the first one is free. */
static void who_has_queued_a_task_looks_whether_a_worker_is_missing(void)
{
    int failures = 0;
    gp_pool_config config = config_with(0, 2, task_queue_of(1));
    struct job jobs[2];
    config.factory = (gp_thread_factory){.create = create_after_failures, .context = &failures};
    config.keep_alive = GP_SECONDS(3600);
    gp_pool *pool = eager_of(&config);
    hold(pool, &jobs[0]);
    latch_await(&jobs[0].begun);
    failures = 1;
    hold(pool, &jobs[1]);
    latch_await(&jobs[1].begun);
    check_int(pool_size(pool), 2);
    let_all_go(jobs, 2);
    eager_end(pool);
}

struct ending {
    gp_pool *pool;
    struct latch asked;
    struct latch done;
    int threads; /* to be made before the end */
};

static void end_when_asked(void *argument)
{
    struct ending *ending = argument;
    latch_await(&ending->asked);
    gp_pool_shutdown(ending->pool);
    latch_count_down(&ending->done);
}

static int fail_at_the_end(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct ending *ending = context;
    if (ending->threads-- > 0)
        return gp_thread_new(NULL, run, argument, out);
    latch_count_down(&ending->asked);
    latch_await(&ending->done);
    return GP_ENOMEM;
}

static void after_shutdown_there_is_no_second_try(void)
{
    struct ending ending = {.threads = 1};
    gp_pool_config config = config_with(0, 2, task_queue_of(1));
    struct helper helper;
    struct job running;
    struct job refused;
    latch_init(&ending.asked, 1);
    latch_init(&ending.done, 1);
    config.factory = (gp_thread_factory){.create = fail_at_the_end, .context = &ending};
    ending.pool = eager_of(&config);
    hold(ending.pool, &running);
    helper_start(&helper, end_when_asked, &ending);
    job_init(&refused);
    check_status(gp_pool_execute_task(ending.pool, job_task(&refused)), GP_EREJECTED);
    check_int(pool_queued(ending.pool), 0);
    check_int(gp_eager_submitted(ending.pool), 1);
    helper_join(&helper);
    job_let_go(&running);
    eager_end(ending.pool);
    check_int(refused.subject.runs, 0);
    check_int(refused.subject.destroyed, 1);
}

static const struct test tests[] = {
    TEST(a_task_queue_has_room_for_one_at_least),
    TEST(a_task_queue_without_a_pool_rejects),
    TEST(a_plain_pool_is_no_pool_for_it),
    TEST(only_a_task_queue_that_no_pool_has_will_do),
    TEST(a_configuration_that_makes_no_sense_is_refused),
    TEST(by_default_its_queue_is_for_one),
    TEST(it_starts_all_its_workers_before_it_queues),
    TEST(a_plain_pool_queues_first),
    TEST(with_two_idle_workers_it_queues),
    TEST(it_keeps_one_worker_in_reserve),
    TEST(a_core_worker_comes_before_all_that),
    TEST(a_maximum_that_is_raised_is_used),
    TEST(what_a_pool_can_do_it_can_do),
    TEST(what_the_pool_rejects_is_offered_once_more),
    TEST(who_has_queued_a_task_looks_whether_a_worker_is_missing),
    TEST(after_shutdown_there_is_no_second_try),
    END_OF_TESTS,
};

const struct suite eager_suite = {.name = "eager", .tests = tests};
