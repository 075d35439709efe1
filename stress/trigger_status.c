/*
 * How a triggered task is doing, asked while it runs.
 *
 * What is told of a run belongs together: when it was due, when it began and ended, and that it is
 * counted. All of it is written under the task's lock when the run has ended, and copied under it
 * [TRIGGER-2]. Without the lock, on either side, who asks may be told of a run that is counted and
 * has no end yet, or of the end of one and the beginning of another.
 */
#include "stress/trigger_support.h"

#include <glasspool/status.h>

#define TRIGGER "impl/scheduled/trigger.c"

enum {
    TOLD = 0
};

enum told {
    OF_NO_RUN,
    OF_A_RUN,
    HALF_OF_ONE
};

static bool set_up(void *argument, uint64_t random)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;

    return trigger_open_gated(argument, &config, random, GP_MISSED_RUN_ONCE, 0, AN_HOUR);
}

static enum told judge(const gp_triggered_status *status)
{
    const gp_trigger_context *last = &status->last;

    if (status->runs == 0)
        return last->scheduled == GP_NEVER && last->completion == GP_NEVER ? OF_NO_RUN
                                                                           : HALF_OF_ONE;
    bool whole = last->scheduled != GP_NEVER && last->scheduled <= last->actual &&
                 last->actual <= last->completion;
    return whole ? OF_A_RUN : HALF_OF_ONE;
}

static void act_ask(void *argument, struct outcome *outcome)
{
    struct trigger_state *state = argument;
    gp_triggered_status status;

    outcome->slot[TOLD] = HALF_OF_ONE;
    if (gp_triggered_status_of(state->errands[0].future, &status) == GP_OK)
        outcome->slot[TOLD] = (unsigned char)judge(&status);
}

static void arbiter(void *argument, struct outcome *outcome)
{
    trigger_end(argument, outcome);
}

const struct scenario trigger_status_races[] = {
    {
        .name = "trigger/status_against_run",
        .description = "somebody asks how a triggered task is doing while it runs and gets its "
                       "next time: what is told of a run belongs together",
        .invariants = "[TRIGGER-2]",
        .attacks = {TRIGGER, "*out = self->status;"},
        .broken_by = "status-copied-unlocked",
        .state_size = sizeof(struct trigger_state),
        .set_up = set_up,
        .actors = {{"run", act_trigger_go}, {"status_of", act_ask}},
        .invariant = trigger_invariant,
        .arbiter = arbiter,
        .tear_down = trigger_tear_down,
        .slots = {{"told", {"of no run", "of a run", "half of one"}},
                  {NULL, ENDS},
                  {NULL, BEHAVIOURS}},
        .outcomes =
            {
                {"told half of one", FORBIDDEN, "parts of two moments", MAY_OCCUR},
                {"told of no run, closed, all in order", ACCEPTABLE, "it had not ended",
                 MUST_OCCUR},
                {"told of a run, closed, all in order", ACCEPTABLE, "it had", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
