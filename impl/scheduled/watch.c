/*
 * The watch: how a scheduled pool notices that the wall clock has been set.
 *
 * POSIX does not notify it. So the pool compares the two clocks now and then: their difference, the
 * offset, changes only when the wall clock is set, slewed, or runs on while the machine is
 * suspended. There is one watch for each scheduled pool, and none while it has no triggered task or
 * its clock is said to be steady. It has no thread and no task of its own: it sets an alarm in the
 * delayed queue, which the leader rings on time, and a busy worker on its next take [DELAYED-7]. So
 * beginning and ending the watch needs neither memory nor a thread, and code that counts tasks,
 * drains the queue, hooks into runs or waits for the end of the pool never meets it. While all
 * workers are busy the clocks are not compared; but then no worker could run anything either, and
 * the first that comes compares them before it takes.
 *
 *   [WATCH-1] While there are triggered tasks there is an alarm: their count and the alarm change
 *             together, under the watch's lock.
 *   [WATCH-2] Looks are made one at a time, and a task in the queue is judged by clocks that were
 *             read under the queue's lock: a reading from before it was put there, or before
 *             another look, would undo what that look did, and take a clock that was set for one
 *             that was set back.
 *   [WATCH-3] What is in the queue is right by `offset`, or its offerer has marked the watch as
 *             stale; then the next look reviews the queue whatever the clocks say.
 *   [WATCH-4] Only a worker takes tasks out of the queue to ask their triggers: while one of its
 *             own threads has them the pool does not end. Any other thread that finds that the
 *             clock was set leaves the look to the alarm.
 *   [WATCH-5] An alarm with nothing to do wakes no thread: the clocks are compared under the
 *             queue's lock, with an offset that is read without the watch's. An offset read too
 *             early costs a look, which compares again. No mark is read too late: the offerer
 *             marks the watch as stale before it sets the alarm, and that takes the queue's lock.
 *
 * What a look does, if the offset is another one than at the last re-computation: it lets the queue
 * show it all its tasks, under the queue's lock, and gives each triggered one its new time there:
 * arithmetic, and a new heap in O(n). Only those whose trigger has to be asked are taken out, asked
 * without a lock, and put back like any periodic task after its run. Slow drift is compared with
 * what is remembered, so it adds up until it is noticed; a time may thus be wrong by twice the
 * tolerance, for half a second.
 *
 * [TRIGGER-4] The queue shows what is in it. A task whose time was just computed, and which is
 * about to be put into the queue, is not:
 *
 *      worker                               clock            watch
 *      read the clocks, compute the time
 *                                           is set
 *                                                            read the clocks: it was set
 *                                                            review the queue: it is not there
 *      put the task into the queue
 *      compare with what the watch knows:
 *      another clock; a look, now
 *
 * Without the last line the task would wait until the old time, and no look would review it again:
 * for the watch all is done. With it [WATCH-3] holds: a look is over, and then the watch knows its
 * clock, or is still to come, and then it reviews the task. The comparison is made under the lock,
 * or a look that has reviewed the queue but does not say yet what it knows would be taken for one
 * that is still to come. The thread that compares does not review the queue, since it may be any
 * thread [WATCH-4]: it marks the watch as stale, and sets the alarm to ring now.
 *
 * To read the clock again instead, and compare that with the task's, is not enough. A clock may be
 * set wrong before the time is computed and right before the next look: both readings agree, and
 * the next look finds the clock that the watch knows. Nor may the watch be told by which offset the
 * task is right: by then a look may have found it in the queue, and made it right by another. In
 * either case the task stayed where a wrong clock had put it.
 *
 * A trigger is user code, and a worker that asks it in a look has no task: it counts as idle, and
 * is interrupted if the pool is shut down or has other settings. The trigger may consume that
 * interrupt. So an alarm that has something to do ends the take, and after the look the worker
 * reads the pool's state again.
 *
 * Rejected: a wait of at most half a second in each entry (a watch per entry); a thread (one more
 * for the pool to create, name, count and join); a hidden periodic task (every figure and every
 * list of tasks would have to leave it out); timerfd's TFD_TIMER_CANCEL_ON_SET (one system's only,
 * and a file to be waited for beside a condition).
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "queue/delayed.h"
#include "scheduled/trigger.h"
#include "sync/probe.h"

#define ATTEMPTS 3                  /* to read both clocks together ... */
#define TOGETHER GP_MILLISECONDS(1) /* ... that is, not further apart */

/* The clocks. */

static int64_t read_wall(const gp_wall_clock *clock)
{
    return clock->now == NULL ? gp_wall_now() : clock->now(clock->context);
}

/* A thread may lose its processor between the two; then their difference would be wrong. Of the
   attempts that in which they were read closest together counts. */
struct gp__moment gp__moment_of(gp_scheduled *scheduled)
{
    struct gp__moment closest = {0};
    int64_t smallest = INT64_MAX;
    int64_t before = gp_now();
    for (int i = 0; i < ATTEMPTS && smallest > TOGETHER; i++) {
        struct gp__moment moment = {.wall = read_wall(&scheduled->wall_clock)};
        moment.monotonic = gp_now();
        int64_t apart = gp_time_until(moment.monotonic, before);
        if (apart < smallest) {
            smallest = apart;
            closest = moment;
        }
        before = moment.monotonic;
    }
    return closest;
}

int64_t gp__moment_offset(const struct gp__moment *moment)
{
    return gp_time_until(moment->wall, moment->monotonic);
}

bool gp__is_step(int64_t offset, int64_t before)
{
    int64_t step = gp_time_until(offset, before);
    return step > GP__STEP_TOLERANCE || step < -GP__STEP_TOLERANCE;
}

