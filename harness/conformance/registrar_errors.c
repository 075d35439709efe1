/*
 * What the registrar refuses: each mistake, with its source, line and column; and all of them at
 * once.
 */
#include <glasspool/registrar.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glasspool/clock.h>
#include <glasspool/cron.h>
#include <glasspool/status.h>

#include "registrar_support.h"
#include "suite.h"

/* The table. */

static void expect_entry(const gp_declared *entry, const char *errors)
{
    gp_registrar_config config = {.entries = entry, .count = 1};
    check_within(errors);
    expect_errors(&config, errors);
    check_within(NULL);
}

static gp_declared rate_of(const char *rate)
{
    return (gp_declared)GP_DECLARED_RATE("a", do_nothing_at_all, NULL, rate);
}

static gp_declared cron_of(const char *cron, const char *zone)
{
    return (gp_declared)GP_DECLARED_CRON("a", do_nothing_at_all, NULL, cron, zone);
}

/* [TABLE-2] */
static void an_entry_has_exactly_one_kind(void)
{
    gp_declared entry = rate_of(NULL);
    expect_entry(&entry, "table:1:0: a: none of cron, fixed_rate and fixed_delay is there\n");
    entry = cron_of(NULL, "UTC");
    expect_entry(&entry, "table:1:0: a: none of cron, fixed_rate and fixed_delay is there\n");
    entry = rate_of("1s");
    entry.fixed_delay = GP_SECONDS(1);
    expect_entry(&entry, "table:1:0: a: fixed_delay beside fixed_rate: an entry has one of them\n");
    entry = cron_of("@daily", "UTC");
    entry.fixed_rate_text = "1s";
    expect_entry(&entry, "table:1:0: a: fixed_rate beside cron: an entry has one of them\n");
}

static void a_duration_is_a_number_or_a_text(void)
{
    gp_declared entry = rate_of("1s");
    entry.fixed_rate = GP_SECONDS(1);
    expect_entry(&entry, "table:1:0: a: fixed_rate is there twice, as a number and as a text\n");
    entry = (gp_declared)GP_DECLARED_DELAY("a", do_nothing_at_all, NULL, "1s");
    entry.fixed_delay = GP_SECONDS(1);
    entry.initial_delay = 0;
    entry.initial_delay_text = "0";
    expect_entry(&entry, "table:1:0: a: fixed_delay is there twice, as a number and as a text\n"
                         "table:1:0: a: initial_delay is there twice, as a number and as a "
                         "text\n");
}

static void a_period_is_more_than_zero(void)
{
    gp_declared entry = rate_of(NULL);
    entry.fixed_rate = -2;
    expect_entry(&entry, "table:1:0: a: fixed_rate must be more than zero; GP_UNSET is -1\n");
    entry = rate_of("0s");
    expect_entry(&entry, "table:1:0: a: fixed_rate must be more than zero\n");
    entry = rate_of("1s");
    entry.initial_delay = -2;
    expect_entry(&entry, "table:1:0: a: initial_delay must not be negative\n");
    entry.initial_delay = 0;
    expect_entry(&entry, "");
}

#define IS_NOT_UNSET " 0: unset is GP_UNSET, of initial_delay, too; take GP_DECLARED_UNSET\n"

/* The mistake that is the easiest to make, and all that comes of it: one error. */
static void zero_is_not_unset(void)
{
    gp_declared entry = {.name = "a", .call = do_nothing_at_all};
    expect_entry(&entry, "table:1:0: a: fixed_rate and fixed_delay are" IS_NOT_UNSET);
    entry.cron = "@daily";
    entry.zone = "UTC";
    expect_entry(&entry, "table:1:0: a: fixed_rate and fixed_delay are" IS_NOT_UNSET);
    entry = (gp_declared){.name = "a", .call = do_nothing_at_all, .fixed_rate_text = "1s"};
    entry.initial_delay_text = "5s";
    expect_entry(&entry, "table:1:0: a: fixed_rate and fixed_delay are" IS_NOT_UNSET);
    entry = (gp_declared){.name = "a", .call = do_nothing_at_all, .fixed_rate = GP_SECONDS(1)};
    expect_entry(&entry, "table:1:0: a: fixed_delay is" IS_NOT_UNSET);
    entry = rate_of(NULL);
    entry.fixed_rate = 0;
    expect_entry(&entry, "table:1:0: a: fixed_rate is" IS_NOT_UNSET);
    entry.fixed_delay_text = "x";
    expect_entry(&entry, "table:1:0: a: fixed_rate is" IS_NOT_UNSET
                         "table:1:1: a: fixed_delay \"x\": a number is missing\n");
}

