/*
 * Shrinking, in the manner of delta debugging (Zeller and Hildebrandt, 2002), with the moves of
 * trace simplification (Jalbert and Sen, "A Trace Simplification Technique for Effective Debugging
 * of Concurrent Programs", 2010).
 *
 * What is shrunk is a plan: turns, each a thread and how far it gets, counted in its own steps.
 *
 *      thread 1 to 7, thread 2 to 4, the clock to 1, thread 1 to 9, thread 2 to 12
 *
 * A plan is followed as well as can be: a thread that cannot go on loses the rest of its turn, and
 * when all turns are over the default goes on. So any plan gives an execution, also one of which
 * the end was lost because it is very long (a livelock's); and because a turn says how far, not how
 * many, one that is taken out is made up for by the next of the same thread. Deviations would not
 * do: they are numbered by choice, and as soon as one of them is taken out the others mean
 * something else.
 *
 * Moves, until none helps: take out a run of turns, half of them first, then ever fewer; let a
 * thread go on at once to the end of its next turn; exchange two neighbours; take back a datum.
 * A plan that shows the same bug in less is the new best, and is replaced by what the machine then
 * really did.
 *
 *   [SHRINK-1] The work is limited by steps, not by time: the same failure always shrinks to the
 *              same. A step among many threads takes longer and counts for several.
 *   [SHRINK-2] What is handed back are the machine's own deviations of the best execution, so
 *              strategy_replay has it again exactly.
 *   [SHRINK-3] What is shown is the bug that was found: not only the verdict is the same, but its
 *              culprit (failure_bug_of_machine).
 */
#include "harness/explore/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "harness/explore/replay.h"

enum {
    MOST_TURNS = 4096,
    MOST_DATA = 512,
    STEPS_AT_MOST = 20 * 1000 * 1000,
    STEPS_OF_LOOP =
        STEPS_AT_MOST / 5, /* as which an execution counts that the watchdog has ended */
    THREADS_OF_STEP = 64,  /* so many threads more, and a step counts for one more [SHRINK-1] */
    ENDLESS_STEPS = 1000
};

struct turn_of {
    thread_number thread;
    bool spurious;  /* it begins with a wake-up for no reason */
    uint32_t until; /* number of its own steps */
};

/* In its step number `step` the thread's choice number `nth` was not 0. */
struct datum {
    thread_number thread;
    uint32_t step, nth, chosen;
};

struct plan {
    uint32_t turn_count, datum_count;
    struct turn_of turns[MOST_TURNS];
    struct datum data[MOST_DATA];
};

static struct plan best, candidate; /* candidate: what is being followed */
static struct plan done;            /* what the machine did */
static struct shrink_size best_size;

/* ---- following a plan, and noting what comes of it ---- */

static uint32_t at_turn;
static uint32_t own_steps[CLOCK_THREAD + 1];
static uint32_t nth_datum; /* of the present step */
static bool chose_spurious;

static void note_turn(unsigned thread)
{
    struct turn_of *last = done.turn_count > 0 ? &done.turns[done.turn_count - 1] : NULL;

    if (!last || last->thread != thread || chose_spurious) {
        if (done.turn_count == MOST_TURNS)
            return;
        last = &done.turns[done.turn_count++];
        *last = (struct turn_of){.thread = (thread_number)thread, .spurious = chose_spurious};
    }
    last->until = own_steps[thread];
    chose_spurious = false;
}

static void stepped(unsigned thread)
{
    own_steps[thread]++;
    nth_datum = 0;
    note_turn(thread);
}

static bool can_take(const struct turn_of *turn, const struct turn *choice)
{
    if (own_steps[turn->thread] >= turn->until || !set_has(choice->enabled, turn->thread))
        return false;
    return !set_has(choice->spurious, turn->thread) || turn->spurious;
}

static unsigned note_pick(const struct turn *turn, unsigned chosen)
{
    chose_spurious = set_has(turn->spurious, chosen);
    return chosen;
}

