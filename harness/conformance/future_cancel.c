/*
 * Ending a task that runs: cancel with and without interrupt, with repeated signals, and the task
 * that leaves its thread. No interrupt may reach the next task on the same thread.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <glasspool/clock.h>
#include <glasspool/future.h>
#include <glasspool/status.h>

#include "future/future.h"

#include "suite.h"
#include "support.h"

static gp_future *future_of(struct subject *subject)
{
    gp_callable callable = callable_of(subject);
    gp_future *future = NULL;
    require_ok(gp_future_new(&callable, &future));
    return future;
}

/* A task that runs in a helper until it is told to go on. */
struct running {
    struct helper helper;
    struct subject subject;
    gp_future *future;
    bool (*run)(gp_future *);
    struct latch inside;
    struct gate go_on;
    int sleep_status;
    bool returned;    /* what run returned */
    bool flag_inside; /* was the flag up when the task ended? */
    bool flag_after;  /* ... and when run returned? */
};

static void run_running(void *argument)
{
    struct running *running = argument;
    running->returned = running->run(running->future);
    running->flag_after = gp_interrupted();
}

/* Starts it and returns when the callable has begun. */
static void running_start(struct running *running, void (*inside)(struct subject *))
{
    bool (*run)(gp_future *) = running->run == NULL ? gp_future_run : running->run;
    *running = (struct running){.run = run};
    running->subject.inside = inside;
    running->subject.context = running;
    running->future = future_of(&running->subject);
    latch_init(&running->inside, 1);
    gate_init(&running->go_on);
    helper_start(&running->helper, run_running, running);
    latch_await(&running->inside);
}

static void running_end(struct running *running)
{
    helper_join(&running->helper);
    check_int(running->subject.runs, 1);
    check_int(running->subject.destroyed, 1);
    gp_future_release(running->future);
    check_int(running->subject.destroyed, 1);
}

static void sleep_long(struct subject *subject)
{
    struct running *running = subject->context;
    latch_count_down(&running->inside);
    running->sleep_status = gp_sleep(GP_SECONDS(3600));
}

static void wait_for_permission(struct subject *subject)
{
    struct running *running = subject->context;
    latch_count_down(&running->inside);
    gate_pass(&running->go_on);
    running->flag_inside = gp_is_interrupted(gp_thread_self());
}

/* Cancelling. */

static void cancel_true_interrupts_the_runner_and_ends_interrupted(void)
{
    struct running running = {0};
    running_start(&running, sleep_long);
    helper_await_asleep(&running.helper);
    check(gp_future_cancel(running.future, true));
    check_int(gp_future_state_of(running.future), GP_INTERRUPTED);
    check_status(gp_future_get(running.future, NULL), GP_ECANCELLED);
    helper_join(&running.helper);
    check_status(running.sleep_status, GP_EINTERRUPTED);
    check(!running.flag_after);
    check_int(running.subject.destroyed, 1);
    gp_future_release(running.future);
}

static void cancel_true_releases_waiters_before_the_task_has_ended(void)
{
    struct running running = {0};
    running_start(&running, wait_for_permission);
    check(gp_future_cancel(running.future, true));
    check_status(gp_future_get(running.future, NULL), GP_ECANCELLED);
    check_int(running.subject.destroyed, 0); /* the callable is still using it */
    gate_open(&running.go_on, 1);
    helper_join(&running.helper);
    check(running.flag_inside);
    check_int(running.subject.destroyed, 1);
    gp_future_release(running.future);
}

static void cancel_false_leaves_the_runner_alone(void)
{
    struct running running = {0};
    running_start(&running, wait_for_permission);
    check(gp_future_cancel(running.future, false));
    check_int(gp_future_state_of(running.future), GP_CANCELLED);
    check(!gp_is_interrupted(running.helper.record));
    gate_open(&running.go_on, 1);
    helper_join(&running.helper);
    check(!running.flag_inside && !running.flag_after);
    check_int(running.subject.destroyed, 1);
    gp_future_release(running.future);
}

static void cancel_interrupts_a_resetting_run_as_well(void)
{
    struct running running = {.run = gp_future_run_and_reset};
    running_start(&running, sleep_long);
    check(gp_future_cancel(running.future, true));
    helper_join(&running.helper);
    check(!running.returned);
    check_status(running.sleep_status, GP_EINTERRUPTED);
    check_int(gp_future_state_of(running.future), GP_INTERRUPTED);
    check_int(running.subject.destroyed, 1);
    gp_future_release(running.future);
}

static void set_while_it_runs_wins_over_its_own_outcome(void)
{
    static int other;
    struct running running = {0};
    void *result = NULL;
    running_start(&running, wait_for_permission);
    check(gp_future_set(running.future, &other));
    gate_open(&running.go_on, 1);
    helper_join(&running.helper);
    check_int(gp_future_state_of(running.future), GP_NORMAL);
    check_status(gp_future_get(running.future, &result), GP_OK);
    check(result == &other);
    gp_future_release(running.future);
}

