/* Durations as text: what is read, what is refused, and where. */
#include <glasspool/duration.h>

#include <stdio.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"
#include "support.h"

#define DAYS(n)  GP_SECONDS((n)*INT64_C(86400))
#define HOURS(n) GP_SECONDS((n)*INT64_C(3600))

struct reading {
    const char *text;
    int64_t nanos;
};

static void check_readings(const struct reading *readings)
{
    for (; readings->text != NULL; readings++) {
        int64_t nanos = -1;
        check_within(readings->text);
        check_status(gp_duration_parse(readings->text, &nanos, NULL), GP_OK);
        check_int(nanos, readings->nanos);
    }
    check_within(NULL);
}

static void numbers_with_units_are_added_up(void)
{
    check_readings((struct reading[]){
        {"500ms", GP_MILLISECONDS(500)},
        {"1h30m", GP_SECONDS(5400)},
        {"2d", DAYS(2)},
        {"1d2h3m4s5ms6us7ns", DAYS(1) + HOURS(2) + GP_SECONDS(184) + 5006007},
        {"90s", GP_SECONDS(90)},
        {"100m", GP_SECONDS(6000)},
        {"0s", 0},
        {"0d0ns", 0},
        {"007s", GP_SECONDS(7)},
        {"1H30M", GP_SECONDS(5400)},
        {"5Ms", GP_MILLISECONDS(5)},
        {NULL, 0},
    });
}

static void a_number_alone_is_in_milliseconds(void)
{
    check_readings((struct reading[]){
        {"90", GP_MILLISECONDS(90)},
        {"0", 0},
        {"1.5", GP_MICROSECONDS(1500)},
        {NULL, 0},
    });
}

static void a_fraction_is_exact(void)
{
    check_readings((struct reading[]){
        {"1.5s", GP_MILLISECONDS(1500)},
        {"0.1s", GP_MILLISECONDS(100)},
        {"0.000000001s", 1},
        {"1.000us", GP_MICROSECONDS(1)},
        {"1.0ns", 1},
        {"0.25d", HOURS(6)},
        {"1h0.5m", GP_SECONDS(3630)},
        {"0.000000000005h", 18},
        {"1.500000000000000000000000000000s", GP_MILLISECONDS(1500)},
        {"106751.9d", GP_SECONDS(106751) * 86400 + HOURS(21) + GP_SECONDS(2160)},
        {NULL, 0},
    });
}

static void iso_8601_is_read_in_days_and_less(void)
{
    check_readings((struct reading[]){
        {"PT1H", HOURS(1)},
        {"PT1H30M", GP_SECONDS(5400)},
        {"P2D", DAYS(2)},
        {"PT0.5S", GP_MILLISECONDS(500)},
        {"P1DT12H", HOURS(36)},
        {"pt90m", GP_SECONDS(5400)},
        {"P1DT0.000000001S", DAYS(1) + 1},
        {"PT36H", HOURS(36)},
        {NULL, 0},
    });
}

static void the_longest_is_what_an_int64_holds(void)
{
    check_readings((struct reading[]){
        {"9223372036854775807ns", INT64_MAX},
        {"9223372036.854775807s", INT64_MAX},
        {"106751d23h47m16s854ms775us807ns", INT64_MAX},
        {"PT9223372036.854775807S", INT64_MAX},
        {"9223372036854.775807", INT64_MAX},
        {NULL, 0},
    });
}

