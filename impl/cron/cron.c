/*
 * Cron expressions: the search, over the periods of a zone.
 *
 * Within one period of a zone (zone.c) the offset is constant, and local time goes on steadily. So
 * in each period the search is one in local time (date.c), from where the period begins or the
 * search does. What it finds counts if it lies in the period; if not, the next period is asked.
 *
 *      UTC    ----------------|----------------          clocks are put forward
 *      local  00:00 ... 02:00 | 03:00 ...                02:30 is in neither: it has no match
 *
 *      UTC    ----------------|----------------          clocks are put back
 *      local  00:00 ... 03:00 | 02:00 ... 03:00 ...      02:30 is in both
 *                               ^^^^^^^^^^^^^^^ a repetition
 *
 * Thus a gap needs no code: nobody ever looks into it. (Spring 5.3 added hours to a local time and
 * had to repair what came out, twice: gh-26744, gh-28038. ccronexpr asks mktime, which moves a time
 * in a gap to before it, and so gives a next time that is past: #15.) A repetition needs a few
 * lines, for expressions that name their hours.
 *
 *   [CRON-1] What next finds is later than what it was given, what prev finds is earlier, by the
 *            clock of UTC; and it matches. Between the two nothing does.
 *   [CRON-2] A match of an expression that names its hours is a repetition, and left out, if the
 *            same local time has been before, in an earlier period. Not in any one before: if
 *            clocks are put forward, and soon back by more, what was skipped then comes late, but
 *            for the first time.
 *   [CRON-3] The search ends: with each round it goes to another period, or in the same one past a
 *            repetition, and there are so many of both.
 *
 * Leaping. A date that is years away, 29 February on a Monday, would be looked for in each period
 * until then, and not found. But all local times are within a day or so of UTC. So if the next
 * match in local time is far away, all periods until shortly before it can be left out; except that
 * clocks put back may give local times before the one from which was searched, for the spread of
 * all offsets at most.
 */
#include "cron/cron.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "zone/civil.h"
#include "zone/zone.h"

#define SPREAD (GP__HIGHEST_OFFSET - GP__LOWEST_OFFSET)

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 */
struct gp_cron {
    _Atomic size_t refs;     /* A */
    gp_zone *zone;           /* I a reference */
    bool leaves_repetitions; /* I out */
    struct gp__cron_set set; /* I */
};

/* Searching. */

/* Was that local time, of that period, in an earlier one? Then in which, as local time? [CRON-2] */
static bool is_repetition(const gp_cron *cron, size_t number, int64_t local,
                          struct gp__period *before)
{
    if (!cron->leaves_repetitions)
        return false;
    while (number-- > 0) {
        struct gp__period period = gp__zone_period(cron->zone, number);
        if (period.end + GP__HIGHEST_OFFSET <= local)
            return false;
        before->begin = period.begin + period.offset;
        before->end = period.end + period.offset;
        if (before->begin <= local && local < before->end)
            return true;
    }
    return false;
}

