/* The repository: who is given which pool, leases, and updates. */
#include <limits.h> /* INT_MAX */
#include <pthread.h>
#include <stddef.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/queue.h"

#include "fault.h"
#include "pool_support.h"
#include "repository_support.h"
#include "suite.h"
#include "support.h"

/* Finding. */

static gp_pool *lease_of(gp_repository *repository, const char *side, int port)
{
    gp_preset preset = GP_PRESET_FIXED_DEFAULT;
    gp_pool *pool = NULL;
    require_ok(gp_repository_create_if_absent(repository, side, port, &preset, &pool));
    return pool;
}

static void check_same(gp_repository *repository, const char *side, gp_pool *expected, bool same)
{
    gp_pool *pool = lease_of(repository, side, PORT);
    check((pool == expected) == same);
    check_status(gp_repository_release(repository, pool), GP_OK);
}

static void the_side_of_the_consumer_is_recognised_without_regard_to_case(void)
{
    gp_repository *repository = repository_of();
    gp_pool *consumer = lease_of(repository, "consumer", PORT);
    gp_pool *common = lease_of(repository, NULL, PORT);
    check(consumer != common);
    check_same(repository, "CONSUMER", consumer, true);
    check_same(repository, "Consumer", consumer, true);
    check_same(repository, "provider", common, true);
    check_same(repository, "", common, true);
    check_same(repository, "consume", common, true);
    check_same(repository, "consumers", common, true);
    check_same(repository, "con\023umer", common, true);
    check_same(repository, "provider", consumer, false);
    check_status(gp_repository_release(repository, consumer), GP_OK);
    check_status(gp_repository_release(repository, common), GP_OK);
    repository_end(repository);
}

static void each_port_has_a_pool_of_its_own(void)
{
    gp_repository *repository = repository_of();
    gp_pool *pools[3];
    for (int i = 0; i < 3; i++)
        pools[i] = lease_of(repository, NULL, PORT + i % 2);
    check(pools[0] != pools[1]);
    check(pools[0] == pools[2]);
    for (int i = 0; i < 3; i++)
        check_status(gp_repository_release(repository, pools[i]), GP_OK);
    repository_end(repository);
}

static void the_preset_is_looked_at_when_the_pool_is_made(void)
{
    gp_repository *repository = repository_of();
    gp_pool *pool = lease_common(repository);
    gp_preset other = limited_to(3, 4);
    gp_pool *again = NULL;
    check_status(gp_repository_create_if_absent(repository, NULL, PORT, &other, &again), GP_OK);
    check(again == pool);
    check_int(gp_pool_core_size(pool), 1);
    check_int(gp_pool_maximum_size(pool), 2);
    gp_pool_shutdown(pool);
    gp_pool *fresh = NULL;
    check_status(gp_repository_create_if_absent(repository, NULL, PORT, &other, &fresh), GP_OK);
    check_int(gp_pool_core_size(fresh), 3);
    check_int(gp_pool_maximum_size(fresh), 4);
    check_status(gp_repository_release(repository, pool), GP_OK);
    check_status(gp_repository_release(repository, pool), GP_OK);
    check_status(gp_repository_release(repository, fresh), GP_OK);
    repository_end(repository);
}

static void get_never_makes_one_where_there_was_none(void)
{
    gp_repository *repository = repository_of();
    gp_preset preset = limited_to(1, 2);
    gp_pool *none = NULL;
    check_status(gp_repository_get(repository, NULL, PORT, &preset, &none), GP_ENOTFOUND);
    gp_pool *pool = lease_common(repository);
    check_status(gp_repository_get(repository, NULL, PORT + 1, &preset, &none), GP_ENOTFOUND);
    check_status(gp_repository_get(repository, "consumer", PORT, &preset, &none), GP_ENOTFOUND);
    check(none == NULL);
    gp_pool *found = NULL;
    check_status(gp_repository_get(repository, "provider", PORT, &preset, &found), GP_OK);
    check(found == pool);
    check_status(gp_repository_release(repository, found), GP_OK);
    check_status(gp_repository_release(repository, pool), GP_OK);
    repository_end(repository);
}

