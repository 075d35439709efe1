/*
 * The registrar: a table is started as a whole or not at all, runs, and is closed; what a file and
 * the environment replace.
 */
#include <glasspool/registrar.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "scheduled/trigger.h" /* gp__watch_check */

#include "pool_support.h"
#include "registrar_support.h"
#include "suite.h"
#include "support.h"

#define HOUR GP_SECONDS(3600)

/* An entry's argument: opens a latch with each run, and may fail. */
struct counted {
    struct latch runs;
    int code;               /* of each run */
    gp_failure *failure;    /* said with gp_fail; NULL: not */
    void (*inside)(void *); /* called in each run; NULL: nothing to do */
    void *context;
};

static int count_run(void *argument, void **result)
{
    struct counted *counted = argument;
    (void)result;
    if (counted->inside != NULL)
        counted->inside(counted->context);
    latch_count_down(&counted->runs);
    return counted->failure != NULL ? gp_fail(counted->failure) : counted->code;
}

static gp_scheduled *one_worker(void)
{
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;
    config.remove_on_cancel = true;
    require_ok(gp_scheduled_new(&config, &scheduled));
    return scheduled;
}

static gp_registrar *started(gp_scheduled *scheduled, const gp_declared *entries, size_t count)
{
    gp_registrar_errors errors = {0, NULL};
    gp_registrar_config config = {
        .entries = entries, .count = count, .scheduled = scheduled, .errors = &errors};
    gp_registrar *registrar = NULL;
    require_ok(gp_registrar_start(&config, &registrar));
    check(errors.count == 0 && errors.errors == NULL);
    return registrar;
}

static size_t queued(gp_scheduled *scheduled)
{
    gp_pool_stats stats;
    gp_pool_statistics(gp_scheduled_pool(scheduled), &stats);
    return stats.queued;
}

/* Starting and running. */

static void entries_run_at_their_rate_and_delay(void)
{
    struct counted rate = {0};
    struct counted delay = {0};
    latch_init(&rate.runs, 3);
    latch_init(&delay.runs, 3);
    gp_declared entries[] = {GP_DECLARED_RATE("rate", count_run, &rate, "1ms"),
                             GP_DECLARED_DELAY("delay", count_run, &delay, "PT0.001S")};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 2);
    latch_await(&rate.runs);
    latch_await(&delay.runs);
    check(gp_scheduled_is_periodic(gp_registrar_find(registrar, "rate")));
    check(gp_registrar_find(registrar, "other") == NULL);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

static int64_t a_microsecond_before_a_second(void *unused)
{
    (void)unused;
    return GP_SECONDS(1800000000) - GP_MICROSECONDS(1);
}