static int64_t larger(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

static int64_t smaller(int64_t left, int64_t right)
{
    return left < right ? left : right;
}

/* The first match at `from` or later, before the period ends. Else false, and *from is where the
   search is to go on. */
static bool next_in_period(const gp_cron *cron, size_t number, int64_t *from)
{
    struct gp__period period = gp__zone_period(cron->zone, number);
    struct gp__period before = {0};
    int64_t local = 0;
    while (*from < period.end) { /* [CRON-3] */
        if (!gp__cron_next_local(&cron->set, *from + period.offset, &local)) {
            *from = GP__LAST_SECOND + 1;
        } else if (local - period.offset >= period.end) {
            bool leap = period.end - *from >= SPREAD;
            *from = leap ? larger(period.end, local - GP__HIGHEST_OFFSET) : period.end;
        } else if (is_repetition(cron, number, local, &before)) {
            *from = smaller(before.end - period.offset, period.end);
        } else {
            *from = local - period.offset;
            return true;
        }
    }
    return false;
}

/* The same, backwards: at `to` or earlier. */
static bool previous_in_period(const gp_cron *cron, size_t number, int64_t *to)
{
    struct gp__period period = gp__zone_period(cron->zone, number);
    struct gp__period before = {0};
    int64_t local = 0;
    while (*to >= period.begin) {
        if (!gp__cron_previous_local(&cron->set, *to + period.offset, &local)) {
            *to = GP__FIRST_SECOND - 1;
        } else if (local - period.offset < period.begin) {
            bool leap = *to - period.begin >= SPREAD;
            *to = leap ? smaller(period.begin - 1, local - GP__LOWEST_OFFSET) : period.begin - 1;
        } else if (is_repetition(cron, number, local, &before)) {
            *to = larger(before.begin - period.offset, period.begin) - 1;
        } else {
            *to = local - period.offset;
            return true;
        }
    }
    return false;
}

int64_t gp_cron_next(const gp_cron *cron, int64_t after)
{
    int64_t second = gp__floor_divide(after, GP_SECONDS(1)) + 1; /* [CRON-1] */
    if (cron->set.never)
        return GP_NEVER;
    while (second <= GP__LAST_SECOND)
        if (next_in_period(cron, gp__zone_find(cron->zone, second), &second))
            return GP_SECONDS(second);
    return GP_NEVER;
}

int64_t gp_cron_prev(const gp_cron *cron, int64_t before)
{
    int64_t second = gp__floor_divide(before, GP_SECONDS(1)) - (before % GP_SECONDS(1) == 0);
    if (cron->set.never)
        return INT64_MIN;
    while (second >= GP__FIRST_SECOND)
        if (previous_in_period(cron, gp__zone_find(cron->zone, second), &second))
            return GP_SECONDS(second);
    return INT64_MIN;
}

bool gp_cron_matches(const gp_cron *cron, int64_t time)
{
    int64_t second = gp__floor_divide(time, GP_SECONDS(1));
    if (cron->set.never || second < GP__FIRST_SECOND)
        return false;
    size_t number = gp__zone_find(cron->zone, second);
    int64_t local = second + gp__zone_period(cron->zone, number).offset;
    struct gp__period before;
    return gp__cron_matches_local(&cron->set, local) &&
           !is_repetition(cron, number, local, &before);
}

/* Making one. */

static int make_cron(const struct gp__cron_set *set, gp_zone *zone, unsigned flags, gp_cron **out)
{
    gp_cron *cron = malloc(sizeof *cron);
    if (cron == NULL)
        return GP_ENOMEM;
    *cron = (gp_cron){.zone = zone, .set = *set};
    cron->leaves_repetitions = !set->through_hours && (flags & GP_CRON_OVERLAP_TWICE) == 0;
    atomic_init(&cron->refs, 1);
    *out = cron;
    return GP_OK;
}

/* The zone's reference is the expression's, or given back. */
static int make_with(const struct gp__cron_set *set, gp_zone *zone, unsigned flags, gp_cron **out)
{
    int status = make_cron(set, zone, flags, out);
    if (status != GP_OK)
        gp_zone_release(zone);
    return status;
}

static int refuse_zone(int status, gp_cron_error *error)
{
    if (status != GP_ENOMEM)
        *error = (gp_cron_error){.field = GP_CRON_ZONE,
                                 .reason = status == GP_ENOTFOUND ? "there is no such zone"
                                           : status == GP_EINVAL  ? "not the name of a zone"
                                                                  : "its table cannot be used"};
    return status;
}

static int read_expression(const char *expression, unsigned flags, gp_cron **out,
                           struct gp__cron_set *set, gp_cron_error *error)
{
    *error = (gp_cron_error){.field = GP_CRON_EXPRESSION,
                             .reason = out == NULL ? "there is nowhere to put it"
                                                   : "there is no such flag"};
    if (out == NULL || (flags & ~(unsigned)GP_CRON_OVERLAP_TWICE) != 0)
        return GP_EINVAL;
    return gp__cron_read(expression, set, error) ? GP_OK : GP_EINVAL;
}

int gp_cron_parse(const char *expression, const char *zone, unsigned flags, gp_cron **out,
                  gp_cron_error *error)
{
    struct gp__cron_set set;
    gp_cron_error found;
    gp_zone *opened = NULL;
    int status = read_expression(expression, flags, out, &set, &found);
    if (status == GP_OK) {
        status = gp_zone_open(zone, &opened);
        if (status == GP_OK)
            return make_with(&set, opened, flags, out);
        refuse_zone(status, &found);
    }
    if (error != NULL && status != GP_ENOMEM)
        *error = found;
    return status;
}

int gp_cron_parse_in(const char *expression, gp_zone *zone, unsigned flags, gp_cron **out,
                     gp_cron_error *error)
{
    if (zone == NULL)
        return gp_cron_parse(expression, "UTC", flags, out, error);
    struct gp__cron_set set;
    gp_cron_error found;
    int status = read_expression(expression, flags, out, &set, &found);
    if (status == GP_OK)
        return make_with(&set, gp_zone_retain(zone), flags, out);
    if (error != NULL)
        *error = found;
    return status;
}

gp_cron *gp_cron_retain(gp_cron *cron)
{
    /* relaxed: who has a handle may make another */
    atomic_fetch_add_explicit(&cron->refs, 1, memory_order_relaxed);
    return cron;
}

void gp_cron_release(gp_cron *cron)
{
    /* acq_rel: all uses of the others come before the free */
    if (cron == NULL || atomic_fetch_sub_explicit(&cron->refs, 1, memory_order_acq_rel) != 1)
        return;
    gp_zone_release(cron->zone);
    free(cron);
}

bool gp_cron_is_disabled(const gp_cron *cron)
{
    return cron->set.disabled;
}

gp_zone *gp_cron_zone(const gp_cron *cron)
{
    return cron->zone;
}

const struct gp__cron_set *gp__cron_set_of(const gp_cron *cron)
{
    return &cron->set;
}

bool gp__cron_leaves_repetitions(const gp_cron *cron)
{
    return cron->leaves_repetitions;
}
