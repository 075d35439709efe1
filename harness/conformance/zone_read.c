/* TZif: what the bytes mean, and bytes that are not to be believed. */
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "fault.h"
#include "suite.h"
#include "support.h"
#include "zone_support.h"

static const int64_t times[] = {0, 1000, 2000};
static const uint8_t kinds[] = {1, 2, 1};
static const struct tzif_type types[] = {{3600, 0, 0}, {7200, 1, 4}, {-1800, 0, 7}};

static const struct tzif good = {.version = '2',
                                 .times_count = 3,
                                 .times = times,
                                 .kinds = kinds,
                                 .type_count = 3,
                                 .types = types,
                                 .names = "AAA\0BB\0CCCC",
                                 .names_size = 12,
                                 .footer = ""};

static gp_zone *zone_of(const struct tzif *tzif)
{
    unsigned char data[TZIF_SIZE];
    gp_zone *zone = NULL;
    require_ok(gp_zone_of_data("made", data, tzif_write(tzif, data), &zone));
    return zone;
}

static void check_refused(const struct tzif *tzif)
{
    unsigned char data[TZIF_SIZE];
    gp_zone *zone = NULL;
    check_status(gp_zone_of_data("made", data, tzif_write(tzif, data), &zone), GP_ENOTSUP);
    check(zone == NULL);
}

static void check_at(const gp_zone *zone, int64_t second, int32_t offset, bool daylight_saving,
                     const char *abbreviation)
{
    gp_zone_period period = gp_zone_period_at(zone, GP_SECONDS(second));
    check_int(period.offset, offset);
    check_int(period.daylight_saving, daylight_saving);
    check_text(period.abbreviation, abbreviation);
}

/* Meaning. */

static void before_between_and_after_the_transitions(void)
{
    gp_zone *zone = zone_of(&good);
    check_text(gp_zone_name(zone), "made");
    check_at(zone, -1, 3600, false, "AAA");
    check_at(zone, 0, 7200, true, "BB");
    check_at(zone, 999, 7200, true, "BB");
    check_at(zone, 1000, -1800, false, "CCCC");
    check_at(zone, 2000, 7200, true, "BB");
    check_at(zone, INT64_C(9000000000), 7200, true, "BB");
    check(gp_zone_period_at(zone, -1).begin == INT64_MIN);
    check(gp_zone_period_at(zone, -1).end == 0);
    check(gp_zone_period_at(zone, 0).end == GP_SECONDS(1000));
    check(gp_zone_period_at(zone, GP_SECONDS(2000)).end == INT64_MAX);
    gp_zone_release(zone);
}

static void the_old_version_has_32_bits_and_no_rule(void)
{
    struct tzif tzif = good;
    const int64_t early[] = {-1000, 1000, INT32_MAX};
    tzif.version = 0;
    tzif.footer = NULL;
    tzif.times = early;
    gp_zone *zone = zone_of(&tzif);
    check_at(zone, -1001, 3600, false, "AAA");
    check_at(zone, -1000, 7200, true, "BB");
    check_at(zone, INT32_MAX, 7200, true, "BB");
    check_at(zone, INT64_C(9000000000), 7200, true, "BB");
    gp_zone_release(zone);
}

static void newer_versions_are_read_like_2(void)
{
    struct tzif tzif = good;
    static const char versions[] = "2345";
    for (size_t i = 0; versions[i] != '\0'; i++) {
        tzif.version = versions[i];
        gp_zone_release(zone_of(&tzif));
    }
    tzif.version = '1';
    check_refused(&tzif);
    tzif.version = 1;
    check_refused(&tzif);
}

static void the_rule_takes_over_after_the_last_transition(void)
{
    struct tzif tzif = good;
    const int64_t early[] = {0, 1000, INT64_C(1790000000)}; /* 2026-09-21, in summer */
    tzif.times = early;
    tzif.footer = "CET-1CEST,M3.5.0,M10.5.0/3";
    gp_zone *zone = zone_of(&tzif);
    gp_zone_period period = gp_zone_period_at(zone, GP_SECONDS(1790000000));
    check_time(period.end, "2026-10-25 01:00", "the rule");
    check_at(zone, INT64_C(1790000000), 7200, true, "BB");
    check_at(zone, INT64_C(1795000000), 3600, false, "CET");
    gp_zone_release(zone);
}

