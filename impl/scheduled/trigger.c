/*
 * Tasks with a trigger: the Spring part of document 002, Trigger and ReschedulingRunnable, in C.
 *
 * In Spring a task with a trigger is many tasks. ReschedulingRunnable runs, asks the trigger for
 * the next time, and schedules itself once more with a delay: each run has a future of its own, and
 * cancel has to find the current one while the next is being made. It once did not (SPR-9821), and
 * has a lock for it since. Here it is one scheduled task, periodic in kind, with one future for all
 * its runs, put back after each run as any periodic task is; only (11.1), the next time, comes from
 * a function. What holds for periodic tasks holds here: runs never overlap [PERIODIC-1], putting
 * it back needs no memory [PERIODIC-2], cancel is exact at every moment [SCHEDULED-2]. There is no
 * current future to swap.
 *
 *   [TRIGGER-1] The trigger is asked by whoever has the task, while it is in no queue, with no lock
 *               held: one call at a time, and it may do what it likes.
 *   [TRIGGER-2] What status_of tells belongs together: due time, begin, end and figures of a run
 *               are written under the task's lock, in one go.
 *   [TRIGGER-3] No time is run twice, whichever way the clock goes: a run is told to the trigger
 *               with the time it was due at, and what the trigger says stays the time of the next
 *               run while the clock is put back by no more than GP_CLOCK_CORRECTION.
 *   [TRIGGER-4] A task does not wait in the queue with a time that was computed before the clock
 *               was set: who sets its time asks, when the task is in the queue, whether the watch
 *               knows the same clock (watch.c).
 *   [TRIGGER-5] No run begins earlier than its time, by the wall clock at that moment, but for the
 *               tolerance: a worker looks before it runs one, and puts it back if it is early. (To
 *               hooks and figures of the pool that was a task like any other; to the task it was no
 *               run.)
 *   [TRIGGER-6] The trigger is destroyed once, with the task; not if the call that was to take it
 *               over has failed and left it with its caller.
 *
 * Two clocks. A pool sleeps by the monotonic clock; a trigger tells wall time. Both are read
 * together, as a moment, and every decision is made on one such moment [CLOCK-1]:
 *
 *      time (monotonic) = moment.monotonic + (next - moment.wall)
 *
 * The difference between the clocks at that moment, the offset, is kept with the task. If it is
 * another one later (by more than a tolerance: clocks drift, and are slewed), the clock was set.
 * Then the time is reckoned anew:
 *
 *      put back, by more than GP_CLOCK_CORRECTION       the old times mean nothing: what is known
 *                                                       of the last run is moved along with the
 *                                                       clock, and the trigger asked anew
 *      put forward, over `next`: it was yet to come by
 *      the old clock, and is past by the new one        missed. Run once: now. Skip: the trigger is
 *                                                       asked anew, as if it had run just now
 *      else                                             `next` stays, and is translated anew
 *
 * Late is not missed: a task whose time had come before the clock was set, and which only waits for
 * a worker, is run, once. And a clock that was set during a run counts as set right after it: the
 * next time is computed by the old clock and then reckoned anew like all others; else it would
 * depend on the length of a run whether a time was jumped over.
 *
 * Timers are early now and then, and clocks are slewed; so a run may end before the time it was due
 * at. Spring once took the next time from the end of the run, found the same time again, and ran
 * twice in a second (SPR-7004). The ready-made triggers (trigger_kinds.c) go by the later of the
 * two.
 *
 * Failures. A periodic task of the JDK ends with its first failure; in Spring a task with a trigger
 * reports it and goes on. That is decided inside the run (gp__run_watch), before the future hears
 * of it. The callable itself is not wrapped: hooks and lists of threads see the user's.
 *
 * Rejected: a task per run, as above. Context and next time as atomics: they belong together.
 * Treating the context as unknown after a large step back: a fixed delay would be forgotten.
 */
#include "scheduled/trigger.h"

#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "sync/probe.h"

#define SOME_PERIOD 1 /* it is periodic in kind; which time is next only the trigger knows */

static const gp_trigger_context nothing_known = {GP_NEVER, GP_NEVER, GP_NEVER};

/* Times. */

/* left - right, or the nearest there is */
static int64_t minus(int64_t left, int64_t right)
{
    if (right < 0)
        return left > INT64_MAX + right ? INT64_MAX : left - right;
    return left < INT64_MIN + right ? INT64_MIN : left - right;
}

static int64_t due_time_of(const struct gp__triggered *self)
{
    return gp_task_time(&self->base.task.future.task);
}

/* What the wall clock would show, had it not been set since the task's time was computed. */
static int64_t old_wall(const struct gp__triggered *self, int64_t monotonic)
{
    return gp_time_after(monotonic, self->offset);
}

static void set_time(struct gp__triggered *self, const struct gp__moment *now)
{
    int64_t delay = minus(self->status.next, now->wall);
    gp__scheduled_task_set_time(&self->base.task, gp__trigger_time_at(now->monotonic, delay));
}

