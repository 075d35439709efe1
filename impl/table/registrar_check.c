/*
 * What the registrar accepts, and the list of what it does not.
 *
 * One source after the other says something of an entry, and gp__judge looks at it by itself: all
 * values, also those that a later source replaces. A mistake does not hide behind an override, only
 * to come out on the day on which that is taken away.
 *
 *   [TABLE-1] Each value that any source says is looked at, and each that is wrong is told.
 *   [TABLE-2] Of cron, rate and delay one source says at most one for an entry; the table says
 *             exactly one.
 *   [TABLE-3] A zone and an overlap go with cron, an initial delay with the other two. One that a
 *             source says beside a kind with which it does not go, or for an entry of such a kind,
 *             is wrong. One that an earlier source has said is forgotten when the kind changes.
 *
 * An expression is compiled twice: here in UTC, to see whether it is one, and when all is known
 * (gp__compile) in its zone, which another source may have said.
 *
 * An error is one block of memory: source, name and text, one behind the other. Its `source` is
 * where the block begins.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/cron.h>
#include <glasspool/duration.h>
#include <glasspool/status.h>

#include "cron/cron.h"
#include "table/registrar.h"

/* The list. */

static char *put(char *at, const char *text, size_t size)
{
    memcpy(at, text, size);
    return at + size;
}

static bool make_error(gp_registrar_error *error, const struct gp__place *place, const char *text)
{
    size_t source_size = strlen(place->source) + 1;
    size_t name_size = place->name == NULL ? 0 : strlen(place->name) + 1;
    size_t text_size = strlen(text) + 1;
    char *block = malloc(source_size + name_size + text_size);
    if (block == NULL)
        return false;
    char *name = put(block, place->source, source_size);
    if (name_size > 0)
        memcpy(name, place->name, name_size);
    memcpy(name + name_size, text, text_size);
    *error = (gp_registrar_error){.source = block,
                                  .line = place->line,
                                  .column = place->column,
                                  .name = name_size > 0 ? name : NULL,
                                  .text = name + name_size};
    return true;
}

static bool make_room_for_error(struct gp__complaints *complaints)
{
    if (complaints->list.count < complaints->room)
        return true;
    size_t room = complaints->room == 0 ? 8 : 2 * complaints->room;
    gp_registrar_error *errors = realloc(complaints->list.errors, room * sizeof *errors);
    if (errors == NULL)
        return false;
    complaints->list.errors = errors;
    complaints->room = room;
    return true;
}

void gp__complain(struct gp__complaints *complaints, const struct gp__place *place,
                  const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (make_room_for_error(complaints) &&
        make_error(&complaints->list.errors[complaints->list.count], place, text))
        complaints->list.count++;
    else
        complaints->no_memory = true;
}

void gp__give_errors(struct gp__complaints *complaints, int status, gp_registrar_errors *errors)
{
    if (errors == NULL)
        return;
    *errors = (gp_registrar_errors){0};
    if (status != GP_EINVAL)
        return;
    *errors = complaints->list;
    *complaints = (struct gp__complaints){0};
}

void gp_registrar_errors_free(gp_registrar_errors *errors)
{
    if (errors == NULL)
        return;
    for (size_t i = 0; i < errors->count; i++)
        free((char *)errors->errors[i].source);
    free(errors->errors);
    *errors = (gp_registrar_errors){0};
}

/* Names. */

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool gp__name_is_good(struct gp__planner *planner, const struct gp__place *place, const char *name)
{
    struct gp__place at = *place;
    size_t length = 0;
    while (is_letter_or_digit(name[length]) ||
           (name[length] != '\0' && strchr("_-.", name[length]) != NULL))
        length++;
    if (name[length] == '\0' && length > 0 && length <= GP__NAME_MAX)
        return true;
    if (at.column > 0)
        at.column += name[length] != '\0' ? length : 0;
    if (name[length] != '\0')
        gp__complain(&planner->complaints, &at,
                     "a name has letters, digits, _ - and . but not what stands at character %zu",
                     length + 1);
    else if (length == 0)
        gp__complain(&planner->complaints, &at, "the name is empty");
    else
        gp__complain(&planner->complaints, &at, "the name has more than %d characters",
                     GP__NAME_MAX);
    return false;
}

/* Durations. */

static struct gp__place at_character(const struct gp__said *said, size_t position)
{
    struct gp__place place = said->at;
    place.column = position + (place.column == 0 ? 1 : place.column);
    return place;
}

static bool is_dash(const struct gp__said *said)
{
    return said->text != NULL && strcmp(said->text, "-") == 0;
}

/* False: it is none, and that has been told. */
static bool read_duration(struct gp__planner *planner, const struct gp__said *said, int64_t *nanos)
{
    gp_duration_error error;
    *nanos = said->number;
    if (said->is_number || gp_duration_parse(said->text, nanos, &error) == GP_OK)
        return true;
    struct gp__place place = at_character(said, error.position);
    gp__complain(&planner->complaints, &place, "%s \"%.40s\": %s", said->key, said->text,
                 error.reason);
    return false;
}

