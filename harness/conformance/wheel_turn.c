/*
 * The hashed wheel, turn by turn: the test is the worker, so that each tick comes when it wants.
 * What is called in which tick, compared with a list that has no wheel.
 */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "fault.h"
#include "suite.h"
#include "support.h"
#include "wheel/timer.h"
#include "wheel_support.h"

enum {
    TICK = 1000, /* nanoseconds */
    BUCKETS = 8,
    ENTRIES = 400
};

/* A timeout, and when it was called: the number of turns before that one. */
struct entry {
    gp_timeout *timeout;
    int64_t due_in; /* the tick in which it should be; -1: in none */
    int64_t called_in;
    int64_t *turns; /* so far, of the wheel */
    int destroyed;
};

struct wheel {
    gp_timer *timer;
    int64_t turns;
    int64_t live; /* how many are pending, by our own count */
    uint64_t random;
    size_t count;
    struct entry entries[ENTRIES];
};

static int note_turn(gp_timeout *timeout, void *argument)
{
    struct entry *entry = argument;
    check(entry->called_in == -1);
    entry->called_in = *entry->turns;
    return gp_timer_check(gp_timeout_timer(timeout));
}

static void note_end(void *argument)
{
    struct entry *entry = argument;
    entry->destroyed++;
}

static void wheel_begin(struct wheel *wheel, int64_t ticks_per_wheel)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    memset(wheel, 0, sizeof *wheel);
    config.tick = TICK;
    config.ticks_per_wheel = ticks_per_wheel;
    wheel->timer = timer_without_worker(&config);
}

static struct entry *wheel_add(struct wheel *wheel, int64_t deadline)
{
    struct entry *entry = &wheel->entries[wheel->count++];
    int64_t tick = deadline / TICK;
    *entry = (struct entry){.called_in = -1, .turns = &wheel->turns};
    entry->due_in = tick > wheel->turns ? tick : wheel->turns;
    entry->timeout = timeout_due(wheel->timer, deadline, note_turn, entry, note_end);
    wheel->live++;
    return entry;
}

static void wheel_turn(struct wheel *wheel)
{
    timer_turn(wheel->timer, 0);
    for (size_t i = 0; i < wheel->count; i++)
        wheel->live -= wheel->entries[i].called_in == wheel->turns;
    wheel->turns++;
    check_int(gp_timer_pending(wheel->timer), wheel->live);
}

static void wheel_turn_to(struct wheel *wheel, int64_t turns)
{
    while (wheel->turns < turns)
        wheel_turn(wheel);
}

static void wheel_cancel(struct wheel *wheel, struct entry *entry)
{
    bool pending = entry->due_in >= 0 && entry->called_in == -1;
    check(gp_timeout_cancel(entry->timeout) == pending);
    if (pending) {
        wheel->live--;
        entry->due_in = -1;
    }
    check_int(gp_timer_pending(wheel->timer), wheel->live);
    check_int(entry->destroyed, 1);
}

/* Everything that was due was called in its tick; the rest comes back. */
static void wheel_end(struct wheel *wheel)
{
    gp_timeout_list unrun;
    check_int(gp_timer_failures(wheel->timer), 0); /* the checks in note_turn */
    check_status(gp_timer_stop(wheel->timer, &unrun), GP_OK);
    check_int(unrun.count, wheel->live);
    gp_timeout_list_release(&unrun);
    for (size_t i = 0; i < wheel->count; i++) {
        struct entry *entry = &wheel->entries[i];
        check_int(entry->called_in, entry->due_in < wheel->turns ? entry->due_in : -1);
        gp_timeout_release(entry->timeout);
        check_int(entry->destroyed, 1);
    }
    timer_end(wheel->timer);
}

/* Making. */

static int status_of(const gp_wheel_config *config)
{
    gp_timer *timer = NULL;
    int status = gp_wheel_new(config, &timer);
    check((status == GP_OK) == (timer != NULL));
    if (status == GP_OK)
        timer_end(timer);
    return status;
}

static int status_with(int64_t tick, int64_t ticks_per_wheel)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    config.tick = tick;
    config.ticks_per_wheel = ticks_per_wheel;
    return status_of(&config);
}

