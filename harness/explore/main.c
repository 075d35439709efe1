/*
 * The explorer as a command: chooses scenarios, has them explored, prints and writes the reports.
 *
 * On a terminal a line at the bottom shows what is going on; otherwise a line is printed for each
 * scenario that is done, and a story for each that failed. The first Ctrl-C ends the run after the
 * present executions, with what is known so far; the second ends the process.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "harness/explore/graph.h"
#include "harness/explore/inquiry.h"
#include "harness/explore/options.h"
#include "harness/explore/staged.h"
#include "harness/report/command.h"
#include "harness/report/interrupt.h"

static struct command command;

/* ---- what is shown ---- */

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool has_found(const struct inquiry *inquiry)
{
    return inquiry->failed && inquiry->failed->campaign.first.verdict == ENDED_FOUND;
}

static const char *mark_of(const struct inquiry *inquiry, const struct result *result,
                           const struct explore_options *options)
{
    if (result->verdict == FAILED)
        return "FAILED";
    if (has_found(inquiry))
        return "FOUND";
    if (interrupt_came())
        return "STOPPED";
    return options->wanted ? "NOT FOUND" : "PASSED";
}

static void show_inquiry(const struct inquiry *inquiry, const struct result *result,
                         const struct explore_options *options)
{
    char text[256];

    inquiry_describe(inquiry, text, sizeof text);
    fprintf(command.text, "%-7s %s   %s; %.1f M steps/s\n", mark_of(inquiry, result, options),
            result->scenario->name, text,
            result->seconds > 0 ? (double)inquiry_steps(inquiry) / result->seconds / 1e6 : 0.0);
    if (options->detailed)
        inquiry_write_phases(command.text, inquiry);
    if (result->notes_length > 0)
        fprintf(command.text, "\n%s\n", result->notes);
    fflush(command.text);
}

static void show_progress(const struct choice *choice, size_t index, double left)
{
    if (!command.on_terminal)
        return;
    fprintf(command.text, "\r\033[K%zu/%zu  %s  %.0f s left", index + 1, choice->count,
            choice->results[index].scenario->name, left > 0 ? left : 0.0);
    fflush(command.text);
}

/* ---- running ---- */

struct pace {
    uint64_t executions, steps;
    double seconds;
};

struct totals {
    struct pace all, by_model[MEMORY_MODELS];
    uint64_t complete, found;
};

static void add_to_pace(struct pace *pace, const struct campaign_result *campaign)
{
    pace->executions += campaign->executions;
    pace->steps += campaign->steps;
    pace->seconds += campaign->seconds;
}

static void add_to_totals(struct totals *totals, const struct inquiry *inquiry)
{
    for (unsigned i = 0; i < inquiry->count; i++) {
        add_to_pace(&totals->all, &inquiry->phases[i].campaign);
        add_to_pace(&totals->by_model[inquiry->phases[i].memory.model],
                    &inquiry->phases[i].campaign);
    }
    totals->complete += inquiry_has_complete_search(inquiry);
    totals->found += has_found(inquiry);
}

/* A scenario, and where its outcomes are counted. */
struct exploration {
    struct staged staged;
    struct result *result;
};

static void stage(void *argument)
{
    struct exploration *exploration = argument;

    staged_run(&exploration->staged);
}

static void count_outcome(void *argument)
{
    struct exploration *exploration = argument;
    const struct staged *staged = &exploration->staged;

    if (staged->has_outcome)
        tally_add(&exploration->result->tally, outcome_key(&staged->outcome), 1);
}

static void judge(struct result *result, const struct inquiry *inquiry)
{
    result->iterations = inquiry_executions(inquiry);
    result->seconds = inquiry_seconds(inquiry);
    result->stopped_early = interrupt_came() || inquiry->failed;
    result->lenient = true;
    if (inquiry->failed && !has_found(inquiry)) {
        const struct failure *failure = &inquiry->failed->campaign.first;
        result_fail(result, "%s: %s", verdict_kind_name(failure->verdict), failure->message);
    }
    result_judge(result);
    result->lenient = !has_found(inquiry); /* with which it ended: no word on what else there is */
}

/* The calls with their results, if these are what is wrong. */
static void write_history(FILE *file, const struct staged *staged)
{
    if (staged->histories.first[0])
        fprintf(file, "\n%s", staged->histories.first);
}

