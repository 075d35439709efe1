/* See trigger_support.h. */
#include "stress/trigger_support.h"

#include "stress/support.h"

enum {
    FAILURE = 7 /* the code with which an errand fails */
};

#define FAR_OFF (100 * AN_HOUR)

/* ---- the clock ---- */

static int64_t wall_now(void *argument)
{
    struct trigger_state *state = argument;

    return gp_now() + atomic_load(&state->offset);
}

void trigger_step(struct trigger_state *state, int64_t by)
{
    atomic_fetch_add(&state->offset, by);
}

/* ---- errands ---- */

static int64_t answer_of(struct errand *errand, const gp_trigger_context *last, int64_t now)
{
    int number = errand->asked++;

    if (errand->inner.next)
        return errand->inner.next(errand->inner.self, last, now);
    if (number < ANSWERS && errand->delays[number] >= 0)
        return now + errand->delays[number];
    return errand->ends ? GP_NEVER : now + FAR_OFF;
}

static int64_t next_of_errand(void *argument, const gp_trigger_context *last, int64_t now)
{
    struct errand *errand = argument;
    int64_t answer = answer_of(errand, last, now);

    if (errand->inner.next && last->completion != GP_NEVER) {
        errand->repeated = errand->repeated || answer <= last->scheduled;
        errand->outdated = errand->outdated || answer <= last->completion;
    }
    errand->answer = answer;
    if (errand->thinks)
        errand->thinks(errand);
    return answer;
}

static void end_payload(void *argument)
{
    struct errand *errand = argument;

    errand->payloads++;
}

static int run_errand(void *argument, void **result)
{
    struct errand *errand = argument;

    (void)result;
    errand->overlapped = errand->overlapped || errand->busy;
    errand->busy = true;
    errand->began = gp_now();
    if (errand->takes)
        gp_sleep(errand->takes);
    errand->runs++;
    errand->busy = false;
    if (errand->runs <= errand->awaited)
        gp_future_set(errand->ran[errand->runs - 1], NULL);
    if (errand->fails)
        return gp_fail(
            &(gp_failure){.code = FAILURE, .payload = errand, .destroy_payload = end_payload});
    return errand->runs == errand->limit ? FAILURE : 0;
}

static void end_argument(void *argument)
{
    struct errand *errand = argument;

    errand->ends_argument++;
}

static void end_trigger(void *argument)
{
    struct errand *errand = argument;

    errand->ends_trigger++;
    gp_trigger_discard(&errand->inner);
}

static void tell_errand(void *argument, gp_future *future, const gp_failure *failure)
{
    struct errand *errand = argument;

    (void)future;
    errand->told += failure->code == FAILURE;
}

gp_trigger_options errand_options(struct trigger_state *state, int number)
{
    return (gp_trigger_options){.failed = tell_errand, .context = &state->errands[number]};
}

void errand_start(struct trigger_state *state, int number, const gp_trigger_options *options)
{
    struct errand *errand = &state->errands[number];
    const gp_callable callable = {.call = run_errand, .argument = errand, .destroy = end_argument};
    const gp_trigger trigger = {.next = next_of_errand, .self = errand, .destroy = end_trigger};

    errand->status =
        gp_schedule_trigger(state->scheduled, &callable, &trigger, options, &errand->future);
}

/* The steps are hours; by a minute nobody is wrong. */
bool errand_is_on_time(struct trigger_state *state, int number)
{
    gp_future *future = state->errands[number].future;
    gp_triggered_status status;
    int64_t delay;

    if (gp_triggered_status_of(future, &status) != GP_OK ||
        gp_scheduled_get_delay(future, &delay) != GP_OK)
        return false;
    int64_t error = wall_now(state) + delay - status.next;
    return error < GP_SECONDS(60) && error > -GP_SECONDS(60);
}

/* ---- the scheduler ---- */

static bool new_signal(gp_future **out)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    return gp_future_new(&nothing, out) == GP_OK;
}

bool trigger_await_runs(struct trigger_state *state, int count)
{
    for (int i = 0; i < count; i++) {
        if (!new_signal(&state->ran[i])) {
            trigger_tear_down(state);
            return false;
        }
    }
    state->errands[0].ran = state->ran;
    state->errands[0].awaited = count;
    return true;
}

void trigger_choose_fast(void *argument)
{
    struct trigger_state *state = argument;

    state->kind = GP_FAST;
}

bool trigger_open(struct trigger_state *state, gp_scheduled_config *config, uint64_t random)
{
    config->kind = state->kind;
    state->random = random;
    for (int i = 0; i < ERRANDS; i++)
        state->errands[i].state = state;
    atomic_store(&state->offset, 1000 * AN_HOUR);
    config->time_tasks = false;
    config->wall_clock.now = wall_now;
    config->wall_clock.context = state;
    config->wall_clock.steady = !state->watched;
    if (state->errands[0].awaited == 0 && !trigger_await_runs(state, 1))
        return false;
    if (!new_signal(&state->stepped) || !new_signal(&state->gate) ||
        gp_scheduled_new(config, &state->scheduled) != GP_OK) {
        trigger_tear_down(state);
        return false;
    }
    gp_pool_prestart_core(trigger_pool(state));
    return true;
}

