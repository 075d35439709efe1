/* What is shown of an execution: columns for people, JSON for programs. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/replay.h"
#include "harness/explore/show.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/programs.h"
#include "harness/explore/trace.h"

static char *shown; /* the text of the last story */

typedef void write_fn(FILE *, const struct story *);

/* What a function writes; the caller frees it. */
static char *text_of(write_fn *write, const struct story *story)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    require(file != NULL);
    write(file, story);
    fclose(file);
    return text;
}

static struct story story_of(const char *name)
{
    return (struct story){.program = name, .about = "all must be well"};
}

/* Explores the program until it fails, and shows that. */
static struct story show_failing_with(explored_fn *program, enum columns_extent extent,
                                      const char *marks)
{
    struct campaign campaign = explored(program, &strategy_random);
    struct campaign_result result;
    struct story story = story_of("a program");
    size_t size;

    campaign.ended = NULL;
    require(campaign_run(&campaign, &result));
    require(result.first.verdict != ENDED_WELL);
    story.marks = marks;
    free(shown);
    FILE *file = open_memstream(&shown, &size);
    require(file != NULL);
    check(show_failure(file, &story, campaign.program, campaign.argument, &result.first, extent));
    fclose(file);
    campaign_result_free(&result);
    return story;
}

static struct story show_failing(explored_fn *program, enum columns_extent extent)
{
    return show_failing_with(program, extent, NULL);
}

/* Records the program as it goes by default. */
static struct story record(explored_fn *program)
{
    struct campaign campaign = explored(program, &strategy_replay);
    struct story story = story_of("a program");

    require(campaign_set_rules(&campaign.rules, &campaign.memory));
    replay_prepare(NULL, 0, NULL);
    story_record(&story, campaign.program, campaign.argument);
    check_text(story.message, "");
    return story;
}

static void check_shows(const char *text)
{
    check_within(shown);
    check(strstr(shown, text) != NULL);
    check_within(NULL);
}

/* ---- columns ---- */

static void a_lost_wake_up_is_told_with_the_signal_that_found_nobody(void)
{
    show_failing(program_late_signal, COLUMNS_RACE);
    check_shows("a program: deadlock, after");
    check_shows("expected  all must be well");
    check_shows("token     gpx2:a%20program:");
    check_shows("load shared.state: 0");
    check_shows("store shared.state: 0 -> 1 release");
    check_shows("signal shared.ready: nobody waits");
    check_shows("wait shared.ready");
    check_shows("thread 1 (wait_for_signal) waits, since step ");
    check_shows("wait_for_signal at programs_show.c:");
    check_shows(", for condition shared.ready");
    check_shows("the signal at step ");
    check_shows("(thread 2, programs_show.c:");
    check_shows("nobody has signalled it since");
}

static void the_row_where_a_thread_stays_for_ever_is_marked(void)
{
    show_failing(program_late_signal, COLUMNS_RACE);
    const char *mark = strstr(shown, "-->");
    require(mark != NULL);
    const char *end = strchr(mark, '\n');
    const char *wait = strstr(mark, "wait shared.ready");
    check(wait != NULL && wait < end);
}

static void what_is_alone_is_folded_unless_all_is_asked_for(void)
{
    show_failing(program_buffer_with_if, COLUMNS_RACE);
    check_shows("...  steps 1 to 4, of thread 0 alone");
    check(strstr(shown, "create thread 1") == NULL);
    show_failing(program_buffer_with_if, COLUMNS_ALL);
    check_shows("create thread 1");
}

/* The token is one word, and whoever copies it wants it whole. */
static void no_line_is_wider_than_the_page(void)
{
    show_failing(program_buffer_with_if, COLUMNS_ALL);
    for (const char *line = shown; *line; line += strcspn(line, "\n") + 1)
        if (strstr(line, "token ") != line + 4)
            check(strcspn(line, "\n") <= 100);
}

static void a_data_race_has_both_stacks(void)
{
    show_failing(program_races_on_a_member, COLUMNS_RACE);
    check_shows("a program: data race");
    check_shows("Nothing orders these two accesses to shared.total:");
    const char *first = strstr(shown, "add_plainly at programs_show.c:");
    check(first && strstr(first + 1, "add_plainly at programs_show.c:"));
}

/* One line, however the story has broken it. */
static void check_happens(explored_fn *program, const char *text)
{
    struct story story = show_failing(program, COLUMNS_RACE);

    check_text(story.message, text);
}