/* The story of the failure becomes a note of the result, and so part of all reports. */
static bool note_story(struct result *result, struct inquiry *inquiry,
                       const struct subject *subject, const struct explore_options *options)
{
    struct story story = story_of_scenario(result->scenario);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return false;
    bool shown = inquiry_show_failure(file, inquiry, subject, &story, options);
    write_history(file, &((const struct exploration *)subject->argument)->staged);
    shown = fclose(file) == 0 && shown;
    result_note(result, "%s", text);
    free(text);
    return shown;
}

static struct explore_options options_for(const struct scenario *scenario,
                                          const struct explore_options *options)
{
    struct explore_options own = *options;

    if (scenario->slack > 0 && scenario->slack < own.rules.slack)
        own.rules.slack = scenario->slack;
    return own;
}

static bool explore_one(const struct explore_options *options, struct result *result,
                        double seconds, struct totals *totals)
{
    static struct inquiry inquiry;
    static struct exploration exploration;
    struct subject subject = {
        .program = stage, .argument = &exploration, .ended = count_outcome, .varies = true};

    staged_begin(&exploration.staged, result->scenario);
    exploration.staged.wanted = options->wanted;
    exploration.result = result;
    tally_clear(&result->tally);
    result->seed = options->seed;
    bool sound = inquiry_run(&inquiry, &subject, options, seconds, interrupt_came);
    inquiry_fail_unjudged(&inquiry);
    exploration.staged.watch_every = 1;
    sound = sound && (!inquiry.failed || note_story(result, &inquiry, &subject, options));
    judge(result, &inquiry); /* by what the story tells: it may be another than was found first */
    command_clear_progress(&command);
    show_inquiry(&inquiry, result, options);
    add_to_totals(totals, &inquiry);
    inquiry_free(&inquiry);
    return sound;
}

static bool explore_all(const struct explore_options *options, const struct choice *choice,
                        struct totals *totals)
{
    double end = seconds_now() + options->seconds;
    bool sound = true;

    for (size_t i = 0; sound && i < choice->count && !interrupt_came(); i++) {
        double left = end - seconds_now(), share = left / (double)(choice->count - i);
        show_progress(choice, i, left);
        struct explore_options own = options_for(choice->results[i].scenario, options);
        sound = explore_one(&own, &choice->results[i], share > 0.02 ? share : 0.02, totals);
    }
    return sound;
}

/* How fast it was, on the one core that it runs on. */
static void print_pace(const char *memory, const struct pace *pace)
{
    if (pace->seconds > 0)
        fprintf(command.text, "%s: %s executions/s, %.1f M steps/s\n", memory,
                report_grouped((uint64_t)((double)pace->executions / pace->seconds)),
                (double)pace->steps / pace->seconds / 1e6);
}

static void print_totals(const struct totals *totals, const struct explore_options *options)
{
    static const char *const words[MEMORY_MODELS][2] = {
        [MEMORY_SC] = {"sc", "sc, races looked for"},
        [MEMORY_C11] = {"c11", "c11, races looked for"}};

    fprintf(command.text, "%s, %s; %s explored completely\n",
            report_counted(totals->all.executions, "execution"),
            report_counted(totals->all.steps, "step"),
            report_counted(totals->complete, "scenario"));
    for (unsigned i = 0; i < MEMORY_MODELS; i++)
        print_pace(words[i][options->memory.races], &totals->by_model[i]);
}

static int run(const struct explore_options *options)
{
    struct choice choice = command_choose(&command, options->scenario, histories_flaw);
    struct totals totals = {0};
    double began = seconds_now();

    if (choice.count == 0 || !command_can_report(&command) ||
        !show_can_write_files(options->program, &options->files)) {
        free(choice.results);
        return EXIT_USAGE;
    }
    interrupt_heed();
    bool sound = machine_prepare() && explore_all(options, &choice, &totals);
    print_totals(&totals, options);
    struct report report = {.results = choice.results,
                            .count = choice.count,
                            .seed = options->seed,
                            .seconds = seconds_now() - began,
                            .ended = time(NULL),
                            .flavour = "explore",
                            .compiler = command_compiler};
    int code = command_finish(&command, &report, sound ? NULL : "no memory");
    if (code == EXIT_ALL_PASSED && options->wanted && totals.found == 0) {
        fprintf(stderr, "explore: no execution ended with '%s'\n", options->wanted);
        code = EXIT_SOMETHING_FAILED;
    }
    free(choice.results);
    return code;
}

static void find_scenario(const struct scenario *scenario, void *found)
{
    *(const struct scenario **)found = scenario;
}

