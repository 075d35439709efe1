/* The end of what is in a repository. */
#include <stddef.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "repository_support.h"
#include "suite.h"
#include "support.h"

/* A pool with a task that runs and one that is queued. */
struct busy {
    gp_repository *repository;
    gp_pool *pool;
    struct job running;
    struct job queued;
};

static void busy_init(struct busy *busy, bool sleeps)
{
    busy->repository = repository_of();
    busy->pool = lease_common(busy->repository);
    if (sleeps)
        job_init_acting(&busy->running, sleep_until_interrupted, busy->pool);
    else
        job_init_holding(&busy->running);
    job_execute(busy->pool, &busy->running);
    latch_await(&busy->running.begun);
    job_init(&busy->queued);
    job_execute(busy->pool, &busy->queued);
}

static void busy_end(struct busy *busy)
{
    check_status(gp_repository_release(busy->repository, busy->pool), GP_OK);
    repository_end(busy->repository);
    check_int(busy->running.subject.destroyed, 1);
    check_int(busy->queued.subject.destroyed, 1);
}

static void after_it_there_is_a_new_one(void)
{
    gp_repository *repository = repository_of();
    gp_pool *dead = lease_common(repository);
    check_status(gp_repository_destroy_all(repository, 0), GP_OK);
    check(gp_pool_is_terminated(dead));
    gp_preset preset = limited_to(1, 2);
    gp_pool *none = NULL;
    check_status(gp_repository_get(repository, NULL, PORT, &preset, &none), GP_ENOTFOUND);
    gp_pool *fresh = lease_common(repository);
    struct job job;
    job_init(&job);
    job_run(fresh, &job);
    check_status(gp_repository_release(repository, fresh), GP_OK);
    check_status(gp_repository_release(repository, dead), GP_OK);
    repository_end(repository);
}

static void in_order_it_waits_for_what_is_queued(void)
{
    struct busy busy;
    busy_init(&busy, false);
    job_let_go(&busy.running);
    check_status(gp_repository_destroy_all(busy.repository, GP_FOREVER), GP_OK);
    check_int(busy.queued.subject.runs, 1);
    check(!busy.running.interrupted);
    busy_end(&busy);
}

static void without_grace_it_drops_and_interrupts(void)
{
    struct busy busy;
    busy_init(&busy, true);
    check_status(gp_repository_destroy_all(busy.repository, 0), GP_OK);
    check_status(busy.running.status, GP_EINTERRUPTED);
    check_int(busy.queued.subject.runs, 0);
    busy_end(&busy);
}

static void grace_comes_to_an_end(void)
{
    struct busy busy;
    busy_init(&busy, true);
    check_status(gp_repository_destroy_all(busy.repository, GP_MICROSECONDS(1)), GP_OK);
    check_status(busy.running.status, GP_EINTERRUPTED);
    check_int(busy.queued.subject.runs, 0);
    busy_end(&busy);
}

static void what_was_replaced_before_is_waited_for_as_well(void)
{
    struct busy busy;
    busy_init(&busy, true);
    gp_pool_shutdown(busy.pool);
    gp_pool *fresh = lease_common(busy.repository);
    check(fresh != busy.pool);
    check_status(gp_repository_destroy_all(busy.repository, 0), GP_OK);
    check(gp_pool_is_terminated(busy.pool));
    check(gp_pool_is_terminated(fresh));
    check_status(gp_repository_release(busy.repository, fresh), GP_OK);
    busy_end(&busy);
}

static void destroy_from_inside(struct job *job)
{
    job->status = gp_repository_destroy_all(job->context, GP_FOREVER);
}

static void from_inside_a_task_it_is_refused_but_for_the_rest(void)
{
    gp_repository *repository = repository_of();
    gp_pool *mine = lease_common(repository);
    gp_pool *shared = NULL;
    struct job job;
    require_ok(gp_repository_shared(repository, &shared));
    job_init_acting(&job, destroy_from_inside, mine);
    job.context = repository;
    job_run(mine, &job);
    check_status(job.status, GP_EDEADLK);
    check(gp_pool_is_shutdown(mine));
    check(gp_pool_is_terminated(shared));
    check_status(gp_repository_destroy_all(repository, 0), GP_OK);
    check(gp_pool_is_terminated(mine));
    check_status(gp_repository_release(repository, shared), GP_OK);
    check_status(gp_repository_release(repository, mine), GP_OK);
    repository_end(repository);
}

struct destroyer {
    gp_repository *repository;
    int status;
};

static void destroy_in_order(void *argument)
{
    struct destroyer *destroyer = argument;
    destroyer->status = gp_repository_destroy_all(destroyer->repository, GP_FOREVER);
}

static void who_is_interrupted_may_call_again(void)
{
    struct busy busy;
    struct helper helper;
    busy_init(&busy, false);
    struct destroyer destroyer = {.repository = busy.repository};
    helper_start(&helper, destroy_in_order, &destroyer);
    helper_await_asleep(&helper);
    helper_interrupt(&helper);
    helper_join(&helper);
    check_status(destroyer.status, GP_EINTERRUPTED);
    check(gp_pool_is_shutdown(busy.pool));
    job_let_go(&busy.running);
    check_status(gp_repository_destroy_all(busy.repository, GP_FOREVER), GP_OK);
    check_int(busy.queued.subject.runs, 1);
    busy_end(&busy);
}

static void two_wait_for_the_same_end(void)
{
    struct busy busy;
    struct helper helpers[2];
    struct destroyer destroyers[2];
    busy_init(&busy, false);
    for (int i = 0; i < 2; i++) {
        destroyers[i] = (struct destroyer){.repository = busy.repository, .status = GP_EBUSY};
        helper_start(&helpers[i], destroy_in_order, &destroyers[i]);
        helper_await_asleep(&helpers[i]);
    }
    job_let_go(&busy.running);
    for (int i = 0; i < 2; i++) {
        helper_join(&helpers[i]);
        check_status(destroyers[i].status, GP_OK);
    }
    busy_end(&busy);
}

static const struct test tests[] = {
    TEST(after_it_there_is_a_new_one),
    TEST(in_order_it_waits_for_what_is_queued),
    TEST(without_grace_it_drops_and_interrupts),
    TEST(grace_comes_to_an_end),
    TEST(what_was_replaced_before_is_waited_for_as_well),
    TEST(from_inside_a_task_it_is_refused_but_for_the_rest),
    TEST(who_is_interrupted_may_call_again),
    TEST(two_wait_for_the_same_end),
    END_OF_TESTS,
};

const struct suite repository_end_suite = {.name = "repository_end", .tests = tests};
