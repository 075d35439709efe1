/*
 * The worker of a timer: HashedWheelTimer's Worker, plus the replacement and joining that Java does
 * not need.
 *
 * A turn has four steps; a wheel that ticks has one at the end of each tick, a tickless one when
 * something is due or has come that will not wait.
 *
 *      1. cancelled timeouts leave their rows
 *      2. new ones are inserted into theirs
 *      3. the wheel goes on; what is due is moved to the row `due`
 *      4. those are called, one after the other
 *
 *   [TURN-1] At most 100,000 new timeouts are inserted in one turn; the rest waits for the next, in
 *            order. Else one thread that does nothing but add would keep the worker from calling
 *            anything.
 *   [TURN-2] While a function is called all that the worker knows is in the timer, and the turn's
 *            first three steps are over. So a worker that its function has killed can be replaced:
 *            the new one goes on with the row `due`, and nothing is lost, called twice, or counted
 *            down twice. (Java calls functions in the middle of step 3, which nothing can break
 *            there: it catches Throwable.)
 *   [TURN-3] Nothing is called once the timer stops: what is left in `due` is handed back.
 *   [TURN-4] A function that is called on the worker, by the worker itself or by an executor that
 *            runs rejected tasks in the submitting thread, sees the interrupt flag set only if it
 *            was interrupted on purpose, or the timer stops. Leftovers are cleared before each
 *            call.
 *
 * The worker waits for an absolute time. Each turn reads the clock once, and what is due is decided
 * by that. A worker that is late, since a function was slow, makes up for it without waiting. Stop
 * interrupts it.
 *
 * Sleeping. A worker that ticks finds in the next tick what was added meanwhile. One that does not
 * tick sleeps until the first deadline that it knows of, an hour perhaps, and has to be told of an
 * earlier one, and of no other. So it publishes until when it sleeps, and an adding thread reads
 * that:
 *
 *      worker                                   adding thread
 *      1. asleep_until = first deadline         1. put the timeout into the inbox
 *      2. is the inbox empty?                   2. is the deadline earlier than asleep_until?
 *         yes: park until then                     yes: unpark
 *
 *   [SLEEP-1] A tickless worker is not asleep beyond the deadline of a timeout that was added. Each
 *             of the two sides above writes first and reads then, so at least one sees the other:
 *             the worker finds the inbox filled and does not park; or the adding thread finds that
 *             the worker sleeps, and for how long, and leaves it a permit.
 *   [SLEEP-2] While the worker is asleep, no more than max_cancelled cancelled timeouts wait for
 *             it, and those of calls that are under way. The same pair, with their number in place
 *             of the inbox.
 *   [SLEEP-3] asleep_until is GP__AWAKE except from step 1 to the end of the sleep. No thread wakes
 *             a worker that looks into its inboxes anyway before it sleeps again, nor one that
 *             ticks, nor any with a timeout that is not earlier.
 *
 * A thread that comes second may unpark again a worker that another thread has unparked already: it
 * need not rely on that thread, which may be held up between its look and its unpark. A permit that
 * comes too late makes one later park return; the worker then finds nothing, and parks again.
 *
 * Ordering. These four are a Dekker pair: seq_cst, all of them (for put that is its CAS). Weaker,
 * both sides may see the other's old value, and the worker oversleeps. GP__AWAKE is relaxed: a
 * thread that reads it instead of an earlier time has put in what the worker's next look finds,
 * since that look comes after the next time is published.
 *
 * Replacing. In the dying worker a cleanup handler makes the state STARTING and launches another
 * thread, which makes it STARTED, joins this one and goes on. If no thread can be created the state
 * becomes INIT, and the next add or start tries again; the clock, once it runs, keeps its start. A
 * worker that is killed while the timer stops has no successor: stop drains what it left.
 *
 * A factory that hands out a thread which it has started itself is refused. That thread finds that
 * it is not the timer's worker, and returns. If it began in run_worker we wait for that. If it is
 * still on its way there, through a function of the factory's own, the timer may be freed before it
 * comes:
 *
 *   [TURN-5] A thread that was asked for has a reference to the timer until it has left run_worker,
 *            or until it is certain that it never comes there.
 *   [TURN-6] The state is not STARTING while a predecessor is joined. After the cleanup handlers of
 *            a thread come the destructors of its thread-specific data, which are user code: they
 *            may add a timeout, which waits for STARTED.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/task.h" /* gp__begin_task_code */
#include "sync/clock.h"
#include "sync/globals.h"
#include "wheel/timer.h"

#define INSERTS_PER_TURN 100000

static bool is_started(gp_timer *timer)
{
    return gp__timer_state_of(timer) == GP__TIMER_STARTED;
}

/* Steps 1 and 2. */

static void note_collected(gp_timer *timer, int64_t count)
{
    if (!timer->class->ticks && count > 0)
        atomic_fetch_sub_explicit(&timer->uncollected, count, memory_order_relaxed); /* ours */
}