/* ---- all schedules ---- */

static void note_end(void *argument)
{
    const struct exploration *exploration = argument;
    const struct staged *staged = &exploration->staged;
    char text[SCENARIO_TEXT] = "";

    if (staged->has_outcome)
        outcome_text(staged->scenario, staged->outcome, text);
    graph_ended(text);
}

static bool walk_all(const struct explore_options *options, const struct scenario *scenario)
{
    static struct exploration exploration;
    struct campaign_result result;
    struct campaign campaign = {.program = stage,
                                .argument = &exploration,
                                .strategy = &strategy_graph,
                                .rules = options->rules,
                                .memory = options->memory,
                                .seconds = options->seconds,
                                .keep_going = true,
                                .orders = 1,
                                .ended = note_end,
                                .should_stop = interrupt_came};

    staged_begin(&exploration.staged, scenario);
    exploration.staged.watch_every = 1;
    campaign.rules.faults = (struct faults){0};
    campaign.rules.slack = options_for(scenario, options).rules.slack;
    bool sound = campaign_run(&campaign, &result);
    campaign_result_free(&result);
    return sound && result.ended && graph_is_complete();
}

static bool write_graph(const char *path, const struct scenario *scenario)
{
    struct story story = story_of_scenario(scenario);
    FILE *file = fopen(path, "w");

    if (file)
        graph_write(file, &story);
    return file && !ferror(file) && fclose(file) == 0;
}

static int make_graph(const struct explore_options *options)
{
    const struct scenario *scenario = NULL;

    if (options->scenario)
        scenario_each(options->scenario, find_scenario, &scenario);
    if (!scenario) {
        fprintf(stderr, "explore: --graph needs --scenario (see --help)\n");
        return EXIT_USAGE;
    }
    if (!report_can_write(options->program, options->graph))
        return EXIT_USAGE;
    if (!machine_prepare() || !walk_all(options, scenario)) {
        fprintf(stderr, "explore: %s has too many schedules for a graph\n", scenario->name);
        return EXIT_SOMETHING_FAILED;
    }
    if (!write_graph(options->graph, scenario)) {
        report_complain_of(options->program, options->graph);
        return EXIT_SOMETHING_FAILED;
    }
    fprintf(command.text, "%s: %zu nodes\n", scenario->name, graph_nodes());
    return EXIT_ALL_PASSED;
}

/* ---- replaying ---- */

static int replay(const struct explore_options *options)
{
    static struct staged staged;
    struct subject subject = {.program = staged_run, .argument = &staged};
    const struct token *token = show_read_token(options->program, options->replay);
    const struct scenario *scenario = NULL;

    if (!token)
        return EXIT_USAGE;
    scenario_each(token->program, find_scenario, &scenario);
    if (!scenario) {
        fprintf(stderr, "explore: the token is of '%s', and there is no such scenario\n",
                token->program);
        return EXIT_USAGE;
    }
    if (!show_can_write_files(options->program, &options->files))
        return EXIT_USAGE;
    struct story story = story_of_scenario(scenario);
    staged_begin(&staged, scenario);
    staged.watch_every = 1;
    bool passed = machine_prepare() && inquiry_replay(&subject, &story, token, options);
    write_history(stdout, &staged);
    if (story.verdict == ENDED_DIVERGED)
        puts("If it is of a bug in the museum, make break MUTANT=NAME REPLAY=TOKEN repeats it.");
    return passed ? EXIT_ALL_PASSED : EXIT_SOMETHING_FAILED;
}

int main(int count, char **words)
{
    struct explore_options options;

    if (!explore_options_parse(&options, EXPLORE_SCENARIOS, "explore", count, words))
        return EXIT_USAGE;
    command = command_of(options.program, &options.reports);
    switch (options.request) {
    case EXPLORE_HELP:
        explore_options_help(stdout, &options);
        return EXIT_ALL_PASSED;
    case EXPLORE_LIST:
        return command_list(&command, options.scenario, histories_flaw);
    case EXPLORE_BREAKS:
        return command_print_breaks(&command, options.scenario, histories_flaw);
    case EXPLORE_REPLAY:
        if (options.gdb_step == 0)
            return replay(&options);
        show_in_debugger(options.program, words[0], options.replay, options.arguments,
                         options.gdb_step);
        return EXIT_USAGE;
    case EXPLORE_RUN:
        break;
    }
    return options.graph ? make_graph(&options) : run(&options);
}
