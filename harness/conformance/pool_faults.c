/*
 * Faults: memory, locks and threads that are not to be had, at each point of each call; and
 * configurations that make no sense. A call that fails so has changed nothing: no argument is
 * touched, nothing leaks (the leak checkers look), and the pool works afterwards.
 */
#include <stdint.h>

#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

static bool is_want(int status)
{
    return status == GP_ENOMEM || status == GP_EAGAIN;
}

/* Making. */

static void gp_pool_new_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    gp_pool_config config = config_with(1, 1, NULL);
    while (fault_walk_next(&walk)) {
        gp_pool *pool = NULL;
        int status = gp_pool_new(&config, &pool);
        if (fault_walk_hit(&walk)) {
            check_status(status, GP_ENOMEM);
            check(pool == NULL);
        } else {
            check_status(status, GP_OK);
            pool_end(pool);
        }
    }
    check(walk.point > 4);
}

static void a_queue_stays_its_makers_if_no_pool_is_made(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_pool *pool = NULL;
        fault_disarm();
        gp_pool_config config = config_with(1, 1, linked_of(3));
        fault_arm(walk.kinds, walk.point, FAULT_THIS_THREAD);
        int status = gp_pool_new(&config, &pool);
        if (fault_walk_hit(&walk)) {
            check_status(status, GP_ENOMEM);
            check_status(gp_queue_free(config.queue), GP_OK);
        } else {
            check_status(status, GP_OK);
            pool_end(pool);
        }
    }
}

static void check_config(const gp_pool_config *config)
{
    gp_pool *pool = NULL;
    check_status(gp_pool_new(config, &pool), GP_EINVAL);
    check(pool == NULL);
}

static void a_configuration_that_makes_no_sense_is_refused(void)
{
    static const struct {
        int core_size;
        int maximum_size;
        int64_t keep_alive;
        bool core_timeout;
    } bad[] = {
        {-1, 1, 0, false}, {0, 0, 0, false},         {1, 0, 0, false},
        {2, 1, 0, false},  {0, -1, 0, false},        {INT32_MIN, INT32_MIN, 0, false},
        {1, 1, -1, false}, {1, INT32_MAX, 0, false}, {1, 1, INT64_MIN, false},
        {1, 1, 0, true},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gp_pool_config config = config_with(bad[i].core_size, bad[i].maximum_size, NULL);
        config.keep_alive = bad[i].keep_alive;
        config.core_timeout = bad[i].core_timeout;
        check_config(&config);
    }
    gp_pool_config good = config_with(1, 1, NULL);
    check_config(NULL);
    check_status(gp_pool_new(&good, NULL), GP_EINVAL);
}

static void the_limits_of_sense_are_accepted(void)
{
    gp_pool_config config = config_with(0, GP__COUNT_MASK, NULL);
    config.keep_alive = INT64_MAX;
    config.core_timeout = true;
    gp_pool *pool = pool_of(&config);
    struct job job;
    check_int(gp_pool_keep_alive(pool), INT64_MAX);
    check_int(gp_pool_maximum_size(pool), GP__COUNT_MASK);
    check_int(gp_pool_core_size(pool), 0);
    job_init(&job);
    job_run(pool, &job);
    pool_end(pool);
}

/* Giving it work: a pool without a worker, visited at each fault point of one call. */

struct visit {
    gp_pool *pool;
    struct job jobs[3];
    gp_callable callables[3];
    gp_future *futures[3];
    void *result;
};

static int visit_execute_task(struct visit *visit)
{
    gp_task *task = visit->result;
    int status = gp_pool_execute_task(visit->pool, task);
    if (status != GP_OK) {
        check_int(visit->jobs[0].subject.destroyed, 0);
        gp_task_discard(task);
        visit->jobs[0].subject.destroyed = 0;
    }
    return status;
}

static int visit_execute(struct visit *visit)
{
    return gp_pool_execute(visit->pool, run_nothing, NULL);
}

static int visit_submit(struct visit *visit)
{
    return gp_pool_submit(visit->pool, &visit->callables[0], &visit->futures[0]);
}

