/* Zones: names, files, the environment, and periods. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h> /* setenv, mkdtemp */
#include <string.h>
#include <sys/resource.h> /* setrlimit */
#include <sys/stat.h>     /* mkfifo */
#include <unistd.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "fault.h"
#include "suite.h"
#include "support.h"
#include "zone_support.h"

static void clear_environment(void)
{
    unsetenv("TZ");
    unsetenv("TZDIR");
}

static void check_opens(const char *name, const char *called, int32_t offset)
{
    gp_zone *zone = NULL;
    check_within(name == NULL ? "local" : name);
    require_ok(gp_zone_open(name, &zone));
    check_text(gp_zone_name(zone), called);
    check_int(gp_zone_period_at(zone, 0).offset, offset);
    check_within(NULL);
    gp_zone_release(zone);
}

static void check_refused(const char *name, int status)
{
    gp_zone *zone = NULL;
    check_within(name == NULL ? "local" : name);
    check_status(gp_zone_open(name, &zone), status);
    check(zone == NULL);
    check_within(NULL);
}

/* Names. */

static void utc_needs_no_file(void)
{
    setenv("TZDIR", "/no/such/directory", 1);
    check_opens("UTC", "UTC", 0);
    check_opens("Etc/UTC", "Etc/UTC", 0);
    check_refused("GMT", GP_ENOTFOUND);
    check_refused("Europe/Berlin", GP_ENOTFOUND);
    gp_zone *zone = NULL;
    require_ok(gp_zone_open("UTC", &zone));
    gp_zone_period period = gp_zone_period_at(zone, 0);
    check(period.begin == INT64_MIN);
    check(period.end == INT64_MAX);
    check(!period.daylight_saving);
    check_text(period.abbreviation, "UTC");
    gp_zone_release(zone);
}

