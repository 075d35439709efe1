/*
 * Timers: HashedWheelTimer's start, newTimeout and stop. timer_worker.c has the thread, hashed.c
 * and tickless.c the wheels themselves, timeout.c what becomes of a timeout. How timeouts come in
 * is a class of its own: gp__inbox_intake, which is here, or that of fast.c.
 *
 *      after, by any thread          worker, each turn                    cancel, by any thread
 *
 *      [ inbox: added ] ----------> rows of the wheel <--out of the row-- [ inbox: cancelled ]
 *                                        |
 *                                   row: due -> call
 *
 * No lock on these paths: the inboxes are lock-free, the rows are the worker's own. The lock is for
 * the beginning and the end, and for waking a worker that sleeps.
 *
 *      INIT <--no thread-- STARTING --its clock runs--> STARTED --stop--> STOPPING --> STOPPED
 *        |---start-------------^ ^--------its worker was killed---|          ^
 *        +------------------------------stop---------------------------------+
 *
 *   [TIMER-1] A timeout that was accepted ends: it expires, is cancelled, or stop hands it back,
 *             whenever it was added. Why: it is accepted in the step in which it enters the inbox,
 *             and stop closes the inbox in one step too [INBOX-2]. What came before is drained,
 *             what comes after is refused.
 *   [TIMER-2] `pending` is the number of timeouts in state INIT, and of those that are just being
 *             accepted or have just left INIT. It is raised before a timeout is put in, and lowered
 *             by the thread that takes it out of INIT, or by an add that was refused; so it is
 *             exact whenever no call is under way, a cancel that has returned has made room, and it
 *             is 0 after stop. It never exceeds the limit: it is raised only by a CAS that found
 *             room. An add takes the timeout's reference to the timer in the same step; a cancel
 *             may take its own that way, too: both numbers are halves of one word, and less than
 *             2^31. (fast.c takes both wholesale, and keeps the limit by its latch: [FAST-2].)
 *   [TIMER-3] STARTING and STOPPING belong to one thread each, which alone may end them. Every
 *             other thread that needs to know the outcome waits. A failure while STARTING restores
 *             INIT.
 *   [TIMER-4] STOPPED means: the worker is joined, both inboxes are closed, the wheel is empty.
 *
 * Ordering. The state is published with release and read with acquire: a thread that reads STARTED
 * sees the start time. Nothing else depends on it; the inbox makes sure that no timeout is added
 * too late.
 *
 * Better than upstream. Netty and Dubbo lose a timeout that is added while the timer stops, or
 * leave it in the count; their stop returns timeouts that are not cancelled (netty #14081), so that
 * they can be cancelled again; their count follows a cancel a tick later; and they reject an add
 * for nothing while another rejected add is rolling back its own count.
 *
 * Rejected: counting a cancelled timeout as pending until it has left its row, as upstream does. It
 * would bound the memory of timeouts that are cancelled within a tick of being added; but a caller
 * that cancels to make room would find it only after the tick.
 */
#include "wheel/timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "sync/clock.h"
#include "sync/globals.h"
#include "sync/probe.h"

#define TOO_MANY_INSTANCES 64

/* In `counts`: timeouts that are pending in the lower half, references in the upper one. */
#define PENDING   UINT64_C(1)
#define REFERENCE (UINT64_C(1) << 32)

#define MOST_PENDING INT32_MAX /* more: it was lowered too often, and is less than 0 */

static int64_t pending_in(uint64_t counts)
{
    return (int64_t)(counts % REFERENCE);
}

/* Lifetime. */

/* The default factory. */
static int create_default_thread(void *context, gp_run_fn *run, void *argument, gp_thread **out)
{
    gp_timer *timer = context;
    return gp_thread_new(&timer->thread_config, run, argument, out);
}

/* A thread made and dropped again tells whether the default factory's settings are good. */
static int check_thread_config(gp_timer *timer)
{
    gp_thread *thread;
    int status = create_default_thread(timer, gp__timeout_run, NULL, &thread);
    if (status == GP_OK)
        gp_thread_release(thread);
    return status;
}

