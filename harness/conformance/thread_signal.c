/*
 * Interrupts that come with a signal: a blocking system call returns, the signal is sent again
 * while the flag is up, and none comes after it has been cleared.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RLIMIT_SIGPENDING */
#endif
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <glasspool/clock.h>
#include <glasspool/future.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "suite.h"
#include "support.h"

#define SIGNAL SIGUSR1

static _Atomic int signals;

static void count_signal(int signal_number)
{
    (void)signal_number;
    atomic_fetch_add(&signals, 1);
}

static struct sigaction install(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    struct sigaction before;
    atomic_store(&signals, 0);
    sigaction(SIGNAL, &action, &before);
    return before;
}

static void uninstall(struct sigaction before)
{
    sigaction(SIGNAL, &before, NULL);
}

struct reader {
    gp_thread *thread;
    int pipe[2];
    struct latch begun;
    struct gate clear;        /* opened: clear the flag */
    ssize_t result;           /* of the first read, */
    int error;                /* and its errno */
    int interrupted_reads;    /* how many returned EINTR while the flag was up */
    bool flag_was_up;         /* when the first read returned */
    bool signal_after_clear;  /* one came although the flag was down */
    _Atomic int wanted_reads; /* how many reads are to be interrupted */
};

static void read_once(struct reader *reader)
{
    char byte;
    reader->result = read(reader->pipe[0], &byte, 1);
    reader->error = reader->result < 0 ? errno : 0;
    if (reader->result < 0 && reader->error == EINTR)
        reader->interrupted_reads++;
}

static void look_for_late_signals(struct reader *reader)
{
    int before = atomic_load(&signals);
    int64_t end = gp_now() + GP_MILLISECONDS(10);
    while (gp_now() < end)
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    reader->signal_after_clear = atomic_load(&signals) != before;
}

static void read_until_interrupted(void *argument)
{
    struct reader *reader = argument;
    latch_count_down(&reader->begun);
    do {
        read_once(reader);
    } while (reader->error == EINTR && reader->interrupted_reads < reader->wanted_reads);
    reader->flag_was_up = gp_interrupted();
    look_for_late_signals(reader);
}

static void reader_make(struct reader *reader, int wanted_reads)
{
    gp_thread_config config = {.interrupt_signal = SIGNAL};
    *reader = (struct reader){.wanted_reads = wanted_reads};
    latch_init(&reader->begun, 1);
    require(pipe(reader->pipe) == 0);
    require_ok(gp_thread_new(&config, read_until_interrupted, reader, &reader->thread));
}

static void reader_start(struct reader *reader, int wanted_reads)
{
    reader_make(reader, wanted_reads);
    require_ok(gp_thread_start(reader->thread));
    latch_await(&reader->begun);
}

static void reader_join(struct reader *reader)
{
    check_status(gp_thread_join(reader->thread), GP_OK);
    gp_thread_release(reader->thread);
    close(reader->pipe[0]);
    close(reader->pipe[1]);
}

static void a_blocked_read_returns_eintr(void)
{
    struct sigaction before = install(count_signal);
    struct reader reader;
    reader_start(&reader, 1);
    gp_thread_interrupt(reader.thread);
    reader_join(&reader);
    check_int(reader.interrupted_reads, 1);
    check(reader.flag_was_up);
    check(!reader.signal_after_clear);
    uninstall(before);
}

static void a_signal_that_comes_too_early_is_followed_by_others(void)
{
    struct sigaction before = install(count_signal);
    struct reader reader;
    reader_start(&reader, 5);
    gp_thread_interrupt(reader.thread);
    reader_join(&reader);
    check_int(reader.interrupted_reads, 5);
    check(atomic_load(&signals) >= 5);
    check(!reader.signal_after_clear);
    uninstall(before);
}

static void an_interrupt_before_the_start_is_signalled_after_it(void)
{
    struct sigaction before = install(count_signal);
    struct reader reader;
    reader_make(&reader, 2);
    gp_thread_interrupt(reader.thread);
    require_ok(gp_thread_start(reader.thread));
    reader_join(&reader);
    check_int(reader.interrupted_reads, 2);
    check(!reader.signal_after_clear);
    uninstall(before);
}

