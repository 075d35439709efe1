/*
 * Thread factories: what the default one makes, one's own, and those that fail.
 *
 * A factory that fails costs the pool nothing: no worker is counted, the task goes back to whoever
 * brought it, the pool terminates when told to and works when the factory does.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_getattr_np */
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h> /* getpriority */

#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "pool/pool.h"

#include "pool_support.h"
#include "suite.h"
#include "support.h"

/* The default factory. */

static void by_default_threads_are_called_pool_n_thread_m(void)
{
    unsigned pool_number = 0;
    unsigned thread_number = 0;
    char expected[sizeof((struct job *)NULL)->name];
    struct job jobs[2];
    gp_pool *pools[2] = {pool_with(2, 2, NULL), pool_with(1, 1, NULL)};
    for (unsigned i = 0; i < 2; i++) {
        job_init(&jobs[i]);
        job_run(pools[0], &jobs[i]);
    }
    check_int(sscanf(jobs[0].name, "pool-%u-thread-%u", &pool_number, &thread_number), 2);
    check_int(thread_number, 1);
    snprintf(expected, sizeof expected, "pool-%u-thread-2", pool_number);
    check_text(jobs[1].name, expected);
    job_init(&jobs[0]);
    job_run(pools[1], &jobs[0]);
    snprintf(expected, sizeof expected, "pool-%u-thread-1", pool_number + 1);
    check_text(jobs[0].name, expected);
    pool_end(pools[0]);
    pool_end(pools[1]);
}

static void a_name_in_the_configuration_stands_before_the_number(void)
{
    gp_pool_config config = config_with(2, 2, NULL);
    char name[] = "mill";
    struct job job;
    config.thread.name = name;
    gp_pool *pool = pool_of(&config);
    memset(name, 'x', sizeof name - 1); /* it was copied */
    job_init(&job);
    job_run(pool, &job);
    check_text(job.name, "mill-thread-1");
    job_init(&job);
    job_run(pool, &job);
    check_text(job.name, "mill-thread-2");
    pool_end(pool);
}

static void a_name_that_is_too_long_is_cut(void)
{
    gp_pool_config config = config_with(1, 1, NULL);
    struct job job;
    config.thread.name = "a-name-that-is-much-longer-than-any-thread-can-have";
    gp_pool *pool = pool_of(&config);
    job_init(&job);
    job_run(pool, &job);
    check_text(job.name, "a-name-that-is-thread-1"); /* the number is not cut */
    pool_end(pool);
}

static void note_stack_size(struct job *job)
{
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, job->context);
    pthread_attr_destroy(&attributes);
}

static void note_niceness(struct job *job)
{
    *(size_t *)job->context = (size_t)getpriority(PRIO_PROCESS, 0);
}

static size_t ask_worker(const gp_pool_config *config, void (*question)(struct job *))
{
    gp_pool *pool = pool_of(config);
    size_t answer = 0;
    struct job job;
    job_init_acting(&job, question, pool);
    job.context = &answer;
    job_run(pool, &job);
    pool_end(pool);
    return answer;
}

static void stack_size_and_niceness_are_as_configured(void)
{
    gp_pool_config config = config_with(1, 1, NULL);
    config.thread.stack_size = (size_t)24 << 20; /* more than any that was kept from before */
    config.thread.nice = getpriority(PRIO_PROCESS, 0) <= 5 ? 5 : 19; /* less nice may be denied */
    check(ask_worker(&config, note_stack_size) >= config.thread.stack_size);
    check_int(ask_worker(&config, note_niceness), config.thread.nice);
}

