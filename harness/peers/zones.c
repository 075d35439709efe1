/*
 * Zones: ours against zdump's and Java's, every transition from 1970 to 2100.
 *
 * zdump reads the same files as we do, with another reader: offset, daylight saving and
 * abbreviation must be the same on both sides of each transition, and there must be as many.
 *
 * Java has its own copy of the zones, of a day of its own, and of each transition the offset alone.
 * Two versions of the data may differ in the zones that a version in between has changed: the file
 * zone-changes has them, as lines "version zone reason". Any other difference is a fault.
 *
 * A transition is where something can be seen to change. Files have some where nothing does.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "harness/peers/peers.h"

enum {
    NAME = 64,
    CHANGES = 1024, /* of one zone from 1970 to 2100 */
    SHOWN = 20,
    DIFFERENT = 256 /* zones, at most */
};

#define YEAR_2100 INT64_C(4102444800)

struct change {
    int64_t seconds;
    long offset;
    int daylight;
    char abbreviation[16];
};

struct changes {
    size_t count;
    struct change list[CHANGES];
};

static void add_change(struct changes *changes, const struct change *change)
{
    if (changes->count == CHANGES)
        give_up("too many changes", "of a zone");
    changes->list[changes->count++] = *change;
}

/* ---- our side ---- */

static struct change change_of(const gp_zone_period *period)
{
    struct change change = {.seconds = period->begin == INT64_MIN ? INT64_MIN
                                                                  : period->begin / GP_SECONDS(1),
                            .offset = period->offset,
                            .daylight = period->daylight_saving};

    snprintf(change.abbreviation, sizeof(change.abbreviation), "%s", period->abbreviation);
    return change;
}

static bool looks_like(const struct change *one, const struct change *other, bool offset_only)
{
    return one->offset == other->offset &&
           (offset_only || (one->daylight == other->daylight &&
                            strcmp(one->abbreviation, other->abbreviation) == 0));
}

/* The first is the state of 1970. */
static void walk(const char *name, bool offset_only, struct changes *changes)
{
    const gp_zone *zone = open_zone(name);
    gp_zone_period period = gp_zone_period_at(zone, 0);

    changes->count = 0;
    while (period.begin < YEAR_2100 * GP_SECONDS(1)) {
        struct change change = change_of(&period);
        if (changes->count == 0)
            change.seconds = 0;
        if (changes->count == 0 ||
            !looks_like(&changes->list[changes->count - 1], &change, offset_only))
            add_change(changes, &change);
        if (period.end == INT64_MAX)
            return;
        gp_zone_period next = gp_zone_period_at(zone, period.end);
        if (next.begin != period.end || next.end <= next.begin)
            give_up("two periods do not adjoin", name);
        period = next;
    }
}

/* ---- the comparison ---- */

struct tally {
    size_t zones, transitions, different;
    char names[DIFFERENT][NAME];
};

static void differ(struct tally *tally, const char *zone, const struct change *ours,
                   const struct change *theirs)
{
    if (tally->different < SHOWN && (ours || theirs)) {
        printf("  %s:", zone);
        if (ours)
            printf(" ours %" PRId64 " %+ld %d %s", ours->seconds, ours->offset, ours->daylight,
                   ours->abbreviation);
        if (theirs)
            printf(" theirs %" PRId64 " %+ld %d %s", theirs->seconds, theirs->offset,
                   theirs->daylight, theirs->abbreviation);
        printf("\n");
    }
    if (tally->different == DIFFERENT)
        give_up("too many zones differ", zone);
    snprintf(tally->names[tally->different++], NAME, "%s", zone);
}

static void compare(struct tally *tally, const char *zone, const struct changes *theirs,
                    bool offset_only)
{
    static struct changes ours;

    walk(zone, offset_only, &ours);
    tally->zones++;
    tally->transitions += ours.count - 1;
    for (size_t i = 0; i < ours.count || i < theirs->count; i++) {
        const struct change *one = i < ours.count ? &ours.list[i] : NULL;
        const struct change *other = i < theirs->count ? &theirs->list[i] : NULL;
        if (!one || !other || one->seconds != other->seconds ||
            !looks_like(one, other, offset_only)) {
            differ(tally, zone, one, other);
            return;
        }
    }
}

/* ---- zdump ---- */

static int64_t seconds_of(long year, int month, int day, int hour, int minute, int second)
{
    long shifted = month > 2 ? year : year - 1; /* years from March on: the leap day is last */
    long months = (month + 9) % 12, days = (153 * months + 2) / 5 + day - 1;

    days += 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 - 719468;
    return ((days * 24 + hour) * 60 + minute) * INT64_C(60) + second;
}

static int month_of(const char *name)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (int i = 0; i < 12; i++)
        if (strncmp(months + 3 * i, name, 3) == 0)
            return i + 1;
    give_up("no month", name);
}

/* "zone  Sun Apr  6 01:00:00 1980 UT = Sun Apr  6 03:00:00 1980 CEST isdst=1 gmtoff=7200" */
static bool read_dump(FILE *file, char zone[NAME], struct change *change)
{
    char line[LINE], month[4];
    int day, hour, minute, second;
    long year;

    while (read_line(file, line)) {
        if (sscanf(line,
                   "%63s %*s %3s %d %d:%d:%d %ld UT = %*s %*s %*s %*s %*s %15s isdst=%d gmtoff=%ld",
                   zone, month, &day, &hour, &minute, &second, &year, change->abbreviation,
                   &change->daylight, &change->offset) != 10)
            continue;
        change->seconds = seconds_of(year, month_of(month), day, hour, minute, second);
        return true;
    }
    return false;
}

