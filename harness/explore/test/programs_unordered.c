/* Explored programs in which a call of the system writes what another thread may use meanwhile. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "harness/explore/test/programs.h"

static pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, function, argument) == 0 ? thread : 0;
}

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
