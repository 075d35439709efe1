/*
 * See replay.h.
 *
 *   [REPLAY-1] What is replayed decides nothing but choices. It is checked before it is used: a
 *              thread must be able to step, a datum must be one of those that there are.
 *   [REPLAY-2] A step is checked before it is done, so what is reported is the first that differs,
 *              and not what came of it.
 *   [REPLAY-3] An execution that ends before its last deviation, or at another number of steps than
 *              the trail's, has diverged as well.
 */
#include "harness/explore/replay.h"

#include <stdio.h>

#include "harness/explore/strategies.h"

static struct {
    const struct deviation *deviations;
    uint32_t count;
    const struct trail *trail;
    uint32_t next; /* deviation */
    uint8_t mark;  /* of the block of steps so far */
} replay;

void replay_prepare(const struct deviation *deviations, uint32_t count, const struct trail *trail)
{
    replay.deviations = deviations;
    replay.count = count;
    replay.trail = trail;
    replay.next = 0;
}

static void start(const struct strategy_options *options)
{
    (void)options;
}

static bool begin(void)
{
    replay.next = 0;
    replay.mark = 0;
    return true;
}

/* ---- choices ---- */

static bool is_next(uint32_t *chosen)
{
    if (replay.next == replay.count || replay.deviations[replay.next].number != machine.choices)
        return false;
    *chosen = replay.deviations[replay.next++].chosen;
    return true;
}

/* [REPLAY-1] */
static unsigned pick(const struct turn *turn)
{
    uint32_t noted;

    if (!is_next(&noted))
        return turn->by_default;
    unsigned chosen = set_member(noted); /* [SETS-3] */
    if (chosen > CLOCK_THREAD || !set_has(turn->enabled, chosen))
        machine_finish(ENDED_DIVERGED,
                       "choice %u, before step %u: it is to be thread %u's turn, which cannot step "
                       "there",
                       machine.choices, machine.steps + 1, chosen);
    return chosen;
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    static const char *const words[DATUM_KINDS] = {
        [DATUM_VARIANT] = "variant to start from",
        [DATUM_WAITER] = "waiter to wake",
        [DATUM_STORE] = "store to read from",
        [DATUM_PLACE] = "place in the modification order",
        [DATUM_WEAK_CAS] = "way to compare-exchange",
        [DATUM_NO_MEMORY] = "way to allocate",
        [DATUM_NO_THREAD] = "way to create a thread",
        [DATUM_SPIN] = "way to spin",
    };
    uint32_t chosen;

    if (!is_next(&chosen))
        return 0;
    if (chosen >= count)
        machine_finish(ENDED_DIVERGED, "choice %u, in step %u: there is no %s number %u, but %u",
                       machine.choices, machine.steps, words[kind], chosen, count);
    return chosen;
}

/* ---- steps ---- */

__attribute__((noinline)) void replay_break(uint32_t step)
{
    __asm__ volatile("" : : "r"(step) : "memory");
}

static unsigned kind_of_next(unsigned thread)
{
    return thread == CLOCK_THREAD ? OP_ADVANCE : machine.threads[thread].op.kind;
}

/* Of the others, one whose step would have been as the trail has it. */
static void tell_who_fits(uint8_t mark, unsigned thread, char *text, size_t room)
{
    for (unsigned i = 0; i < machine.count; i++)
        if (i != thread && machine.threads[i].alive && trail_mark(i, kind_of_next(i)) == mark) {
            snprintf(text, room, " (thread %u's '%s' would fit)", i,
                     op_name(machine.threads[i].op.kind));
            return;
        }
}

static _Noreturn void report_step(unsigned thread, uint32_t stride, uint8_t expected)
{
    char who[24], since[32] = "", fits[80] = "";

    snprintf(who, sizeof who, thread == CLOCK_THREAD ? "the clock" : "thread %u", thread);
    if (stride > 1)
        snprintf(since, sizeof since, " or up to %u before it", stride - 1);
    else
        tell_who_fits(expected, thread, fits, sizeof fits);
    machine_finish(ENDED_DIVERGED,
                   "step %u%s: the token expects something else than %s to do '%s'%s",
                   machine.steps + 1, since, who, op_name(kind_of_next(thread)), fits);
}

/* [REPLAY-2] */
static void check_step(const struct trail *trail, unsigned thread)
{
    uint32_t stride = trail_stride(trail->steps), done = machine.steps + 1;

    if (done > trail->steps)
        machine_finish(ENDED_DIVERGED, "step %u: the token ends after step %u", done, trail->steps);
    replay.mark = trail_add(replay.mark, thread, kind_of_next(thread));
    if (done % stride != 0 && done != trail->steps)
        return;
    uint8_t expected = trail->marks[machine.steps / stride];
    if (replay.mark != expected)
        report_step(thread, stride, expected);
    replay.mark = 0;
}

static void stepped(unsigned thread)
{
    replay_break(machine.steps + 1);
    if (replay.trail)
        check_step(replay.trail, thread);
}

/* [REPLAY-3] */
static void end(void)
{
    char *text = machine.message;
    bool fewer = replay.trail && machine.steps < replay.trail->steps;

    if (machine.verdict == ENDED_DIVERGED || (!fewer && replay.next == replay.count))
        return;
    enum verdict_kind verdict = machine.verdict;
    machine.verdict = ENDED_DIVERGED;
    if (fewer)
        snprintf(text, sizeof machine.message, "it ended (%s) after step %u, the token after %u",
                 verdict_kind_name(verdict), machine.steps, replay.trail->steps);
    else
        snprintf(text, sizeof machine.message, "it ended (%s) before choice %u",
                 verdict_kind_name(verdict), replay.deviations[replay.next].number);
}

const struct strategy strategy_replay = {.name = "replay",
                                         .start = start,
                                         .begin = begin,
                                         .pick = pick,
                                         .pick_datum = pick_datum,
                                         .stepped = stepped,
                                         .end = end};

void replay_run(void (*program)(void *), void *argument)
{
    begin();
    machine_run(program, argument, &strategy_replay);
    end();
}
