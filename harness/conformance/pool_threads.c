/* The list of a pool's threads, and what each of them runs. */
#include <string.h>

#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "suite.h"
#include "support.h"

static void a_pool_lists_its_threads(void)
{
    struct job running;
    gp_pool_thread threads[3] = {{.name = ""}};
    gp_pool *pool = pool_with(2, 2, NULL);
    check_int(gp_pool_threads(pool, threads, 3), 0);
    job_init_holding(&running);
    check_int(gp_pool_prestart_all_core(pool), 2);
    check(await_idle(pool, 2));
    check_int(gp_pool_threads(pool, threads, 3), 2);
    check(threads[0].runs == NULL && threads[1].runs == NULL);
    job_execute(pool, &running);
    latch_await(&running.begun);
    check_int(gp_pool_threads(pool, threads, 3), 2);
    check((threads[0].runs != NULL) != (threads[1].runs != NULL));
    const gp_pool_thread *busy = &threads[threads[0].runs == NULL];
    check_text(busy->name, running.name);
    check(busy->runs == (void (*)(void))job_callable(&running).call);
    job_let_go(&running);
    check(await_idle(pool, 2));
    check_int(gp_pool_threads(pool, threads, 3), 2);
    check(threads[0].runs == NULL && threads[1].runs == NULL);
    check_int(threads[0].completed + threads[1].completed, 1);
    pool_end(pool);
}

static void no_more_threads_are_written_than_fit(void)
{
    gp_pool_thread threads[2] = {{.name = ""}, {.name = "mine"}};
    gp_pool *pool = pool_with(2, 2, NULL);
    check_int(gp_pool_prestart_all_core(pool), 2);
    check_int(gp_pool_threads(pool, threads, 1), 2);
    check(strncmp(threads[0].name, "pool-", 5) == 0);
    check_text(threads[1].name, "mine");
    pool_end(pool);
}

static void a_thread_whose_task_has_ended_it_is_not_listed(void)
{
    struct job leaving;
    gp_pool_thread thread;
    gp_pool *pool = pool_with(1, 1, NULL);
    job_init_acting(&leaving, leave_by_exit, pool);
    job_execute(pool, &leaving);
    job_await_end(&leaving);
    check(await_idle(pool, 1)); /* its successor */
    check_int(gp_pool_threads(pool, &thread, 1), 1);
    check(thread.runs == NULL);
    check(strcmp(thread.name, leaving.name) != 0);
    pool_end(pool);
}

static const struct test tests[] = {
    TEST(a_pool_lists_its_threads),
    TEST(no_more_threads_are_written_than_fit),
    TEST(a_thread_whose_task_has_ended_it_is_not_listed),
    END_OF_TESTS,
};

const struct suite pool_threads_suite = {.name = "pool_threads", .tests = tests};