static const struct {
    const char *text;
    size_t position;
    const char *reason;
} mistakes[] = {
    {"", 0, "a number is missing"},
    {" 5s", 0, "no spaces in a duration"},
    {"5s ", 2, "no spaces in a duration"},
    {"5 s", 1, "no spaces in a duration"},
    {"1h 30m", 2, "no spaces in a duration"},
    {"-5s", 0, "a duration has no sign"},
    {"+5s", 0, "a duration has no sign"},
    {"1h-5m", 2, "a duration has no sign"},
    {"s", 0, "a number is missing"},
    {"ms500", 0, "a number is missing"},
    {".5s", 0, "a digit is missing before the point"},
    {"5.s", 2, "a digit is missing after the point"},
    {"5.", 2, "a digit is missing after the point"},
    {"1.5.5s", 3, "a unit is missing"},
    {"1,5s", 1, "a unit is missing"},
    {"1h30", 4, "a unit is missing"},
    {"1d5", 3, "a unit is missing"},
    {"5sec", 1, "no such unit: d h m s ms us ns are known"},
    {"5w", 1, "no such unit: d h m s ms us ns are known"},
    {"5n", 1, "no such unit: d h m s ms us ns are known"},
    {"5m5x", 3, "no such unit: d h m s ms us ns are known"},
    {"5\xc2\xb5s", 1, "a unit is missing"},
    {"0x10s", 1, "no such unit: d h m s ms us ns are known"},
    {"1e3s", 1, "no such unit: d h m s ms us ns are known"},
    {"30m1h", 4, "the larger units first"},
    {"1h1h", 3, "this unit has been already"},
    {"1.5h30m", 1, "only the last number may have a fraction"},
    {"1.5ns", 1, "finer than a nanosecond"},
    {"0.0000000001s", 1, "finer than a nanosecond"},
    {"9223372036854775808ns", 0, "too long: 292 years are the most"},
    {"9223372036.854775808s", 0, "too long: 292 years are the most"},
    {"106752d", 0, "too long: 292 years are the most"},
    {"106751d24h", 7, "too long: 292 years are the most"},
    {"99999999999999999999", 0, "too long: 292 years are the most"},
    {"P", 1, "a number is missing"},
    {"PT", 2, "a number is missing"},
    {"P1DT", 4, "a number is missing"},
    {"PTT1H", 2, "a number is missing"},
    {"P1DTT1H", 4, "a number is missing"},
    {"P5", 2, "a unit is missing"},
    {"PT5", 3, "a unit is missing"},
    {"P1H", 2, "hours and seconds stand after a T"},
    {"P1M", 2, "months are not known, minutes stand after a T"},
    {"P1W", 2, "no such unit: D, and after a T also H M S are known"},
    {"P1Y", 2, "no such unit: D, and after a T also H M S are known"},
    {"PT1D", 3, "days stand before the T"},
    {"PT1M1H", 5, "the larger units first"},
    {"PT1S1S", 5, "this unit has been already"},
    {"PT0.5H30M", 3, "only the last number may have a fraction"},
    {"PT-5S", 2, "a duration has no sign"},
    {"-PT5S", 0, "a duration has no sign"},
    {"PT1H30", 6, "a unit is missing"},
    {"P1D2H", 4, "hours and seconds stand after a T"},
    {"P106752D", 1, "too long: 292 years are the most"},
    {"PT500MS", 6, "a number is missing"},
};

/* [DURATION-1] */
static void a_mistake_is_found_and_named(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        gp_duration_error error = {0, NULL};
        int64_t nanos = 42;
        check_within(mistakes[i].text);
        check_status(gp_duration_parse(mistakes[i].text, &nanos, &error), GP_EINVAL);
        check_int(error.position, mistakes[i].position);
        check_text(error.reason, mistakes[i].reason);
        check_int(nanos, 42);
        check_status(gp_duration_parse(mistakes[i].text, &nanos, NULL), GP_EINVAL);
    }
    check_within(NULL);
}

static void a_text_and_a_place_for_it_are_needed(void)
{
    gp_duration_error error = {7, NULL};
    int64_t nanos = 42;
    check_status(gp_duration_parse(NULL, &nanos, &error), GP_EINVAL);
    check_int(error.position, 0);
    check_text(error.reason, "there is no text");
    check_status(gp_duration_parse("5s", NULL, NULL), GP_EINVAL);
    check_int(nanos, 42);
}

