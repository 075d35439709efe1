/*
 * Replay, tokens and shrinking: an execution can be had again, a token that is not one is refused,
 * and what is shrunk still fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/random.h"
#include "harness/explore/record.h"
#include "harness/explore/replay.h"
#include "harness/explore/shrink.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"
#include "harness/explore/token.h"

static struct token token, other_token;

/* Prepares a campaign's rules and has one execution of its program under random choices. */
static struct campaign execute(explored_fn *program, uint64_t seed)
{
    struct campaign campaign = explored(program, &strategy_random);

    campaign.rules.faults.spurious = 1;
    require(campaign_set_rules(&campaign.rules, &campaign.memory));
    strategy_random.start(&(struct strategy_options){.seed = seed});
    machine_run(campaign.program, campaign.argument, &strategy_random);
    return campaign;
}

static void replay(const struct campaign *campaign, const struct token *from)
{
    replay_prepare(from->deviations, from->deviation_count, &from->trail);
    replay_run(campaign->program, campaign->argument);
}

static char *written_token(void)
{
    char *text = token_write(&token);

    require(text != NULL);
    return text;
}

/* ---- tokens ---- */

static void a_token_is_read_as_it_was_written(void)
{
    char reason[TOKEN_REASON] = "";

    for (uint64_t seed = 0; seed < 200; seed++) {
        execute(program_for_replay, seed);
        token_of_machine("a program: with 100% strange letters/\xC3\xA9", &token);
        char *text = written_token();
        check(strpbrk(text, " \t\n'\"\\$&|<>*?") == NULL);
        check(token_read(text, &other_token, reason));
        check_text(reason, "");
        check_text(other_token.program, token.program);
        check_int(other_token.deviation_count, token.deviation_count);
        check_int(other_token.trail.steps, machine.steps);
        char *again = token_write(&other_token);
        check_text(again, text);
        free(again);
        free(text);
    }
}

static void a_mistyped_token_is_refused(void)
{
    char reason[TOKEN_REASON];

    execute(program_for_replay, 1);
    token_of_machine("program", &token);
    char *text = written_token();
    for (size_t i = 0, length = strlen(text); i < length; i++) {
        char letter = text[i];
        text[i] = letter == 'A' ? 'B' : 'A';
        check(!token_read(text, &other_token, reason));
        text[i] = '\0';
        check(!token_read(text, &other_token, reason));
        text[i] = letter;
    }
    check(token_read(text, &other_token, reason));
    free(text);
}

static void a_refusal_says_why(void)
{
    char reason[TOKEN_REASON];

    check(!token_read("", &other_token, reason));
    check_text(reason, "a token begins with gpx2:");
    check(!token_read("gpx2:program:m0:AAAA", &other_token, reason));
    check_text(reason, "its last four characters do not fit the rest: it is mistyped or cut off");
}