/* [TABLE-3] */
static void a_zone_goes_with_cron_an_initial_delay_without(void)
{
    gp_declared entry = rate_of("1s");
    entry.zone = "UTC";
    expect_entry(&entry, "table:1:0: a: zone without cron\n");
    entry = cron_of("@daily", "UTC");
    entry.initial_delay = 0;
    expect_entry(&entry, "table:1:0: a: initial_delay with cron; GP_UNSET is -1\n");
}

static void values_are_looked_at(void)
{
    gp_declared entry = rate_of("1h 30m");
    expect_entry(&entry, "table:1:3: a: fixed_rate \"1h 30m\": no spaces in a duration\n");
    entry = rate_of("1s");
    entry.initial_delay_text = "soon";
    expect_entry(&entry, "table:1:1: a: initial_delay \"soon\": a number is missing\n");
    entry = cron_of("@daily", "Mars/Olympus");
    expect_entry(&entry, "table:1:0: a: zone \"Mars/Olympus\": there is no such zone\n");
    entry = cron_of("@daily", "../etc/passwd");
    expect_entry(&entry, "table:1:0: a: zone \"../etc/passwd\": not the name of a zone\n");
    entry = cron_of("0 0", "UTC");
    expect_entry(&entry, "table:1:4: a: cron: fields are missing: there are to be 5, or 6 with "
                         "seconds\n");
    entry = cron_of("@weekdays", "UTC");
    expect_entry(&entry, "table:1:1: a: cron \"@weekdays\": no such macro\n");
    entry = cron_of("0 0 0 30 2 *", "UTC");
    expect_entry(&entry, "table:1:7: a: cron: there is no such day\n");
    entry = cron_of("0\t0  31 4 * ", "UTC");
    expect_entry(&entry, "table:1:6: a: cron: there is no such day\n");
}

static void a_function_and_a_name_are_needed(void)
{
    gp_declared entry = GP_DECLARED_RATE("a", NULL, NULL, "1s");
    expect_entry(&entry, "table:1:0: a: there is no function\n");
    entry = rate_of("1s");
    entry.name = NULL;
    expect_entry(&entry, "table:1:0: -: the name is missing\n");
    entry.name = "";
    expect_entry(&entry, "table:1:0: : the name is empty\n");
    entry.name = "two words";
    expect_entry(&entry, "table:1:0: two words: a name has letters, digits, _ - and . but not what "
                         "stands at character 4\n");
    entry.name = "a23456789b123456789c123456789d123456789e123456789f123456789g12345";
    expect_entry(&entry, "table:1:0: "
                         "a23456789b123456789c123456789d123456789e123456789f123456789g12345: "
                         "the name has more than 64 characters\n");
    entry.name = "A_name-with.9";
    expect_entry(&entry, "");
    entry.name = "azAZ09";
    expect_entry(&entry, "");
}

/* Wherever they meet on their way to a place of their own: of one length, or one the beginning of
   the other. */
static void many_names_are_many(void)
{
    enum {
        COUNT = 300
    };
    static char names[COUNT][16];
    static gp_declared entries[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "e%d", i);
        entries[i] = rate_of("1s");
        entries[i].name = names[i];
    }
    gp_registrar_config config = {.entries = entries, .count = COUNT};
    expect_errors(&config, "");
}

static void names_are_unique(void)
{
    gp_declared entries[] = {GP_DECLARED_RATE("a.b", do_nothing_at_all, NULL, "1s"),
                             GP_DECLARED_RATE("other", do_nothing_at_all, NULL, "1s"),
                             GP_DECLARED_RATE("a.b", do_nothing_at_all, NULL, "1s"),
                             GP_DECLARED_RATE("A-B", do_nothing_at_all, NULL, "1s")};
    gp_registrar_config config = {.entries = entries, .count = 4};
    expect_errors(&config, "table:3:0: a.b: an entry before it has this name\n");
    config.environment = "GPTEST";
    expect_errors(&config, "table:3:0: a.b: an entry before it has this name\n"
                           "table:4:0: A-B: it would have the same variables as \"a.b\"\n");
}

