/*
 * From what the sources say to what is to be done: one plan for each entry.
 *
 * The sources are asked in the order in which they replace each other: the table, the file, the
 * environment. Each is looked at by itself (registrar_check.c), and all of them are, whatever is
 * wrong in the ones before; only when nothing is wrong are the expressions compiled.
 *
 *   [PLAN-1] Errors are in the order of the sources, and within one in its own: entries, lines.
 *   [PLAN-2] No two plans have the same name; nor, if the environment is asked, the same variables.
 *   [PLAN-3] A variable with the form of ours is of an entry, or it is told. The form decides:
 *            what its owner meant by it cannot be known, and one that is misspelt would be passed
 *            over without a word.
 *
 * Names are found by a hash of what the variables are called, in a table at most half full. So
 * those that would share variables meet in it, though they differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/cron.h>
#include <glasspool/status.h>

#include "table/registrar.h"

/* Names. */

/* A character of a name as the variable has it. */
static char variable_letter(char c)
{
    if (c >= 'a' && c <= 'z')
        return (char)(c - 'a' + 'A');
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
        return c;
    return '_';
}

static size_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)variable_letter(*name)) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 32);
}

static bool share_variables(const char *one, const char *other)
{
    while (*one != '\0' && *other != '\0' && variable_letter(*one) == variable_letter(*other)) {
        one++;
        other++;
    }
    return *one == '\0' && *other == '\0';
}

/* The plan of that name; NULL: there is none. *rival: another with the same variables, or NULL. */
static struct gp__plan *find_plan(struct gp__planner *planner, const char *name,
                                  struct gp__plan **rival)
{
    *rival = NULL;
    if (planner->slots == NULL)
        return NULL;
    for (size_t slot = hash_of(name) & planner->mask; planner->slots[slot] != 0;
         slot = (slot + 1) & planner->mask) {
        struct gp__plan *plan = &planner->plans[planner->slots[slot] - 1];
        if (strcmp(plan->name, name) == 0)
            return plan;
        if (share_variables(plan->name, name))
            *rival = plan;
    }
    return NULL;
}

struct gp__plan *gp__plan_of(struct gp__planner *planner, const char *name)
{
    struct gp__plan *rival;
    return find_plan(planner, name, &rival);
}

static void enter(struct gp__planner *planner, size_t number)
{
    size_t slot = hash_of(planner->plans[number].name) & planner->mask;
    while (planner->slots[slot] != 0)
        slot = (slot + 1) & planner->mask;
    planner->slots[slot] = number + 1;
}

/* For so many plans; false: out of memory. */
static bool make_room_for_plans(struct gp__planner *planner, size_t count)
{
    size_t room = planner->room == 0 ? 8 : planner->room;
    while (room < count)
        room *= 2;
    if (room == planner->room)
        return true;
    struct gp__plan *plans = realloc(planner->plans, room * sizeof *plans);
    if (plans == NULL)
        return false;
    planner->plans = plans;
    size_t *slots = calloc(2 * room, sizeof *slots);
    if (slots == NULL)
        return false;
    free(planner->slots);
    planner->slots = slots;
    planner->mask = 2 * room - 1;
    planner->room = room;
    for (size_t i = 0; i < planner->count; i++)
        enter(planner, i);
    return true;
}

/* NULL: out of memory. The name is not in it yet. */
static struct gp__plan *add_plan(struct gp__planner *planner, const char *name)
{
    if (!make_room_for_plans(planner, planner->count + 1)) {
        planner->complaints.no_memory = true;
        return NULL;
    }
    struct gp__plan *plan = &planner->plans[planner->count++];
    *plan = (struct gp__plan){.name = name, .kind = GP__KINDS};
    enter(planner, planner->count - 1);
    return plan;
}

/* The table. */