/* The sum of token.h, so that what is behind it gets to be read. */
static void fit_check(char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    size_t length = strlen(text);

    if (length < 4)
        return;
    for (size_t i = 0; i < length - 4; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    for (size_t i = 0; i < 4; i++)
        text[length - 4 + i] = digits[sum >> (40 + 6 * i) & 63];
}

static void mutate(char *text, struct random *dice)
{
    static const char letters[] = "ABYZaz019-_:%/.mrseuvbpwnt\x01\xFF";
    unsigned count = 1 + random_below(dice, 4);

    for (unsigned i = 0; i < count; i++) {
        size_t length = strlen(text);
        char *at = text + 5 + random_below(dice, (unsigned)length - 5);
        switch (random_below(dice, 8)) {
        case 0:
            memmove(at, at + 1, strlen(at));
            break;
        case 1:
            memmove(at, at + strlen(at) / 2, strlen(at) - strlen(at) / 2 + 1);
            break;
        default:
            *at = letters[random_below(dice, sizeof letters - 1)];
        }
    }
    fit_check(text);
}

/* [TOKEN-2]: what is accepted is written in one way only. */
static void a_token_of_anybody_is_refused_or_replayed_without_harm(void)
{
    struct random dice = {.state = 1};
    unsigned accepted = 0, rounds = scaled(100000);
    struct campaign campaign = execute(program_for_replay, 3);
    char reason[TOKEN_REASON];

    token_of_machine("program", &token);
    char *text = written_token();
    size_t length = strlen(text);
    char copy[4096];
    require(length < sizeof copy);
    for (unsigned i = 0; i < rounds; i++) {
        memcpy(copy, text, length + 1);
        mutate(copy, &dice);
        if (!token_read(copy, &other_token, reason))
            continue;
        char *again = token_write(&other_token);
        check_text(again, copy);
        free(again);
        if (accepted++ % 16 == 0)
            replay(&campaign, &other_token);
    }
    check(accepted > rounds / 100);
    free(text);
}

/* ---- replay ---- */

struct execution {
    enum verdict_kind verdict;
    int observed[OBSERVATIONS];
    uint32_t steps;
    struct record *records;
};

static void keep_execution(struct execution *execution)
{
    size_t size = record_count() * sizeof *execution->records;

    *execution = (struct execution){
        .verdict = machine.verdict, .steps = machine.steps, .records = malloc(size + 1)};
    require(execution->records != NULL);
    memcpy(execution->observed, observed, sizeof execution->observed);
    if (execution->records)
        memcpy(execution->records, record_at(0), size);
}

static void the_same_token_gives_the_same_steps_a_thousand_times(void)
{
    struct campaign campaign = execute(program_for_replay, 5);
    struct execution first;

    token_of_machine("program", &token);
    check(token.deviation_count > 3);
    record_begin();
    replay(&campaign, &token);
    keep_execution(&first);
    check_text(machine.message, "");
    for (unsigned i = 0; i < scaled(1000); i++) {
        record_begin();
        replay(&campaign, &token);
        check_int(machine.verdict, first.verdict);
        check_int(record_count(), first.steps);
        check(memcmp(observed, first.observed, sizeof first.observed) == 0);
        check(memcmp(record_at(0), first.records, first.steps * sizeof *first.records) == 0);
    }
    record_end();
    free(first.records);
}

static void recording_changes_nothing(void)
{
    struct campaign campaign = execute(program_for_replay, 6);
    uint32_t steps = machine.steps;

    token_of_machine("program", &token);
    record_begin();
    replay(&campaign, &token);
    record_end();
    check_int(machine.verdict, ENDED_WELL);
    check_int(machine.steps, steps);
}

static void check_token_fails(const char *text, explored_fn *program, const char *assertion)
{
    struct campaign campaign = execute(program, 1);
    char reason[TOKEN_REASON] = "";

    check(token_read(text, &token, reason));
    check_text(reason, "");
    require(token_set_rules(&token));
    replay(&campaign, &token);
    check_int(machine.verdict, ENDED_ASSERTION);
    check(strstr(machine.message, assertion) != NULL);
}

/* Made by a build with gcc; every build has to replay them. */
static void a_token_of_another_compiler_is_replayed(void)
{
    check_token_fails("gpx2:a%20program:m0r1e1u0s1000000000b100000v1p0w2n0t0i0j0:ABEACCCDCB:"
                      "XAYdjqmYY6AXEjndkgoqm3ZF:gd7W",
                      program_buffer_with_if, "items <= CAPACITY");
}

static void a_weak_failure_of_another_compiler_is_replayed(void)
{
    check_token_fails(
        "gpx2:a%20program:m0r1e1u0s1000000000b100000v1p0w2n0t0i0j0:EBDB:OAYYdeh3Z67-UZB:amqK",
        program_weak_without_loop, "number) > 0");
}

static void an_impossible_turn_is_named(void)
{
    struct campaign campaign = execute(program_for_replay, 1);
    struct deviation nobody = {.number = 1, .chosen = 40};

    replay_prepare(&nobody, 1, NULL);
    replay_run(campaign.program, campaign.argument);
    check_int(machine.verdict, ENDED_DIVERGED);
    check(strstr(machine.message, "choice 1, before step ") != NULL);
    check(strstr(machine.message, "thread 40's turn, which cannot step there") != NULL);
}

static void a_choice_that_never_comes_is_named(void)
{
    struct campaign campaign = execute(program_for_replay, 1);
    struct deviation late = {.number = 4000, .chosen = 1};

    replay_prepare(&late, 1, NULL);
    replay_run(campaign.program, campaign.argument);
    check_int(machine.verdict, ENDED_DIVERGED);
    check_text(machine.message, "it ended (ended well) before choice 4000");
}

/* What the second program does with a token of the first. */
static void replay_changed(explored_fn *program, explored_fn *changed)
{
    execute(program, 1);
    token_of_machine("program", &token);
    token.deviation_count = 0;
    struct campaign campaign = execute(changed, 1);
    replay(&campaign, &token);
    check_int(machine.verdict, ENDED_DIVERGED);
}

static void the_first_step_that_differs_is_named(void)
{
    replay_changed(program_two_stores, program_two_stores_changed);
    check_text(machine.message,
               "step 5: the token expects something else than thread 1 to do 'load'");
    replay_changed(program_two_stores, program_one_store_less);
    check_text(machine.message,
               "step 5: the token expects something else than thread 1 to do 'exit'");
    replay_changed(program_long, program_long_changed);
    check_text(machine.message, "step 2504 or up to 3 before it: the token expects something else "
                                "than thread 0 to do 'read-modify-write'");
}

static void a_long_execution_has_a_token_of_bounded_length(void)
{
    struct campaign campaign = execute(program_long, 1);

    token_of_machine("program", &token);
    char *text = written_token();
    check(strlen(text) < TRAIL_ROOM + 200);
    replay(&campaign, &token);
    check_int(machine.verdict, ENDED_WELL);
    check(machine.steps > 5000);
    free(text);
}

/* ---- shrinking ---- */

/* The first failure of a program, found by chance. */
static struct campaign fail(explored_fn *program, uint64_t seed, struct failure *failure)
{
    struct campaign campaign = explored(program, &strategy_random);
    struct campaign_result result;

    campaign.options.seed = seed;
    campaign.ended = NULL;
    require(campaign_run(&campaign, &result));
    require(result.first.verdict != ENDED_WELL);
    *failure = result.first;
    return campaign;
}

static void what_is_shrunk_fails_in_the_same_way(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct failure failure;
        struct shrink_result result;
        struct campaign campaign = fail(program_buffer_with_if, seed, &failure);
        enum verdict_kind verdict = failure.verdict;

        check(shrink(campaign.program, campaign.argument, &failure, &result));
        check_int(failure.verdict, verdict);
        check(result.after.switches <= result.before.switches);
        check(result.after.switches <= 8);
        replay_prepare(failure.deviations, failure.deviation_count, NULL);
        replay_run(campaign.program, campaign.argument);
        check_int(machine.verdict, verdict);
        check_int(machine.steps, result.after.steps);
        check_int(shrink_size_of_machine().switches, result.after.switches);
        failure_free(&failure);
    }
}

