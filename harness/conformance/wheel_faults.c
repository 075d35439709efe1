/* Timers when memory or threads are short, and factories that misbehave. */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "fault.h"
#include "suite.h"
#include "support.h"
#include "wheel_support.h"

#define HOUR GP_SECONDS(3600)

static void making_one_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    gp_wheel_config config = quick_config();
    while (fault_walk_next(&walk)) {
        gp_timer *timer = NULL;
        int status = timer_new(&config, &timer);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((timer == NULL) == hit);
        if (timer != NULL)
            timer_end(timer);
    }
}

/* Adding, with and without an executor: started before, or by this. */

static void check_adding(gp_pool *executor, bool started)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    gp_wheel_config config = quick_config();
    config.executor = executor;
    bool over = false;
    while (!over) {
        struct subject subject = {0};
        gp_timeout *timeout = NULL;
        gp_timer *timer = timer_of(&config);
        if (started)
            require_ok(gp_timer_start(timer));
        over = !fault_walk_next(&walk);
        if (over) {
            timer_end(timer);
            break;
        }
        int status = gp_timer_after(timer, HOUR, call_subject_of_timeout, &subject,
                                    destroy_subject_of_timeout, &timeout);
        bool hit = fault_walk_hit(&walk);
        check((status == GP_ENOMEM || status == GP_EAGAIN) == hit);
        check_int(gp_timer_pending(timer), hit ? 0 : 1);
        check_int(subject.destroyed, 0);
        check_status(add_after(timer, HOUR, &subject), GP_OK); /* it has recovered */
        gp_timeout_release(timeout);
        timer_end(timer);
        check_int(subject.destroyed, hit ? 1 : 2);
    }
}

static void adding_fails_cleanly_at_each_point(void)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    gp_pool *pool = NULL;
    require_ok(gp_pool_new(&config, &pool));
    for (int started = 0; started < 2; started++) {
        check_adding(NULL, started);
        check_adding(pool, started);
    }
    check_status(gp_pool_close(pool), GP_OK);
}

static void a_thread_without_a_record_changes_nothing(void *argument)
{
    gp_timer *timer = argument;
    gp_timeout_list unrun = {.count = 77};
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int started = gp_timer_start(timer);
    int stopped = gp_timer_stop(timer, &unrun);
    fault_disarm();
    check_status(started, GP_ENOMEM);
    check_status(stopped, GP_ENOMEM);
    check_int(unrun.count, 77);
    check(!gp_timer_is_stopped(timer));
}

static void without_memory_for_a_record_start_and_stop_fail(void)
{
    struct helper helper;
    gp_timer *timer = quick_timer();
    helper_start_bare(&helper, a_thread_without_a_record_changes_nothing, timer);
    helper_join(&helper);
    timer_end(timer);
}

/* Threads. */

static void without_a_thread_start_fails_and_may_succeed_later(void)
{
    struct subject subject = {0};
    gp_timer *timer = quick_timer();
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    int started = gp_timer_start(timer);
    int added = add_after(timer, 0, &subject);
    check_int(fault_disarm(), 2);
    check_status(started, GP_EAGAIN);
    check_status(added, GP_EAGAIN);
    check_int(subject.destroyed, 0);
    check_int(gp_timer_pending(timer), 0);
    check_int(gp_timer_check(timer), 0);
    check_status(add_after(timer, 0, &subject), GP_OK);
    check(await_destroyed(&subject, 1));
    timer_end(timer);
}

static void exit_thread(struct subject *subject)
{
    (void)subject;
    pthread_exit(NULL);
}

/* A factory that tells when it was asked for the second time: by a worker that is about to die. */

struct asked {
    struct latch twice;
};

static int create_and_tell(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct asked *asked = context;
    latch_count_down(&asked->twice);
    return gp_thread_new(NULL, run, argument, out);
}

static gp_timer *timer_telling(struct asked *asked)
{
    gp_wheel_config config = quick_config();
    latch_init(&asked->twice, 2);
    config.factory = (gp_thread_factory){.create = create_and_tell, .context = asked};
    return timer_of(&config);
}

/* When this returns the worker is at work on a successor, which it will not get: who wants the
   timer waits for that. */
static void kill_worker(gp_timer *timer, struct asked *asked)
{
    struct subject leaving = {.inside = exit_thread};
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    check_status(add_after(timer, 0, &leaving), GP_OK);
    latch_await(&asked->twice);
    check_int(leaving.destroyed, 1);
    check_status(gp_timer_start(timer), GP_EAGAIN);
}

