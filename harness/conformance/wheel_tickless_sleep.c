/*
 * The tickless wheel: who wakes its worker, and who does not [SLEEP-1] [SLEEP-2] [SLEEP-3].
 *
 * First the decisions, one by one: the test says until when the worker sleeps, is that worker
 * itself, and looks whether it has been given a permit. Then with a worker.
 */
#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"
#include "support.h"
#include "sync/clock.h"
#include "sync/thread.h"
#include "wheel/timer.h"
#include "wheel_support.h"

#define HOUR GP_SECONDS(3600)

enum {
    MAX_CANCELLED = 10
};

static gp_tickless_config small_config(void)
{
    gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;
    config.max_cancelled = MAX_CANCELLED;
    return config;
}

/* The decisions. */

static gp_timer *timer_of_oneself(void)
{
    gp_wheel_config config = quick_config();
    choose_tickless();
    gp_timer *timer = timer_without_worker(&config);
    timer->max_cancelled = MAX_CANCELLED;
    timer->worker = gp_thread_retain(gp_thread_self());
    return timer;
}

static void end_of_oneself(gp_timer *timer)
{
    gp_thread_release(timer->worker);
    timer->worker = NULL;
    atomic_store(&timer->asleep_until, GP__AWAKE);
    timer_end(timer);
}

static void sleep_until(gp_timer *timer, int64_t time)
{
    atomic_store(&timer->asleep_until, time);
}

/* Has somebody unparked us? No longer, then. */
static bool was_woken(void)
{
    return gp__park(gp_thread_self(), gp_now()) == GP_OK;
}

static gp_timeout *add_at(gp_timer *timer, int64_t deadline, struct subject *subject)
{
    gp_timeout *timeout = NULL;
    require_ok(gp__timer_add(timer, deadline, call_subject_of_timeout, subject,
                             destroy_subject_of_timeout, &timeout));
    return timeout;
}

static bool wakes(gp_timer *timer, int64_t deadline)
{
    struct subject subject = {0};
    gp_timeout *timeout = add_at(timer, deadline, &subject);
    bool woken = was_woken();
    check(gp_timeout_cancel(timeout));
    gp_timeout_release(timeout);
    return woken;
}

static int64_t references_to(gp_timer *timer)
{
    return (int64_t)(atomic_load(&timer->counts) >> 32);
}

static void only_one_that_is_earlier_wakes_the_worker(void)
{
    gp_timer *timer = timer_of_oneself();
    sleep_until(timer, HOUR);
    check(!wakes(timer, HOUR + 1));
    check(!wakes(timer, HOUR)); /* it wakes up then anyway */
    check(!wakes(timer, GP__NEVER));
    check(wakes(timer, HOUR - 1));
    check(wakes(timer, INT64_MIN));
    end_of_oneself(timer);
}

static void one_that_is_ever_due_wakes_a_worker_that_has_nothing(void)
{
    gp_timer *timer = timer_of_oneself();
    sleep_until(timer, GP__NEVER);
    check(wakes(timer, GP__NEVER - 1));
    check(!wakes(timer, GP__NEVER));
    end_of_oneself(timer);
}

static void nobody_wakes_a_worker_that_is_awake(void)
{
    gp_timer *timer = timer_of_oneself();
    check(!wakes(timer, INT64_MIN));
    check(!wakes(timer, HOUR));
    end_of_oneself(timer);
}

static void cancelled_ones_wake_it_when_they_are_many(void)
{
    struct subject subject = {0};
    gp_timeout *timeouts[MAX_CANCELLED];
    gp_timer *timer = timer_of_oneself();
    for (int round = 0; round < 3; round++) {
        sleep_until(timer, HOUR);
        for (int i = 0; i < MAX_CANCELLED; i++)
            timeouts[i] = add_at(timer, HOUR + i, &subject);
        for (int i = 0; i < MAX_CANCELLED; i++) {
            check(gp_timeout_cancel(timeouts[i]));
            check(was_woken() == (i == MAX_CANCELLED - 1));
            check_int(gp_timer_uncollected(timer), i + 1);
            gp_timeout_release(timeouts[i]);
        }
        sleep_until(timer, GP__AWAKE);
        gp__timer_turn(timer, round);
        check_int(gp_timer_uncollected(timer), 0);
        check_int(references_to(timer), 1); /* no timeout is left */
    }
    end_of_oneself(timer);
    check_int(subject.destroyed, 3 * MAX_CANCELLED);
}

static void cancelled_ones_do_not_wake_a_worker_that_is_awake(void)
{
    struct subject subject = {0};
    gp_timer *timer = timer_of_oneself();
    for (int i = 0; i < 3 * MAX_CANCELLED; i++) {
        gp_timeout *timeout = add_at(timer, HOUR, &subject);
        check(gp_timeout_cancel(timeout));
        gp_timeout_release(timeout);
    }
    check(!was_woken());
    end_of_oneself(timer);
}

/* With a worker. */

static gp_timer *started_timer(void)
{
    gp_tickless_config config = small_config();
    gp_timer *timer = NULL;
    require_ok(gp_tickless_new(&config, &timer));
    require_ok(gp_timer_start(timer));
    return timer;
}

struct sleep {
    gp_timer *timer;
    int64_t until;
    uint64_t wakeups;
};

static bool is_asleep(void *argument)
{
    const struct sleep *sleep = argument;
    return atomic_load(&sleep->timer->asleep_until) == sleep->until &&
           gp_timer_wakeups(sleep->timer) == sleep->wakeups;
}

