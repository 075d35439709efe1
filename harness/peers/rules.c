/*
 * The rules: all that a peer does differently, each as narrow as can be told from outside. What
 * they do is read from their sources; the cases show it.
 */
#include <string.h>

#include <glasspool/clock.h>

#include "harness/peers/peers.h"

/* The nth field of an expression, and how long it is. */
static const char *field_of(const struct question *question, int number, size_t *length)
{
    const char *at = question->expression;

    for (; number > 0; number--)
        at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
    *length = strcspn(at, " ");
    return at;
}

static bool has(const struct question *question, int field, const char *characters)
{
    size_t length;
    const char *at = field_of(question, field, &length);

    return strcspn(at, characters) < length;
}

static int64_t local_of(const gp_zone *zone, int64_t seconds)
{
    return seconds + gp_zone_period_at(zone, seconds * GP_SECONDS(1)).offset;
}

static bool is_restricted(const struct question *question, int field)
{
    size_t length;
    const char *at = field_of(question, field, &length);

    return length != 1 || (*at != '*' && *at != '?');
}

enum {
    DAY = 3,
    WEEKDAY = 5
};

/* ---- Spring 4.3, CronSequenceGenerator ---- */

/* It gives up after 366 days in the search for a day, and after four years in that for a month; a
   Monday that is the 29th of February may be 40 years away. */
static bool gives_up(const struct question *question, int64_t ours, int64_t theirs)
{
    return theirs == NEVER && ours > question->seconds + INT64_C(365) * DAY_SECONDS;
}

/* A second of the question that lies between two of the expression goes up to the later one. Has
   the minute to change then, that second is kept, and the earlier ones of the new minute are not
   seen. Only the first match after such a question is late. */
static bool keeps_second(const struct question *question, int64_t ours, int64_t theirs)
{
    if (ours == NEVER || ours == REFUSED || theirs == NEVER || theirs == REFUSED)
        return false;
    const gp_zone *zone = open_zone(question->zone);
    int64_t asked = local_of(zone, question->seconds), early = local_of(zone, ours);
    int64_t late = local_of(zone, theirs);
    return early / 60 == late / 60 && early < late && asked / 60 < early / 60 &&
           early % 60 < asked % 60 && asked % 60 < late % 60;
}

/* In the field of the day a star is 0-31, and steps from it count from 0: 13, 26, not 1, 14. */
static bool days_from_zero(const struct question *question, int64_t ours, int64_t theirs)
{
    return has(question, DAY, "*") && has(question, DAY, "/") && theirs != REFUSED &&
           ours != REFUSED;
}

/* The search for a day and a weekday looks whether the number of the day is another than before. If
   it has gone on to the same number in another month, it has moved without noticing: the time of
   the day is midnight or what it was reset to, not one of the expression. */
static bool same_day_number(const struct question *question, int64_t ours, int64_t theirs)
{
    return is_restricted(question, DAY) && is_restricted(question, WEEKDAY) && theirs < ours &&
           ours - theirs < DAY_SECONDS && theirs - question->seconds > 26 * DAY_SECONDS;
}

/* Sunday is 0, at the end of a range, too, which then is inverted. */
static bool sunday_is_zero(const struct question *question, int64_t ours, int64_t theirs)
{
    return theirs == REFUSED && ours != REFUSED && has(question, WEEKDAY, "-");
}

/* We refuse a step that is larger than the field. */
static bool takes_any_step(const struct question *question, int64_t ours, int64_t theirs)
{
    return ours == REFUSED && theirs != REFUSED && strchr(question->expression, '/');
}

/* ---- cron-parser ---- */

/* A day that none of the months has is refused. */
static bool refuses_never(const struct question *question, int64_t ours, int64_t theirs)
{
    return theirs == REFUSED && ours == NEVER && !has(question, DAY, "*?L");
}

/* Were the clocks put forward at the beginning of the period, over the end of a day? */
static bool leaves_out_midnight(const gp_zone *zone, const gp_zone_period *period)
{
    long before = gp_zone_period_at(zone, period->begin - 1).offset;
    int64_t local = period->begin / GP_SECONDS(1) + before;
    int64_t to_midnight = DAY_SECONDS - 1 - local % DAY_SECONDS;

    return to_midnight < period->offset - before;
}

/* The last second of a day that was left out is never passed on the way back. */
static bool stuck_at_gap(const struct question *question, int64_t ours, int64_t theirs)
{
    if (theirs != NEVER || !question->backwards || ours == NEVER || ours == REFUSED)
        return false;
    const gp_zone *zone = open_zone(question->zone);
    gp_zone_period period = gp_zone_period_at(zone, question->seconds * GP_SECONDS(1));
    while (period.begin > ours * GP_SECONDS(1) && !leaves_out_midnight(zone, &period))
        period = gp_zone_period_at(zone, period.begin - 1);
    return period.begin > ours * GP_SECONDS(1);
}

const struct rule rules[RULES] = {
    {"spring", "gives-up", gives_up},
    {"spring", "keeps-second", keeps_second},
    {"spring", "days-from-zero", days_from_zero},
    {"spring", "same-day-number", same_day_number},
    {"spring", "sunday-is-zero", sunday_is_zero},
    {"spring", "any-step", takes_any_step},
    {"cron-parser", "refuses-never", refuses_never},
    {"cron-parser", "stuck-at-gap", stuck_at_gap},
    {"cron-parser", "sunday-is-zero", sunday_is_zero},
};
