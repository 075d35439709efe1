/*
 * The clock of the machine: one more participant, whose step is that the next deadline has come.
 *
 * It can step as long as somebody waits for a time to come. If nobody else can, it has to, and that
 * is how time passes in a program that waits. If others can, its step is a timeout that overtakes
 * them; each of them has then been held back by so much virtual time, and nobody by more than the
 * slack [MACHINE-3]. How long each has been, only a loop can tell; machine.held_back is an upper
 * bound of it, found anew when it would forbid a step.
 *
 * Time also passes where no thread waits for it: a thread that is about to look at the clock may
 * have been slow. So a look is announced with a deadline, until which [MACHINE-3] lets it be
 * held back, and the clock may go there as to any other: it jumps. There is a budget for that.
 *
 * Mostly the bound alone decides whether the clock can step. Then machine.clock has its bit or has
 * it not, and whoever picks need not ask; where it does not decide there is a doubt (DOUBT_CLOCK).
 *
 * In turns (machine_picks.c) a time that is further off than the slack comes, too, though others
 * could run: each round of turns lets as much time pass as the slack, since in it each thread has
 * had its turn. What has passed so is credited until it is enough.
 *
 * The clock has no fiber. It steps on that of whoever has picked it.
 */
#include "harness/explore/machine_parts.h"
#include "harness/explore/record.h"

static int64_t find_next_deadline(bool with_looks)
{
    int64_t earliest = INT64_MAX;

    for (struct set_walk each = set_walk(set_and(machine.timed, machine.gated)); set_next(&each);) {
        const struct op *op = &machine.threads[each.at].op;
        if (op->deadline > machine.now && op->deadline < earliest &&
            (with_looks || op->kind != OP_NOW))
            earliest = op->deadline;
    }
    return earliest;
}

/* [MACHINE-3] Mostly nobody has been held back, and the first comparison decides. */
static bool may_overtake(thread_set enabled)
{
    int64_t passes = machine.deadline - machine.now - machine.credit;

    if (machine.held_back + passes <= machine.rules.slack)
        return true;
    machine.held_back = 0;
    for (struct set_walk each = set_walk(enabled); set_next(&each);) {
        int64_t held_back = machine.threads[each.at].held_back;
        if (held_back > machine.held_back)
            machine.held_back = held_back;
    }
    bool may = machine.held_back + passes <= machine.rules.slack;
    machine.held_up |= !may && passes <= machine.rules.slack;
    return may;
}

/* As far as it can be told without asking how long each has been held back. */
void machine_look_at_clock(void)
{
    int64_t passes = machine.deadline - machine.now;
    bool wants = machine.deadline != INT64_MAX && machine.rules.early_time;
    bool can = wants && machine.held_back + passes <= machine.rules.slack;
    bool unsure = wants && !can && (machine.held_back > 0 || passes <= machine.rules.slack);

    machine.clock = set_if(can, only(CLOCK_THREAD));
    machine.doubts = (uint8_t)((machine.doubts & ~DOUBT_CLOCK) | (unsure ? DOUBT_CLOCK : 0));
}

void machine_find_deadline(void)
{
    machine.deadline = find_next_deadline(machine.faults.jumps > 0);
    machine_look_at_clock();
}

bool machine_clock_can_step(thread_set enabled)
{
    if (machine.deadline == INT64_MAX)
        return false;
    if (set_is_empty(enabled))
        return true;
    bool can = (machine.rules.early_time || machine.credit > 0) && may_overtake(enabled);
    machine_look_at_clock();
    return can;
}

void machine_advance_clock(thread_set enabled)
{
    int64_t passed = machine.deadline - machine.now - machine.credit;

    machine.credit = 0;
    if (RARELY(machine.heeded))
        machine_tell_of_step(CLOCK_THREAD);
    for (struct set_walk each = set_walk(enabled); set_next(&each);) {
        struct thread *thread = &machine.threads[each.at];
        thread->held_back += passed;
        if (thread->held_back > machine.held_back)
            machine.held_back = thread->held_back;
    }
    if (machine.faults.jumps > 0 && find_next_deadline(false) > machine.deadline)
        machine.faults.jumps--;
    machine.now = machine.deadline;
    machine_find_deadline();
    machine.changes++;
    machine_doubt_gates(machine.timed);
    machine_log_step(CLOCK_THREAD, OP_ADVANCE);
    if (!machine.recording)
        return;
    record_step(CLOCK_THREAD);
    record_held_back(enabled);
}
