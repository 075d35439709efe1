/*
 * More of them: programs that were drawn by lot (oracle.h), on which dpor once missed outcomes that
 * plain depth-first search finds, made as small as they can be.
 */
#include <errno.h>
#include <sched.h>

#include "harness/explore/test/programs_search.h"

extern int observed[];

static void *load_x(void *argument)
{
    observed[1 + as_number(argument)] = 1 + (int)common.x;
    return NULL;
}

/* ---- the ends of threads ---- */

/* Whether the thread has ended decides whether its name means anything. */
static void join_of_a_detached_thread(void)
{
    begin(0, load_x);
    pthread_detach(common.threads[0]);
    common.x = 1;
    leave(pthread_join(common.threads[0], NULL) == EINVAL);
}

static void *add_nothing(void *argument)
{
    common.x += 0;
    observed[1 + as_number(argument)] = 1;
    return NULL;
}

static void *cancel_the_first(void *argument)
{
    (void)argument;
    pthread_cancel(common.threads[0]);
    return NULL;
}

/* The thread ends, then it is detached: a cancellation after that misuses its name. */
static void cancellation_of_a_detached_thread(void)
{
    begin(0, add_nothing);
    begin(1, cancel_the_first);
    common.x += 1;
    sched_yield();
    pthread_detach(common.threads[0]);
}

static void *join_by_an_old_name(void *argument)
{
    pthread_attr_t detached;
    pthread_t old;

    (void)argument;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_create(&old, &detached, load_x, as_argument(1));
    common.x += 2;
    pthread_join(old, NULL);
    return NULL;
}

/* The place of the thread that has ended may be that of the one that main joins. */
static void joins_of_an_old_name_and_a_new_one(void)
{
    begin(0, join_by_an_old_name);
    begin(2, load_x);
    pthread_join(common.threads[2], NULL);
}

/* Where all others have ended, the end of main is not a step: its last step stands for it. */
static void end_beside_a_thread_that_is_not_joined(void)
{
    begin(0, load_x);
    begin(1, load_x);
    pthread_join(common.threads[1], NULL);
}

static void *count_locked(void *argument)
{
    pthread_mutex_lock(&common.lock);
    observed[1 + as_number(argument)] = (int)++common.ready;
    pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void *count_and_keep_lock(void *argument)
{
    count_locked(argument);
    pthread_mutex_lock(&common.lock);
    observed[4] = (int)++common.ready;
    sem_wait(&common.semaphore);
    return NULL;
}

/* Main may end while the first thread waits, and has the lock or has not. */
static void end_beside_a_thread_that_waits(void)
{
    sem_init(&common.semaphore, 0, 0);
    begin(0, count_and_keep_lock);
    begin(1, count_locked);
    leave(1 + (pthread_tryjoin_np(common.threads[1], NULL) == 0));
}

/* ---- cancellation ---- */

static void look_at_x(void *argument)
{
    load_x(argument);
}

static void *cancel_store_y_store_x(void *argument)
{
    (void)argument;
    pthread_cancel(common.threads[1]);
    common.y = 1;
    common.x = 1;
    return NULL;
}

/* Cancelled, it need not wait for the end of the other. */
static void cancelled_in_join(void)
{
    common.threads[1] = pthread_self();
    pthread_cleanup_push(look_at_x, as_argument(0));
    begin(0, cancel_store_y_store_x);
    leave(1 + common.y);
    pthread_join(common.threads[0], NULL);
    pthread_cleanup_pop(0);
}

/* ---- time ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static struct timespec beginning;

static bool lock_until(time_t seconds)
{
    struct timespec until = beginning;

    until.tv_sec += seconds;
    return pthread_rwlock_timedwrlock(&rwlock, &until) == 0;
}

static void *lock_twice_and_look_at_clock(void *argument)
{
    struct timespec now;
    bool locked = lock_until(0);

    (void)argument;
    lock_until(2);
    clock_gettime(CLOCK_REALTIME, &now);
    observed[1] = 1 + (int)(now.tv_sec - beginning.tv_sec) * 2 + locked;
    if (locked)
        pthread_rwlock_unlock(&rwlock);
    return NULL;
}

/* When it is time for the second lock, which is refused at once, the thread has been held back for
   so long that it must step before the clock can. */
static void time_waits_for_one_that_was_held_back(void)
{
    beginning = in_nanoseconds(0);
    begin(0, lock_twice_and_look_at_clock);
    leave(lock_until(1));
    wait_for(1);
}

static void count_with_write_lock(int *count, bool locked)
{
    if (!locked)
        return;
    *count = (int)++common.ready;
    pthread_rwlock_unlock(&rwlock);
}

static void *read_and_write(void *argument)
{
    (void)argument;
    if (pthread_rwlock_tryrdlock(&rwlock) == 0) {
        observed[1] = 1 + (int)common.ready;
        pthread_rwlock_unlock(&rwlock);
    }
    count_with_write_lock(&observed[2], lock_until(2));
    return NULL;
}

/* The time is far off: it comes when both wait, and not before. */
static void lock_until_a_time_far_off(void)
{
    beginning = in_nanoseconds(0);
    begin(0, read_and_write);
    count_with_write_lock(&observed[3], lock_until(0));
    pthread_rwlock_wrlock(&rwlock);
    observed[4] = (int)++common.ready;
    wait_for(1);
}

/* ---- wake-ups for no reason ---- */

static void *lock_at_once(void *argument)
{
    bool locked = lock_until(0);

    observed[1 + as_number(argument)] = 1 + locked;
    if (locked)
        pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void *lock_within_a_second(void *argument)
{
    bool locked = lock_until(1);

    observed[1 + as_number(argument)] = 1 + locked;
    if (locked)
        pthread_rwlock_unlock(&rwlock);
    return NULL;
}

/* The wait can time out, since that is far off, only after the others have ended, and if nothing
   has woken it up before. */
static void long_wait_beside_a_short_one(void)
{
    struct timespec until = beginning = in_nanoseconds(0);

    until.tv_sec += 5;
    begin(0, lock_at_once);
    begin(1, lock_within_a_second);
    pthread_mutex_lock(&common.lock);
    leave(pthread_cond_timedwait(&common.cond, &common.lock, &until) == 0);
    pthread_mutex_unlock(&common.lock);
    pthread_join(common.threads[0], NULL);
}

/* ---- all of them ---- */

const struct search_program search_programs_drawn[] = {
    {PROGRAM(join_of_a_detached_thread)},
    {PROGRAM(cancellation_of_a_detached_thread)},
    {PROGRAM(joins_of_an_old_name_and_a_new_one)},
    {PROGRAM(end_beside_a_thread_that_is_not_joined)},
    {PROGRAM(end_beside_a_thread_that_waits)},
    {PROGRAM(cancelled_in_join)},
    {PROGRAM(time_waits_for_one_that_was_held_back)},
    {PROGRAM(lock_until_a_time_far_off)},
    {PROGRAM(long_wait_beside_a_short_one), .faults.spurious = 1},
    {.name = NULL},
};