static void judge_period(struct gp__planner *planner, const struct gp__said *said,
                         struct gp__plan *plan)
{
    int64_t nanos;
    if (is_dash(said) || !read_duration(planner, said, &nanos))
        return;
    if (nanos <= 0)
        gp__complain(&planner->complaints, &said->at, "%s must be more than zero%s", said->key,
                     said->is_number ? "; GP_UNSET is -1" : "");
    plan->period = nanos;
}

static void judge_initial(struct gp__planner *planner, const struct gp__said *said,
                          struct gp__plan *plan)
{
    int64_t nanos;
    if (!read_duration(planner, said, &nanos))
        return;
    if (nanos < 0)
        gp__complain(&planner->complaints, &said->at, "%s must not be negative", said->key);
    plan->initial = nanos;
}

/* Expressions. */

/* Which part of the expression it is, and the reason. */
static void complain_of_cron(struct gp__planner *planner, const struct gp__said *said,
                             const gp_cron_error *error)
{
    struct gp__place place = at_character(said, error->position);
    const char *field = error->field <= GP_CRON_WEEKDAY ? gp__cron_field_name(error->field) : "";
    const char *space = *field == '\0' ? "" : " ";
    if (error->length == 0)
        gp__complain(&planner->complaints, &place, "%s%s%s: %s", said->key, space, field,
                     error->reason);
    else
        gp__complain(&planner->complaints, &place, "%s%s%s \"%.*s\": %s", said->key, space, field,
                     (int)(error->length < 40 ? error->length : 40), said->text + error->position,
                     error->reason);
}

/* Day, month and weekday are the last fields, however many there are. */
static size_t day_position(const char *cron)
{
    size_t at = strlen(cron);
    for (int field = 0; field < 3; field++) {
        while (at > 0 && (cron[at - 1] == ' ' || cron[at - 1] == '\t'))
            at--;
        while (at > 0 && cron[at - 1] != ' ' && cron[at - 1] != '\t')
            at--;
    }
    return at;
}

/* Each field is good, but no day ever has them all. */
static void complain_of_day(struct gp__planner *planner, const struct gp__said *said)
{
    struct gp__place place = at_character(said, day_position(said->text));
    gp__complain(&planner->complaints, &place, "%s: there is no such day", said->key);
}

static void judge_cron(struct gp__planner *planner, const struct gp__said *said,
                       struct gp__plan *plan)
{
    gp_cron_error error = {0};
    gp_cron *cron;
    int status = gp_cron_parse_in(said->text, NULL, 0, &cron, &error);
    if (status == GP_EINVAL) {
        complain_of_cron(planner, said, &error);
    } else if (status != GP_OK) {
        planner->complaints.no_memory = true;
    } else {
        if (!gp_cron_is_disabled(cron) && gp_cron_next(cron, 0) == GP_NEVER)
            complain_of_day(planner, said);
        gp_cron_release(cron);
    }
    plan->cron = said->text;
}

/* Flags as the table has them, or a word. */
static void judge_overlap(struct gp__planner *planner, const struct gp__said *said,
                          struct gp__plan *plan)
{
    if (said->is_number) {
        if (said->number != GP_CRON_OVERLAP_TWICE)
            gp__complain(&planner->complaints, &said->at, "%s: there is no such flag", said->key);
        plan->flags = (unsigned)said->number;
        return;
    }
    bool twice = strcmp(said->text, "twice") == 0;
    if (!twice && strcmp(said->text, "once") != 0)
        gp__complain(&planner->complaints, &said->at, "%s \"%.40s\": it is once or twice",
                     said->key, said->text);
    plan->flags = twice ? GP_CRON_OVERLAP_TWICE : 0;
}

/* Zones. */

/* By way of an expression that never matches: cron has the words for why a zone cannot be had. */
static void open_zone(struct gp__named_zone *zone)
{
    gp_cron *never;
    gp_cron_error error = {.reason = "out of memory"};
    zone->status = gp_cron_parse("-", zone->name, 0, &never, &error);
    zone->reason = error.reason;
    if (zone->status != GP_OK)
        return;
    zone->zone = gp_zone_retain(gp_cron_zone(never));
    gp_cron_release(never);
}

static struct gp__named_zone *add_zone(struct gp__planner *planner, const char *name)
{
    if (planner->zone_count == planner->zone_room) {
        size_t room = planner->zone_room == 0 ? 4 : 2 * planner->zone_room;
        struct gp__named_zone *zones = realloc(planner->zones, room * sizeof *zones);
        if (zones == NULL)
            return NULL;
        planner->zones = zones;
        planner->zone_room = room;
    }
    struct gp__named_zone *zone = &planner->zones[planner->zone_count++];
    *zone = (struct gp__named_zone){.name = name};
    open_zone(zone);
    return zone;
}

