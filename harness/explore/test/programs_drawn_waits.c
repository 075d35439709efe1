/* The drawn program's conditions, its semaphore, its barrier, and time. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "harness/explore/test/programs_drawn_parts.h"

static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static sem_t semaphore;
static pthread_barrier_t barrier;

void drawn_prepare_waits(void)
{
    sem_init(&semaphore, 0, drawn.permits);
    pthread_barrier_init(&barrier, NULL, drawn.parties);
}

/* ---- conditions ---- */

static bool is_timed(const struct drawn_op *op)
{
    return op->kind == DRAWN_TIMED_WAIT || op->kind == DRAWN_TIMED_WAIT_UNTIL_COUNTED;
}

/* A plain one once, for whatever reason it ends; the others until there is a count. */
static bool goes_on(const struct drawn_op *op, unsigned rounds, int error)
{
    if (op->kind == DRAWN_WAIT || op->kind == DRAWN_TIMED_WAIT)
        return rounds == 0;
    return drawn_counts[0] == 0 && error == 0;
}

static int wait_on_condition(struct self *self, const struct drawn_op *op)
{
    pthread_cond_t *condition = &conditions[op->which];
    struct timespec until = drawn_until(op);
    int error = pthread_mutex_lock(&drawn_locks[0]);

    if (error != 0)
        return REFUSED + error;
    drawn_hold_lock(self, 0, 0);
    for (unsigned rounds = 0; goes_on(op, rounds, error); rounds++)
        error = is_timed(op) ? pthread_cond_timedwait(condition, &drawn_locks[0], &until)
                             : pthread_cond_wait(condition, &drawn_locks[0]);
    unsigned count = drawn_counts[0];
    drawn_counts[0] += op->kind == DRAWN_WAIT || op->kind == DRAWN_TIMED_WAIT;
    return (int)count * 2 + (error != 0);
}

static int signal_condition(struct self *self, const struct drawn_op *op)
{
    pthread_cond_t *condition = &conditions[op->which];
    bool locked = op->kind == DRAWN_LOCKED_SIGNAL || op->kind == DRAWN_LOCKED_BROADCAST;
    int error = locked ? pthread_mutex_lock(&drawn_locks[0]) : 0;

    if (error != 0)
        return REFUSED + error;
    if (locked)
        drawn_hold_lock(self, 0, 0);
    int count = locked ? (int)drawn_counts[0]++ : 0;
    if (op->kind == DRAWN_SIGNAL || op->kind == DRAWN_LOCKED_SIGNAL)
        pthread_cond_signal(condition);
    else
        pthread_cond_broadcast(condition);
    return count;
}

/* ---- the semaphore ---- */

static int use_semaphore(const struct drawn_op *op)
{
    struct timespec until = drawn_until(op);
    int value;

    switch (op->kind) {
    case DRAWN_POST:
        return sem_post(&semaphore);
    case DRAWN_TAKE:
        return sem_wait(&semaphore);
    case DRAWN_TRY_TAKE:
        return sem_trywait(&semaphore);
    case DRAWN_TIMED_TAKE:
        return sem_timedwait(&semaphore, &until);
    default:
        sem_getvalue(&semaphore, &value);
        return value;
    }
}

/* ---- time ---- */

static int look_at_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int)(now.tv_sec - drawn.beginning.tv_sec) * 1000000 +
           (int)(now.tv_nsec - drawn.beginning.tv_nsec) / 1000;
}

static int sleep_for(int64_t nanos)
{
    const int64_t second = 1000000000;
    struct timespec duration = {.tv_sec = nanos / second, .tv_nsec = nanos % second};

    return nanosleep(&duration, NULL);
}

int drawn_wait(struct self *self, const struct drawn_op *op)
{
    struct timespec until = drawn_until(op);

    switch (op->kind) {
    case DRAWN_MEET:
        return pthread_barrier_wait(&barrier) != 0;
    case DRAWN_SLEEP:
        return sleep_for(op->time);
    case DRAWN_SLEEP_UNTIL:
        return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
    case DRAWN_LOOK_AT_CLOCK:
        return look_at_clock();
    default:
        break;
    }
    if (op->kind <= DRAWN_TIMED_WAIT_UNTIL_COUNTED)
        return wait_on_condition(self, op);
    if (op->kind <= DRAWN_LOCKED_BROADCAST)
        return signal_condition(self, op);
    return use_semaphore(op);
}