static void a_thread_configuration_that_makes_no_sense_is_refused(void)
{
    gp_pool *pool = NULL;
    gp_thread_config bad[] = {{.nice = 20},
                              {.nice = -21},
                              {.stack_size = 1},
                              {.timer_slack = -1},
                              {.interrupt_signal = -1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gp_pool_config config = config_with(1, 1, NULL);
        config.thread = bad[i];
        check_status(gp_pool_new(&config, &pool), GP_EINVAL);
    }
    check(pool == NULL);
}

/* One's own factory. */

struct factory {
    int calls;         /* one at a time */
    int status;        /* what it returns; GP_OK: a thread */
    bool hands_out;    /* it sets *out */
    bool loses;        /* what it has handed out is gone, and it says why */
    bool starts;       /* it has started the thread ... */
    bool detours;      /* ... with a function of its own, which calls the pool's ... */
    struct gate *gate; /* ... when it has passed this, if there is one */
    gp_thread *thread; /* the one of the latest detour that has a gate; a reference */
    char name[16];
};

struct detour {
    gp_run_fn *run;
    void *argument;
    struct gate *gate;
};

static void go_round(void *argument)
{
    struct detour detour = *(struct detour *)argument;
    free(argument);
    if (detour.gate != NULL)
        gate_pass(detour.gate);
    detour.run(detour.argument);
}

static int create_detour(struct factory *factory, gp_run_fn *run, void *argument, gp_thread **out)
{
    gp_thread_config config = {.name = factory->name};
    struct detour *detour = malloc(sizeof *detour);
    if (detour == NULL)
        return GP_ENOMEM;
    *detour = (struct detour){run, argument, factory->gate};
    require_ok(gp_thread_new(&config, go_round, detour, out));
    if (factory->gate != NULL)
        factory->thread = gp_thread_retain(*out);
    return gp_thread_start(*out);
}

static int create(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct factory *factory = context;
    gp_thread_config config = {.name = factory->name};
    factory->calls++;
    if (factory->loses) {
        require_ok(gp_thread_new(&config, run, argument, out));
        gp_thread_release(*out);
    }
    if (factory->status != GP_OK || !factory->hands_out)
        return factory->status;
    if (factory->detours)
        return create_detour(factory, run, argument, out);
    int status = gp_thread_new(&config, run, argument, out);
    if (status == GP_OK && factory->starts)
        status = gp_thread_start(*out);
    return status;
}

static gp_thread_factory factory_of(struct factory *factory)
{
    return (gp_thread_factory){.create = create, .context = factory};
}

static gp_pool *pool_made_by(struct factory *factory, int core_size, gp_queue *queue)
{
    gp_pool_config config = config_with(core_size, 2, queue);
    config.factory = factory_of(factory);
    return pool_of(&config);
}

static void an_own_factory_makes_the_threads(void)
{
    struct factory factory = {.hands_out = true, .name = "own"};
    gp_pool *pool = pool_made_by(&factory, 2, NULL);
    struct job job;
    check_int(factory.calls, 0);
    job_init(&job);
    job_run(pool, &job);
    check_text(job.name, "own");
    check_int(gp_pool_prestart_all_core(pool), 1);
    check_int(factory.calls, 2);
    pool_end(pool);
}

static void with_an_own_factory_the_thread_configuration_is_not_looked_at(void)
{
    struct factory factory = {.hands_out = true, .name = "own"};
    gp_pool_config config = config_with(1, 1, NULL);
    config.factory = factory_of(&factory);
    config.thread.nice = 1000;
    pool_end(pool_of(&config));
}

static void the_factory_can_be_changed_while_the_pool_runs(void)
{
    struct factory factory = {.hands_out = true, .name = "second"};
    gp_thread_factory second = factory_of(&factory);
    gp_pool_config config = config_with(3, 3, NULL);
    struct job jobs[3];
    config.thread.name = "first";
    gp_pool *pool = pool_of(&config);
    for (int i = 0; i < 3; i++)
        job_init(&jobs[i]);
    job_run(pool, &jobs[0]);
    check_status(gp_pool_set_factory(pool, NULL), GP_EINVAL);
    check_status(gp_pool_set_factory(pool, &second), GP_OK);
    job_run(pool, &jobs[1]);
    check_status(gp_pool_set_factory(pool, &(gp_thread_factory){NULL, NULL}), GP_OK);
    job_run(pool, &jobs[2]);
    check_text(jobs[0].name, "first-thread-1");
    check_text(jobs[1].name, "second");
    check_text(jobs[2].name, "first-thread-2");
    pool_end(pool);
}

/* Factories that fail. */

static void make_it_work(struct factory *factory)
{
    *factory = (struct factory){.hands_out = true, .name = "well"};
}

/* The pool has no worker and cannot get one: the task comes back, and nothing is left behind. */
static void check_roll_back(struct factory broken, int core_size, gp_queue *queue)
{
    struct factory factory = broken;
    gp_pool *pool = pool_made_by(&factory, core_size, queue);
    struct job job;
    job_init(&job);
    gp_callable callable = job_callable(&job);
    gp_future *future = NULL;
    int status = gp_pool_submit(pool, &callable, &future);
    check_status(status, broken.status == GP_ENOMEM ? GP_ENOMEM : GP_EAGAIN);
    check_int(job.subject.destroyed, 0);
    check(future == NULL);
    check_int(pool_size(pool), 0);
    check_int(pool_queued(pool), 0);
    check_int(gp__worker_count_of(gp__pool_load_ctl(pool)), 0);
    check_int(gp_pool_prestart_all_core(pool), 0);
    make_it_work(&factory);
    job_init(&job);
    job_run(pool, &job);
    pool_end(pool);
}

static void check_roll_backs(struct factory broken)
{
    check_roll_back(broken, 1, NULL);
    check_roll_back(broken, 0, NULL);
    check_roll_back(broken, 0, synchronous());
}

static void a_factory_that_fails_leaves_the_task_with_the_caller(void)
{
    check_roll_backs((struct factory){.status = GP_EAGAIN});
    check_roll_backs((struct factory){.status = GP_ENOMEM});
}

/* GP_EREJECTED from a factory must not be taken for "used up", nor GP_EINVAL for a bad call. */
static void whatever_a_factory_says_the_caller_hears_that_threads_are_short(void)
{
    static const int codes[] = {GP_EINVAL, GP_EREJECTED, GP_ESTATE, GP_ENOTSUP, 11};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct factory factory = {.status = codes[i]};
        gp_pool *pool = pool_made_by(&factory, (int)(i % 2), NULL);
        check_status(gp_pool_execute(pool, run_nothing, NULL), GP_EAGAIN);
        pool_end(pool);
        check_roll_backs((struct factory){.status = codes[i]});
    }
}