static int visit_submit_without_handle(struct visit *visit)
{
    return gp_pool_submit(visit->pool, &visit->callables[0], NULL);
}

static int visit_invoke_all(struct visit *visit)
{
    return gp_pool_invoke_all(visit->pool, visit->callables, 3, GP_FOREVER, visit->futures);
}

static int visit_invoke_any(struct visit *visit)
{
    return gp_pool_invoke_any(visit->pool, visit->callables, 3, GP_FOREVER, &visit->result);
}

static void visit_init(struct visit *visit, gp_pool *pool)
{
    *visit = (struct visit){.pool = pool};
    for (int i = 0; i < 3; i++) {
        job_init(&visit->jobs[i]);
        visit->callables[i] = job_callable(&visit->jobs[i]);
    }
}

static int count_destroyed(struct visit *visit)
{
    int destroyed = 0;
    for (int i = 0; i < 3; i++)
        destroyed += visit->jobs[i].subject.destroyed;
    return destroyed;
}

/* How many of `given` arguments the call has used up, as the headers have it. */
static int used_up(int status, int given)
{
    if (status == GP_ENOMEM || status == GP_EINVAL)
        return 0;
    return status == GP_EAGAIN && given == 1 ? 0 : given;
}

static void visit_end(struct visit *visit, int status, int given)
{
    struct job job;
    for (int i = 0; i < 3; i++)
        gp_future_release(visit->futures[i]);
    check_status(gp_pool_await_quiescence(visit->pool, long_enough()), GP_OK);
    job_init(&job); /* the pool is as good as ever */
    job_run(visit->pool, &job);
    check_int(gp_pool_check(visit->pool), 0);
    pool_end(visit->pool);
    check_int(count_destroyed(visit), used_up(status, given));
}

static void walk_faults(int (*call)(struct visit *), unsigned kinds, int core_size, gp_queue *queue,
                        int given)
{
    struct fault_walk walk = {.kinds = kinds};
    bool synchronously = queue != NULL;
    gp_queue_free(queue);
    while (!walk.over) {
        struct visit visit;
        visit_init(&visit, pool_with(core_size, 3, synchronously ? synchronous() : NULL));
        if (call == visit_execute_task)
            visit.result = job_task(&visit.jobs[0]);
        fault_walk_next(&walk);
        int status = call(&visit);
        if (fault_walk_hit(&walk))
            check(status == GP_OK || status == GP_EREJECTED || is_want(status));
        else
            check_status(status, GP_OK);
        visit_end(&visit, status, given);
    }
    check(walk.point > 1);
}

static void walk_pools(int (*call)(struct visit *), int given)
{
    walk_faults(call, FAULT_ANY, 1, NULL, given);
    walk_faults(call, FAULT_ANY, 0, NULL, given);
    walk_faults(call, FAULT_ANY, 0, synchronous(), given);
}

static void execute_fails_cleanly_at_each_point(void)
{
    walk_pools(visit_execute, 0);
    walk_pools(visit_execute_task, 1);
}

static void submit_fails_cleanly_at_each_point(void)
{
    walk_pools(visit_submit, 1);
    walk_pools(visit_submit_without_handle, 1);
}

static void invoke_all_fails_cleanly_at_each_point(void)
{
    walk_pools(visit_invoke_all, 3);
}

static void invoke_any_fails_cleanly_at_each_point(void)
{
    walk_pools(visit_invoke_any, 3);
}

/* Everything fails, not only one call of many. */

static void without_threads_a_task_goes_back_to_its_caller(void)
{
    gp_pool *pool = pool_with(2, 2, NULL);
    struct job job;
    job_init(&job);
    gp_callable callable = job_callable(&job);
    gp_future *future = NULL;
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    int submitted = gp_pool_submit(pool, &callable, &future);
    int executed = gp_pool_execute(pool, run_nothing, NULL);
    int prestarted = gp_pool_prestart_core(pool);
    int all = gp_pool_prestart_all_core(pool);
    check(fault_disarm() > 3);
    check_status(submitted, GP_EAGAIN);
    check_status(executed, GP_EAGAIN);
    check_status(prestarted, GP_EAGAIN);
    check_int(all, 0);
    check(future == NULL);
    check_int(job.subject.destroyed, 0);
    check_int(pool_size(pool), 0);
    check_int(pool_queued(pool), 0);
    job_run(pool, &job);
    pool_end(pool);
    check_int(job.subject.destroyed, 1);
}

