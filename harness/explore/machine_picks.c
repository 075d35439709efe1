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
 * turns, the clock among them: what has no end then is a livelock.
 *
 * This is the general way, and the rest of what machine_turns.c does quickly: it looks at all that
 * there may be doubts about, where nobody can step it finds out whether that is a deadlock, and it
 * makes the steps of the clock.
 */
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

/* ---- one of those who can ---- */

static unsigned next_in_turn(thread_set enabled, unsigned last)
{
    thread_set later = enabled & ~(only(last) * 2 - 1);

    return lowest(later != 0 ? later : enabled);
}

/* Whoever is at it goes on; then the first who can. No time passes and nothing fails without
   need. */
static unsigned default_pick(thread_set enabled, thread_set spurious)
{
    thread_set willing = enabled & ~spurious & ~only(CLOCK_THREAD);
    thread_set staying = willing & only(machine.current);

    if (RARELY(willing == 0))
        return CLOCK_THREAD;
    if (RARELY(staying != 0 && machine_self()->op.kind == OP_YIELD))
        return next_in_turn(willing, machine.current);
    return lowest(staying != 0 ? staying : willing);
}

/* Does somebody look again and again, while the others could go on? Without a yield there is no
   telling that it waits. */
static void look_for_busy(void)
{
    enum {
        ROUNDS = 100
    };
    const struct logged *last = &machine.log[machine.steps - 1];

    if (machine.steps < ROUNDS || last->thread == CLOCK_THREAD)
        return;
    for (const struct logged *at = last; at > last - ROUNDS; at--)
        if (at->thread != last->thread || at->kind < OP_LOAD || at->kind > OP_CAS)
            return;
    machine.busy.thread = last->thread;
    machine.busy.pc = machine.threads[last->thread].op.pc;
}

/* An execution that is far too long is continued in turns, the clock among them, so that only a
   true livelock has no end. */
static unsigned pick_in_turn(thread_set enabled, thread_set spurious)
{
    unsigned next = next_in_turn(enabled & ~spurious, machine.log[machine.steps - 1].thread);

    if (machine.steps == machine.rules.step_budget)
        look_for_busy();
    if (machine.steps >= 2 * machine.rules.step_budget)
        machine_finish(ENDED_LIVELOCK, "no end after %u steps, the second half of them in turns",
                       machine.steps);
    if ((enabled & (enabled - 1)) != 0)
        machine_note_choice(next, next);
    return next;
}

static unsigned pick(thread_set enabled, thread_set spurious)
{
    if (RARELY(machine.steps >= machine.rules.step_budget))
        return pick_in_turn(enabled, spurious);
    unsigned by_default = default_pick(enabled, spurious);
    if ((enabled & (enabled - 1)) == 0)
        return by_default;
    struct turn turn = {.enabled = enabled,
                        .spurious = spurious,
                        .current = machine.current,
                        .by_default = by_default};
    unsigned chosen = machine.strategy->pick(&turn);
    machine_note_choice(by_default, chosen);
    return chosen;
}

unsigned machine_pick(void)
{
    for (;;) {
        thread_set enabled = gates_find_enabled(), spurious = enabled & machine.spurious;
        bool timely = machine_clock_can_step(enabled & ~spurious);
        if ((enabled & ~spurious) == 0 && !timely) {
            enabled = machine.yielding; /* they may as well go round once more */
            if (enabled == 0)
                gates_report_deadlock();
            spurious = 0;
        }
        unsigned chosen = pick(timely ? enabled | only(CLOCK_THREAD) : enabled, spurious);
        if (chosen != CLOCK_THREAD)
            return chosen;
        if ((enabled & ~spurious) == 0)
            machine_ask_whether_late();
        machine_advance_clock(enabled & ~spurious);
    }
}
