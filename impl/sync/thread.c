/*
 * Thread records: who am I, wake me, interrupt me.
 *
 * Contract. Every thread that waits in the library, runs a future or is interrupted has a record.
 * A record is the C answer to java.lang.Thread: it can be named, started, joined, interrupted and
 * parked, and it stays valid while somebody holds a reference, even when the thread is gone.
 *
 * Parking is the one way to sleep. A permit, a flag and a condition variable under the record's own
 * lock: unpark leaves the permit, interrupt raises the flag, both signal. Conditions (condition.c)
 * and the waiters of futures (future/waiters.c) are built on it and on nothing else.
 *
 *   [THREAD-1] No wake-up is lost. park tests permit and flag under the lock before it waits;
 *              unpark and interrupt raise theirs and signal under the same lock.
 *   [THREAD-2] An interrupt is consumed once: whoever reports GP_EINTERRUPTED clears the flag in
 *              the same step.
 *   [THREAD-3] With a signal configured, signals repeat only while the flag is up: both change
 *              under the lock. After gp__stop_signals, called by the thread itself, none comes.
 *   [THREAD-4] The record of a started thread is not freed before the thread has ended: the thread
 *              holds a reference itself.
 *
 * Cancellation (pthread_cancel) is held off while a thread is parked: its node is in somebody's
 * line and must be unlinked first. It acts at the next cancellation point of the caller's own.
 *
 * Ordering. The flag is seq_cst like Java's: a thread that raises a flag and then looks at state,
 * and one that changes state and then looks at its flag, must not both miss each other.
 *
 * Rejected: one condition variable per queue with the queue's lock as its mutex. It saves a lock
 * per wait, but an interrupter would have to find and take the lock that its victim waits with,
 * while that queue may be freed; and pthreads promises no order among waiters.
 */
#include "sync/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/status.h>

#include "sync/clock.h"
#include "sync/globals.h"

#define NICEST     (-20)
#define LEAST_NICE 19

/* Records. */

static int create_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return GP_ENOMEM;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int error = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return error == 0 ? GP_OK : GP_ENOMEM;
}

static gp_thread *create_record(void)
{
    gp_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    if (pthread_mutex_init(&thread->lock, NULL) != 0) {
        free(thread);
        return NULL;
    }
    if (create_condition(&thread->unparked) != GP_OK) {
        pthread_mutex_destroy(&thread->lock);
        free(thread);
        return NULL;
    }
    atomic_init(&thread->refs, 1);
    thread->waiter.thread = thread;
    return thread;
}

void gp__destroy_failure(void *argument)
{
    const gp_failure *failure = argument;
    if (failure->payload != NULL && failure->destroy_payload != NULL)
        failure->destroy_payload(failure->payload);
}

void gp__forget_failure(gp_thread *thread)
{
    gp_failure failure = thread->failure;
    thread->failure = (gp_failure){0};
    gp__destroy_failure(&failure);
}

static void free_record(gp_thread *thread)
{
    if (!thread->foreign && thread->phase == GP__THREAD_STARTED)
        pthread_detach(thread->handle); /* nobody is left who could join it */
    gp__forget_failure(thread);
    pthread_cond_destroy(&thread->unparked);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
}

gp_thread *gp_thread_self(void)
{
    gp_thread *self = gp__current_thread();
    if (self != NULL)
        return self;
    self = create_record();
    if (self == NULL)
        return NULL;
    self->foreign = true;
    self->phase = GP__THREAD_STARTED;
    self->handle = pthread_self();
    if (gp__set_current_thread(self) != GP_OK) {
        free_record(self);
        return NULL;
    }
    return self;
}

gp_thread *gp_thread_retain(gp_thread *thread)
{
    atomic_fetch_add_explicit(&thread->refs, 1, memory_order_relaxed); /* we hold one already */
    return thread;
}

void gp_thread_release(gp_thread *thread)
{
    /* acq_rel: what others did with the record happens before it is freed. */
    if (thread != NULL && atomic_fetch_sub_explicit(&thread->refs, 1, memory_order_acq_rel) == 1)
        free_record(thread);
}

const char *gp_thread_name(const gp_thread *thread)
{
    return thread->name;
}

/* Parking. */

