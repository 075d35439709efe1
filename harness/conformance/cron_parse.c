/* Cron expressions: what is understood, and what is refused, where, and why. */
#include <string.h>

#include <glasspool/status.h>

#include "cron/cron.h"

#include "cron_support.h"
#include "suite.h"

static struct gp__cron_set set_of(const char *expression)
{
    struct gp__cron_set set;
    gp_cron_error error = {.reason = ""};
    memset(&set, 0, sizeof set);
    check_within(expression);
    check(gp__cron_read(expression, &set, &error));
    check_text(error.reason, "");
    check_within(NULL);
    return set;
}

/* All fields: two expressions mean the same. */
static void check_same(const char *expression, const char *other)
{
    struct gp__cron_set left = set_of(expression);
    struct gp__cron_set right = set_of(other);
    check_within(expression);
    check_int(left.seconds, right.seconds);
    check_int(left.minutes, right.minutes);
    check_int(left.hours, right.hours);
    check_int(left.days, right.days);
    check_int(left.months, right.months);
    check_int(left.weekdays, right.weekdays);
    check_int(left.before_last, right.before_last);
    check_int(left.nearest, right.nearest);
    check_int(left.last_weekday, right.last_weekday);
    check_int(left.last, right.last);
    for (int n = 1; n <= 5; n++)
        check_int(left.nth[n], right.nth[n]);
    check_int(left.through_hours, right.through_hours);
    check_within(NULL);
}

/* Fields. */

static void six_fields_and_five(void)
{
    struct gp__cron_set set = set_of("1 2 3 4 5 6");
    check_int(set.seconds, 1 << 1);
    check_int(set.minutes, 1 << 2);
    check_int(set.hours, 1 << 3);
    check_int(set.days, 1 << 4);
    check_int(set.months, 1 << 5);
    check_int(set.weekdays, 1 << 6);
    check_same("2 3 4 5 6", "0 2 3 4 5 6");
    check_same(" \t0  2\t3 4 5  6\r\n", "0 2 3 4 5 6");
    set = set_of("* * * * * *");
    check_int(set.seconds, GP__ALL_SIXTY);
    check_int(set.minutes, GP__ALL_SIXTY);
    check_int(set.hours, GP__ALL_HOURS);
    check_int(set.days, GP__ALL_DAYS);
    check_int(set.months, GP__ALL_MONTHS);
    check_int(set.weekdays, GP__ALL_WEEKDAYS);
    check_same("* * * ? * *", "* * * * * ?");
}

static void the_ends_of_each_field(void)
{
    struct gp__cron_set set = set_of("0,59 0,59 0,23 1,31 1,12 0,6");
    check_int(set.seconds, (UINT64_C(1) << 59) + 1);
    check_int(set.minutes, (UINT64_C(1) << 59) + 1);
    check_int(set.hours, (1 << 23) + 1);
    check_int(set.days, (UINT32_C(1) << 31) + 2);
    check_int(set.months, (1 << 12) + 2);
    check_int(set.weekdays, (1 << 6) + 1);
    check_same("0-59 0-59 0-23 1-31 1-12 0-6", "* * 0-23 * * *");
    check_same("0 0 007 01 1 1", "0 0 7 1 1 1");
}

static void lists_ranges_and_steps(void)
{
    check_same("0 1-3,7,9-10 0 1 1 0", "0 1,2,3,7,9,10 0 1 1 0");
    check_same("0 */20 0 1 1 0", "0 0,20,40 0 1 1 0");
    check_same("0 5/20 0 1 1 0", "0 5,25,45 0 1 1 0");
    check_same("0 5-30/10 0 1 1 0", "0 5,15,25 0 1 1 0");
    check_same("0 5-25/10 0 1 1 0", "0 5,15,25 0 1 1 0");
    check_same("0 0/60 0 1 1 0", "0 0 0 1 1 0");
    check_same("0 7-7 0 1 1 0", "0 7 0 1 1 0");
    check_same("0 59/1 0 1 1 0", "0 59 0 1 1 0");
    check_same("0 0 0 */10 */4 0", "0 0 0 1,11,21,31 1,5,9 0");
    check_same("0 1,*,2 0 1 1 0", "0 * 0 1 1 0");
}

