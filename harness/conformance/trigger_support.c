/* See trigger_support.h. */
#include "trigger_support.h"

#include <glasspool/status.h>

#include "scheduled/trigger.h"

#include "suite.h"

/* The clock. */

void hand_clock_move(struct hand_clock *clock, int64_t by)
{
    atomic_fetch_add(&clock->offset, by);
}

/* As a thread does that has lost its processor. */
static void linger(void)
{
    int64_t until = gp_now() + GP_MILLISECONDS(2);
    while (gp_now() < until)
        continue;
}

int64_t hand_clock_now(void *argument)
{
    struct hand_clock *clock = argument;
    int64_t now = gp_now() + atomic_load(&clock->offset);
    if (atomic_fetch_add(&clock->reads, 1) + 1 == clock->moves_after)
        hand_clock_move(clock, clock->moves_by);
    if (clock->slow_reads > 0 && clock->slow_reads-- > 0)
        linger();
    return now;
}

gp_scheduled_config config_by(struct hand_clock *clock)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    config.wall_clock = (gp_wall_clock){hand_clock_now, clock, clock->is_steady};
    return config;
}

gp_scheduled *scheduled_by(struct hand_clock *clock)
{
    gp_scheduled_config config = config_by(clock);
    return scheduled_of(&config);
}

/* The trigger. */

static int64_t read_script(void *argument, const gp_trigger_context *context, int64_t now)
{
    struct script *script = argument;
    int i = atomic_load(&script->asked);
    if (i < SCRIPT_LENGTH) {
        script->contexts[i] = *context;
        script->nows[i] = now;
    }
    if (script->inside != NULL)
        script->inside(script);
    atomic_store(&script->asked, i + 1);
    return i < script->count ? script->times[i] : GP_NEVER;
}

static void destroy_script(void *argument)
{
    struct script *script = argument;
    atomic_fetch_add(&script->destroyed, 1);
}

gp_trigger script_trigger(struct script *script)
{
    return (gp_trigger){.next = read_script, .self = script, .destroy = destroy_script};
}

gp_future *job_trigger(gp_scheduled *scheduled, struct job *job, struct script *script,
                       const gp_trigger_options *options)
{
    gp_callable callable = job_callable(job);
    gp_trigger trigger = script_trigger(script);
    gp_future *future = NULL;
    require_ok(gp_schedule_trigger(scheduled, &callable, &trigger, options, &future));
    return future;
}

gp_triggered_status status_of(gp_future *future)
{
    gp_triggered_status status = {0};
    check_status(gp_triggered_status_of(future, &status), GP_OK);
    return status;
}

struct expected_runs {
    gp_future *future;
    uint64_t runs;
};

static bool has_run(void *argument)
{
    const struct expected_runs *expected = argument;
    gp_triggered_status status = {0};
    gp_triggered_status_of(expected->future, &status);
    return status.runs == expected->runs;
}

bool await_ended_runs(gp_future *future, uint64_t runs)
{
    return eventually(has_run, &(struct expected_runs){future, runs});
}

struct expected_asked {
    struct script *script;
    int times;
};

static bool was_asked(void *argument)
{
    const struct expected_asked *expected = argument;
    return atomic_load(&expected->script->asked) >= expected->times;
}

bool await_asked(struct script *script, int times)
{
    return eventually(was_asked, &(struct expected_asked){script, times});
}

/* A task that waits. */

void begin_waiting(struct waiting *waiting, gp_missed missed)
{
    waiting->clock = (struct hand_clock){.offset = START, .is_steady = true};
    waiting->options = (gp_trigger_options){.missed = missed};
    waiting->scheduled = scheduled_by(&waiting->clock);
    waiting->first = hand_clock_now(&waiting->clock);
    waiting->next = waiting->first + HOUR;
    waiting->script = (struct script){
        .times = {waiting->first, waiting->next, waiting->first + 100 * HOUR}, .count = 3};
    job_init(&waiting->job);
    waiting->future =
        job_trigger(waiting->scheduled, &waiting->job, &waiting->script, &waiting->options);
    check(await_ended_runs(waiting->future, 1));
    check(await_queued(gp_scheduled_pool(waiting->scheduled), 1));
}

void end_waiting(struct waiting *waiting)
{
    check_int(gp_pool_check(gp_scheduled_pool(waiting->scheduled)), 0);
    check_int(gp__watch_check(waiting->scheduled), 0);
    scheduled_end(waiting->scheduled);
    gp_future_release(waiting->future);
    check_int(waiting->job.subject.destroyed, 1);
    check_int(waiting->script.destroyed, 1);
}

void move_and_look(struct waiting *waiting, int64_t by)
{
    hand_clock_move(&waiting->clock, by);
    gp__watch_look(waiting->scheduled);
}

bool are_near(int64_t left, int64_t right)
{
    return left - right < GP_MILLISECONDS(5) && right - left < GP_MILLISECONDS(5);
}

void check_delay(struct waiting *waiting, int64_t expected)
{
    int64_t delay = delay_of(waiting->future);
    check(delay <= expected);
    check(delay > expected - long_enough());
}
