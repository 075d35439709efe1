/*
 * Picking: whose turn it is.
 *
 * Who can step is known from the sets that the gates keep, and from the clock. One option is the
 * default: whoever is at it goes on, no time passes, nothing fails. If there are others the
 * strategy is asked, and what it chose is noted where it is not the default; those notes are the
 * schedule of an execution. Other choices, of which waiter a signal wakes, which store a load reads
 * and so on (machine_choose), are counted and noted with them.
 *
 * A strategy may be unfair. So an execution that has taken its budget of steps is continued in
 * turns, the clock among them. If it repeats itself then, that is a livelock (machine_cycles.c); if
 * it takes as many steps again, nothing is known of it (LIMIT_STEPS).
 *
 * This is the general way, and the rest of what machine_turns.c does quickly: it looks at all that
 * there may be doubts about, where nobody can step it finds out whether that is a deadlock, and it
 * makes the steps of the clock.
 */
#include <limits.h>
#include <stdlib.h>

#include "harness/explore/gates.h"
#include "harness/explore/machine_parts.h"

/* ---- choices ---- */

void machine_make_room_for_deviation(void)
{
    uint32_t room = machine.deviation_room ? 2 * machine.deviation_room : 1024;
    struct deviation *moved = realloc(machine.deviations, room * sizeof *moved);

    if (!moved)
        machine_finish(ENDED_CUT, "no memory for %u choices", room);
    machine.deviations = moved;
    machine.deviation_room = room;
}

unsigned machine_choose(enum datum_kind kind, unsigned count)
{
    unsigned chosen =
        machine.steps < machine.rules.step_budget ? machine.strategy->pick_datum(kind, count) : 0;

    machine_note_choice(0, chosen);
    return chosen;
}

bool machine_fails_by(enum datum_kind kind, unsigned *budget)
{
    struct thread *self = machine_self();

    if (machine_choose(kind, 2) == 0)
        return false;
    --*budget;
    self->round.state = 0; /* [SPIN-1] */
    self->idle_rounds = 0;
    return true;
}

/* ---- one of those who can ---- */

static unsigned next_in_turn(thread_set enabled, unsigned last)
{
    thread_set later = set_above(enabled, last);

    return lowest(set_else(later, enabled));
}

/* Whoever is at it goes on; then the first who can. No time passes and nothing fails without
   need. */
static unsigned default_pick(thread_set enabled, thread_set spurious)
{
    thread_set willing = set_minus(set_minus(enabled, spurious), only(CLOCK_THREAD));
    thread_set staying = set_and(willing, only(machine.current));

    if (RARELY(set_is_empty(willing)))
        return CLOCK_THREAD;
    if (RARELY(!set_is_empty(staying) && machine_self()->op.kind == OP_YIELD))
        return next_in_turn(willing, machine.current);
    return lowest(set_else(staying, willing));
}

/* An execution that is far too long is continued in turns, the clock among them: a livelock then
   repeats itself (machine_cycles.c). */
static unsigned pick_in_turn(thread_set enabled, thread_set spurious)
{
    unsigned last = machine.log[machine.steps - 1].thread;
    unsigned next = next_in_turn(set_minus(enabled, spurious), last);

    machine_leave_out(LIMIT_CHOICES);
    if (next <= last && machine.deadline != INT64_MAX && !set_has(enabled, CLOCK_THREAD))
        machine.credit += machine.rules.slack; /* a round of turns is over: machine_clock.c */
    machine_look_for_cycle();
    if (machine.steps >= 2 * machine.rules.step_budget)
        machine_stop_at(LIMIT_STEPS, "no end after %u steps, the second half of them in turns",
                        machine.steps);
    if (set_has_several(enabled))
        machine_note_turn(next, next);
    return next;
}

static unsigned pick(thread_set enabled, thread_set spurious)
{
    if (RARELY(machine.steps >= machine.rules.step_budget))
        return pick_in_turn(enabled, spurious);
    unsigned by_default = default_pick(enabled, spurious);
    if (!set_has_several(enabled))
        return by_default;
    struct turn turn = {.enabled = enabled,
                        .spurious = spurious,
                        .current = machine.current,
                        .by_default = by_default};
    unsigned chosen = machine.strategy->pick(&turn);
    machine_note_turn(by_default, chosen);
    return chosen;
}

/* Nobody else can step. A spin that may have an end of its own goes round once more, at least as
   long as time would pass instead. */
static bool may_go_round(bool timely)
{
    return !set_is_empty(gates_find_inexact(timely ? VAIN_ROUNDS : UINT_MAX));
}

unsigned machine_pick(void)
{
    if (RARELY(machine.time_is_up))
        machine_finish(ENDED_STOPPED, "%s", "the time is up"); /* [MACHINE-4] */
    for (;;) {
        thread_set enabled = gates_find_enabled(), spurious = set_and(enabled, machine.spurious);
        bool timely = machine_clock_can_step(set_minus(enabled, spurious));
        bool none_willing = set_is_empty(set_minus(enabled, spurious));
        if (RARELY(none_willing && may_go_round(timely))) {
            enabled = gates_find_inexact(timely ? VAIN_ROUNDS : UINT_MAX);
            timely = timely && machine_clock_can_step(enabled);
            spurious = set_none();
            none_willing = set_is_empty(enabled);
        } else if (none_willing && !timely) {
            gates_report_deadlock();
        }
        unsigned chosen = pick(set_or(enabled, set_if(timely, only(CLOCK_THREAD))), spurious);
        if (chosen != CLOCK_THREAD)
            return chosen;
        if (none_willing)
            machine_ask_whether_late();
        machine_advance_clock(set_minus(enabled, spurious));
    }
}
