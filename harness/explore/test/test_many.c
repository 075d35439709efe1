/*
 * Many threads at the same time: as many as the ordinary build has room for, and 1,000 in the wide
 * one (sets.h). There the numbers of threads, their clocks and their sets do not fit into what is
 * enough elsewhere.
 */
#include <stdio.h>
#include <string.h>

#include "harness/explore/show.h"
#include "harness/explore/shrink.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"

unsigned crowd;

enum {
    LARGEST = SET_WORDS == 1 ? MACHINE_THREADS - 1 : 1000 /* main is one more */
};

/* 60 threads beside main do not fit into one word, 63 have the number that is the clock's there. */
static const unsigned sizes[] = {2, 59, 60, 63, 64, 100, LARGEST};

static const struct strategy *const strategies[] = {&strategy_random, &strategy_pct, &strategy_pos,
                                                    &strategy_dfs, &strategy_dpor};

static struct campaign crowded(explored_fn *program, const struct strategy *strategy, unsigned size)
{
    struct campaign campaign = explored(program, strategy);

    crowd = size;
    campaign.executions = 3;
    return campaign;
}

/* Under each strategy and memory model all are well, and observe this first. */
static void check_well(explored_fn *program, unsigned size, int first)
{
    for (unsigned i = 0; i < sizeof strategies / sizeof *strategies; i++)
        for (unsigned model = 0; model < MEMORY_MODELS; model++) {
            struct campaign campaign = crowded(program, strategies[i], size);
            struct outcomes outcomes;
            campaign.memory.model = (enum memory_model)model;
            const struct campaign_result *result = campaign_outcomes(&campaign, &outcomes);
            check_text(result->first.message, "");
            check_text(result->unjudged.message, "");
            check_int(outcomes.count, 1);
            check_int(outcomes.seen[0][0], first);
        }
}

static void check_well_in_all_sizes(explored_fn *program, bool observes_size)
{
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] <= LARGEST)
            check_well(program, sizes[i], observes_size ? (int)sizes[i] : 0);
}

/* Under each strategy the first failure is this one. */
static const struct campaign_result *check_fails(explored_fn *program, enum verdict_kind verdict,
                                                 const char *message)
{
    const struct campaign_result *result = NULL;

    for (unsigned i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        struct campaign campaign = crowded(program, strategies[i], LARGEST);
        result = campaign_outcomes(&campaign, NULL);
        check_text(verdict_kind_name(result->first.verdict), verdict_kind_name(verdict));
        if (!strstr(result->first.message, message))
            check_text(result->first.message, message);
    }
    return result;
}

/* ---- beginnings and ends ---- */

static void all_are_joined(void)
{
    check_well_in_all_sizes(program_crowd_is_joined, true);
}

static void all_meet_at_a_barrier(void)
{
    check_well_in_all_sizes(program_crowd_meets, true);
}

static void all_are_detached(void)
{
    check_well_in_all_sizes(program_crowd_is_detached, true);
}

static void dpor_needs_one_execution_if_they_share_nothing(void)
{
    struct campaign campaign = crowded(program_crowd_is_apart, &strategy_dpor, LARGEST);
    struct outcomes outcomes;
    const struct campaign_result *result = campaign_outcomes(&campaign, &outcomes);

    check_text(result->first.message, "");
    check(result->complete);
    check_int(result->executions, 1);
    check_int(outcomes.seen[0][0], LARGEST);
}

/* The last place is that of a thread; one more is a limit, and no failure. */
static void one_more_than_there_can_be_is_a_limit(void)
{
    struct campaign campaign =
        crowded(program_crowd_is_joined, &strategy_random, MACHINE_THREADS - 1);
    char text[64];

    check_finds_nothing(&campaign);
    crowd = MACHINE_THREADS;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    snprintf(text, sizeof text, "more than %d threads at the same time", MACHINE_THREADS);
    check_int(result->first.verdict, ENDED_WELL);
    check_int(result->limits[LIMIT_THREADS], 3);
    check_text(result->unjudged.message, text);
    check((limit_option(LIMIT_THREADS) != NULL) == (SET_WORDS == 1));
}

/* ---- what is found among them ---- */

static void the_first_and_the_last_race(void)
{
    char last[32];

    snprintf(last, sizeof last, "thread %d ", LARGEST);
    const struct campaign_result *result = check_fails(program_crowd_with_a_race, ENDED_RACE, last);
    check(strstr(result->first.message, "thread 1 ") != NULL);
    check_well(program_crowd_without_a_race, LARGEST, 2);
}

static void all_wait_in_a_circle(void)
{
    char others[48];
    const struct campaign_result *result =
        check_fails(program_crowd_in_a_circle, ENDED_DEADLOCK,
                    "thread 1 waits for a mutex that thread 2 has; thread 2 waits for a mutex");

    check(strlen(result->first.message) < sizeof result->first.message - 1);
    snprintf(others, sizeof others, "; and %d others wait", LARGEST + 1 - 8);
    check(strstr(result->first.message, others) != NULL);
    check_well(program_crowd_in_a_line, LARGEST, 0);
}

static void all_read_at_the_same_time(void)
{
    check_well_in_all_sizes(program_crowd_reads, false);
}

static void a_reader_is_told_from_one_that_is_none(void)
{
    check_fails(program_crowd_reads_and_one_does_not, ENDED_MISUSE,
                "a read-write lock is unlocked by a thread that does not have it");
}