static bool await_sleep(gp_timer *timer, int64_t until, uint64_t wakeups)
{
    return eventually(is_asleep, &(struct sleep){timer, until, wakeups});
}

/* Each round has one that is earlier, and many that are not. */
static void earlier_ones_wake_the_worker_and_no_others(void)
{
    struct subject subject = {0};
    gp_timer *timer = started_timer();
    check(await_sleep(timer, GP__NEVER, 0));
    for (unsigned round = 0; round < 50; round++) {
        int64_t delay = HOUR * (100 - round);
        gp_timeout *first = timeout_after(timer, delay, &subject);
        check(await_sleep(timer, first->deadline, round + 1));
        gp_timeout_release(first);
        for (int i = 0; i < 10; i++)
            check_status(add_after(timer, delay + i, &subject), GP_OK);
    }
    timer_end(timer);
    check_int(subject.runs, 0);
}

static bool has_let_go(void *argument)
{
    gp_timer *timer = argument;
    return references_to(timer) - 3 < MAX_CANCELLED; /* owner, worker, the one pending */
}

static void cancelled_ones_that_are_far_away_are_freed(void)
{
    enum {
        MANY = 1000
    };
    struct subject subject = {0};
    gp_timer *timer = started_timer();
    check_status(add_after(timer, HOUR, &subject), GP_OK); /* the others are not earlier */
    for (int i = 0; i < MANY; i++) {
        gp_timeout *timeout = timeout_after(timer, HOUR * 1000 - i, &subject);
        check(gp_timeout_cancel(timeout));
        gp_timeout_release(timeout);
    }
    check(eventually(has_let_go, timer));
    /* one for the first, one for each ten, and as many that came too late */
    check(gp_timer_wakeups(timer) <= 2 * (1 + MANY / MAX_CANCELLED));
    timer_end(timer);
    check_int(subject.destroyed, 1 + MANY);
}

struct order {
    struct latch busy;
    struct gate gate;
    struct latch all;
    int64_t last; /* deadline */
    int wrong;
};

static int hold(gp_timeout *timeout, void *argument)
{
    struct order *order = argument;
    (void)timeout;
    latch_count_down(&order->busy);
    gate_pass(&order->gate);
    return 0;
}

static int note_order(gp_timeout *timeout, void *argument)
{
    struct order *order = argument;
    int64_t deadline = gp_timeout_deadline(timeout);
    order->wrong += gp_time_until(deadline, order->last) < 0;
    order->wrong += gp_time_until(gp_now(), deadline) < 0;
    order->last = deadline;
    latch_count_down(&order->all);
    return 0;
}

static void those_that_came_while_it_was_busy_are_called_in_the_order_of_deadlines(void)
{
    enum {
        COUNT = 100
    };
    struct order order = {.last = gp_now()};
    uint64_t random = 5;
    gp_timer *timer = started_timer();
    latch_init(&order.busy, 1);
    latch_init(&order.all, COUNT);
    gate_init(&order.gate);
    require_ok(gp_timer_after(timer, 0, hold, &order, NULL, NULL));
    latch_await(&order.busy);
    for (int i = 0; i < COUNT; i++) {
        int64_t delay = (int64_t)random_below(&random, (uint64_t)GP_MILLISECONDS(2));
        require_ok(gp_timer_after(timer, delay, note_order, &order, NULL, NULL));
    }
    gate_open(&order.gate, 1);
    latch_await(&order.all);
    timer_end(timer);
    check_int(order.wrong, 0);
}

/* [SLEEP-1]: what a turn has not placed yet is not known to the wheel, and the worker does not go
   to sleep on it. */
static void one_behind_a_crowd_is_called_in_time(void)
{
    enum {
        CROWD = 100000 /* as many as one turn places: PLACED_PER_TURN in timer_worker.c */
    };
    struct order order = {.last = gp_now()};
    gp_timer *timer = started_timer();
    latch_init(&order.busy, 1);
    latch_init(&order.all, 1);
    gate_init(&order.gate);
    require_ok(gp_timer_after(timer, 0, hold, &order, NULL, NULL));
    latch_await(&order.busy);
    for (int i = 0; i < CROWD; i++)
        require_ok(gp_timer_after(timer, HOUR, note_order, &order, NULL, NULL));
    require_ok(gp_timer_after(timer, 0, note_order, &order, NULL, NULL));
    gate_open(&order.gate, 1);
    check(latch_await_for(&order.all, is_slow() ? GP_SECONDS(60) : GP_SECONDS(10)));
    timer_end(timer);
    check_int(order.wrong, 0);
}

static const struct test tests[] = {
    TEST(only_one_that_is_earlier_wakes_the_worker),
    TEST(one_that_is_ever_due_wakes_a_worker_that_has_nothing),
    TEST(nobody_wakes_a_worker_that_is_awake),
    TEST(cancelled_ones_wake_it_when_they_are_many),
    TEST(cancelled_ones_do_not_wake_a_worker_that_is_awake),
    TEST(earlier_ones_wake_the_worker_and_no_others),
    TEST(cancelled_ones_that_are_far_away_are_freed),
    TEST(those_that_came_while_it_was_busy_are_called_in_the_order_of_deadlines),
    TEST(one_behind_a_crowd_is_called_in_time),
    END_OF_TESTS,
};

const struct suite tickless_sleep_suite = {.name = "tickless_sleep", .tests = tests};