static void names_in_any_case(void)
{
    check_same("0 0 0 * JAN,feb,Mar,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,dEc *", "0 0 0 * 1-12 *");
    check_same("0 0 0 * * SUN,mon,Tue,WED,THU,FRI,SAT", "0 0 0 * * 0-6");
    check_same("0 0 0 * JAN-3/2 MON-5/2", "0 0 0 * 1,3 1,3,5");
    check_same("0 0 0 * MAR/3 *", "0 0 0 * 3,6,9,12 *");
}

static void sunday_is_0_and_7(void)
{
    check_same("0 0 0 * * 7", "0 0 0 * * 0");
    check_same("0 0 0 * * SUN-TUE", "0 0 0 * * 0,1,2");
    check_same("0 0 0 * * 7-2", "0 0 0 * * 0,1,2");
    check_same("0 0 0 * * 5-7", "0 0 0 * * 5,6,0");
    check_same("0 0 0 * * FRI-SUN", "0 0 0 * * 5,6,0");
    check_same("0 0 0 * * FRI-0", "0 0 0 * * 5,6,0");
    check_same("0 0 0 * * MON-SUN", "0 0 0 * * *");
    check_same("0 0 0 * * 0-7", "0 0 0 * * *");
    check_same("0 0 0 * * SUN-SUN", "0 0 0 * * 0");
    check_same("0 0 0 * * 7-7", "0 0 0 * * 0");
    check_same("0 0 0 * * 7-0", "0 0 0 * * 0");
    check_same("0 0 0 * * 7#2,7L", "0 0 0 * * SUN#2,SUNL");
    check_same("0 0 0 * * */2", "0 0 0 * * 0,2,4,6");
    check_same("0 0 0 * * 1/2", "0 0 0 * * 1,3,5,7");
    check_same("0 0 0 * * 7/2", "0 0 0 * * 7");
    check_same("0 0 0 * * */7", "0 0 0 * * 0");
}

static void days_and_weekdays_of_a_month(void)
{
    struct gp__cron_set set = set_of("0 0 0 L,L-1,L-30,1W,31w,lw,5 * 5#1,FRI#2,MON#5,5L,sunl,TUE");
    check_int(set.before_last, 1 + 2 + (1 << 30));
    check_int(set.nearest, 2 + (UINT32_C(1) << 31));
    check(set.last_weekday);
    check_int(set.days, 1 << 5);
    check_int(set.nth[1], 1 << 5);
    check_int(set.nth[2], 1 << 5);
    check_int(set.nth[5], 1 << 1);
    check_int(set.last, (1 << 5) + 1);
    check_int(set.weekdays, 1 << 2);
    check_same("0 0 0 1W,3 * MON#1,TUE", "0 0 0 3,1W * TUE,MON#1");
}

static void macros_and_a_dash(void)
{
    check_same("@yearly", "0 0 0 1 1 *");
    check_same("@annually", "0 0 0 1 1 *");
    check_same("@monthly", "0 0 0 1 * *");
    check_same("@weekly", "0 0 0 * * 0");
    check_same("@daily", "0 0 0 * * *");
    check_same(" @Midnight ", "0 0 0 * * *");
    check_same("@HOURLY", "0 0 * * * *");
    check(set_of("-").disabled);
    check(set_of(" - ").disabled);
    check(set_of("-").never);
    check(!set_of("@daily").disabled);
}

static void what_goes_through_the_hours(void)
{
    check(set_of("0 0 * * * *").through_hours);
    check(set_of("0 0 */3 * * *").through_hours);
    check(set_of("0 0 9-17/2 * * *").through_hours);
    check(set_of("0 0 9,12/6 * * *").through_hours);
    check(!set_of("0 0 9-17 * * *").through_hours);
    check(!set_of("* */5 0-23 */2 * *").through_hours);
}

/* Dates that do not exist. */