/* What is left in *out is not looked at: it may be there no more. */
static void of_a_factory_that_fails_only_the_status_counts(void)
{
    check_roll_backs((struct factory){.status = GP_EAGAIN, .loses = true, .name = "lost"});
    check_roll_backs((struct factory){.status = GP_ENOMEM, .loses = true, .name = "lost"});
}

static void a_factory_that_hands_out_nothing_is_rolled_back(void)
{
    check_roll_backs((struct factory){.hands_out = false});
}

static void a_factory_that_hands_out_a_started_thread_is_rolled_back(void)
{
    struct factory eager = {.hands_out = true, .starts = true, .name = "eager"};
    struct factory other = {.hands_out = true, .detours = true, .name = "other"};
    for (unsigned round = 0; round < scaled(40); round++) {
        check_roll_backs(eager); /* it may be anywhere in the pool's own function ... */
        check_roll_backs(other); /* ... or on its way there */
    }
}

/* The refused thread may not have had its first moment when the pool is gone. */
static void a_pool_may_be_freed_before_a_thread_that_it_refused_has_run(void)
{
    for (unsigned round = 0; round < scaled(500); round++) {
        struct factory factory = {.hands_out = true, .starts = true, .name = "eager"};
        gp_pool *pool = pool_made_by(&factory, 1, NULL);
        check_status(gp_pool_execute(pool, run_nothing, NULL), GP_EAGAIN);
        pool_end(pool);
    }
}

static void a_thread_that_comes_when_the_pool_is_gone_does_no_harm(void)
{
    struct gate gate;
    struct factory factory = {.hands_out = true, .detours = true, .gate = &gate, .name = "late"};
    gp_pool *pool = pool_made_by(&factory, 1, NULL);
    gate_init(&gate);
    check_status(gp_pool_prestart_core(pool), GP_EAGAIN);
    check_int(factory.calls, 1);
    pool_end(pool);
    gate_open(&gate, 1);
    check_status(gp_thread_join(factory.thread), GP_OK);
    gp_thread_release(factory.thread);
}

