/*
 * System calls per task, as the kernel counts them (its tracepoint raw_syscalls:sys_enter, which is
 * what `perf stat` reads): of all threads, from the first task given to the last one done.
 *
 *     syscalls/execute     20,000 tasks given to a pool at once
 *     syscalls/one_by_one  2,000 tasks, each given when the one before is done: the worker sleeps
 *     syscalls/submit_get  2,000 round trips
 *     syscalls/schedule    20,000 tasks that are due at once
 *     syscalls/apart       1,000 tasks, half a millisecond apart: each has to be waited for
 *
 * By 1, 2 or 4 workers. Reading the counter needs root, or CAP_PERFMON and a tracing file system
 * that can be read; where that is not to be had the benches are skipped, with the reason. Where it
 * is only not mounted, root mounts it in a child's own namespace, for as long as it takes to look
 * up a number there: nothing changes for anybody else. The times are no figures of merit: being
 * counted costs a little at each call.
 */
#define _GNU_SOURCE /* syscall, unshare */

#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h> /* calloc */
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glasspool/glasspool.h>

#include "countdown.h"
#include "gbench.h"

enum {
    MANY = 20000,
    FEW = 2000,
    APART = 1000
};

struct subject {
    int counter; /* file descriptor */
    gp_pool *pool;
    gp_scheduled *scheduled; /* NULL: a plain pool */
    struct countdown countdown;
};

/* ---- the counter ---- */

static bool read_number(const char *path, unsigned long long *out)
{
    FILE *file = fopen(path, "r");
    bool read = false;

    if (file) {
        char text[32];
        char *end = text;
        if (fgets(text, sizeof(text), file))
            *out = strtoull(text, &end, 10);
        read = end != text;
        fclose(file);
    }
    return read;
}

#define TRACING "/sys/kernel/tracing"
#define NUMBER  "/events/raw_syscalls/sys_enter/id"

/* By a child: with the tracing file system where nobody else sees it. */
static void mount_and_tell(int out)
{
    unsigned long long number;

    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", TRACING, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0 ||
        !read_number(TRACING NUMBER, &number) ||
        write(out, &number, sizeof(number)) != sizeof(number))
        _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

static bool read_number_unmounted(unsigned long long *out)
{
    int pipes[2];
    int status = EXIT_FAILURE;
    pid_t child;

    if (pipe(pipes) != 0)
        return false;
    child = fork();
    if (child == 0)
        mount_and_tell(pipes[1]);
    close(pipes[1]);
    const bool told = child > 0 && waitpid(child, &status, 0) == child && status == 0 &&
                      read(pipes[0], out, sizeof(*out)) == sizeof(*out);
    close(pipes[0]);
    return told;
}

/* Of this thread, and of all that it makes from now on. */
static int open_counter(void)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attributes), .inherit = 1};
    unsigned long long number;

    if (!read_number(TRACING NUMBER, &number) &&
        !read_number("/sys/kernel/debug/tracing" NUMBER, &number) &&
        !read_number_unmounted(&number))
        return -1;
    attributes.config = number;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

/* The read itself is one of them. */
static int64_t calls_so_far(const struct subject *subject)
{
    int64_t calls = 0;

    return read(subject->counter, &calls, sizeof(calls)) == sizeof(calls) ? calls : 0;
}

/* ---- pools ---- */

static int open_pool(struct subject *subject, int workers, bool is_scheduled)
{
    gp_scheduled_config scheduled = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_pool_config plain = GP_POOL_CONFIG_DEFAULT;
    int status;

    scheduled.core_size = plain.core_size = plain.maximum_size = workers;
    scheduled.time_tasks = plain.time_tasks = false;
    status = is_scheduled ? gp_scheduled_new(&scheduled, &subject->scheduled)
                          : gp_pool_new(&plain, &subject->pool);
    if (status == GP_OK && is_scheduled)
        subject->pool = gp_scheduled_pool(subject->scheduled);
    return status == GP_OK && gp_pool_prestart_all_core(subject->pool) < workers ? GP_EAGAIN
                                                                                 : status;
}

/* The sleep is for the workers to be at rest. */
static void *subject_of(gb_state *state, bool is_scheduled)
{
    struct subject *subject = calloc(1, sizeof(*subject));
    int status = GP_ENOMEM;

    if (subject) {
        subject->countdown = (struct countdown)COUNTDOWN_INITIALIZER;
        subject->counter = open_counter();
        status = open_pool(subject, (int)gb_value(state, 0), is_scheduled);
    }
    if (status != GP_OK)
        gb_fail(state, gp_strerror(status));
    else if (subject->counter < 0)
        gb_skip(state, "the kernel's tracepoints cannot be read");
    else
        (void)gp_sleep(GP_MILLISECONDS(10));
    return subject;
}

