/*
 * The pool: execute and its three steps; the run states from RUNNING to TERMINATED, and what each
 * call does in each of them.
 */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/queue.h"

#include "pool_support.h"
#include "queue_kinds.h"
#include "suite.h"
#include "support.h"

/* execute. */

static void below_the_core_size_each_task_starts_a_worker(void)
{
    gp_pool *pool = pool_with(2, 2, NULL);
    struct job first;
    struct job second;
    struct job third;
    job_init(&first);
    job_init(&second);
    job_init(&third);
    check_int(pool_size(pool), 0);
    job_run(pool, &first);
    check(await_idle(pool, 1));
    job_run(pool, &second); /* although one is idle */
    check_int(pool_size(pool), 2);
    check(await_idle(pool, 2));
    job_run(pool, &third);
    check_int(pool_size(pool), 2);
    pool_end(pool);
}

static void at_the_core_size_tasks_are_queued(void)
{
    gp_pool *pool = pool_with(1, 4, NULL);
    struct job running;
    struct job queued;
    job_init_holding(&running);
    job_init(&queued);
    gp_future *first = job_submit(pool, &running);
    latch_await(&running.begun);
    gp_future *second = job_submit(pool, &queued);
    check_int(pool_queued(pool), 1);
    check_int(pool_size(pool), 1);
    job_let_go(&running);
    future_end(first, GP_OK);
    future_end(second, GP_OK);
    pool_end(pool);
}

static void when_the_queue_is_full_a_worker_is_added_for_the_new_task(void)
{
    gp_pool *pool = pool_with(1, 2, linked_of(1));
    struct job running;
    struct job queued;
    struct job overtaking;
    job_init_holding(&running);
    job_init(&queued);
    job_init_holding(&overtaking);
    job_execute(pool, &running);
    latch_await(&running.begun);
    job_execute(pool, &queued);
    job_execute(pool, &overtaking);
    latch_await(&overtaking.begun); /* before the one in the queue */
    check_int(pool_size(pool), 2);
    check_int(pool_queued(pool), 1);
    check_int(queued.subject.runs, 0);
    job_let_go(&running);
    job_let_go(&overtaking);
    pool_end(pool);
    check_int(queued.subject.runs, 1);
}

static void when_queue_and_maximum_are_used_up_the_task_is_rejected(void)
{
    struct saturated saturated;
    struct job refused;
    gp_future *future = NULL;
    saturate(&saturated, (gp_rejection){0});
    job_init(&refused);
    gp_callable callable = job_callable(&refused);
    check_status(gp_pool_submit(saturated.pool, &callable, &future), GP_EREJECTED);
    check(future == NULL);
    check_status(gp_pool_execute(saturated.pool, run_nothing, NULL), GP_EREJECTED);
    check_int(refused.subject.runs, 0);
    check_int(refused.subject.destroyed, 1);
    saturated_end(&saturated);
}

static void with_core_size_zero_a_queued_task_gets_a_worker(void)
{
    gp_pool *pool = pool_with(0, 1, NULL);
    struct job job;
    job_init(&job);
    job_run(pool, &job);
    check(await_pool_size(pool, 0)); /* keep-alive 0 */
    job_init(&job);
    job_run(pool, &job);
    pool_end(pool);
}

static void note_run(void *argument)
{
    latch_count_down(argument);
}

static void execute_runs_a_plain_function(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct latch ran;
    latch_init(&ran, 3);
    for (int i = 0; i < 3; i++)
        check_status(gp_pool_execute(pool, note_run, &ran), GP_OK);
    latch_await(&ran);
    pool_end(pool);
}

/* The first function is its worker's; a delayed queue does not take the second one. */
static void execute_works_with_each_kind_of_queue(void)
{
    for (const struct queue_kind *kind = first_kind(); kind != NULL; kind = next_kind(kind)) {
        gp_queue *queue = queue_of(kind);
        bool delayed = queue->class->delayed != NULL;
        gp_pool *pool = pool_with(1, 1, queue);
        struct latch ran;
        latch_init(&ran, delayed ? 1 : 3);
        for (int i = 0; i < 3; i++)
            check_status(gp_pool_execute(pool, note_run, &ran),
                         delayed && i > 0 ? GP_EINVAL : GP_OK);
        latch_await(&ran);
        pool_end(pool);
    }
}

