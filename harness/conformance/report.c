/* Rejecting with a report: line, dump and interval. */
#include <glasspool/report.h>

#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "fault.h"
#include "pool_support.h"
#include "report_support.h"
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
    config.directory = directory;
    check_status(gp_report_new(&config, &report), GP_EINVAL); /* "" would be the root */
    memset(directory, 'd', 901);
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

/* Cancellation. */

static void meet_a_point_of_cancellation(struct notes *notes)
{
    (void)notes;
    pthread_testcancel();
}

struct cancelled_thread {
    gp_pool *pool;
    int state; /* whether it can be cancelled afterwards */
};

static void reject_one_cancelled(void *argument)
{
    struct cancelled_thread *thread = argument;
    pthread_cancel(pthread_self());
    reject_one(thread->pool);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &thread->state);
}

static void a_thread_that_is_cancelled_reports_first(void)
{
    struct notes notes = {.inside = meet_a_point_of_cancellation};
    gp_report_config config = config_noting(&notes);
    gp_report *report = report_of(&config);
    struct cancelled_thread thread = {.pool = closed_pool(report, NULL), .state = -1};
    run_in_helper(reject_one_cancelled, &thread);
    check_int(thread.state, PTHREAD_CANCEL_ENABLE);
    check_int(notes.dumps, 1);
    pool_end(thread.pool);
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
    TEST(a_thread_that_is_cancelled_reports_first),
    TEST(a_dump_that_fails_is_counted_and_costs_the_interval),
    TEST(without_memory_there_is_no_dump_but_the_line),
    END_OF_TESTS,
};

const struct suite report_suite = {.name = "report", .tests = tests};