static void one_pool_is_shared_by_all(void)
{
    gp_repository *repository = repository_of();
    gp_pool *common = lease_of(repository, NULL, 0);
    gp_pool *shared = NULL;
    gp_pool *again = NULL;
    struct job job;
    check_status(gp_repository_shared(repository, &shared), GP_OK);
    check_status(gp_repository_shared(repository, &again), GP_OK);
    check(shared == again);
    check(shared != common);
    check_int(gp_pool_core_size(shared), 0);
    check_int(gp_pool_maximum_size(shared), GP__COUNT_MASK);
    check_int(gp_pool_keep_alive(shared), GP_SECONDS(60));
    check(gp__queue_holds_nothing(shared->queue));
    job_init(&job);
    job_run(shared, &job);
    check_text(job.name, "DubboShared-thread-1");
    check_status(gp_repository_release(repository, shared), GP_OK);
    check_status(gp_repository_release(repository, again), GP_OK);
    check_status(gp_repository_release(repository, common), GP_OK);
    repository_end(repository);
}

static void nonsense_is_refused(void)
{
    gp_repository *repository = repository_of();
    gp_preset preset = limited_to(1, 2);
    gp_preset nonsense = limited_to(1, 0);
    gp_pool *pool = NULL;
    check_status(gp_repository_new(NULL, NULL), GP_EINVAL);
    check_status(gp_repository_create_if_absent(NULL, NULL, PORT, &preset, &pool), GP_EINVAL);
    check_status(gp_repository_create_if_absent(repository, NULL, PORT, NULL, &pool), GP_EINVAL);
    check_status(gp_repository_create_if_absent(repository, NULL, PORT, &preset, NULL), GP_EINVAL);
    check_status(gp_repository_create_if_absent(repository, NULL, PORT, &nonsense, &pool),
                 GP_EINVAL);
    check_status(gp_repository_get(repository, NULL, PORT, &preset, NULL), GP_EINVAL);
    check_status(gp_repository_shared(repository, NULL), GP_EINVAL);
    check_status(gp_repository_destroy_all(NULL, 0), GP_EINVAL);
    check_status(gp_repository_destroy_all(repository, -1), GP_EINVAL);
    check_status(gp_repository_release(repository, NULL), GP_OK);
    check_status(gp_repository_release(NULL, NULL), GP_OK);
    check_status(gp_repository_free(NULL), GP_OK);
    check_status(gp_repository_close(NULL), GP_OK);
    check(pool == NULL);
    repository_end(repository);
}

/* Replacing. */

static void check_replaced(int (*ask)(gp_repository *, const gp_preset *, gp_pool **))
{
    gp_repository *repository = repository_of();
    gp_preset preset = limited_to(1, 2);
    gp_pool *dead = NULL;
    gp_pool *fresh = NULL;
    struct job job;
    if (ask(repository, &preset, &dead) != GP_OK)
        dead = lease_common(repository);
    gp_pool_shutdown(dead);
    check_status(ask(repository, &preset, &fresh), GP_OK);
    check(fresh != dead);
    check_int(gp_repository_check(repository), 0);
    job_init(&job);
    job_run(fresh, &job);
    check_status(gp_pool_execute(dead, run_nothing, NULL), GP_EREJECTED); /* it is still there */
    check_status(gp_repository_release(repository, dead), GP_OK);
    check_status(gp_repository_release(repository, fresh), GP_OK);
    repository_end(repository);
}

static int ask_create(gp_repository *repository, const gp_preset *preset, gp_pool **out)
{
    return gp_repository_create_if_absent(repository, NULL, PORT, preset, out);
}

static int ask_get(gp_repository *repository, const gp_preset *preset, gp_pool **out)
{
    return gp_repository_get(repository, NULL, PORT, preset, out);
}

static int ask_shared(gp_repository *repository, const gp_preset *preset, gp_pool **out)
{
    (void)preset;
    return gp_repository_shared(repository, out);
}

static void a_pool_that_is_shut_down_is_replaced(void)
{
    check_replaced(ask_create);
    check_replaced(ask_get);
    check_replaced(ask_shared);
}

static void what_a_replaced_pool_runs_goes_on(void)
{
    gp_repository *repository = repository_of();
    gp_pool *dead = lease_common(repository);
    struct job running;
    job_init_holding(&running);
    gp_future *future = job_submit(dead, &running);
    latch_await(&running.begun);
    gp_pool_shutdown(dead);
    gp_pool *fresh = lease_common(repository);
    check(fresh != dead);
    check_status(gp_repository_release(repository, dead), GP_OK);
    check_status(gp_repository_free(repository), GP_EBUSY);
    job_let_go(&running);
    future_end(future, GP_OK);
    check_status(gp_repository_release(repository, fresh), GP_OK);
    repository_end(repository);
    check_int(running.subject.destroyed, 1);
}