static void without_transitions_the_rule_holds_always(void)
{
    struct tzif tzif = good;
    tzif.times_count = 0;
    tzif.footer = "CET-1CEST,M3.5.0,M10.5.0/3";
    gp_zone *zone = zone_of(&tzif);
    check_at(zone, 0, 3600, false, "CET");
    check_at(zone, utc("1700-07-01") / GP_SECONDS(1), 7200, true, "CEST");
    gp_zone_release(zone);
    tzif.footer = "<-05>5";
    zone = zone_of(&tzif);
    check_at(zone, INT64_C(-9000000000), -18000, false, "-05");
    gp_zone_release(zone);
    tzif.footer = "";
    zone = zone_of(&tzif);
    check_at(zone, 0, 3600, false, "AAA");
    gp_zone_release(zone);
}

/* [ZONE-1] */
static void times_beyond_our_range_are_left_out(void)
{
    struct tzif tzif = good;
    const int64_t far[] = {INT64_MIN, INT64_C(-9223372037), INT64_C(9223372037)};
    tzif.times = far;
    gp_zone *zone = zone_of(&tzif);
    gp_zone_period period = gp_zone_period_at(zone, INT64_MIN);
    check_text(period.abbreviation, "CCCC");
    check(period.end == INT64_MAX);
    gp_zone_release(zone);
    tzif.footer = "CET-1CEST,M3.5.0,M10.5.0/3"; /* begins too late to be seen */
    zone = zone_of(&tzif);
    check(gp_zone_period_at(zone, 0).end == INT64_MAX);
    gp_zone_release(zone);
    const int64_t ends[] = {INT64_C(-9223372036), 0, INT64_C(9223372036)};
    tzif.times = ends;
    tzif.footer = "";
    zone = zone_of(&tzif);
    check_text(gp_zone_period_at(zone, INT64_MIN).abbreviation, "AAA");
    check_at(zone, INT64_C(-9223372036), 7200, true, "BB");
    check_text(gp_zone_period_at(zone, INT64_MAX).abbreviation, "BB");
    check_at(zone, INT64_C(9223372035), -1800, false, "CCCC");
    gp_zone_release(zone);
}

/* [ZONE-2] */
static void transitions_that_change_nothing_are_left_out(void)
{
    struct tzif tzif = good;
    const struct tzif_type same[] = {{3600, 0, 0}, {3600, 0, 4}, {3600, 0, 8}};
    tzif.types = same;
    tzif.names = "AAA\0AAA\0BBB";
    gp_zone *zone = zone_of(&tzif);
    check(gp_zone_period_at(zone, -1).end == GP_SECONDS(1000));
    check(gp_zone_period_at(zone, GP_SECONDS(1000)).end == GP_SECONDS(2000));
    check(gp_zone_period_at(zone, GP_SECONDS(2000)).end == INT64_MAX);
    check_at(zone, 1500, 3600, false, "BBB");
    gp_zone_release(zone);
}

static void flags_are_passed_over(void)
{
    struct tzif tzif = good;
    tzif.standard_flags = 3;
    gp_zone_release(zone_of(&tzif));
    tzif.ut_flags = 3;
    gp_zone_release(zone_of(&tzif));
}

/* Mistrust: [TZIF-1], [TZIF-2]. */

static void counts_that_cannot_be(void)
{
    struct tzif tzif = good;
    tzif.standard_flags = 2;
    check_refused(&tzif);
    tzif = good;
    tzif.ut_flags = 4;
    check_refused(&tzif);
    tzif = good;
    tzif.leap_seconds = 1;
    check_refused(&tzif);
    tzif = good;
    tzif.type_count = 0;
    tzif.times_count = 0;
    check_refused(&tzif);
    tzif = good;
    tzif.names_size = 0;
    check_refused(&tzif);
}