static void what_can_match_no_date_is_known_at_once(void)
{
    static const char *const never[] = {
        "0 0 0 30 2 *",          "0 0 0 30,31 FEB *",
        "0 0 0 31 2,4,6,9,11 *", "0 0 0 31W 4 *",
        "0 0 0 L-30 4,6 *",      "0 0 0 L-29 2 *",
        "0 0 0 1 * 5#2",         "0 0 0 1-7 * MON#2",
        "0 0 0 8 * MON#1",       "0 0 0 1-21 * 5L",
        "0 0 0 29 2 MON#1",      "0 0 0 LW * SAT,SUN",
        "0 0 0 15W * SUN",       "-",
    };
    static const char *const rarely[] = {
        "0 0 0 29 2 *", "0 0 0 29 2 SUN", "0 0 0 29 2 MON#5", "0 0 0 L-28 2 *", "0 0 0 L-30 * *",
        "0 0 0 31 1 *", "0 0 0 31W 1 *",  "0 0 0 1 * 5#1",    "0 0 0 L 2 6#4",  "0 0 0 30W 2,4 *",
    };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        gp_cron *cron = cron_in_utc(never[i]);
        check_within(never[i]);
        check(gp__cron_set_of(cron)->never);
        check(gp_cron_next(cron, INT64_MIN) == GP_NEVER);
        check(gp_cron_prev(cron, INT64_MAX) == INT64_MIN);
        check(!gp_cron_matches(cron, 0));
        gp_cron_release(cron);
    }
    for (size_t i = 0; i < sizeof rarely / sizeof *rarely; i++) {
        gp_cron *cron = cron_in_utc(rarely[i]);
        check_within(rarely[i]);
        check(!gp__cron_set_of(cron)->never);
        check(gp_cron_next(cron, 0) != GP_NEVER);
        gp_cron_release(cron);
    }
    check_within(NULL);
}

/* Mistakes. */

struct mistake {
    const char *expression;
    enum gp_cron_field field;
    size_t position;
    size_t length;
    const char *reason;
};

static void check_mistake(const struct mistake *mistake)
{
    gp_cron_error error = {.reason = ""};
    gp_cron *cron = NULL;
    check_within(mistake->expression);
    check_status(gp_cron_parse_in(mistake->expression, NULL, 0, &cron, &error), GP_EINVAL);
    check_int(error.field, mistake->field);
    check_int(error.position, mistake->position);
    check_int(error.length, mistake->length);
    check_text(error.reason, mistake->reason);
    check(cron == NULL);
    check_status(gp_cron_parse_in(mistake->expression, NULL, 0, &cron, NULL), GP_EINVAL);
    check_within(NULL);
}

#define CHECK_MISTAKES(mistakes)                                       \
    for (size_t i = 0; i < sizeof(mistakes) / sizeof *(mistakes); i++) \
    check_mistake(&(mistakes)[i])

static void the_expression_as_a_whole(void)
{
    const char *few = "fields are missing: there are to be 5, or 6 with seconds";
    const char *many = "too many fields: there are to be 5, or 6 with seconds";
    const struct mistake mistakes[] = {
        {NULL, GP_CRON_EXPRESSION, 0, 0, "there is none"},
        {"", GP_CRON_EXPRESSION, 0, 0, "it is empty"},
        {"  ", GP_CRON_EXPRESSION, 2, 0, "it is empty"},
        {"*", GP_CRON_EXPRESSION, 1, 0, few},
        {"* * * *", GP_CRON_EXPRESSION, 7, 0, few},
        {"99 99 99 99", GP_CRON_EXPRESSION, 11, 0, few},
        {"* * * * * * *", GP_CRON_EXPRESSION, 12, 1, many},
        {"* * * * * * 2026 x", GP_CRON_EXPRESSION, 12, 6, many},
        {"@reboot", GP_CRON_EXPRESSION, 0, 7, "no such macro"},
        {" @dail", GP_CRON_EXPRESSION, 1, 5, "no such macro"},
        {"@", GP_CRON_EXPRESSION, 0, 1, "no such macro"},
        {"@daily @daily", GP_CRON_EXPRESSION, 13, 0, few},
        {"--", GP_CRON_EXPRESSION, 2, 0, few},
        {"- - - - -", GP_CRON_MINUTE, 0, 1, "not a number"},
    };
    CHECK_MISTAKES(mistakes);
    char text[GP__LONGEST_CRON + 5];
    memset(text, ' ', sizeof text);
    memcpy(text, "* * * * *", 9);
    text[GP__LONGEST_CRON] = '\0';
    gp_cron_release(cron_in_utc(text));
    text[GP__LONGEST_CRON] = '1';
    text[GP__LONGEST_CRON + 3] = '\0';
    check_mistake(&(struct mistake){text, GP_CRON_EXPRESSION, GP__LONGEST_CRON, 3,
                                    "longer than 1000 characters"});
}