static void with_workers_there_a_failing_factory_goes_unnoticed(void)
{
    struct factory factory = {.hands_out = true, .name = "well"};
    gp_pool *pool = pool_made_by(&factory, 2, NULL);
    struct job first;
    struct job second;
    job_init(&first);
    job_init(&second);
    job_run(pool, &first);
    factory.status = GP_EAGAIN;
    job_run(pool, &second); /* on the only worker there is */
    check_int(pool_size(pool), 1);
    check(first.record == second.record);
    pool_end(pool);
}

static void a_pool_whose_factory_always_fails_terminates(void)
{
    struct factory factory = {.status = GP_EAGAIN};
    gp_pool *pool = pool_made_by(&factory, 2, NULL);
    check_status(gp_pool_prestart_core(pool), GP_EAGAIN);
    check_status(gp_pool_execute(pool, run_nothing, NULL), GP_EAGAIN);
    gp_pool_shutdown(pool);
    check_status(gp_pool_await_termination(pool, 0), GP_OK);
    pool_end(pool);
}

/* A factory that takes its time. */
struct slow_factory {
    struct latch asked;
    struct gate go_on;
    int status;        /* of the first call; the others succeed */
    bool starts;       /* the first thread, itself */
    gp_thread *thread; /* that one; a reference */
    _Atomic int calls;
};

static int create_started(struct slow_factory *factory, gp_run_fn *run, void *argument,
                          gp_thread **out)
{
    require_ok(gp_thread_new(NULL, run, argument, out));
    factory->thread = gp_thread_retain(*out);
    return gp_thread_start(*out);
}

static int create_slowly(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct slow_factory *factory = context;
    if (atomic_fetch_add(&factory->calls, 1) > 0)
        return gp_thread_new(NULL, run, argument, out);
    latch_count_down(&factory->asked);
    gate_pass(&factory->go_on);
    if (factory->starts)
        return create_started(factory, run, argument, out);
    return factory->status != GP_OK ? factory->status : gp_thread_new(NULL, run, argument, out);
}

static gp_pool *pool_made_slowly(struct slow_factory *factory, int status)
{
    gp_pool_config config = config_with(0, 1, NULL);
    *factory = (struct slow_factory){.status = status};
    latch_init(&factory->asked, 1);
    gate_init(&factory->go_on);
    config.factory = (gp_thread_factory){.create = create_slowly, .context = factory};
    return pool_of(&config);
}

struct submission {
    gp_pool *pool;
    struct subject subject;
    gp_future *future;
    int status;
    bool interrupted;
};

static void submit_one(void *argument)
{
    struct submission *submission = argument;
    gp_callable callable = callable_of(&submission->subject);
    submission->status = gp_pool_submit(submission->pool, &callable, &submission->future);
    submission->interrupted = gp_interrupted();
}

static void submission_end(struct submission *submission, int expected)
{
    check_status(submission->status, expected);
    if (submission->status == GP_OK)
        future_end(submission->future, GP_OK);
}

/* The state is looked at again when the thread has been made: [WORKER-2]. */
static void check_not_admitted(bool starts)
{
    struct slow_factory factory;
    gp_pool *pool = pool_made_slowly(&factory, GP_OK);
    factory.starts = starts;
    struct submission submission = {.pool = pool};
    struct helper helper;
    helper_start(&helper, submit_one, &submission);
    latch_await(&factory.asked);
    gp_pool_shutdown_now(pool, NULL);
    check(!gp_pool_is_terminated(pool)); /* a worker is counted */
    gate_open(&factory.go_on, 1);
    helper_join(&helper);
    check_int(submission.subject.runs, 0);
    check_int(submission.subject.destroyed, 1);
    check_int(submission.status == GP_OK, submission.future != NULL);
    if (submission.future != NULL)
        future_end(submission.future, GP_ECANCELLED);
    pool_end(pool);
    if (starts)
        check_status(gp_thread_join(factory.thread), GP_OK);
    gp_thread_release(factory.thread);
}

static void a_worker_is_not_admitted_when_the_pool_was_stopped_meanwhile(void)
{
    check_not_admitted(false);
}

/* Its thread is at it already, and is told: [WORKER-8]. */
static void neither_is_one_whose_thread_the_factory_has_started(void)
{
    check_not_admitted(true);
}