static void more_types_than_indexes(void)
{
    static struct tzif_type many[257];
    struct tzif tzif = good;
    tzif.version = 0;
    tzif.footer = NULL;
    tzif.types = many;
    tzif.type_count = 256;
    gp_zone_release(zone_of(&tzif));
    tzif.type_count = 257;
    check_refused(&tzif);
}

static void transitions_out_of_order_or_of_no_type(void)
{
    struct tzif tzif = good;
    const int64_t twice[] = {0, 1000, 1000};
    const int64_t backwards[] = {0, 1000, 999};
    const uint8_t none[] = {0, 3, 0};
    tzif.times = twice;
    check_refused(&tzif);
    tzif.times = backwards;
    check_refused(&tzif);
    tzif = good;
    tzif.kinds = none;
    check_refused(&tzif);
}

static void check_type_refused(struct tzif_type type)
{
    struct tzif tzif = good;
    struct tzif_type mixed[] = {types[0], types[1], type};
    tzif.types = mixed;
    check_refused(&tzif);
}

static void types_that_cannot_be(void)
{
    check_type_refused((struct tzif_type){-90000, 0, 0});
    check_type_refused((struct tzif_type){93600, 0, 0});
    check_type_refused((struct tzif_type){INT32_MIN, 0, 0});
    check_type_refused((struct tzif_type){INT32_MAX, 0, 0});
    check_type_refused((struct tzif_type){0, 2, 0});
    check_type_refused((struct tzif_type){0, 0, 12});
    check_type_refused((struct tzif_type){0, 0, 255});
    check_type_refused((struct tzif_type){0, 0, 3}); /* an empty name */
}

static void names_that_cannot_be(void)
{
    struct tzif tzif = good;
    tzif.names = "AAA\0BB\0CCCCC"; /* has no end within the text */
    check_refused(&tzif);
    tzif.names = "AAA\0BB\0C C\0";
    check_refused(&tzif);
    tzif.names = "AAA\0BB\0\x1b[m\0";
    check_refused(&tzif);
    tzif.names = "AAA\0BB\0abcdefghijklmnop"; /* 16 letters */
    tzif.names_size = 24;
    check_refused(&tzif);
    tzif.names = "AAA\0BB\0abcdefghijklmno";
    tzif.names_size = 23;
    gp_zone *zone = zone_of(&tzif);
    check_at(zone, 1000, -1800, false, "abcdefghijklmno");
    gp_zone_release(zone);
}

static void footers_that_cannot_be(void)
{
    struct tzif tzif = good;
    tzif.footer = NULL;
    check_refused(&tzif);
    tzif.footer = "nonsense";
    check_refused(&tzif);
    tzif.footer = "CET-1CEST,M3.5.0,M10.5.0/3 ";
    check_refused(&tzif);
}

static void headers_that_cannot_be(void)
{
    unsigned char data[TZIF_SIZE];
    gp_zone *zone = NULL;
    size_t size = tzif_write(&good, data);
    size_t second = (size - 2 - 44 - (3 * 8 + 3 + 18 + 12)); /* of the second header */
    static const struct {
        size_t at;
        unsigned char byte;
    } changes[] = {{0, 'X'}, {3, 'F'}, {4, '1'}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (int header = 0; header < 2; header++) {
            unsigned char copy[TZIF_SIZE];
            memcpy(copy, data, size);
            copy[changes[i].at + (header == 0 ? 0 : second)] = changes[i].byte;
            check_status(gp_zone_of_data("made", copy, size, &zone), GP_ENOTSUP);
        }
    data[second + 4] = 0; /* the second block is of the old version */
    check_status(gp_zone_of_data("made", data, size, &zone), GP_ENOTSUP);
    check(zone == NULL);
}

static void arguments_that_make_no_sense(void)
{
    gp_zone *zone = NULL;
    check_status(gp_zone_of_data(NULL, "", 0, &zone), GP_EINVAL);
    check_status(gp_zone_of_data("made", NULL, 0, &zone), GP_EINVAL);
    check_status(gp_zone_of_data("made", "", 0, NULL), GP_EINVAL);
    check_status(gp_zone_of_data("made", "", 0, &zone), GP_ENOTSUP);
}

/* A copy of exactly that size, so that AddressSanitizer sees each byte too many. */
static int read_copy(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size + (size == 0));
    gp_zone *zone = NULL;
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    int status = gp_zone_of_data("made", copy, size, &zone);
    free(copy);
    if (status == GP_OK)
        for (int64_t second = -3000; second < 3000; second += 500)
            check(gp_zone_period_at(zone, GP_SECONDS(second)).abbreviation != NULL);
    gp_zone_release(zone);
    return status;
}

