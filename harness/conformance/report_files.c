/* Rejecting with a report: the dump as a file. */
#include <glasspool/report.h>

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h> /* mkdtemp */
#include <string.h>
#include <sys/resource.h> /* setrlimit */
#include <time.h>
#include <unistd.h> /* unlink */

#include <glasspool/status.h>

#include "fault.h"
#include "pool_support.h"
#include "report_support.h"
#include "suite.h"
#include "support.h"

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

static gp_report *report_into(char *directory)
{
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    require(mkdtemp(directory) != NULL);
    config.directory = directory;
    return report_of(&config);
}

static void check_ending(const char *text)
{
#ifdef __GLIBC__
    const char *stack = strstr(text, "\nrejected here:\n");
    const char *frame = stack == NULL ? NULL : strstr(stack, "[0x");
    check(frame != NULL);
    check(frame != NULL && strstr(frame, "\nend of the dump\n") != NULL);
#else
    check(strstr(text, "\nend of the dump\n") != NULL);
#endif
}

/* That it would get now; the later, the further back in the alphabet. */
static void name_now(char name[NAME_SIZE])
{
    struct timespec now;
    struct tm date;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(name, NAME_SIZE, "io-9-%Y%m%d-%H%M%S-1.threads", &date);
}

static void a_dump_goes_into_a_new_file(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    char name[NAME_SIZE] = "";
    char earliest[NAME_SIZE] = "";
    char latest[NAME_SIZE] = "";
    char text[8000] = "";
    gp_report *report = report_into(directory);
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
    name_now(earliest);
    reject_one(pool);
    reject_one(pool);
    name_now(latest);
    job_let_go(&running);
    pool_end(pool);
    report_end(report, 2, 1, 0);
    read_only_file(directory, name, text, sizeof text);
    check(strcmp(earliest, name) <= 0 && strcmp(name, latest) <= 0);
    check(strlen(name) > 10 && strcmp(name + strlen(name) - 10, "-1.threads") == 0);
    check(strstr(text, "io/9 has rejected a task: threads 1 (active 1, ") != NULL);
    check(strstr(text, running.name) != NULL);
    check(strstr(text, ", after 0 tasks, runs ") != NULL);
    check(strstr(text, "came meanwhile") == NULL);
    check_ending(text);
}

/* Rejected by the policy alone, so that the pool may be as it likes. */
static void reject_directly(gp_report *report, gp_pool *pool)
{
    struct job job;
    job_init(&job);
    check_status(gp_reject_report(report, pool, job_task(&job)), GP_EREJECTED);
    check_int(job.subject.destroyed, 1);
}

static void a_worker_without_a_task_is_idle(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    char name[NAME_SIZE] = "";
    char text[8000] = "";
    gp_report *report = report_into(directory);
    gp_pool *pool = pool_with(1, 1, NULL);
    struct job job;
    job_init(&job);
    job_run(pool, &job);
    check(await_completed(pool, 1));
    check(await_idle(pool, 1));
    reject_directly(report, pool);
    pool_end(pool);
    report_end(report, 1, 1, 0);
    read_only_file(directory, name, text, sizeof text);
    check(strstr(text, "-thread-1, after 1 tasks, idle\n") != NULL);
    check(strstr(text, " runs ") == NULL);
}

static void start_a_worker(void *pool)
{
    check_status(gp_pool_prestart_core(pool), GP_OK);
}

static void threads_that_come_meanwhile_are_counted(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    char name[NAME_SIZE] = "";
    char text[8000] = "";
    gp_report *report = report_into(directory);
    gp_pool *pool = pool_with(1, 1, NULL);
    fault_meanwhile(FAULT_CALLOC, start_a_worker, pool); /* there is room for none */
    reject_directly(report, pool);
    pool_end(pool);
    report_end(report, 1, 1, 0);
    read_only_file(directory, name, text, sizeof text);
    check(strstr(text, "\n1 more came meanwhile\n") != NULL);
    check(strstr(text, ", after ") == NULL);
}

/* How many files the directory has whose names are like that; they are away then. */
static int take_files(const char *directory, const char *like)
{
    char pattern[NAME_SIZE];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s", directory, like);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    int count = (int)found.gl_pathc;
    for (int i = 0; i < count; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
    return count;
}

static void the_dumps_of_a_report_are_numbered(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    require(mkdtemp(directory) != NULL);
    config.directory = directory;
    config.interval = 0;
    gp_report *report = report_of(&config);
    gp_pool *io = closed_pool(report, "io");
    gp_pool *disk = closed_pool(report, "disk");
    reject_one(io);
    reject_one(disk);
    pool_end(io);
    pool_end(disk);
    report_end(report, 2, 2, 0);
    check_int(take_files(directory, "io-*-1.threads"), 1);
    check_int(take_files(directory, "disk-*-2.threads"), 1);
    check(rmdir(directory) == 0);
}

/* Reports of one directory, pools of one name: within a second the files would be the same. */
static void no_dump_takes_the_file_of_another(void)
{
    char directory[] = "/tmp/report-XXXXXX";
    gp_report_config config = GP_REPORT_CONFIG_DEFAULT;
    require(mkdtemp(directory) != NULL);
    config.directory = directory;
    for (int i = 0; i < 4; i++) {
        gp_report *report = report_of(&config);
        gp_pool *pool = closed_pool(report, "io");
        reject_one(pool);
        pool_end(pool);
        report_end(report, 1, 1, 0);
    }
    check_int(take_files(directory, "*"), 4);
    check(rmdir(directory) == 0);
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
    gp_report *report = report_into(directory);
    gp_pool *pool = closed_pool(report, NULL);
    reject_one_without_room(pool);
    pool_end(pool);
    report_end(report, 1, 0, 1);
    read_only_file(directory, name, text, sizeof text);
    check_text(text, "");
}

static const struct test tests[] = {
    TEST(a_dump_goes_into_a_new_file),
    TEST(a_worker_without_a_task_is_idle),
    TEST(threads_that_come_meanwhile_are_counted),
    TEST(the_dumps_of_a_report_are_numbered),
    TEST(no_dump_takes_the_file_of_another),
    TEST(a_directory_that_is_missing_costs_the_dump_only),
    TEST(what_cannot_be_written_has_failed),
    END_OF_TESTS,
};

const struct suite report_files_suite = {.name = "report_files", .tests = tests};