static void remove_cancelled(gp_timer *timer)
{
    struct gp__inbox_link *link = gp__inbox_take(&timer->cancelled);
    int64_t removed = 0;
    for (; link != NULL; removed++) {
        gp_timeout *timeout = gp__timeout_of_cancelled(link);
        link = link->next;
        if (timeout->row != NULL) { /* else it has not arrived, or is gone */
            timer->class->remove(timer, timeout);
            gp__timeout_release_both(timeout);
        } else {
            gp_timeout_release(timeout); /* the inbox's */
        }
    }
    note_collected(timer, removed);
}

static gp_timeout *next_arrival(gp_timer *timer)
{
    if (timer->arrived == NULL)
        timer->arrived = timer->intake->take(timer);
    struct gp__inbox_link *link = timer->arrived;
    if (link == NULL)
        return NULL;
    timer->arrived = link->next;
    return gp__timeout_of_added(link);
}

/* [TURN-1] */
static void insert_arrivals(gp_timer *timer)
{
    for (int i = 0; i < INSERTS_PER_TURN; i++) {
        gp_timeout *timeout = next_arrival(timer);
        if (timeout == NULL)
            return;
        if (gp_timeout_is_cancelled(timeout))
            gp_timeout_release(timeout); /* the wheel's; the inbox of the cancelled has its own */
        else
            timer->class->insert(timer, timeout);
    }
}

/* Step 4. */

/* [TURN-4] */
static void adjust_interrupt(gp_timer *timer, gp_thread *self)
{
    if (gp__clear_interrupt(self) && !is_started(timer))
        gp_thread_interrupt(self);
}

static void call_here(gp_timeout *timeout)
{
    pthread_cleanup_push(gp__timeout_end, timeout);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    gp__timeout_run(timeout);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cleanup_pop(1);
}

static void hand_over(gp_timer *timer, gp_timeout *timeout)
{
    int status = gp_pool_execute_task(timer->executor, timeout->task[0]);
    if (status == GP_OK || status == GP_EREJECTED)
        return; /* used up, and the timeout with it */
    timeout->status = status;
    gp_task_discard(timeout->task[0]);
}

/* The executor, too, may have its function called here: gp_reject_caller_runs. */
static void call(gp_timer *timer, gp_timeout *timeout)
{
    gp_thread *self = gp_thread_self();
    adjust_interrupt(timer, self);
    if (timer->executor == NULL)
        call_here(timeout);
    else
        hand_over(timer, timeout);
    gp__forget_failure(self); /* no caller can ask for it */
    if (gp_is_interrupted(self))
        gp__stop_signals(self); /* the function has ended */
    gp__act_on_cancellation();
}

static void expire(gp_timer *timer, gp_timeout *timeout)
{
    if (gp__timeout_leave_init(timeout, GP__TIMEOUT_EXPIRED))
        call(timer, timeout);
    else
        gp_timeout_release(timeout); /* cancelled meanwhile */
}

/* [TURN-3] */
static void call_due(gp_timer *timer)
{
    gp_timeout *timeout;
    while (is_started(timer) && (timeout = gp__row_pop(&timer->due)) != NULL)
        expire(timer, timeout);
}

void gp__timer_turn(gp_timer *timer, int64_t now)
{
    remove_cancelled(timer);
    insert_arrivals(timer);
    timer->class->advance(timer, now, &timer->due);
    call_due(timer); /* [TURN-2] */
}

/* The thread. */

static void set_asleep_until(gp_timer *timer, int64_t next)
{
    if (!timer->class->ticks)
        atomic_store(&timer->asleep_until, next); /* [SLEEP-1]; seq_cst: see Ordering */
}

static void set_awake(gp_timer *timer)
{
    if (!timer->class->ticks)
        atomic_store_explicit(&timer->asleep_until, GP__AWAKE, /* [SLEEP-3] */
                              memory_order_relaxed);           /* see Ordering */
}

/* Is there something of which the worker was perhaps not told? */
static bool is_wanted(gp_timer *timer)
{
    if (timer->class->ticks)
        return false;
    return timer->arrived != NULL || !gp__inbox_is_empty(&timer->added) || /* [SLEEP-1] */
           atomic_load(&timer->uncollected) >= timer->max_cancelled;       /* [SLEEP-2]; seq_cst */
}

static int sleep_until(gp_timer *timer, gp_thread *self, int64_t time)
{
    int status = gp__park(self, time);
    atomic_fetch_add_explicit(&timer->wakeups, 1, memory_order_relaxed); /* statistics only */
    if (status == GP_EINTERRUPTED)
        gp__clear_interrupt(self);
    return status;
}

/* False: the timer stops. */
static bool await_next(gp_timer *timer, gp_thread *self)
{
    int64_t next = timer->class->next(timer);
    int64_t time = next == GP__NEVER ? GP__NO_DEADLINE : gp_time_after(timer->start_time, next);
    int status = GP_OK;
    set_asleep_until(timer, next);
    while (status != GP_ETIMEDOUT && is_started(timer) && !is_wanted(timer))
        status = sleep_until(timer, self, time);
    set_awake(timer);
    return is_started(timer);
}

