/* Explored programs about what POSIX says of the finer points. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

enum {
    NO_CLOCK = 99
};

/* ---- barriers ---- */

static pthread_barrier_t barrier;
static int between_rounds;

static void *write_between_rounds(void *unused)
{
    pthread_barrier_wait(&barrier);
    between_rounds = 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *read_between_rounds(void *unused)
{
    pthread_barrier_wait(&barrier);
    observed[0] = between_rounds;
    pthread_barrier_wait(&barrier);
    return unused;
}

/* As schedules go by default, the writer is in the second round before the reader has left the
   first. */
void program_barrier_of_two_rounds(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(read_between_rounds, write_between_rounds);
    pthread_barrier_destroy(&barrier);
}

/* ---- what locks say ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static struct timespec in_a_moment(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec++;
    return time;
}

void program_timedlock_of_own_mutex(void)
{
    struct timespec until = in_a_moment();

    pthread_mutex_lock(&mutex);
    bool waited = pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&mutex);
    observed[0] = waited && pthread_mutex_trylock(&mutex) == 0;
    pthread_mutex_unlock(&mutex);
}

static void lock_twice(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}

void program_waits_with_recursive_mutex(void)
{
    struct timespec until = in_a_moment();

    lock_twice();
    observed[0] = pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT &&
                  pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0 &&
                  pthread_mutex_unlock(&mutex) == EPERM;
}

static void *signal_with_mutex(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

void program_keeps_recursive_mutex_in_wait(void)
{
    lock_twice();
    pthread_t thread = start(signal_with_mutex, NULL);
    pthread_cond_wait(&condition, &mutex);
    pthread_join(thread, NULL);
}

static void *do_nothing(void *unused)
{
    return unused;
}

/* How many of them say EINVAL; the first would have to wait, or it would not mind. */
void program_invalid_times(void)
{
    const struct timespec bad = {.tv_sec = 1, .tv_nsec = 1000000000};
    const struct timespec negative = {.tv_sec = -1}, in_time = {.tv_sec = 1};
    struct timespec time;
    pthread_t thread = start(do_nothing, NULL);

    sem_init(&semaphore, 0, 1);
    pthread_mutex_lock(&mutex);
    observed[0] += pthread_mutex_timedlock(&mutex, &bad) == EINVAL;
    observed[0] += pthread_cond_timedwait(&condition, &mutex, &bad) == EINVAL;
    observed[0] += pthread_rwlock_timedrdlock(&lock, &bad) == EINVAL;
    observed[0] += pthread_rwlock_timedwrlock(&lock, &bad) == EINVAL;
    observed[0] += sem_timedwait(&semaphore, &bad) == -1 && errno == EINVAL;
    observed[0] += pthread_timedjoin_np(thread, NULL, &bad) == EINVAL;
    observed[0] += nanosleep(&bad, NULL) == -1 && errno == EINVAL;
    observed[0] += clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &bad, NULL) == EINVAL;
    observed[0] += clock_nanosleep(CLOCK_MONOTONIC, 0, &negative, NULL) == EINVAL;
    observed[0] += clock_nanosleep(NO_CLOCK, 0, &in_time, NULL) == EINVAL;
    observed[0] += clock_gettime(NO_CLOCK, &time) == -1 && errno == EINVAL;
    observed[0] += clock_getres(NO_CLOCK, &time) == -1 && errno == EINVAL;
    pthread_mutex_unlock(&mutex);
    observed[1] = pthread_mutex_timedlock(&mutex, &bad);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int begun, cleaned, ended;

static void clean(void *unused)
{
    (void)unused;
    cleaned++;
}

static void sleep_for_an_hour_at_first(void)
{
    pthread_cleanup_push(clean, NULL);
    if (begun++ == 0)
        nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    pthread_cleanup_pop(0);
    ended++;
}

static void *call_once(void *unused)
{
    pthread_cleanup_push(clean, NULL);
    pthread_once(&once, sleep_for_an_hour_at_first);
    pthread_cleanup_pop(0);
    return unused;
}

void program_once_is_cancelled(void)
{
    pthread_t thread = start(call_once, NULL);

    pthread_cancel(thread);
    pthread_join(thread, NULL);
    call_once(NULL);
    observed[0] = begun == 2 && cleaned == 2 && ended == 1;
}

void program_rwlock_of_own(void)
{
    pthread_rwlock_wrlock(&lock);
    observed[0] =
        pthread_rwlock_tryrdlock(&lock) == EBUSY && pthread_rwlock_trywrlock(&lock) == EBUSY &&
        pthread_rwlock_rdlock(&lock) == EDEADLK && pthread_rwlock_wrlock(&lock) == EDEADLK;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    observed[0] &= pthread_rwlock_trywrlock(&lock) == EBUSY;
    pthread_rwlock_unlock(&lock);
    observed[0] &= pthread_rwlock_trywrlock(&lock) == EBUSY;
    pthread_rwlock_unlock(&lock);
    observed[0] &= pthread_rwlock_trywrlock(&lock) == 0;
    pthread_rwlock_unlock(&lock);
}

static int tokens;

static void unlock_it(void *locked)
{
    pthread_mutex_unlock(locked);
}

static void *take_a_token(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock_it, &mutex);
    while (tokens == 0)
        pthread_cond_wait(&condition, &mutex);
    tokens--;
    pthread_cleanup_pop(1);
    return unused;
}