static void without_threads_a_pool_makes_do_with_the_workers_it_has(void)
{
    gp_pool *pool = pool_with(3, 3, NULL);
    struct job job;
    check_status(gp_pool_prestart_core(pool), GP_OK);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    for (int i = 0; i < 5; i++) {
        job_init(&job);
        job_run(pool, &job);
    }
    check(fault_disarm() >= 5);
    check_int(pool_size(pool), 1);
    pool_end(pool);
}

static int compare_nothing(const gp_task *left, const gp_task *right)
{
    (void)left;
    (void)right;
    return 0;
}

/* One that has to grow, and cannot, is as good as full. */
static void what_a_queue_has_no_memory_for_gets_a_worker_of_its_own(void)
{
    gp_queue *queue = NULL;
    struct job holding;
    struct subject subject = {0};
    int given = 0;
    require_ok(gp_priority_new(compare_nothing, &queue));
    gp_pool *pool = pool_with(1, 2, queue);
    job_init_holding(&holding);
    job_execute(pool, &holding);
    for (unsigned faults = 0; faults == 0; given++) {
        gp_task *task = task_of(&subject);
        fault_arm(FAULT_MEMORY, 1, FAULT_THIS_THREAD);
        int status = gp_pool_execute_task(pool, task);
        faults = fault_disarm();
        check_status(status, GP_OK);
        check_int(pool_size(pool), faults == 0 ? 1 : 2);
    }
    check(await_completed(pool, (uint64_t)given)); /* all by that worker */
    job_let_go(&holding);
    pool_end(pool);
    check_int(subject.runs, given);
}

/* There are workers, so it is as if no more were allowed. */
static void with_a_full_queue_and_no_thread_the_task_is_rejected(void)
{
    struct saturated saturated;
    struct job job;
    saturate(&saturated, (gp_rejection){0});
    check_status(gp_pool_set_maximum_size(saturated.pool, 2), GP_OK);
    job_init(&job);
    gp_task *task = job_task(&job);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_THIS_THREAD);
    int status = gp_pool_execute_task(saturated.pool, task);
    check_int(fault_disarm(), 1);
    check_status(status, GP_EREJECTED);
    check_int(job.subject.destroyed, 1);
    saturated_end(&saturated);
}

/* Its successor has failed, and is not counted any more. In this order: before the failure the
   count is zero for a moment, between the two. */
static bool worker_has_left(void *argument)
{
    gp_pool *pool = argument;
    return fault_calls() > 0 && gp__worker_count_of(gp__pool_load_ctl(pool)) == 0;
}

/* A pool with a queued task and no worker: the last one has left, and could not be replaced. */
static gp_future *strand(gp_pool *pool, struct job *leaving, struct job *waiting)
{
    job_init_holding(leaving);
    leaving->action = leave_by_exit;
    job_init(waiting);
    job_execute(pool, leaving);
    latch_await(&leaving->begun);
    gp_future *future = job_submit(pool, waiting);
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    job_let_go(leaving);
    check(eventually(worker_has_left, pool));
    fault_disarm();
    check_int(pool_queued(pool), 1);
    return future;
}

static void a_worker_that_could_not_be_replaced_is_replaced_by_the_next_submission(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job leaving;
    struct job waiting;
    struct job next;
    gp_future *future = strand(pool, &leaving, &waiting);
    job_init(&next);
    job_run(pool, &next);
    future_end(future, GP_OK);
    pool_end(pool);
}

static void a_worker_that_could_not_be_replaced_is_replaced_by_shutdown(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job leaving;
    struct job waiting;
    gp_future *future = strand(pool, &leaving, &waiting);
    gp_pool_shutdown(pool);
    future_end(future, GP_OK);
    pool_end(pool);
}