static void what_is_no_name_is_refused(void)
{
    static const char *const names[] = {
        "",
        "/",
        "/etc/localtime",
        "../etc/passwd",
        "Europe/../Europe/Berlin",
        "..",
        ".",
        "Europe/",
        "Europe//Berlin",
        "/Europe",
        "./Europe",
        "Europe/.",
        "Europe/.hidden",
        "Europe Berlin",
        "Europe\\Berlin",
        "Europe\n",
        "Eur\xc3\xb6",
        "a:b",
        "%2e%2e",
        "CET-1CEST,M3.5.0,M10.5.0/3",
        "Europe/..",
        "~",
        "*",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_refused(names[i], GP_EINVAL);
    char name[200];
    memset(name, 'a', sizeof name);
    name[101] = '\0';
    check_refused(name, GP_EINVAL);
    name[100] = '\0';
    check_refused(name, GP_ENOTFOUND);
    check_refused("azAZ09+-_", GP_ENOTFOUND);
    check_status(gp_zone_open("UTC", NULL), GP_EINVAL);
}

/* Files: in a directory of our own. */

static char directory[40];

static void path_in(const char *name, char path[100])
{
    snprintf(path, 100, "%s/%s", directory, name);
}

static void write_file(const char *name, const void *data, size_t size)
{
    char path[100];
    path_in(name, path);
    FILE *file = fopen(path, "w");
    require(file != NULL);
    check_int(fwrite(data, 1, size, file), size);
    fclose(file);
}

static const struct tzif_type one_hour[] = {{.offset = 3600}};
static const struct tzif plain = {.version = '2',
                                  .types = one_hour,
                                  .type_count = 1,
                                  .names = "AAA",
                                  .names_size = 4,
                                  .footer = ""};

static void begin_directory(void)
{
    unsigned char data[TZIF_SIZE];
    snprintf(directory, sizeof directory, "/tmp/glasspool-zones-XXXXXX");
    require(mkdtemp(directory) != NULL);
    size_t size = tzif_write(&plain, data);
    write_file("Zone", data, size);
    setenv("TZDIR", directory, 1);
}

static void remove_file(const char *name)
{
    char path[100];
    path_in(name, path);
    check_int(remove(path), 0);
}

static void end_directory(void)
{
    remove_file("Zone");
    check_int(rmdir(directory), 0);
    clear_environment();
}

static void tzdir_is_where_the_files_are(void)
{
    char path[100];
    gp_zone *zone = NULL;
    begin_directory();
    check_opens("Zone", "Zone", 3600);
    check_refused("Zone/Zone", GP_ENOTFOUND);
    check_refused("Other", GP_ENOTFOUND);
    check_refused("Etc/GMT+5", GP_ENOTFOUND);
    check_refused("Port-au_Prince.0", GP_ENOTFOUND);
    path_in("Loop", path);
    check_int(symlink("Loop", path), 0);
    check_refused("Loop", GP_ENOTFOUND);
    remove_file("Loop");
    end_directory();
    int status = gp_zone_open("Europe/Berlin", &zone); /* not everybody has it */
    gp_zone_release(zone);
    zone = NULL;
    setenv("TZDIR", "", 1); /* as if it were not set */
    check_status(gp_zone_open("Europe/Berlin", &zone), status);
    gp_zone_release(zone);
}

static void what_is_no_table_is_refused(void)
{
    char path[100];
    char *large = calloc(1, (1 << 20) + 1);
    begin_directory();
    write_file("empty", "", 0);
    write_file("text", "hello", 5);
    write_file("large", large, (1 << 20) + 1);
    path_in("pipe", path);
    check_int(mkfifo(path, 0600), 0);
    path_in("folder", path);
    check_int(mkdir(path, 0700), 0);
    check_refused("empty", GP_ENOTSUP);
    check_refused("text", GP_ENOTSUP);
    check_refused("large", GP_ENOTSUP);
    check_refused("pipe", GP_ENOTFOUND); /* and nobody waits for a writer */
    check_refused("folder", GP_ENOTFOUND);
    remove_file("empty");
    remove_file("text");
    remove_file("large");
    remove_file("pipe");
    remove_file("folder");
    end_directory();
    free(large);
}

/* Files of sysfs say that they have a page, and have less. */
static void a_file_that_ends_early_is_refused(void)
{
    const char *path = "/sys/devices/system/cpu/online";
    if (access(path, R_OK) != 0) {
        printf("%s: skipped, because this system does not have it\n", path);
        return;
    }
    setenv("TZ", path, 1);
    check_refused(NULL, GP_ENOTSUP);
}

static void a_path_that_is_too_long_leads_nowhere(void)
{
    char path[1100];
    memset(path, 'a', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    setenv("TZDIR", path, 1);
    check_refused("Zone", GP_ENOTFOUND);
}

/* The local zone. */

static void tz_names_a_file(void)
{
    char value[100];
    begin_directory();
    setenv("TZ", "Zone", 1);
    check_opens(NULL, "local", 3600);
    setenv("TZ", ":Zone", 1);
    check_opens(NULL, "local", 3600);
    snprintf(value, sizeof value, "%s/Zone", directory);
    setenv("TZ", value, 1);
    check_opens(NULL, "local", 3600);
    snprintf(value, sizeof value, ":%s/Zone", directory);
    setenv("TZ", value, 1);
    check_opens(NULL, "local", 3600);
    end_directory();
}

static void tz_describes_a_zone(void)
{
    setenv("TZ", "<+03>-3", 1);
    check_opens(NULL, "local", 10800);
    setenv("TZ", "AAA5", 1); /* looks like a name, but no file has it */
    check_opens(NULL, "local", -18000);
    setenv("TZ", "", 1);
    check_opens(NULL, "local", 0);
    setenv("TZ", "UTC", 1);
    check_opens(NULL, "local", 0);
}

static void tz_that_leads_nowhere_is_an_error(void)
{
    setenv("TZ", "No/Such", 1);
    check_refused(NULL, GP_ENOTFOUND);
    setenv("TZ", ":AAA5", 1);
    check_refused(NULL, GP_ENOTFOUND);
    setenv("TZ", "/no/such/file", 1);
    check_refused(NULL, GP_ENOTFOUND);
    setenv("TZ", "what is this?", 1);
    check_refused(NULL, GP_EINVAL);
    setenv("TZ", "/dev/null", 1);
    check_refused(NULL, GP_ENOTFOUND);
}

static void without_tz_there_is_a_local_zone_still(void)
{
    gp_zone *zone = NULL;
    require_ok(gp_zone_open(NULL, &zone)); /* of /etc/localtime, or UTC */
    check_text(gp_zone_name(zone), "local");
    gp_zone_release(zone);
}

/* [OPEN-3] */
static void a_file_that_cannot_be_opened_now_is_not_taken_for_none(void)
{
    struct rlimit limit;
    require(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    struct rlimit none = {.rlim_cur = 0, .rlim_max = limit.rlim_max};
    begin_directory();
    require(setrlimit(RLIMIT_NOFILE, &none) == 0);
    check_refused("Zone", GP_ENOTSUP);
    unsetenv("TZ");
    check_refused(NULL, GP_ENOTSUP); /* not UTC */
    require(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    end_directory();
}

/* Periods. */

static void check_period(const gp_zone *zone, const char *at, const char *begin, const char *end,
                         int32_t offset, bool daylight_saving, const char *abbreviation)
{
    gp_zone_period period = gp_zone_period_at(zone, utc(at));
    check_within(at);
    check_int(period.begin, begin == NULL ? INT64_MIN : utc(begin));
    check_int(period.end, end == NULL ? INT64_MAX : utc(end));
    check_int(period.offset, offset);
    check_int(period.daylight_saving, daylight_saving);
    check_text(period.abbreviation, abbreviation);
    check_within(NULL);
}

/* In front of each change, at it, and after it; from the first to the last. */
static void check_rows_of_periods(const gp_zone *zone)
{
    int64_t time = INT64_MIN;
    int count = 0;
    for (;; count++) {
        gp_zone_period period = gp_zone_period_at(zone, time);
        check(period.begin == time);
        check(period.begin < period.end);
        check(gp_zone_period_at(zone, period.end - 1).begin == period.begin);
        if (period.end == INT64_MAX)
            break;
        gp_zone_period next = gp_zone_period_at(zone, period.end);
        check(next.offset != period.offset || next.daylight_saving != period.daylight_saving ||
              strcmp(next.abbreviation, period.abbreviation) != 0); /* [ZONE-2] */
        check(gp_zone_period_at(zone, period.end + 1).begin == period.end);
        time = period.end;
    }
    check(gp_zone_period_at(zone, INT64_MAX).end == INT64_MAX);
    check(count > 0);
}

static void periods_join_without_gaps(void)
{
    gp_zone *zone = zone_of_rule("CET-1CEST,M3.5.0,M10.5.0/3");
    check_rows_of_periods(zone);
    gp_zone_release(zone);
    zone = zone_of_rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
    check_rows_of_periods(zone);
    gp_zone_release(zone);
    static const struct change changes[] = {
        {"1900-01-01", 1}, {"1900-01-01 00:00:01", 2}, {"2200-01-01", 3}, {0}};
    zone = zone_of_changes(0, changes);
    check_rows_of_periods(zone);
    gp_zone_release(zone);
}

static void berlin(void)
{
    gp_zone *zone = zone_of_system("Europe/Berlin");
    if (zone == NULL)
        return;
    check_rows_of_periods(zone);
    check_period(zone, "1800-01-01", NULL, "1893-03-31 23:06:32", 3208, false, "LMT");
    check_period(zone, "1945-06-01", "1945-05-24 00:00", "1945-09-24 00:00", 10800, true, "CEMT");
    check_period(zone, "2026-01-01", "2025-10-26 01:00", "2026-03-29 01:00", 3600, false, "CET");
    check_period(zone, "2026-07-01", "2026-03-29 01:00", "2026-10-25 01:00", 7200, true, "CEST");
    check_period(zone, "2200-07-01", "2200-03-30 01:00", "2200-10-26 01:00", 7200, true, "CEST");
    check_period(zone, "2262-04-11", "2262-03-30 01:00", NULL, 7200, true, "CEST");
    gp_zone_release(zone);
}

static void every_zone_of_the_system_can_be_read(void)
{
    static const char *const names[] = {
        "Africa/Casablanca", "America/New_York", "America/Nuuk",    "America/Sao_Paulo",
        "Antarctica/Troll",  "Asia/Gaza",        "Asia/Tehran",     "Australia/Lord_Howe",
        "Europe/Dublin",     "Pacific/Apia",     "Pacific/Chatham", "America/Scoresbysund",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gp_zone *zone = zone_of_system(names[i]);
        if (zone != NULL)
            check_rows_of_periods(zone);
        gp_zone_release(zone);
    }
}

/* Handles and memory. */

static void each_handle_keeps_it(void)
{
    gp_zone *zone = zone_of_rule("<+03>-3");
    check(gp_zone_retain(zone) == zone);
    gp_zone_release(zone);
    check_text(gp_zone_name(zone), "<+03>-3");
    gp_zone_release(zone);
    gp_zone_release(NULL);
}

static void check_faults(const char *name, unsigned points)
{
    struct fault_walk walk = {.kinds = FAULT_MEMORY};
    while (fault_walk_next(&walk)) {
        gp_zone *zone = NULL;
        int status = gp_zone_open(name, &zone);
        if (fault_walk_hit(&walk)) {
            check_status(status, GP_ENOMEM);
            check(zone == NULL);
        } else {
            check_status(status, GP_OK);
            gp_zone_release(zone);
        }
    }
    check_int(walk.point, points);
}

static void want_of_memory(void)
{
    begin_directory();
    check_faults("Zone", 3); /* the file, the zone, none */
    check_faults("UTC", 2);
    end_directory();
    setenv("TZ", "AAA5BBB,0,1", 1);
    check_faults(NULL, 2);
    setenv("TZ", "", 1);
    check_faults(NULL, 2);
}

static const struct test tests[] = {
    TEST(utc_needs_no_file),
    TEST(what_is_no_name_is_refused),
    TEST(tzdir_is_where_the_files_are),
    TEST(what_is_no_table_is_refused),
    TEST(a_file_that_ends_early_is_refused),
    TEST(a_path_that_is_too_long_leads_nowhere),
    TEST(tz_names_a_file),
    TEST(tz_describes_a_zone),
    TEST(tz_that_leads_nowhere_is_an_error),
    TEST(without_tz_there_is_a_local_zone_still),
    TEST(a_file_that_cannot_be_opened_now_is_not_taken_for_none),
    TEST(periods_join_without_gaps),
    TEST(berlin),
    TEST(every_zone_of_the_system_can_be_read),
    TEST(each_handle_keeps_it),
    TEST(want_of_memory),
    END_OF_TESTS,
};

const struct suite zone_suite = {.name = "zone", .tests = tests, .prepare = clear_environment};
