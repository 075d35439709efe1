/* Rejecting with a report: line, dump, interval and file. */
#include <glasspool/report.h>

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h> /* mkdtemp */
#include <string.h>
#include <sys/resource.h> /* setrlimit */
#include <unistd.h>       /* unlink */

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

/* What a report has said. */
struct notes {
    int lines;
    int dumps;
    int status; /* what the next dump is to give */
    char line[400];
    char dump_line[400];
    char pool[48];
    gp_pool_thread threads[4];
    size_t count;
    size_t missing;
    void (*inside)(struct notes *); /* called by the dump; NULL: nothing to do */
    gp_pool *to_use;                /* by inside */
};

static void note_line(void *context, const char *line)
{
    struct notes *notes = context;
    notes->lines++;
    strncpy(notes->line, line, sizeof notes->line - 1);
}

static int note_dump(void *context, const gp_report_dump *dump)
{
    struct notes *notes = context;
    notes->dumps++;
    strncpy(notes->dump_line, dump->line, sizeof notes->dump_line - 1);
    strncpy(notes->pool, dump->pool, sizeof notes->pool - 1);
    notes->count = dump->count;
    notes->missing = dump->missing;
    for (size_t i = 0; i < dump->count && i < 4; i++)
        notes->threads[i] = dump->threads[i];
    if (notes->inside != NULL)
        notes->inside(notes);
    return notes->status;
}

static gp_report_config config_noting(struct notes *notes)
{
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    config.line = note_line;
    config.write = note_dump;
    config.context = notes;
    return config;
}

static gp_report *report_of(const gp_report_config *config)
{
    gp_report *report = NULL;
    require_ok(gp_report_new(config, &report));
    check_int(gp_report_check(report), 0);
    return report;
}

static void report_end(gp_report *report, uint64_t rejections, uint64_t dumps, uint64_t failed)
{
    gp_report_stats stats;
    gp_report_statistics(report, &stats);
    check_int(stats.rejections, rejections);
    check_int(stats.dumps, dumps);
    check_int(stats.failed, failed);
    check_int(gp_report_check(report), 0);
    gp_report_free(report);
}

static gp_rejection rejection_by(gp_report *report)
{
    return (gp_rejection){.reject = gp_reject_report, .context = report};
}

/* One task, which is rejected and used up. */
static void reject_one(gp_pool *pool)
{
    struct job job;
    job_init(&job);
    check_status(gp_pool_execute_task(pool, job_task(&job)), GP_EREJECTED);
    check_int(job.subject.runs, 0);
    check_int(job.subject.destroyed, 1); /* [REPORT-4] */
}

/* A pool that rejects all. */
static gp_pool *closed_pool(gp_report *report, const char *name)
{
    gp_pool_config config = config_with(1, 1, NULL);
    config.rejection = rejection_by(report);
    config.thread.name = name;
    gp_pool *pool = pool_of(&config);
    gp_pool_shutdown(pool);
    return pool;
}

/* Making. */

static void bad_configurations_are_refused(void)
{
    char directory[1000] = "";
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    gp_report *report = NULL;
    check_int(config.interval, GP_SECONDS(600));
    check_status(gp_report_new(NULL, &report), GP_EINVAL);
    check_status(gp_report_new(&config, NULL), GP_EINVAL);
    config.interval = -1;
    check_status(gp_report_new(&config, &report), GP_EINVAL);
    config.interval = 0;
    memset(directory, 'd', 901);
    config.directory = directory;
    check_status(gp_report_new(&config, &report), GP_EINVAL);
    check(report == NULL);
    directory[900] = '\0';
    gp_report_free(report_of(&config));
    gp_report_free(NULL);
}

static void gp_report_new_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    while (fault_walk_next(&walk)) {
        gp_report *report = NULL;
        int status = gp_report_new(&config, &report);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((report == NULL) == hit);
        gp_report_free(report);
    }
    check(walk.point > 2);
}

/* The line and the dump. */