/* Two lines per transition: a second before, and at it. */
static void take_dump(struct changes *changes, const struct change *change)
{
    if (changes->count == 0) {
        add_change(changes, change);
        changes->list[0].seconds = 0;
        return;
    }
    const struct change *last = &changes->list[changes->count - 1];
    if (!looks_like(last, change, false))
        add_change(changes, change);
}

/* A zone without transitions is not in the dump at all. */
static void compare_steady(struct tally *tally, const char *zone)
{
    static struct changes ours;

    walk(zone, false, &ours);
    tally->zones++;
    if (ours.count > 1)
        differ(tally, zone, &ours.list[1], NULL);
}

static int close_tally(const struct tally *tally, const char *what, size_t excused)
{
    printf("zones, %s: %zu zones, %zu transitions from 1970 to 2100, %zu zones differ", what,
           tally->zones, tally->transitions, tally->different);
    if (excused > 0)
        printf(", %zu of them for a stated reason", excused);
    printf("\n");
    return tally->different != excused || tally->zones == 0 || tally->transitions == 0;
}

/* The dump has the zones in the order of the list. */
int compare_zdump(const char *zones, const char *dump)
{
    static struct tally tally;
    static struct changes theirs;
    FILE *names = open_file(zones), *dumped = open_file(dump);
    char name[LINE], zone[NAME] = "";
    struct change change;
    bool more = read_dump(dumped, zone, &change);

    while (read_line(names, name)) {
        theirs.count = 0;
        for (; more && strcmp(zone, name) == 0; more = read_dump(dumped, zone, &change))
            take_dump(&theirs, &change);
        if (theirs.count > 0)
            compare(&tally, name, &theirs, false);
        else
            compare_steady(&tally, name);
    }
    fclose(names);
    fclose(dumped);
    if (more)
        give_up("a zone that was not asked for", zone);
    return close_tally(&tally, "zdump", 0);
}

/* ---- Java ---- */

static bool read_java(FILE *file, char zone[NAME], struct change *change)
{
    char line[LINE];

    if (!read_line(file, line))
        return false;
    *change = (struct change){.seconds = 0};
    if (sscanf(line, "%63s %" SCNd64 " %ld", zone, &change->seconds, &change->offset) != 3)
        give_up("not a transition", line);
    return true;
}

/* Is the version one of those after the elder of the two, up to the younger? */
static bool lies_between(const char *version, const char *ours, const char *theirs)
{
    bool ours_younger = strcmp(ours, theirs) > 0;
    const char *elder = ours_younger ? theirs : ours, *younger = ours_younger ? ours : theirs;

    return strcmp(version, "always") == 0 ||
           (strcmp(version, elder) > 0 && strcmp(version, younger) <= 0);
}

static bool is_excused(const char *path, const char *zone, const char *ours, const char *theirs)
{
    FILE *file = open_file(path);
    char line[LINE], version[16], name[NAME];
    int reason = 0;
    bool found = false;

    while (!found && read_line(file, line))
        found = sscanf(line, "%15s %63s %n", version, name, &reason) == 2 && line[0] != '#' &&
                strcmp(name, zone) == 0 && lies_between(version, ours, theirs);
    fclose(file);
    if (found)
        printf("  %s: %s: %s\n", zone, version, line + reason);
    else
        printf("  %s: no reason known\n", zone);
    return found;
}

/* Both are in the order of their bytes; who has a name that the other lacks differs. */
static void compare_all(struct tally *tally, FILE *names, FILE *transitions)
{
    static struct changes theirs;
    char name[LINE], zone[NAME];
    struct change change;
    bool ours_left = read_line(names, name), theirs_left = read_java(transitions, zone, &change);

    while (ours_left || theirs_left) {
        int order = !ours_left ? 1 : !theirs_left ? -1 : strcmp(name, zone);
        char present[NAME];
        snprintf(present, NAME, "%.63s", order <= 0 ? name : zone);
        theirs.count = 0;
        while (theirs_left && strcmp(zone, present) == 0) {
            add_change(&theirs, &change);
            theirs_left = read_java(transitions, zone, &change);
        }
        if (order == 0)
            compare(tally, present, &theirs, true);
        else
            differ(tally, present, NULL, NULL);
        if (order <= 0)
            ours_left = read_line(names, name);
    }
}

int compare_java(const char *zones, const char *transitions, const char *version,
                 const char *changes)
{
    static struct tally tally;
    FILE *names = open_file(zones), *theirs = open_file(transitions);
    char line[LINE], their_version[16];
    size_t excused = 0;

    if (!read_line(theirs, line) || sscanf(line, "version %15s", their_version) != 1)
        give_up("no version", transitions);
    compare_all(&tally, names, theirs);
    fclose(names);
    fclose(theirs);
    for (size_t i = 0; i < tally.different; i++)
        excused += is_excused(changes, tally.names[i], version, their_version);
    printf("zones, Java: its tzdb is %s, the system's %s\n", their_version, version);
    return close_tally(&tally, "Java", excused);
}

/* ---- leap seconds ---- */

int refuse_leap_seconds(const char *zones)
{
    FILE *names = open_file(zones);
    char name[LINE];
    size_t refused = 0, taken = 0;

    while (read_line(names, name)) {
        gp_zone *zone = NULL;
        if (gp_zone_open(name, &zone) == GP_ENOTSUP) {
            refused++;
        } else {
            printf("  %s: taken\n", name);
            taken++;
        }
        gp_zone_release(zone);
    }
    fclose(names);
    printf("zones with leap seconds: %zu refused, %zu taken\n", refused, taken);
    return taken > 0;
}