static void say_number(struct gp__saying *saying, enum gp__setting key, int64_t number,
                       const char *text, const char *name)
{
    saying->said[key] = (struct gp__said){.text = text,
                                          .is_number = text == NULL && number != GP_UNSET,
                                          .number = number,
                                          .key = name,
                                          .at = saying->at};
}

static struct gp__saying saying_of(const gp_declared *entry, const struct gp__place *place)
{
    struct gp__saying saying = {.at = *place};
    int64_t flags = entry->cron_flags;
    say_number(&saying, GP__CRON, GP_UNSET, entry->cron, "cron");
    say_number(&saying, GP__ZONE, GP_UNSET, entry->zone, "zone");
    say_number(&saying, GP__OVERLAP, flags == 0 ? GP_UNSET : flags, NULL, "cron_flags");
    say_number(&saying, GP__RATE, entry->fixed_rate, entry->fixed_rate_text, "fixed_rate");
    say_number(&saying, GP__DELAY, entry->fixed_delay, entry->fixed_delay_text, "fixed_delay");
    say_number(&saying, GP__INITIAL, entry->initial_delay, entry->initial_delay_text,
               "initial_delay");
    return saying;
}

static void complain_of_two(struct gp__planner *planner, const struct gp__place *place,
                            int64_t number, const char *text, const char *name)
{
    if (number != GP_UNSET && text != NULL)
        gp__complain(&planner->complaints, place, "%s is there twice, as a number and as a text",
                     name);
}

/* A period of 0 is what a field has that nobody has set. That is told once, and the durations that
   are 0 are then taken for unset: what they clash with is no second mistake. False: none is. */
static bool unset_zeros(struct gp__planner *planner, gp_declared *entry,
                        const struct gp__place *place)
{
    bool no_rate = entry->fixed_rate == 0;
    bool no_delay = entry->fixed_delay == 0;
    if (!no_rate && !no_delay)
        return false;
    gp__complain(&planner->complaints, place,
                 "%s 0: unset is GP_UNSET, of initial_delay, too; take GP_DECLARED_UNSET",
                 !no_delay  ? "fixed_rate is"
                 : !no_rate ? "fixed_delay is"
                            : "fixed_rate and fixed_delay are");
    entry->fixed_rate = no_rate ? GP_UNSET : entry->fixed_rate;
    entry->fixed_delay = no_delay ? GP_UNSET : entry->fixed_delay;
    entry->initial_delay = entry->initial_delay == 0 ? GP_UNSET : entry->initial_delay;
    return true;
}

static void judge_entry(struct gp__planner *planner, struct gp__plan *plan, gp_declared entry,
                        const struct gp__place *place)
{
    bool any = unset_zeros(planner, &entry, place);
    struct gp__saying saying = saying_of(&entry, place);
    if (entry.call == NULL)
        gp__complain(&planner->complaints, place, "there is no function");
    complain_of_two(planner, place, entry.fixed_rate, entry.fixed_rate_text, "fixed_rate");
    complain_of_two(planner, place, entry.fixed_delay, entry.fixed_delay_text, "fixed_delay");
    complain_of_two(planner, place, entry.initial_delay, entry.initial_delay_text, "initial_delay");
    gp__judge(planner, plan, &saying);
    for (int key = 0; key < GP__KINDS; key++)
        any = any || saying.said[key].text != NULL || saying.said[key].is_number;
    if (!any)
        gp__complain(&planner->complaints, place,
                     "none of cron, fixed_rate and fixed_delay is there"); /* [TABLE-2] */
}

/* NULL: it cannot have a plan; that has been told. */
static struct gp__plan *plan_for(struct gp__planner *planner, const char *name,
                                 const struct gp__place *place)
{
    struct gp__plan *rival;
    if (name == NULL) {
        gp__complain(&planner->complaints, place, "the name is missing");
        return NULL;
    }
    if (!gp__name_is_good(planner, place, name))
        return NULL;
    if (find_plan(planner, name, &rival) != NULL) { /* [PLAN-2] */
        gp__complain(&planner->complaints, place, "an entry before it has this name");
        return NULL;
    }
    if (rival != NULL && planner->environment != NULL)
        gp__complain(&planner->complaints, place, "it would have the same variables as \"%s\"",
                     rival->name);
    return add_plan(planner, name);
}

