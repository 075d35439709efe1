/*
 * How late is a task that is due? What lies between the time asked for and the task's first step:
 * the timer of the kernel, a processor to run on, and what the library adds.
 *
 *     lateness/floor      a bare thread in pthread_cond_timedwait, until each time in turn
 *     lateness/scheduled  a scheduled pool with two workers
 *     lateness/tickless   the tickless wheel
 *
 * Two thousand tasks, 20, 100 or 500 microseconds apart, all scheduled before the first is due. The
 * counters late_p50, late_p90, late_p99, late_p99.9 and late_max are in seconds ("5u" is five
 * microseconds). All threads that wait have a timer slack of a nanosecond: with Linux's default of
 * 50 microseconds everything is later by that. The time reported is what the tasks wait on purpose,
 * and no figure of merit.
 */
#include <pthread.h>
#include <stdlib.h> /* calloc */
#include <time.h>   /* CLOCK_MONOTONIC */

#include <glasspool/glasspool.h>

#include "countdown.h"
#include "gbench.h"

enum {
    TASKS = 2000,
    WORKERS = 2
};

#define AHEAD GP_MILLISECONDS(20) /* of the first: to schedule all of them */

struct one {
    struct run *run;
    int64_t due;
    double late; /* seconds */
};

struct run {
    struct one all[TASKS];
    struct countdown countdown;
    double late[TASKS];
};

static void note(void *argument)
{
    struct one *one = argument;

    one->late = (double)gp_time_until(gp_now(), one->due) / 1e9;
    count_down(&one->run->countdown);
}

static void set_times(struct run *run, int64_t interval)
{
    const int64_t first = gp_time_after(gp_now(), AHEAD);

    countdown_start(&run->countdown, TASKS);
    for (int i = 0; i < TASKS; i++)
        run->all[i] = (struct one){.run = run, .due = gp_time_after(first, i * interval)};
}

static void *run_new(gb_state *state)
{
    struct run *run = calloc(1, sizeof(*run));

    if (run)
        run->countdown = (struct countdown)COUNTDOWN_INITIALIZER;
    else
        gb_fail(state, gp_strerror(GP_ENOMEM));
    return run;
}

/* Each contender takes all that is in the run, and returns at once. */
static void measure(gb_state *state, int (*start)(struct run *, void *), void *contender)
{
    struct run *run = state->fixture;

    while (gb_keep_running(state)) {
        set_times(run, GP_MICROSECONDS(gb_value(state, 0)));
        const int status = start(run, contender);
        if (status == GP_OK)
            countdown_await(&run->countdown);
        else
            gb_fail(state, gp_strerror(status));
    }
    for (int i = 0; i < TASKS; i++)
        run->late[i] = run->all[i].late;
    gb_percentiles(state, "late", run->late, TASKS);
}

/* ---- the floor ---- */

static bool init_monotonic(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;

    if (pthread_condattr_init(&monotonic) != 0)
        return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    const bool made = pthread_cond_init(condition, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return made;
}

static void wait_for_each(void *argument)
{
    struct run *run = argument;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never;

    if (!init_monotonic(&never))
        return;
    for (int i = 0; i < TASKS; i++) {
        const int64_t due = run->all[i].due;
        const struct timespec until = {.tv_sec = due / GP_SECONDS(1),
                                       .tv_nsec = due % GP_SECONDS(1)};
        pthread_mutex_lock(&lock);
        while (gp_time_until(due, gp_now()) > 0)
            pthread_cond_timedwait(&never, &lock, &until);
        pthread_mutex_unlock(&lock);
        note(&run->all[i]);
    }
    pthread_cond_destroy(&never);
}

static int start_thread(struct run *run, void *thread)
{
    const gp_thread_config config = {.timer_slack = 1};
    gp_thread **out = thread;
    int status = gp_thread_new(&config, wait_for_each, run, out);

    if (status == GP_OK && (status = gp_thread_start(*out)) != GP_OK) {
        gp_thread_release(*out);
        *out = NULL;
    }
    return status;
}

static void lateness_floor(gb_state *state)
{
    gp_thread *thread = NULL;

    measure(state, start_thread, &thread);
    if (thread) {
        gp_thread_join(thread);
        gp_thread_release(thread);
    }
}

/* ---- ours ---- */

static int schedule_all(struct run *run, void *scheduled)
{
    int status = GP_OK;

    for (int i = 0; i < TASKS && status == GP_OK; i++) {
        const gp_callable callable = gp_callable_of(note, &run->all[i], NULL);
        const int64_t delay = gp_time_until(run->all[i].due, gp_now());
        status = gp_schedule(scheduled, &callable, delay, NULL);
    }
    return status;
}

static void lateness_scheduled(gb_state *state)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled = NULL;

    config.core_size = WORKERS;
    config.time_tasks = false;
    if (gp_scheduled_new(&config, &scheduled) != GP_OK)
        gb_fail(state, gp_strerror(GP_ENOMEM));
    measure(state, schedule_all, scheduled);
    (void)gp_scheduled_close(scheduled);
}

static int note_timeout(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    note(argument);
    return 0;
}

static int add_all(struct run *run, void *timer)
{
    int status = GP_OK;

    for (int i = 0; i < TASKS && status == GP_OK; i++)
        status = gp_timer_after(timer, gp_time_until(run->all[i].due, gp_now()), note_timeout,
                                &run->all[i], NULL, NULL);
    return status;
}

static void lateness_tickless(gb_state *state)
{
    gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;
    gp_timer *timer = NULL;

    config.thread.timer_slack = 1;
    if (gp_tickless_new(&config, &timer) != GP_OK)
        gb_fail(state, gp_strerror(GP_ENOMEM));
    measure(state, add_all, timer);
    (void)gp_timer_close(timer);
}

#define BENCH(its_name, its_run)                                                    \
    {                                                                               \
        .name = (its_name), .run = (its_run), .set_up = run_new, .tear_down = free, \
        .arguments = {{.name = "apart_us", .from = 20, .to = 500, .times = 5}},     \
        .clock = GB_REAL_TIME, .unit = GB_MILLISECONDS, .iterations = 1             \
    }

static const gb_bench benches[] = {
    BENCH("lateness/floor", lateness_floor),
    BENCH("lateness/scheduled", lateness_scheduled),
    BENCH("lateness/tickless", lateness_tickless),
};
GB_REGISTER(benches);