int gp__park(gp_thread *self, int64_t deadline)
{
    int status = GP_OK;
    int cancel_state;
    struct timespec until = gp__timespec(deadline);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&self->lock);
    while (!self->permit && status == GP_OK) { /* [THREAD-1] */
        if (gp_is_interrupted(self))
            status = GP_EINTERRUPTED;
        else if (deadline == GP__NO_DEADLINE)
            pthread_cond_wait(&self->unparked, &self->lock);
        else if (pthread_cond_timedwait(&self->unparked, &self->lock, &until) == ETIMEDOUT)
            status = GP_ETIMEDOUT;
    }
    if (self->permit)
        status = GP_OK;
    self->permit = false;
    pthread_mutex_unlock(&self->lock);
    pthread_setcancelstate(cancel_state, NULL);
    return status;
}

void gp__unpark(gp_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    thread->permit = true;
    pthread_cond_signal(&thread->unparked);
    pthread_mutex_unlock(&thread->lock);
}

int gp_sleep(int64_t nanos)
{
    gp_thread *self = gp_thread_self();
    if (self == NULL)
        return GP_ENOMEM;
    int64_t deadline = gp__deadline(nanos);
    int status = GP_OK;
    while (status == GP_OK)
        status = gp__park(self, deadline);
    if (status == GP_EINTERRUPTED && gp__clear_interrupt(self))
        return GP_EINTERRUPTED;
    return GP_OK;
}

/* Interrupts. */

/* [THREAD-3], with the lock held; true: signals are being repeated. */
static bool raise_flag(gp_thread *thread)
{
    atomic_store(&thread->interrupted, true); /* seq_cst: see Ordering */
    bool repeating = thread->signal.open;
    if (repeating)
        gp__os_signal_repeat(&thread->signal);
    pthread_cond_signal(&thread->unparked);
    return repeating;
}

void gp_thread_interrupt(gp_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    thread->plain_interrupt = true;
    raise_flag(thread);
    pthread_mutex_unlock(&thread->lock);
}

bool gp__begin_task_interrupt(gp_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    bool repeating = raise_flag(thread);
    if (repeating)
        thread->task_interrupts++;
    pthread_mutex_unlock(&thread->lock);
    return repeating;
}

void gp__end_task_interrupt(gp_thread *self)
{
    pthread_mutex_lock(&self->lock);
    /* not while a task around this one is being interrupted, or the thread itself */
    if (--self->task_interrupts == 0 && !self->plain_interrupt)
        gp__os_signal_stop(&self->signal);
    pthread_mutex_unlock(&self->lock);
}

bool gp_is_interrupted(const gp_thread *thread)
{
    return atomic_load(&thread->interrupted); /* seq_cst: see Ordering */
}

bool gp__clear_raised_interrupt(gp_thread *self)
{
    pthread_mutex_lock(&self->lock);
    bool was_up =
        atomic_exchange(&self->interrupted, false); /* [THREAD-2]; seq_cst: see Ordering */
    self->plain_interrupt = false;
    gp__os_signal_stop(&self->signal);
    pthread_mutex_unlock(&self->lock);
    return was_up;
}

void gp__stop_signals(gp_thread *self)
{
    pthread_mutex_lock(&self->lock);
    self->plain_interrupt = false;
    gp__os_signal_stop(&self->signal);
    pthread_mutex_unlock(&self->lock);
}

bool gp_interrupted(void)
{
    gp_thread *self = gp__current_thread();
    return self != NULL && gp__clear_interrupt(self);
}

/* Threads of our own. */

static int check_stack_size(size_t size)
{
    pthread_attr_t attributes;
    if (size == 0)
        return GP_OK;
    if (pthread_attr_init(&attributes) != 0)
        return GP_ENOMEM;
    int error = pthread_attr_setstacksize(&attributes, size);
    pthread_attr_destroy(&attributes);
    return error == 0 ? GP_OK : GP_EINVAL;
}

static int check_config(const gp_thread_config *config)
{
    if (config->nice < NICEST || config->nice > LEAST_NICE || config->timer_slack < 0 ||
        config->interrupt_signal < 0)
        return GP_EINVAL;
    int status = check_stack_size(config->stack_size);
    if (status == GP_OK && config->interrupt_signal != 0)
        status = gp__os_prepare_signal(config->interrupt_signal);
    return status;
}

