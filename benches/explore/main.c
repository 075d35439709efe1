/*
 * How fast is the explorer? Use `make explore-bench`.
 *
 *     explore-bench [SECONDS [GLOB]]
 *     explore-bench --list
 *     explore-bench --executions COUNT GLOB
 *
 * Two programs, each under the random walk, with more and more being looked at: steps and
 * executions per second on one core. They take turns, a round of each after the other, so that the
 * machine's noise meets all alike; of the rounds the median and the best are shown. Then a year in
 * the life of a scheduled pool, which must have the right number of hours; a day in that of a
 * hashed wheel, which must call each timeout at the end of its tick; a year in that of a tickless
 * one, which must call each at its nanosecond, and wake up for nothing else; and a year in that of
 * a table of a thousand cron entries, which must run a million times, each in its second.
 *
 * SECONDS are those of each measurement. GLOB chooses among "program, way", which --list prints. So
 * many executions, always the same and without a look at the time, are for a profiler, and for the
 * gate (ci/regress): they take as many instructions on a busy computer as on an idle one.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benches/explore/programs.h"
#include "harness/explore/campaign.h"

enum {
    HOURS = 24 * 365,
    YEAR_STEPS = 10000000,
    WHEEL_STEPS = 50000000,
    TABLE_STEPS = 1000000000,
    ROUNDS = 99, /* odd, for the median; short, so that some are left alone by the machine */
    NAME = 40
};

static const struct {
    const char *name;
    void (*program)(void *);
} programs[] = {{"mini queue", program_mini_queue}, {"delayed queue", program_delayed_queue}};

static const struct {
    const char *name;
    struct memory_rules memory;
} ways[] = {
    {"sc", {.model = MEMORY_SC}},
    {"sc, races", {.model = MEMORY_SC, .races = true}},
    {"c11, races", {.model = MEMORY_C11, .races = true}},
};

enum {
    PROGRAMS = sizeof programs / sizeof programs[0],
    WAYS = sizeof ways / sizeof ways[0]
};

struct measurement {
    char name[NAME];
    bool wanted;
    double rates[ROUNDS]; /* steps/s */
    double length;        /* steps of an execution */
};

static struct measurement measurements[PROGRAMS][WAYS];

/* For so long, or so many executions, whichever is not 0. */
static struct campaign campaign_of(unsigned program, unsigned way, double seconds,
                                   uint64_t executions)
{
    return (struct campaign){.program = programs[program].program,
                             .strategy = strategy_named("random"),
                             .options = {.seed = 1},
                             .rules = MACHINE_RULES_DEFAULT,
                             .memory = ways[way].memory,
                             .executions = executions,
                             .seconds = seconds};
}

static bool run(struct campaign *campaign, struct campaign_result *result)
{
    return campaign_run(campaign, result) && result->first.verdict == ENDED_WELL;
}

static bool measure(unsigned program, unsigned way, unsigned round, double seconds)
{
    struct measurement *measurement = &measurements[program][way];
    struct campaign campaign = campaign_of(program, way, seconds / ROUNDS, 0);
    struct campaign_result result;

    if (!measurement->wanted)
        return true;
    campaign.options.seed += round;
    bool well = run(&campaign, &result);
    if (!well)
        printf("%s: %s\n", measurement->name, result.first.message);
    measurement->rates[round] = (double)result.steps / result.seconds;
    measurement->length = (double)result.steps / (double)result.executions;
    campaign_result_free(&result);
    return well;
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;

    return (difference > 0) - (difference < 0);
}

static void show(struct measurement *measurement)
{
    double *rates = measurement->rates;

    if (!measurement->wanted)
        return;
    qsort(rates, ROUNDS, sizeof *rates, compare);
    double median = rates[ROUNDS / 2], best = rates[ROUNDS - 1];
    printf("%-26s %6.1f M steps/s (best %5.1f) %9.0f executions/s (best %7.0f) of %.0f steps\n",
           measurement->name, median / 1e6, best / 1e6, median / measurement->length,
           best / measurement->length, measurement->length);
}

static void choose(const char *glob)
{
    for (unsigned i = 0; i < PROGRAMS; i++)
        for (unsigned j = 0; j < WAYS; j++) {
            struct measurement *measurement = &measurements[i][j];
            snprintf(measurement->name, NAME, "%s, %s", programs[i].name, ways[j].name);
            measurement->wanted = fnmatch(glob, measurement->name, 0) == 0;
        }
}

static bool measure_all(double seconds)
{
    bool well = true;

    for (unsigned round = 0; round < ROUNDS && well; round++)
        for (unsigned i = 0; i < PROGRAMS; i++)
            for (unsigned j = 0; j < WAYS; j++)
                well = measure(i, j, round, seconds) && well;
    for (unsigned i = 0; i < PROGRAMS && well; i++)
        for (unsigned j = 0; j < WAYS; j++)
            show(&measurements[i][j]);
    return well;
}