static void entries_run_by_their_expression(void)
{
    struct counted cron = {0};
    gp_scheduled_config config = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;
    gp_triggered_status status;
    latch_init(&cron.runs, 1);
    config.wall_clock.now = a_microsecond_before_a_second;
    require_ok(gp_scheduled_new(&config, &scheduled));
    gp_declared entry = GP_DECLARED_CRON("cron", count_run, &cron, "* * * * * *", "UTC");
    gp_registrar *registrar = started(scheduled, &entry, 1);
    latch_await(&cron.runs);
    require_ok(gp_triggered_status_of(gp_registrar_find(registrar, "cron"), &status));
    check(status.next >= GP_SECONDS(1800000000));
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

static void several_entries_share_a_function(void)
{
    struct counted counted[3] = {{.code = 0}};
    gp_declared entries[] = {GP_DECLARED_RATE("a", count_run, &counted[0], "1ms"),
                             GP_DECLARED_RATE("b", count_run, &counted[1], "1ms"),
                             GP_DECLARED_RATE("c", count_run, &counted[2], "1ms")};
    for (int i = 0; i < 3; i++)
        latch_init(&counted[i].runs, 2);
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 3);
    for (int i = 0; i < 3; i++)
        latch_await(&counted[i].runs);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

static void numbers_stand_for_texts(void)
{
    gp_declared rate = GP_DECLARED_RATE("rate", do_nothing_at_all, NULL, NULL);
    gp_declared delay = GP_DECLARED_DELAY("delay", do_nothing_at_all, NULL, NULL);
    rate.fixed_rate = HOUR;
    rate.initial_delay = 2 * HOUR;
    delay.fixed_delay = HOUR;
    delay.initial_delay_text = "3h";
    gp_declared entries[] = {rate, delay};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 2);
    int64_t nanos;
    require_ok(gp_scheduled_get_delay(gp_registrar_find(registrar, "rate"), &nanos));
    check(nanos > HOUR && nanos <= 2 * HOUR);
    require_ok(gp_scheduled_get_delay(gp_registrar_find(registrar, "delay"), &nanos));
    check(nanos > 2 * HOUR && nanos <= 3 * HOUR);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

static void a_disabled_entry_does_not_run(void)
{
    gp_declared entries[] = {GP_DECLARED_CRON("cron", do_nothing_at_all, NULL, "-", "UTC"),
                             GP_DECLARED_RATE("rate", do_nothing_at_all, NULL, "-"),
                             GP_DECLARED_DELAY("delay", do_nothing_at_all, NULL, "-")};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 3);
    uint64_t runs = 1;
    uint64_t failures = 1;
    check(gp_registrar_find(registrar, "cron") == NULL);
    check(gp_registrar_find(registrar, "rate") == NULL);
    check(gp_registrar_find(registrar, "delay") == NULL);
    require_ok(gp_registrar_count(registrar, "rate", &runs, &failures));
    check(runs == 0 && failures == 0);
    check_status(gp_registrar_count(registrar, "other", &runs, &failures), GP_ENOTFOUND);
    check_int(queued(scheduled), 0);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

/* Whatever the pool does with other tasks that are cancelled. */
static void close_leaves_nothing_in_the_queue(void)
{
    gp_declared entries[] = {
        GP_DECLARED_CRON("cron", do_nothing_at_all, NULL, "0 0 0 1 1 *", "UTC"),
        {GP_DECLARED_UNSET, .name = "rate", .call = do_nothing_at_all, .fixed_rate_text = "1h",
         .initial_delay_text = "1h"}};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 2);
    gp_scheduled_set_remove_on_cancel(scheduled, false);
    check_int(queued(scheduled), 2);
    gp_registrar_close(registrar);
    check_int(queued(scheduled), 0);
    check_int(gp__watch_check(scheduled), 0); /* and nobody looks at the clock any more */
    scheduled_end(scheduled);
}

static void an_empty_table_is_fine(void)
{
    gp_scheduled *scheduled = one_worker();
    gp_registrar_close(started(scheduled, NULL, 0));
    gp_registrar_close(NULL);
    scheduled_end(scheduled);
}

static void arguments_are_needed(void)
{
    gp_registrar_errors errors = {7, NULL};
    gp_declared entry = GP_DECLARED_RATE("a", do_nothing_at_all, NULL, "1s");
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = NULL;
    gp_registrar_config config = {.entries = &entry, .count = 1, .errors = &errors};
    check_status(gp_registrar_start(NULL, &registrar), GP_EINVAL);
    check_status(gp_registrar_start(&config, &registrar), GP_EINVAL); /* no pool */
    check_int(errors.count, 0);
    config.scheduled = scheduled;
    check_status(gp_registrar_start(&config, NULL), GP_EINVAL);
    config.entries = NULL;
    check_status(gp_registrar_start(&config, &registrar), GP_EINVAL);
    check_status(gp_registrar_check(&config), GP_EINVAL);
    check_status(gp_registrar_check(NULL), GP_EINVAL);
    check(registrar == NULL);
    gp_registrar_errors_free(NULL);
    scheduled_end(scheduled);
}

/* Failures. */

static void an_entry_that_fails_goes_on(void)
{
    struct counted rate = {.code = 7};
    latch_init(&rate.runs, 3);
    gp_declared entry = GP_DECLARED_RATE("rate", count_run, &rate, "1ms");
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, &entry, 1);
    uint64_t runs;
    uint64_t failures;
    latch_await(&rate.runs);
    check(!gp_future_is_done(gp_registrar_find(registrar, "rate")));
    require_ok(gp_registrar_count(registrar, "rate", &runs, &failures));
    check(runs >= 2 && failures >= 2);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

static void with_stop_on_failure_it_ends(void)
{
    struct counted delay = {.code = 7};
    latch_init(&delay.runs, 1);
    gp_declared entry = GP_DECLARED_DELAY("delay", count_run, &delay, "1ms");
    entry.options.stop_on_failure = true;
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, &entry, 1);
    gp_future *future = gp_registrar_find(registrar, "delay");
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_EFAILED);
    check_int(future_failure_code(future), 7);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