static void numbers_out_of_range(void)
{
    static const struct mistake mistakes[] = {
        {"60 * * * * *", GP_CRON_SECOND, 0, 2, "a second is from 0 to 59"},
        {"60 * * * *", GP_CRON_MINUTE, 0, 2, "a minute is from 0 to 59"},
        {"* 1,60 * * * *", GP_CRON_MINUTE, 4, 2, "a minute is from 0 to 59"},
        {"* * 24 * * *", GP_CRON_HOUR, 4, 2, "an hour is from 0 to 23"},
        {"* * 22-24 * * *", GP_CRON_HOUR, 7, 2, "an hour is from 0 to 23"},
        {"* * * 0 * *", GP_CRON_DAY, 6, 1, "a day is from 1 to 31"},
        {"* * * 32 * *", GP_CRON_DAY, 6, 2, "a day is from 1 to 31"},
        {"* * * 32W * *", GP_CRON_DAY, 6, 2, "a day is from 1 to 31"},
        {"* * * 0W * *", GP_CRON_DAY, 6, 1, "a day is from 1 to 31"},
        {"* * * L-0 * *", GP_CRON_DAY, 8, 1, "from L-1 to L-30"},
        {"* * * L-31 * *", GP_CRON_DAY, 8, 2, "from L-1 to L-30"},
        {"* * * * 0 *", GP_CRON_MONTH, 8, 1, "a month is from 1 to 12, or JAN to DEC"},
        {"* * * * 13 *", GP_CRON_MONTH, 8, 2, "a month is from 1 to 12, or JAN to DEC"},
        {"* * * * * 8", GP_CRON_WEEKDAY, 10, 1, "a weekday is from 0 to 7, or SUN to SAT"},
        {"* * * * * 8L", GP_CRON_WEEKDAY, 10, 1, "a weekday is from 0 to 7, or SUN to SAT"},
        {"* * * * * 5#0", GP_CRON_WEEKDAY, 12, 1, "a month has at most 5 of a weekday"},
        {"* * * * * 5#6", GP_CRON_WEEKDAY, 12, 1, "a month has at most 5 of a weekday"},
        {"* * 4294967296 * * *", GP_CRON_HOUR, 4, 10, "an hour is from 0 to 23"},
        {"* * 18446744073709551617 * * *", GP_CRON_HOUR, 4, 20, "an hour is from 0 to 23"},
        {"* * * 340282366920938463463374607431768211457 * *", GP_CRON_DAY, 6, 39,
         "a day is from 1 to 31"},
    };
    CHECK_MISTAKES(mistakes);
}

