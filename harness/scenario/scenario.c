/*
 * Scenarios: walking the list of them, and the two directions between the bytes of an outcome and
 * the words of its table.
 *
 * The text of an outcome is its slots in order, joined by ", ", each slot being "name word". A row
 * of the table fits an outcome if every part of the row's text is a part of the outcome's text. A
 * row may therefore leave slots out, and comparing text is enough: it happens once per distinct
 * outcome and report, never while the race runs.
 *
 * Leaving out is for what is forbidden, whatever else has happened. In a row that allows something
 * it is a hole: a result that nobody has thought of passes through it. There it takes a last part
 * "...", which fits everything and says that it is meant.
 *
 * Rejected: writing the table in numbers ("1, 0, 5"), as jcstress does. It saves the words and
 * costs every reader a look into the actors.
 */
#include "harness/scenario/scenario.h"

#include <fnmatch.h> /* the glob of --scenario */
#include <stdio.h>   /* snprintf */
#include <string.h>

#include "harness/scenario/unobserved.h"

static const char separator[] = ", ";
static const char rest[] = "...";

void scenario_each(const char *glob, scenario_visit_fn *visit, void *context)
{
    for (const struct scenario *const *family = scenario_families; *family; family++)
        for (const struct scenario *scenario = *family; scenario->name; scenario++)
            if (!glob || fnmatch(glob, scenario->name, 0) == 0)
                visit(scenario, context);
}

void scenario_print_break(const struct scenario *scenario, void *context)
{
    fprintf(context, "%s\t%s\n", scenario->name, scenario->broken_by);
}

size_t scenario_actor_count(const struct scenario *scenario)
{
    size_t count = 0;

    while (count < SCENARIO_ACTORS && scenario->actors[count].name)
        count++;
    return count;
}

/* ---- from bytes to words ---- */

UNOBSERVED uint64_t outcome_key(const struct outcome *outcome)
{
    uint64_t key;

    memcpy(&key, outcome->slot, sizeof key);
    return key;
}

UNOBSERVED struct outcome outcome_of_key(uint64_t key)
{
    struct outcome outcome = {{0}};

    memcpy(outcome.slot, &key, sizeof key);
    return outcome;
}

static bool slot_is_used(const struct scenario_slot *slot)
{
    return slot->name || slot->words[0];
}

static void part_text(const struct scenario_slot *slot, unsigned value, char *text, size_t room)
{
    const char *word = value < SCENARIO_WORDS ? slot->words[value] : NULL;
    const char *name = slot->name ? slot->name : "";
    const char *space = slot->name ? " " : "";

    if (word)
        snprintf(text, room, "%s%s%s", name, space, word);
    else
        snprintf(text, room, "%s%s%u", name, space, value);
}

void outcome_text(const struct scenario *scenario, struct outcome outcome, char text[SCENARIO_TEXT])
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < SCENARIO_SLOTS && slot_is_used(&scenario->slots[i]); i++) {
        char part[SCENARIO_TEXT];
        part_text(&scenario->slots[i], outcome.slot[i], part, sizeof part);
        int added =
            snprintf(text + length, SCENARIO_TEXT - length, "%s%s", i ? separator : "", part);
        length += (size_t)added;
        if (length >= SCENARIO_TEXT)
            return;
    }
}

/* ---- from words to rows ---- */

/* Steps through a text part by part: the length of the part at `text`, which moves behind it. */
static size_t next_part(const char **text)
{
    const char *end = strstr(*text, separator);
    size_t length = end ? (size_t)(end - *text) : strlen(*text);

    *text += end ? length + strlen(separator) : length;
    return length;
}

static bool has_part(const char *text, const char *part, size_t part_length)
{
    while (*text) {
        const char *candidate = text;
        if (next_part(&text) == part_length && memcmp(candidate, part, part_length) == 0)
            return true;
    }
    return false;
}

static bool is_rest(const char *part)
{
    return strcmp(part, rest) == 0;
}

