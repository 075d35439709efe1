/* What a file and the environment replace; and a file alone. */
#include <glasspool/registrar.h>

#include <stdio.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/cron.h>
#include <glasspool/duration.h>
#include <glasspool/status.h>

#include "pool_support.h"
#include "registrar_support.h"
#include "table/registrar.h"
#include "suite.h"

#define HOUR GP_SECONDS(3600)

/* The plans that come of it, one line each: "name kind value [zone] [initial]". */

static size_t describe(const struct gp__plan *plan, char *text, size_t size)
{
    static const char *const kinds[] = {"cron", "rate", "delay", "nothing"};
    char period[40];
    char initial[40];
    gp_duration_text(plan->period, period, sizeof period);
    gp_duration_text(plan->initial, initial, sizeof initial);
    if (plan->off)
        return (size_t)snprintf(text, size, "%s off\n", plan->name);
    if (plan->kind == GP__CRON)
        return (size_t)snprintf(text, size, "%s cron %s zone=%s%s%s\n", plan->name, plan->cron,
                                plan->zone == NULL ? "local" : plan->zone,
                                plan->flags == 0 ? "" : " overlap=twice",
                                plan->initial == 0 ? "" : " and an initial delay");
    return (size_t)snprintf(text, size, "%s %s %s initial=%s%s\n", plan->name, kinds[plan->kind],
                            period, initial,
                            plan->zone == NULL && plan->flags == 0 ? "" : " and what is cron's");
}

static const gp_declared sample[] = {
    GP_DECLARED_CRON("report", do_nothing_at_all, NULL, "@daily", "UTC"),
    GP_DECLARED_RATE("sync", do_nothing_at_all, NULL, "1s"),
    {"clean",
     do_nothing_at_all,
     NULL,
     NULL,
     NULL,
     0,
     GP_UNSET,
     HOUR,
     GP_UNSET,
     NULL,
     NULL,
     "5s",
     {GP_MISSED_RUN_ONCE, false, NULL, NULL}},
    GP_DECLARED_CRON("later", do_nothing_at_all, NULL, "-", NULL),
};

static struct {
    const char *file; /* NULL: none */
    const char *plans;
} expected;

static void check_plans(void)
{
    struct gp__planner planner = {.count = 0};
    struct tab tab;
    char text[1024] = "";
    size_t length = 0;
    if (expected.file != NULL)
        tab_say(&tab, expected.file);
    gp_registrar_config config = {.entries = sample,
                                  .count = GP_COUNT_OF(sample),
                                  .file = expected.file == NULL ? NULL : tab.path,
                                  .environment = "GPTEST"};
    check_status(gp__registrar_plan(&planner, &config), GP_OK);
    check_text(errors_text(&planner.complaints.list), "");
    for (size_t i = 0; i < planner.count; i++)
        length += describe(&planner.plans[i], text + length, sizeof text - length);
    check_text(text, expected.plans);
    gp__planner_free(&planner);
    if (expected.file != NULL)
        tab_end(&tab);
}

static void expect_plans(const char *file, const char *const *variables, const char *plans)
{
    static const char *const none[] = {NULL};
    expected.file = file;
    expected.plans = plans;
    with_environment(variables == NULL ? none : variables, check_plans);
}

#define REPORT "report cron @daily zone=UTC\n"
#define SYNC   "sync rate 1s initial=0s\n"
#define CLEAN  "clean delay 1h initial=5s\n"
#define LATER  "later off\n"

static void without_a_file_and_variables_the_table_counts(void)
{
    expect_plans(NULL, NULL, REPORT SYNC CLEAN LATER);
    expect_plans("# nothing\n", NULL, REPORT SYNC CLEAN LATER);
}

static void a_file_replaces_what_it_says(void)
{
    expect_plans("report cron @hourly\n", NULL, "report cron @hourly zone=UTC\n" SYNC CLEAN LATER);
    expect_plans("report cron  0 30 9 * * *   zone=Europe/Berlin # c\n", NULL,
                 "report cron 0 30 9 * * * zone=Europe/Berlin\n" SYNC CLEAN LATER);
    expect_plans("clean delay 2h\n", NULL, REPORT SYNC "clean delay 2h initial=5s\n" LATER);
    expect_plans("clean delay 2h initial=0\n", NULL,
                 REPORT SYNC "clean delay 2h initial=0s\n" LATER);
    expect_plans("clean rate 2h\n", NULL, REPORT SYNC "clean rate 2h initial=5s\n" LATER);
    expect_plans("later cron @daily\n", NULL, REPORT SYNC CLEAN "later cron @daily zone=local\n");
}