static void expect_no_rivals(char first, char last)
{
    char longer[] = {first, '_', last, '\0'};
    char shorter[] = {first, '\0', last, '\0'};
    gp_declared entries[] = {GP_DECLARED_RATE(longer, do_nothing_at_all, NULL, "1s"),
                             GP_DECLARED_RATE(shorter, do_nothing_at_all, NULL, "1s")};
    gp_registrar_config config = {.entries = entries, .count = 2, .environment = "GPTEST"};
    expect_errors(&config, "");
}

/* A name that goes on, in memory, like the one before it: read beyond its end it would share the
   variables of that. They are compared only if their hashes meet, as those of some letters do. */
static void a_name_ends_where_it_ends(void)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    for (const char *first = letters; *first != '\0'; first++)
        for (const char *last = letters; *last != '\0'; last++)
            expect_no_rivals(*first, *last);
}

/* The file. */

static const gp_declared sample[] = {
    GP_DECLARED_CRON("report", do_nothing_at_all, NULL, "@daily", "UTC"),
    GP_DECLARED_RATE("sync", do_nothing_at_all, NULL, "1s"),
};

static void expect_file(const char *text, const char *errors)
{
    expect_file_errors(sample, GP_COUNT_OF(sample), text, errors);
}

static void good_lines_are_good(void)
{
    expect_file("", "");
    expect_file("\n\n  \t\n# a comment\n   # another\n", "");
    expect_file("report cron 0 30 9 * * MON-FRI zone=UTC # text\nsync rate 500ms initial=1s\n", "");
    expect_file("report\tcron\t0 30 9 ? * FRI#2\tzone=UTC\n", ""); /* not a comment */
    expect_file("sync delay PT1H", "");                            /* no end of line */
    expect_file("sync rate 1s\r\n\r\nreport off\r\n", "");
    expect_file("sync rate 1s\r", "");
    expect_file("\xef\xbb\xbfsync rate 1s\n", "");
    expect_file("sync off # for now\nreport cron -\n", "");
    expect_file("sync rate -\n", "");
    expect_file("sync cron @hourly\n", "");
}

static void words_are_known_or_refused(void)
{
    expect_file("sync\n", "tab:1:5: sync: cron, rate, delay or off is missing\n");
    expect_file("sync   # text\n", "tab:1:6: sync: cron, rate, delay or off is missing\n");
    expect_file("sync every 5s\n",
                "tab:1:6: sync: \"every\" is not known: cron, rate, delay and off are\n");
    expect_file("  sync rate\n", "tab:1:12: sync: the duration is missing\n");
    expect_file("report cron zone=UTC\n", "tab:1:13: report: the cron expression is missing\n");
    expect_file("sync rate 1s 2s\n",
                "tab:1:14: sync: \"2s\" is too much: nothing may follow here but options\n");
    expect_file("report cron @daily zone=UTC 5\n",
                "tab:1:29: report: \"5\" is too much: nothing may follow here but options\n");
    expect_file("sync off now\n", "tab:1:10: sync: \"now\" is too much: nothing follows off\n");
    expect_file("report cron @daily tz=UTC\n",
                "tab:1:20: report: \"tz=\" is not known: zone=, initial= and overlap= are\n");
    expect_file("report cron @daily zone=UTC zone=UTC\n",
                "tab:1:29: report: zone= is there twice\n");
    expect_file("sync rate 1s initial=\n", "tab:1:14: sync: initial= has no value\n");
}

static void values_in_a_file_are_looked_at(void)
{
    expect_file("sync rate 1x\n", "tab:1:12: sync: rate \"1x\": no such unit: d h m s ms us ns are "
                                  "known\n");
    expect_file("sync delay 0s\n", "tab:1:12: sync: delay must be more than zero\n");
    expect_file("sync rate 1s initial=-1s\n",
                "tab:1:22: sync: initial \"-1s\": a duration has no sign\n");
    expect_file("sync rate 1s zone=UTC\n", "tab:1:19: sync: zone without cron\n");
    expect_file("report cron @daily initial=5s\n", "tab:1:28: report: initial with cron\n");
    expect_file("report cron @daily zone=Mars/Olympus\n",
                "tab:1:25: report: zone \"Mars/Olympus\": there is no such zone\n");
    expect_file("report cron 0 0 0 30 2 *\n", "tab:1:19: report: cron: there is no such day\n");
}

