/* Cron expressions in words, and their mistakes. */
#include <string.h>

#include <glasspool/status.h>

#include "cron_support.h"
#include "suite.h"

#define TEXT_SIZE 400

static const struct {
    const char *expression;
    const char *words;
} rows[] = {
    /* seconds and minutes: [WORDS-2] of some the zone does not matter */
    {"* * * * * *", "every second"},
    {"*/10 * * * * *", "every 10 seconds"},
    {"0,30 * * * * *", "every 30 seconds"},
    {"15 * * * * *", "at second 15 of every minute"},
    {"5,20,30 * * * * *", "at seconds 5, 20 and 30 of every minute"},
    {"5-9,20 * * * * *", "at seconds 5 to 9 and 20 of every minute"},
    {"*/7 * * * * *", "at every 7th second from 0 to 56 of every minute"},
    {"0 * * * * *", "every minute"},
    {"0 */15 * * * *", "every 15 minutes"},
    {"0 0,15,30,45 * * * *", "every 15 minutes"},
    {"0 */30 * * * *", "every 30 minutes (UTC)"},
    {"0 5,20,35,50 * * * *", "at every 15th minute from 5 to 50 of every hour"},
    {"0 5 * * * *", "at minute 5 of every hour (UTC)"},
    {"0 5,10,20 * * * *", "at minutes 5, 10 and 20 of every hour (UTC)"},
    {"0 0,15,30 * * * *", "at minutes 0, 15 and 30 of every hour (UTC)"},
    {"0 2/3 * * * *", "at every 3rd minute from 2 to 59 of every hour"},
    {"* 5 * * * *", "every second of minute 5 of every hour (UTC)"},
    {"*/5 0-9 * * * *", "every 5 seconds of minutes 0 to 9 of every hour (UTC)"},
    {"30 5 * * * *", "at second 30 of minute 5 of every hour (UTC)"},
    {"30 0 * * * *", "at second 30 of minute 0 of every hour (UTC)"},
    {"0 0 0-23 * * *", "every hour (UTC)"},
    {"0 0 * * * *", "every hour (UTC)"},
    {"@hourly", "every hour (UTC)"},
    /* times of day */
    {"0 30 9 * * *", "at 09:30 (UTC)"},
    {"30 9 * * *", "at 09:30 (UTC)"},
    {"15 30 9 * * *", "at 09:30:15 (UTC)"},
    {"0 0,30 9,17 * * *", "at 09:00, 09:30, 17:00 and 17:30 (UTC)"},
    {"0 0 0/5 * * *", "at 00:00, 05:00, 10:00, 15:00 and 20:00 (UTC)"},
    {"0 0 0,1,3,4,5,7,8 * * *", "at 00:00, 01:00, 03:00, 04:00, 05:00, 07:00 and 08:00 (UTC)"},
    {"0 0 */2 * * *", "every 2 hours (UTC)"},
    {"0 30 */2 * * *", "every 2 hours from 00:30 to 22:30 (UTC)"},
    {"0 0 1/2 * * *", "every 2 hours from 01:00 to 23:00 (UTC)"},
    {"0 0 9-17 * * *", "every hour from 09:00 to 17:00 (UTC)"},
    {"20 0 9-17 * * *", "every hour from 09:00:20 to 17:00:20 (UTC)"},
    {"20 30 9-17 * * *", "every hour from 09:30:20 to 17:30:20 (UTC)"},
    {"0 */15 9-17 * * *", "every 15 minutes from 09:00 to 17:59 (UTC)"},
    {"0 * 9 * * *", "every minute from 09:00 to 09:59 (UTC)"},
    {"* * 9 * * *", "every second from 09:00 to 09:59 (UTC)"},
    {"15 * 9 * * *", "at second 15 of every minute from 09:00 to 09:59 (UTC)"},
    {"0 * 9,12,15 * * *", "every minute of hours 9, 12 and 15 (UTC)"},
    {"0 */5 */2 * * *", "every 5 minutes of every 2nd hour from 0 to 22 (UTC)"},
    {"* 0-9 9 * * *", "every second of minutes 0 to 9 of hour 9 (UTC)"},
    {"0 1-9,20 9-17 * * *", "at minutes 1 to 9 and 20 of hours 9 to 17 (UTC)"},
    /* weekdays */
    {"0 30 9 * * MON-FRI", "at 09:30, Monday to Friday (UTC)"},
    {"0 30 9 * * FRI-SUN", "at 09:30, Friday to Sunday (UTC)"},
    {"0 30 9 * * SUN", "at 09:30 on Sundays (UTC)"},
    {"0 30 9 * * SAT,SUN", "at 09:30 on Saturdays and Sundays (UTC)"},
    {"0 30 9 * * MON,WED,FRI", "at 09:30 on Mondays, Wednesdays and Fridays (UTC)"},
    {"0 0 12 * * FRI#3", "at 12:00 on the third Friday of the month (UTC)"},
    {"0 0 12 * * MON#1,MON#2,MON#4,MON#5",
     "at 12:00 on the first Monday, the second Monday, the fourth Monday and the fifth Monday of "
     "the month (UTC)"},
    {"0 0 12 * * 5L", "at 12:00 on the last Friday of the month (UTC)"},
    {"0 0 12 * * MON,FRI#2", "at 12:00 on Mondays and the second Friday of the month (UTC)"},
    {"0 0 12 * * MON-WED,FRI#2",
     "at 12:00 on Monday to Wednesday and the second Friday of the month (UTC)"},
    {"@weekly", "at 00:00 on Sundays (UTC)"},
    {"* * * * * MON", "every second on Mondays (UTC)"},
    /* days */
    {"0 0 0 L * *", "at 00:00 on the last day of the month (UTC)"},
    {"0 0 0 L-1 * *", "at 00:00 on the day before the last of the month (UTC)"},
    {"0 0 0 L-3 * *", "at 00:00 on the day 3 days before the last of the month (UTC)"},
    {"0 0 0 L-3,1 * *",
     "at 00:00 on the 1st and the day 3 days before the last of the month (UTC)"},
    {"0 0 0 LW * *", "at 00:00 on the last working day of the month (UTC)"},
    {"0 0 0 15W * *", "at 00:00 on the working day nearest to the 15th of the month (UTC)"},
    {"0 0 0 1,15 * *", "at 00:00 on the 1st and 15th of the month (UTC)"},
    {"0 0 0 2,3,11-13,22 * *",
     "at 00:00 on the 2nd, 3rd, 11th to 13th and 22nd of the month (UTC)"},
    {"0 0 0 */2 * *", "at 00:00 on every 2nd day from the 1st to the 31st of the month (UTC)"},
    {"0 0 0 1,15W,L * *",
     "at 00:00 on the 1st, the working day nearest to the 15th and the last day of the month "
     "(UTC)"},
    {"0 0 0 */10,LW * *",
     "at 00:00 on every 10th day from the 1st to the 31st and the last working day of the month "
     "(UTC)"},
    {"* * * 1 * *", "every second on the 1st of the month (UTC)"},
    {"@monthly", "at 00:00 on the 1st of the month (UTC)"},
    /* both */
    {"0 0 0 13 * FRI", "at 00:00 on the 13th of the month, if that is a Friday (UTC)"},
    {"0 0 0 1-7 * MON,TUE",
     "at 00:00 on the 1st to 7th of the month, if that is a Monday or a Tuesday (UTC)"},
    {"0 0 0 L * MON-FRI",
     "at 00:00 on the last day of the month, if that is a day from Monday to Friday (UTC)"},
    {"0 0 0 8-14 * TUE,MON#2",
     "at 00:00 on the 8th to 14th of the month, if that is a Tuesday or the second Monday (UTC)"},
    /* months */
    {"@yearly", "at 00:00 on the 1st of January (UTC)"},
    {"0 0 0 25 DEC ?", "at 00:00 on the 25th of December (UTC)"},
    {"0 0 0 1 */3 *", "at 00:00 on the 1st of January, April, July and October (UTC)"},
    {"0 0 0 1 MAR-OCT *", "at 00:00 on the 1st of each month from March to October (UTC)"},
    {"0 0 8 * JUN-AUG SAT,SUN", "at 08:00 on Saturdays and Sundays from June to August (UTC)"},
    {"0 0 * * JUL *", "every hour in July (UTC)"},
    {"0 0 12 ? NOV THU#4", "at 12:00 on the fourth Thursday of November (UTC)"},
    {"0 0 0 29 2 *", "at 00:00 on the 29th of February (UTC)"},
    {"0 0 0 30 2 *", "at 00:00 on the 30th of February (UTC), a day that never comes"},
    {"-", "never: disabled"},
};