/* [TABLE-3] */
static void another_kind_forgets_what_does_not_go_with_it(void)
{
    expect_plans("report rate 5s\n", NULL, "report rate 5s initial=0s\n" SYNC CLEAN LATER);
    expect_plans("clean cron @daily\n", NULL, REPORT SYNC "clean cron @daily zone=local\n" LATER);
    expect_plans("report rate 5s initial=2s\n",
                 (const char *[]){"GPTEST_REPORT_CRON=@weekly", NULL},
                 "report cron @weekly zone=local\n" SYNC CLEAN LATER);
    expect_plans("report cron @monthly zone=UTC\n", (const char *[]){"GPTEST_REPORT_DELAY=7", NULL},
                 "report delay 7ms initial=0s\n" SYNC CLEAN LATER);
}

static void say_failure(void *context, gp_future *future, const gp_failure *failure)
{
    (void)context;
    (void)future;
    (void)failure;
}

/* That it compiles is half of the test: no field is set twice. */
static void an_entry_may_start_with_all_unset(void)
{
    static const gp_declared entries[] = {
        {GP_DECLARED_UNSET, .name = "sync", .call = do_nothing_at_all, .fixed_rate_text = "500ms",
         .initial_delay_text = "1s", .options = {.failed = say_failure}},
        {GP_DECLARED_UNSET, .name = "report", .call = do_nothing_at_all, .cron = "@daily",
         .cron_flags = GP_CRON_OVERLAP_TWICE, .options = {.missed = GP_MISSED_SKIP}},
    };
    struct gp__planner planner = {.count = 0};
    char text[128];
    gp_registrar_config config = {.entries = entries, .count = 2};
    check_status(gp__registrar_plan(&planner, &config), GP_OK);
    require(planner.count == 2);
    describe(&planner.plans[0], text, sizeof text);
    check_text(text, "sync rate 500ms initial=1s\n");
    check(planner.plans[0].entry->options.failed == say_failure);
    describe(&planner.plans[1], text, sizeof text);
    check_text(text, "report cron @daily zone=local overlap=twice\n");
    check(planner.plans[1].entry->options.missed == GP_MISSED_SKIP);
    gp__planner_free(&planner);
}

static void the_environment_wins_over_the_file(void)
{
    expect_plans("sync rate 2s initial=1s\n", (const char *[]){"GPTEST_SYNC_RATE=3s", NULL},
                 REPORT "sync rate 3s initial=1s\n" CLEAN LATER);
    expect_plans("sync rate 2s initial=1s\n", (const char *[]){"GPTEST_SYNC_INITIAL=4s", NULL},
                 REPORT "sync rate 2s initial=4s\n" CLEAN LATER);
    expect_plans("report cron @hourly zone=UTC\n",
                 (const char *[]){"GPTEST_REPORT_ZONE=Asia/Tokyo", NULL},
                 "report cron @hourly zone=Asia/Tokyo\n" SYNC CLEAN LATER);
    expect_plans(NULL,
                 (const char *[]){"GPTEST_SYNC_CRON=@yearly", "GPTEST_SYNC_ZONE=UTC",
                                  "GPTEST_CLEAN_DELAY=1m", NULL},
                 REPORT "sync cron @yearly zone=UTC\nclean delay 1m initial=5s\n" LATER);
}

static void entries_are_switched_off_and_on_again(void)
{
    expect_plans("sync off\nreport cron -\nclean rate -\n", NULL,
                 "report off\nsync off\nclean off\n" LATER);
    expect_plans("sync off\n", (const char *[]){"GPTEST_SYNC_RATE=3s", NULL},
                 REPORT "sync rate 3s initial=0s\n" CLEAN LATER);
    expect_plans(NULL, (const char *[]){"GPTEST_SYNC_RATE=-", "GPTEST_REPORT_CRON=-", NULL},
                 "report off\nsync off\n" CLEAN LATER);
    expect_plans("later rate 1s\n", (const char *[]){"GPTEST_LATER_CRON=-", NULL},
                 REPORT SYNC CLEAN "later off\n");
    expect_plans("report off\n", (const char *[]){"GPTEST_REPORT_ZONE=Asia/Tokyo", NULL},
                 "report off\n" SYNC CLEAN LATER);
}