/* Its time has come, and it only waits for a worker: by the clock as it was, and as it is. */
static bool is_late(const struct gp__triggered *self, const struct gp__moment *now)
{
    return gp_time_until(due_time_of(self), now->monotonic) <= 0 && self->status.next <= now->wall;
}

int64_t gp__triggered_offset(const struct gp__triggered *self)
{
    return self == NULL ? 0 : self->offset;
}

/* The trigger. */

/* [TRIGGER-1] */
static int64_t ask(const gp_trigger *trigger, const gp_trigger_context *context, int64_t now)
{
    int cancel_state = gp__begin_task_code();
    int64_t next = trigger->next(trigger->self, context, now);
    gp__end_task_code(cancel_state);
    return next;
}

static void set_next(struct gp__triggered *self, int64_t next)
{
    pthread_mutex_lock(&self->lock);
    self->status.next = next;
    pthread_mutex_unlock(&self->lock);
    GP_PROBE(trigger_next, self, next);
}

/* Reckoning. */

static int64_t step_of(const struct gp__triggered *self, const struct gp__moment *now)
{
    return gp_time_until(gp__moment_offset(now), self->offset);
}

static bool is_put_back_for_good(const struct gp__triggered *self, const struct gp__moment *now)
{
    return step_of(self, now) < -(GP_CLOCK_CORRECTION + GP__STEP_TOLERANCE);
}

static bool is_jumped_over(const struct gp__triggered *self, const struct gp__moment *now)
{
    return gp_time_until(due_time_of(self), now->monotonic) > 0 &&
           minus(now->wall, self->status.next) > GP__STEP_TOLERANCE;
}

static void count_missed(struct gp__triggered *self)
{
    pthread_mutex_lock(&self->lock);
    self->status.missed++;
    pthread_mutex_unlock(&self->lock);
}

/* A new time by this moment. True: none, the trigger has to be asked first. */
static bool translate(struct gp__triggered *self, const struct gp__moment *now)
{
    if (is_put_back_for_good(self, now))
        return true;
    if (is_jumped_over(self, now)) {
        count_missed(self);
        if (self->options.missed == GP_MISSED_SKIP)
            return true;
    }
    self->offset = gp__moment_offset(now);
    if (!is_late(self, now))
        set_time(self, now); /* [TRIGGER-3]: `next` stays */
    return false;
}

static int64_t moved(int64_t time, int64_t step)
{
    return time == GP_NEVER ? GP_NEVER : gp_time_after(time, step);
}

bool gp__triggered_ask_anew(struct gp__triggered *self, const struct gp__moment *now)
{
    gp_trigger_context context = {self->status.next, now->wall, now->wall}; /* as if it had run */
    if (is_put_back_for_good(self, now)) {
        int64_t step = gp_time_until(gp__moment_offset(now), self->last_offset); /* all since */
        context = (gp_trigger_context){moved(self->status.last.scheduled, step),
                                       moved(self->status.last.actual, step),
                                       moved(self->status.last.completion, step)};
    }
    self->offset = gp__moment_offset(now);
    set_next(self, ask(&self->trigger, &context, now->wall));
    set_time(self, now);
    return self->status.next != GP_NEVER;
}

bool gp__triggered_reckon(struct gp__triggered *self, const struct gp__moment *now)
{
    return !translate(self, now) || gp__triggered_ask_anew(self, now);
}

bool gp__triggered_review(gp_task *element, void *context)
{
    struct gp__review *review = context;
    struct gp__scheduled_task *task = gp__scheduled_task_of(gp_task_future(element));
    struct gp__triggered *self = gp__scheduled_extra_of(task)->triggered;
    if (!review->begun)
        review->now = gp__moment_of(review->scheduled); /* [WATCH-2] */
    review->begun = true;
    return self != NULL && !gp_future_is_done(&self->base.task.future) &&
           translate(self, &review->now);
}

bool gp__triggered_is_early(struct gp__triggered *self, struct gp__moment *now)
{
    *now = gp__moment_of(gp__scheduled_of(&self->base.task));
    return !gp_future_is_done(&self->base.task.future) &&
           minus(self->status.next, now->wall) > GP__STEP_TOLERANCE; /* [TRIGGER-5] */
}

/* Running. */

static void begins(void *context)
{
    struct gp__triggered *self = context;
    self->began = gp_now();
    self->running = true;
    self->run = GP__RUN_GOES_ON;
    GP_PROBE(trigger_run, self, self->status.next);
}

static bool failed(void *context, const gp_failure *failure)
{
    struct gp__triggered *self = context;
    self->run = GP__RUN_FAILED;
    if (self->options.failed != NULL)
        self->options.failed(self->options.context, &self->base.task.future, failure);
    return !self->options.stop_on_failure;
}