static void execute_refuses_nothing_to_do_and_no_pool(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    gp_task *task = job_task(&job);
    check_status(gp_pool_execute(pool, NULL, NULL), GP_EINVAL);
    check_status(gp_pool_execute(NULL, run_nothing, NULL), GP_EINVAL);
    check_status(gp_pool_execute_task(pool, NULL), GP_EINVAL);
    check_status(gp_pool_execute_task(NULL, task), GP_EINVAL);
    check_int(job.subject.destroyed, 0);
    gp_task_discard(task);
    pool_end(pool);
}

/* Jobs that note the order of their runs. */
struct order {
    int next; /* written by a single worker */
    int seen[8];
};

static void note_order(struct job *job)
{
    struct order *order = job->context;
    order->seen[order->next++] = job->status;
}

static void a_single_worker_runs_tasks_in_the_order_of_the_queue(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct order order = {0};
    struct job jobs[8];
    for (int i = 0; i < 8; i++) {
        job_init_acting(&jobs[i], note_order, pool);
        jobs[i].context = &order;
        jobs[i].status = i;
        job_execute(pool, &jobs[i]);
    }
    pool_end(pool);
    for (int i = 0; i < 8; i++)
        check_int(order.seen[i], i);
}

static int compare_jobs(const gp_task *left, const gp_task *right)
{
    const struct subject *first = gp_task_argument(left);
    const struct subject *second = gp_task_argument(right);
    return ((const struct job *)first->context)->status -
           ((const struct job *)second->context)->status;
}

static void a_priority_queue_decides_who_is_next(void)
{
    gp_queue *queue = NULL;
    struct order order = {0};
    struct job holding;
    struct job jobs[4];
    require_ok(gp_priority_new(compare_jobs, &queue));
    gp_pool *pool = pool_with(1, 1, queue);
    job_init_holding(&holding);
    job_execute(pool, &holding);
    latch_await(&holding.begun);
    for (int i = 0; i < 4; i++) {
        job_init_acting(&jobs[i], note_order, pool);
        jobs[i].context = &order;
        jobs[i].status = 4 - i;
        job_execute(pool, &jobs[i]);
    }
    job_let_go(&holding);
    pool_end(pool);
    for (int i = 0; i < 4; i++)
        check_int(order.seen[i], i + 1);
}

static void execute_another(struct job *job)
{
    job->status = gp_pool_execute_task(job->pool, job_task(job->context));
}

static void a_task_may_give_its_own_pool_work(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job inner;
    struct job outer;
    job_init(&inner);
    job_init_acting(&outer, execute_another, pool);
    outer.context = &inner;
    job_execute(pool, &outer);
    latch_await(&inner.begun);
    pool_end(pool);
    check_status(outer.status, GP_OK);
}

static void two_pools_never_meet(void)
{
    gp_pool *first = pool_with(1, 1, NULL);
    gp_pool *second = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    job_run(first, &job);
    pool_end(first);
    for (int i = 0; i < 10; i++) {
        job_init(&job);
        job_run(second, &job);
    }
    check(!gp_pool_is_shutdown(second));
    pool_end(second);
}

/* Run states. */

static void a_new_pool_is_running(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    check(!gp_pool_is_shutdown(pool));
    check(!gp_pool_is_terminating(pool));
    check(!gp_pool_is_terminated(pool));
    check_int(gp_pool_check(pool), 0);
    pool_end(pool);
}

static void a_pool_that_never_started_terminates(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    gp_pool_shutdown(pool);
    check(gp_pool_is_shutdown(pool));
    check(gp_pool_is_terminated(pool));
    check(!gp_pool_is_terminating(pool));
    check_status(gp_pool_await_termination(pool, 0), GP_OK);
    check_status(gp_pool_free(pool), GP_OK);
}

static void shutdown_runs_what_is_queued_and_takes_no_more(void)
{
    struct saturated saturated;
    struct job refused;
    saturate(&saturated, (gp_rejection){0});
    gp_pool_shutdown(saturated.pool);
    check(gp_pool_is_shutdown(saturated.pool));
    check(gp_pool_is_terminating(saturated.pool));
    check(!gp_pool_is_terminated(saturated.pool));
    job_init(&refused);
    check_status(gp_pool_execute_task(saturated.pool, job_task(&refused)), GP_EREJECTED);
    check_int(refused.subject.destroyed, 1);
    gp_pool_shutdown(saturated.pool); /* twice is fine */
    job_let_go(&saturated.running);
    check_status(gp_pool_await_termination(saturated.pool, GP_FOREVER), GP_OK);
    check(gp_pool_is_terminated(saturated.pool));
    check_int(saturated.queued.subject.runs, 1);
    check(!saturated.running.interrupted);
    saturated_end(&saturated);
}