/* A thread that has no record yet gets one when it waits; what if it does not? */

struct recordless {
    struct visit *visit;
    int (*call)(struct visit *);
    unsigned point;
    bool hit;
    int status;
};

static void call_without_record(void *argument)
{
    struct recordless *recordless = argument;
    fault_arm(FAULT_ANY, recordless->point, FAULT_THIS_THREAD);
    recordless->status = recordless->call(recordless->visit);
    recordless->hit = fault_disarm() > 0;
}

/* The jobs hold, so that the caller has to wait; with its fault it may return at once. */
static void visit_from_bare_thread(struct recordless *recordless)
{
    struct visit visit;
    struct helper helper;
    visit_init(&visit, pool_with(3, 3, NULL));
    for (int i = 0; i < 3; i++)
        visit.jobs[i].holds = true;
    recordless->visit = &visit;
    helper_start_bare(&helper, call_without_record, recordless);
    helper_await_asleep(&helper);
    for (int i = 0; i < 3; i++)
        job_let_go(&visit.jobs[i]);
    helper_join(&helper);
    check(recordless->hit || recordless->status == GP_OK);
    visit_end(&visit, recordless->status, 3);
}

static void walk_from_bare_threads(int (*call)(struct visit *))
{
    struct recordless recordless = {.call = call, .hit = true};
    while (recordless.hit) {
        recordless.point++;
        visit_from_bare_thread(&recordless);
    }
    check(recordless.point > 4);
}

static void invoke_all_without_a_record_says_truly_whose_the_arguments_are(void)
{
    walk_from_bare_threads(visit_invoke_all);
}

static void invoke_any_without_a_record_says_truly_whose_the_arguments_are(void)
{
    walk_from_bare_threads(visit_invoke_any);
}

struct waiting {
    gp_pool *pool;
    int (*await)(gp_pool *, int64_t);
    int status;
};

static void await_without_memory(void *argument)
{
    struct waiting *waiting = argument;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    waiting->status = waiting->await(waiting->pool, HOUR);
    fault_disarm();
}

static void a_wait_without_memory_for_a_record_fails(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    struct waiting ends[2] = {{.pool = pool, .await = gp_pool_await_termination},
                              {.pool = pool, .await = gp_pool_await_quiescence}};
    job_init_holding(&job);
    job_execute(pool, &job);
    for (int i = 0; i < 2; i++) {
        struct helper helper;
        helper_start_bare(&helper, await_without_memory, &ends[i]);
        helper_join(&helper);
        check_status(ends[i].status, GP_ENOMEM);
    }
    job_let_go(&job);
    pool_end(pool);
}

static const struct test tests[] = {
    TEST(gp_pool_new_fails_cleanly_at_each_point),
    TEST(a_queue_stays_its_makers_if_no_pool_is_made),
    TEST(a_configuration_that_makes_no_sense_is_refused),
    TEST(the_limits_of_sense_are_accepted),
    TEST(execute_fails_cleanly_at_each_point),
    TEST(submit_fails_cleanly_at_each_point),
    TEST(invoke_all_fails_cleanly_at_each_point),
    TEST(invoke_any_fails_cleanly_at_each_point),
    TEST(without_threads_a_task_goes_back_to_its_caller),
    TEST(without_threads_a_pool_makes_do_with_the_workers_it_has),
    TEST(what_a_queue_has_no_memory_for_gets_a_worker_of_its_own),
    TEST(with_a_full_queue_and_no_thread_the_task_is_rejected),
    TEST(a_worker_that_could_not_be_replaced_is_replaced_by_the_next_submission),
    TEST(a_worker_that_could_not_be_replaced_is_replaced_by_shutdown),
    TEST(invoke_all_without_a_record_says_truly_whose_the_arguments_are),
    TEST(invoke_any_without_a_record_says_truly_whose_the_arguments_are),
    TEST(a_wait_without_memory_for_a_record_fails),
    END_OF_TESTS,
};

const struct suite pool_faults_suite = {.name = "pool_faults", .tests = tests};
