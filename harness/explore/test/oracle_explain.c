/*
 * A program on which the searches disagree: as it was drawn, made as small as it can be, and which
 * outcomes are missing. Of the first of them an execution is told, step by step: of all that have
 * the outcome, the one with the fewest switches.
 */
#include <string.h>

#include "harness/explore/test/oracle_parts.h"

enum {
    STORY = 200, /* steps */
    OUTCOMES_SHOWN = 4
};

static FILE *output;

static void tell_steps(const struct logged *log, uint32_t count, const char *between)
{
    unsigned last = MACHINE_THREADS;

    for (uint32_t i = 0; i < count; i++) {
        if (log[i].thread != last && log[i].thread == CLOCK_THREAD)
            fprintf(output, "%sclock:", between);
        else if (log[i].thread != last)
            fprintf(output, "%sthread %u:", between, log[i].thread);
        last = log[i].thread;
        fprintf(output, " %s;", op_name(log[i].kind));
    }
    fprintf(output, "\n");
}

static void tell_thread(const struct drawn_thread *thread, const int *seen)
{
    for (unsigned k = 0; k < thread->length; k++)
        if (seen[k] == NOT_REACHED)
            fprintf(output, " -");
        else
            fprintf(output, " %d", seen[k]);
    if (seen[FOR_THE_END] != NOT_REACHED)
        fprintf(output, " and in the end %d", seen[FOR_THE_END]);
}

static void tell_outcome(const struct drawing *drawing, const struct outcome *outcome)
{
    fprintf(output, "  %s%s%s", verdict_kind_name(outcome->verdict), *outcome->message ? ": " : "",
            outcome->message);
    for (unsigned i = 0; outcome->verdict != ENDED_RACE && i < drawing->program.threads; i++) {
        fprintf(output, "; thread %u saw", i);
        tell_thread(&drawing->program.thread[i], outcome->seen[i]);
    }
    fprintf(output, "\n");
}

/* ---- an execution with a certain outcome ---- */

static struct {
    struct outcome outcome;
    uint32_t switches, steps;
    struct logged log[STORY];
} story;

static void note_story(void *unused)
{
    struct outcome outcome = oracle_outcome_of_machine();

    (void)unused;
    if (machine.switches >= story.switches || !oracle_is_same(&outcome, &story.outcome))
        return;
    story.switches = machine.switches;
    story.steps = machine.steps < STORY ? machine.steps : STORY;
    memcpy(story.log, machine.log, story.steps * sizeof story.log[0]);
}

static void tell_story(const struct drawing *drawing, unsigned number)
{
    enum search search = SEARCH_DFS;

    while (!oracle_was_found(number, search))
        search++;
    story.outcome = oracle_outcomes.all[number];
    story.switches = UINT32_MAX;
    story.steps = 0;
    oracle_search(drawing, search, note_story);
    fprintf(output, "    found by %s in", oracle_search_name(search));
    tell_steps(story.log, story.steps, "\n      ");
}

/* ---- all of it ---- */

static void tell_missing(const struct drawing *drawing, enum search search)
{
    unsigned missing = 0;

    for (unsigned i = 0; i < oracle_outcomes.count; i++)
        if (!oracle_was_found(i, search) && ++missing <= OUTCOMES_SHOWN) {
            tell_outcome(drawing, &oracle_outcomes.all[i]);
            if (missing == 1)
                tell_story(drawing, i);
        }
    fprintf(output, "  %s misses %u of %u outcomes\n", oracle_search_name(search), missing,
            oracle_outcomes.count);
}

void oracle_explain(const struct drawing *drawing, enum judgement judgement, FILE *file)
{
    struct drawing smallest = *drawing;

    output = file;
    drawn_show(drawing, file);
    fprintf(file, "  again: make explore-oracle PROGRAMS=1 SEED=%u\n", drawing->number);
    oracle_shrink(&smallest, judgement);
    fprintf(file, "as small as it can be, it is\n");
    drawn_show(&smallest, file);
    oracle_judge(&smallest, NULL);
    tell_missing(&smallest, judgement == DFS_MISSES_OUTCOMES ? SEARCH_DFS : SEARCH_DPOR);
}
