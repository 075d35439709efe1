/*
 * The workloads of the regression gate (ci/regress): fixed work, counted in instructions.
 *
 *     workload --list   their names
 *     workload NAME     runs one; exit status 1 and a line on stderr if it went wrong
 *
 * Rules for a workload. One thread. All input is made beforehand, from a fixed seed. Nothing
 * depends on time: what must be due lies in the past. The work proper is done in one function that
 * is not inlined and whose name begins with `measured_`: callgrind counts what happens between its
 * entry and its return, and nothing else. It may call malloc only where the library does.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include <glasspool/glasspool.h>

#include "../random.h"

#define MEASURED __attribute__((noinline)) int

/* delayed: 20,000 tasks go into the delayed queue in random order, 5,000 are removed from its
   middle and offered again, and all are polled, earliest first. */

enum {
    TASKS = 20000,
    REMOVALS = 5000
};

struct delayed {
    gp_queue *queue;
    gp_task *tasks[TASKS]; /* in the order in which they are offered */
    size_t removals[REMOVALS];
    gp_task *polled[TASKS];
};

MEASURED measured_delayed(struct delayed *work);

MEASURED measured_delayed(struct delayed *work)
{
    int failures = 0;

    for (size_t i = 0; i < TASKS; i++)
        failures += gp_queue_offer(work->queue, work->tasks[i]) != GP_OK;
    for (size_t i = 0; i < REMOVALS; i++) {
        gp_task *task = work->tasks[work->removals[i]];
        failures += gp_queue_remove(work->queue, task) != GP_OK;
        failures += gp_queue_offer(work->queue, task) != GP_OK;
    }
    for (size_t i = 0; i < TASKS; i++)
        failures += gp_queue_poll(work->queue, &work->polled[i]) != GP_OK;
    return failures;
}

static void nothing(void *argument)
{
    (void)argument;
}

/* Every eighth task shares its time with an earlier one, so that sequence numbers matter too. */
static int make_tasks(struct delayed *work)
{
    const gp_callable callable = gp_callable_of(nothing, NULL, NULL);
    const int64_t past = gp_time_after(gp_now(), -GP_SECONDS(3600));
    uint64_t seed = 1;
    int failures = 0;

    for (size_t i = 0; i < TASKS; i++) {
        const size_t later = random_below(&seed, TASKS * 4);
        const int64_t time = i % 8 == 7 ? gp_task_time(work->tasks[random_below(&seed, i)])
                                        : gp_time_after(past, (int64_t)later);
        failures += gp_task_new_delayed(&callable, time, i, &work->tasks[i]) != GP_OK;
    }
    for (size_t i = 0; i < REMOVALS; i++)
        work->removals[i] = random_below(&seed, TASKS);
    return failures;
}

static int check_order(struct delayed *work)
{
    int failures = gp_queue_size(work->queue) != 0;

    for (size_t i = 1; i < TASKS; i++) {
        const int64_t before = gp_task_time(work->polled[i - 1]);
        failures += gp_time_until(gp_task_time(work->polled[i]), before) < 0;
    }
    return failures;
}

static bool delayed(void)
{
    struct delayed *work = calloc(1, sizeof(*work));
    bool done = work && gp_delayed_new(&work->queue) == GP_OK && make_tasks(work) == 0 &&
                measured_delayed(work) == 0 && check_order(work) == 0;

    if (done) {
        for (size_t i = 0; i < TASKS; i++)
            gp_task_discard(work->polled[i]);
        done = gp_queue_free(work->queue) == GP_OK;
    }
    free(work);
    return done;
}

/* cron: 2,000 times from one match to the next and back again, of expressions from every second to
   29 February on a Monday, in UTC and where clocks are put forward and back. */

enum {
    CRONS = 10,
    MATCHES = 200
};

static const char *const expressions[CRONS / 2] = {
    "* * * * * *", "0 30 9 * * MON-FRI", "0 */5 0-6 L * ?", "0 15 2 15W 1/3 ?", "0 0 0 29 2 MON"};

struct cron {
    gp_cron *crons[CRONS];
    int64_t ends[CRONS]; /* where each way back ends */
};

MEASURED measured_cron(struct cron *work);

MEASURED measured_cron(struct cron *work)
{
    const int64_t start = GP_SECONDS(1790000000); /* in September 2026 */
    int failures = 0;

    for (size_t i = 0; i < CRONS; i++) {
        int64_t time = start;
        int64_t matches = 0;
        for (int64_t next; matches < MATCHES; matches++, time = next)
            if ((next = gp_cron_next(work->crons[i], time)) == GP_NEVER)
                break;
        for (int64_t left = matches - 1; left > 0; left--)
            time = gp_cron_prev(work->crons[i], time);
        work->ends[i] = time;
        failures += matches == 0;
    }
    return failures;
}

/* Each way back must have ended at the first match. */
static int check_ends(const struct cron *work)
{
    int failures = 0;

    for (size_t i = 0; i < CRONS; i++)
        failures += work->ends[i] != gp_cron_next(work->crons[i], GP_SECONDS(1790000000));
    return failures;
}

static bool cron(void)
{
    struct cron work = {0};
    gp_zone *berlin = NULL;
    bool done = gp_zone_of_rule("CET-1CEST,M3.5.0,M10.5.0/3", &berlin) == GP_OK;

    for (size_t i = 0; i < CRONS; i++)
        done = done && gp_cron_parse_in(expressions[i / 2], i % 2 == 0 ? NULL : berlin, 0,
                                        &work.crons[i], NULL) == GP_OK;
    done = done && measured_cron(&work) == 0 && check_ends(&work) == 0;
    for (size_t i = 0; i < CRONS; i++)
        gp_cron_release(work.crons[i]);
    gp_zone_release(berlin);
    return done;
}

static const struct {
    const char *name;
    bool (*run)(void);
} workloads[] = {
    {"delayed", delayed},
    {"cron", cron},
};

int main(int argc, char **argv)
{
    const bool list = argc == 2 && strcmp(argv[1], "--list") == 0;

    for (size_t i = 0; argc == 2 && i < sizeof(workloads) / sizeof(workloads[0]); i++) {
        if (list) {
            puts(workloads[i].name);
        } else if (strcmp(argv[1], workloads[i].name) == 0) {
            if (workloads[i].run())
                return 0;
            fprintf(stderr, "workload %s went wrong\n", argv[1]);
            return 1;
        }
    }
    if (!list)
        fputs("usage: workload --list | NAME\n", stderr);
    return list ? 0 : 2;
}
