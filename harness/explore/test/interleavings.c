/*
 * What a litmus test can do under sequential consistency: all interleavings of its threads, one
 * after the other, on a memory that holds one value for each location. Orders and fences do not
 * matter.
 */
#include "harness/explore/test/litmus.h"

struct state {
    unsigned at[LITMUS_THREADS];   /* its next operation */
    unsigned last[LITMUS_THREADS]; /* what it read last */
    unsigned memory[LITMUS_LOCATIONS];
    unsigned results[LITMUS_RESULTS];
};

static void step(struct state *state, const struct litmus_op *op, unsigned thread)
{
    unsigned *place = &state->memory[op->location];
    unsigned found = *place;

    if (op->kind == LITMUS_STORE || op->kind == LITMUS_EXCHANGE)
        *place = op->value;
    else if (op->kind == LITMUS_ADD)
        *place += op->value;
    else if (op->kind == LITMUS_CAS && found == op->expected)
        *place = op->value;
    if (op->result >= 0)
        state->results[op->result] = state->last[thread] = found;
}

/* Fences change nothing, and what ends a thread concerns no other: neither is a step of its own. */
static void go_to_access(const struct litmus *test, struct state *state, unsigned thread)
{
    for (; state->at[thread] < test->lengths[thread]; state->at[thread]++) {
        const struct litmus_op *op = &test->ops[thread][state->at[thread]];
        if (op->kind == LITMUS_END_UNLESS && state->last[thread] != op->value)
            state->at[thread] = test->lengths[thread] - 1;
        else if (op->kind < LITMUS_FENCE)
            return;
    }
}

static bool note_end(const struct litmus *test, struct state *state, struct litmus_set *set)
{
    unsigned *ends = &state->results[test->results - test->observed];

    for (unsigned i = 0; i < test->observed; i++)
        ends[i] = state->memory[test->locations[i]];
    return litmus_add(set, litmus_pack(test, state->results));
}

static bool explore(const struct litmus *test, struct state *state, struct litmus_set *set)
{
    bool ended = true, sound = true;

    for (unsigned i = 0; i < test->threads; i++)
        go_to_access(test, state, i);
    for (unsigned i = 0; i < test->threads; i++)
        if (state->at[i] < test->lengths[i]) {
            struct state next = *state;
            step(&next, &test->ops[i][next.at[i]++], i);
            sound = explore(test, &next, set) && sound;
            ended = false;
        }
    return ended ? note_end(test, state, set) : sound;
}

bool interleavings(const struct litmus *test, struct litmus_set *set)
{
    struct state state = {.at = {0}};

    for (unsigned i = 0; i < LITMUS_RESULTS; i++)
        state.results[i] = LITMUS_NOTHING;
    for (unsigned i = 0; i < LITMUS_THREADS; i++)
        state.last[i] = LITMUS_NOTHING;
    set->count = 0;
    return explore(test, &state, set);
}