/* A replacement that is being made when the pool is shut down, and then comes to nothing. */

static int create_second_slowly(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct slow_factory *factory = context;
    if (atomic_fetch_add(&factory->calls, 1) != 1)
        return gp_thread_new(NULL, run, argument, out);
    latch_count_down(&factory->asked);
    gate_pass(&factory->go_on);
    return factory->status;
}

static void shutdown_does_not_rely_on_a_worker_that_could_not_be_made(void)
{
    struct slow_factory factory = {.status = GP_EAGAIN};
    gp_pool_config config = config_with(1, 1, NULL);
    struct job leaving;
    struct job waiting;
    latch_init(&factory.asked, 1);
    gate_init(&factory.go_on);
    config.factory = (gp_thread_factory){.create = create_second_slowly, .context = &factory};
    gp_pool *pool = pool_of(&config);
    job_init_holding(&leaving);
    leaving.action = leave_by_exit;
    job_init(&waiting);
    job_execute(pool, &leaving);
    gp_future *future = job_submit(pool, &waiting);
    job_let_go(&leaving);
    latch_await(&factory.asked);
    gp_pool_shutdown(pool); /* it finds a worker counted */
    gate_open(&factory.go_on, 1);
    future_end(future, GP_OK);
    pool_end(pool);
}

/* A second submission must not rely on a worker that is being made and may come to nothing. */
static void check_waiting_submission(int status_of_first, bool interrupt)
{
    struct slow_factory factory;
    gp_pool *pool = pool_made_slowly(&factory, status_of_first);
    struct submission first = {.pool = pool};
    struct submission second = {.pool = pool};
    struct helper helpers[2];
    helper_start(&helpers[0], submit_one, &first);
    latch_await(&factory.asked);
    helper_start(&helpers[1], submit_one, &second);
    helper_await_asleep(&helpers[1]);
    if (interrupt)
        helper_interrupt(&helpers[1]);
    gate_open(&factory.go_on, 1);
    helper_join(&helpers[0]);
    helper_join(&helpers[1]);
    check_int(second.interrupted, interrupt); /* that is the caller's business */
    check(first.status == GP_OK || first.status == status_of_first);
    submission_end(&first, first.status);
    submission_end(&second, GP_OK);
    pool_end(pool);
    check_int(first.subject.destroyed, first.status == GP_OK ? 1 : 0);
    check_int(second.subject.destroyed, 1);
}

static void a_submission_waits_for_the_worker_that_another_is_making(void)
{
    check_waiting_submission(GP_OK, false);
    check_waiting_submission(GP_OK, true);
}

static void a_submission_makes_a_worker_itself_if_the_other_could_not(void)
{
    check_waiting_submission(GP_EAGAIN, false);
    check_waiting_submission(GP_EAGAIN, true);
}

/* A factory that fails, is slow and works, as its script says. */
struct scripted_factory {
    const char *script; /* a letter per call: f fails, s waits for the gate; at the end: works */
    _Atomic int calls;
    struct latch asked; /* by the slow one */
    struct gate go_on;
    gp_pool *pool;
};

static int create_as_written(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    struct scripted_factory *factory = context;
    size_t call = (size_t)atomic_fetch_add(&factory->calls, 1);
    int letter = call < strlen(factory->script) ? factory->script[call] : 'w';
    if (letter == 'f')
        return GP_EAGAIN;
    if (letter == 's') {
        latch_count_down(&factory->asked);
        gate_pass(&factory->go_on);
    }
    return gp_thread_new(NULL, run, argument, out);
}

static gp_pool *pool_as_written(struct scripted_factory *factory, const char *script)
{
    gp_pool_config config = config_with(1, 1, NULL);
    *factory = (struct scripted_factory){.script = script};
    latch_init(&factory->asked, 1);
    gate_init(&factory->go_on);
    config.factory = (gp_thread_factory){.create = create_as_written, .context = factory};
    factory->pool = pool_of(&config);
    return factory->pool;
}

/* Twice. In this order: before each call nobody is there for a moment. */
static bool replacement_has_failed(void *argument)
{
    struct scripted_factory *factory = argument;
    return atomic_load(&factory->calls) == 3 && gp__worker_count(factory->pool) == 0 &&
           atomic_load(&factory->pool->undecided) == 0;
}