/* A canceller that stops for a while between INTERRUPTING and INTERRUPTED. */
static void become_interrupting(struct subject *subject)
{
    struct running *running = subject->context;
    atomic_store(&running->future->task.state, GP_INTERRUPTING);
    latch_count_down(&running->inside);
}

static void the_runner_does_not_leave_while_interrupting(void)
{
    struct running running = {0};
    running_start(&running, become_interrupting);
    check(!latch_await_for(&running.helper.ended, GP_MILLISECONDS(10)));
    check(gp_future_is_cancelled(running.future));
    check_status(gp_future_get(running.future, NULL), GP_ECANCELLED);
    atomic_store(&running.future->task.state, GP_INTERRUPTED);
    running_end(&running);
}

/* A worker that runs one task after the other, the first of which is being cancelled. */
struct leak_race {
    gp_future *victim;
    gp_future *next;
    struct gate start;
    bool leaked;
    gp_future_state victim_state;
};

static void note_interrupt(struct subject *subject)
{
    struct leak_race *race = subject->context;
    for (int i = 0; i < 50; i++)
        race->leaked = race->leaked || gp_is_interrupted(gp_thread_self());
}

static void run_one_after_the_other(void *argument)
{
    struct leak_race *race = argument;
    gate_pass(&race->start);
    gp_future_run(race->victim);
    race->victim_state = gp_future_state_of(race->victim);
    gp_interrupted(); /* as a pool does between tasks */
    gp_future_run(race->next);
}

static void a_cancel_that_comes_late_does_not_interrupt_the_next_task(void)
{
    for (unsigned round = 0; round < scaled(400); round++) {
        struct leak_race race = {.leaked = false};
        struct subject first = {0};
        struct subject second = {.inside = note_interrupt, .context = &race};
        struct helper worker;
        race.victim = future_of(&first);
        race.next = future_of(&second);
        gate_init(&race.start);
        helper_start(&worker, run_one_after_the_other, &race);
        gate_open(&race.start, 1);
        bool cancelled = gp_future_cancel(race.victim, true);
        helper_join(&worker);
        check(!race.leaked);
        check(race.victim_state != GP_NEW);
        check(first.runs == 0 || race.victim_state != GP_INTERRUPTING);
        check_int(gp_future_is_cancelled(race.victim), cancelled);
        check_int(second.runs, 1);
        gp_future_release(race.victim);
        gp_future_release(race.next);
        check_int(first.destroyed, 1);
    }
}

static void a_cancel_that_races_run_leaves_one_outcome(void)
{
    for (unsigned round = 0; round < scaled(400); round++) {
        struct running running = {.run = gp_future_run};
        running.future = future_of(&running.subject);
        helper_start(&running.helper, run_running, &running);
        bool cancelled = gp_future_cancel(running.future, false);
        int status = gp_future_get(running.future, NULL);
        helper_join(&running.helper);
        check_status(status, cancelled ? GP_ECANCELLED : GP_OK);
        check(cancelled || running.subject.runs == 1);
        check_int(running.returned, !cancelled);
        gp_future_release(running.future);
        check_int(running.subject.destroyed, 1);
    }
}

/* Leaving the thread. */

static void leave_the_thread(struct subject *subject)
{
    struct running *running = subject->context;
    latch_count_down(&running->inside);
    pthread_exit(NULL);
}

static void spin_until_cancelled_by_pthreads(struct subject *subject)
{
    struct running *running = subject->context;
    latch_count_down(&running->inside);
    for (;;) {
        pthread_testcancel(); /* not inside a system call, where ThreadSanitizer loses track */
        sched_yield();
    }
}

static void check_ended_abruptly(struct running *running)
{
    gp_failure failure;
    helper_join(&running->helper);
    check_int(gp_future_state_of(running->future), GP_EXCEPTIONAL);
    check_status(gp_future_get(running->future, NULL), GP_EFAILED);
    check_status(gp_future_failure(running->future, &failure), GP_OK);
    check_status(failure.code, GP_EABRUPT);
    check(atomic_load(&running->future->runner) == NULL);
    check_int(running->subject.destroyed, 1);
    gp_future_release(running->future);
    check_int(running->subject.destroyed, 1);
}

static void a_task_that_exits_its_thread_fails_with_abrupt(void)
{
    struct running running = {0};
    running_start(&running, leave_the_thread);
    check_ended_abruptly(&running);
}

static void a_resetting_run_that_exits_its_thread_fails_with_abrupt(void)
{
    struct running running = {.run = gp_future_run_and_reset};
    running_start(&running, leave_the_thread);
    check_ended_abruptly(&running);
}

static void a_task_whose_thread_is_cancelled_fails_with_abrupt(void)
{
    struct running running = {0};
    running_start(&running, spin_until_cancelled_by_pthreads);
    pthread_cancel(running.helper.thread);
    check_ended_abruptly(&running);
}

static bool run_as_task(gp_future *future)
{
    gp_task_run(gp_future_task(gp_future_retain(future)));
    return true;
}