bool gp__triggered_run(struct gp__triggered *self)
{
    const struct gp__run_watch watch = {.begins = begins, .failed = failed, .context = self};
    bool again = gp__future_run_watched(&self->base.task.future, &watch);
    if (self->run == GP__RUN_GOES_ON)
        self->run = GP__RUN_RETURNED;
    return again;
}

void gp__triggered_end_run(struct gp__triggered *self)
{
    struct gp__moment now = gp__moment_of(gp__scheduled_of(&self->base.task));
    if (!self->running)
        return;
    self->running = false;
    if (!gp__is_step(gp__moment_offset(&now), self->offset))
        self->offset = gp__moment_offset(&now); /* the next time without what has drifted so far */
    pthread_mutex_lock(&self->lock);            /* [TRIGGER-2] */
    self->status.last = (gp_trigger_context){.scheduled = self->status.next,
                                             .actual = old_wall(self, self->began),
                                             .completion = old_wall(self, now.monotonic)};
    self->status.runs++;
    self->status.failures += self->run != GP__RUN_RETURNED;
    pthread_mutex_unlock(&self->lock);
    self->last_offset = self->offset;
}

bool gp__triggered_set_next_time(struct gp__triggered *self)
{
    const gp_trigger_context *last = &self->status.last; /* ours to read: we have the task */
    set_next(self, ask(&self->trigger, last, last->completion));
    if (self->status.next == GP_NEVER)
        return false;
    struct gp__moment now = gp__moment_of(gp__scheduled_of(&self->base.task));
    struct gp__moment by_old_clock = {old_wall(self, now.monotonic), now.monotonic};
    set_time(self, &by_old_clock);
    return !gp__is_step(gp__moment_offset(&now), self->offset) || gp__triggered_reckon(self, &now);
}

/* Making. */

void gp__triggered_free(struct gp__triggered *self)
{
    gp_trigger_discard(&self->trigger); /* [TRIGGER-6] */
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* [WATCH-1]; relaxed: the watch's lock orders what follows */
void gp__triggered_ends(struct gp__triggered *self)
{
    if (!atomic_exchange_explicit(&self->unwatched, true, memory_order_relaxed))
        gp__watch_leave(gp__scheduled_of(&self->base.task));
}

void gp__triggered_abandon(struct gp__triggered *self)
{
    self->trigger.destroy = NULL; /* [TRIGGER-6] */
    gp__triggered_ends(self);
}

void gp_trigger_discard(gp_trigger *trigger)
{
    if (trigger->destroy != NULL)
        trigger->destroy(trigger->self);
    *trigger = (gp_trigger){0};
}

static struct gp__triggered *create(const gp_trigger *trigger, const gp_trigger_options *options,
                                    int64_t next, int64_t offset)
{
    struct gp__triggered *self = calloc(1, sizeof *self);
    if (self == NULL || pthread_mutex_init(&self->lock, NULL) != 0) {
        free(self);
        return NULL;
    }
    self->trigger = *trigger;
    if (options != NULL)
        self->options = *options;
    self->offset = offset;
    self->status.last = nothing_known;
    self->status.next = next;
    return self;
}

static bool is_trigger_valid(const gp_trigger *trigger, const gp_trigger_options *options)
{
    return trigger != NULL && trigger->next != NULL &&
           (options == NULL || options->missed == GP_MISSED_RUN_ONCE ||
            options->missed == GP_MISSED_SKIP);
}

int gp_schedule_trigger(gp_scheduled *scheduled, const gp_callable *callable,
                        const gp_trigger *trigger, const gp_trigger_options *options,
                        gp_future **out)
{
    if (scheduled == NULL || !gp__callable_is_valid(callable) ||
        !is_trigger_valid(trigger, options))
        return GP_EINVAL;
    struct gp__moment now = gp__moment_of(scheduled);
    int64_t next = ask(trigger, &nothing_known, now.wall);
    if (next == GP_NEVER)
        return GP_ENOTFOUND;
    struct gp__triggered *self = create(trigger, options, next, gp__moment_offset(&now));
    if (self == NULL)
        return GP_ENOMEM;
    gp__watch_enter(scheduled);
    int64_t time = gp__trigger_time_at(now.monotonic, minus(next, now.wall));
    int status =
        gp__extended_task_init(&self->base, scheduled, callable, time, SOME_PERIOD, self); /* (2) */
    return status == GP_OK ? gp__schedule_task(&self->base.task, false, out) : status;
}

/* Asking. */

int gp_triggered_status_of(const gp_future *future, gp_triggered_status *out)
{
    const struct gp__scheduled_task *task = gp__scheduled_task_of(future);
    struct gp__triggered *self = task == NULL ? NULL : gp__scheduled_extra_of(task)->triggered;
    if (self == NULL || out == NULL)
        return GP_EINVAL;
    pthread_mutex_lock(&self->lock);
    *out = self->status;
    pthread_mutex_unlock(&self->lock);
    if (gp_future_is_done(future))
        out->next = GP_NEVER;
    return GP_OK;
}
