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
 * Likeness. A scenario that is like another is completed in a copy when it is first visited. The
 * copy stays, since runners keep pointers to the scenarios that they visit. Rejected: completing it
 * where it stands. The scenarios would be variables of the explored program, which the explorer
 * restores before each execution.
 *
 * Rejected: writing the table in numbers ("1, 0, 5"), as jcstress does. It saves the words and
 * costs every reader a look into the actors.
 */
#include "harness/scenario/scenario.h"

#include <fnmatch.h> /* the glob of --scenario */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* abort */
#include <string.h>

#include "harness/scenario/unobserved.h"

static const char separator[] = ", ";
static const char rest[] = "...";

/* ---- the list ---- */

static const struct scenario *find(const char *name)
{
    for (const struct scenario *const *family = scenario_families; *family; family++)
        for (const struct scenario *scenario = *family; scenario->name; scenario++)
            if (strcmp(scenario->name, name) == 0)
                return scenario;
    return NULL;
}

/* The scenario that this one is like; NULL: none. */
static const struct scenario *model_of(const struct scenario *scenario)
{
    return scenario->like ? find(scenario->like) : NULL;
}

/* Does the chain of likenesses end with a scenario that is like no other? */
static bool has_origin(const struct scenario *scenario)
{
    for (size_t i = 0; i <= SCENARIO_TWINS && scenario; i++) {
        if (!scenario->like)
            return true;
        scenario = model_of(scenario);
    }
    return false;
}

#define FIELD(name)                                                                 \
    {                                                                               \
        offsetof(struct scenario, name), sizeof(((const struct scenario *)0)->name) \
    }

static const struct field {
    size_t offset, size;
} shared_fields[] = {
    FIELD(description), FIELD(invariants), FIELD(attacks),   FIELD(state_size), FIELD(choose),
    FIELD(set_up),      FIELD(actors),     FIELD(invariant), FIELD(late),       FIELD(arbiter),
    FIELD(tear_down),   FIELD(history),    FIELD(slack),     FIELD(slots),      FIELD(outcomes),
};

static bool is_zero(const unsigned char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

static void take_missing_fields(struct scenario *scenario, const struct scenario *model)
{
    for (size_t i = 0; i < sizeof shared_fields / sizeof *shared_fields; i++) {
        const struct field *field = &shared_fields[i];
        unsigned char *own = (unsigned char *)scenario + field->offset;
        if (is_zero(own, field->size))
            memcpy(own, (const unsigned char *)model + field->offset, field->size);
    }
}

static const struct scenario *completed(const struct scenario *written)
{
    static struct {
        const struct scenario *written;
        struct scenario scenario; /* what was made of it */
    } all[SCENARIO_TWINS];
    size_t i = 0;

    if (!written->like || !has_origin(written))
        return written;
    while (i < SCENARIO_TWINS && all[i].written && all[i].written != written)
        i++;
    if (i == SCENARIO_TWINS) {
        fprintf(stderr, "more than %d scenarios are like others: raise SCENARIO_TWINS\n",
                SCENARIO_TWINS);
        abort();
    }
    if (!all[i].written) {
        all[i].written = written;
        all[i].scenario = *written;
        for (const struct scenario *model = written; (model = model_of(model)) != NULL;)
            take_missing_fields(&all[i].scenario, model);
    }
    return &all[i].scenario;
}

void scenario_each(const char *glob, scenario_visit_fn *visit, void *context)
{
    for (const struct scenario *const *family = scenario_families; *family; family++)
        for (const struct scenario *scenario = *family; scenario->name; scenario++)
            if (!glob || fnmatch(glob, scenario->name, 0) == 0)
                visit(completed(scenario), context);
}

void scenario_print_break(const struct scenario *scenario, void *context)
{
    if (scenario->broken_by)
        fprintf(context, "%s\t%s\n", scenario->name, scenario->broken_by);
}

UNOBSERVED bool scenario_set_up(const struct scenario *scenario, void *state, uint64_t random)
{
    if (scenario->choose)
        scenario->choose(state);
    return scenario->set_up(state, random);
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
    if (!has_origin(scenario))
        return "the scenario that it is like does not exist, or is in the end like itself";
    if (!scenario->description || !scenario->invariants || !scenario->attacks.file ||
        !scenario->attacks.pattern || (!scenario->broken_by && !scenario->like))
        return "it does not say what it attacks and what breaks it";
    if (scenario_actor_count(scenario) < 2)
        return "a race takes two";
    if (!scenario->set_up || scenario->state_size == 0)
        return "it has no state";
    return table_flaw(scenario);
}
