/* The fast kind of the hashed wheel: memory that is kept, and delays that count from the tick. */
#include <glasspool/clock.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>

#include "fault.h"
#include "suite.h"
#include "support.h"
#include "wheel/fast.h"
#include "wheel_support.h"

#define HOUR GP_SECONDS(3600)
#define TICK GP_MILLISECONDS(1)

enum {
    MANY = 100000 /* timeouts: more than go into all blocks but the largest */
};

static int count_call(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    ++*(int *)argument;
    return 0;
}

static gp_timeout *add(gp_timer *timer, int64_t delay)
{
    return timeout_due(timer, delay, count_call, NULL, NULL);
}

static gp_timer *fast_timer(void)
{
    gp_wheel_config config = quick_config();
    config.tick = TICK;
    return timer_without_worker(&config);
}

static struct gp__fast *fast_of(gp_timer *timer)
{
    return (struct gp__fast *)timer;
}

/* Spares. */

static void the_memory_of_one_that_is_gone_is_used_again(void)
{
    gp_timer *timer = fast_timer();
    gp_timeout *first = add(timer, HOUR);
    gp_timeout *second = add(timer, HOUR);
    check(first != second);
    check(gp_timeout_cancel(first));
    timer_turn(timer, 0);
    gp_timeout *third = add(timer, HOUR); /* there is still a handle of the first */
    check(third != first && third != second);
    gp_timeout_release(first);
    gp_timeout *fourth = add(timer, HOUR);
    check(fourth == first);
    check(!gp_timeout_is_cancelled(fourth));
    check_int(gp_timer_pending(timer), 3);
    gp_timeout_release(second);
    gp_timeout_release(third);
    gp_timeout_release(fourth);
    timer_end(timer);
}

static void as_many_as_one_likes_have_memory_each(void)
{
    static gp_timeout *timeouts[MANY];
    gp_timer *timer = fast_timer();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            timeouts[i] = add(timer, HOUR + i);
        check_int(gp_timer_pending(timer), MANY);
        timer_turn(timer, 0);
        for (int i = 0; i < MANY; i++) /* else two would have one spare */
            check_int(timeouts[i]->deadline, HOUR + i);
        for (int i = 0; i < MANY; i++) {
            gp_timeout_cancel(timeouts[i]);
            gp_timeout_release(timeouts[i]);
        }
        check_int(gp_timer_pending(timer), 0);
        timer_turn(timer, 0);
    }
    timer_end(timer);
}

static void without_memory_for_a_block_adding_fails_and_may_succeed_later(void)
{
    gp_timer *timer = fast_timer();
    gp_timeout *timeout = NULL;
    fault_arm(FAULT_MEMORY, FAULT_EVERY, FAULT_THIS_THREAD);
    int status = gp_timer_after(timer, HOUR, count_call, NULL, NULL, &timeout);
    check_int(fault_disarm(), 1);
    check_status(status, GP_ENOMEM);
    check(timeout == NULL);
    check_int(gp_timer_pending(timer), 0);
    gp_timeout_release(add(timer, HOUR));
    check_int(gp_timer_pending(timer), 1);
    timer_end(timer);
}

static void a_handle_keeps_its_memory_when_the_timer_is_freed(void)
{
    gp_timer *timer = fast_timer();
    gp_timeout *timeout = add(timer, HOUR);
    timer_end(timer);
    check(gp_timeout_is_cancelled(timeout));
    check(!gp_timeout_cancel(timeout));
    check(gp_timeout_timer(timeout) == timer);
    gp_timeout_release(timeout); /* frees the timer; leaks are the sanitizer's to find */
}

static void what_is_reserved_is_not_pending(void)
{
    gp_timer *timer = fast_timer();
    gp_timeout_release(add(timer, HOUR));
    check(fast_of(timer)->reserved > 0);
    check_int(gp__timer_counted(timer), fast_of(timer)->reserved + 1);
    check_int(gp_timer_pending(timer), 1);
    check_status(gp_timer_stop(timer, NULL), GP_OK);
    check_int(fast_of(timer)->reserved, 0);
    check_int(gp__timer_counted(timer), 0);
    timer_end(timer);
}

static void a_check_does_not_wait_for_who_is_at_work(void)
{
    gp_timer *timer = fast_timer();
    gp__latch_lock(&fast_of(timer)->latch);
    check_int(gp_timer_check(timer), 0);
    gp__latch_unlock(&fast_of(timer)->latch);
    timer_end(timer);
}

static void with_an_executor_it_is_the_reference(void)
{
    gp_pool_config pool_config = GP_POOL_CONFIG_DEFAULT;
    gp_wheel_config config = quick_config();
    struct subject subject = {0};
    require_ok(gp_pool_new(&pool_config, &config.executor));
    gp_timer *timer = timer_of(&config);
    check(timer->intake == &gp__inbox_intake);
    check_status(add_after(timer, 0, &subject), GP_OK);
    check(await_destroyed(&subject, 1));
    timer_end(timer);
    check_status(gp_pool_close(config.executor), GP_OK);
    check_int(subject.runs, 1);
}

static const struct test tests[] = {
    TEST(the_memory_of_one_that_is_gone_is_used_again),
    TEST(as_many_as_one_likes_have_memory_each),
    TEST(without_memory_for_a_block_adding_fails_and_may_succeed_later),
    TEST(a_handle_keeps_its_memory_when_the_timer_is_freed),
    TEST(what_is_reserved_is_not_pending),
    TEST(a_check_does_not_wait_for_who_is_at_work),
    TEST(with_an_executor_it_is_the_reference),
    END_OF_TESTS,
};