static void each_form_has_words(void)
{
    char text[TEXT_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gp_cron *cron = cron_in_utc(rows[i].expression);
        int length = gp_cron_describe(cron, text, sizeof text);
        check_within(rows[i].expression);
        check_text(text, rows[i].words);
        check_int(length, strlen(rows[i].words));
        check_within(NULL);
        gp_cron_release(cron);
    }
}

static void check_words(const char *expression, gp_zone *zone, unsigned flags, const char *words)
{
    char text[TEXT_SIZE];
    gp_cron *cron = cron_of(expression, zone, flags);
    gp_cron_describe(cron, text, sizeof text);
    check_text(text, words);
    gp_cron_release(cron);
}

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

static void the_zone_is_named(void)
{
    gp_zone *zone = zone_of_rule(BERLIN);
    check_words("0 30 9 * * MON-FRI", zone, 0, "at 09:30, Monday to Friday (" BERLIN ")");
    check_words("0 0 * * * *", zone, 0, "every hour (" BERLIN ")");
    check_words("0 * * * * *", zone, 0, "every minute");
    gp_zone_release(zone);
}

/* [WORDS-3] */
static void an_hour_that_is_left_out_is_told(void)
{
    gp_zone *zone = zone_of_rule(BERLIN);
    check_words("0 0 0-23 * * *", zone, 0,
                "every hour (" BERLIN "), not again when clocks are put back");
    check_words("0 * 0-23 * * *", zone, 0,
                "every minute (" BERLIN "), not again when clocks are put back");
    check_words("0 * 0-23 30 2 *", zone, 0,
                "every minute on the 30th of February (" BERLIN "), a day that never comes");
    check_words("0 * 0-23 * * *", zone, GP_CRON_OVERLAP_TWICE, "every minute");
    check_words("0 * 0-23 * * *", NULL, 0, "every minute");
    gp_zone_release(zone);
}