/* What `failed` was told. */
struct told {
    struct latch times;
    gp_future *future;
    int code;
    bool message;
    _Atomic int payloads; /* destroyed */
};

static void note_failure(void *context, gp_future *future, const gp_failure *failure)
{
    struct told *told = context;
    told->future = future;
    told->code = failure->code;
    told->message = failure->message != NULL && strcmp(failure->message, "why") == 0;
    latch_count_down(&told->times);
}

static void destroy_payload(void *payload)
{
    atomic_fetch_add(&((struct told *)payload)->payloads, 1);
}

static void a_failure_is_told_with_its_future_and_payload(void)
{
    struct told told = {0};
    gp_failure failure = {
        .code = 9, .message = "why", .payload = &told, .destroy_payload = destroy_payload};
    struct counted rate = {.failure = &failure};
    latch_init(&rate.runs, 2);
    latch_init(&told.times, 2);
    gp_declared entry = GP_DECLARED_RATE("rate", count_run, &rate, "1ms");
    entry.options.failed = note_failure;
    entry.options.context = &told;
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, &entry, 1);
    gp_future *future = gp_future_retain(gp_registrar_find(registrar, "rate"));
    latch_await(&told.times);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
    check(told.future == future);
    check_int(told.code, 9);
    check(told.message);
    check(told.payloads >= 2);
    gp_future_release(future);
}

static void a_success_is_told_to_nobody(void)
{
    struct told told = {0};
    struct counted rate = {0};
    latch_init(&rate.runs, 3);
    latch_init(&told.times, 1);
    gp_declared entry = GP_DECLARED_RATE("rate", count_run, &rate, "1ms");
    entry.options.failed = note_failure;
    entry.options.context = &told;
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, &entry, 1);
    latch_await(&rate.runs);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
    check_int(told.times.count, 1);
}

static void check_told_once_and_kept(gp_declared entry)
{
    struct told told = {0};
    gp_failure failure = {
        .code = 9, .message = "why", .payload = &told, .destroy_payload = destroy_payload};
    gp_failure kept;
    struct counted counted = {.failure = &failure};
    latch_init(&counted.runs, 1);
    latch_init(&told.times, 2);
    entry.argument = &counted;
    entry.options =
        (gp_trigger_options){.stop_on_failure = true, .failed = note_failure, .context = &told};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, &entry, 1);
    gp_future *future = gp_registrar_find(registrar, entry.name);
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_EFAILED);
    require_ok(gp_future_failure(future, &kept));
    check_int(kept.code, 9);
    check(kept.payload == &told);
    check(told.message && told.future == future);
    check_int(told.payloads, 0);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
    check_int(told.payloads, 1);
    check_int(told.times.count, 1);
}

/* With a rate or a delay the registrar tells it, with cron the trigger does. */
static void with_stop_on_failure_it_is_told_once_and_kept_for_the_future(void)
{
    check_told_once_and_kept((gp_declared)GP_DECLARED_DELAY("delay", count_run, NULL, "1ms"));
    check_told_once_and_kept(
        (gp_declared)GP_DECLARED_CRON("cron", count_run, NULL, "* * * * * *", "UTC"));
}

static void leave(void *context, gp_future *future, const gp_failure *failure)
{
    note_failure(context, future, failure);
    pthread_exit(NULL);
}

static int run_and_exit(void *argument, void **result)
{
    (void)argument;
    (void)result;
    pthread_exit(NULL);
}

static void a_run_that_leaves_the_thread_has_failed(void)
{
    const gp_declared entries[] = {
        GP_DECLARED_RATE("rate", run_and_exit, NULL, "1ms"),
        GP_DECLARED_CRON("cron", run_and_exit, NULL, "* * * * * *", "UTC")};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 2);
    for (int i = 0; i < 2; i++) {
        uint64_t runs = 0;
        uint64_t failures = 0;
        gp_future *future = gp_registrar_find(registrar, entries[i].name);
        check_status(gp_future_get_timed(future, long_enough(), NULL), GP_EFAILED);
        check_int(future_failure_code(future), GP_EABRUPT);
        require_ok(gp_registrar_count(registrar, entries[i].name, &runs, &failures));
        check_int(runs, 1);
        check_int(failures, 1);
    }
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