/* False: the factory has started this thread on its own, and it is not wanted. */
static bool is_admitted(gp_timer *timer, gp_thread *self, gp_thread **predecessor)
{
    pthread_mutex_lock(&timer->lock);
    bool admitted = timer->worker == self;
    if (admitted) {
        *predecessor = timer->predecessor;
        timer->predecessor = NULL;
    }
    pthread_mutex_unlock(&timer->lock);
    return admitted;
}

static void begin(gp_timer *timer, gp_thread *self, gp_thread *predecessor)
{
    self->owner = timer;
    pthread_mutex_lock(&timer->lock);
    if (!timer->has_begun)
        timer->start_time = gp_now();
    timer->has_begun = true;
    gp__timer_set_state(timer, GP__TIMER_STARTED); /* [TIMER-3] */
    pthread_mutex_unlock(&timer->lock);
    if (predecessor != NULL) { /* [TURN-6]: not before */
        gp__thread_join(predecessor);
        gp_thread_release(predecessor);
    }
}

/* The end of a worker that a function has killed. */
static void leave(void *argument)
{
    gp_timer *timer = argument;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_mutex_lock(&timer->lock);
    bool replace = is_started(timer);
    if (replace)
        gp__timer_set_state(timer, GP__TIMER_STARTING);
    pthread_mutex_unlock(&timer->lock);
    if (replace)
        gp__timer_launch(timer);
    gp__timer_release(timer); /* [TURN-5] */
}

static void run_worker(void *argument)
{
    gp_timer *timer = argument;
    gp_thread *self = gp__current_thread();
    gp_thread *predecessor;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (is_admitted(timer, self, &predecessor)) {
        begin(timer, self, predecessor);
        pthread_cleanup_push(leave, timer);
        call_due(timer); /* that a predecessor has left [TURN-2] */
        while (await_next(timer, self))
            gp__timer_turn(timer, timer->intake->begin_turn(timer));
        pthread_cleanup_pop(0);
    }
    gp__timer_release(timer); /* [TURN-5] */
}

/* What a factory that fails has left in its result is ignored. */
static int create_worker(gp_timer *timer, gp_thread **out)
{
    gp_thread *thread = NULL;
    int cancel_state = gp__begin_task_code();
    int status = timer->factory.create(timer->factory.context, run_worker, timer, &thread);
    gp__end_task_code(cancel_state);
    if (status != GP_OK || thread == NULL)
        return status == GP_ENOMEM ? GP_ENOMEM : GP_EAGAIN;
    *out = thread;
    return GP_OK;
}

/* With lock held: it becomes the worker, and starts. */
static int install(gp_timer *timer, gp_thread *thread)
{
    timer->predecessor = timer->worker;
    timer->worker = thread;
    int status = gp__thread_start(thread);
    if (status != GP_OK) {
        timer->worker = timer->predecessor;
        timer->predecessor = NULL;
    }
    return status;
}

static void refuse(gp_timer *timer, gp_thread *thread)
{
    bool runs = thread != NULL && gp_thread_is_started(thread);
    if (runs && thread->run == run_worker)
        gp_thread_join(thread);
    gp_thread_release(thread);
    if (!runs)
        gp__timer_release(timer); /* [TURN-5] */
}

int gp__timer_launch(gp_timer *timer)
{
    gp_thread *thread = NULL;
    gp__timer_retain(timer); /* [TURN-5] */
    int status = create_worker(timer, &thread);
    bool claimed = status == GP_OK && gp__thread_claim(thread);
    pthread_mutex_lock(&timer->lock);
    if (status == GP_OK)
        status = claimed ? install(timer, thread) : GP_EAGAIN;
    if (status != GP_OK)
        gp__timer_set_state(timer, GP__TIMER_INIT); /* [TIMER-3] */
    pthread_mutex_unlock(&timer->lock);
    if (status != GP_OK)
        refuse(timer, thread);
    return status;
}

/* The end. */

/* What was pending is handed back, and cancelled by that; what was cancelled is given up. */
static void hand_back(gp_timeout *timeout, gp_timeout_list *unrun)
{
    if (gp__timeout_leave_init(timeout, GP__TIMEOUT_HANDED_BACK))
        gp__timeout_list_append(unrun, timeout);
    else
        gp_timeout_release(timeout);
}

static void hand_back_all(struct gp__inbox_link *link, gp_timeout_list *unrun)
{
    while (link != NULL) {
        gp_timeout *timeout = gp__timeout_of_added(link);
        link = link->next;
        hand_back(timeout, unrun);
    }
}

void gp__timer_drain(gp_timer *timer, gp_timeout_list *unrun)
{
    gp_timeout *timeout;
    timer->class->clear(timer, &timer->due);
    while ((timeout = gp__row_pop(&timer->due)) != NULL)
        hand_back(timeout, unrun);
    hand_back_all(timer->arrived, unrun);
    timer->arrived = NULL;
    hand_back_all(timer->intake->close(timer), unrun); /* [TIMER-1] */
    int64_t collected = 0;
    for (struct gp__inbox_link *link = gp__inbox_close(&timer->cancelled); link; collected++) {
        timeout = gp__timeout_of_cancelled(link);
        link = link->next;
        gp_timeout_release(timeout); /* the inbox's */
    }
    note_collected(timer, collected);
}