static void what_does_not_fit_is_cut(void)
{
    char text[10] = "untouched";
    gp_cron *cron = cron_in_utc("0 30 9 * * *");
    const int length = (int)strlen("at 09:30 (UTC)");
    check_int(gp_cron_describe(cron, NULL, 0), length);
    check_int(gp_cron_describe(cron, text, 0), length);
    check_text(text, "untouched");
    check_int(gp_cron_describe(cron, text, 1), length);
    check_text(text, "");
    check_int(gp_cron_describe(cron, text, 9), length);
    check_text(text, "at 09:30");
    check_int(gp_cron_describe(cron, text, sizeof text), length);
    check_text(text, "at 09:30 ");
    for (size_t size = 1; size < 20; size++) {
        char watched[] = "####################";
        check_int(gp_cron_describe(cron, watched, size), length);
        check(strncmp(watched, "at 09:30 (UTC)", size - 1) == 0);
        check(watched[size] == '#');
    }
    gp_cron_release(cron);
}

/* Mistakes. */

static void check_explained(const char *expression, const char *zone, const char *expected)
{
    char text[TEXT_SIZE];
    gp_cron_error error = {.reason = ""};
    gp_cron *cron = NULL;
    check(gp_cron_parse(expression, zone, 0, &cron, &error) != GP_OK);
    int length = gp_cron_explain(expression, &error, text, sizeof text);
    check_text(text, expected);
    check_int(length, strlen(expected));
    check_int(gp_cron_explain(expression, &error, NULL, 0), length);
    check_int(gp_cron_explain(expression, &error, text, 4), length);
    check_int(strlen(text), length < 3 ? length : 3);
}

static void a_caret_stands_under_the_mistake(void)
{
    check_explained("0 30 25 * * MON", "UTC",
                    "0 30 25 * * MON\n     ^^\nhour: an hour is from 0 to 23");
    check_explained("60 * * * * *", "UTC", "60 * * * * *\n^^\nsecond: a second is from 0 to 59");
    check_explained("* * * * * FRI-MON", "UTC",
                    "* * * * * FRI-MON\n          ^^^^^^^\nweekday: the range runs backwards");
    check_explained("* * 1, * * *", "UTC", "* * 1, * * *\n      ^\nhour: a value is missing");
    check_explained("* *", "UTC",
                    "* *\n   ^\nexpression: fields are missing: there are to be 5, or 6 with "
                    "seconds");
    check_explained("", "UTC", "\n^\nexpression: it is empty");
    check_explained(NULL, "UTC", "expression: there is none");
    check_explained("* * * * *", "No/Such_Zone", "* * * * *\nzone: there is no such zone");
}

