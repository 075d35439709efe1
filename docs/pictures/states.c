/*
 * The states of a future, of a pool, and of a threadless executor, one way after the other:
 * docs/pictures/draw takes its state machines from here.
 *
 *     states future|pool|threadless
 *
 * Each line is one that went that way: its states, as the library's probes tell them, and the call
 * that made it.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <glasspool/glasspool.h>

#include "docs/pictures/probe.h"
#include "pool/pool.h"

static struct {
    pthread_mutex_t lock;
    const char *probe; /* whose states are wanted */
    char path[128];
    int last;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *name_of(const char *probe, int state)
{
    if (strcmp(probe, "future_state") == 0)
        return gp_future_state_name((gp_future_state)state);
    switch (state) {
    case GP__RUNNING:
        return "RUNNING";
    case GP__SHUTDOWN:
        return "SHUTDOWN";
    case GP__STOP:
        return "STOP";
    case GP__TIDYING:
        return "TIDYING";
    default:
        return state == GP__TERMINATED ? "TERMINATED" : "?";
    }
}

void state_told(const char *probe, int state, const char *const *names)
{
    if (strcmp(probe, "pool_ctl") == 0)
        state &= ~GP__COUNT_MASK; /* the rest of ctl is the number of workers */
    pthread_mutex_lock(&seen.lock);
    if (strcmp(probe, seen.probe) == 0 && state > seen.last) { /* who is overtaken tells late */
        size_t length = strlen(seen.path);
        snprintf(seen.path + length, sizeof seen.path - length, " -> %s",
                 names == NULL ? name_of(probe, state) : names[state]);
        seen.last = state;
    }
    pthread_mutex_unlock(&seen.lock);
}

static void begin(const char *probe, int state, const char *name)
{
    seen.probe = probe;
    seen.last = state;
    snprintf(seen.path, sizeof seen.path, "%s", name);
}

static int do_nothing(void *unused, void **result)
{
    (void)unused;
    (void)result;
    return 0;
}

static void complete(gp_future *future, int way)
{
    const gp_failure failure = {.code = 1};
    if (way == 0)
        gp_future_set(future, NULL);
    else if (way == 1)
        gp_future_fail(future, &failure);
    else
        gp_future_cancel(future, way == 3);
}

static int show_futures(void)
{
    static const char *const calls[] = {"gp_future_set", "gp_future_fail",
                                        "gp_future_cancel, false", "gp_future_cancel, true"};
    const gp_callable callable = {.call = do_nothing};
    for (int way = 0; way < 4; way++) {
        gp_future *future;
        if (gp_future_new(&callable, &future) != GP_OK)
            return 1;
        begin("future_state", GP_NEW, name_of("future_state", GP_NEW));
        complete(future, way);
        printf("%-36s%s\n", seen.path, calls[way]);
        gp_future_release(future);
    }
    return 0;
}

static void sleep_long(void *unused)
{
    (void)unused;
    gp_sleep(GP_SECONDS(3600)); /* an interrupt ends it */
}

static void end(gp_pool *pool, int way)
{
    gp_task_list unrun;
    if (way != 1)
        gp_pool_shutdown(pool);
    if (way > 0) {
        gp_pool_shutdown_now(pool, &unrun);
        gp_task_list_discard(&unrun);
    }
    gp_pool_await_termination(pool, GP_FOREVER);
}

static int show_pools(void)
{
    static const char *const calls[] = {"gp_pool_shutdown", "gp_pool_shutdown_now",
                                        "the first, then the second"};
    for (int way = 0; way < 3; way++) {
        gp_pool *pool;
        if (gp_executors_fixed(1, &pool) != GP_OK)
            return 1;
        begin("pool_ctl", GP__RUNNING, name_of("pool_ctl", GP__RUNNING));
        if (way == 2 && gp_pool_execute(pool, sleep_long, NULL) != GP_OK)
            return 1;
        end(pool, way);
        printf("%-56s%s\n", seen.path, calls[way]);
        gp_pool_free(pool);
    }
    return 0;
}

static void run_nothing(void *unused)
{
    (void)unused;
}

static void end_thread(void *unused)
{
    (void)unused;
    pthread_exit(NULL);
}

enum {
    TASK_RUNS,
    TASK_ENDS_THREAD,
    INTERRUPTED,
    TIME_IS_UP,
    WAYS
};

static struct {
    gp_threadless *threadless;
    int way;
} call;

static void *make_call(void *unused)
{
    (void)unused;
    if (call.way == INTERRUPTED)
        gp_thread_interrupt(gp_thread_self());
    if (call.way == TIME_IS_UP)
        gp_threadless_wait_and_drain_timed(call.threadless, GP_MILLISECONDS(1));
    else
        gp_threadless_wait_and_drain(call.threadless);
    return NULL;
}

static bool show_call(gp_pool *shared, gp_future *answer, int way, const char *what)
{
    pthread_t caller;
    call.way = way;
    if (gp_threadless_new(shared, answer, &call.threadless) != GP_OK)
        return false;
    begin("threadless_state", -1, "OPEN"); /* what it begins with is told by no probe */
    bool ready = way > TASK_ENDS_THREAD ||
                 gp_threadless_execute(call.threadless, way == TASK_RUNS ? run_nothing : end_thread,
                                       NULL) == GP_OK;
    bool started = ready && pthread_create(&caller, NULL, make_call, NULL) == 0;
    if (started)
        pthread_join(caller, NULL);
    printf("%-42s%s\n", seen.path, what);
    gp_threadless_release(call.threadless);
    return started;
}

static int show_calls(void)
{
    static const char *const what[WAYS] = {"a task was there", "one that ended its thread",
                                           "interrupted", "the time was up"};
    const gp_callable callable = {.call = do_nothing};
    gp_future *answer;
    gp_pool *shared;
    bool well = true;
    if (gp_executors_fixed(1, &shared) != GP_OK || gp_future_new(&callable, &answer) != GP_OK)
        return 1;
    for (int way = 0; way < WAYS && well; way++)
        well = show_call(shared, answer, way, what[way]);
    gp_future_release(answer);
    gp_pool_close(shared);
    return well ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "future") == 0)
        return show_futures();
    if (argc == 2 && strcmp(argv[1], "pool") == 0)
        return show_pools();
    if (argc == 2 && strcmp(argv[1], "threadless") == 0)
        return show_calls();
    fputs("usage: states future|pool|threadless\n", stderr);
    return 2;
}
