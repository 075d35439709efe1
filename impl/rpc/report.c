/*
 * Rejecting with a report: Dubbo's AbortPolicyWithReport.
 *
 * Contract. Each rejection gives one line with the figures of the pool. If the last dump was begun
 * long enough ago, and none is under way, it also gives a dump of the pool's threads: name, state,
 * and what each runs. The task is then discarded, as by gp_reject_abort.
 *
 *   [REPORT-1] At most one dump is under way: `dumping` is taken and given back under the lock, and
 *              given back on every way out.
 *   [REPORT-2] Dumps begin at least an interval apart: the time of the latest is set in the step
 *              that takes `dumping`, from the reading of the clock that has decided.
 *   [REPORT-3] No lock is held while a line or a dump is written. What is written is a copy, so
 *              that neither the pool nor another who is rejected waits for a disk.
 *   [REPORT-4] Whatever becomes of line and dump, the task is discarded, once, and the submitter is
 *              told GP_EREJECTED.
 *
 * Upstream tests the time first, then takes a permit, and sets the time when the dump is over and
 * the permit is given back. Who has tested the time before that, and comes for the permit after it,
 * writes a second dump.
 *
 * Who writes. Upstream makes a thread for each dump. A pool is exhausted when threads are dear, and
 * a thread that nobody joins may outlive the report; so the rejected thread writes it, once in ten
 * minutes.
 *
 * Stacks. Java can ask for the stack of any thread. POSIX cannot: a thread knows its own alone, and
 * a signal that made others tell theirs would cut short their system calls. So of the workers the
 * dump names the function that each runs, and where the C library knows how it adds one stack, that
 * of the thread whose task was rejected: who is it that floods the pool?
 *
 * Files. The functions that follow the heading are all that the library does with files and with
 * the wall clock. A dump is always a new file. A failure costs the interval like a success: a pool
 * that is exhausted has no time to try again at each rejection.
 */
#include <glasspool/report.h>

#include <errno.h>
#include <fcntl.h> /* open */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h> /* write */

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "future/task.h" /* gp__begin_task_code */
#include "pool/pool.h"

#ifdef __GLIBC__
#include <execinfo.h> /* backtrace */
#endif

#define LONGEST_DIRECTORY 900
#define PATH_SIZE         (LONGEST_DIRECTORY + 100)
#define LINE_SIZE         400
#define DEEPEST_STACK     64
#define MOST_NAMES        100 /* tried, if another report has taken the first */

/*
 * Lock letters:
 *   I: set once before publication
 *   L: guarded by lock
 */
struct gp_report {
    gp_report_config config; /* I its directory is our copy, or NULL */
    pthread_mutex_t lock;    /* I */
    bool dumping;            /* L one is under way */
    bool has_begun;          /* L one has ever been */
    int64_t latest;          /* L when the latest was begun, if has_begun */
    gp_report_stats stats;   /* L */
    char directory[];        /* I */
};

/* Files. */

static bool put(int file, const char *text)
{
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t written = write(file, text, length);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return true;
}

/* With their names, where the C library knows them. */
static void put_frames(int file, void *const *frames, int count)
{
#ifdef __GLIBC__
    backtrace_symbols_fd(frames, count, file);
#else
    char text[LINE_SIZE];
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "[%p]\n", frames[i]);
        put(file, text);
    }
#endif
}

static void put_own_stack(int file)
{
#ifdef __GLIBC__
    void *frames[DEEPEST_STACK];
    put(file, "\nrejected here:\n");
    put_frames(file, frames, backtrace(frames, DEEPEST_STACK));
#else
    (void)file;
#endif
}

static void put_thread(int file, const gp_pool_thread *thread)
{
    char text[LINE_SIZE];
    snprintf(text, sizeof text, "%s, after %llu tasks, %s", thread->name,
             (unsigned long long)thread->completed, thread->runs == NULL ? "idle\n" : "runs ");
    put(file, text);
    if (thread->runs != NULL) {
        void *frame;
        memcpy(&frame, &thread->runs, sizeof frame); /* POSIX: a function's address fits */
        put_frames(file, &frame, 1);
    }
}

static bool put_dump(int file, const gp_report_dump *dump)
{
    char missing[LINE_SIZE] = "";
    if (dump->missing > 0)
        snprintf(missing, sizeof missing, "%zu more came meanwhile\n", dump->missing);
    put(file, dump->line);
    put(file, "\n\n");
    for (size_t i = 0; i < dump->count; i++)
        put_thread(file, &dump->threads[i]);
    put(file, missing);
    put_own_stack(file);
    return put(file, "\nend of the dump\n"); /* this tells: a disk that is full stays so */
}

/* DIRECTORY/POOL-YYYYMMDD-HHMMSS-NUMBER.threads, in UTC. */
static void name_file(char path[PATH_SIZE], const char *directory, const char *pool,
                      uint64_t number)
{
    struct timespec now;
    struct tm date;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    int length = snprintf(path, PATH_SIZE, "%s/", directory);
    snprintf(path + length, PATH_SIZE - (size_t)length, "%s-%04d%02d%02d-%02d%02d%02d-%llu.threads",
             pool, date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min,
             date.tm_sec, (unsigned long long)number);
    for (char *here = path + length; *here != '\0'; here++)
        if (*here == '/')
            *here = '-'; /* in the name of a pool */
}