static void a_task_that_exits_its_thread_is_used_up(void)
{
    struct running running = {.run = run_as_task};
    running_start(&running, leave_the_thread);
    check_ended_abruptly(&running);
}

static void an_abrupt_end_of_a_cancelled_task_leaves_it_cancelled(void)
{
    struct running running = {0};
    running_start(&running, spin_until_cancelled_by_pthreads);
    check(gp_future_cancel(running.future, false));
    pthread_cancel(running.helper.thread);
    helper_join(&running.helper);
    check_int(gp_future_state_of(running.future), GP_CANCELLED);
    check_int(running.subject.destroyed, 1);
    gp_future_release(running.future);
}

/* Signals: the runner blocks in a system call, and is interrupted out of it. */

struct signalled {
    struct subject subject;
    gp_future *future;
    int pipe[2];
    struct latch inside;
    struct latch got_out;
    struct gate end;
    ssize_t read_result;
    int read_errno;
    bool flag_inside;
    gp_future_state state_inside;
    bool signalled_after; /* a signal came after the run */
};

static _Atomic int signals_seen;

static void count_signal(int signal_number)
{
    (void)signal_number;
    atomic_fetch_add(&signals_seen, 1);
}

static void read_from_pipe(struct subject *subject)
{
    struct signalled *task = subject->context;
    char byte;
    latch_count_down(&task->inside);
    task->read_result = read(task->pipe[0], &byte, 1);
    task->read_errno = errno;
    task->state_inside = gp_future_state_of(task->future);
    task->flag_inside = gp_is_interrupted(gp_thread_self());
    latch_count_down(&task->got_out);
    gate_pass(&task->end);
}

static void run_and_look_for_signals(void *argument)
{
    struct signalled *task = argument;
    gp_future_run(task->future);
    int before = atomic_load(&signals_seen);
    int64_t end = gp_now() + GP_MILLISECONDS(10);
    while (gp_now() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    task->signalled_after = atomic_load(&signals_seen) != before;
}

static bool three_signals_seen(void *unused)
{
    (void)unused;
    return atomic_load(&signals_seen) >= 3;
}

static void signals_end_a_blocking_call_and_stop_before_interrupted(void)
{
    struct signalled task = {.subject = {.inside = read_from_pipe}};
    gp_thread_config config = {.interrupt_signal = SIGUSR2};
    struct sigaction action = {.sa_handler = count_signal};
    struct sigaction before;
    gp_thread *thread = NULL;
    atomic_store(&signals_seen, 0);
    sigaction(SIGUSR2, &action, &before);
    task.subject.context = &task;
    task.future = future_of(&task.subject);
    latch_init(&task.inside, 1);
    latch_init(&task.got_out, 1);
    gate_init(&task.end);
    require(pipe(task.pipe) == 0);
    require_ok(gp_thread_new(&config, run_and_look_for_signals, &task, &thread));
    require_ok(gp_thread_start(thread));
    latch_await(&task.inside);
    check(gp_future_cancel(task.future, true));
    check_status(gp_future_get(task.future, NULL), GP_ECANCELLED); /* at once */
    latch_await(&task.got_out);
    check_int(task.read_result, -1);
    check_int(task.read_errno, EINTR);
    check(task.flag_inside);
    check(eventually(three_signals_seen, NULL)); /* again and again, while the task runs */
    check_int(gp_future_state_of(task.future), GP_INTERRUPTING);
    gate_open(&task.end, 1);
    check_status(gp_thread_join(thread), GP_OK);
    check_int(task.state_inside, GP_INTERRUPTING);
    check_int(gp_future_state_of(task.future), GP_INTERRUPTED);
    check(!task.signalled_after);
    gp_thread_release(thread);
    gp_future_release(task.future);
    check_int(task.subject.destroyed, 1);
    close(task.pipe[0]);
    close(task.pipe[1]);
    sigaction(SIGUSR2, &before, NULL);
}

static const struct test tests[] = {
    TEST(cancel_true_interrupts_the_runner_and_ends_interrupted),
    TEST(cancel_true_releases_waiters_before_the_task_has_ended),
    TEST(cancel_false_leaves_the_runner_alone),
    TEST(cancel_interrupts_a_resetting_run_as_well),
    TEST(set_while_it_runs_wins_over_its_own_outcome),
    TEST(the_runner_does_not_leave_while_interrupting),
    TEST(a_cancel_that_comes_late_does_not_interrupt_the_next_task),
    TEST(a_cancel_that_races_run_leaves_one_outcome),
    TEST(a_task_that_exits_its_thread_fails_with_abrupt),
    TEST(a_resetting_run_that_exits_its_thread_fails_with_abrupt),
    TEST(a_task_whose_thread_is_cancelled_fails_with_abrupt),
    TEST(a_task_that_exits_its_thread_is_used_up),
    TEST(an_abrupt_end_of_a_cancelled_task_leaves_it_cancelled),
    TEST(signals_end_a_blocking_call_and_stop_before_interrupted),
    END_OF_TESTS,
};

const struct suite future_cancel_suite = {.name = "future_cancel", .tests = tests};