/* SPR-7239, SPR-14462: what Spring once took. */
static void ranges_and_steps_that_make_no_sense(void)
{
    const char *large = "the step is larger than the field";
    const struct mistake mistakes[] = {
        {"* 5-3 * * * *", GP_CRON_MINUTE, 2, 3, "the range runs backwards"},
        {"* * 22-4/2 * * *", GP_CRON_HOUR, 4, 4, "the range runs backwards"},
        {"* * * * DEC-FEB *", GP_CRON_MONTH, 8, 7, "the range runs backwards"},
        {"* * * * * FRI-MON", GP_CRON_WEEKDAY, 10, 7, "the range runs backwards"},
        {"* * * * * 6-1", GP_CRON_WEEKDAY, 10, 3, "the range runs backwards"},
        {"* */0 * * * *", GP_CRON_MINUTE, 4, 1, "a step of 0 goes nowhere"},
        {"* 5/00 * * * *", GP_CRON_MINUTE, 4, 2, "a step of 0 goes nowhere"},
        {"*/61 * * * * *", GP_CRON_SECOND, 2, 2, large},
        {"* 0/90 * * * *", GP_CRON_MINUTE, 4, 2, large},
        {"* * */25 * * *", GP_CRON_HOUR, 6, 2, large},
        {"* * * 1/32 * *", GP_CRON_DAY, 8, 2, large},
        {"* * * * */13 *", GP_CRON_MONTH, 10, 2, large},
        {"* * * * * */8", GP_CRON_WEEKDAY, 12, 1, large},
        {"* */4294967297 * * * *", GP_CRON_MINUTE, 4, 10, large},
        {"* */-5 * * * *", GP_CRON_MINUTE, 4, 1, "not a number"},
        {"* -5 * * * *", GP_CRON_MINUTE, 2, 1, "not a number"},
        {"* 1- * * * *", GP_CRON_MINUTE, 4, 0, "a number is missing"},
        {"* 1/ * * * *", GP_CRON_MINUTE, 4, 0, "a number is missing"},
        {"* /5 * * * *", GP_CRON_MINUTE, 2, 1, "not a number"},
        {"* 1-2-3 * * * *", GP_CRON_MINUTE, 5, 2, "does not belong here"},
        {"* 1/2/3 * * * *", GP_CRON_MINUTE, 5, 2, "does not belong here"},
        {"* *-5 * * * *", GP_CRON_MINUTE, 3, 2, "does not belong here"},
        {"* ** * * * *", GP_CRON_MINUTE, 3, 1, "does not belong here"},
    };
    CHECK_MISTAKES(mistakes);
}

static void lists_with_holes(void)
{
    static const struct mistake mistakes[] = {
        {"* , * * * *", GP_CRON_MINUTE, 2, 0, "a value is missing"},
        {"* 1, * * * *", GP_CRON_MINUTE, 4, 0, "a value is missing"},
        {"* ,1 * * * *", GP_CRON_MINUTE, 2, 0, "a value is missing"},
        {"* 1,,2 * * * *", GP_CRON_MINUTE, 4, 0, "a value is missing"},
        {"* * * L, * *", GP_CRON_DAY, 8, 0, "a value is missing"},
        {"* * * * * MON,", GP_CRON_WEEKDAY, 14, 0, "a value is missing"},
    };
    CHECK_MISTAKES(mistakes);
}

static void signs_in_the_wrong_place(void)
{
    const char *only_dates = "? is for day and weekday alone";
    const char *single = "W goes with a single day of the month";
    const char *weekday = "L and # go with a single weekday";
    const struct mistake mistakes[] = {
        {"? * * * * *", GP_CRON_SECOND, 0, 1, only_dates},
        {"* * ? * * *", GP_CRON_HOUR, 4, 1, only_dates},
        {"* * * * ? *", GP_CRON_MONTH, 8, 1, only_dates},
        {"* * * ?,1 * *", GP_CRON_DAY, 6, 1, "? stands alone"},
        {"* * * 1,? * *", GP_CRON_DAY, 8, 1, "? stands alone"},
        {"* * * ?/2 * *", GP_CRON_DAY, 6, 1, "? stands alone"},
        {"* * * * * ??", GP_CRON_WEEKDAY, 10, 1, "? stands alone"},
        {"* * 5L * * *", GP_CRON_HOUR, 5, 1, weekday},
        {"* * L * * *", GP_CRON_HOUR, 4, 1, "a name where only numbers are known"},
        {"* * 5W * * *", GP_CRON_HOUR, 5, 1, single},
        {"* * * 1-5W * *", GP_CRON_DAY, 6, 4, single},
        {"* * * 1/5W * *", GP_CRON_DAY, 6, 4, single},
        {"* * * W * *", GP_CRON_DAY, 6, 1, "a name where only numbers are known"},
        {"* * * 5WW * *", GP_CRON_DAY, 6, 3, single},
        {"* * * LWW * *", GP_CRON_DAY, 8, 1, single},
        {"* * * LX * *", GP_CRON_DAY, 6, 2, "L, L-n or LW"},
        {"* * * L-3W * *", GP_CRON_DAY, 9, 1, single},
        {"* * * L- * *", GP_CRON_DAY, 8, 0, "a number is missing"},
        {"* * * L-x * *", GP_CRON_DAY, 8, 1, "not a number"},
        {"* * * 5L * *", GP_CRON_DAY, 7, 1, weekday},
        {"* * * 5#2 * *", GP_CRON_DAY, 7, 2, weekday},
        {"* * * * * L", GP_CRON_WEEKDAY, 10, 1, "the last of which weekday? 5L is a Friday's"},
        {"* * * * * MON-FRIL", GP_CRON_WEEKDAY, 13, 5, weekday},
        {"* * * * * 1-5#2", GP_CRON_WEEKDAY, 11, 4, weekday},
        {"* * * * * 5#2#3", GP_CRON_WEEKDAY, 13, 2, weekday},
        {"* * * * * 5L#2", GP_CRON_WEEKDAY, 11, 3, weekday},
        {"* * * * * 5#", GP_CRON_WEEKDAY, 12, 0, "a number is missing"},
        {"* * * * * #2", GP_CRON_WEEKDAY, 10, 1, "not a number"},
        {"* * * * * 5W", GP_CRON_WEEKDAY, 11, 1, single},
        {"* * * *W * *", GP_CRON_DAY, 7, 1, single},
        {"* { * * * *", GP_CRON_MINUTE, 2, 1, "not a number"},
        {"* [ * * * *", GP_CRON_MINUTE, 2, 1, "not a number"},
        {"* 5x * * * *", GP_CRON_MINUTE, 3, 1, "does not belong here"},
        {"* + * * * *", GP_CRON_MINUTE, 2, 1, "not a number"},
        {"* 1.5 * * * *", GP_CRON_MINUTE, 3, 2, "does not belong here"},
        {"* \xc3\xa9 * * * *", GP_CRON_MINUTE, 2, 1, "not a number"},
    };
    CHECK_MISTAKES(mistakes);
}