const struct suite wheel_spares_suite = {
    .name = "wheel_spares", .tests = tests, .prepare = choose_fast};

/* From the tick. */

/* As the worker does. */
static void turn_from_tick(gp_timer *timer, int64_t now)
{
    gp__fast_settle(timer, gp__fast_collect(timer), now);
    gp__timer_turn(timer, now);
}

static void add_counted(gp_timer *timer, int64_t delay, int *calls)
{
    require_ok(gp_timer_after(timer, delay, count_call, calls, NULL, NULL));
}

/* Turn n is that of tick n, at the end of which the clock says `now`. */
static void check_called_in(int64_t delay, int64_t first_now, int turn)
{
    gp_timer *timer = fast_timer();
    int calls = 0;
    add_counted(timer, delay, &calls);
    for (int i = 0; i < turn; i++) {
        turn_from_tick(timer, i == 0 ? first_now : (i + 1) * TICK);
        check_int(calls, 0);
        check_int(gp_timer_check(timer), 0);
    }
    turn_from_tick(timer, turn == 0 ? first_now : (turn + 1) * TICK);
    check_int(calls, 1);
    timer_end(timer);
}

static void a_delay_begins_when_the_tick_is_over(void)
{
    check_called_in(0, TICK, 1);
    check_called_in(TICK - 1, TICK, 1);
    check_called_in(TICK, TICK, 2);
    check_called_in(20 * TICK, TICK, 21); /* several revolutions */
}

static void a_worker_that_is_late_makes_it_later(void)
{
    check_called_in(0, 3 * TICK + 1, 3);
    check_called_in(TICK, 3 * TICK + 1, 4);
}

static void a_delay_below_zero_is_none(void)
{
    check_called_in(-5 * TICK, TICK, 1);
    check_called_in(INT64_MIN, TICK, 1);
}

static void a_delay_without_end_has_none(void)
{
    gp_timer *timer = fast_timer();
    int calls = 0;
    add_counted(timer, INT64_MAX, &calls);
    for (int i = 0; i < 100; i++)
        turn_from_tick(timer, (i + 1) * TICK);
    check_int(calls, 0);
    timer_end(timer);
}

static void the_deadline_is_known_when_the_tick_is_over(void)
{
    gp_timer *timer = fast_timer();
    gp_timeout *timeout = NULL;
    require_ok(gp_timer_after(timer, HOUR, count_call, NULL, NULL, &timeout));
    int64_t before = gp_now();
    int64_t deadline = gp_timeout_deadline(timeout);
    int64_t after = gp_now();
    check(gp_time_until(deadline, before) >= HOUR);
    check(gp_time_until(deadline, after) <= HOUR);
    turn_from_tick(timer, 7 * TICK + 1);
    check_int(gp_time_until(gp_timeout_deadline(timeout), timer->start_time), 7 * TICK + 1 + HOUR);
    gp_timeout_release(timeout);
    timer_end(timer);
}

/* Else a crowd that takes several turns to be inserted would begin its delays one by one. */
static void delays_begin_although_there_are_too_many_to_be_inserted(void)
{
    enum {
        LIMIT = 100000
    };
    gp_timer *timer = fast_timer();
    int calls = 0;
    for (int i = 0; i < LIMIT + 1; i++)
        add_counted(timer, HOUR, &calls);
    gp_timeout *last[2];
    require_ok(gp_timer_after(timer, HOUR, count_call, NULL, NULL, &last[0]));
    turn_from_tick(timer, TICK);
    require_ok(gp_timer_after(timer, HOUR, count_call, NULL, NULL, &last[1]));
    turn_from_tick(timer, 2 * TICK);
    for (int i = 0; i < 2; i++) {
        check_int(last[i]->deadline, HOUR + (i + 1) * TICK);
        check(last[i]->row != NULL);
        gp_timeout_release(last[i]);
    }
    check_int(gp_timer_pending(timer), LIMIT + 3);
    timer_end(timer);
}

static void a_crowd_may_take_several_turns_in_which_nothing_comes(void)
{
    enum {
        LIMIT = 100000
    };
    gp_timer *timer = fast_timer();
    int calls = 0;
    for (int i = 0; i < 2 * LIMIT + 1; i++)
        add_counted(timer, HOUR, &calls);
    turn_from_tick(timer, TICK);
    turn_from_tick(timer, 2 * TICK);
    add_counted(timer, HOUR, &calls);
    turn_from_tick(timer, 3 * TICK);
    check_int(gp_timer_pending(timer), 2 * LIMIT + 2);
    check(timer->arrived == NULL);
    timer_end(timer);
}

static const struct test tests_from_tick[] = {
    TEST(a_crowd_may_take_several_turns_in_which_nothing_comes),
    TEST(a_delay_begins_when_the_tick_is_over),
    TEST(a_worker_that_is_late_makes_it_later),
    TEST(a_delay_below_zero_is_none),
    TEST(a_delay_without_end_has_none),
    TEST(the_deadline_is_known_when_the_tick_is_over),
    TEST(delays_begin_although_there_are_too_many_to_be_inserted),
    END_OF_TESTS,
};

const struct suite wheel_from_tick_suite = {
    .name = "wheel_from_tick", .tests = tests_from_tick, .prepare = choose_fast};