static void an_overlap_is_once_or_twice_and_goes_with_cron(void)
{
    gp_declared entry = cron_of("0 30 2 * * *", "UTC");
    entry.cron_flags = GP_CRON_OVERLAP_TWICE;
    expect_entry(&entry, "");
    entry.cron_flags = 6;
    expect_entry(&entry, "table:1:0: a: cron_flags: there is no such flag\n");
    entry = rate_of("1s");
    entry.cron_flags = GP_CRON_OVERLAP_TWICE;
    expect_entry(&entry, "table:1:0: a: cron_flags without cron\n");
    expect_file("report cron @daily overlap=twice zone=UTC\n", "");
    expect_file("report cron @daily overlap=once\n", "");
    expect_file("report cron @daily overlap=never\n",
                "tab:1:28: report: overlap \"never\": it is once or twice\n");
    expect_file("sync rate 1s overlap=once\n", "tab:1:22: sync: overlap without cron\n");
    expect_file("report cron @daily overlap=once overlap=twice\n",
                "tab:1:33: report: overlap= is there twice\n");
}

/* The text of the reason is the expression's own business; where it is, is ours. */
static void an_expression_is_wrong_at_its_column(void)
{
    struct tab tab;
    gp_registrar_errors errors = {0, NULL};
    tab_say(&tab, "\n  report\tcron 0 30  25 * * MON-FRI zone=UTC\n");
    gp_registrar_config config = {
        .entries = sample, .count = GP_COUNT_OF(sample), .file = tab.path, .errors = &errors};
    check_status(gp_registrar_check(&config), GP_EINVAL);
    require(errors.count == 1);
    check_int(errors.errors[0].line, 2);
    check_int(errors.errors[0].column, 21);
    check(strncmp(errors.errors[0].text, "cron hour \"25\": ", 16) == 0);
    gp_registrar_errors_free(&errors);
    tab_end(&tab);
}

static void names_in_a_file_are_known_and_come_once(void)
{
    expect_file("synk rate 1s\n", "tab:1:1: synk: no entry is called \"synk\"\n");
    expect_file("sy/nk rate 1s\n", "tab:1:3: sy/nk: a name has letters, digits, _ - and . but not "
                                   "what stands at character 3\n");
    expect_file("sync rate 1s\n\nsync delay 5s\n",
                "tab:3:1: sync: \"sync\" has a line already: line 1\n");
    expect_file("synk rate 0s\n", "tab:1:1: synk: no entry is called \"synk\"\n"
                                  "tab:1:11: synk: rate must be more than zero\n");
}

static void what_is_no_text_is_refused(void)
{
    static const char with_nul[] = "sync rate 1s\nreport\0cron @daily\nsync x\n";
    static char wide[2100];
    struct tab tab;
    gp_registrar_config config = {.entries = sample, .count = 2, .file = tab.path};
    tab_write(&tab, with_nul, sizeof with_nul - 1);
    expect_errors(&config, "tab:2:7: -: there is a NUL byte\n"
                           "tab:3:1: sync: \"sync\" has a line already: line 1\n"
                           "tab:3:6: sync: \"x\" is not known: cron, rate, delay and off are\n");
    tab_end(&tab);
    expect_file("sync\rrate 1s\n", "tab:1:5: -: there is a carriage return inside the line\n");
    snprintf(wide, sizeof wide, "%-2099s", "sync rate 1s");
    wide[1000] = '\n';
    wide[2001] = ' ';
    wide[2002] = '\n';
    tab_write(&tab, wide, 2003);
    expect_errors(&config, "tab:2:1001: -: the line has more than 1000 characters\n");
    tab_end(&tab);
}