static void note_signals_after_a_while(void *argument)
{
    gp_sleep(GP_MILLISECONDS(20));
    *(int *)argument = atomic_load(&signals);
}

static void without_an_interrupt_there_is_no_signal(void)
{
    struct sigaction before = install(count_signal);
    gp_thread_config config = {.interrupt_signal = SIGNAL};
    gp_thread *thread = NULL;
    int seen = -1;
    require_ok(gp_thread_new(&config, note_signals_after_a_while, &seen, &thread));
    require_ok(gp_thread_start(thread));
    check_status(gp_thread_join(thread), GP_OK);
    check_int(seen, 0);
    gp_thread_release(thread);
    uninstall(before);
}

static void without_a_handler_of_its_own_the_program_gets_an_empty_one(void)
{
    struct sigaction before = install(SIG_DFL); /* which would end the process */
    struct sigaction now;
    struct reader reader;
    reader_start(&reader, 1);
    sigaction(SIGNAL, NULL, &now);
    check(now.sa_handler != SIG_DFL);
    check((now.sa_flags & SA_RESTART) == 0);
    gp_thread_interrupt(reader.thread);
    reader_join(&reader);
    check_int(reader.interrupted_reads, 1);
    uninstall(before);
}

static void an_ignored_signal_interrupts_all_the_same(void)
{
    struct sigaction before = install(SIG_IGN);
    struct sigaction now;
    gp_thread_config config = {.interrupt_signal = SIGNAL};
    gp_thread *thread = NULL;
    check_status(gp_thread_new(&config, read_until_interrupted, NULL, &thread), GP_OK);
    sigaction(SIGNAL, NULL, &now);
    check(now.sa_handler != SIG_IGN); /* ignored, it would interrupt nothing */
    gp_thread_release(thread);
    uninstall(before);
}

static bool mask_signal(bool block)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    return pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL) == 0;
}

static bool signal_is_blocked;

static void note_mask(void *unused)
{
    (void)unused;
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    signal_is_blocked = sigismember(&set, SIGNAL) == 1;
}

static void a_signal_that_the_creator_blocks_reaches_the_thread(void)
{
    struct sigaction before = install(count_signal);
    gp_thread_config config = {.interrupt_signal = SIGNAL};
    gp_thread *thread = NULL;
    signal_is_blocked = true;
    require(mask_signal(true));
    require_ok(gp_thread_new(&config, note_mask, NULL, &thread));
    require_ok(gp_thread_start(thread));
    check_status(gp_thread_join(thread), GP_OK);
    check(!signal_is_blocked);
    check(mask_signal(false));
    gp_thread_release(thread);
    uninstall(before);
}

static void an_interrupted_thread_that_ends_gets_no_more_signals(void)
{
    struct sigaction before = install(count_signal);
    gp_thread_config config = {.interrupt_signal = SIGNAL};
    gp_thread *thread = NULL;
    require_ok(gp_thread_new(&config, note_mask, NULL, &thread));
    gp_thread_interrupt(thread);
    require_ok(gp_thread_start(thread));
    check_status(gp_thread_join(thread), GP_OK);
    gp_thread_interrupt(thread); /* it is gone: only the flag */
    check(gp_is_interrupted(thread));
    int seen = atomic_load(&signals);
    check_status(gp_sleep(GP_MILLISECONDS(5)), GP_OK);
    check_int(atomic_load(&signals), seen);
    gp_thread_release(thread);
    uninstall(before);
}

/* A task that runs a future of its own, and is interrupted itself meanwhile. */
struct nest {
    gp_future *outer; /* NULL: it is the thread that is interrupted */
    gp_future *inner;
    struct latch begun;
    struct gate end;
    bool signals_go_on;
};

static void wait_inside(void *argument)
{
    struct nest *nest = argument;
    latch_count_down(&nest->begun);
    gate_pass(&nest->end);
}

static bool more_have_come(void *before)
{
    return atomic_load(&signals) > *(int *)before;
}

