/* Conditions, semaphores, barriers. */
#include <semaphore.h>
#include <threads.h>

#include "harness/explore/test/pairs/pairs.h"

/* ---- conditions: their mutex orders, and they do not ---- */

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *await_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    step_done(0);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    after_step(1);
    use(value);
    return unused;
}

static void make_ready(void)
{
    after_step(0);
    pthread_mutex_lock(&mutex);
    ready = true;
}

ROLE(signal_late, make_ready(); pthread_mutex_unlock(&mutex); value = 1;
     pthread_cond_signal(&condition); step_done(1))
ROLE(signal_with_mutex, make_ready(); value = 1; pthread_mutex_unlock(&mutex);
     pthread_cond_signal(&condition); step_done(1))
ROLE(broadcast_late, make_ready(); pthread_mutex_unlock(&mutex); value = 1;
     pthread_cond_broadcast(&condition); step_done(1))
ROLE(broadcast_with_mutex, make_ready(); value = 1; pthread_cond_broadcast(&condition);
     pthread_mutex_unlock(&mutex); step_done(1))

void cond_signal_racy(void)
{
    run_both(await_ready, signal_late);
}

void cond_signal_ordered(void)
{
    run_both(await_ready, signal_with_mutex);
}

static void with_two_waiters(role_fn *broadcaster)
{
    pthread_t waiter = start(await_ready, NULL);

    run_both(await_ready, broadcaster);
    pthread_join(waiter, NULL);
}

void cond_broadcast_racy(void)
{
    with_two_waiters(broadcast_late);
}

void cond_broadcast_ordered(void)
{
    with_two_waiters(broadcast_with_mutex);
}

/* A wait that times out returns with the mutex, and is ordered by that. */
#define TIME_OUT(name, write, wait)                                                         \
    IN_TURN(name, write; pthread_cond_signal(&condition), pthread_mutex_lock(&mutex); wait; \
            use(value); pthread_mutex_unlock(&mutex))

#define WRITE_LOCKED            \
    pthread_mutex_lock(&mutex); \
    value = 1;                  \
    pthread_mutex_unlock(&mutex)

TIME_OUT(cond_timedwait_racy, value = 1, pthread_cond_timedwait(&condition, &mutex, &long_ago))
TIME_OUT(cond_timedwait_ordered, WRITE_LOCKED,
         pthread_cond_timedwait(&condition, &mutex, &long_ago))

TIME_OUT(cond_clockwait_racy, value = 1,
         pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &long_ago))
TIME_OUT(cond_clockwait_ordered, WRITE_LOCKED,
         pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &long_ago))

/* A wait with a deadline that is woken before it. */
static void *await_ready_until(void *unused)
{
    pthread_mutex_lock(&mutex);
    step_done(0);
    while (!ready)
        pthread_cond_timedwait(&condition, &mutex, &far_off);
    pthread_mutex_unlock(&mutex);
    after_step(1);
    use(value);
    return unused;
}

void cond_timedwait_woken_racy(void)
{
    run_both(await_ready_until, signal_late);
}

void cond_timedwait_woken_ordered(void)
{
    run_both(await_ready_until, signal_with_mutex);
}

/* ---- conditions of <threads.h> ---- */

static mtx_t mtx;
static cnd_t cnd;

static void *await_cnd(void *unused)
{
    mtx_lock(&mtx);
    step_done(0);
    while (!ready)
        cnd_wait(&cnd, &mtx);
    mtx_unlock(&mtx);
    after_step(1);
    use(value);
    return unused;
}

ROLE(signal_cnd_late, after_step(0); mtx_lock(&mtx); ready = true; mtx_unlock(&mtx); value = 1;
     cnd_signal(&cnd); step_done(1))
ROLE(signal_cnd_with_mtx, after_step(0); mtx_lock(&mtx); ready = true; value = 1; mtx_unlock(&mtx);
     cnd_signal(&cnd); step_done(1))

static void with_cnd(role_fn *waiter, role_fn *signaller)
{
    mtx_init(&mtx, mtx_plain);
    cnd_init(&cnd);
    run_both(waiter, signaller);
}

void cnd_signal_racy(void)
{
    with_cnd(await_cnd, signal_cnd_late);
}

void cnd_signal_ordered(void)
{
    with_cnd(await_cnd, signal_cnd_with_mtx);
}

static void *await_cnd_until(void *unused)
{
    mtx_lock(&mtx);
    step_done(0);
    while (!ready)
        cnd_timedwait(&cnd, &mtx, &far_off);
    mtx_unlock(&mtx);
    after_step(1);
    use(value);
    return unused;
}

ROLE(broadcast_cnd_late, after_step(0); mtx_lock(&mtx); ready = true; mtx_unlock(&mtx); value = 1;
     cnd_broadcast(&cnd); step_done(1))
ROLE(broadcast_cnd_with_mtx, after_step(0); mtx_lock(&mtx); ready = true; value = 1;
     cnd_broadcast(&cnd); mtx_unlock(&mtx); step_done(1))

void cnd_timedwait_racy(void)
{
    with_cnd(await_cnd_until, broadcast_cnd_late);
}

void cnd_timedwait_ordered(void)
{
    with_cnd(await_cnd_until, broadcast_cnd_with_mtx);
}

/* ---- semaphores ---- */

static sem_t semaphore;