/* The only worker dies with a task queued behind it. */
static void leave_behind(gp_pool *pool, struct job *dying, struct job *left)
{
    job_init_holding(dying);
    dying->action = leave_by_exit;
    job_init(left);
    job_execute(pool, dying);
    latch_await(&dying->begun);
    job_execute(pool, left);
}

/* shutdown counts on the worker that a submission is making, and that is refused because of it. */
static void tasks_left_to_a_worker_that_came_to_nothing_get_another(void)
{
    struct scripted_factory factory;
    gp_pool *pool = pool_as_written(&factory, "wffs");
    struct submission submission = {.pool = pool};
    struct helper helper;
    struct job dying;
    struct job left;
    leave_behind(pool, &dying, &left);
    job_let_go(&dying);
    check(eventually(replacement_has_failed, &factory)); /* its replacement could not be made */
    helper_start(&helper, submit_one, &submission);
    latch_await(&factory.asked);
    gp_pool_shutdown(pool);
    gate_open(&factory.go_on, 1);
    helper_join(&helper);
    check_status(submission.status, GP_EREJECTED);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    check_int(left.subject.runs, 1);
    pool_end(pool);
}

static void who_awaits_the_end_is_told_that_no_thread_is_to_be_had(void)
{
    struct scripted_factory factory;
    gp_pool *pool = pool_as_written(&factory, "wffff");
    struct job dying;
    struct job left;
    leave_behind(pool, &dying, &left);
    gp_pool_shutdown(pool);
    job_let_go(&dying);
    check_status(gp_pool_await_termination(pool, long_enough()), GP_EAGAIN);
    check_int(left.subject.runs, 0);
    check_status(gp_pool_close(pool), GP_OK); /* now there is one */
    check_int(left.subject.runs, 1);
}

static void the_thread_of_a_worker_is_the_pools_to_start_and_join(void)
{
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    job_run(pool, &job);
    check_status(gp_thread_start(job.record), GP_ESTATE);
    check_status(gp_thread_join(job.record), GP_ESTATE);
    pool_end(pool);
}

static const struct test tests[] = {
    TEST(by_default_threads_are_called_pool_n_thread_m),
    TEST(a_name_in_the_configuration_stands_before_the_number),
    TEST(a_name_that_is_too_long_is_cut),
    TEST(stack_size_and_niceness_are_as_configured),
    TEST(a_thread_configuration_that_makes_no_sense_is_refused),
    TEST(an_own_factory_makes_the_threads),
    TEST(with_an_own_factory_the_thread_configuration_is_not_looked_at),
    TEST(the_factory_can_be_changed_while_the_pool_runs),
    TEST(a_factory_that_fails_leaves_the_task_with_the_caller),
    TEST(whatever_a_factory_says_the_caller_hears_that_threads_are_short),
    TEST(of_a_factory_that_fails_only_the_status_counts),
    TEST(a_factory_that_hands_out_nothing_is_rolled_back),
    TEST(a_factory_that_hands_out_a_started_thread_is_rolled_back),
    TEST(a_pool_may_be_freed_before_a_thread_that_it_refused_has_run),
    TEST(a_thread_that_comes_when_the_pool_is_gone_does_no_harm),
    TEST(with_workers_there_a_failing_factory_goes_unnoticed),
    TEST(a_pool_whose_factory_always_fails_terminates),
    TEST(a_worker_is_not_admitted_when_the_pool_was_stopped_meanwhile),
    TEST(neither_is_one_whose_thread_the_factory_has_started),
    TEST(shutdown_does_not_rely_on_a_worker_that_could_not_be_made),
    TEST(a_submission_waits_for_the_worker_that_another_is_making),
    TEST(a_submission_makes_a_worker_itself_if_the_other_could_not),
    TEST(tasks_left_to_a_worker_that_came_to_nothing_get_another),
    TEST(who_awaits_the_end_is_told_that_no_thread_is_to_be_had),
    TEST(the_thread_of_a_worker_is_the_pools_to_start_and_join),
    END_OF_TESTS,
};

const struct suite pool_factories_suite = {.name = "pool_factories", .tests = tests};