static void a_replacement_that_fails_changes_nothing(void)
{
    gp_repository *repository = repository_of();
    gp_pool *dead = lease_common(repository);
    gp_preset nonsense = limited_to(1, 0);
    gp_preset preset = limited_to(1, 2);
    gp_pool *none = NULL;
    gp_pool_shutdown(dead);
    check_status(gp_repository_get(repository, NULL, PORT, &nonsense, &none), GP_EINVAL);
    check(none == NULL);
    gp_pool *fresh = NULL;
    check_status(gp_repository_get(repository, NULL, PORT, &preset, &fresh), GP_OK);
    check_status(gp_repository_release(repository, dead), GP_OK);
    check_status(gp_repository_release(repository, fresh), GP_OK);
    repository_end(repository);
}

static int count_rejection(void *context, gp_pool *pool, gp_task *task)
{
    ++*(int *)context;
    return gp_reject_abort(NULL, pool, task);
}

static void all_its_pools_reject_alike(void)
{
    int rejections = 0;
    gp_rejection rejection = {count_rejection, &rejections};
    gp_repository *repository = NULL;
    check_status(gp_repository_new(&(gp_rejection){NULL, NULL}, &repository), GP_EINVAL);
    require_ok(gp_repository_new(&rejection, &repository));
    for (int i = 1; i <= 2; i++) { /* the first, and its replacement */
        gp_pool *pool = lease_common(repository);
        gp_pool_shutdown(pool);
        check_status(gp_pool_execute(pool, run_nothing, NULL), GP_EREJECTED);
        check_int(rejections, i);
        check_status(gp_repository_release(repository, pool), GP_OK);
    }
    repository_end(repository);
}

/* Leases. */

static void a_lease_is_given_back_once(void)
{
    gp_repository *repository = repository_of();
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    gp_pool *foreign = pool_of(&config);
    gp_pool *pool = lease_common(repository);
    gp_pool *same = lease_common(repository);
    check(pool == same);
    check_status(gp_repository_release(repository, foreign), GP_ENOTFOUND);
    check_status(gp_repository_release(repository, pool), GP_OK);
    check_status(gp_repository_release(repository, pool), GP_OK);
    check_status(gp_repository_release(repository, pool), GP_ENOTFOUND);
    repository_end(repository);
    pool_end(foreign);
}

/* A worker that gives its lease back when it is gone, by the destructor of a key. */

struct holder {
    pthread_key_t key;
    gp_repository *repository;
    gp_pool *leased;
    struct latch leaving; /* its thread has run its last task */
    struct gate gate;     /* it is let go */
    int status;
};

static void hand_in(void *argument)
{
    struct holder *holder = argument;
    latch_count_down(&holder->leaving);
    gate_pass(&holder->gate);
    holder->status = gp_repository_release(holder->repository, holder->leased);
}

static void hold_by_key(void *argument)
{
    struct holder *holder = argument;
    pthread_setspecific(holder->key, holder);
}

static void ask_for_another(void *argument)
{
    struct holder *holder = argument;
    gp_pool *pool = lease_common(holder->repository);
    gp_repository_release(holder->repository, pool);
}

static void nobody_waits_for_a_thread_with_the_lock_held(void)
{
    struct holder holder = {.repository = repository_of(), .status = GP_EBUSY};
    struct helper helper;
    gp_pool *dead = lease_common(holder.repository);
    latch_init(&holder.leaving, 1);
    gate_init(&holder.gate);
    require(pthread_key_create(&holder.key, hand_in) == 0);
    require_ok(gp_repository_shared(holder.repository, &holder.leased));
    check_status(gp_pool_execute(dead, hold_by_key, &holder), GP_OK);
    gp_pool_shutdown(dead);
    latch_await(&holder.leaving);
    check_status(gp_repository_release(holder.repository, dead), GP_OK);
    helper_start(&helper, ask_for_another, &holder); /* it may come to free the dead one */
    helper_await_asleep(&helper);
    gate_open(&holder.gate, 1);
    helper_join(&helper);
    repository_end(holder.repository);
    check_status(holder.status, GP_OK);
    pthread_key_delete(holder.key);
}

static void a_repository_with_a_pool_is_not_freed(void)
{
    gp_repository *repository = repository_of();
    gp_pool *pool = lease_common(repository);
    check_status(gp_repository_free(repository), GP_EBUSY);
    check_status(gp_repository_close(repository), GP_EBUSY);
    check(gp_pool_is_terminated(pool));
    check_status(gp_repository_release(repository, pool), GP_OK);
    check_status(gp_repository_free(repository), GP_OK);
}