/* Opened once, however many ask for it. NULL: out of memory. */
static const struct gp__named_zone *zone_of(struct gp__planner *planner, const char *name)
{
    for (size_t i = 0; i < planner->zone_count; i++) {
        const char *other = planner->zones[i].name;
        if (name == NULL || other == NULL ? name == other : strcmp(name, other) == 0)
            return &planner->zones[i];
    }
    const struct gp__named_zone *zone = add_zone(planner, name);
    if (zone == NULL || zone->status == GP_ENOMEM) {
        planner->complaints.no_memory = true;
        return NULL;
    }
    return zone;
}

static void judge_zone(struct gp__planner *planner, const struct gp__said *said,
                       struct gp__plan *plan)
{
    const struct gp__named_zone *zone = zone_of(planner, said->text);
    if (zone != NULL && zone->zone == NULL)
        gp__complain(&planner->complaints, &said->at, "%s \"%.40s\": %s", said->key, said->text,
                     zone->reason);
    plan->zone = said->text;
}

void gp__compile(struct gp__planner *planner, struct gp__plan *plan)
{
    const struct gp__named_zone *zone = zone_of(planner, plan->zone);
    if (zone == NULL)
        return;
    if (zone->zone == NULL) { /* the local one: others have been looked at */
        struct gp__place place = {.source = "table", .name = plan->name};
        if (planner->open != NULL)
            place = (struct gp__place){planner->open, plan->line, 0, plan->name};
        gp__complain(&planner->complaints, &place,
                     "no zone is given, and the local one (TZ, or /etc/localtime) cannot be "
                     "opened: %s",
                     zone->reason);
    } else if (gp_cron_parse_in(plan->cron, zone->zone, plan->flags, &plan->compiled, NULL) !=
               GP_OK) {
        planner->complaints.no_memory = true;
    }
}

/* All that one source says. */

static bool is_said(const struct gp__said *said)
{
    return said->text != NULL || said->is_number;
}

/* [TABLE-2]. GP__KINDS: none, or more than one, which has been told. */
static enum gp__setting judge_kind(struct gp__planner *planner, const struct gp__saying *saying)
{
    enum gp__setting kind = GP__KINDS;
    for (int key = 0; key < GP__KINDS; key++) {
        const struct gp__said *said = &saying->said[key];
        if (!is_said(said))
            continue;
        if (kind != GP__KINDS) {
            gp__complain(&planner->complaints, &said->at, "%s beside %s: an entry has one of them",
                         said->key, saying->said[kind].key);
            return GP__KEYS;
        }
        kind = (enum gp__setting)key;
    }
    return kind;
}

/* [TABLE-3] */
static void judge_match(struct gp__planner *planner, const struct gp__saying *saying,
                        enum gp__setting kind)
{
    const struct gp__said *zone = &saying->said[GP__ZONE];
    const struct gp__said *overlap = &saying->said[GP__OVERLAP];
    const struct gp__said *initial = &saying->said[GP__INITIAL];
    if (is_said(zone) && kind != GP__CRON)
        gp__complain(&planner->complaints, &zone->at, "%s without cron", zone->key);
    if (is_said(overlap) && kind != GP__CRON)
        gp__complain(&planner->complaints, &overlap->at, "%s without cron", overlap->key);
    if (is_said(initial) && kind == GP__CRON)
        gp__complain(&planner->complaints, &initial->at, "%s with cron%s", initial->key,
                     initial->is_number ? "; GP_UNSET is -1" : "");
}

static void judge_values(struct gp__planner *planner, struct gp__plan *plan,
                         const struct gp__saying *saying)
{
    static void (*const judges[])(struct gp__planner *, const struct gp__said *,
                                  struct gp__plan *) = {
        [GP__CRON] = judge_cron, [GP__RATE] = judge_period,     [GP__DELAY] = judge_period,
        [GP__ZONE] = judge_zone, [GP__INITIAL] = judge_initial, [GP__OVERLAP] = judge_overlap};
    for (int key = 0; key < GP__KEYS; key++)
        if (is_said(&saying->said[key]))
            judges[key](planner, &saying->said[key], plan); /* [TABLE-1] */
}

static void change_kind(struct gp__plan *plan, enum gp__setting kind)
{
    if (kind == GP__CRON) {
        plan->initial = 0;
    } else {
        plan->zone = NULL;
        plan->flags = 0;
    }
    plan->kind = kind; /* [TABLE-3] */
}

void gp__judge(struct gp__planner *planner, struct gp__plan *plan, const struct gp__saying *saying)
{
    enum gp__setting kind = judge_kind(planner, saying);
    if (kind < GP__KINDS) {
        if (kind != plan->kind)
            change_kind(plan, kind);
        plan->off = is_dash(&saying->said[kind]);
    }
    plan->off = plan->off || saying->off;
    if (kind != GP__KEYS && plan->kind < GP__KINDS)
        judge_match(planner, saying, plan->kind);
    judge_values(planner, plan, saying);
}