bool trigger_undo(struct trigger_state *state)
{
    gp_future_set(state->gate, NULL);
    gp_pool_shutdown_now(trigger_pool(state), NULL); /* some may go on after any other end */
    trigger_close(state);
    trigger_tear_down(state);
    return false;
}

static bool start_all(struct trigger_state *state, gp_missed missed, int64_t first, int64_t second)
{
    const gp_trigger_options options = {.missed = missed};

    for (int i = 0; i < ERRANDS; i++) {
        state->errands[i].delays[0] = first;
        state->errands[i].delays[1] = second;
        errand_start(state, i, &options);
        if (state->errands[i].status != GP_OK)
            return trigger_undo(state);
    }
    return true;
}

static void await_gate(void *argument)
{
    struct trigger_state *state = argument;

    insist_on_get(state->gate);
}

bool trigger_open_held(struct trigger_state *state, gp_scheduled_config *config, uint64_t random)
{
    if (!trigger_open(state, config, random))
        return false;
    return gp_pool_execute(trigger_pool(state), await_gate, state) == GP_OK || trigger_undo(state);
}

bool trigger_open_gated(struct trigger_state *state, gp_scheduled_config *config, uint64_t random,
                        gp_missed missed, int64_t first, int64_t second)
{
    return trigger_open_held(state, config, random) && start_all(state, missed, first, second);
}

bool trigger_open_idle(struct trigger_state *state, gp_scheduled_config *config, uint64_t random,
                       gp_missed missed, int64_t first, int64_t second)
{
    return trigger_open(state, config, random) && start_all(state, missed, first, second);
}

static void release(gp_future **future)
{
    gp_future_release(*future);
    *future = NULL;
}

void trigger_tear_down(void *argument)
{
    struct trigger_state *state = argument;

    for (int i = 0; i < ERRANDS; i++)
        release(&state->errands[i].future);
    for (int i = 0; i < AWAITED_RUNS; i++)
        release(&state->ran[i]);
    release(&state->gate);
    release(&state->stepped);
}

gp_pool *trigger_pool(struct trigger_state *state)
{
    return gp_scheduled_pool(state->scheduled);
}

int trigger_invariant(void *argument)
{
    struct trigger_state *state = argument;
    int broken = gp_pool_check(trigger_pool(state));

    return broken ? broken : gp__watch_check(state->scheduled);
}

bool trigger_close(struct trigger_state *state)
{
    return insist_on_close(state->scheduled) == GP_OK;
}

/* There is one worker, and what was due before goes first. */
void trigger_go(struct trigger_state *state)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_future *last = NULL;

    gp_future_set(state->gate, NULL);
    while (gp_pool_submit(trigger_pool(state), &nothing, &last) != GP_OK)
        continue;
    insist_on_get(last);
    gp_future_release(last);
}

void act_trigger_go(void *argument, struct outcome *outcome)
{
    (void)outcome;
    trigger_go(argument);
}

void trigger_await_first_run(struct trigger_state *state)
{
    insist_on_get(state->ran[0]);
}

void trigger_no_runs(struct trigger_state *state)
{
    for (int i = 0; i < state->errands[0].awaited; i++)
        gp_future_set(state->ran[i], NULL);
}

/* ---- judging ---- */

int trigger_runs(const struct trigger_state *state)
{
    int runs = 0;

    for (int i = 0; i < ERRANDS; i++)
        runs += state->errands[i].runs;
    return runs;
}

int trigger_on_time(struct trigger_state *state)
{
    int count = 0;

    gp__watch_look(state->scheduled); /* as a worker does when the alarm rings at once */
    for (int i = 0; i < ERRANDS; i++)
        count += errand_is_on_time(state, i);
    return count;
}

unsigned char trigger_how_many(int count)
{
    return count == 0 ? NONE_OF_THEM : count == ERRANDS ? ALL_OF_THEM : SOME_OF_THEM;
}

static enum behaviour behaviour_of(const struct errand *errand)
{
    bool taken = errand->status == GP_OK || errand->status == GP_EREJECTED;
    int destroyed = taken && errand->asked ? 1 : 0;

    if (errand->overlapped)
        return RAN_TWICE_AT_ONCE;
    if (errand->repeated)
        return REPEATED_A_TIME;
    if (errand->outdated)
        return CAME_TOO_LATE;
    if (errand->orphaned)
        return ASKED_AFTER_THE_END;
    return errand->ends_argument == destroyed && errand->ends_trigger == destroyed
               ? WELL
               : NOT_DESTROYED_ONCE;
}

void trigger_end(struct trigger_state *state, struct outcome *outcome)
{
    outcome->slot[CLOSE] = !trigger_close(state);
    enum behaviour worst = WELL;

    for (int i = 0; i < ERRANDS && worst == WELL; i++) {
        release(&state->errands[i].future);
        worst = behaviour_of(&state->errands[i]);
    }
    outcome->slot[BEHAVIOUR] = (unsigned char)worst;
}