/* Updates. */

static void check_update(int core, int maximum, int threads, int new_core, int new_maximum)
{
    gp_repository *repository = repository_of();
    gp_preset preset = limited_to(core, maximum);
    gp_pool *pool = NULL;
    require_ok(gp_repository_create_if_absent(repository, NULL, PORT, &preset, &pool));
    check_status(gp_repository_update(repository, pool, threads), GP_OK);
    check_int(gp_pool_core_size(pool), new_core);
    check_int(gp_pool_maximum_size(pool), new_maximum);
    check_status(gp_repository_release(repository, pool), GP_OK);
    repository_end(repository);
}

static void an_update_has_four_cases(void)
{
    check_update(4, 4, 2, 2, 2);
    check_update(4, 8, 2, 2, 8);
    check_update(4, 4, 6, 6, 6);
    check_update(4, 8, 6, 4, 6);
    check_update(4, 8, 16, 4, 16);
    check_update(4, 8, 4, 4, 4); /* which makes it fixed */
    check_update(4, 4, 4, 4, 4);
    check_update(4, 4, 1, 1, 1);
    check_update(4, 8, INT_MAX, 4, GP__COUNT_MASK);
}

static void only_a_leased_pool_that_runs_is_updated(void)
{
    gp_repository *repository = repository_of();
    gp_pool *pool = lease_common(repository);
    check_status(gp_repository_update(NULL, pool, 1), GP_EINVAL);
    check_status(gp_repository_update(repository, NULL, 1), GP_EINVAL);
    check_status(gp_repository_update(repository, pool, 0), GP_EINVAL);
    gp_pool_shutdown(pool);
    check_status(gp_repository_update(repository, pool, 4), GP_ESTATE);
    check_int(gp_pool_maximum_size(pool), 2);
    check_status(gp_repository_release(repository, pool), GP_OK);
    check_status(gp_repository_update(repository, pool, 4), GP_ENOTFOUND);
    repository_end(repository);
}

/* Faults. */

static void making_one_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    while (fault_walk_next(&walk)) {
        gp_repository *repository = NULL;
        int status = gp_repository_new(NULL, &repository);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((repository == NULL) == hit);
        if (repository != NULL)
            repository_end(repository);
    }
}

static void check_asking(gp_repository *repository, bool replaces)
{
    struct fault_walk walk = {.kinds = FAULT_MEMORY | FAULT_MUTEX | FAULT_CONDITION};
    gp_preset preset = limited_to(1, 2);
    gp_pool *dead = NULL;
    if (replaces) {
        dead = lease_common(repository);
        gp_pool_shutdown(dead);
    }
    while (fault_walk_next(&walk)) {
        gp_pool *pool = NULL;
        int status = gp_repository_create_if_absent(repository, NULL, PORT, &preset, &pool);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((pool == NULL) == hit);
        check_int(gp_repository_check(repository), 0);
        check_status(gp_repository_release(repository, pool), GP_OK);
    }
    check_status(gp_repository_release(repository, dead), GP_OK);
}

static void asking_fails_cleanly_at_each_point(void)
{
    for (int replaces = 0; replaces < 2; replaces++) {
        gp_repository *repository = repository_of();
        check_asking(repository, replaces);
        repository_end(repository);
    }
}

static const struct test tests[] = {
    TEST(the_side_of_the_consumer_is_recognised_without_regard_to_case),
    TEST(each_port_has_a_pool_of_its_own),
    TEST(the_preset_is_looked_at_when_the_pool_is_made),
    TEST(get_never_makes_one_where_there_was_none),
    TEST(one_pool_is_shared_by_all),
    TEST(nonsense_is_refused),
    TEST(a_pool_that_is_shut_down_is_replaced),
    TEST(what_a_replaced_pool_runs_goes_on),
    TEST(a_replacement_that_fails_changes_nothing),
    TEST(all_its_pools_reject_alike),
    TEST(a_lease_is_given_back_once),
    TEST(nobody_waits_for_a_thread_with_the_lock_held),
    TEST(a_repository_with_a_pool_is_not_freed),
    TEST(an_update_has_four_cases),
    TEST(only_a_leased_pool_that_runs_is_updated),
    TEST(making_one_fails_cleanly_at_each_point),
    TEST(asking_fails_cleanly_at_each_point),
    END_OF_TESTS,
};

const struct suite repository_suite = {.name = "repository", .tests = tests};