static void a_use_of_freed_memory_says_what_was_done_and_to_which_block(void)
{
    size_t size = 2 * sizeof(int) + sizeof(pthread_mutex_t) + sizeof(pthread_cond_t) + 16;
    char freed[64], block[64];

    snprintf(freed, sizeof freed, "    free, %zu bytes, by thread ", size);
    snprintf(block, sizeof block, ", in a block of %zu bytes:\n", size);
    show_failing(freed_before_signal, COLUMNS_RACE);
    check_shows("    signal by thread ");
    check_shows(freed);
    check_shows(block);
}

static void a_crash_says_what_was_followed(void)
{
    check_happens(program_follows_a_null_pointer,
                  "Segmentation fault: a null pointer is followed (write at address 0x8)");
    check_happens(program_follows_what_was_never_written,
                  "Segmentation fault: a pointer is followed that was never written");
    check_happens(program_writes_where_there_is_nothing,
                  "Segmentation fault: write at address 0x10000, where there is nothing");
    check_happens(program_divides_by_zero, "Floating point exception: division by zero");
    struct story story = show_failing(program_writes_to_its_code, COLUMNS_RACE);
    check(strstr(story.message, ", which does not allow that") != NULL);
}

int times_run;

static void what_does_not_fail_again_is_told_with_what_was_found(void)
{
    times_run = 0;
    show_failing(program_fails_once, COLUMNS_RACE);
    check_shows("a program: ended well, after ");
    check_shows("at first  assertion: abort\n");
    check_shows("beware    the two differ, although all choices were the same");
}

static int look_through_a_null_pointer(void *state)
{
    return *(volatile int *)state;
}

static void be_watched(void *unused)
{
    (void)unused;
    machine.watch = (struct machine_watch){.invariant = look_through_a_null_pointer};
    program_tells_its_line();
}

static void a_crash_while_the_harness_looks_leaves_the_rules_as_they_were(void)
{
    struct campaign campaign = explored(program_tells_its_line, &strategy_random);
    struct campaign_result result;

    campaign.program = be_watched;
    campaign.ended = NULL;
    require(campaign_run(&campaign, &result));
    check_int(result.first.verdict, ENDED_CRASH);
    check(memory_rules.races);
    check(machine.ordering);
    campaign_result_free(&result);
}

static void a_leak_says_where_it_was_allocated(void)
{
    show_failing(program_leaks, COLUMNS_RACE);
    check_shows("Nothing points any more to v1:\n    allocate, 40 bytes, by thread 0 (main)");
    check_shows("        program_leaks at programs_");
}

static void a_step_has_its_line(void)
{
    size_t count;

    record(program_tells_its_line);
    for (uint32_t i = 0; i < record_count(); i++)
        if (record_at(i)->kind == OP_STORE) {
            const struct frame *frames = story_frames(i, &count);
            require(count > 0);
            check_int(frames->line, observed[0]);
            check_text(frames->function, "program_tells_its_line");
            check_text(symbols_file(frames), "programs_show.c");
            return;
        }
    check(false);
}

/* Whether a step of what was recorded last is told in these words. */
static void check_told(const char *text)
{
    char operation[STORY_TEXT];

    for (uint32_t i = 0; i < record_count(); i++) {
        story_operation(i, operation);
        if (strcmp(operation, text) == 0)
            return;
    }
    check_within(text);
    check(false);
    check_within(NULL);
}

static void several_calls_on_a_line_are_told_apart_by_what_they_do(void)
{
    record(program_uses_names);
    check_told("load pair.left: 1");
    check_told("change pair.right: 0 -> 1");
}

static void what_cannot_be_told_apart_has_a_number(void)
{
    record(program_uses_names);
    check_told("load a1: 0");
    check_told("load a2: 0");
}

static void what_is_read_by_an_operator_is_called_as_it_is_and_not_as_its_copy(void)
{
    record(program_uses_names);
    check_told("load pair.left#2: 0");
}

static void a_global_variable_has_its_own_name(void)
{
    char signal[64];

    snprintf(signal, sizeof signal, "signal shared+%zu: nobody waits", sizeof(pthread_mutex_t));
    record(program_uses_names);
    check_told(signal);
    check_told("load first.left: 0");
    check_told("load counter: 0");
    check_told("store counter: 0 -> 1");
}

static void a_deadlock_shows_what_main_has_locked_alone(void)
{
    show_failing(program_deadlock_with_main, COLUMNS_RACE);
    check_shows("lock left ");
    check_shows("lock right\n");
    check_shows("lock right: never");
    check_shows("lock left: never");
}