static void a_rejection_says_what_the_pool_is_doing(void)
{
    struct notes notes = {0};
    struct saturated saturated;
    gp_report_config config = config_noting(&notes);
    gp_report *report = report_of(&config);
    saturate(&saturated, rejection_by(report));
    reject_one(saturated.pool);
    check_int(notes.lines, 1);
    check_int(notes.dumps, 1);
    check_text(notes.dump_line, notes.line);
    const char *figures = strstr(notes.line, " has rejected");
    check_text(figures == NULL ? "" : figures,
               " has rejected a task: threads 1 (active 1, core 1, maximum 1, largest 1), "
               "tasks 2 (completed 0, queued 1, deepest 1), running");
    check(strncmp(notes.line, notes.pool, strlen(notes.pool)) == 0);
    check_int(notes.count, 1);
    check_int(notes.missing, 0);
    check_text(notes.threads[0].name, saturated.running.name);
    check(notes.threads[0].runs == (void (*)(void))job_callable(&saturated.running).call);
    check_int(notes.threads[0].completed, 0);
    saturated_end(&saturated);
    report_end(report, 1, 1, 0);
}

static void a_pool_that_ends_is_called_so(void)
{
    struct notes notes = {0};
    gp_report_config config = config_noting(&notes);
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, "io");
    check_status(gp_pool_await_termination(pool, long_enough()), GP_OK);
    reject_one(pool);
    check_text(notes.line, "io has rejected a task: threads 0 (active 0, core 1, maximum 1, "
                           "largest 0), tasks 0 (completed 0, queued 0, deepest 0), terminated");
    check_int(notes.count, 0);
    pool_end(pool);
    report_end(report, 1, 1, 0);
}

static void a_pool_that_is_shut_down_is_terminating(void)
{
    struct notes notes = {0};
    struct saturated saturated;
    gp_report_config config = config_noting(&notes);
    gp_report *report = report_of(&config);
    saturate(&saturated, rejection_by(report));
    gp_pool_shutdown(saturated.pool);
    reject_one(saturated.pool);
    check(strstr(notes.line, ", terminating") != NULL);
    saturated_end(&saturated);
    report_end(report, 1, 1, 0);
}

static void neither_line_nor_dump_is_needed(void)
{
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    reject_one(pool);
    pool_end(pool);
    report_end(report, 1, 0, 0);
}

static void without_a_report_it_is_the_plain_policy(void)
{
    gp_pool *pool = closed_pool(NULL, NULL);
    reject_one(pool);
    pool_end(pool);
}

/* The interval. */

static void a_second_dump_waits_for_the_interval(void)
{
    struct notes notes = {0};
    gp_report_config config = config_noting(&notes);
    config.interval = HOUR;
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    for (int i = 0; i < 3; i++)
        reject_one(pool);
    check_int(notes.lines, 3);
    check_int(notes.dumps, 1);
    pool_end(pool);
    report_end(report, 3, 1, 0);
}

static void when_the_interval_is_over_there_is_another(void)
{
    struct notes notes = {0};
    gp_report_config config = config_noting(&notes);
    config.interval = GP_MILLISECONDS(1);
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    reject_one(pool);
    check_status(gp_sleep(config.interval), GP_OK); /* the dump was begun before that */
    reject_one(pool);
    check_int(notes.dumps, 2);
    pool_end(pool);
    report_end(report, 2, 2, 0);
}

static void without_an_interval_each_has_its_dump(void)
{
    struct notes notes = {0};
    gp_report_config config = config_noting(&notes);
    config.interval = 0;
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    for (int i = 0; i < 3; i++)
        reject_one(pool);
    check_int(notes.dumps, 3);
    pool_end(pool);
    report_end(report, 3, 3, 0);
}

static void reject_inside(struct notes *notes)
{
    reject_one(notes->to_use);
}