static void a_text_is_written_in_whole_units(void)
{
    static const struct reading texts[] = {
        {"0s", 0},
        {"1h30m", GP_SECONDS(5400)},
        {"1s500ms", GP_MILLISECONDS(1500)},
        {"2d", DAYS(2)},
        {"1ns", 1},
        {"106751d23h47m16s854ms775us807ns", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[40];
        check_int(gp_duration_text(texts[i].nanos, text, sizeof text), strlen(texts[i].text));
        check_text(text, texts[i].text);
    }
}

static void a_text_that_does_not_fit_is_cut(void)
{
    char text[8] = "@@@@@@@";
    check_int(gp_duration_text(GP_SECONDS(5400), text, 3), 5);
    check_text(text, "1h");
    check_int(text[3], '@');
    check_int(gp_duration_text(GP_SECONDS(5400), NULL, 0), 5);
    check_status(gp_duration_text(-1, text, sizeof text), GP_EINVAL);
    check_text(text, "1h");
}

static void check_round_trip(int64_t nanos)
{
    char text[40];
    int64_t again = -1;
    check(gp_duration_text(nanos, text, sizeof text) < (int)sizeof text);
    check_within(text);
    check_status(gp_duration_parse(text, &again, NULL), GP_OK);
    check_int(again, nanos);
    check_within(NULL);
}

/* [DURATION-2], for durations of every length */
static void what_is_written_is_read_again(void)
{
    uint64_t random = 1;
    for (unsigned i = 0; i < scaled(100000); i++) {
        uint64_t bits = random_next(&random);
        check_round_trip((int64_t)(bits >> (1 + i % 63)));
    }
    check_round_trip(0);
    check_round_trip(INT64_MAX);
}

/* The same, in the other form and with a fraction. */
static void what_iso_8601_writes_is_read_as_the_same(void)
{
    uint64_t random = 2;
    for (unsigned i = 0; i < scaled(20000); i++) {
        int64_t nanos = (int64_t)(random_next(&random) >> (1 + i % 63));
        int64_t seconds = nanos / GP_SECONDS(1);
        int64_t read = -1;
        char text[64];
        snprintf(text, sizeof text, "P%lldDT%lldM%lld.%09lldS", (long long)(seconds / 86400),
                 (long long)(seconds % 86400 / 60), (long long)(seconds % 60),
                 (long long)(nanos % GP_SECONDS(1)));
        check_within(text);
        check_status(gp_duration_parse(text, &read, NULL), GP_OK);
        check_int(read, nanos);
    }
    check_within(NULL);
}

/* Whatever it is, it is refused inside the text, or read. */
static void a_text_of_any_letters_is_read_or_refused(void)
{
    static const char letters[] = "0123456789.dhmsunPT- ";
    uint64_t random = 3;
    for (unsigned i = 0; i < scaled(100000); i++) {
        gp_duration_error error = {0, NULL};
        int64_t nanos = -1;
        char text[9] = {0};
        size_t length = random_below(&random, sizeof text);
        for (size_t at = 0; at < length; at++)
            text[at] = letters[random_below(&random, sizeof letters - 1)];
        check_within(text);
        if (gp_duration_parse(text, &nanos, &error) == GP_OK)
            check(nanos >= 0);
        else
            check(nanos == -1 && error.reason != NULL && error.position <= length);
    }
    check_within(NULL);
}

static const struct test tests[] = {
    TEST(numbers_with_units_are_added_up),
    TEST(a_number_alone_is_in_milliseconds),
    TEST(a_fraction_is_exact),
    TEST(iso_8601_is_read_in_days_and_less),
    TEST(the_longest_is_what_an_int64_holds),
    TEST(a_mistake_is_found_and_named),
    TEST(a_text_and_a_place_for_it_are_needed),
    TEST(a_text_is_written_in_whole_units),
    TEST(a_text_that_does_not_fit_is_cut),
    TEST(what_is_written_is_read_again),
    TEST(what_iso_8601_writes_is_read_as_the_same),
    TEST(a_text_of_any_letters_is_read_or_refused),
    END_OF_TESTS,
};

const struct suite duration_suite = {.name = "duration", .tests = tests};