static bool row_fits(const char *row, const char *text)
{
    while (*row && !is_rest(row)) {
        const char *part = row;
        size_t length = next_part(&row);
        if (!has_part(text, part, length))
            return false;
    }
    return true;
}

const struct graded_outcome *outcome_row(const struct scenario *scenario, struct outcome outcome)
{
    char text[SCENARIO_TEXT];

    outcome_text(scenario, outcome, text);
    for (size_t i = 0; i < SCENARIO_OUTCOMES && scenario->outcomes[i].text; i++)
        if (row_fits(scenario->outcomes[i].text, text))
            return &scenario->outcomes[i];
    return NULL;
}

const char *grade_name(enum grade grade)
{
    static const char *const names[] = {"acceptable", "interesting", "forbidden"};

    return names[grade];
}

/* ---- is it well written? ---- */

static bool slot_can_say(const struct scenario_slot *slot, const char *part, size_t length)
{
    for (unsigned value = 0; value <= UINT8_MAX; value++) {
        char possible[SCENARIO_TEXT];
        part_text(slot, value, possible, sizeof possible);
        if (strlen(possible) == length && memcmp(possible, part, length) == 0)
            return true;
    }
    return false;
}

static bool part_is_possible(const struct scenario *scenario, const char *part, size_t length)
{
    for (size_t i = 0; i < SCENARIO_SLOTS && slot_is_used(&scenario->slots[i]); i++)
        if (slot_can_say(&scenario->slots[i], part, length))
            return true;
    return false;
}

static bool row_is_possible(const struct scenario *scenario, const char *row)
{
    while (*row && !is_rest(row)) {
        const char *part = row;
        size_t length = next_part(&row);
        if (!part_is_possible(scenario, part, length))
            return false;
    }
    return true;
}

static bool row_has_slot(const char *row, const struct scenario_slot *slot)
{
    while (*row) {
        const char *part = row;
        size_t length = next_part(&row);
        if (slot_can_say(slot, part, length))
            return true;
    }
    return false;
}

static bool row_has_all_slots(const struct scenario *scenario, const char *row)
{
    for (size_t i = 0; i < SCENARIO_SLOTS && slot_is_used(&scenario->slots[i]); i++)
        if (!row_has_slot(row, &scenario->slots[i]))
            return false;
    return true;
}

static const char *row_flaw(const struct scenario *scenario, const struct graded_outcome *row)
{
    size_t length = strlen(row->text), tail = strlen(rest);
    bool open = length >= tail && is_rest(row->text + length - tail);

    if (!row->why)
        return "a row of its table does not say why";
    if (!row_is_possible(scenario, row->text))
        return "a row of its table names a slot or a value that does not exist";
    if (row->grade != FORBIDDEN && !open && !row_has_all_slots(scenario, row->text))
        return "a row of its table leaves a slot out, is not forbidden and does not end in \"...\"";
    return NULL;
}

static const char *table_flaw(const struct scenario *scenario)
{
    size_t rows = 0;
    bool demanding = false;

    for (; rows < SCENARIO_OUTCOMES && scenario->outcomes[rows].text; rows++) {
        const char *flaw = row_flaw(scenario, &scenario->outcomes[rows]);
        if (flaw)
            return flaw;
        demanding = demanding || scenario->outcomes[rows].demand == MUST_OCCUR;
    }
    if (rows == 0)
        return "it has no table of outcomes";
    return demanding ? NULL : "no row of its table must occur, so nothing shows that it was a race";
}

const char *scenario_flaw(const struct scenario *scenario)
{
    if (!strchr(scenario->name, '/'))
        return "its name is not family/name";
    if (!scenario->description || !scenario->invariants || !scenario->attacks.file ||
        !scenario->attacks.pattern || !scenario->broken_by)
        return "it does not say what it attacks and what breaks it";
    if (scenario_actor_count(scenario) < 2)
        return "a race takes two";
    if (!scenario->set_up || scenario->state_size == 0)
        return "it has no state";
    return table_flaw(scenario);
}