static void an_overlap_is_replaced_like_a_zone(void)
{
    expect_plans("report cron @hourly overlap=twice\n", NULL,
                 "report cron @hourly zone=UTC overlap=twice\n" SYNC CLEAN LATER);
    expect_plans("report cron @hourly overlap=twice\n",
                 (const char *[]){"GPTEST_REPORT_OVERLAP=once", NULL},
                 "report cron @hourly zone=UTC\n" SYNC CLEAN LATER);
    expect_plans(NULL, (const char *[]){"GPTEST_REPORT_OVERLAP=twice", NULL},
                 "report cron @daily zone=UTC overlap=twice\n" SYNC CLEAN LATER);
    expect_plans("report cron @hourly overlap=twice\n",
                 (const char *[]){"GPTEST_REPORT_RATE=5s", NULL},
                 "report rate 5s initial=0s\n" SYNC CLEAN LATER); /* [TABLE-3] */
}

/* In Berlin 02:30 comes twice on 26 October 2025, an hour apart. */
static void check_overlap(unsigned flags, int64_t distance)
{
    gp_declared entry =
        GP_DECLARED_CRON("a", do_nothing_at_all, NULL, "0 30 2 26 10 *", "Europe/Berlin");
    struct gp__planner planner = {.count = 0};
    gp_registrar_config config = {.entries = &entry, .count = 1};
    entry.cron_flags = flags;
    check_status(gp__registrar_plan(&planner, &config), GP_OK);
    int64_t first = gp_cron_next(planner.plans[0].compiled, GP_SECONDS(1761350400));
    check_int(first, GP_SECONDS(1761438600));
    check_int(gp_cron_next(planner.plans[0].compiled, first) - first, distance);
    gp__planner_free(&planner);
}

static void flags_come_to_the_expression(void)
{
    check_overlap(GP_CRON_OVERLAP_TWICE, HOUR);
    check_overlap(0, 365 * 24 * HOUR + HOUR); /* in 2026 clocks are put back a day earlier */
}

static void check_names(void)
{
    gp_declared entries[] = {GP_DECLARED_RATE("my-task.v2", do_nothing_at_all, NULL, "1s")};
    struct gp__planner planner = {.count = 0};
    gp_registrar_config config = {.entries = entries, .count = 1, .environment = "My_app"};
    check_status(gp__registrar_plan(&planner, &config), GP_OK);
    check_int(planner.plans[0].period, GP_SECONDS(9));
    gp__planner_free(&planner);
}

static void a_variable_is_called_after_its_entry(void)
{
    with_environment((const char *[]){"My_app_MY_TASK_V2_RATE=9s", NULL}, check_names);
}

static void a_zone_is_opened_once(void)
{
    gp_declared entries[] = {
        GP_DECLARED_CRON("a", do_nothing_at_all, NULL, "@daily", "Europe/Berlin"),
        GP_DECLARED_CRON("b", do_nothing_at_all, NULL, "@daily", NULL),
        GP_DECLARED_CRON("c", do_nothing_at_all, NULL, "@daily", "Europe/Berlin"),
        GP_DECLARED_CRON("d", do_nothing_at_all, NULL, "@daily", NULL),
    };
    struct gp__planner planner = {.count = 0};
    gp_registrar_config config = {.entries = entries, .count = 4};
    check_status(gp__registrar_plan(&planner, &config), GP_OK);
    require(planner.count == 4);
    check_int(planner.zone_count, 2);
    check(gp_cron_zone(planner.plans[0].compiled) == gp_cron_zone(planner.plans[2].compiled));
    check(gp_cron_zone(planner.plans[1].compiled) == gp_cron_zone(planner.plans[3].compiled));
    check(gp_cron_zone(planner.plans[0].compiled) != gp_cron_zone(planner.plans[1].compiled));
    gp__planner_free(&planner);
}

/* A file alone. */

