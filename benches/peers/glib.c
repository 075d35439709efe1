/*
 * GLib: the thread pool, exclusive, so that its threads are there from the start; and timeouts on a
 * main context with a thread of its own. These are of milliseconds, and each turn of the loop walks
 * over all of them, so only a few thousand are of use. How many there are it does not tell: they
 * are counted by what it says of each.
 */
#include <glib.h>
#include <stdlib.h>

#include "contender.h"

/* The pool. */

static void run_nothing(gpointer task, gpointer unused)
{
    (void)task;
    (void)unused;
    count_run();
}

static void *open_pool(long workers)
{
    return g_thread_pool_new(run_nothing, NULL, (gint)workers, TRUE, NULL);
}

static bool produce(void *pool, long count)
{
    bool ok = true;

    for (long i = 0; i < count && ok; i++)
        ok = g_thread_pool_push(pool, pool, NULL);
    return ok;
}

static void close_pool(void *pool)
{
    g_thread_pool_free(pool, FALSE, TRUE);
}

static void execute(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, produce, close_pool};

    execute_round(&executor, request, answer);
}

/* Timeouts. */

struct timer {
    GMainContext *context;
    GMainLoop *loop;
    GThread *thread;
    long pending; /* by the one thread that adds and cancels */
};

struct call {
    void (*run)(void *);
    void *argument;
};

static gpointer iterate(gpointer argument)
{
    struct timer *timer = argument;

    set_timer_slack();
    g_main_context_push_thread_default(timer->context);
    g_main_loop_run(timer->loop);
    return NULL;
}

static void *open_timer(long workers)
{
    struct timer *timer = calloc(1, sizeof(*timer));

    (void)workers;
    if (!timer)
        return NULL;
    timer->context = g_main_context_new();
    timer->loop = g_main_loop_new(timer->context, FALSE);
    timer->thread = g_thread_new("loop", iterate, timer);
    return timer;
}

static void close_timer(void *argument)
{
    struct timer *timer = argument;

    g_main_loop_quit(timer->loop);
    g_thread_join(timer->thread);
    g_main_loop_unref(timer->loop);
    g_main_context_unref(timer->context);
    free(timer);
}

static gboolean call_once(gpointer argument)
{
    struct call *call = argument;

    call->run(call->argument);
    return G_SOURCE_REMOVE;
}

static bool time_after(void *timer, int64_t delay, void (*run)(void *), void *argument,
                       void **handle)
{
    struct timer *into = timer;
    struct call *call = malloc(sizeof(*call));
    GSource *source = g_timeout_source_new((guint)((delay + 999999) / 1000000));

    if (!call)
        abort();
    *call = (struct call){run, argument};
    g_source_set_callback(source, call_once, call, free);
    into->pending += g_source_attach(source, into->context) != 0;
    if (handle)
        *handle = source;
    else
        g_source_unref(source);
    return true;
}

static bool cancel_timeout(void *timer, void *handle)
{
    bool was_pending = !g_source_is_destroyed(handle);

    g_source_destroy(handle);
    ((struct timer *)timer)->pending -= was_pending && g_source_is_destroyed(handle);
    g_source_unref(handle);
    return was_pending;
}

static long pending(void *timer)
{
    return ((struct timer *)timer)->pending;
}

static const struct scheduler scheduler = {.pending_most = 10000,
                                           .open = open_timer,
                                           .after = time_after,
                                           .cancel = cancel_timeout,
                                           .pending = pending,
                                           .close = close_timer};

static void schedule(const struct request *request, struct answer *answer)
{
    schedule_round(&scheduler, request, answer);
}

static void cancel(const struct request *request, struct answer *answer)
{
    cancel_round(&scheduler, request, answer);
}

static void lateness(const struct request *request, struct answer *answer)
{
    lateness_round(&scheduler, request, answer);
}

int main(int argc, char **argv)
{
    static const struct work works[] = {
        {"execute", execute}, {"schedule", schedule}, {"cancel", cancel}, {"lateness", lateness}};

    return contend(argc, argv, works, sizeof(works) / sizeof(*works));
}
