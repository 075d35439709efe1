/* Threads: what creating, joining and ending them orders, and what detaching them does not. */
#include <sched.h>
#include <stdlib.h>
#include <threads.h>

#include "harness/explore/test/pairs/pairs.h"

ROLE(write_value, value = 1; step_done(0))
ROLE(read_value, use(value))

static void read_then_join(pthread_t writer)
{
    after_step(0);
    use(value);
    pthread_join(writer, NULL);
}

static void join_then_read(pthread_t writer)
{
    pthread_join(writer, NULL);
    use(value);
}

/* ---- creating ---- */

ROLE(read_when_written, after_step(0); use(value))

void create_racy(void)
{
    pthread_t reader = start(read_when_written, NULL);

    write_value(NULL);
    pthread_join(reader, NULL);
}

void create_ordered(void)
{
    write_value(NULL);
    pthread_join(start(read_when_written, NULL), NULL);
}

/* ---- joining ---- */

void join_racy(void)
{
    read_then_join(start(write_value, NULL));
}

void join_ordered(void)
{
    join_then_read(start(write_value, NULL));
}

/* Joining a thread orders all that it has joined. */
ROLE(delegate_and_detach, pthread_detach(start(write_value, NULL)); after_step(0))
ROLE(delegate_and_join, pthread_join(start(write_value, NULL), NULL))

void join_transitive_racy(void)
{
    join_then_read(start(delegate_and_detach, NULL));
}

void join_transitive_ordered(void)
{
    join_then_read(start(delegate_and_join, NULL));
}

/* A join that gives up orders nothing. */
ROLE(write_and_stay, value = 1; step_done(0); after_step(1))

#define GIVE_UP(name, attempt)                          \
    void name(void)                                     \
    {                                                   \
        pthread_t writer = start(write_and_stay, NULL); \
                                                        \
        after_step(0);                                  \
        bool joined = (attempt) == 0;                   \
        use(value);                                     \
        step_done(1);                                   \
        if (!joined)                                    \
            pthread_join(writer, NULL);                 \
    }

GIVE_UP(tryjoin_racy, pthread_tryjoin_np(writer, NULL))
GIVE_UP(timedjoin_racy, pthread_timedjoin_np(writer, NULL, &long_ago))

void tryjoin_ordered(void)
{
    pthread_t writer = start(write_value, NULL);

    while (pthread_tryjoin_np(writer, NULL) != 0)
        sched_yield();
    use(value);
}

void timedjoin_ordered(void)
{
    if (pthread_timedjoin_np(start(write_value, NULL), NULL, &far_off) == 0)
        use(value);
}

/* ---- detaching ---- */

/* A nap is long enough for the writer to end, and no excuse. */
void detach_racy(void)
{
    pthread_detach(start(write_value, NULL));
    nanosleep(&nap, NULL);
    after_step(0);
    use(value);
}

void detach_ordered(void)
{
    pthread_t writer = start(write_value, NULL);

    nanosleep(&nap, NULL);
    join_then_read(writer);
}