static void bad_configurations_are_refused(void)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    check_status(gp_wheel_new(&config, NULL), GP_EINVAL);
    check_status(status_of(NULL), GP_EINVAL);
    config.kind = (gp_kind)(GP_FAST + 1);
    check_status(status_of(&config), GP_EINVAL);
    config.kind = GP_FAST;
    check_status(status_of(&config), GP_OK);
    check_status(status_with(0, 8), GP_EINVAL);
    check_status(status_with(-1, 8), GP_EINVAL);
    check_status(status_with(1, 0), GP_EINVAL);
    check_status(status_with(1, -1), GP_EINVAL);
    check_status(status_with(1, (INT64_C(1) << 30) + 1), GP_EINVAL);
    check_status(status_with(1, INT64_MAX), GP_EINVAL);
    config.thread.nice = 1000;
    check_status(status_of(&config), GP_EINVAL);
}

static void a_revolution_that_overflows_is_refused(void)
{
    check_status(status_with(INT64_MAX / 8 - 1, 8), GP_OK);
    check_status(status_with(INT64_MAX / 8, 8), GP_EINVAL);
    check_status(status_with(INT64_MAX / 8 - 1, 5), GP_OK); /* rounded up to 8 */
    check_status(status_with(INT64_MAX / 8, 5), GP_EINVAL);
}

static void a_wheel_without_end_is_refused_for_want_of_memory(void)
{
    gp_wheel_config config = quick_config();
    gp_timer *timer = NULL;
    config.ticks_per_wheel = INT64_C(1) << 30;
    config.tick = 1;
    fault_arm(FAULT_CALLOC, 1, FAULT_THIS_THREAD);
    check_status(gp_wheel_new(&config, &timer), GP_ENOMEM);
    check_int(fault_disarm(), 1);
}

/* The warning. */

static void count_warning(void *context, unsigned instances)
{
    int *warnings = context;
    check(instances > 64);
    ++*warnings;
}

/* Nobody is told, and the one warning is not used up. */
static void too_many_timers_are_fine_if_nobody_wants_to_know(void)
{
    enum {
        MANY = 70
    };
    gp_timer *timers[MANY];
    for (int i = 0; i < MANY; i++)
        timers[i] = quick_timer();
    for (int i = 0; i < MANY; i++)
        timer_end(timers[i]);
}

static void too_many_timers_are_reported_once(void)
{
    enum {
        MANY = 70
    };
    int warnings = 0;
    gp_timer *timers[MANY];
    gp_wheel_config config = quick_config();
    config.hooks = (gp_timer_hooks){.too_many = count_warning, .context = &warnings};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            i % 2 == 0 ? choose_hashed() : choose_tickless(); /* they are counted together */
            timers[i] = timer_of(&config);
            check(i >= 64 || round > 0 || warnings == 0);
        }
        check_int(warnings, 1);
        for (int i = 0; i < MANY; i++)
            timer_end(timers[i]);
    }
}

/* When. */

static void each_is_called_at_the_end_of_its_tick(void)
{
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    for (int64_t tick = 0; tick < 4 * BUCKETS; tick++) {
        wheel_add(&wheel, tick * TICK); /* also those of several revolutions */
        wheel_add(&wheel, tick * TICK + TICK - 1);
    }
    check_int(wheel.timer->class->next(wheel.timer), TICK);
    wheel_turn(&wheel);
    check_int(wheel.timer->class->next(wheel.timer), 2 * TICK);
    wheel_turn_to(&wheel, 5 * BUCKETS);
    check_int(wheel.live, 0);
    wheel_end(&wheel);
}

static void the_number_of_buckets_is_rounded_up(void)
{
    for (int64_t ticks = 1; ticks <= 9; ticks++) {
        struct wheel wheel;
        wheel_begin(&wheel, ticks);
        for (int64_t tick = 0; tick < 40; tick++)
            wheel_add(&wheel, tick * TICK);
        wheel_turn_to(&wheel, 40);
        check_int(wheel.live, 0);
        wheel_end(&wheel);
    }
}

static void one_that_comes_late_is_called_in_the_next_turn(void)
{
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    wheel_turn_to(&wheel, 2 * BUCKETS + 3);
    wheel_add(&wheel, (2 * BUCKETS + 1) * TICK); /* slipped: NETTY-379 */
    wheel_add(&wheel, 1 * TICK);
    wheel_add(&wheel, -5 * TICK); /* netty #1953 */
    wheel_add(&wheel, INT64_MIN);
    wheel_turn(&wheel);
    check_int(wheel.live, 0);
    wheel_end(&wheel);
}