static unsigned pick(const struct turn *turn)
{
    while (at_turn < candidate.turn_count && !can_take(&candidate.turns[at_turn], turn))
        at_turn++;
    return note_pick(turn, at_turn < candidate.turn_count ? candidate.turns[at_turn].thread
                                                          : turn->by_default);
}

static unsigned note_datum(unsigned chosen)
{
    if (chosen != 0 && done.datum_count < MOST_DATA)
        done.data[done.datum_count++] = (struct datum){.thread = (thread_number)machine.current,
                                                       .step = own_steps[machine.current],
                                                       .nth = nth_datum,
                                                       .chosen = chosen};
    nth_datum++;
    return chosen;
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    (void)kind;
    for (uint32_t i = 0; i < candidate.datum_count; i++) {
        const struct datum *datum = &candidate.data[i];
        if (datum->thread == machine.current && datum->step == own_steps[machine.current] &&
            datum->nth == nth_datum && datum->chosen < count)
            return note_datum(datum->chosen);
    }
    return note_datum(0);
}

static const struct strategy strategy_follow = {
    .name = "follow", .pick = pick, .pick_datum = pick_datum, .stepped = stepped};

/* ---- the failure as it was, noted in the same way ---- */

static unsigned pick_again(const struct turn *turn)
{
    return note_pick(turn, strategy_replay.pick(turn));
}

static unsigned pick_datum_again(enum datum_kind kind, unsigned count)
{
    return note_datum(strategy_replay.pick_datum(kind, count));
}

static const struct strategy strategy_again = {
    .name = "again", .pick = pick_again, .pick_datum = pick_datum_again, .stepped = stepped};

/* ---- executions ---- */

struct shrink_size shrink_size_of_machine(void)
{
    struct shrink_size size = {.steps = machine.steps};
    unsigned last = machine.steps > 0 ? machine.log[0].thread : 0;

    for (uint32_t i = 1; i < machine.steps; i++)
        if (machine.log[i].thread != CLOCK_THREAD && machine.log[i].thread != last) {
            size.switches++;
            last = machine.log[i].thread;
        }
    return size;
}

static struct shrink_size size_with_oddities(void)
{
    struct shrink_size size = shrink_size_of_machine();

    size.oddities = done.datum_count;
    for (uint32_t i = 0; i < done.turn_count; i++)
        size.oddities += done.turns[i].spurious;
    return size;
}

static bool is_less(const struct shrink_size *a, const struct shrink_size *b)
{
    if (a->switches != b->switches)
        return a->switches < b->switches;
    return a->oddities != b->oddities ? a->oddities < b->oddities : a->steps < b->steps;
}

struct job {
    void (*program)(void *);
    void *argument;
    struct failure *failure;
    struct shrink_result *result;
};

static void execute(struct job *job, const struct strategy *strategy)
{
    done.turn_count = done.datum_count = at_turn = nth_datum = 0;
    memset(own_steps, 0, sizeof own_steps);
    chose_spurious = false;
    machine_run(job->program, job->argument, strategy);
    job->result->executions++;
    job->result->work += (uint64_t)machine.steps * (1 + machine.count / THREADS_OF_STEP);
    if (machine.limits & limit_bit(LIMIT_LOOPS))
        job->result->work += STEPS_OF_LOOP;
}

/* [SHRINK-2] */
static bool keep_best(struct job *job)
{
    struct failure failure;

    if (!failure_of_machine(&failure))
        return false;
    failure_free(job->failure);
    *job->failure = failure;
    best = done;
    best_size = size_with_oddities();
    return true;
}

static bool is_spent(const struct job *job)
{
    return job->result->work >= STEPS_AT_MOST; /* [SHRINK-1] */
}

/* [SHRINK-3] */
static bool shows_the_bug(const struct job *job)
{
    return failure_bug_of_machine() == job->failure->bug;
}

/* Follows the candidate. True: it is the new best. */
static bool try_candidate(struct job *job)
{
    if (is_spent(job))
        return false;
    execute(job, &strategy_follow);
    struct shrink_size size = size_with_oddities();
    return shows_the_bug(job) && is_less(&size, &best_size) && keep_best(job);
}

