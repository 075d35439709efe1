/* Explored programs about locks, conditions and time. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool ready;
static int count;

static struct timespec in(int64_t nanoseconds)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += nanoseconds;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

/* ---- two locks ---- */

static void *lock_forwards(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&other_mutex);
    pthread_mutex_unlock(&other_mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *lock_backwards(void *unused)
{
    pthread_mutex_lock(&other_mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&other_mutex);
    return unused;
}

void program_deadlock_of_two(void)
{
    run_both(lock_forwards, lock_backwards);
}

void program_locks_in_order(void)
{
    run_both(lock_forwards, lock_forwards);
}

/* ---- signals ---- */

static void *wait_without_looking(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *wait_until_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *make_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

void program_lost_wakeup(void)
{
    run_both(wait_without_looking, make_ready);
}

void program_wakeup_not_lost(void)
{
    run_both(wait_until_ready, make_ready);
}

/* A buffer with room for one. */
static void *take_with_if(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (count == 0)
        pthread_cond_wait(&condition, &mutex);
    count--;
    if (count < 0)
        observed[0] = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *take_with_while(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (count == 0)
        pthread_cond_wait(&condition, &mutex);
    count--;
    if (count < 0)
        observed[0] = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void put(void)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}

static void two_takers(void *(*take)(void *))
{
    pthread_t one = start(take, NULL), other = start(take, NULL);

    put();
    put();
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    observed[1] = count;
}

void program_if_instead_of_while(void)
{
    two_takers(take_with_if);
}

void program_while_instead_of_if(void)
{
    two_takers(take_with_while);
}

static int woken;

static void *wait_once(void *number)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_cond_wait(&condition, &mutex);
    if (woken == 0)
        woken = (int)(intptr_t)number;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static bool both_wait(void)
{
    pthread_mutex_lock(&mutex);
    bool both = count == 2;
    pthread_mutex_unlock(&mutex);
    return both;
}

void program_which_waiter(void)
{
    pthread_t one = start(wait_once, (void *)1), other = start(wait_once, (void *)2);

    while (!both_wait())
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    pthread_cond_signal(&condition);
    nanosleep(&(struct timespec){.tv_sec = 10}, NULL);
    pthread_mutex_lock(&mutex);
    observed[0] = woken;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

/* ---- time ---- */

static void *wait_for_a_moment(void *unused)
{
    struct timespec until = in(1000000);

    pthread_mutex_lock(&mutex);
    while (!ready && observed[0] == 0)
        observed[0] = pthread_cond_timedwait(&condition, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return unused;
}

void program_timeout_against_signal(void)
{
    run_both(wait_for_a_moment, make_ready);
}

static atomic_int value;

static void *sleep_and_look(void *unused)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    observed[0] = atomic_load(&value);
    return unused;
}

static void *sleep_an_hour_and_look(void *unused)
{
    nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    observed[0] = atomic_load(&value);
    return unused;
}

static void *set_value(void *unused)
{
    atomic_store(&value, 1);
    return unused;
}

void program_timeout_overtakes(void)
{
    run_both(sleep_and_look, set_value);
}

void program_hour_is_not_overtaken(void)
{
    run_both(sleep_an_hour_and_look, set_value);
}

void program_sleeps(void)
{
    struct timespec before, after;

    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&(struct timespec){.tv_sec = 86400 * 365}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    observed[0] = (int)((after.tv_sec - before.tv_sec) / 86400);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &before, NULL); /* long past */
    observed[1] = nanosleep(&(struct timespec){.tv_nsec = -1}, NULL) == -1 && errno == EINVAL;
}

void program_wall_clock(void)
{
    struct timespec wall, coarse;

    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_REALTIME_COARSE, &coarse);
    observed[0] =
        time(NULL) == wall.tv_sec && coarse.tv_sec == wall.tv_sec && wall.tv_sec > 1600000000;
}

/* Something is due, and whoever waits for it sleeps for an hour. */
void watch_for_lateness(bool (*late)(void *)); /* explored.c */

static bool sleeping;

static bool is_late(void *unused)
{
    (void)unused;
    return ready && sleeping;
}

static void *wait_up_to_an_hour(void *unused)
{
    struct timespec until = in(INT64_C(3600) * 1000000000);

    pthread_mutex_lock(&mutex);
    sleeping = true;
    while (!ready && pthread_cond_timedwait(&condition, &mutex, &until) == 0) {
    }
    sleeping = false;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *make_ready_in_silence(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_mutex_unlock(&mutex);
    return unused;
}

void program_late(void)
{
    watch_for_lateness(is_late);
    run_both(wait_up_to_an_hour, make_ready_in_silence);
}

void program_in_time(void)
{
    watch_for_lateness(is_late);
    run_both(wait_up_to_an_hour, make_ready);
}

/* ---- kinds of mutexes ---- */

static void make_mutex(pthread_mutex_t *place, int kind)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(place, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void program_recursive_mutex(void)
{
    make_mutex(&mutex, PTHREAD_MUTEX_RECURSIVE);
    observed[0] = pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0 &&
                  pthread_mutex_trylock(&mutex) == 0;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    observed[1] = pthread_mutex_unlock(&mutex) == EPERM;
    pthread_mutex_destroy(&mutex);
}

void program_errorcheck_mutex(void)
{
    make_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_lock(&mutex);
    observed[0] = pthread_mutex_lock(&mutex) == EDEADLK;
    pthread_mutex_unlock(&mutex);
    observed[1] = pthread_mutex_unlock(&mutex) == EPERM;
}

static void *hold_for_a_moment(void *unused)
{
    pthread_mutex_lock(&mutex);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *try_to_lock(void *unused)
{
    observed[0] = pthread_mutex_trylock(&mutex);
    if (observed[0] == 0)
        pthread_mutex_unlock(&mutex);
    return unused;
}

void program_trylock(void)
{
    run_both(hold_for_a_moment, try_to_lock);
}

static void *lock_in_time(void *unused)
{
    struct timespec until = in(1000000);

    observed[0] = pthread_mutex_timedlock(&mutex, &until);
    if (observed[0] == 0)
        pthread_mutex_unlock(&mutex);
    return unused;
}

void program_timedlock(void)
{
    run_both(hold_for_a_moment, lock_in_time);
}

/* ---- other locks ---- */

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int pair[2];

static void *write_pair(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    pair[0]++;
    pair[1]++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *read_pair(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    observed[0] = pair[0];
    observed[1] = pair[1];
    pthread_rwlock_unlock(&lock);
    return unused;
}

void program_readers_and_a_writer(void)
{
    run_both(write_pair, read_pair);
}

static pthread_spinlock_t spin;

static void *count_up(void *unused)
{
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
    return unused;
}

void program_spin_locks(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    run_both(count_up, count_up);
    observed[0] = count;
    pthread_spin_destroy(&spin);
}

static sem_t semaphore;

static void *post(void *unused)
{
    count = 1;
    sem_post(&semaphore);
    return unused;
}

static void *wait_for_post(void *unused)
{
    sem_wait(&semaphore);
    observed[0] = count;
    return unused;
}

void program_semaphore(void)
{
    sem_init(&semaphore, 0, 0);
    run_both(wait_for_post, post);
    sem_destroy(&semaphore);
}

static void *wait_for_post_a_moment(void *unused)
{
    struct timespec until = in(1000000);

    observed[0] = sem_timedwait(&semaphore, &until) == 0 ? 0 : errno;
    return unused;
}

void program_semaphore_timeout(void)
{
    sem_init(&semaphore, 0, 0);
    run_both(wait_for_post_a_moment, post);
    sem_destroy(&semaphore);
}

static pthread_barrier_t barrier;
static atomic_int arrived, last;

static void *meet(void *unused)
{
    atomic_fetch_add(&arrived, 1);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&last, 1);
    if (atomic_load(&arrived) != 2)
        observed[1] = 1;
    return unused;
}

void program_barrier(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(meet, meet);
    observed[0] = atomic_load(&last);
    pthread_barrier_destroy(&barrier);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    count++;
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    count++;
}

static void *use(void *unused)
{
    pthread_once(&once, initialise);
    if (count != 2)
        observed[1] = 1;
    return unused;
}

void program_once(void)
{
    run_both(use, use);
    observed[0] = count;
}