static void a_file_that_cannot_be_read_is_told(void)
{
    struct tab tab;
    gp_registrar_config config = {
        .entries = sample, .count = 2, .file = "/tmp/tab-there-is-none/file"};
    expect_errors(&config, "tab:0:0: -: there is no such file\n");
    config.file = "/tmp/tab-is-a-directory";
    mkdir(config.file, 0700);
    expect_errors(&config, "tab:0:0: -: it is a directory\n");
    rmdir(config.file);
    config.file = "/dev/null/tab";
    expect_errors(&config, "/dev/null/tab:0:0: -: it cannot be read\n");
    tab_say(&tab, "");
    config.file = tab.path;
    chmod(tab.path, 0);
    if (access(tab.path, R_OK) != 0)
        expect_errors(&config, "tab:0:0: -: it may not be read: permission denied\n");
    tab_end(&tab);
    tab_say(&tab, "");
    require(truncate(tab.path, (1 << 20) + 1) == 0);
    expect_errors(&config, "tab:0:0: -: it has more than 1048576 bytes\n");
    tab_end(&tab);
}

static void a_file_may_be_as_long_as_it_may(void)
{
    static char lines[1 << 20];
    struct tab tab;
    memset(lines, '\n', sizeof lines);
    tab_write(&tab, lines, sizeof lines);
    gp_registrar_config config = {.entries = sample, .count = 2, .file = tab.path};
    expect_errors(&config, "");
    tab_end(&tab);
}

/* What went before may have left any number there, and nobody has to wipe it. */
static void an_old_errno_is_no_reason_to_read_on(void)
{
    struct tab tab;
    tab_say(&tab, "sync rate 0s\n");
    gp_registrar_config config = {.entries = sample, .count = 2, .file = tab.path};
    errno = EINTR;
    expect_errors(&config, "tab:1:11: sync: rate must be more than zero\n");
    tab_end(&tab);
}

static void a_file_may_have_descriptor_0(void)
{
    struct tab tab;
    int saved = dup(STDIN_FILENO);
    tab_say(&tab, "sync rate 0s\n");
    gp_registrar_config config = {.entries = sample, .count = 2, .file = tab.path};
    close(STDIN_FILENO);
    expect_errors(&config, "tab:1:11: sync: rate must be more than zero\n");
    check(fcntl(STDIN_FILENO, F_GETFD) == -1); /* closed again */
    dup2(saved, STDIN_FILENO);
    close(saved);
    tab_end(&tab);
}

static void a_file_may_be_a_byte_order_mark_alone(void)
{
    expect_file("\xef\xbb\xbf", "");
}

static void each_line_tells_all_its_mistakes_from_left_to_right(void)
{
    expect_file("sy!nk rate 0s  zone=Mars/X initial=x what=5 zone=UTC junk more\n",
                "tab:1:3: sy!nk: a name has letters, digits, _ - and . but not what stands at "
                "character 3\n"
                "tab:1:12: sy!nk: rate must be more than zero\n"
                "tab:1:21: sy!nk: zone without cron\n"
                "tab:1:21: sy!nk: zone \"Mars/X\": there is no such zone\n"
                "tab:1:36: sy!nk: initial \"x\": a number is missing\n"
                "tab:1:38: sy!nk: \"what=\" is not known: zone=, initial= and overlap= are\n"
                "tab:1:45: sy!nk: zone= is there twice\n"
                "tab:1:54: sy!nk: \"junk\" is too much: nothing may follow here but options\n");
}

/* The environment. */

static const char *expected;

static void check_environment(void)
{
    gp_registrar_config config = {
        .entries = sample, .count = GP_COUNT_OF(sample), .environment = "GPTEST"};
    expect_errors(&config, expected);
}

static void expect_variables(const char *const *variables, const char *errors)
{
    expected = errors;
    with_environment(variables, check_environment);
}