static void shutdown_sends_idle_workers_home(void)
{
    gp_pool *pool = pool_with(3, 3, NULL);
    check_int(gp_pool_prestart_all_core(pool), 3);
    check(await_idle(pool, 3));
    gp_pool_shutdown(pool);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    check_int(pool_size(pool), 0);
    pool_end(pool);
}

static void a_shut_down_pool_stays_so_whatever_comes(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    gp_task_list unrun;
    gp_pool_shutdown(pool);
    gp_pool_shutdown_now(pool, &unrun);
    check_int(unrun.count, 0);
    gp_pool_shutdown(pool);
    gp_pool_shutdown_now(pool, NULL);
    check(gp_pool_is_terminated(pool));
    check_status(gp_pool_execute(pool, run_nothing, NULL), GP_EREJECTED);
    check_status(gp_pool_prestart_core(pool), GP_EREJECTED);
    check_int(gp_pool_prestart_all_core(pool), 0);
    check_int(gp_pool_check(pool), 0);
    pool_end(pool);
}

/* What a terminated hook sees of its pool. */
struct seen_at_the_end {
    gp_pool *pool;
    int calls;
    bool terminating;
    bool terminated;
    size_t queued;
    int size;
    struct gate *gate; /* or NULL: do not wait */
    struct latch begun;
};

static void look_at_pool(void *context)
{
    struct seen_at_the_end *seen = context;
    seen->calls++;
    seen->terminating = gp_pool_is_terminating(seen->pool);
    seen->terminated = gp_pool_is_terminated(seen->pool);
    seen->queued = pool_queued(seen->pool);
    seen->size = pool_size(seen->pool);
    latch_count_down(&seen->begun);
    if (seen->gate != NULL)
        gate_pass(seen->gate);
}

static gp_pool *pool_seen(struct seen_at_the_end *seen)
{
    gp_pool_config config = config_with(1, 1, NULL);
    config.hooks = (gp_pool_hooks){.terminated = look_at_pool, .context = seen};
    latch_init(&seen->begun, 1);
    seen->pool = pool_of(&config);
    return seen->pool;
}

static void the_terminated_hook_runs_once_between_tidying_and_terminated(void)
{
    struct seen_at_the_end seen = {0};
    gp_pool *pool = pool_seen(&seen);
    struct job job;
    job_init(&job);
    job_execute(pool, &job);
    gp_pool_shutdown(pool);
    gp_pool_shutdown(pool);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    gp_pool_shutdown_now(pool, NULL);
    check_int(seen.calls, 1);
    check(seen.terminating);
    check(!seen.terminated);
    check_int(seen.queued, 0);
    check_int(seen.size, 0);
    pool_end(pool);
    check_int(seen.calls, 1);
}

static void while_the_hook_runs_the_pool_is_tidying_and_not_terminated(void)
{
    struct seen_at_the_end seen = {0};
    struct gate gate;
    struct job job;
    gate_init(&gate);
    seen.gate = &gate;
    gp_pool *pool = pool_seen(&seen);
    job_init_holding(&job);
    job_execute(pool, &job);
    gp_pool_shutdown(pool); /* with the task at work, so that its worker is the one to terminate */
    job_let_go(&job);
    latch_await(&seen.begun);
    check_int(gp__pool_load_ctl(pool), gp__ctl_of(GP__TIDYING, 0));
    check(gp_pool_is_terminating(pool));
    check_status(gp_pool_await_termination(pool, GP_MILLISECONDS(1)), GP_ETIMEDOUT);
    check_status(gp_pool_free(pool), GP_EBUSY);
    check_int(gp_pool_check(pool), 0);
    gate_open(&gate, 1);
    pool_end(pool);
}

/* shutdown_now. */