#define DETACHED(name, told, hears)                                                    \
    ROLE(name##_tells, value = 1; atomic_store_explicit(&flag, 1, told); step_done(0)) \
    void name(void)                                                                    \
    {                                                                                  \
        pthread_attr_t detached;                                                       \
        pthread_t writer;                                                              \
                                                                                       \
        pthread_attr_init(&detached);                                                  \
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);               \
        pthread_create(&writer, &detached, name##_tells, NULL);                        \
        pthread_attr_destroy(&detached);                                               \
        after_step(0);                                                                 \
        if (atomic_load_explicit(&flag, hears))                                        \
            use(value);                                                                \
    }

DETACHED(detached_flag_racy, memory_order_relaxed, memory_order_relaxed)
DETACHED(detached_flag_ordered, memory_order_release, memory_order_acquire)

/* ---- successors: a thread that takes over what a runtime keeps of one that has ended ---- */

void successor_of_detached_racy(void)
{
    pthread_detach(start(write_value, NULL));
    nanosleep(&nap, NULL);
    after_step(0);
    pthread_join(start(read_value, NULL), NULL);
}

void successor_of_detached_ordered(void)
{
    pthread_join(start(write_value, NULL), NULL);
    nanosleep(&nap, NULL);
    pthread_join(start(read_value, NULL), NULL);
}

/* One thread joins the writer; another, which hears of that, creates the reader. */
static pthread_t writer_to_join;

#define JOINED_ELSEWHERE(name, told, hears)                                                       \
    ROLE(name##_joins, pthread_join(writer_to_join, NULL); atomic_store_explicit(&flag, 1, told); \
         step_done(1))                                                                            \
    ROLE(name##_creates, after_step(1);                                                           \
         if (atomic_load_explicit(&flag, hears)) pthread_join(start(read_value, NULL), NULL))     \
    void name(void)                                                                               \
    {                                                                                             \
        writer_to_join = start(write_value, NULL);                                                \
        run_both(name##_joins, name##_creates);                                                   \
    }

JOINED_ELSEWHERE(successor_of_joined_racy, memory_order_relaxed, memory_order_relaxed)
JOINED_ELSEWHERE(successor_of_joined_ordered, memory_order_release, memory_order_acquire)

/* ---- ending ---- */

static void *write_and_exit(void *unused)
{
    write_value(unused);
    pthread_exit(unused);
}

void exit_racy(void)
{
    read_then_join(start(write_and_exit, NULL));
}

void exit_ordered(void)
{
    join_then_read(start(write_and_exit, NULL));
}

/* A thread hands out its result before it ends: the reader takes that, or waits for the join. */
static _Atomic(int *) result_ahead;

static void *exit_with_result(void *unused)
{
    int *result = malloc(sizeof *result);

    (void)unused;
    *result = 1;
    atomic_store_explicit(&result_ahead, result, memory_order_relaxed);
    step_done(0);
    pthread_exit(result);
}

void exit_value_racy(void)
{
    pthread_t writer = start(exit_with_result, NULL);
    void *result;

    after_step(0);
    int *ahead = atomic_load_explicit(&result_ahead, memory_order_relaxed);
    if (ahead)
        use(*ahead);
    pthread_join(writer, &result);
    free(result);
}

void exit_value_ordered(void)
{
    pthread_t writer = start(exit_with_result, NULL);
    void *result;

    pthread_join(writer, &result);
    use(*(int *)result);
    free(result);
}

static void write_at_end(void *unused)
{
    write_value(unused);
}

static void *exit_with_cleanup(void *unused)
{
    pthread_cleanup_push(write_at_end, unused);
    pthread_exit(unused);
    pthread_cleanup_pop(0);
    return unused;
}

void cleanup_racy(void)
{
    read_then_join(start(exit_with_cleanup, NULL));
}

void cleanup_ordered(void)
{
    join_then_read(start(exit_with_cleanup, NULL));
}

static pthread_key_t key;

static void *leave_specific(void *unused)
{
    pthread_setspecific(key, &value);
    return unused;
}

static pthread_t start_with_destructor(void)
{
    pthread_key_create(&key, write_at_end);
    return start(leave_specific, NULL);
}

void specific_racy(void)
{
    read_then_join(start_with_destructor());
}

void specific_ordered(void)
{
    join_then_read(start_with_destructor());
}

/* ---- cancelling ---- */

static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void write_and_unlock(void *unused)
{
    write_value(unused);
    pthread_mutex_unlock(&mutex);
}

static void read_and_unlock(void *unused)
{
    (void)unused;
    use(value);
    pthread_mutex_unlock(&mutex);
}

static void wait_to_be_cancelled(void (*cleanup)(void *))
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(cleanup, NULL);
    step_done(1);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
}

ROLE(write_when_cancelled, wait_to_be_cancelled(write_and_unlock))
ROLE(read_when_cancelled, wait_to_be_cancelled(read_and_unlock))

static pthread_t start_and_cancel(void)
{
    pthread_t thread = start(write_when_cancelled, NULL);

    after_step(1);
    pthread_cancel(thread);
    return thread;
}

void cancelled_racy(void)
{
    read_then_join(start_and_cancel());
}

void cancelled_ordered(void)
{
    join_then_read(start_and_cancel());
}

/* The request itself orders nothing. The mutex does: a wait returns with it, cancelled or not. */
void cancel_racy(void)
{
    pthread_t thread = start(read_when_cancelled, NULL);

    after_step(1);
    value = 1;
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

void cancel_ordered(void)
{
    pthread_t thread = start(read_when_cancelled, NULL);

    after_step(1);
    pthread_mutex_lock(&mutex);
    value = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

/* ---- <threads.h> ---- */

static int write_as_c11(void *unused)
{
    write_value(unused);
    return 0;
}

void thrd_join_racy(void)
{
    thrd_t writer;

    thrd_create(&writer, write_as_c11, NULL);
    after_step(0);
    use(value);
    thrd_join(writer, NULL);
}

void thrd_join_ordered(void)
{
    thrd_t writer;

    thrd_create(&writer, write_as_c11, NULL);
    thrd_join(writer, NULL);
    use(value);
}

static tss_t c11_key;

static int leave_c11_specific(void *unused)
{
    (void)unused;
    tss_set(c11_key, &value);
    thrd_exit(0);
}

static thrd_t start_with_c11_destructor(void)
{
    thrd_t thread;

    tss_create(&c11_key, write_at_end);
    thrd_create(&thread, leave_c11_specific, NULL);
    return thread;
}

void tss_racy(void)
{
    thrd_t writer = start_with_c11_destructor();

    after_step(0);
    use(value);
    thrd_join(writer, NULL);
}

void tss_ordered(void)
{
    thrd_join(start_with_c11_destructor(), NULL);
    use(value);
}