#define MAKE_SEMAPHORE sem_init(&semaphore, 0, 0)

IN_TURN_WITH(sem_post_racy, MAKE_SEMAPHORE, sem_post(&semaphore); value = 1, sem_wait(&semaphore);
             use(value))
IN_TURN_WITH(sem_post_ordered, MAKE_SEMAPHORE, value = 1;
             sem_post(&semaphore), sem_wait(&semaphore); use(value))

/* The second thread does not get it, since the first is yet to post, and reads anyway. In the twin
   it reads if it gets it. */
#define DECREMENT(name, fails, succeeds)                                                  \
    ROLE(name##_posts_late, value = 1; step_done(0); after_step(1); sem_post(&semaphore)) \
    ROLE(name##_reads_anyway, after_step(0); fails; use(value); step_done(1))             \
    void name##_racy(void)                                                                \
    {                                                                                     \
        MAKE_SEMAPHORE;                                                                   \
        run_both(name##_posts_late, name##_reads_anyway);                                 \
    }                                                                                     \
    IN_TURN_WITH(name##_ordered, MAKE_SEMAPHORE, value = 1;                               \
                 sem_post(&semaphore), if ((succeeds) == 0) use(value))

DECREMENT(sem_trywait, sem_trywait(&semaphore), sem_trywait(&semaphore))
DECREMENT(sem_timedwait, sem_timedwait(&semaphore, &long_ago), sem_timedwait(&semaphore, &far_off))
DECREMENT(sem_clockwait, sem_clockwait(&semaphore, CLOCK_REALTIME, &long_ago),
          sem_clockwait(&semaphore, CLOCK_REALTIME, &far_off))

/* Each post allows one wait: a thread that waits once comes after one of two posts. */
ROLE(post_first, value = 1; sem_post(&semaphore))
ROLE(post_second, after_step(0); other_value = 1; sem_post(&semaphore); step_done(1))
ROLE(wait_once, sem_wait(&semaphore); step_done(0); after_step(1); use(value + other_value))
ROLE(wait_twice, sem_wait(&semaphore); step_done(0); sem_wait(&semaphore); use(value + other_value))

void sem_count_racy(void)
{
    MAKE_SEMAPHORE;
    run_three(post_first, post_second, wait_once);
}

void sem_count_ordered(void)
{
    MAKE_SEMAPHORE;
    run_three(post_first, post_second, wait_twice);
}

/* To look at its value is no wait. */
static bool is_posted(void)
{
    int count = 0;

    sem_getvalue(&semaphore, &count);
    return count > 0;
}

IN_TURN_WITH(sem_getvalue_racy, MAKE_SEMAPHORE, value = 1;
             sem_post(&semaphore), if (is_posted()) use(value))
IN_TURN_WITH(
    sem_getvalue_ordered, MAKE_SEMAPHORE, value = 1; sem_post(&semaphore), if (is_posted()) {
        sem_wait(&semaphore);
        use(value);
    })

/* ---- barriers ---- */

static pthread_barrier_t barrier;

#define MAKE_BARRIER pthread_barrier_init(&barrier, NULL, 2)
#define MEET         pthread_barrier_wait(&barrier)

ROLE(meet_and_write, MEET; value = 1; step_done(0))
ROLE(write_and_meet, value = 1; step_done(0); MEET)
ROLE(meet_and_read, MEET; after_step(0); use(value))

void barrier_racy(void)
{
    MAKE_BARRIER;
    run_both(meet_and_write, meet_and_read);
}

void barrier_ordered(void)
{
    MAKE_BARRIER;
    run_both(write_and_meet, meet_and_read);
}

/* Each round orders anew. Natively the writer stays away from the second until the reader has left
   the first: ThreadSanitizer takes all that was released to a barrier for what was known in it. */
ROLE(write_between_rounds, MEET; after_step(1); value = 1; step_done(0); MEET)
ROLE(read_between_rounds, MEET; step_done(1); after_step(0); use(value); MEET)
ROLE(read_after_rounds, MEET; step_done(1); MEET; use(value))

void barrier_again_racy(void)
{
    MAKE_BARRIER;
    run_both(write_between_rounds, read_between_rounds);
}

void barrier_again_ordered(void)
{
    MAKE_BARRIER;
    run_both(write_between_rounds, read_after_rounds);
}

/* Two threads meet, then two others. The later ones come after the earlier only if these tell them,
   and not because it is the same barrier. */
#define OTHERS(name, told, hears)                                                             \
    ROLE(name##_first, value = 1; MEET; atomic_store_explicit(&flag, 1, told); step_done(0))  \
    ROLE(name##_second, after_step(0); bool heard = atomic_load_explicit(&flag, hears); MEET; \
         if (heard) use(value))                                                               \
    void name(void)                                                                           \
    {                                                                                         \
        MAKE_BARRIER;                                                                         \
        pthread_t one = start(meet_first, NULL), other = start(meet_second, NULL);            \
        run_both(name##_first, name##_second);                                                \
        pthread_join(one, NULL);                                                              \
        pthread_join(other, NULL);                                                            \
    }

ROLE(meet_first, MEET)
ROLE(meet_second, after_step(0); MEET)

OTHERS(barrier_others_racy, memory_order_relaxed, memory_order_relaxed)
OTHERS(barrier_others_ordered, memory_order_release, memory_order_acquire)