static void variables_are_looked_at(void)
{
    expect_variables((const char *[]){"GPTEST_SYNC_RATE=5 s", NULL},
                     "GPTEST_SYNC_RATE:0:2: sync: rate \"5 s\": no spaces in a duration\n");
    expect_variables((const char *[]){"GPTEST_SYNC_RATE=0", NULL},
                     "GPTEST_SYNC_RATE:0:0: sync: rate must be more than zero\n");
    expect_variables((const char *[]){"GPTEST_SYNC_RATE=1s", "GPTEST_SYNC_DELAY=1s", NULL},
                     "GPTEST_SYNC_DELAY:0:0: sync: delay beside rate: an entry has one of them\n");
    expect_variables((const char *[]){"GPTEST_SYNC_ZONE=UTC", NULL},
                     "GPTEST_SYNC_ZONE:0:0: sync: zone without cron\n");
    expect_variables((const char *[]){"GPTEST_REPORT_INITIAL=1s", NULL},
                     "GPTEST_REPORT_INITIAL:0:0: report: initial with cron\n");
    expect_variables((const char *[]){"GPTEST_REPORT_ZONE=Mars/X", NULL},
                     "GPTEST_REPORT_ZONE:0:0: report: zone \"Mars/X\": there is no such zone\n");
    expect_variables((const char *[]){"GPTEST_REPORT_OVERLAP=both", NULL},
                     "GPTEST_REPORT_OVERLAP:0:0: report: overlap \"both\": it is once or twice\n");
    expect_variables((const char *[]){"GPTEST_SYNC_OVERLAP=twice", NULL},
                     "GPTEST_SYNC_OVERLAP:0:0: sync: overlap without cron\n");
    expect_variables((const char *[]){"GPTEST_REPORT_ZONE=", "GPTEST_SYNC_RATE=", NULL}, "");
}

static void what_only_looks_like_ours_is_left_alone(void)
{
    static const char *const of_others[] = {"OTHER_SYNK_RATE=x",  "GPTEST2_SYNK_RATE=x",
                                            "GPTESX_SYNK_RATE=x", "GPTEST_RATE=x",
                                            "GPTESTRATE=x",       NULL};
    static const char *const of_nobody[] = {"GPTEST__RATE=x",
                                            "GPTEST_SYNC_PERIOD=x",
                                            "GPTEST_SYNK_RULE=x",
                                            "GPTEST_SYNKRATE=x",
                                            "RATE=x",
                                            "A=x",
                                            NULL};
    expect_variables(of_others, "");
    expect_variables(of_nobody, "");
    expect_variables((const char *[]){"GPTEST_SYNK_RATE=", NULL}, "");
}

/* [PLAN-3] */
static void a_variable_of_no_entry_is_told(void)
{
    expect_variables((const char *[]){"GPTEST_SYNK_RATE=1s", "GPTEST_SYNC_RATE=1s", NULL},
                     "GPTEST_SYNK_RATE:0:0: -: no entry has this variable\n");
    expect_variables((const char *[]){"GPTEST_sync_RATE=1s", NULL},
                     "GPTEST_sync_RATE:0:0: -: no entry has this variable\n");
    expect_variables((const char *[]){"GPTEST_SYNC_RATE_RATE=1s", "GPTEST_SYNC_RATE=0", NULL},
                     "GPTEST_SYNC_RATE:0:0: sync: rate must be more than zero\n"
                     "GPTEST_SYNC_RATE_RATE:0:0: -: no entry has this variable\n");
}

static void each_suffix_is_known(void)
{
    static const char *const suffixes[] = {"CRON", "RATE", "DELAY", "ZONE", "INITIAL", "OVERLAP"};
    for (size_t i = 0; i < GP_COUNT_OF(suffixes); i++) {
        char variable[64];
        char error[128];
        snprintf(variable, sizeof variable, "GPTEST_X_%s=1", suffixes[i]);
        snprintf(error, sizeof error, "GPTEST_X_%s:0:0: -: no entry has this variable\n",
                 suffixes[i]);
        expect_variables((const char *[]){variable, NULL}, error);
    }
}

/* Of a name that is too long for an entry, what the error says is cut. */
static void a_variable_may_have_a_long_name(void)
{
    char variable[400];
    char error[400];
    snprintf(variable, sizeof variable, "GPTEST_%0100d_RATE=1", 7);
    snprintf(error, sizeof error, "GPTEST_%0100d_RATE:0:0: -: no entry has this variable\n", 7);
    expect_variables((const char *[]){variable, NULL}, error);
    snprintf(variable, sizeof variable, "GPTEST_%0200d_RATE=1", 0);
    snprintf(error, sizeof error, "GPTEST_%0136d:0:0: -: no entry has this variable\n", 0);
    expect_variables((const char *[]){variable, NULL}, error);
}

#define LONGEST_NAME "A23456789B123456789C123456789D123456789E123456789F123456789G1234"

