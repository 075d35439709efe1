/*
 * Depth first: every choice, each with all its options, the last one first. Nothing is left out, so
 * that it ends soon only for the smallest programs; it is what dpor is measured against.
 *
 * A bound on preemptions makes it practical (Musuvathi and Qadeer, PLDI 2007): most bugs need few.
 * A preemption is a turn in which somebody else than the one who stepped last goes on, though that
 * one could: unless it yields. That the clock moves although somebody could go on is one as well,
 * and so is a spurious wake-up.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/explore/strategies.h"

struct choice {
    thread_set left; /* of threads: options that were not tried yet */
    uint16_t chosen;
    uint16_t count; /* of data: options; 0: threads */
};

static struct {
    struct choice *choices;
    uint32_t count, room; /* decided */
    uint32_t used;        /* in this execution */
    unsigned preemptions; /* likewise */
    unsigned bound;
    bool begun;
} dfs;

/* ---- preemptions ---- */

static thread_set free_options(const struct turn *turn)
{
    thread_set willing = set_minus(set_minus(turn->enabled, turn->spurious), only(CLOCK_THREAD));

    if (set_is_empty(willing))
        return turn->enabled;
    if (set_has(willing, turn->current) && machine.threads[turn->current].op.kind != OP_YIELD)
        return only(turn->current);
    return willing;
}

static thread_set affordable(const struct turn *turn)
{
    thread_set set = dfs.preemptions < dfs.bound ? turn->enabled : free_options(turn);

    if (!set_equals(set, turn->enabled))
        machine_leave_out(LIMIT_PREEMPTIONS);
    return set;
}

/* ---- choices ---- */

/* The next to be decided, or NULL: it is decided already, or there is no more room. */
static struct choice *new_choice(void)
{
    if (dfs.used < dfs.count)
        return NULL;
    if (dfs.count == dfs.room) {
        machine_leave_out(LIMIT_SEARCH);
        return NULL;
    }
    return &dfs.choices[dfs.count++];
}

static unsigned decided(unsigned otherwise)
{
    return dfs.choices && dfs.used < dfs.count ? dfs.choices[dfs.used].chosen : otherwise;
}

static unsigned pick(const struct turn *turn)
{
    struct choice *choice = new_choice();

    if (choice) {
        thread_set set = affordable(turn);
        unsigned first = set_has(set, turn->by_default) ? turn->by_default : lowest(set);
        set_remove(&set, first);
        *choice = (struct choice){.left = set, .chosen = (uint16_t)first};
    }
    unsigned chosen = decided(turn->by_default);
    dfs.used++;
    dfs.preemptions += !set_has(free_options(turn), chosen);
    return chosen;
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    struct choice *choice = new_choice();

    (void)kind;
    if (choice)
        *choice = (struct choice){.count = (uint16_t)count};
    unsigned chosen = decided(0);
    dfs.used++;
    return chosen;
}

/* ---- from one execution to the next ---- */

static bool try_next(struct choice *choice)
{
    if (choice->count > 0)
        return ++choice->chosen < choice->count;
    if (set_is_empty(choice->left))
        return false;
    choice->chosen = (uint16_t)lowest(choice->left);
    set_remove(&choice->left, choice->chosen);
    return true;
}

static bool begin(void)
{
    dfs.used = 0;
    dfs.preemptions = 0;
    if (!dfs.begun) {
        dfs.begun = true;
        if (!dfs.choices)
            machine_leave_out(LIMIT_SEARCH);
        return dfs.choices != NULL;
    }
    for (; dfs.count > 0; dfs.count--)
        if (try_next(&dfs.choices[dfs.count - 1]))
            return true;
    return false;
}

static void end(void)
{
    if (machine.verdict == ENDED_CUT)
        machine_leave_out(LIMIT_SEARCH);
}

static void start(const struct strategy_options *options)
{
    uint32_t room = 2 * machine.rules.step_budget;

    if (room > dfs.room) {
        free(dfs.choices);
        dfs.choices = malloc(room * sizeof *dfs.choices);
        dfs.room = dfs.choices ? room : 0;
    }
    dfs.count = 0;
    dfs.bound = options->preemption_bound;
    dfs.begun = false;
}

const struct strategy strategy_dfs = {.name = "dfs",
                                      .exhaustive = true,
                                      .start = start,
                                      .begin = begin,
                                      .pick = pick,
                                      .pick_datum = pick_datum,
                                      .end = end};