static void shutdown_now_hands_back_what_was_queued_in_order(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job running;
    struct job queued[3];
    gp_task_list unrun;
    job_init_holding(&running);
    job_execute(pool, &running);
    latch_await(&running.begun);
    for (int i = 0; i < 3; i++) {
        job_init(&queued[i]);
        job_execute(pool, &queued[i]);
    }
    gp_pool_shutdown_now(pool, &unrun);
    check_int(unrun.count, 3);
    for (int i = 0; i < 3; i++) {
        gp_task *task = gp_task_list_pop(&unrun);
        check(gp_task_argument(task) == &queued[i].subject);
        check_int(queued[i].subject.destroyed, 0); /* it is ours now */
        gp_task_run(task);
        check_int(queued[i].subject.runs, 1);
        check_int(queued[i].subject.destroyed, 1);
    }
    job_let_go(&running);
    pool_end(pool);
}

static void shutdown_now_interrupts_what_runs(void)
{
    gp_pool *pool = pool_with(2, 2, NULL);
    struct job jobs[2];
    gp_future *futures[2];
    for (int i = 0; i < 2; i++) {
        job_init_acting(&jobs[i], sleep_until_interrupted, pool);
        futures[i] = job_submit(pool, &jobs[i]);
        latch_await(&jobs[i].begun);
    }
    gp_pool_shutdown_now(pool, NULL);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    for (int i = 0; i < 2; i++) {
        check_status(jobs[i].status, GP_EINTERRUPTED);
        future_end(futures[i], GP_OK); /* it was not cancelled, only interrupted */
    }
    pool_end(pool);
}

static void shutdown_now_without_a_list_discards_and_cancels(void)
{
    struct saturated saturated;
    saturate(&saturated, (gp_rejection){0});
    gp_pool_shutdown_now(saturated.pool, NULL);
    check_status(gp_future_get(saturated.queued_future, NULL), GP_ECANCELLED);
    check_int(saturated.queued.subject.destroyed, 1);
    check_int(saturated.queued.subject.runs, 0);
    check(!gp_future_is_done(saturated.running_future));
    saturated_end(&saturated);
    check(saturated.running.interrupted);
}

static void shutdown_now_after_shutdown_stops_what_was_still_to_run(void)
{
    struct saturated saturated;
    gp_task_list unrun;
    saturate(&saturated, (gp_rejection){0});
    gp_pool_shutdown(saturated.pool);
    gp_pool_shutdown_now(saturated.pool, &unrun);
    check_int(unrun.count, 1);
    gp_task_list_discard(&unrun);
    saturated_end(&saturated);
    check(saturated.running.interrupted);
    check_int(saturated.queued.subject.runs, 0);
}

static void stop_own_pool(struct job *job)
{
    gp_pool_shutdown_now(job->pool, NULL);
    job->status = gp_sleep(GP_SECONDS(3600));
}

static void a_task_that_stops_its_own_pool_is_interrupted_itself(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init_acting(&job, stop_own_pool, pool);
    job_run(pool, &job);
    check_status(job.status, GP_EINTERRUPTED);
    pool_end(pool);
}

static const struct test tests[] = {
    TEST(below_the_core_size_each_task_starts_a_worker),
    TEST(at_the_core_size_tasks_are_queued),
    TEST(when_the_queue_is_full_a_worker_is_added_for_the_new_task),
    TEST(when_queue_and_maximum_are_used_up_the_task_is_rejected),
    TEST(with_core_size_zero_a_queued_task_gets_a_worker),
    TEST(execute_runs_a_plain_function),
    TEST(execute_works_with_each_kind_of_queue),
    TEST(execute_refuses_nothing_to_do_and_no_pool),
    TEST(a_single_worker_runs_tasks_in_the_order_of_the_queue),
    TEST(a_priority_queue_decides_who_is_next),
    TEST(a_task_may_give_its_own_pool_work),
    TEST(two_pools_never_meet),
    TEST(a_new_pool_is_running),
    TEST(a_pool_that_never_started_terminates),
    TEST(shutdown_runs_what_is_queued_and_takes_no_more),
    TEST(shutdown_sends_idle_workers_home),
    TEST(a_shut_down_pool_stays_so_whatever_comes),
    TEST(the_terminated_hook_runs_once_between_tidying_and_terminated),
    TEST(while_the_hook_runs_the_pool_is_tidying_and_not_terminated),
    TEST(shutdown_now_hands_back_what_was_queued_in_order),
    TEST(shutdown_now_interrupts_what_runs),
    TEST(shutdown_now_without_a_list_discards_and_cancels),
    TEST(shutdown_now_after_shutdown_stops_what_was_still_to_run),
    TEST(a_task_that_stops_its_own_pool_is_interrupted_itself),
    END_OF_TESTS,
};

const struct suite pool_suite = {.name = "pool", .tests = tests};