static void set_name(gp_timer *timer, const char *name)
{
    if (name == NULL)
        snprintf(timer->name, sizeof timer->name, "timer-%u", gp__next_timer_number());
    else
        strncpy(timer->name, name, sizeof timer->name - 1);
    timer->thread_config.name = timer->name;
}

static int set_up(gp_timer *timer, const gp_wheel_config *config)
{
    timer->max_pending = config->max_pending < 0 ? 0 : config->max_pending;
    timer->thread_config = config->thread;
    timer->executor = config->executor;
    timer->hooks = config->hooks;
    timer->factory = config->factory;
    if (config->factory.create == NULL)
        timer->factory = (gp_thread_factory){.create = create_default_thread, .context = timer};
    set_name(timer, config->thread.name);
    atomic_init(&timer->counts, REFERENCE);
    atomic_init(&timer->asleep_until, GP__AWAKE);
    atomic_init(&timer->state, GP__TIMER_INIT);
    int status = check_thread_config(timer);
    if (status == GP_OK && pthread_mutex_init(&timer->lock, NULL) != 0)
        status = GP_ENOMEM;
    return status;
}

/* Count it, and warn if they are too many. */
static void hand_out(gp_timer *timer, gp_timer **out)
{
    *out = timer;
    unsigned instances = gp__add_timer();
    if (instances > TOO_MANY_INSTANCES && timer->hooks.too_many != NULL &&
        gp__claim_timer_warning())
        timer->hooks.too_many(timer->hooks.context, instances);
}

int gp__timer_finish(gp_timer *timer, const struct gp__timer_class *class,
                     const struct gp__intake_class *intake, const gp_wheel_config *config,
                     gp_timer **out)
{
    timer->class = class;
    timer->intake = intake;
    int status = set_up(timer, config);
    if (status == GP_OK)
        hand_out(timer, out);
    else
        intake->free(timer);
    return status;
}

gp_timer *gp__timer_retain(gp_timer *timer)
{
    /* relaxed: we hold one already */
    atomic_fetch_add_explicit(&timer->counts, REFERENCE, memory_order_relaxed);
    return timer;
}

void gp__timer_release(gp_timer *timer)
{
    /* acq_rel: what the others did with it happens before it is freed. */
    if (atomic_fetch_sub_explicit(&timer->counts, REFERENCE, memory_order_acq_rel) != REFERENCE)
        return;
    gp_thread_release(timer->worker);
    pthread_mutex_destroy(&timer->lock);
    timer->intake->free(timer);
}

/* Would stop wait for the end of the calling thread? */
static bool is_or_was_mine(const gp_timer *timer)
{
    return gp__timer_is_mine(timer) || gp__former_owner() == timer;
}

int gp_timer_free(gp_timer *timer)
{
    if (timer == NULL)
        return GP_OK;
    if (is_or_was_mine(timer))
        return GP_EDEADLK;
    if (gp__timer_state_of(timer) != GP__TIMER_STOPPED) /* [TIMER-4] */
        return GP_EBUSY;
    gp__timer_release(timer);
    return GP_OK;
}

int gp_timer_close(gp_timer *timer)
{
    if (timer == NULL)
        return GP_OK;
    int status = gp_timer_stop(timer, NULL);
    return status == GP_OK ? gp_timer_free(timer) : status;
}

/* The state. */

enum gp__timer_state gp__timer_state_of(gp_timer *timer)
{
    /* acquire, pairs with the release in gp__timer_set_state */
    return (enum gp__timer_state)atomic_load_explicit(&timer->state, memory_order_acquire);
}

void gp__timer_set_state(gp_timer *timer, enum gp__timer_state state)
{
    /* release: see Ordering */
    atomic_store_explicit(&timer->state, state, memory_order_release);
    GP_PROBE(timer_state, timer, state);
    gp__condition_signal_all(&timer->decided);
}

bool gp__timer_is_mine(const gp_timer *timer)
{
    const gp_thread *self = gp__current_thread();
    return self != NULL && self->owner == timer;
}