static bool repeat(unsigned program, unsigned way, uint64_t executions)
{
    const struct measurement *measurement = &measurements[program][way];
    struct campaign campaign = campaign_of(program, way, 0, executions);
    struct campaign_result result;

    if (!measurement->wanted)
        return true;
    bool well = run(&campaign, &result);
    printf("%s: %ju executions, %ju steps%s%s\n", measurement->name, (uintmax_t)result.executions,
           (uintmax_t)result.steps, well ? "" : "; ", result.first.message);
    campaign_result_free(&result);
    return well;
}

static bool repeat_all(uint64_t executions)
{
    bool well = true;

    for (unsigned i = 0; i < PROGRAMS; i++)
        for (unsigned j = 0; j < WAYS; j++)
            well = repeat(i, j, executions) && well;
    return well;
}

static void list(void)
{
    for (unsigned i = 0; i < PROGRAMS; i++)
        for (unsigned j = 0; j < WAYS; j++)
            puts(measurements[i][j].name);
}

/* One execution of a program, of at most so many steps. */
static struct campaign life_of(void (*program)(void *), void *argument, uint32_t steps)
{
    struct campaign campaign = {.program = program,
                                .argument = argument,
                                .strategy = strategy_named("random"),
                                .options = {.seed = 1},
                                .rules = MACHINE_RULES_DEFAULT,
                                .executions = 1};

    campaign.rules.step_budget = steps;
    return campaign;
}

static bool live_a_year(void)
{
    int hours = 0;
    struct campaign campaign = life_of(program_year, &hours, YEAR_STEPS);
    struct campaign_result result;

    bool well = run(&campaign, &result) && hours == HOURS;
    printf("a year of an hourly task on 4 workers: %d runs, %.2f s\n", hours, result.seconds);
    if (!well)
        printf("that should have been %d; %s\n", HOURS, result.first.message);
    campaign_result_free(&result);
    return well;
}

struct wheel_life {
    const char *name;
    void (*program)(void *);
    bool ticks; /* else it wakes up only for what was added */
};

static const struct wheel_life wheels[] = {
    {"a day of a wheel with ticks of 100 ms", program_day, true},
    {"a year of a tickless wheel", program_tickless_year, false},
};

static bool live(const struct wheel_life *wheel)
{
    struct life life = {0};
    struct campaign campaign = life_of(wheel->program, &life, WHEEL_STEPS);
    struct campaign_result result;

    campaign.rules.early_time = false; /* nobody is late */
    bool well = run(&campaign, &result) && life.called + life.pending == life.added &&
                life.pending == 1 && life.wrong == 0 &&
                (wheel->ticks || life.wakeups <= life.called);
    printf("%s: %d timeouts, %d wake-ups, %.2f s\n", wheel->name, life.called, life.wakeups,
           result.seconds);
    if (!well)
        printf("of %d that were added %d are left, which should be 1; %d were not exact; %s\n",
               life.added, life.pending, life.wrong, result.first.message);
    campaign_result_free(&result);
    return well;
}

static bool live_by_a_table(void)
{
    struct table_life life = {0};
    struct campaign campaign = life_of(program_table_year, &life, TABLE_STEPS);
    struct campaign_result result;

    campaign.rules.early_time = false; /* nobody is late */
    bool well = run(&campaign, &result) && life.runs == life.expected && life.wrong == 0;
    printf("a year of a table of %d cron entries: %d runs, %.2f s\n", TABLE_ENTRIES, life.runs,
           result.seconds);
    if (!well)
        printf("that should have been %d; %d were in another second; %s\n", life.expected,
               life.wrong, result.first.message);
    campaign_result_free(&result);
    return well;
}

static bool live_all(void)
{
    bool well = live_a_year();

    for (size_t i = 0; i < sizeof wheels / sizeof wheels[0]; i++)
        well = live(&wheels[i]) && well;
    return live_by_a_table() && well;
}

static bool measure_and_live(double seconds, const char *glob)
{
    choose(glob ? glob : "*");
    bool well = measure_all(seconds);
    return (glob || live_all()) && well;
}

static bool choose_and_repeat(uint64_t executions, const char *glob)
{
    choose(glob);
    return repeat_all(executions);
}

static int refuse(void)
{
    fprintf(stderr, "usage: explore-bench [SECONDS [GLOB]] | --list | --executions COUNT GLOB, "
                    "SECONDS and COUNT greater than 0\n");
    return 2;
}

int main(int count, char **words)
{
    bool repeats = count == 4 && strcmp(words[1], "--executions") == 0;
    const char *number = repeats ? words[2] : count > 1 ? words[1] : "2";
    char *rest;
    double amount = strtod(number, &rest);

    if (count == 2 && strcmp(words[1], "--list") == 0) {
        choose("*");
        list();
        return EXIT_SUCCESS;
    }
    if ((!repeats && count > 3) || *rest != '\0' || !(amount > 0))
        return refuse();
    if (!machine_prepare())
        return EXIT_FAILURE;
    bool well = repeats ? choose_and_repeat((uint64_t)amount, words[3])
                        : measure_and_live(amount, count > 2 ? words[2] : NULL);
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