static void who_is_told_may_leave_the_thread(void)
{
    struct told told = {0};
    gp_failure failure = {.code = 9, .payload = &told, .destroy_payload = destroy_payload};
    struct counted rate = {.failure = &failure};
    latch_init(&rate.runs, 1);
    latch_init(&told.times, 1);
    gp_declared entry = GP_DECLARED_RATE("rate", count_run, &rate, "1ms");
    entry.options = (gp_trigger_options){.failed = leave, .context = &told};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, &entry, 1);
    gp_future *future = gp_registrar_find(registrar, "rate");
    check_status(gp_future_get_timed(future, long_enough(), NULL), GP_EFAILED);
    check_int(future_failure_code(future), GP_EABRUPT);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
    check_int(told.payloads, 1);
}

/* The end. */

static void close_cancels_all(void)
{
    gp_declared entries[] = {GP_DECLARED_RATE("a", do_nothing_at_all, NULL, "1h"),
                             GP_DECLARED_CRON("b", do_nothing_at_all, NULL, "@yearly", "UTC")};
    entries[0].initial_delay = HOUR;
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 2);
    gp_future *future = gp_future_retain(gp_registrar_find(registrar, "a"));
    gp_registrar_close(registrar);
    check(gp_future_is_cancelled(future));
    check_int(queued(scheduled), 0);
    gp_future_release(future);
    scheduled_end(scheduled);
}

static void close_registrar(void *registrar)
{
    gp_registrar_close(registrar);
}

/* [REGISTRAR-3]: it frees the registrar under its own feet */
static void close_inside_a_run_lets_the_run_go_on(void)
{
    struct counted rate = {0};
    latch_init(&rate.runs, 1);
    gp_declared entry = GP_DECLARED_RATE("rate", count_run, &rate, "1ms");
    entry.initial_delay = GP_MILLISECONDS(1);
    gp_scheduled *scheduled = one_worker();
    struct job job;
    job_init_holding(&job);
    job_execute(gp_scheduled_pool(scheduled), &job); /* the only worker has something to do */
    latch_await(&job.begun);
    gp_registrar *registrar = started(scheduled, &entry, 1);
    rate.inside = close_registrar;
    rate.context = registrar;
    job_let_go(&job);
    latch_await(&rate.runs);
    scheduled_end(scheduled);
}

static void the_pool_may_end_first(void)
{
    gp_declared entries[] = {GP_DECLARED_RATE("a", do_nothing_at_all, NULL, "1h"),
                             GP_DECLARED_CRON("b", do_nothing_at_all, NULL, "@yearly", "UTC")};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, 2);
    scheduled_end(scheduled);
    check(gp_future_is_cancelled(gp_registrar_find(registrar, "a")));
    check(gp_future_is_cancelled(gp_registrar_find(registrar, "b")));
    gp_registrar_close(registrar);
}

/* [REGISTRAR-1] [REGISTRAR-2] */
static void a_pool_that_is_shut_down_refuses_the_table(void)
{
    struct counted rate = {0};
    latch_init(&rate.runs, 1);
    gp_declared entries[] = {GP_DECLARED_RATE("a", count_run, &rate, "1ms"),
                             GP_DECLARED_CRON("b", count_run, &rate, "* * * * * *", "UTC")};
    gp_registrar_errors errors = {7, NULL};
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = NULL;
    gp_registrar_config config = {
        .entries = entries, .count = 2, .scheduled = scheduled, .errors = &errors};
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
    check_status(gp_registrar_start(&config, &registrar), GP_EREJECTED);
    config.entries = entries + 1;
    config.count = 1;
    check_status(gp_registrar_start(&config, &registrar), GP_EREJECTED);
    check(registrar == NULL);
    check_int(errors.count, 0);
    check_int(rate.runs.count, 1);
    scheduled_end(scheduled);
}

static void shut_down(void *scheduled)
{
    gp_pool_shutdown(gp_scheduled_pool(scheduled));
}

static int refuse_later(void *context, gp_future *future, gp_decorator *out)
{
    int *left = context;
    (void)future;
    (void)out;
    return (*left)-- > 0 ? GP_OK : GP_EREJECTED;
}