/* ---- moves ---- */

static void take_out(struct plan *plan, uint32_t from, uint32_t count)
{
    memmove(&plan->turns[from], &plan->turns[from + count],
            (plan->turn_count - from - count) * sizeof *plan->turns);
    plan->turn_count -= count;
}

/* What was behind is then at the same place, so a run that could go is followed by the next. */
static bool take_out_runs(struct job *job)
{
    bool better = false;

    for (uint32_t count = best.turn_count; count > 0; count /= 2)
        for (uint32_t from = 0; from < best.turn_count && !is_spent(job);) {
            uint32_t left = best.turn_count - from;
            candidate = best;
            take_out(&candidate, from, count < left ? count : left);
            if (try_candidate(job))
                better = true;
            else
                from += count;
        }
    return better;
}

static bool go_on_at_once(struct job *job)
{
    bool better = false;

    for (uint32_t i = 0; i < best.turn_count; i++)
        for (uint32_t j = i + 1; j < best.turn_count; j++) {
            if (best.turns[j].thread != best.turns[i].thread)
                continue;
            candidate = best;
            candidate.turns[i].until = best.turns[j].until;
            take_out(&candidate, j, 1);
            better |= try_candidate(job);
            break;
        }
    return better;
}

static bool exchange_neighbours(struct job *job)
{
    bool better = false;

    for (uint32_t i = 0; i + 1 < best.turn_count; i++) {
        candidate = best;
        candidate.turns[i] = best.turns[i + 1];
        candidate.turns[i + 1] = best.turns[i];
        better |= try_candidate(job);
    }
    return better;
}

static bool take_back_data(struct job *job)
{
    bool better = false;

    for (uint32_t i = 0; i < best.datum_count;) {
        candidate = best;
        candidate.data[i] = candidate.data[--candidate.datum_count];
        if (try_candidate(job))
            better = true;
        else
            i++;
    }
    return better;
}

static void make_all_moves(struct job *job)
{
    for (bool better = true; better && !is_spent(job);) {
        better = take_out_runs(job);
        better |= take_back_data(job);
        better |= go_on_at_once(job);
        better |= exchange_neighbours(job);
    }
}

/* Has the failure again as it is; false: it does not fail in the same way. */
static bool fail_again(struct job *job)
{
    replay_prepare(job->failure->deviations, job->failure->deviation_count, NULL);
    strategy_replay.begin();
    execute(job, &strategy_again);
    return shows_the_bug(job);
}

static bool has_no_end(const struct failure *failure)
{
    return failure->steps >= machine.rules.step_budget;
}

/* It takes all the steps that there are, and most of them say nothing. So it is shrunk with fewer
   of them; what comes of that is then followed with all. */
static bool shrink_without_end(struct job *job)
{
    struct machine_rules rules = machine.rules, fewer = machine.rules;

    fewer.step_budget = fewer.step_budget < ENDLESS_STEPS ? fewer.step_budget : ENDLESS_STEPS;
    if (!machine_set_rules(&fewer))
        return false;
    if (fail_again(job) && keep_best(job))
        make_all_moves(job);
    if (!machine_set_rules(&rules))
        return false;
    candidate = best;
    execute(job, &strategy_follow);
    return has_no_end(job->failure) && shows_the_bug(job) && keep_best(job);
}

bool shrink(void (*program)(void *), void *argument, struct failure *failure,
            struct shrink_result *result)
{
    struct failure shrunk = *failure;
    struct job job = {program, argument, &shrunk, result};

    *result = (struct shrink_result){0};
    shrunk.deviations = NULL; /* stays the caller's until the end */
    job.failure = failure;
    if (!fail_again(&job))
        return false;
    job.failure = &shrunk;
    if (!keep_best(&job))
        return false;
    result->before = best_size;
    if (!has_no_end(failure)) {
        make_all_moves(&job);
    } else if (!shrink_without_end(&job)) {
        failure_free(&shrunk);
        return false;
    }
    result->after = best_size;
    failure_free(failure);
    *failure = shrunk;
    return true;
}