static void read_table(struct gp__planner *planner, const gp_declared *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gp__place place = {.source = "table", .line = i + 1, .name = entries[i].name};
        struct gp__plan unnamed = {.kind = GP__KINDS};
        struct gp__plan *plan = plan_for(planner, entries[i].name, &place);
        if (plan != NULL)
            plan->entry = &entries[i];
        judge_entry(planner, plan != NULL ? plan : &unnamed, entries[i], &place);
    }
}

/* The file. */

/* NULL: that has been told. */
static struct gp__plan *plan_of_line(struct gp__planner *planner, const struct gp__place *place)
{
    if (!gp__name_is_good(planner, place, place->name))
        return NULL;
    struct gp__plan *plan = gp__plan_of(planner, place->name);
    if (plan == NULL && planner->open != NULL)
        plan = add_plan(planner, place->name);
    if (plan == NULL) {
        gp__complain(&planner->complaints, place, "no entry is called \"%s\"", place->name);
        return NULL;
    }
    if (plan->line > 0) {
        gp__complain(&planner->complaints, place, "\"%s\" has a line already: line %zu",
                     place->name, plan->line);
        return NULL;
    }
    plan->line = place->line;
    return plan;
}

static void take_line(struct gp__planner *planner, const struct gp__saying *saying)
{
    struct gp__plan unnamed = {.kind = GP__KINDS};
    struct gp__plan *plan = plan_of_line(planner, &saying->at);
    gp__judge(planner, plan != NULL ? plan : &unnamed, saying);
}

static int take_file(struct gp__planner *planner, const char *file)
{
    size_t size;
    int status = gp__read_file(&planner->complaints, file, &planner->text, &size);
    if (status == GP_OK)
        gp__read_lines(planner, file, planner->text, size, take_line);
    return status;
}

/* The environment. */

static const char *const suffixes[] = {
    [GP__CRON] = "CRON", [GP__RATE] = "RATE",       [GP__DELAY] = "DELAY",
    [GP__ZONE] = "ZONE", [GP__INITIAL] = "INITIAL", [GP__OVERLAP] = "OVERLAP"};

static void name_variable(char *to, const char *prefix, const char *name, const char *suffix)
{
    int length = snprintf(to, GP__VARIABLE_SIZE, "%s_%s_%s", prefix, name, suffix);
    for (int i = (int)strlen(prefix); i < length; i++)
        to[i] = variable_letter(to[i]);
}

static void ask_variables(struct gp__planner *planner, struct gp__plan *plan)
{
    static const char *const keys[] = {
        [GP__CRON] = "cron", [GP__RATE] = "rate",       [GP__DELAY] = "delay",
        [GP__ZONE] = "zone", [GP__INITIAL] = "initial", [GP__OVERLAP] = "overlap"};
    char variables[GP__KEYS][GP__VARIABLE_SIZE];
    struct gp__saying saying = {.at = {.name = plan->name}};
    for (int key = 0; key < GP__KEYS; key++) {
        name_variable(variables[key], planner->environment, plan->name, suffixes[key]);
        saying.said[key] = (struct gp__said){.text = gp__variable(variables[key]),
                                             .key = keys[key],
                                             .at = {.source = variables[key], .name = plan->name}};
    }
    gp__judge(planner, plan, &saying);
}

/* How much of a variable's name is one of our suffixes, with its _; 0: it has none. */
static size_t suffix_of(const char *variable, size_t length)
{
    for (int key = 0; key < GP__KEYS; key++) {
        size_t size = strlen(suffixes[key]);
        if (length > size && variable[length - size - 1] == '_' &&
            memcmp(variable + length - size, suffixes[key], size) == 0)
            return size + 1;
    }
    return 0;
}