/* Adding fails as long as there is no thread; then the worker is back, and so is what it had. */
static void a_killed_worker_is_replaced_by_the_next_who_adds(void)
{
    struct asked asked;
    struct subject left = {0};
    struct subject next = {0};
    gp_timer *timer = timer_telling(&asked);
    gp_timeout *timeout = timeout_after(timer, GP_MILLISECONDS(20), &left);
    kill_worker(timer, &asked);
    int64_t deadline = gp_timeout_deadline(timeout);
    check_status(add_after(timer, 0, &next), GP_EAGAIN);
    check_int(gp_timer_check(timer), 0);
    check(fault_disarm() >= 2);
    check_int(gp_timer_pending(timer), 1);
    check_status(add_after(timer, 0, &next), GP_OK);
    check(await_destroyed(&next, 1));
    check(await_destroyed(&left, 1));
    check(gp_timeout_deadline(timeout) == deadline); /* the clock has kept its start */
    gp_timeout_release(timeout);
    timer_end(timer);
}

static void a_timer_whose_worker_was_not_replaced_can_be_stopped(void)
{
    struct asked asked;
    struct subject left = {0};
    gp_timeout_list unrun;
    gp_timer *timer = timer_telling(&asked);
    check_status(add_after(timer, HOUR, &left), GP_OK);
    kill_worker(timer, &asked);
    fault_disarm();
    check_status(gp_timer_stop(timer, &unrun), GP_OK);
    check_int(unrun.count, 1);
    gp_timeout_list_release(&unrun);
    timer_end(timer);
}

/* A function that ends its thread, and a destructor of its thread-specific data that wants the
   timer: it has to wait for the next worker, which is not to wait for it. [TURN-6] */

struct legacy {
    pthread_key_t key;
    gp_timer *timer;
    struct subject added;
    _Atomic int status; /* of adding */
};

static void add_from_destructor(void *value)
{
    struct legacy *legacy = value;
    atomic_store(&legacy->status, add_after(legacy->timer, 0, &legacy->added));
}

static void exit_with_legacy(struct subject *subject)
{
    struct legacy *legacy = subject->context;
    pthread_setspecific(legacy->key, legacy);
    pthread_exit(NULL);
}

static void a_destructor_in_a_killed_worker_may_add(void)
{
    struct legacy legacy = {.timer = quick_timer(), .status = GP_EFAILED};
    struct subject leaving = {.inside = exit_with_legacy, .context = &legacy};
    require(pthread_key_create(&legacy.key, add_from_destructor) == 0);
    check_status(add_after(legacy.timer, 0, &leaving), GP_OK);
    check(await_destroyed(&legacy.added, 1));
    timer_end(legacy.timer); /* and with it all its workers */
    check_status(legacy.status, GP_OK);
    check_int(legacy.added.runs, 1);
    pthread_key_delete(legacy.key);
}

static void stop_from_destructor(void *value)
{
    struct legacy *legacy = value;
    check_status(gp_timer_free(legacy->timer), GP_EDEADLK);
    check_status(gp_timer_close(legacy->timer), GP_EDEADLK);
    atomic_store(&legacy->status, gp_timer_stop(legacy->timer, NULL));
}

static bool is_stop_over(void *argument)
{
    struct legacy *legacy = argument;
    return atomic_load(&legacy->status) != GP_EFAILED;
}

/* Its successor waits for its end, and stop would wait for the successor. */
static void but_not_stop(void)
{
    struct legacy legacy = {.timer = quick_timer(), .status = GP_EFAILED};
    struct subject leaving = {.inside = exit_with_legacy, .context = &legacy};
    struct subject next = {0};
    require(pthread_key_create(&legacy.key, stop_from_destructor) == 0);
    check_status(add_after(legacy.timer, 0, &leaving), GP_OK);
    check(eventually(is_stop_over, &legacy));
    check_status(legacy.status, GP_EDEADLK);
    check(!gp_timer_is_stopped(legacy.timer));
    check_status(add_after(legacy.timer, 0, &next), GP_OK);
    check(await_destroyed(&next, 1));
    timer_end(legacy.timer);
    pthread_key_delete(legacy.key);
}

/* Factories. */

enum behaviour {
    WELL,
    FAIL,
    FAIL_FOR_MEMORY,
    FAIL_WITH_THREAD,
    HAND_OUT_NOTHING,
    START_IT
};

struct factory {
    enum behaviour behaviour;
    int threads;
};

static int create(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct factory *factory = context;
    factory->threads++;
    switch (factory->behaviour) {
    case FAIL:
        return GP_EFAILED;
    case FAIL_FOR_MEMORY:
        return GP_ENOMEM;
    case HAND_OUT_NOTHING:
        return GP_OK;
    case FAIL_WITH_THREAD:
        *out = gp_thread_self(); /* which is ours, and says nothing */
        return GP_EFAILED;
    case START_IT:
    case WELL:
        break;
    }
    int status = gp_thread_new(&(gp_thread_config){.name = "mine"}, run, argument, out);
    return status == GP_OK && factory->behaviour == START_IT ? gp_thread_start(*out) : status;
}