static void files_that_are_cut(void)
{
    unsigned char data[TZIF_SIZE];
    struct tzif tzif = good;
    tzif.footer = "CET-1CEST,M3.5.0,M10.5.0/3";
    size_t size = tzif_write(&tzif, data);
    for (size_t length = 0; length < size; length++)
        check_status(read_copy(data, length), GP_ENOTSUP);
    check_status(read_copy(data, size), GP_OK);
    data[size] = 'x'; /* what follows is nobody's */
    check_status(read_copy(data, size + 1), GP_OK);
}

/* Counts that promise more than there is, up to 2^32 - 1 of each. */
static void counts_that_promise_too_much(void)
{
    unsigned char data[TZIF_SIZE];
    size_t size = tzif_write(&good, data);
    for (size_t at = 20; at < 44; at += 4) {
        unsigned char copy[TZIF_SIZE];
        memcpy(copy, data, size);
        memset(copy + at, 0xff, 4);
        check_status(read_copy(copy, size), GP_ENOTSUP);
        memcpy(copy, data, size);
        memset(copy + size - 2 - 57 - 44 + at, 0xff, 4);
        check_status(read_copy(copy, size), GP_ENOTSUP);
    }
}

static void bytes_at_random(void)
{
    unsigned char data[TZIF_SIZE];
    uint64_t seed = 42;
    struct tzif tzif = good;
    int refused = 0;
    tzif.footer = "CET-1CEST,M3.5.0,M10.5.0/3";
    size_t size = tzif_write(&tzif, data);
    for (unsigned i = 0; i < scaled(20000); i++) {
        unsigned char copy[TZIF_SIZE];
        memcpy(copy, data, size);
        for (uint64_t changes = random_below(&seed, 3) + 1; changes > 0; changes--)
            copy[random_below(&seed, size)] = (unsigned char)random_next(&seed);
        refused += read_copy(copy, size) != GP_OK;
    }
    check(refused > 0);
}

static void want_of_memory(void)
{
    unsigned char data[TZIF_SIZE];
    size_t size = tzif_write(&good, data);
    gp_zone *zone = NULL;
    fault_arm(FAULT_MEMORY, 1, FAULT_THIS_THREAD);
    int status = gp_zone_of_data("made", data, size, &zone);
    check_int(fault_disarm(), 1);
    check_status(status, GP_ENOMEM);
    check(zone == NULL);
}

static const struct test tests[] = {
    TEST(before_between_and_after_the_transitions),
    TEST(the_old_version_has_32_bits_and_no_rule),
    TEST(newer_versions_are_read_like_2),
    TEST(the_rule_takes_over_after_the_last_transition),
    TEST(without_transitions_the_rule_holds_always),
    TEST(times_beyond_our_range_are_left_out),
    TEST(transitions_that_change_nothing_are_left_out),
    TEST(flags_are_passed_over),
    TEST(counts_that_cannot_be),
    TEST(more_types_than_indexes),
    TEST(transitions_out_of_order_or_of_no_type),
    TEST(types_that_cannot_be),
    TEST(names_that_cannot_be),
    TEST(footers_that_cannot_be),
    TEST(headers_that_cannot_be),
    TEST(arguments_that_make_no_sense),
    TEST(files_that_are_cut),
    TEST(counts_that_promise_too_much),
    TEST(bytes_at_random),
    TEST(want_of_memory),
    END_OF_TESTS,
};

const struct suite zone_read_suite = {.name = "zone_read", .tests = tests};