static void one_that_is_never_due_is_never_called(void)
{
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    struct entry *entry = wheel_add(&wheel, INT64_MAX);
    wheel_turn_to(&wheel, 20 * BUCKETS);
    check_int(entry->called_in, -1);
    wheel_end(&wheel);
}

static void one_of_a_later_round_hides_nothing_behind_it(void)
{
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    wheel_add(&wheel, (3 + BUCKETS) * TICK); /* netty #12888 */
    wheel_add(&wheel, 3 * TICK);
    wheel_add(&wheel, (3 + 2 * BUCKETS) * TICK);
    wheel_add(&wheel, 3 * TICK);
    wheel_turn_to(&wheel, 4 * BUCKETS);
    check_int(wheel.live, 0);
    wheel_end(&wheel);
}

struct sequence {
    int expected;
    int wrong;
};

static int note_order(gp_timeout *timeout, void *argument)
{
    struct sequence *sequence = argument;
    int64_t number = gp_timeout_deadline(timeout) - gp_timeout_timer(timeout)->start_time;
    sequence->wrong += number != sequence->expected++;
    return 0;
}

static void those_of_one_tick_are_called_in_the_order_of_their_arrival(void)
{
    struct sequence sequence = {0};
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    for (int64_t i = 0; i < 100; i++)
        add_due(wheel.timer, i, note_order, &sequence, NULL);
    timer_turn(wheel.timer, 0);
    check_int(sequence.expected, 100);
    check_int(sequence.wrong, 0);
    wheel_end(&wheel);
}

/* Cancelled ones. */

static bool is_in_a_bucket(const struct entry *entry)
{
    return entry->timeout->row != NULL;
}

static void a_cancelled_one_leaves_its_bucket_at_the_next_turn(void)
{
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    struct entry *first = wheel_add(&wheel, 5 * TICK);
    struct entry *middle = wheel_add(&wheel, 5 * TICK);
    struct entry *last = wheel_add(&wheel, (5 + BUCKETS) * TICK);
    wheel_turn(&wheel);
    check(is_in_a_bucket(middle));
    wheel_cancel(&wheel, middle);
    wheel_cancel(&wheel, middle);
    check(is_in_a_bucket(middle));
    wheel_turn(&wheel);
    check(!is_in_a_bucket(middle));
    check(is_in_a_bucket(first) && is_in_a_bucket(last));
    wheel_cancel(&wheel, last);
    wheel_cancel(&wheel, first);
    wheel_turn_to(&wheel, 3 * BUCKETS);
    wheel_end(&wheel);
}

static void one_cancelled_before_it_arrives_never_enters_a_bucket(void)
{
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    struct entry *entry = wheel_add(&wheel, 5 * TICK);
    wheel_cancel(&wheel, entry);
    wheel_turn(&wheel);
    check(!is_in_a_bucket(entry));
    wheel_turn_to(&wheel, 2 * BUCKETS);
    wheel_end(&wheel);
}

static void a_cancelled_one_that_has_no_handle_left_is_freed(void)
{
    struct wheel wheel;
    wheel_begin(&wheel, BUCKETS);
    struct entry *entries[3];
    for (int i = 0; i < 3; i++)
        entries[i] = wheel_add(&wheel, 100 * TICK);
    for (int i = 0; i < 3; i++) {
        wheel_cancel(&wheel, entries[i]); /* in the inbox; in a bucket; in a bucket, at the end */
        gp_timeout_release(entries[i]->timeout);
        entries[i]->timeout = NULL;
        if (i < 2)
            wheel_turn(&wheel);
    }
    wheel_end(&wheel); /* leaks and late accesses are the sanitizer's to find */
}

static int cancel_the_others(gp_timeout *timeout, void *argument)
{
    gp_timeout **others = argument;
    int failed = gp_timeout_cancel(timeout); /* it is too late for that */
    for (int i = 0; others[i] != NULL; i++)
        failed += !gp_timeout_cancel(others[i]);
    return failed;
}

static void a_function_may_cancel_others_that_are_due_with_it(void)
{
    struct wheel wheel;
    gp_timeout *others[3] = {0};
    wheel_begin(&wheel, BUCKETS);
    add_due(wheel.timer, 0, cancel_the_others, others, NULL);
    for (int i = 0; i < 2; i++) {
        struct entry *entry = wheel_add(&wheel, 0);
        others[i] = entry->timeout;
        entry->due_in = -1;
        wheel.live--;
    }
    wheel_turn(&wheel);
    wheel_turn(&wheel);
    wheel_end(&wheel);
}