static void a_rejection_during_a_dump_has_none(void)
{
    struct notes notes = {.inside = reject_inside};
    gp_report_config config = config_noting(&notes);
    config.interval = 0;
    gp_report *report = report_of(&config);
    notes.to_use = closed_pool(report, NULL);
    reject_one(notes.to_use);
    check_int(notes.lines, 2);
    check_int(notes.dumps, 1);
    pool_end(notes.to_use);
    report_end(report, 2, 1, 0);
}

static void count_threads(struct notes *notes)
{
    check_int(gp_pool_threads(notes->to_use, NULL, 0), 1); /* no lock is held [REPORT-3] */
}

static void a_dump_may_use_the_pool(void)
{
    struct notes notes = {.inside = count_threads};
    struct saturated saturated;
    gp_report_config config = config_noting(&notes);
    gp_report *report = report_of(&config);
    saturate(&saturated, rejection_by(report));
    notes.to_use = saturated.pool;
    reject_one(saturated.pool);
    check_int(notes.dumps, 1);
    saturated_end(&saturated);
    report_end(report, 1, 1, 0);
}

/* Failing. */

static void a_dump_that_fails_is_counted_and_costs_the_interval(void)
{
    struct notes notes = {.status = GP_EFAILED};
    gp_report_config config = config_noting(&notes);
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    reject_one(pool);
    reject_one(pool);
    check_int(notes.dumps, 1);
    pool_end(pool);
    report_end(report, 2, 0, 1);
}

static void without_memory_there_is_no_dump_but_the_line(void)
{
    struct notes notes = {0};
    struct job job;
    gp_report_config config = config_noting(&notes);
    config.interval = 0;
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    job_init(&job);
    gp_task *task = job_task(&job);
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int status = gp_pool_execute_task(pool, task);
    check_int(fault_disarm(), 1);
    check_status(status, GP_EREJECTED);
    check_int(job.subject.destroyed, 1);
    check_int(notes.lines, 1);
    check_int(notes.dumps, 0);
    reject_one(pool);
    check_int(notes.dumps, 1);
    pool_end(pool);
    report_end(report, 2, 1, 1);
}

/* Files. */

#define NAME_SIZE 300

/* The one file of the directory, into name and text, and away with both. */
static void read_only_file(const char *directory, char name[NAME_SIZE], char *text, size_t size)
{
    char pattern[NAME_SIZE];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", directory);
    require(glob(pattern, 0, NULL, &found) == 0);
    check_int(found.gl_pathc, 1);
    const char *path = found.gl_pathv[0];
    snprintf(name, NAME_SIZE, "%s", path + strlen(directory) + 1);
    FILE *file = fopen(path, "r");
    check(file != NULL);
    if (file != NULL) {
        text[fread(text, 1, size - 1, file)] = '\0';
        fclose(file);
    }
    unlink(path);
    rmdir(directory);
    globfree(&found);
}

static void a_dump_goes_into_a_new_file(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    char name[NAME_SIZE] = "";
    char text[8000] = "";
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    require(mkdtemp(directory) != NULL);
    config.directory = directory;
    gp_report *report = report_of(&config);
    gp_pool_config pool_config = config_with(2, 2, linked_of(1));
    pool_config.rejection = rejection_by(report);
    pool_config.thread.name = "io/9";
    gp_pool *pool = pool_of(&pool_config);
    struct job running;
    job_init_holding(&running);
    check_int(gp_pool_prestart_all_core(pool), 2);
    job_execute(pool, &running);
    latch_await(&running.begun);
    gp_pool_shutdown(pool);
    check(await_pool_size(pool, 1)); /* the idle one has left */
    reject_one(pool);
    reject_one(pool);
    job_let_go(&running);
    pool_end(pool);
    report_end(report, 2, 1, 0);
    read_only_file(directory, name, text, sizeof text);
    check(strncmp(name, "io-9-2", strlen("io-9-2")) == 0); /* of this millennium */
    check(strlen(name) > 10 && strcmp(name + strlen(name) - 10, "-1.threads") == 0);
    check(strstr(text, "io/9 has rejected a task: threads 1 (active 1, ") != NULL);
    check(strstr(text, running.name) != NULL);
    check(strstr(text, ", after 0 tasks, runs ") != NULL);
    check(strstr(text, "came meanwhile") == NULL);
    check(strstr(text, "\nend of the dump\n") != NULL);
}

