/* See periodic_support.h. */
#include "stress/periodic_support.h"

#include "stress/support.h"

enum {
    FAILURE = 7 /* the code with which a chore ends itself */
};

/* ---- chores ---- */

static int run_chore(void *argument, void **result)
{
    struct chore *chore = argument;
    int run = chore->runs++;

    (void)result;
    chore->overlapped = chore->overlapped || chore->busy;
    chore->busy = true;
    if (run < RUNS)
        chore->began[run] = gp_now();
    chore->busy = false;
    if (chore->ran && run == 0)
        gp_future_set(chore->ran, NULL);
    return chore->runs == chore->limit ? FAILURE : 0;
}

static void end_chore(void *argument)
{
    struct chore *chore = argument;

    chore->ends++;
}

gp_callable chore_callable(struct chore *chore)
{
    return (gp_callable){.call = run_chore, .argument = chore, .destroy = end_chore};
}

unsigned char chore_get(const struct chore *chore)
{
    return chore->future ? got(insist_on_get(chore->future)) : (unsigned char)NOT_ASKED;
}

int chore_start(struct periodic_state *state, int number, int64_t period)
{
    struct chore *chore = &state->chores[number];
    const gp_callable callable = chore_callable(chore);
    bool fixed_rate = state->random >> 32 & 1;
    int status;

    do
        status = (fixed_rate ? gp_schedule_at_fixed_rate : gp_schedule_with_fixed_delay)(
            state->scheduled[0], &callable, 0, period, &chore->future);
    while (status != GP_OK && status != GP_EREJECTED); /* no memory, or no thread */
    return status;
}

unsigned char chore_conduct(const struct chore *chore)
{
    if (chore->overlapped)
        return OVERLAPPED;
    if (chore->ends != 1)
        return NOT_ENDED_ONCE;
    return chore->limit && chore->runs > chore->limit ? TOO_MANY_RUNS : IN_ORDER;
}

/* ---- schedulers ---- */

bool periodic_new_signal(gp_future **out)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    return gp_future_new(&nothing, out) == GP_OK;
}

void periodic_choose_fast(void *argument)
{
    struct periodic_state *state = argument;

    state->kind = GP_FAST;
}

bool periodic_open(struct periodic_state *state, gp_scheduled_config *config, uint64_t random)
{
    config->kind = state->kind;
    state->random = random;
    config->time_tasks = false;
    if (!periodic_new_signal(&state->ran))
        return false;
    if (gp_scheduled_new(config, &state->scheduled[0]) != GP_OK) {
        gp_future_release(state->ran);
        return false;
    }
    gp_pool_prestart_core(gp_scheduled_pool(state->scheduled[0]));
    state->chores[0].ran = state->ran;
    return true;
}

void periodic_tear_down(void *argument)
{
    struct periodic_state *state = argument;

    for (int i = 0; i < CHORES; i++)
        gp_future_release(state->chores[i].future);
    gp_future_release(state->ran);
    gp_future_release(state->gate);
}

gp_pool *periodic_pool(struct periodic_state *state)
{
    return gp_scheduled_pool(state->scheduled[0]);
}

int periodic_invariant(void *argument)
{
    return gp_pool_check(periodic_pool(argument));
}

bool periodic_close(struct periodic_state *state)
{
    return insist_on_close(state->scheduled[0]) == GP_OK;
}

void periodic_undo(struct periodic_state *state)
{
    if (state->gate)
        gp_future_set(state->gate, NULL);
    gp_pool_shutdown_now(periodic_pool(state), NULL); /* some may go on after any other end */
    periodic_close(state);
    periodic_tear_down(state);
}

/* ---- one chore, from beginning to end ---- */

/* Nobody shall wait for its first run if there is none. */
static void start_awaited_chore(struct periodic_state *state, int64_t period)
{
    if (chore_start(state, 0, period) != GP_OK)
        gp_future_set(state->ran, NULL);
}

void act_chore_and_get(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    start_awaited_chore(state, A_MICROSECOND);
    outcome->slot[GET] = chore_get(&state->chores[0]);
}

void arbiter_of_chore(void *argument, struct outcome *outcome)
{
    struct periodic_state *state = argument;

    outcome->slot[CLOSE] = !periodic_close(state);
    outcome->slot[CHORE] = chore_conduct(&state->chores[0]);
}