static void of_a_loop_three_rounds_are_shown(void)
{
    show_failing(program_goes_round, COLUMNS_RACE);
    check_shows("change shared.state: 2 -> 3");
    check_shows(", round and round\n");
    check(strstr(shown, "change shared.state: 10 -> 11") == NULL);
    show_failing(program_goes_round, COLUMNS_ALL);
    check_shows("change shared.state: 10 -> 11");
}

static void a_thread_is_called_what_it_calls_itself(void)
{
    show_failing(program_goes_round, COLUMNS_RACE);
    check_shows("2 counter\n");
    check_shows("[2] counter begins");
}

static void a_step_from_a_line_that_is_to_be_marked_has_a_double_arrow(void)
{
    char marks[64], place[64];

    show_failing(program_goes_round, COLUMNS_RACE);
    check(strstr(shown, "==>") == NULL);
    snprintf(marks, sizeof marks, "x.c:1-9,programs_show.c:%d-%d", observed[0], observed[0]);
    snprintf(place, sizeof place, "programs_show.c:%d", observed[0]);
    show_failing_with(program_goes_round, COLUMNS_RACE, marks);
    const char *mark = strstr(shown, "==>"), *where = mark ? strstr(mark, place) : NULL;
    check(where && where < strchr(mark, '\n'));
    check(mark && strstr(mark + 1, "==>") == NULL);
}

static void times_are_in_units_that_people_use(void)
{
    static const struct {
        int64_t nanos;
        const char *text;
    } times[] = {{0, "0"},
                 {20000, "20us"},
                 {1500000, "1ms+500us"},
                 {3600000020000, "1h+20us"},
                 {61000000000, "1min+1s"}};
    char text[STORY_TIME];

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        check_text(story_time(INT64_C(1000000000000) + times[i].nanos, text), times[i].text);
}

/* ---- JSON: a parser that knows yes and no ---- */

static bool skip_value(const char **at);

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\n\r");
}

static bool skip_letter(const char **at, char letter)
{
    skip_blanks(at);
    if (**at != letter)
        return false;
    ++*at;
    return true;
}

static bool skip_string(const char **at)
{
    if (!skip_letter(at, '"'))
        return false;
    for (; **at != '"'; ++*at) {
        if ((unsigned char)**at < 0x20)
            return false;
        if (**at == '\\' && !strchr("\"\\/bfnrtu", *++*at))
            return false;
    }
    ++*at;
    return true;
}

static bool skip_number(const char **at)
{
    char *end;

    if (**at != '-' && !isdigit((unsigned char)**at))
        return false;
    strtod(*at, &end);
    *at = end;
    return true;
}

static bool skip_list(const char **at, char close, bool has_keys)
{
    ++*at;
    if (skip_letter(at, close))
        return true;
    do {
        skip_blanks(at);
        if (has_keys && !(skip_string(at) && skip_letter(at, ':')))
            return false;
        if (!skip_value(at))
            return false;
    } while (skip_letter(at, ','));
    return skip_letter(at, close);
}

static bool skip_value(const char **at)
{
    skip_blanks(at);
    if (**at == '{')
        return skip_list(at, '}', true);
    if (**at == '[')
        return skip_list(at, ']', false);
    if (**at == '"')
        return skip_string(at);
    for (int i = 0; i < 3; i++) {
        const char *word = (const char *[]){"true", "false", "null"}[i];
        if (strncmp(*at, word, strlen(word)) == 0) {
            *at += strlen(word);
            return true;
        }
    }
    return skip_number(at);
}

static bool is_json(const char *text)
{
    bool valid = skip_value(&text);

    skip_blanks(&text);
    return valid && *text == '\0';
}

