/* Explored programs in which a call of the system writes what another thread may use meanwhile. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

/* ---- too early, too late: main initialises or destroys what a thread may use ---- */

extern int chosen_object; /* enum object */

static pthread_mutex_t shared_mutex;
static pthread_cond_t shared_condition;
static pthread_rwlock_t shared_lock;
static pthread_spinlock_t shared_spin;
static sem_t shared_semaphore;
static pthread_barrier_t shared_barrier;

static void initialise(enum object object)
{
    switch (object) {
    case OBJECT_MUTEX:
        pthread_mutex_init(&shared_mutex, NULL);
        break;
    case OBJECT_CONDITION:
        pthread_cond_init(&shared_condition, NULL);
        break;
    case OBJECT_RWLOCK:
        pthread_rwlock_init(&shared_lock, NULL);
        break;
    case OBJECT_SPIN:
        pthread_spin_init(&shared_spin, PTHREAD_PROCESS_PRIVATE);
        break;
    case OBJECT_SEMAPHORE:
        sem_init(&shared_semaphore, 0, 1);
        break;
    default:
        pthread_barrier_init(&shared_barrier, NULL, 1);
    }
}

static void use(enum object object)
{
    switch (object) {
    case OBJECT_MUTEX:
        pthread_mutex_lock(&shared_mutex);
        pthread_mutex_unlock(&shared_mutex);
        break;
    case OBJECT_CONDITION:
        pthread_cond_signal(&shared_condition);
        break;
    case OBJECT_RWLOCK:
        pthread_rwlock_rdlock(&shared_lock);
        pthread_rwlock_unlock(&shared_lock);
        break;
    case OBJECT_SPIN:
        pthread_spin_lock(&shared_spin);
        pthread_spin_unlock(&shared_spin);
        break;
    case OBJECT_SEMAPHORE:
        sem_wait(&shared_semaphore);
        break;
    default:
        pthread_barrier_wait(&shared_barrier);
    }
}

static void destroy(enum object object)
{
    switch (object) {
    case OBJECT_MUTEX:
        pthread_mutex_destroy(&shared_mutex);
        break;
    case OBJECT_CONDITION:
        pthread_cond_destroy(&shared_condition);
        break;
    case OBJECT_RWLOCK:
        pthread_rwlock_destroy(&shared_lock);
        break;
    case OBJECT_SPIN:
        pthread_spin_destroy(&shared_spin);
        break;
    case OBJECT_SEMAPHORE:
        sem_destroy(&shared_semaphore);
        break;
    default:
        pthread_barrier_destroy(&shared_barrier);
    }
}

static void *use_chosen(void *unused)
{
    use((enum object)chosen_object);
    return unused;
}

void program_started_before_initialised(void)
{
    pthread_t thread = start(use_chosen, NULL);

    initialise((enum object)chosen_object);
    pthread_join(thread, NULL);
}

/* A second is time enough, and no excuse. */
void program_destroyed_before_joined(void)
{
    initialise((enum object)chosen_object);
    pthread_t thread = start(use_chosen, NULL);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    destroy((enum object)chosen_object);
    pthread_join(thread, NULL);
}

void program_used_in_between(void)
{
    initialise((enum object)chosen_object);
    pthread_join(start(use_chosen, NULL), NULL);
    destroy((enum object)chosen_object);
}

/* ---- answers: main has one written, and a thread reads the place without asking ---- */

extern int chosen_answer; /* enum answer */

static union {
    int number;
    pthread_t thread;
    void *pointer;
    pthread_key_t key;
    struct timespec time;
    struct timeval time_of_day;
    time_t seconds;
} answer;

static void *read_answer(void *unused)
{
    observed[0] = answer.number != 0;
    return unused;
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void ask_for_time(void)
{
    switch ((enum answer)chosen_answer) {
    case ANSWER_TIME:
        clock_gettime(CLOCK_MONOTONIC, &answer.time);
        break;
    case ANSWER_RESOLUTION:
        clock_getres(CLOCK_MONOTONIC, &answer.time);
        break;
    case ANSWER_TIME_OF_DAY:
        gettimeofday(&answer.time_of_day, NULL);
        break;
    case ANSWER_SECONDS:
        time(&answer.seconds);
        break;
    default:
        nanosleep(&(struct timespec){.tv_nsec = 1}, &answer.time);
    }
}

static void ask(void)
{
    switch ((enum answer)chosen_answer) {
    case ANSWER_THREAD:
        pthread_create(&answer.thread, NULL, do_nothing, NULL);
        pthread_join(answer.thread, NULL);
        break;
    case ANSWER_RESULT:
        pthread_join(start(do_nothing, NULL), &answer.pointer);
        break;
    case ANSWER_KEY:
        pthread_key_create(&answer.key, NULL);
        break;
    case ANSWER_STATE:
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &answer.number);
        break;
    case ANSWER_VALUE:
        sem_init(&shared_semaphore, 0, 1);
        sem_getvalue(&shared_semaphore, &answer.number);
        break;
    case ANSWER_BLOCK:
        if (posix_memalign(&answer.pointer, 64, 64) == 0)
            free(answer.pointer);
        break;
    default:
        ask_for_time();
    }
}

void program_reads_too_early(void)
{
    pthread_t reader = start(read_answer, NULL);

    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    ask();
    pthread_join(reader, NULL);
}
