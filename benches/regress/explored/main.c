/*
 * Counts what threaded workloads do, on the explorer's machine: the numbers repeat to the last
 * digit, whatever else the computer does. Use `make regress`.
 *
 *     explored --list     the names of the workloads
 *     explored NAME...    lines "WORKLOAD METRIC NUMBER"; exit status 1 if one went wrong
 *
 * Each workload is executed EXECUTIONS times, and the numbers are summed up. Whoever runs goes on
 * until it has to wait, as on a real processor, but at each step somebody else gets in with a small
 * chance; the dice are always the same. Time passes when nobody can run: then nobody is late, and
 * what is counted is what the workload needs.
 *
 *     steps        atomic accesses, locks, waits, signals, looks at the clock
 *     switches     changes from one thread to another
 *     wakeups      returns from a wait on a condition, because of a signal or of the time
 *     signals      signals and broadcasts, whether or not somebody waited
 *     allocations  blocks of memory
 *
 * A change of the library that adds or removes a step changes which executions are seen, and with
 * them all numbers a little. Over this many executions that stays far below what one more wake-up
 * or allocation per task does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benches/random.h"
#include "benches/regress/explored/programs.h"
#include "harness/explore/arena.h"
#include "harness/explore/campaign.h"

enum {
    EXECUTIONS = 1000,
    STEPS = 100000, /* of one execution, at most */
    ODDS = 16       /* against somebody else's getting in */
};

/* ---- the strategy ---- */

static uint64_t dice;

static void start(const struct strategy_options *options)
{
    dice = options->seed;
}

static bool begin(void)
{
    return true;
}

static unsigned pick(const struct turn *turn)
{
    thread_set set = turn->enabled & ~turn->spurious;

    if (random_below(&dice, ODDS) != 0)
        return turn->by_default;
    for (size_t n = random_below(&dice, (size_t)__builtin_popcountll(set)); n > 0; n--)
        set &= set - 1;
    return (unsigned)__builtin_ctzll(set);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    (void)kind;
    (void)count;
    return 0;
}

static const struct strategy goes_on = {
    .name = "goes on", .start = start, .begin = begin, .pick = pick, .pick_datum = pick_datum};

/* ---- counting ---- */

struct counts {
    int done; /* by the last execution: the program writes it */
    int expected;
    uint64_t wrong; /* executions that have not done all of it */
    uint64_t steps, switches, wakeups, signals, allocations;
};

/* A block is a run of units that are somebody's, behind one that is nobody's. */
static uint64_t count_blocks(void)
{
    uint64_t blocks = 0;

    for (size_t i = 1; i < arena.used / ARENA_UNIT; i++)
        blocks += arena.states[i] != ARENA_NOBODYS && arena.states[i - 1] == ARENA_NOBODYS;
    return blocks;
}

static void count_execution(void *argument)
{
    struct counts *counts = argument;

    for (uint32_t i = 0; i < machine.steps; i++) {
        const enum op_kind kind = machine.log[i].kind;
        counts->switches += i > 0 && machine.log[i].thread != machine.log[i - 1].thread;
        counts->wakeups += kind == OP_WAKE;
        counts->signals += kind == OP_SIGNAL || kind == OP_BROADCAST;
    }
    counts->steps += machine.steps;
    counts->allocations += count_blocks();
    counts->wrong += counts->done != counts->expected;
    counts->done = 0;
}

static void print(const char *name, const struct counts *counts)
{
    printf("%s steps %llu\n", name, (unsigned long long)counts->steps);
    printf("%s switches %llu\n", name, (unsigned long long)counts->switches);
    printf("%s wakeups %llu\n", name, (unsigned long long)counts->wakeups);
    printf("%s signals %llu\n", name, (unsigned long long)counts->signals);
    printf("%s allocations %llu\n", name, (unsigned long long)counts->allocations);
}

static bool count(const struct program *program)
{
    struct counts counts = {.expected = program->expected};
    struct campaign campaign = {.program = program->run,
                                .argument = &counts,
                                .strategy = &goes_on,
                                .options = {.seed = 1},
                                .rules = MACHINE_RULES_DEFAULT,
                                .executions = EXECUTIONS,
                                .ended = count_execution};
    struct campaign_result result;

    campaign.rules.step_budget = STEPS;
    campaign.rules.early_time = false;
    bool well = campaign_run(&campaign, &result) && result.first.verdict == ENDED_WELL;
    if (!well)
        fprintf(stderr, "%s: %s\n", program->name, result.first.message);
    else if (counts.wrong > 0)
        fprintf(stderr, "%s: %llu executions did not do all of their %d tasks\n", program->name,
                (unsigned long long)counts.wrong, program->expected);
    else
        print(program->name, &counts);
    campaign_result_free(&result);
    return well && counts.wrong == 0;
}

static bool is_named(const char *name, int count, char **names)
{
    while (count > 0)
        if (strcmp(names[--count], name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const struct program *const families[] = {programs_pool, programs_queue, programs_timer};
    const bool list = argc == 2 && strcmp(argv[1], "--list") == 0;
    bool well = true;

    if (argc < 2) {
        fputs("usage: explored --list | NAME...\n", stderr);
        return 2;
    }
    if (!list && !machine_prepare())
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        for (const struct program *each = families[i]; each->name; each++) {
            if (list)
                puts(each->name);
            else if (is_named(each->name, argc - 1, argv + 1))
                well = count(each) && well;
        }
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