static void shrinking_is_deterministic(void)
{
    struct failure one, other;
    struct shrink_result first, second;
    struct campaign campaign = fail(program_buffer_with_if, 7, &one);

    check(shrink(campaign.program, campaign.argument, &one, &first));
    fail(program_buffer_with_if, 7, &other);
    check(shrink(campaign.program, campaign.argument, &other, &second));
    check_int(first.executions, second.executions);
    check_int(one.deviation_count, other.deviation_count);
    check(memcmp(one.deviations, other.deviations, one.deviation_count * sizeof *one.deviations) ==
          0);
    failure_free(&one);
    failure_free(&other);
}

static void what_does_not_fail_again_is_not_shrunk(void)
{
    struct campaign campaign = execute(program_for_replay, 1);
    struct failure failure;
    struct shrink_result result;

    require(failure_of_machine(&failure));
    failure.bug++;
    check(!shrink(campaign.program, campaign.argument, &failure, &result));
    failure_free(&failure);
}

static const struct test tests[] = {
    TEST(a_token_is_read_as_it_was_written),
    TEST(a_mistyped_token_is_refused),
    TEST(a_refusal_says_why),
    TEST(a_token_of_anybody_is_refused_or_replayed_without_harm),
    TEST(the_same_token_gives_the_same_steps_a_thousand_times),
    TEST(recording_changes_nothing),
    TEST(a_token_of_another_compiler_is_replayed),
    TEST(a_weak_failure_of_another_compiler_is_replayed),
    TEST(an_impossible_turn_is_named),
    TEST(a_choice_that_never_comes_is_named),
    TEST(the_first_step_that_differs_is_named),
    TEST(a_long_execution_has_a_token_of_bounded_length),
    TEST(what_is_shrunk_fails_in_the_same_way),
    TEST(shrinking_is_deterministic),
    TEST(what_does_not_fail_again_is_not_shrunk),
    END_OF_TESTS,
};

const struct suite replay_suite = {.name = "replay", .tests = tests};