/* What is known of the queue. relaxed: decisions are made under the lock, or again under it. */

static int64_t known_offset(struct gp__watch *watch)
{
    return atomic_load_explicit(&watch->offset, memory_order_relaxed);
}

static bool is_stale(struct gp__watch *watch)
{
    return atomic_load_explicit(&watch->stale, memory_order_relaxed);
}

static void mark_stale(struct gp__watch *watch)
{
    atomic_store_explicit(&watch->stale, true, memory_order_relaxed);
}

static void set_known_offset(struct gp__watch *watch, int64_t offset)
{
    atomic_store_explicit(&watch->offset, offset, memory_order_relaxed);
    atomic_store_explicit(&watch->stale, false, memory_order_relaxed);
}

/* The alarm. */

/* [WATCH-5]: with the queue's lock held. */
static bool ring(struct gp__alarm *alarm, int64_t now)
{
    gp_scheduled *scheduled = alarm->context;
    struct gp__moment moment = gp__moment_of(scheduled);
    alarm->at = gp_time_after(now, GP__WATCH_INTERVAL);
    return is_stale(&scheduled->watch) ||
           gp__is_step(gp__moment_offset(&moment), known_offset(&scheduled->watch));
}

/* With the watch's lock held; NULL: no alarm. */
static void set_alarm(gp_scheduled *scheduled, int64_t at, gp__ring_fn *ring_fn)
{
    const struct gp__alarm alarm = {.at = at, .ring = ring_fn, .context = scheduled};
    scheduled->watch.has_alarm = ring_fn != NULL;
    gp__delayed_set_alarm(scheduled->pool.queue, &alarm);
}

int gp__watch_init(gp_scheduled *scheduled)
{
    return pthread_mutex_init(&scheduled->watch.lock, NULL) == 0 ? GP_OK : GP_ENOMEM;
}

void gp__watch_destroy(gp_scheduled *scheduled)
{
    pthread_mutex_destroy(&scheduled->watch.lock);
}

static void begin(gp_scheduled *scheduled)
{
    struct gp__moment now = gp__moment_of(scheduled);
    set_known_offset(&scheduled->watch, gp__moment_offset(&now));
    if (!scheduled->wall_clock.steady)
        set_alarm(scheduled, gp_time_after(gp_now(), GP__WATCH_INTERVAL), ring);
}

/* [WATCH-1] */
void gp__watch_enter(gp_scheduled *scheduled)
{
    pthread_mutex_lock(&scheduled->watch.lock);
    if (scheduled->watch.tasks++ == 0)
        begin(scheduled);
    pthread_mutex_unlock(&scheduled->watch.lock);
}

/* [WATCH-1] */
void gp__watch_leave(gp_scheduled *scheduled)
{
    pthread_mutex_lock(&scheduled->watch.lock);
    if (--scheduled->watch.tasks == 0)
        set_alarm(scheduled, 0, NULL);
    pthread_mutex_unlock(&scheduled->watch.lock);
}

int gp__watch_check(gp_scheduled *scheduled)
{
    pthread_mutex_lock(&scheduled->watch.lock);
    bool wanted = scheduled->watch.tasks > 0 && !scheduled->wall_clock.steady;
    int broken = wanted == scheduled->watch.has_alarm ? 0 : 1;
    pthread_mutex_unlock(&scheduled->watch.lock);
    return broken;
}

/* Looks. */

/* It was taken out of the queue because its trigger has to be asked; then it goes back. */
static void ask_and_put_back(gp_scheduled *scheduled, gp_task *element,
                             const struct gp__moment *now)
{
    struct gp__scheduled_task *task = gp__scheduled_task_of(gp_task_future(element));
    if (gp__triggered_ask_anew(gp__scheduled_extra_of(task)->triggered, now)) {
        gp__re_execute_periodic(scheduled, task);
        return;
    }
    gp_task_discard(element);
    gp__queue_nudge(scheduled->pool.queue);
    gp__pool_tasks_removed(&scheduled->pool);
}

void gp__watch_look(gp_scheduled *scheduled)
{
    struct gp__watch *watch = &scheduled->watch;
    gp_task_list to_ask = {0};
    pthread_mutex_lock(&watch->lock); /* [WATCH-2] */
    struct gp__review review = {.scheduled = scheduled, .now = gp__moment_of(scheduled)};
    int64_t step = gp_time_until(gp__moment_offset(&review.now), known_offset(watch));
    if (watch->tasks > 0 && (is_stale(watch) || gp__is_step(step, 0))) {
        GP_PROBE(watch_step, scheduled, step);
        gp__delayed_review(scheduled->pool.queue, gp__triggered_review, &review, &to_ask);
        set_known_offset(watch, gp__moment_offset(&review.now)); /* [WATCH-3] */
    }
    pthread_mutex_unlock(&watch->lock);
    for (gp_task *task; (task = gp_task_list_pop(&to_ask)) != NULL;)
        ask_and_put_back(scheduled, task, &review.now);
}

/* [TRIGGER-4], [WATCH-4] */
void gp__watch_recheck(gp_scheduled *scheduled, const struct gp__scheduled_task *task,
                       int64_t offset)
{
    struct gp__watch *watch = &scheduled->watch;
    if (gp__scheduled_extra_of(task)->triggered == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    if (gp__is_step(offset, known_offset(watch))) {
        mark_stale(watch); /* [WATCH-3] */
        if (watch->has_alarm)
            set_alarm(scheduled, gp_now(), ring);
    }
    pthread_mutex_unlock(&watch->lock);
}