static void run_inner(void *argument)
{
    struct nest *nest = argument;
    gp_future_run(nest->inner);
    int before = atomic_load(&signals);
    nest->signals_go_on = eventually(more_have_come, &before);
    gp_interrupted();
}

static void run_outer(void *argument)
{
    struct nest *nest = argument;
    gp_future_run(nest->outer);
}

/* The inner task is cancelled, and so is the outer one, or its thread interrupted. */
static void cancel_inside(struct nest *nest, gp_run_fn *run)
{
    gp_thread_config config = {.interrupt_signal = SIGNAL};
    gp_callable callable = gp_callable_of(wait_inside, nest, NULL);
    gp_thread *thread = NULL;
    latch_init(&nest->begun, 1);
    gate_init(&nest->end);
    require_ok(gp_future_new(&callable, &nest->inner));
    require_ok(gp_thread_new(&config, run, nest, &thread));
    require_ok(gp_thread_start(thread));
    latch_await(&nest->begun);
    if (nest->outer == NULL)
        gp_thread_interrupt(thread);
    else
        check(gp_future_cancel(nest->outer, true));
    check(gp_future_cancel(nest->inner, true));
    gate_open(&nest->end, 1);
    check_status(gp_thread_join(thread), GP_OK);
    check(nest->signals_go_on);
    check_int(gp_future_state_of(nest->inner), GP_INTERRUPTED);
    gp_future_release(nest->inner);
    gp_thread_release(thread);
}

static void the_end_of_an_inner_task_leaves_the_outer_ones_signals_alone(void)
{
    struct sigaction before = install(count_signal);
    struct nest nest = {0};
    cancel_inside(&nest, run_inner);
    uninstall(before);
}

static void the_end_of_an_inner_task_leaves_those_of_a_cancelled_outer_task_alone(void)
{
    struct sigaction before = install(count_signal);
    struct nest nest = {0};
    gp_callable outer = gp_callable_of(run_inner, &nest, NULL);
    require_ok(gp_future_new(&outer, &nest.outer));
    cancel_inside(&nest, run_outer);
    check_int(gp_future_state_of(nest.outer), GP_INTERRUPTED);
    gp_future_release(nest.outer);
    uninstall(before);
}

static void sleep_for_ever(void *argument)
{
    *(int *)argument = gp_sleep(GP_FOREVER);
}

static void where_the_system_refuses_a_timer_the_flag_works_alone(void)
{
    struct sigaction before = install(count_signal);
    struct rlimit limit;
    struct rlimit none;
    gp_thread_config config = {.interrupt_signal = SIGNAL};
    gp_thread *thread = NULL;
    int status = GP_OK;
    getrlimit(RLIMIT_SIGPENDING, &limit);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    require_ok(gp_thread_new(&config, sleep_for_ever, &status, &thread));
    require(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
    require_ok(gp_thread_start(thread));
    gp_thread_interrupt(thread);
    check_status(gp_thread_join(thread), GP_OK);
    check_status(status, GP_EINTERRUPTED);
    setrlimit(RLIMIT_SIGPENDING, &limit);
    gp_thread_release(thread);
    uninstall(before);
}

static const struct test tests[] = {
    TEST(a_blocked_read_returns_eintr),
    TEST(a_signal_that_comes_too_early_is_followed_by_others),
    TEST(an_interrupt_before_the_start_is_signalled_after_it),
    TEST(without_an_interrupt_there_is_no_signal),
    TEST(without_a_handler_of_its_own_the_program_gets_an_empty_one),
    TEST(an_ignored_signal_interrupts_all_the_same),
    TEST(a_signal_that_the_creator_blocks_reaches_the_thread),
    TEST(an_interrupted_thread_that_ends_gets_no_more_signals),
    TEST(the_end_of_an_inner_task_leaves_the_outer_ones_signals_alone),
    TEST(the_end_of_an_inner_task_leaves_those_of_a_cancelled_outer_task_alone),
    TEST(where_the_system_refuses_a_timer_the_flag_works_alone),
    END_OF_TESTS,
};

const struct suite thread_signal_suite = {.name = "thread_signal", .tests = tests};
