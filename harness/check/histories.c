/* Judging the histories of a run: counting what is wrong with them, and drawing the first. */
#include "harness/check/histories.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strlen */

#include "harness/check/drawing.h"

const char *histories_flaw(const struct scenario *scenario)
{
    const struct scenario_history *recorded = &scenario->history;

    if (!recorded->model)
        return recorded->offset || recorded->parameter ? "its history has no model" : NULL;
    if (recorded->offset % _Alignof(struct history) != 0 ||
        scenario->state_size < sizeof(struct history) ||
        recorded->offset > scenario->state_size - sizeof(struct history))
        return "its history is not in its state";
    return linear_model_flaw(recorded->model);
}

void histories_begin(struct histories *histories, const struct scenario *scenario)
{
    histories->scenario = scenario;
    histories->not_linearizable = 0;
    histories->undecided = 0;
    histories->first[0] = '\0';
}

UNOBSERVED static const struct history *history_of(const struct histories *histories,
                                                   const void *state)
{
    const unsigned char *bytes = state;

    return (const void *)(bytes + histories->scenario->history.offset);
}

static void name_lanes(const struct scenario *scenario, const char *names[HISTORY_LANES])
{
    for (unsigned i = 0; i < SCENARIO_ACTORS; i++)
        names[i] = scenario->actors[i].name ? scenario->actors[i].name : "?";
    names[HISTORY_ALONE] = "before and after";
}

static void draw(struct histories *histories, const struct history *history,
                 enum linear_verdict verdict)
{
    const struct linear_model *model = histories->scenario->history.model;
    const char *names[HISTORY_LANES];
    char *text = histories->first;

    name_lanes(histories->scenario, names);
    snprintf(text, HISTORIES_TEXT, "%s as %s:\n\n",
             verdict == NOT_LINEARIZABLE ? "Not linearizable" : "Too long to be judged",
             model->name);
    drawing_of(history, model, names, text + strlen(text), HISTORIES_TEXT - strlen(text));
    if (verdict == NOT_LINEARIZABLE)
        drawing_of_best(&histories->search, text + strlen(text), HISTORIES_TEXT - strlen(text));
}

UNOBSERVED enum linear_verdict histories_judge(struct histories *histories, const void *state)
{
    const struct scenario_history *recorded = &histories->scenario->history;

    if (!recorded->model)
        return LINEARIZABLE;
    const struct history *history = history_of(histories, state);
    enum linear_verdict verdict =
        linear_check(&histories->search, recorded->model, recorded->parameter, history);
    histories->not_linearizable += verdict == NOT_LINEARIZABLE;
    histories->undecided += verdict == LINEAR_UNDECIDED;
    if (verdict != LINEARIZABLE && !histories->first[0])
        draw(histories, history, verdict);
    return verdict;
}