static void check_longest_name(void)
{
    gp_declared entries[] = {GP_DECLARED_RATE(LONGEST_NAME, do_nothing_at_all, NULL, "1s"),
                             GP_DECLARED_RATE("azAZ09", do_nothing_at_all, NULL, "1s")};
    gp_registrar_config config = {.entries = entries, .count = 2, .environment = "GPTEST"};
    expect_errors(&config, "GPTEST_" LONGEST_NAME "_RATE:0:0: " LONGEST_NAME
                           ": rate must be more than zero\n"
                           "GPTEST_AZAZ09_RATE:0:0: azAZ09: rate must be more than zero\n");
}

static void a_variable_may_have_any_name_of_an_entry(void)
{
    with_environment(
        (const char *[]){"GPTEST_" LONGEST_NAME "_RATE=0s", "GPTEST_AZAZ09_RATE=0s", NULL},
        check_longest_name);
}

static void check_names_with_underscores(void)
{
    gp_declared entries[] = {GP_DECLARED_RATE("a_cron", do_nothing_at_all, NULL, "1s"),
                             GP_DECLARED_RATE("my-task.v2", do_nothing_at_all, NULL, "1s")};
    gp_registrar_config config = {.entries = entries, .count = 2, .environment = "GPTEST"};
    expect_errors(&config, "GPTEST_A_CRON:0:0: -: no entry has this variable\n");
}

/* GPTEST_A_CRON would be the expression of an entry "a". */
static void a_name_may_end_like_a_variable(void)
{
    with_environment((const char *[]){"GPTEST_A_CRON_RATE=2s", "GPTEST_A_CRON=@daily",
                                      "GPTEST_MY_TASK_V2_INITIAL=1s", NULL},
                     check_names_with_underscores);
}

static void a_prefix_is_letters_digits_and_underscores(void)
{
    static const char text[] =
        "environment:0:0: -: the prefix must be letters, digits and _, 64 at "
        "most, and no digit first\n";
    static const char too_long[] = "a23456789b123456789c123456789d123456789e123456789f123456789"
                                   "g12345";
    static const char *const bad[] = {"",   "9A", "0A",  "A{",  "A[", "A`",       "A@",
                                      "A:", "A/", "A-B", "A B", "A=", "\xc3\x84", too_long};
    gp_registrar_config config = {.entries = sample, .count = 2};
    for (size_t i = 0; i < GP_COUNT_OF(bad); i++) {
        config.environment = bad[i];
        check_within(bad[i]);
        expect_errors(&config, text);
    }
    check_within(NULL);
    config.environment = "_app_9";
    expect_errors(&config, "");
    config.environment = LONGEST_NAME;
    expect_errors(&config, "");
}

#define NO_LOCAL_ZONE                                                                            \
    "no zone is given, and the local one (TZ, or /etc/localtime) cannot be opened: there is no " \
    "such zone\n"

/* Only one who asks for the local zone needs it. */
static void check_local_zone(void)
{
    gp_declared entries[] = {GP_DECLARED_CRON("a", do_nothing_at_all, NULL, "@daily", "UTC"),
                             GP_DECLARED_CRON("b", do_nothing_at_all, NULL, "@daily", NULL)};
    gp_registrar_config config = {.entries = entries, .count = 2};
    expect_errors(&config, "table:0:0: b: " NO_LOCAL_ZONE);
    config.count = 1;
    expect_errors(&config, "");
}

static void check_local_zone_of_a_file(void)
{
    gp_registrar_errors errors = {0, NULL};
    gp_declared *entries = NULL;
    size_t count = 0;
    struct tab tab;
    tab_say(&tab, "a cron @daily zone=UTC\n\nb cron @daily\n");
    check_status(gp_registrar_read(tab.path, &entries, &count, &errors), GP_EINVAL);
    check_text(errors_text(&errors), "tab:3:0: b: " NO_LOCAL_ZONE);
    gp_registrar_errors_free(&errors);
    tab_end(&tab);
}

static void a_local_zone_that_is_not_there_is_told(void)
{
    with_environment((const char *[]){"TZ=Mars/Olympus", NULL}, check_local_zone);
    with_environment((const char *[]){"TZ=Mars/Olympus", NULL}, check_local_zone_of_a_file);
}

/* All of it. */

static const gp_declared bad_sample[] = {
    GP_DECLARED_CRON("report", do_nothing_at_all, NULL, "@daily", "Mars/X"),
    GP_DECLARED_RATE("sync", NULL, NULL, "x"),
};