static void check_factory(enum behaviour behaviour, int expected)
{
    struct factory factory = {.behaviour = behaviour};
    struct subject subject = {0};
    gp_wheel_config config = quick_config();
    config.factory = (gp_thread_factory){.create = create, .context = &factory};
    gp_timer *timer = timer_of(&config);
    check_status(gp_timer_start(timer), expected);
    check_status(gp_timer_start(timer), expected);
    check_int(factory.threads, expected == GP_OK ? 1 : 2);
    factory.behaviour = WELL;
    check_status(add_after(timer, 0, &subject), GP_OK);
    check(await_destroyed(&subject, 1));
    timer_end(timer);
}

static void a_factory_that_misbehaves_costs_nothing(void)
{
    check_factory(WELL, GP_OK);
    check_factory(FAIL, GP_EAGAIN);
    check_factory(FAIL_FOR_MEMORY, GP_ENOMEM);
    check_factory(FAIL_WITH_THREAD, GP_EAGAIN);
    check_factory(HAND_OUT_NOTHING, GP_EAGAIN);
    check_factory(START_IT, GP_EAGAIN);
}

/* A factory with a function of its own around ours, which has started already, and comes late. */

struct detour {
    gp_run_fn *run;
    void *argument;
    struct gate gate;
    gp_thread *thread;
    bool came_back;
};

static void go_round(void *argument)
{
    struct detour *detour = argument;
    gate_pass(&detour->gate);
    detour->run(detour->argument);
    detour->came_back = true;
}

static int create_detour(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct detour *detour = context;
    detour->run = run;
    detour->argument = argument;
    int status = gp_thread_new(NULL, go_round, detour, out);
    if (status != GP_OK)
        return status;
    detour->thread = gp_thread_retain(*out);
    return gp_thread_start(*out);
}

static void a_thread_that_comes_when_the_timer_is_gone_does_no_harm(void)
{
    struct detour detour = {0};
    gp_wheel_config config = quick_config();
    gate_init(&detour.gate);
    config.factory = (gp_thread_factory){.create = create_detour, .context = &detour};
    gp_timer *timer = timer_of(&config);
    check_status(gp_timer_start(timer), GP_EAGAIN);
    timer_end(timer);
    gate_open(&detour.gate, 1);
    check_status(gp_thread_join(detour.thread), GP_OK);
    check(detour.came_back);
    gp_thread_release(detour.thread);
}

/* The executor. */

struct refusal {
    _Atomic int status;
};

static void note_refusal(void *context, gp_timeout *timeout, int status)
{
    struct refusal *refusal = context;
    (void)timeout;
    atomic_store(&refusal->status, status);
}

static void what_the_executor_cannot_take_has_failed_with_its_reason(void)
{
    gp_pool_config pool_config = GP_POOL_CONFIG_DEFAULT;
    gp_wheel_config config = quick_config();
    struct refusal refusal = {0};
    struct subject subject = {0};
    require_ok(gp_pool_new(&pool_config, &config.executor));
    config.hooks = (gp_timer_hooks){.failed = note_refusal, .context = &refusal};
    gp_timer *timer = timer_of(&config);
    require_ok(gp_timer_start(timer));
    fault_arm(FAULT_THREAD, FAULT_EVERY, FAULT_ALL_THREADS);
    check_status(add_after(timer, 0, &subject), GP_OK);
    check(await_destroyed(&subject, 1));
    fault_disarm();
    check_status(refusal.status, GP_EAGAIN);
    check_int(subject.runs, 0);
    timer_end(timer);
    check_status(gp_pool_close(config.executor), GP_OK);
}

static const struct test tests[] = {
    TEST(making_one_fails_cleanly_at_each_point),
    TEST(adding_fails_cleanly_at_each_point),
    TEST(without_memory_for_a_record_start_and_stop_fail),
    TEST(without_a_thread_start_fails_and_may_succeed_later),
    TEST(a_killed_worker_is_replaced_by_the_next_who_adds),
    TEST(a_timer_whose_worker_was_not_replaced_can_be_stopped),
    TEST(a_destructor_in_a_killed_worker_may_add),
    TEST(but_not_stop),
    TEST(a_factory_that_misbehaves_costs_nothing),
    TEST(a_thread_that_comes_when_the_timer_is_gone_does_no_harm),
    TEST(what_the_executor_cannot_take_has_failed_with_its_reason),
    END_OF_TESTS,
};

const struct suite wheel_faults_suite = {
    .name = "wheel_faults", .tests = tests, .prepare = choose_hashed};
const struct suite tickless_faults_suite = {
    .name = "tickless_faults", .tests = tests, .prepare = choose_tickless};
const struct suite wheel_fast_faults_suite = {
    .name = "wheel_fast_faults", .tests = tests, .prepare = choose_fast};