static unsigned occurrences(const char *text, const char *part)
{
    unsigned count = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

static void the_parser_knows_json(void)
{
    check(is_json("{\"a\": [1, -2.5e3, \"x\\\"\", null, true], \"b\": {}}"));
    check(!is_json("{\"a\": [1, 2}"));
    check(!is_json("{\"a\": 1,}"));
    check(!is_json("{\"a\": 1} 2"));
    check(!is_json("\"line\nbreak\""));
}

static void a_chrome_trace_has_a_slice_for_each_step_and_arrows(void)
{
    struct story story = show_failing(program_buffer_with_if, COLUMNS_RACE);
    char *text = text_of(trace_write_chrome, &story);

    check(is_json(text));
    check_int(occurrences(text, "\"cat\": \"step\""), record_count());
    check_int(occurrences(text, "\"ph\": \"s\""), occurrences(text, "\"ph\": \"f\""));
    check_int(occurrences(text, "\"ph\": \"b\""), occurrences(text, "\"ph\": \"e\""));
    check(occurrences(text, "\"name\": \"unlock\"") > 0);
    check(occurrences(text, "\"name\": \"create\"") == 2 * 3);
    check(strstr(text, "\"name\": \"2 put\"") != NULL);
    free(text);
}

static void a_glasspool_trace_has_the_steps(void)
{
    struct story story = show_failing(program_late_signal, COLUMNS_RACE);
    char *text = text_of(trace_write_glasspool, &story);

    check(is_json(text));
    check_int(occurrences(text, "{\"step\": "), record_count());
    check(strstr(text,
                 "\"kind\": \"store\", \"text\": \"store shared.state: 0 -> 1 release\", "
                 "\"object\": \"shared.state\", \"object_kind\": \"atomic\", "
                 "\"before\": \"0\", \"after\": \"1\", \"function\": \"signal_once\"") != NULL);
    check(strstr(text, "\"verdict\": \"deadlock\"") != NULL);
    free(text);
}

/* ---- probes ---- */

static void probes_are_recorded_with_their_arguments(void)
{
    struct story story = record(program_passes_probes);
    char *text = text_of(trace_write_glasspool, &story);

    check(is_json(text));
    check_int(record_probe_count(), 2);
    check(strstr(text, "\"name\": \"state_changed\", \"arguments\": [\"&shared\", \"7\"]") != NULL);
    check(strstr(text, "\"name\": \"done\", \"arguments\": [\"1\"]") != NULL);
    free(text);
}

static void what_a_probe_looks_at_is_no_step(void)
{
    struct campaign campaign = explored(program_passes_probes, &strategy_replay);

    record(program_passes_probes);
    uint32_t steps = machine.steps;
    for (uint32_t i = 0; i < record_count(); i++)
        check(record_at(i)->kind != OP_LOAD);
    replay_run(campaign.program, campaign.argument);
    check_int(machine.steps, steps);
}

/* A run that is recorded finds the same cycle of states. */
static void a_cycle_is_shown_as_a_livelock(void)
{
    struct story story = show_failing(program_polls_in_vain, COLUMNS_RACE);

    check_text(verdict_kind_name(story.verdict), verdict_kind_name(ENDED_LIVELOCK));
    check_shows("all is as it was after step");
}

static const struct test tests[] = {
    TEST(a_cycle_is_shown_as_a_livelock),
    TEST(a_lost_wake_up_is_told_with_the_signal_that_found_nobody),
    TEST(the_row_where_a_thread_stays_for_ever_is_marked),
    TEST(what_is_alone_is_folded_unless_all_is_asked_for),
    TEST(no_line_is_wider_than_the_page),
    TEST(a_data_race_has_both_stacks),
    TEST(a_use_of_freed_memory_says_what_was_done_and_to_which_block),
    TEST(a_crash_says_what_was_followed),
    TEST(what_does_not_fail_again_is_told_with_what_was_found),
    TEST(a_crash_while_the_harness_looks_leaves_the_rules_as_they_were),
    TEST(a_leak_says_where_it_was_allocated),
    TEST(a_step_has_its_line),
    TEST(several_calls_on_a_line_are_told_apart_by_what_they_do),
    TEST(what_cannot_be_told_apart_has_a_number),
    TEST(what_is_read_by_an_operator_is_called_as_it_is_and_not_as_its_copy),
    TEST(a_global_variable_has_its_own_name),
    TEST(a_deadlock_shows_what_main_has_locked_alone),
    TEST(of_a_loop_three_rounds_are_shown),
    TEST(a_thread_is_called_what_it_calls_itself),
    TEST(a_step_from_a_line_that_is_to_be_marked_has_a_double_arrow),
    TEST(times_are_in_units_that_people_use),
    TEST(the_parser_knows_json),
    TEST(a_chrome_trace_has_a_slice_for_each_step_and_arrows),
    TEST(a_glasspool_trace_has_the_steps),
    TEST(probes_are_recorded_with_their_arguments),
    TEST(what_a_probe_looks_at_is_no_step),
    END_OF_TESTS,
};

const struct suite show_suite = {.name = "show", .tests = tests};