/* Two reports, two pools of one name, one directory: within a second the names would be the same. */
static void no_dump_takes_the_file_of_another(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    char pattern[NAME_SIZE];
    glob_t found;
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    require(mkdtemp(directory) != NULL);
    config.directory = directory;
    for (int i = 0; i < 4; i++) {
        gp_report *report = report_of(&config);
        gp_pool_config pool_config = config_with(1, 1, NULL);
        pool_config.rejection = rejection_by(report);
        pool_config.thread.name = "io";
        gp_pool *pool = pool_of(&pool_config);
        gp_pool_shutdown(pool);
        reject_one(pool);
        pool_end(pool);
        report_end(report, 1, 1, 0);
    }
    snprintf(pattern, sizeof pattern, "%s/*", directory);
    require(glob(pattern, 0, NULL, &found) == 0);
    check_int(found.gl_pathc, 4);
    for (size_t i = 0; i < found.gl_pathc; i++)
        unlink(found.gl_pathv[i]);
    rmdir(directory);
    globfree(&found);
}

static void a_directory_that_is_missing_costs_the_dump_only(void)
{
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    config.directory = "/nowhere/to/be/found";
    config.interval = 0;
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    reject_one(pool);
    reject_one(pool);
    pool_end(pool);
    report_end(report, 2, 0, 2);
}

/* As if the disk were full. */
static void reject_one_without_room(gp_pool *pool)
{
    struct rlimit before;
    struct rlimit none;
    struct sigaction handled;
    require(getrlimit(RLIMIT_FSIZE, &before) == 0);
    require(sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, &handled) == 0);
    none = before;
    none.rlim_cur = 0;
    require(setrlimit(RLIMIT_FSIZE, &none) == 0);
    struct job job;
    job_init(&job);
    int status = gp_pool_execute_task(pool, job_task(&job));
    setrlimit(RLIMIT_FSIZE, &before);
    sigaction(SIGXFSZ, &handled, NULL);
    check_status(status, GP_EREJECTED);
    check_int(job.subject.destroyed, 1);
}

static void what_cannot_be_written_has_failed(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    char name[NAME_SIZE] = "";
    char text[8000] = "";
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    require(mkdtemp(directory) != NULL);
    config.directory = directory;
    gp_report *report = report_of(&config);
    gp_pool *pool = closed_pool(report, NULL);
    reject_one_without_room(pool);
    pool_end(pool);
    report_end(report, 1, 0, 1);
    read_only_file(directory, name, text, sizeof text);
    check_text(text, "");
}

static const struct test tests[] = {
    TEST(bad_configurations_are_refused),
    TEST(gp_report_new_fails_cleanly_at_each_point),
    TEST(a_rejection_says_what_the_pool_is_doing),
    TEST(a_pool_that_ends_is_called_so),
    TEST(a_pool_that_is_shut_down_is_terminating),
    TEST(neither_line_nor_dump_is_needed),
    TEST(without_a_report_it_is_the_plain_policy),
    TEST(a_second_dump_waits_for_the_interval),
    TEST(when_the_interval_is_over_there_is_another),
    TEST(without_an_interval_each_has_its_dump),
    TEST(a_rejection_during_a_dump_has_none),
    TEST(a_dump_may_use_the_pool),
    TEST(a_dump_that_fails_is_counted_and_costs_the_interval),
    TEST(without_memory_there_is_no_dump_but_the_line),
    TEST(a_dump_goes_into_a_new_file),
    TEST(no_dump_takes_the_file_of_another),
    TEST(a_directory_that_is_missing_costs_the_dump_only),
    TEST(what_cannot_be_written_has_failed),
    END_OF_TESTS,
};

const struct suite report_suite = {.name = "report", .tests = tests};