static void a_file_alone_gives_entries(void)
{
    struct tab tab;
    gp_declared *entries = NULL;
    size_t count = 0;
    tab_say(&tab, "report cron 0 30 9 * * MON-FRI zone=Europe/Berlin overlap=twice\nsync rate "
                  "500ms initial=1s\n"
                  "clean delay 1h\nold off\nlocal cron @daily\n");
    require_ok(gp_registrar_read(tab.path, &entries, &count, NULL));
    require(count == 5);
    check_text(entries[0].name, "report");
    check_text(entries[0].cron, "0 30 9 * * MON-FRI");
    check_text(entries[0].zone, "Europe/Berlin");
    check_int(entries[0].cron_flags, GP_CRON_OVERLAP_TWICE);
    check_int(entries[4].cron_flags, 0);
    check(entries[0].fixed_rate == GP_UNSET && entries[0].initial_delay == GP_UNSET);
    check(entries[1].cron == NULL && entries[1].fixed_delay == GP_UNSET);
    check_int(entries[1].fixed_rate, GP_MILLISECONDS(500));
    check_int(entries[1].initial_delay, GP_SECONDS(1));
    check_int(entries[2].fixed_delay, HOUR);
    check_text(entries[3].cron, "-");
    check(entries[4].zone == NULL && entries[4].call == NULL);
    for (size_t i = 0; i < count; i++)
        entries[i].call = do_nothing_at_all;
    gp_registrar_config config = {.entries = entries, .count = count, .file = tab.path};
    expect_errors(&config, "");
    gp_registrar_entries_free(entries);
    tab_end(&tab);
}

static void a_file_alone_may_be_wrong(void)
{
    struct tab tab;
    gp_declared *entries = NULL;
    size_t count = 7;
    gp_registrar_errors errors = {7, NULL};
    tab_say(&tab, "a rate 0s\na off\n\nb cron @never\n");
    check_status(gp_registrar_read(tab.path, &entries, &count, &errors), GP_EINVAL);
    check_int(errors.count, 3);
    check_int(errors.errors[2].line, 4);
    check_int(errors.errors[2].column, 8);
    check(entries == NULL && count == 7);
    gp_registrar_errors_free(&errors);
    tab_end(&tab);
    check_status(gp_registrar_read(tab.path, &entries, &count, &errors), GP_EINVAL);
    check_text(errors_text(&errors), "tab:0:0: -: there is no such file\n");
    gp_registrar_errors_free(&errors);
    errors.count = 7;
    check_status(gp_registrar_read(NULL, &entries, &count, &errors), GP_EINVAL);
    check_int(errors.count, 0);
    check_status(gp_registrar_read("x", NULL, &count, &errors), GP_EINVAL);
    check_status(gp_registrar_read("x", &entries, NULL, &errors), GP_EINVAL);
}

static void a_text_alone_gives_entries(void)
{
    static const char text[] = "a rate 1s\nb off";
    gp_declared *entries = NULL;
    size_t count = 0;
    require_ok(gp__registrar_read("text", text, sizeof text - 1, &entries, &count, NULL));
    check_int(count, 2);
    gp_registrar_entries_free(entries);
    require_ok(gp__registrar_read("text", "", 0, &entries, &count, NULL));
    check_int(count, 0);
    gp_registrar_entries_free(entries);
}

/* As many names as make the table grow, twice over. */
static void a_file_may_have_many_entries(void)
{
    static char text[200000];
    size_t length = 0;
    gp_declared *entries = NULL;
    size_t count = 0;
    gp_registrar_errors errors = {0, NULL};
    for (int i = 0; i < 5000; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "entry-%d rate %dms\n", i, i + 1);
    require_ok(gp__registrar_read("text", text, length, &entries, &count, NULL));
    check_int(count, 5000);
    check_int(entries[4999].fixed_rate, GP_MILLISECONDS(5000));
    check_text(entries[4999].name, "entry-4999");
    gp_registrar_entries_free(entries);
    length += (size_t)snprintf(text + length, sizeof text - length, "entry-0 off\n");
    check_status(gp__registrar_read("text", text, length, &entries, &count, &errors), GP_EINVAL);
    check_text(errors_text(&errors),
               "text:5001:1: entry-0: \"entry-0\" has a line already: line 1\n");
    gp_registrar_errors_free(&errors);
}

static const struct test tests[] = {
    TEST(without_a_file_and_variables_the_table_counts),
    TEST(a_file_replaces_what_it_says),
    TEST(another_kind_forgets_what_does_not_go_with_it),
    TEST(an_entry_may_start_with_all_unset),
    TEST(the_environment_wins_over_the_file),
    TEST(entries_are_switched_off_and_on_again),
    TEST(an_overlap_is_replaced_like_a_zone),
    TEST(flags_come_to_the_expression),
    TEST(a_variable_is_called_after_its_entry),
    TEST(a_zone_is_opened_once),
    TEST(a_file_alone_gives_entries),
    TEST(a_file_alone_may_be_wrong),
    TEST(a_text_alone_gives_entries),
    TEST(a_file_may_have_many_entries),
    END_OF_TESTS,
};

const struct suite registrar_merge_suite = {.name = "registrar_merge", .tests = tests};