/* Very many at once. */

static void no_more_than_a_hundred_thousand_are_inserted_in_one_turn(void)
{
    enum {
        LIMIT = 100000,
        MORE = 5
    };
    struct subject subject = {0};
    gp_wheel_config config = quick_config();
    gp_timer *timer = timer_without_worker(&config);
    for (int i = 0; i < LIMIT + MORE; i++)
        add_due(timer, 0, call_subject_of_timeout, &subject, destroy_subject_of_timeout);
    timer_turn(timer, 0);
    check_int(subject.runs, LIMIT);
    check_int(gp_timer_pending(timer), MORE);
    add_due(timer, 0, call_subject_of_timeout, &subject, destroy_subject_of_timeout);
    timer_turn(timer, 0);
    check_int(subject.runs, LIMIT + MORE + 1);
    timer_end(timer);
}

static void those_that_were_not_inserted_yet_are_handed_back(void)
{
    enum {
        LIMIT = 100000
    };
    struct subject subject = {0};
    gp_timeout_list unrun;
    gp_wheel_config config = quick_config();
    gp_timer *timer = timer_without_worker(&config);
    for (int i = 0; i < LIMIT + 2; i++)
        add_due(timer, GP_SECONDS(1), call_subject_of_timeout, &subject,
                destroy_subject_of_timeout);
    timer_turn(timer, 0);
    check_status(gp_timer_stop(timer, &unrun), GP_OK);
    check_int(unrun.count, LIMIT + 2);
    gp_timeout_list_release(&unrun);
    check_int(subject.destroyed, LIMIT + 2);
    timer_end(timer);
}

/* Drawn at random. */

static void step_randomly(struct wheel *wheel)
{
    uint64_t die = random_below(&wheel->random, 10);
    if (die < 4 && wheel->count < ENTRIES)
        wheel_add(wheel, (wheel->turns - 3) * TICK +
                             (int64_t)random_below(&wheel->random, 5 * BUCKETS * TICK));
    else if (die < 6 && wheel->count > 0)
        wheel_cancel(wheel, &wheel->entries[random_below(&wheel->random, wheel->count)]);
    else
        wheel_turn(wheel);
}

static void random_operations_agree_with_a_model(void)
{
    for (unsigned seed = 1; seed <= scaled(100); seed++) {
        struct wheel wheel;
        wheel_begin(&wheel, BUCKETS);
        wheel.random = seed * UINT64_C(7919);
        for (int i = 0; i < 600; i++)
            step_randomly(&wheel);
        wheel_end(&wheel);
    }
}

enum {
    OF_MAKING = 5 /* of the tests below; a process warns once, and once they are asked */
};

static const struct test tests[] = {
    TEST(bad_configurations_are_refused),
    TEST(a_revolution_that_overflows_is_refused),
    TEST(a_wheel_without_end_is_refused_for_want_of_memory),
    TEST(too_many_timers_are_fine_if_nobody_wants_to_know),
    TEST(too_many_timers_are_reported_once),
    TEST(each_is_called_at_the_end_of_its_tick),
    TEST(the_number_of_buckets_is_rounded_up),
    TEST(one_that_comes_late_is_called_in_the_next_turn),
    TEST(one_that_is_never_due_is_never_called),
    TEST(one_of_a_later_round_hides_nothing_behind_it),
    TEST(those_of_one_tick_are_called_in_the_order_of_their_arrival),
    TEST(a_cancelled_one_leaves_its_bucket_at_the_next_turn),
    TEST(one_cancelled_before_it_arrives_never_enters_a_bucket),
    TEST(a_cancelled_one_that_has_no_handle_left_is_freed),
    TEST(a_function_may_cancel_others_that_are_due_with_it),
    TEST(no_more_than_a_hundred_thousand_are_inserted_in_one_turn),
    TEST(those_that_were_not_inserted_yet_are_handed_back),
    TEST(random_operations_agree_with_a_model),
    END_OF_TESTS,
};

const struct suite wheel_turn_suite = {
    .name = "wheel_turn", .tests = tests, .prepare = choose_hashed};
const struct suite wheel_fast_turn_suite = {
    .name = "wheel_fast_turn", .tests = tests + OF_MAKING, .prepare = choose_fast};