int gp_thread_new(const gp_thread_config *config, gp_run_fn *run, void *argument, gp_thread **out)
{
    static const gp_thread_config plain = {0};
    if (config == NULL)
        config = &plain;
    if (run == NULL || out == NULL)
        return GP_EINVAL;
    int status = check_config(config);
    if (status != GP_OK)
        return status;
    gp_thread *thread = create_record();
    if (thread == NULL)
        return GP_ENOMEM;
    thread->config = *config;
    if (config->name != NULL)
        strncpy(thread->name, config->name, sizeof thread->name - 1);
    thread->config.name = thread->name;
    thread->run = run;
    thread->argument = argument;
    *out = thread;
    return GP_OK;
}

static void enter(gp_thread *self)
{
    gp__set_own_thread(self);
    if (self->name[0] != '\0')
        gp__os_name_thread(self->name);
    if (self->config.nice != 0)
        gp__os_set_nice(self->config.nice);
    if (self->config.timer_slack != 0)
        gp__os_set_timer_slack(self->config.timer_slack);
    if (self->config.interrupt_signal == 0)
        return;
    pthread_mutex_lock(&self->lock);
    if (gp__os_signal_open(&self->signal, self->config.interrupt_signal) == GP_OK &&
        gp_is_interrupted(self))
        gp__os_signal_repeat(&self->signal);
    pthread_mutex_unlock(&self->lock);
}

static void leave(void *argument)
{
    gp_thread *self = argument;
    gp__forget_failure(self);
    pthread_mutex_lock(&self->lock);
    gp__os_signal_close(&self->signal);
    pthread_mutex_unlock(&self->lock);
    gp__set_former_owner(self->owner);
    gp__set_own_thread(NULL);
    gp_thread_release(self);
}

static void *thread_main(void *argument)
{
    gp_thread *self = argument;
    enter(self);
    pthread_cleanup_push(leave, self);
    self->run(self->argument);
    pthread_cleanup_pop(1);
    return NULL;
}

static int create_thread(gp_thread *thread)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return GP_ENOMEM;
    if (thread->config.stack_size != 0)
        pthread_attr_setstacksize(&attributes, thread->config.stack_size);
    int error = pthread_create(&thread->handle, &attributes, thread_main, thread);
    pthread_attr_destroy(&attributes);
    return error == 0 ? GP_OK : GP_EAGAIN;
}

bool gp__thread_claim(gp_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    bool ours = thread->phase == GP__THREAD_NEW && !thread->claimed;
    if (ours)
        thread->claimed = true;
    pthread_mutex_unlock(&thread->lock);
    return ours;
}

static int start(gp_thread *thread, bool claimed)
{
    int status = GP_ESTATE;
    pthread_mutex_lock(&thread->lock);
    if (thread->phase == GP__THREAD_NEW && thread->claimed == claimed) {
        gp_thread_retain(thread); /* [THREAD-4]: for the thread itself */
        status = create_thread(thread);
        if (status == GP_OK)
            thread->phase = GP__THREAD_STARTED;
    }
    pthread_mutex_unlock(&thread->lock);
    if (status == GP_EAGAIN || status == GP_ENOMEM)
        gp_thread_release(thread);
    return status;
}

int gp_thread_start(gp_thread *thread)
{
    return start(thread, false);
}

int gp__thread_start(gp_thread *thread)
{
    return start(thread, true);
}

bool gp_thread_is_started(gp_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    bool started = thread->phase != GP__THREAD_NEW;
    pthread_mutex_unlock(&thread->lock);
    return started;
}

static int join(gp_thread *thread, bool claimed)
{
    if (thread == gp__current_thread())
        return GP_EDEADLK;
    pthread_mutex_lock(&thread->lock);
    bool mine =
        thread->phase == GP__THREAD_STARTED && !thread->foreign && thread->claimed == claimed;
    if (mine)
        thread->phase = GP__THREAD_JOINED;
    pthread_t handle = thread->handle;
    pthread_mutex_unlock(&thread->lock);
    if (!mine)
        return GP_ESTATE;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_join(handle, NULL);
    pthread_setcancelstate(cancel_state, NULL);
    return GP_OK;
}

int gp_thread_join(gp_thread *thread)
{
    return join(thread, false);
}

int gp__thread_join(gp_thread *thread)
{
    return join(thread, true);
}