static int write_file(const char *directory, const gp_report_dump *dump, uint64_t number)
{
    char path[PATH_SIZE];
    int file = -1;
    errno = EEXIST;
    for (uint64_t end = number + MOST_NAMES; file < 0 && errno == EEXIST && number < end;
         number++) {
        name_file(path, directory, dump->pool, number);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    }
    if (file < 0)
        return GP_EFAILED;
    bool written = put_dump(file, dump);
    return close(file) == 0 && written ? GP_OK : GP_EFAILED;
}

/* Making and freeing. */

int gp_report_new(const gp_report_config *config, gp_report **out)
{
    if (config == NULL || out == NULL || config->interval < 0)
        return GP_EINVAL;
    size_t length = config->directory == NULL ? 0 : strlen(config->directory);
    if (length > LONGEST_DIRECTORY || (config->directory != NULL && length == 0))
        return GP_EINVAL;
    gp_report *report = calloc(1, sizeof *report + length + 1);
    if (report == NULL)
        return GP_ENOMEM;
    if (pthread_mutex_init(&report->lock, NULL) != 0) {
        free(report);
        return GP_ENOMEM;
    }
    report->config = *config;
    if (config->directory != NULL)
        report->config.directory = memcpy(report->directory, config->directory, length);
    *out = report;
    return GP_OK;
}

void gp_report_free(gp_report *report)
{
    if (report == NULL)
        return;
    pthread_mutex_destroy(&report->lock);
    free(report);
}

/* The line. */

static const char *state_of(gp_pool *pool)
{
    if (gp_pool_is_terminated(pool))
        return "terminated";
    return gp_pool_is_shutdown(pool) ? "terminating" : "running";
}

static void describe(gp_pool *pool, char line[LINE_SIZE])
{
    gp_pool_stats stats;
    gp_pool_statistics(pool, &stats);
    snprintf(line, LINE_SIZE,
             "%s has rejected a task: threads %d (active %d, core %d, maximum %d, largest %d), "
             "tasks %llu (completed %llu, queued %zu, deepest %zu), %s",
             pool->name, stats.pool_size, stats.active, gp_pool_core_size(pool),
             gp_pool_maximum_size(pool), stats.largest, (unsigned long long)stats.total,
             (unsigned long long)stats.completed, stats.queued, stats.deepest, state_of(pool));
}

/* The dump. */

static bool is_dump_wanted(const gp_report *report)
{
    return report->config.write != NULL || report->config.directory != NULL;
}

/* With lock held. */
static bool is_dump_due(const gp_report *report, int64_t now)
{
    return !report->has_begun || gp_time_until(now, report->latest) >= report->config.interval;
}

/* A rejection is counted. True: it is for the caller to write a dump, the one with that number. */
static bool begin_dump(gp_report *report, uint64_t *number)
{
    pthread_mutex_lock(&report->lock);
    int64_t now = gp_now();
    bool mine = is_dump_wanted(report) && !report->dumping && is_dump_due(report, now);
    if (mine) { /* [REPORT-1] */
        report->dumping = true;
        report->has_begun = true;
        report->latest = now; /* [REPORT-2] */
        *number = report->stats.dumps + report->stats.failed + 1;
    }
    report->stats.rejections++;
    pthread_mutex_unlock(&report->lock);
    return mine;
}

static void end_dump(gp_report *report, int status)
{
    pthread_mutex_lock(&report->lock);
    report->dumping = false; /* [REPORT-1] */
    if (status == GP_OK)
        report->stats.dumps++;
    else
        report->stats.failed++;
    pthread_mutex_unlock(&report->lock);
}

/* [REPORT-3] */
static int write_dump(gp_report *report, gp_pool *pool, const char *line, uint64_t number)
{
    size_t capacity = gp_pool_threads(pool, NULL, 0);
    gp_pool_thread *threads = calloc(capacity + 1, sizeof *threads); /* none is fine */
    if (threads == NULL)
        return GP_ENOMEM;
    size_t count = gp_pool_threads(pool, threads, capacity);
    gp_report_dump dump = {.pool = pool->name, .line = line, .threads = threads, .count = count};
    if (count > capacity) {
        dump.count = capacity;
        dump.missing = count - capacity;
    }
    int status = report->config.write != NULL ? report->config.write(report->config.context, &dump)
                                              : write_file(report->config.directory, &dump, number);
    free(threads);
    return status;
}

static void report_rejection(gp_report *report, gp_pool *pool)
{
    char line[LINE_SIZE];
    uint64_t number;
    int cancel_state = gp__begin_task_code(); /* to write is a point of cancellation */
    describe(pool, line);
    if (report->config.line != NULL)
        report->config.line(report->config.context, line);
    if (begin_dump(report, &number))
        end_dump(report, write_dump(report, pool, line, number));
    gp__end_task_code(cancel_state);
}

int gp_reject_report(void *context, gp_pool *pool, gp_task *task)
{
    if (context != NULL)
        report_rejection(context, pool);
    return gp_reject_abort(context, pool, task); /* [REPORT-4] */
}

/* Watching. */

void gp_report_statistics(gp_report *report, gp_report_stats *out)
{
    pthread_mutex_lock(&report->lock);
    *out = report->stats;
    pthread_mutex_unlock(&report->lock);
}

int gp_report_check(gp_report *report)
{
    pthread_mutex_lock(&report->lock);
    uint64_t begun = report->stats.dumps + report->stats.failed + (report->dumping ? 1 : 0);
    bool holds = report->has_begun == (begun > 0) && begun <= report->stats.rejections;
    pthread_mutex_unlock(&report->lock);
    return holds ? 0 : 1; /* [REPORT-1] */
}