static void names_that_nobody_has(void)
{
    static const struct mistake mistakes[] = {
        {"* * * * JAM *", GP_CRON_MONTH, 8, 3, "no such name"},
        {"* * * * JANUARY *", GP_CRON_MONTH, 8, 7, "no such name"},
        {"* * * * JAN-FE *", GP_CRON_MONTH, 12, 2, "no such name"},
        {"* * * * MON *", GP_CRON_MONTH, 8, 3, "no such name"},
        {"* * * * * JAN", GP_CRON_WEEKDAY, 10, 3, "no such name"},
        {"* * * * * FRIDAY", GP_CRON_WEEKDAY, 10, 6, "no such name"},
        {"* * * * * XYZL", GP_CRON_WEEKDAY, 10, 3, "no such name"},
        {"* * * * * UNM", GP_CRON_WEEKDAY, 10, 3, "no such name"},
        {"* MON * * * *", GP_CRON_MINUTE, 2, 3, "a name where only numbers are known"},
    };
    CHECK_MISTAKES(mistakes);
}

static void the_first_mistake_from_the_left_is_told(void)
{
    check_mistake(
        &(struct mistake){"60 60 24 32 13 8", GP_CRON_SECOND, 0, 2, "a second is from 0 to 59"});
    check_mistake(
        &(struct mistake){"0 1-,x 24 * * *", GP_CRON_MINUTE, 4, 0, "a number is missing"});
}

static const struct test tests[] = {
    TEST(six_fields_and_five),
    TEST(the_ends_of_each_field),
    TEST(lists_ranges_and_steps),
    TEST(names_in_any_case),
    TEST(sunday_is_0_and_7),
    TEST(days_and_weekdays_of_a_month),
    TEST(macros_and_a_dash),
    TEST(what_goes_through_the_hours),
    TEST(what_can_match_no_date_is_known_at_once),
    TEST(the_expression_as_a_whole),
    TEST(numbers_out_of_range),
    TEST(ranges_and_steps_that_make_no_sense),
    TEST(lists_with_holes),
    TEST(signs_in_the_wrong_place),
    TEST(names_that_nobody_has),
    TEST(the_first_mistake_from_the_left_is_told),
    END_OF_TESTS,
};

const struct suite cron_parse_suite = {.name = "cron_parse", .tests = tests};