static void give_a_token(void)
{
    pthread_mutex_lock(&mutex);
    tokens++;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

/* Two wait, and one of them is cancelled. If that one got the token nevertheless, there is another
   for the other. */
void program_cancelled_when_signalled(void)
{
    pthread_t cancelled = start(take_a_token, NULL), other = start(take_a_token, NULL);
    void *result;

    give_a_token();
    pthread_cancel(cancelled);
    pthread_join(cancelled, &result);
    if (result != PTHREAD_CANCELED)
        give_a_token();
    pthread_join(other, NULL);
    observed[0] = 1;
    observed[1] = result == PTHREAD_CANCELED;
}

/* ---- threads by name ---- */

static pthread_t joined;

static void *join_it(void *unused)
{
    pthread_join(joined, NULL);
    return unused;
}

static void *detach_it(void *unused)
{
    pthread_detach(joined);
    return unused;
}

static void *sleep_for_an_hour(void *unused)
{
    nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    return unused;
}

void program_joined_by_two(void)
{
    joined = start(sleep_for_an_hour, NULL);
    run_both(join_it, join_it);
}

void program_joined_and_detached(void)
{
    joined = start(do_nothing, NULL);
    run_both(join_it, detach_it);
}

void program_joined_twice(void)
{
    joined = start(do_nothing, NULL);
    join_it(NULL);
    join_it(NULL);
}

/* Its place has been taken by another, and that one is still to be joined. */
void program_names_a_thread_of_old(void)
{
    pthread_t first = start(do_nothing, NULL);

    pthread_join(first, NULL);
    pthread_t second = start(do_nothing, NULL);
    observed[0] = !pthread_equal(first, second);
    pthread_join(first, NULL);
}

static void note_destroyed(void *block)
{
    free(block);
    observed[0] = 1;
}

static void make_specific(void)
{
    pthread_key_t key;

    pthread_key_create(&key, note_destroyed);
    pthread_setspecific(key, malloc(10));
}

void program_main_returns_with_specific(void)
{
    make_specific();
}

void program_main_exits_with_specific(void)
{
    make_specific();
    pthread_exit(NULL);
}

/* ---- misuse: which of them is for the test to say ---- */

extern int chosen_misuse; /* enum misuse */

static void *unlock_for_reading(void *unused)
{
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *wait_on_condition(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *wait_with_another_mutex(void *unused)
{
    pthread_mutex_lock(&other_mutex);
    pthread_cond_wait(&condition, &other_mutex);
    pthread_mutex_unlock(&other_mutex);
    return unused;
}

static void *wait_on_semaphore(void *unused)
{
    sem_wait(&semaphore);
    return unused;
}

static void *wait_at_barrier(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

static void sleep_a_while(void)
{
    nanosleep(&(struct timespec){.tv_sec = 10}, NULL);
}

static void use_what_was_destroyed(enum misuse misuse)
{
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&condition);
    pthread_rwlock_destroy(&lock);
    pthread_spin_destroy(&spin);
    sem_destroy(&semaphore);
    pthread_barrier_destroy(&barrier);
    switch (misuse) {
    case MISUSE_LOCK_DESTROYED:
        pthread_mutex_lock(&mutex);
        break;
    case MISUSE_TRYLOCK_DESTROYED:
        pthread_mutex_trylock(&mutex);
        break;
    case MISUSE_UNLOCK_DESTROYED:
        pthread_mutex_unlock(&mutex);
        break;
    case MISUSE_SIGNAL_DESTROYED:
        pthread_cond_signal(&condition);
        break;
    case MISUSE_READ_LOCK_DESTROYED:
        pthread_rwlock_rdlock(&lock);
        break;
    case MISUSE_WRITE_LOCK_DESTROYED:
        pthread_rwlock_wrlock(&lock);
        break;
    case MISUSE_SPIN_LOCK_DESTROYED:
        pthread_spin_lock(&spin);
        break;
    case MISUSE_SEM_WAIT_DESTROYED:
        sem_wait(&semaphore);
        break;
    case MISUSE_SEM_POST_DESTROYED:
        sem_post(&semaphore);
        break;
    case MISUSE_BARRIER_DESTROYED:
        pthread_barrier_wait(&barrier);
        break;
    default:
        break;
    }
}

static void misuse_while_in_use(enum misuse misuse)
{
    switch (misuse) {
    case MISUSE_UNLOCK_ANOTHERS_READ_LOCK:
        pthread_rwlock_rdlock(&lock);
        pthread_join(start(unlock_for_reading, NULL), NULL);
        break;
    case MISUSE_DESTROY_LOCKED:
        pthread_mutex_lock(&mutex);
        pthread_mutex_destroy(&mutex);
        break;
    case MISUSE_DESTROY_READ_LOCKED:
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_destroy(&lock);
        break;
    case MISUSE_DESTROY_CONDITION_WITH_WAITER:
        start(wait_on_condition, NULL);
        sleep_a_while();
        pthread_cond_destroy(&condition);
        break;
    case MISUSE_DESTROY_SEMAPHORE_WITH_WAITER:
        start(wait_on_semaphore, NULL);
        sleep_a_while();
        sem_destroy(&semaphore);
        break;
    case MISUSE_DESTROY_BARRIER_WITH_WAITER:
        start(wait_at_barrier, NULL);
        sleep_a_while();
        pthread_barrier_destroy(&barrier);
        break;
    case MISUSE_TWO_MUTEXES:
        start(wait_on_condition, NULL);
        start(wait_with_another_mutex, NULL);
        sleep_a_while();
        break;
    default:
        use_what_was_destroyed(misuse);
    }
}

void program_misuse(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    misuse_while_in_use((enum misuse)chosen_misuse);
}