/* [TIMER-3]: wait while the state is one of these; lock is held, and the calling thread has a
   record. True: it was interrupted, and its flag is cleared. */
static bool await_decision(gp_timer *timer, enum gp__timer_state one, enum gp__timer_state other)
{
    bool interrupted = false;
    for (;;) {
        enum gp__timer_state state = gp__timer_state_of(timer);
        if (state != one && state != other)
            return interrupted;
        if (gp__condition_wait(&timer->decided, &timer->lock, GP__NO_DEADLINE) == GP_EINTERRUPTED)
            interrupted = true;
    }
}

static void restore_interrupt(bool interrupted)
{
    if (interrupted)
        gp_thread_interrupt(gp_thread_self());
}

/* Starting. */

/* GP_EBUSY: launch it. */
static int begin_start(gp_timer *timer)
{
    int status;
    if (gp_thread_self() == NULL)
        return GP_ENOMEM;
    pthread_mutex_lock(&timer->lock);
    bool interrupted = await_decision(timer, GP__TIMER_STARTING, GP__TIMER_STARTING);
    switch (gp__timer_state_of(timer)) {
    case GP__TIMER_INIT:
        gp__timer_set_state(timer, GP__TIMER_STARTING);
        status = GP_EBUSY;
        break;
    case GP__TIMER_STARTED:
        status = GP_OK;
        break;
    default:
        status = GP_ESTATE;
    }
    pthread_mutex_unlock(&timer->lock);
    restore_interrupt(interrupted);
    return status;
}

static int start(gp_timer *timer)
{
    do {
        int status = begin_start(timer);
        if (status == GP_EBUSY)
            status = gp__timer_launch(timer);
        if (status != GP_OK)
            return status;
    } while (gp__timer_state_of(timer) != GP__TIMER_STARTED);
    return GP_OK;
}

int gp_timer_start(gp_timer *timer)
{
    return gp__timer_state_of(timer) == GP__TIMER_STARTED ? GP_OK : start(timer);
}

/* Adding. */