static void a_signal_can_wake_any(void)
{
    struct campaign campaign = crowded(program_crowd_is_signalled, &strategy_random, LARGEST);
    struct outcomes outcomes;
    int lowest_seen = LARGEST, highest_seen = 0;

    campaign.executions = 40;
    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    for (unsigned i = 0; i < outcomes.count; i++) {
        lowest_seen = outcomes.seen[i][0] < lowest_seen ? outcomes.seen[i][0] : lowest_seen;
        highest_seen = outcomes.seen[i][0] > highest_seen ? outcomes.seen[i][0] : highest_seen;
    }
    check(outcomes.count > 10);
    check(lowest_seen < LARGEST / 4);
    check(highest_seen > LARGEST - LARGEST / 4);
}

/* ---- old stores ---- */

static bool sees_flag_without_message(enum memory_model model)
{
    struct campaign campaign = crowded(program_crowd_passes_a_message, &strategy_random, LARGEST);
    struct outcomes outcomes;

    campaign.memory.model = model;
    campaign.executions = 100;
    check_text(campaign_outcomes(&campaign, &outcomes)->first.message, "");
    for (unsigned i = 0; i < outcomes.count; i++)
        if (outcomes.seen[i][0] == 1 && outcomes.seen[i][1] == 0)
            return true;
    return false;
}

static void the_last_reads_what_was_overtaken(void)
{
    check(sees_flag_without_message(MEMORY_C11));
    check(!sees_flag_without_message(MEMORY_SC));
}

/* ---- what is shown ---- */

/* The story of the first failure, as it was found. What does not fit is lost, and a program that
   writes without end comes to one. */
static const char *show_first(explored_fn *program)
{
    static char text[100 * 1000];
    struct campaign campaign = crowded(program, &strategy_random, LARGEST);
    struct story story = {.program = "a crowd"};
    struct failure failure = campaign_outcomes(&campaign, NULL)->first;
    FILE *file = fmemopen(text, sizeof text, "w");

    require(failure.verdict != ENDED_WELL);
    require(file != NULL);
    failure.as_found = true;
    check(show_failure(file, &story, campaign.program, campaign.argument, &failure, COLUMNS_RACE));
    check(fflush(file) == 0);
    check(ftell(file) < (long)sizeof text - 1);
    fclose(file);
    return text;
}

/* Wherever the lines of the text are broken. */
static bool has_words(const char *text, const char *words)
{
    for (; *text; text++) {
        const char *at = text, *word = words;
        while (*word && (*at == *word || (*word == ' ' && *at == '\n'))) {
            at += *at == '\n' ? strspn(at, "\n ") : 1;
            word++;
        }
        if (!*word)
            return true;
    }
    return false;
}

static void check_lines_are_short(const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        check(length <= 120 || strncmp(text, "    token ", 10) == 0);
    }
}

static void a_race_is_shown_in_a_few_columns(void)
{
    const char *text = show_first(program_crowd_meets_and_races);
    char others[64];

    snprintf(others, sizeof others, "; and %d others, in the last column", LARGEST + 1 - 11);
    check_lines_are_short(text);
    check(strstr(text, "threads   1 meet_and_write; ") != NULL);
    check(has_words(text, others));
    check(strstr(text, " others\n") != NULL);
    check(strstr(text, "Nothing orders these two accesses to shared") != NULL);
}

static void a_deadlock_is_shown_with_a_dozen_threads(void)
{
    const char *text = show_first(program_crowd_in_a_circle);
    char others[64];

    snprintf(others, sizeof others, "\n    and %d other threads\n", LARGEST + 1 - 12);
    check_lines_are_short(text);
    check(strstr(text, "thread 11 (wait_in_a_circle) waits, since step ") != NULL);
    check(strstr(text, "thread 12 (wait_in_a_circle) waits, since step ") == NULL);
    check(strstr(text, others) != NULL);
}

/* [SHRINK-1] Each has more steps, and each step takes longer. */
static void shrinking_many_takes_fewer_executions(void)
{
    struct campaign campaign = crowded(program_crowd_meets_and_races, &strategy_random, LARGEST);
    struct campaign_result found;
    struct shrink_result result;

    campaign.ended = NULL;
    require(campaign_run(&campaign, &found));
    check(shrink(campaign.program, campaign.argument, &found.first, &result));
    check_int(found.first.verdict, ENDED_RACE);
    check(result.after.switches < result.before.switches);
    check(result.executions < 1000 * 1000 / LARGEST);
    campaign_result_free(&found);
}

static const struct test tests[] = {
    TEST(all_are_joined),
    TEST(all_meet_at_a_barrier),
    TEST(all_are_detached),
    TEST(dpor_needs_one_execution_if_they_share_nothing),
    TEST(one_more_than_there_can_be_is_a_limit),
    TEST(the_first_and_the_last_race),
    TEST(all_wait_in_a_circle),
    TEST(all_read_at_the_same_time),
    TEST(a_reader_is_told_from_one_that_is_none),
    TEST(a_signal_can_wake_any),
    TEST(the_last_reads_what_was_overtaken),
    TEST(a_race_is_shown_in_a_few_columns),
    TEST(a_deadlock_is_shown_with_a_dozen_threads),
    TEST(shrinking_many_takes_fewer_executions),
    END_OF_TESTS,
};

const struct suite many_suite = {.name = "many", .tests = tests};