/* Whether an entry has variables with that in the middle. */
static bool is_asked_for(struct gp__planner *planner, const char *middle, size_t length)
{
    char name[GP__NAME_MAX + 1];
    struct gp__plan *rival;
    if (length > GP__NAME_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (variable_letter(middle[i]) != middle[i])
            return false;
    memcpy(name, middle, length);
    name[length] = '\0';
    return find_plan(planner, name, &rival) != NULL || rival != NULL;
}

/* [PLAN-3] */
static void judge_variable(struct gp__planner *planner, const char *variable)
{
    char name[GP__VARIABLE_SIZE];
    struct gp__place place = {.source = name};
    const char *equals = strchr(variable, '=');
    if (equals == NULL || equals[1] == '\0')
        return;
    size_t prefix = strlen(planner->environment);
    size_t length = (size_t)(equals - variable);
    size_t suffix = suffix_of(variable, length);
    if (suffix == 0 || length <= prefix + 1 + suffix || variable[prefix] != '_' ||
        memcmp(variable, planner->environment, prefix) != 0)
        return;
    if (is_asked_for(planner, variable + prefix + 1, length - prefix - 1 - suffix))
        return;
    snprintf(name, sizeof name, "%.*s", (int)length, variable);
    gp__complain(&planner->complaints, &place, "no entry has this variable");
}

static void read_environment(struct gp__planner *planner)
{
    struct gp__place place = {.source = "environment"};
    const char *prefix = planner->environment;
    size_t length = 0;
    while (variable_letter(prefix[length]) != '_' || prefix[length] == '_')
        length++;
    if (prefix[length] != '\0' || length == 0 || length > GP__NAME_MAX ||
        (prefix[0] >= '0' && prefix[0] <= '9')) {
        gp__complain(&planner->complaints, &place,
                     "the prefix must be letters, digits and _, %d at most, and no digit first",
                     GP__NAME_MAX);
        return;
    }
    for (size_t i = 0; i < planner->count; i++)
        ask_variables(planner, &planner->plans[i]);
    gp__each_variable(planner, judge_variable);
}

/* All of it. */

static int outcome_of(struct gp__planner *planner)
{
    return planner->complaints.no_memory        ? GP_ENOMEM
           : planner->complaints.list.count > 0 ? GP_EINVAL
                                                : GP_OK;
}

static int compile_all(struct gp__planner *planner)
{
    int status = outcome_of(planner);
    if (status != GP_OK)
        return status;
    for (size_t i = 0; i < planner->count; i++)
        if (planner->plans[i].kind == GP__CRON && !planner->plans[i].off)
            gp__compile(planner, &planner->plans[i]);
    return outcome_of(planner);
}

int gp__registrar_plan(struct gp__planner *planner, const gp_registrar_config *config)
{
    planner->environment = config->environment;
    read_table(planner, config->entries, config->count); /* [PLAN-1] */
    if (config->file != NULL && take_file(planner, config->file) == GP_ENOMEM)
        return GP_ENOMEM;
    if (config->environment != NULL)
        read_environment(planner);
    return compile_all(planner);
}

int gp__registrar_plan_text(struct gp__planner *planner, const char *source, char *text,
                            size_t size)
{
    planner->open = source;
    gp__read_lines(planner, source, text, size, take_line);
    return compile_all(planner);
}

void gp__planner_free(struct gp__planner *planner)
{
    gp_registrar_errors_free(&planner->complaints.list);
    for (size_t i = 0; i < planner->count; i++)
        gp_cron_release(planner->plans[i].compiled);
    for (size_t i = 0; i < planner->zone_count; i++)
        gp_zone_release(planner->zones[i].zone);
    free(planner->plans);
    free(planner->slots);
    free(planner->zones);
    free(planner->text);
}