/* [TIMER-2] */
static bool pend(gp_timer *timer)
{
    /* relaxed, all of it: a number that orders nothing */
    uint64_t counts = atomic_load_explicit(&timer->counts, memory_order_relaxed);
    do {
        if (timer->max_pending > 0 && pending_in(counts) >= timer->max_pending)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&timer->counts, &counts,
                                                    counts + REFERENCE + PENDING,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void gp__timer_unpend(gp_timer *timer)
{
    atomic_fetch_sub_explicit(&timer->counts, PENDING, memory_order_relaxed); /* as in pend */
}

void gp__timer_unpend_and_retain(gp_timer *timer)
{
    /* relaxed: as in pend */
    atomic_fetch_add_explicit(&timer->counts, REFERENCE - PENDING, memory_order_relaxed);
}

void gp__timer_reserve(gp_timer *timer, int timeouts)
{
    /* relaxed: as in pend; no thread has had what is given back, and there is another reference */
    atomic_fetch_add_explicit(&timer->counts, (uint64_t)timeouts * (REFERENCE + PENDING),
                              memory_order_relaxed);
}

static void wake(gp_timer *timer)
{
    pthread_mutex_lock(&timer->lock);
    gp__unpark(timer->worker); /* the one that slept, or its successor */
    pthread_mutex_unlock(&timer->lock);
}

void gp__timer_tell(gp_timer *timer, int64_t deadline)
{
    /* [SLEEP-1]; seq_cst: see Ordering in timer_worker.c */
    if (deadline < atomic_load(&timer->asleep_until))
        wake(timer);
}

void gp__timer_tell_cancelled(gp_timer *timer)
{
    /* [SLEEP-2]; seq_cst, both: see Ordering in timer_worker.c */
    if (atomic_fetch_add(&timer->uncollected, 1) + 1 >= timer->max_cancelled &&
        atomic_load(&timer->asleep_until) != GP__AWAKE)
        wake(timer);
}

/* [TIMER-1] */
static inline int put_in(gp_timer *timer, gp_timeout *timeout)
{
    if (!pend(timer)) /* the count in the way may be that of an add that stop refuses */
        return gp_timer_is_stopped(timer) ? GP_ESTATE : GP_EREJECTED;
    int64_t deadline = timeout->deadline;
    if (gp__inbox_put(&timer->added, &timeout->added)) {
        gp__timer_tell(timer, deadline); /* the timeout may be gone already */
        return GP_OK;
    }
    gp__timer_unpend(timer);
    gp__timer_release(timer);
    return GP_ESTATE;
}

static inline int add_at(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                         gp_destroy_fn *destroy, gp_timeout **out)
{
    gp_timeout *timeout;
    int status = gp__timeout_new(timer, deadline, run, argument, destroy, &timeout);
    if (status != GP_OK)
        return status;
    if (out != NULL)
        gp__timeout_share(timeout); /* before another thread has it */
    status = put_in(timer, timeout);
    if (status != GP_OK)
        gp__timeout_reclaim(timeout, GP__TIMEOUT_INIT);
    else if (out != NULL)
        *out = timeout;
    return status;
}

int gp__timer_add(gp_timer *timer, int64_t deadline, gp_timeout_fn *run, void *argument,
                  gp_destroy_fn *destroy, gp_timeout **out)
{
    return add_at(timer, deadline, run, argument, destroy, out);
}

int64_t gp__timer_elapsed(gp_timer *timer)
{
    return gp_time_until(gp_now(), timer->start_time);
}

/* In nanoseconds after the start. The time since then is not negative; too late is never. */
int64_t gp__deadline_after(int64_t elapsed, int64_t delay)
{
    return delay > INT64_MAX - elapsed ? INT64_MAX : elapsed + delay;
}

static int add_from_heap(gp_timer *timer, int64_t delay, gp_timeout_fn *run, void *argument,
                         gp_destroy_fn *destroy, gp_timeout **out)
{
    int64_t deadline = gp__deadline_after(gp__timer_elapsed(timer), delay);
    return add_at(timer, deadline, run, argument, destroy, out);
}

static int64_t deadline_on_clock(const gp_timeout *timeout)
{
    return gp_time_after(timeout->timer->start_time, timeout->deadline);
}

int64_t gp_timeout_deadline(const gp_timeout *timeout)
{
    return timeout->timer->intake->deadline(timeout);
}

int gp_timer_after(gp_timer *timer, int64_t delay, gp_timeout_fn *run, void *argument,
                   gp_destroy_fn *destroy, gp_timeout **out)
{
    if (timer == NULL || run == NULL)
        return GP_EINVAL;
    int status = gp__timer_state_of(timer) == GP__TIMER_STARTED ? GP_OK : start(timer);
    if (status == GP_OK)
        status = timer->intake->add(timer, delay, run, argument, destroy, out);
    if (status == GP_EREJECTED && destroy != NULL)
        destroy(argument);
    return status;
}

/* The worker's side. */

static struct gp__inbox_link *take_added(gp_timer *timer)
{
    return gp__inbox_turn_round(gp__inbox_take(&timer->added));
}

static struct gp__inbox_link *close_added(gp_timer *timer)
{
    return gp__inbox_close(&timer->added);
}

static bool is_added_closed(gp_timer *timer)
{
    return gp__inbox_is_closed(&timer->added);
}

static void free_timer(gp_timer *timer)
{
    free(timer);
}

const struct gp__intake_class gp__inbox_intake = {.add = add_from_heap,
                                                  .deadline = deadline_on_clock,
                                                  .begin_turn = gp__timer_elapsed,
                                                  .take = take_added,
                                                  .close = close_added,
                                                  .is_closed = is_added_closed,
                                                  .pending = gp__timer_counted,
                                                  .glance = gp__timer_counted,
                                                  .reclaim = gp__timeout_reclaim,
                                                  .free = free_timer};

/* Stopping. */

/* True: the caller is to end it, from STOPPING on. */
static bool begin_stop(gp_timer *timer, gp_thread **worker)
{
    pthread_mutex_lock(&timer->lock);
    bool interrupted = await_decision(timer, GP__TIMER_STARTING, GP__TIMER_STOPPING);
    bool first = gp__timer_state_of(timer) != GP__TIMER_STOPPED;
    if (first) {
        gp__timer_set_state(timer, GP__TIMER_STOPPING);
        *worker = timer->worker;
        if (*worker != NULL)
            gp_thread_interrupt(*worker); /* out of its wait, or out of that of a function */
    }
    pthread_mutex_unlock(&timer->lock);
    restore_interrupt(interrupted);
    return first;
}

static void finish_stop(gp_timer *timer, gp_thread *worker, gp_timeout_list *unrun)
{
    if (worker != NULL)
        gp__thread_join(worker);
    gp__timer_drain(timer, unrun);
    gp__remove_timer(); /* a caller that learns that it has stopped finds one less */
    pthread_mutex_lock(&timer->lock);
    gp__timer_set_state(timer, GP__TIMER_STOPPED); /* [TIMER-4] */
    pthread_mutex_unlock(&timer->lock);
}

int gp_timer_stop(gp_timer *timer, gp_timeout_list *unrun)
{
    gp_timeout_list left = {0};
    gp_thread *worker;
    if (is_or_was_mine(timer)) /* it would wait for itself (NETTY-365) */
        return GP_EDEADLK;
    if (gp_thread_self() == NULL)
        return GP_ENOMEM;
    gp__timer_retain(timer); /* another thread may free it when the state is STOPPED */
    if (begin_stop(timer, &worker))
        finish_stop(timer, worker, &left);
    if (unrun != NULL)
        *unrun = left;
    else
        gp_timeout_list_release(&left);
    gp__timer_release(timer);
    return GP_OK;
}

bool gp_timer_is_stopped(gp_timer *timer)
{
    return gp__timer_state_of(timer) >= GP__TIMER_STOPPING;
}

/* Queries. */

size_t gp__timer_counted(gp_timer *timer)
{
    /* relaxed: statistics only */
    return (size_t)pending_in(atomic_load_explicit(&timer->counts, memory_order_relaxed));
}

size_t gp_timer_pending(gp_timer *timer)
{
    return timer->intake->pending(timer);
}

uint64_t gp_timer_failures(gp_timer *timer)
{
    return atomic_load_explicit(&timer->failures, memory_order_relaxed); /* statistics only */
}

uint64_t gp_timer_wakeups(gp_timer *timer)
{
    return atomic_load_explicit(&timer->wakeups, memory_order_relaxed); /* statistics only */
}

size_t gp_timer_uncollected(gp_timer *timer)
{
    /* statistics only; less than 0 while a canceller has yet to count what was collected */
    int64_t uncollected = atomic_load_explicit(&timer->uncollected, memory_order_relaxed);
    return uncollected > 0 ? (size_t)uncollected : 0;
}

static bool is_empty(gp_timer *timer)
{
    return timer->intake->is_closed(timer) && gp__inbox_is_closed(&timer->cancelled) &&
           timer->arrived == NULL && timer->due.first == NULL && timer->class->is_empty(timer);
}

/* With lock held, on the worker or while there is none. */
static int check_rows(gp_timer *timer)
{
    if (gp__timer_state_of(timer) == GP__TIMER_STOPPED && !is_empty(timer))
        return GP_TIMER_INVARIANT + 4; /* [TIMER-4] */
    return timer->class->check(timer);
}

int gp_timer_check(gp_timer *timer)
{
    int broken = 0;
    size_t pending = timer->intake->glance(timer);
    pthread_mutex_lock(&timer->lock);
    enum gp__timer_state state = gp__timer_state_of(timer);
    if (gp__timer_is_mine(timer) || state == GP__TIMER_INIT || state == GP__TIMER_STOPPED)
        broken = check_rows(timer);
    pthread_mutex_unlock(&timer->lock);
    if (pending > MOST_PENDING || (timer->max_pending > 0 && pending > (size_t)timer->max_pending))
        broken = GP_TIMER_INVARIANT + 2;
    return broken;
}