static void *plain_pool(gb_state *state)
{
    return subject_of(state, false);
}

static void *scheduled_pool(gb_state *state)
{
    return subject_of(state, true);
}

static void subject_drop(void *fixture)
{
    struct subject *subject = fixture;

    if (!subject)
        return;
    if (subject->pool)
        (void)gp_pool_close(subject->pool);
    if (subject->counter >= 0)
        close(subject->counter);
    free(subject);
}

/* ---- what is counted ---- */

static int execute_all(struct subject *subject)
{
    int status = GP_OK;

    for (int i = 0; i < MANY && status == GP_OK; i++)
        status = gp_pool_execute(subject->pool, count_down, &subject->countdown);
    if (status == GP_OK)
        countdown_await(&subject->countdown);
    return status;
}

static int execute_one_by_one(struct subject *subject)
{
    int status = GP_OK;

    for (int i = 0; i < FEW && status == GP_OK; i++) {
        countdown_start(&subject->countdown, 1);
        status = gp_pool_execute(subject->pool, count_down, &subject->countdown);
        if (status == GP_OK)
            countdown_await(&subject->countdown);
    }
    return status;
}

static void nothing(void *argument)
{
    (void)argument;
}

static int submit_and_get(struct subject *subject)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    int status = GP_OK;

    for (int i = 0; i < FEW && status == GP_OK; i++) {
        gp_future *future = NULL;
        status = gp_pool_submit(subject->pool, &callable, &future);
        status = status == GP_OK ? gp_future_get(future, NULL) : status;
        gp_future_release(future);
    }
    return status;
}

static int schedule_each(struct subject *subject, int count, int64_t apart)
{
    const gp_callable callable = gp_callable_of(count_down, &subject->countdown, NULL);
    int status = GP_OK;

    for (int i = 0; i < count && status == GP_OK; i++)
        status = gp_schedule(subject->scheduled, &callable, apart * i, NULL);
    if (status == GP_OK)
        countdown_await(&subject->countdown);
    return status;
}

static int schedule_all(struct subject *subject)
{
    return schedule_each(subject, MANY, 0);
}

static int schedule_apart(struct subject *subject)
{
    return schedule_each(subject, APART, GP_MICROSECONDS(500));
}

static void count_calls(gb_state *state, int tasks, int (*work)(struct subject *))
{
    struct subject *subject = state->fixture;
    int64_t calls = 0;

    while (gb_keep_running(state)) {
        countdown_start(&subject->countdown, tasks);
        const int64_t before = calls_so_far(subject);
        const int status = work(subject);
        calls += calls_so_far(subject) - before - 1;
        if (status != GP_OK)
            gb_fail(state, gp_strerror(status));
    }
    gb_counter(state, "calls", (double)calls / tasks, GB_PER_ITERATION);
}

static void execute(gb_state *state)
{
    count_calls(state, MANY, execute_all);
}

static void one_by_one(gb_state *state)
{
    count_calls(state, FEW, execute_one_by_one);
}

static void submit_get(gb_state *state)
{
    count_calls(state, FEW, submit_and_get);
}

static void schedule(gb_state *state)
{
    count_calls(state, MANY, schedule_all);
}

static void apart(gb_state *state)
{
    count_calls(state, APART, schedule_apart);
}

#define BENCH(its_name, its_run, its_set_up)                                                       \
    {                                                                                              \
        .name = (its_name), .run = (its_run), .set_up = (its_set_up), .tear_down = subject_drop,   \
        .arguments = {{.name = "workers", .from = 1, .to = 4, .times = 2}}, .clock = GB_REAL_TIME, \
        .unit = GB_MILLISECONDS, .iterations = 1                                                   \
    }

static const gb_bench benches[] = {
    BENCH("syscalls/execute", execute, plain_pool),
    BENCH("syscalls/one_by_one", one_by_one, plain_pool),
    BENCH("syscalls/submit_get", submit_get, plain_pool),
    BENCH("syscalls/schedule", schedule, scheduled_pool),
    BENCH("syscalls/apart", apart, scheduled_pool),
};
GB_REGISTER(benches);