/* The first is due at once, and a worker waits with it at the gate when the second is refused. */
static void what_is_due_before_the_last_is_there_waits(void)
{
    struct counted rate = {0};
    int left = 1;
    gp_scheduled_config pool = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;
    gp_registrar *registrar = NULL;
    latch_init(&rate.runs, 1);
    pool.decorate = refuse_later;
    pool.decorate_context = &left;
    require_ok(gp_scheduled_new(&pool, &scheduled));
    gp_declared entries[] = {GP_DECLARED_RATE("a", count_run, &rate, "1ms"),
                             GP_DECLARED_RATE("b", count_run, &rate, "1ms")};
    gp_registrar_config config = {.entries = entries, .count = 2, .scheduled = scheduled};
    check_status(gp_registrar_start(&config, &registrar), GP_EREJECTED);
    scheduled_end(scheduled);
    check_int(rate.runs.count, 1);
}

static int run_rejected(void *context, gp_pool *pool, gp_task *task)
{
    (void)context;
    (void)pool;
    gp_task_run(task);
    return GP_OK;
}

/* The handler runs it on the thread that starts: it does not wait for itself. */
static void a_handler_that_runs_what_was_rejected_does_not_hang(void)
{
    struct counted rate = {0};
    gp_scheduled_config pool = GP_SCHEDULED_CONFIG_DEFAULT;
    gp_scheduled *scheduled;
    gp_registrar *registrar = NULL;
    latch_init(&rate.runs, 1);
    pool.rejection.reject = run_rejected;
    require_ok(gp_scheduled_new(&pool, &scheduled));
    shut_down(scheduled);
    gp_declared entry = GP_DECLARED_RATE("a", count_run, &rate, "1ms");
    gp_registrar_config config = {.entries = &entry, .count = 1, .scheduled = scheduled};
    if (gp_registrar_start(&config, &registrar) == GP_OK)
        gp_registrar_close(registrar);
    scheduled_end(scheduled);
    check_int(rate.runs.count, 1);
}

/* Many. */

enum {
    MANY = 1000
};

static void a_table_may_be_long(void)
{
    static gp_declared entries[MANY];
    static char names[MANY][16];
    for (int i = 0; i < MANY; i++) {
        gp_declared rate = GP_DECLARED_RATE(names[i], do_nothing_at_all, NULL, "1h");
        gp_declared cron = GP_DECLARED_CRON(names[i], do_nothing_at_all, NULL, "0 0 * * * *",
                                            i % 4 == 0 ? "UTC" : NULL);
        snprintf(names[i], sizeof names[i], "entry-%u", (unsigned)i % MANY);
        rate.initial_delay = HOUR;
        entries[i] = i % 2 == 0 ? cron : rate;
    }
    gp_scheduled *scheduled = one_worker();
    gp_registrar *registrar = started(scheduled, entries, MANY);
    check(queued(scheduled) >= MANY);
    check(gp_registrar_find(registrar, "entry-999") != NULL);
    gp_registrar_close(registrar);
    scheduled_end(scheduled);
}

static const struct test tests[] = {
    TEST(entries_run_at_their_rate_and_delay),
    TEST(entries_run_by_their_expression),
    TEST(several_entries_share_a_function),
    TEST(close_leaves_nothing_in_the_queue),
    TEST(numbers_stand_for_texts),
    TEST(a_disabled_entry_does_not_run),
    TEST(an_empty_table_is_fine),
    TEST(arguments_are_needed),
    TEST(an_entry_that_fails_goes_on),
    TEST(with_stop_on_failure_it_ends),
    TEST(a_failure_is_told_with_its_future_and_payload),
    TEST(a_success_is_told_to_nobody),
    TEST(with_stop_on_failure_it_is_told_once_and_kept_for_the_future),
    TEST(a_run_that_leaves_the_thread_has_failed),
    TEST(who_is_told_may_leave_the_thread),
    TEST(close_cancels_all),
    TEST(close_inside_a_run_lets_the_run_go_on),
    TEST(the_pool_may_end_first),
    TEST(a_pool_that_is_shut_down_refuses_the_table),
    TEST(what_is_due_before_the_last_is_there_waits),
    TEST(a_handler_that_runs_what_was_rejected_does_not_hang),
    TEST(a_table_may_be_long),
    END_OF_TESTS,
};

const struct suite registrar_suite = {.name = "registrar", .tests = tests};