static void check_all_sources(void)
{
    struct tab tab;
    tab_say(&tab, "other off\n\nsync rate 0s");
    gp_registrar_config config = {
        .entries = bad_sample, .count = 2, .file = tab.path, .environment = "GPTEST"};
    expect_errors(&config, "table:1:0: report: zone \"Mars/X\": there is no such zone\n"
                           "table:2:0: sync: there is no function\n"
                           "table:2:1: sync: fixed_rate \"x\": a number is missing\n"
                           "tab:1:1: other: no entry is called \"other\"\n"
                           "tab:3:11: sync: rate must be more than zero\n"
                           "GPTEST_REPORT_INITIAL:0:0: report: initial with cron\n"
                           "GPTEST_SYNC_DELAY:0:1: sync: delay \"y\": a number is missing\n");
    tab_end(&tab);
}

/* [PLAN-1] [TABLE-1]: also what the file, or a variable, would replace */
static void all_errors_are_told_at_once_in_the_order_of_the_sources(void)
{
    with_environment((const char *[]){"GPTEST_REPORT_INITIAL=1s", "GPTEST_SYNC_DELAY=y", NULL},
                     check_all_sources);
}

static void nothing_starts_if_anything_is_wrong(void)
{
    gp_declared entries[] = {GP_DECLARED_RATE("a", do_nothing_at_all, NULL, "1ms"),
                             GP_DECLARED_RATE("b", do_nothing_at_all, NULL, "x")};
    gp_scheduled_config pool = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;
    gp_pool_stats stats;
    gp_registrar *registrar = NULL;
    gp_registrar_errors errors = {0, NULL};
    require_ok(gp_scheduled_new(&pool, &scheduled));
    gp_registrar_config config = {
        .entries = entries, .count = 2, .scheduled = scheduled, .errors = &errors};
    check_status(gp_registrar_start(&config, &registrar), GP_EINVAL);
    check_text(errors_text(&errors), "table:2:1: b: fixed_rate \"x\": a number is missing\n");
    gp_registrar_errors_free(&errors);
    check(registrar == NULL);
    gp_pool_statistics(gp_scheduled_pool(scheduled), &stats);
    check(stats.total == 0);
    check_status(gp_scheduled_close(scheduled), GP_OK);
}

static const struct test tests[] = {
    TEST(an_entry_has_exactly_one_kind),
    TEST(a_duration_is_a_number_or_a_text),
    TEST(a_period_is_more_than_zero),
    TEST(zero_is_not_unset),
    TEST(a_zone_goes_with_cron_an_initial_delay_without),
    TEST(values_are_looked_at),
    TEST(a_function_and_a_name_are_needed),
    TEST(many_names_are_many),
    TEST(names_are_unique),
    TEST(a_name_ends_where_it_ends),
    TEST(good_lines_are_good),
    TEST(words_are_known_or_refused),
    TEST(values_in_a_file_are_looked_at),
    TEST(an_overlap_is_once_or_twice_and_goes_with_cron),
    TEST(an_expression_is_wrong_at_its_column),
    TEST(names_in_a_file_are_known_and_come_once),
    TEST(what_is_no_text_is_refused),
    TEST(a_file_that_cannot_be_read_is_told),
    TEST(a_file_may_be_as_long_as_it_may),
    TEST(an_old_errno_is_no_reason_to_read_on),
    TEST(a_file_may_have_descriptor_0),
    TEST(a_file_may_be_a_byte_order_mark_alone),
    TEST(each_line_tells_all_its_mistakes_from_left_to_right),
    TEST(variables_are_looked_at),
    TEST(what_only_looks_like_ours_is_left_alone),
    TEST(a_variable_of_no_entry_is_told),
    TEST(each_suffix_is_known),
    TEST(a_variable_may_have_a_long_name),
    TEST(a_variable_may_have_any_name_of_an_entry),
    TEST(a_name_may_end_like_a_variable),
    TEST(a_prefix_is_letters_digits_and_underscores),
    TEST(a_local_zone_that_is_not_there_is_told),
    TEST(all_errors_are_told_at_once_in_the_order_of_the_sources),
    TEST(nothing_starts_if_anything_is_wrong),
    END_OF_TESTS,
};

const struct suite registrar_errors_suite = {.name = "registrar_errors", .tests = tests};