static void tabs_and_letters_of_several_bytes_take_their_place(void)
{
    check_explained("0\t30\t25\t*\t*\t*", "UTC",
                    "0\t30\t25\t*\t*\t*\n \t  \t^^\nhour: an hour is from 0 to 23");
    check_explained("* * * * * * \xc3\xa9\xc3\xa9x", "UTC",
                    "* * * * * * \xc3\xa9\xc3\xa9x\n            ^^^\nexpression: too many fields: "
                    "there are to be 5, or 6 with seconds");
    check_explained("\xc3\xa9 * * * * * x", "UTC",
                    "\xc3\xa9 * * * * * x\n            ^\nexpression: too many fields: there are "
                    "to be 5, or 6 with seconds");
    check_explained("\x7f", "UTC",
                    ".\n ^\nexpression: fields are missing: there are to be 5, or 6 with seconds");
    check_explained("* * * * * * * \xc3\xa9 \x1b[2J\n", "UTC",
                    "* * * * * * * \xc3\xa9 .[2J.\n            ^^^^^^^^^\nexpression: too many "
                    "fields: there are to be 5, or 6 with seconds");
}

/* [EXPLAIN-1] */
static void nothing_is_shown_that_a_terminal_obeys(void)
{
    static const struct {
        const char *text;
        const char *shown;
    } cases[] = {
        {"\x9b"
         "2J",
         ".2J"}, /* bare */
        {"\xc2\x9b"
         "2J",
         "..2J"},                         /* U+009B */
        {"\xc2\xa0", "\xc2\xa0"},         /* U+00A0, the first that is none */
        {"\xe2\x82\xac", "\xe2\x82\xac"}, /* three bytes */
        {"\xe0\xa0\x80", "\xe0\xa0\x80"}, /* the first of them */
        {"\xf0\x9f\x95\x90", "\xf0\x9f\x95\x90"},
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"}, /* the last there is */
        {"\xe2\x82", ".."},                       /* ends too soon */
        {"\xe2\x1b[", "..["},
        {"\xf5\x80\x80\x80", "...."}, /* beyond Unicode */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TEXT_SIZE];
        gp_cron_error error = {.field = GP_CRON_ZONE, .reason = "x"};
        gp_cron_explain(cases[i].text, &error, text, sizeof text);
        check_int(strncmp(text, cases[i].shown, strlen(cases[i].shown)), 0);
        check_text(text + strlen(cases[i].shown), "\nzone: x");
    }
}

static void carets_count_what_is_shown(void)
{
    char text[TEXT_SIZE];
    gp_cron_error error = {.field = GP_CRON_DAY, .position = 5, .length = 4, .reason = "x"};
    gp_cron_explain("\x9b\xe2\x82\xac \xc2\x9b\xc3\xa9 1", &error, text, sizeof text);
    check_text(text, ".\xe2\x82\xac ..\xc3\xa9 1\n   ^^^\nday: x");
}

static void each_field_has_its_name(void)
{
    static const char *const expected[] = {
        "* *\n^\nsecond: x", "* *\n^\nminute: x",  "* *\n^\nhour: x",       "* *\n^\nday: x",
        "* *\n^\nmonth: x",  "* *\n^\nweekday: x", "* *\n^\nexpression: x", "* *\nzone: x"};
    for (int field = GP_CRON_SECOND; field <= GP_CRON_ZONE; field++) {
        char text[TEXT_SIZE];
        gp_cron_error error = {.field = (enum gp_cron_field)field, .length = 1, .reason = "x"};
        gp_cron_explain("* *", &error, text, sizeof text);
        check_text(text, expected[field]);
    }
}

/* An error that is not of this expression does no harm. */
static void a_position_beyond_the_end(void)
{
    char text[TEXT_SIZE];
    gp_cron_error error = {.field = GP_CRON_DAY, .position = 9, .length = 5, .reason = "x"};
    gp_cron_explain("* *", &error, text, sizeof text);
    check_text(text, "* *\n   ^\nday: x");
    error.position = 1;
    gp_cron_explain("* *", &error, text, sizeof text);
    check_text(text, "* *\n ^^\nday: x");
}

static const struct test tests[] = {
    TEST(each_form_has_words),
    TEST(the_zone_is_named),
    TEST(an_hour_that_is_left_out_is_told),
    TEST(what_does_not_fit_is_cut),
    TEST(a_caret_stands_under_the_mistake),
    TEST(tabs_and_letters_of_several_bytes_take_their_place),
    TEST(nothing_is_shown_that_a_terminal_obeys),
    TEST(carets_count_what_is_shown),
    TEST(each_field_has_its_name),
    TEST(a_position_beyond_the_end),
    END_OF_TESTS,
};

const struct suite cron_describe_suite = {.name = "cron_describe", .tests = tests};
