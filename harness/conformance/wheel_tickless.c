/*
 * The tickless wheel, turn by turn: the test is the worker, and says what time it is. What is
 * called when, compared with a list that has no wheel.
 */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"
#include "support.h"
#include "wheel/timer.h"
#include "wheel_support.h"

enum {
    ENTRIES = 400,
    LEVELS = 11,
    DIGIT = 6 /* bits */
};

#define YEAR (GP_SECONDS(3600) * 24 * 365)

/* A timeout as the model sees it. */
struct entry {
    gp_timeout *timeout;
    int64_t time; /* when it should be called */
    bool pending;
    int called;
    int destroyed;
    struct model *model;
};

struct model {
    gp_timer *timer;
    int64_t now; /* of the last turn */
    int wrong;   /* calls that were not of the one whose turn it was */
    int live;    /* how many are pending */
    int turns;
    uint64_t random;
    size_t count;
    struct entry entries[ENTRIES];
};

static void model_begin(struct model *model)
{
    gp_wheel_config config = GP_WHEEL_CONFIG_DEFAULT;
    memset(model, 0, sizeof *model);
    choose_tickless();
    model->timer = timer_without_worker(&config);
}

/* The pending one that is to be called first; of several at the same time, that added first. */
static struct entry *model_first(struct model *model)
{
    struct entry *first = NULL;
    for (size_t i = 0; i < model->count; i++) {
        struct entry *entry = &model->entries[i];
        if (entry->pending && (first == NULL || entry->time < first->time))
            first = entry;
    }
    return first;
}

/* Of the wheel; gp_timer_check leaves that to the worker. In brackets: not suite.h's macro. */
static int broken_invariant(gp_timer *timer)
{
    return (timer->class->check)(timer);
}

static int note_call(gp_timeout *timeout, void *argument)
{
    struct entry *entry = argument;
    struct model *model = entry->model;
    model->wrong += entry != model_first(model) || entry->time > model->now;
    entry->pending = false;
    entry->called++;
    model->live--;
    return broken_invariant(gp_timeout_timer(timeout));
}

static void note_end(void *argument)
{
    struct entry *entry = argument;
    entry->destroyed++;
}

static struct entry *model_add(struct model *model, int64_t deadline)
{
    struct entry *entry = &model->entries[model->count++];
    *entry = (struct entry){.model = model, .pending = true};
    entry->time = deadline > model->now ? deadline : model->now;
    require_ok(gp__timer_add(model->timer, deadline, note_call, entry, note_end, &entry->timeout));
    model->live++;
    return entry;
}

static void model_turn(struct model *model, int64_t now)
{
    model->now = now;
    model->turns++;
    gp__timer_turn(model->timer, now);
    struct entry *first = model_first(model);
    check(first == NULL || first->time > now);
    check_int(gp_timer_pending(model->timer), model->live);
    check_int(broken_invariant(model->timer), 0);
}

static int64_t model_next(struct model *model)
{
    return model->timer->class->next(model->timer);
}

static void model_cancel(struct model *model, struct entry *entry)
{
    check(gp_timeout_cancel(entry->timeout) == entry->pending);
    model->live -= entry->pending;
    entry->pending = false;
    check_int(gp_timer_pending(model->timer), model->live);
    check_int(entry->destroyed, 1);
}

/* Nothing was called out of turn; what is pending comes back. */
static void model_end(struct model *model)
{
    gp_timeout_list unrun;
    check_int(model->wrong, 0);
    check_int(gp_timer_failures(model->timer), 0); /* the checks in note_call */
    check_status(gp_timer_stop(model->timer, &unrun), GP_OK);
    check_int(unrun.count, model->live);
    gp_timeout_list_release(&unrun);
    for (size_t i = 0; i < model->count; i++) {
        gp_timeout_release(model->entries[i].timeout);
        check_int(model->entries[i].destroyed, 1);
    }
    timer_end(model->timer);
}

/* As a worker that nobody wakes: from deadline to deadline, each of them exact. */
static void model_run(struct model *model)
{
    model_turn(model, model->now);
    while (model->live > 0) {
        check_int(model_next(model), model_first(model)->time);
        model_turn(model, model_next(model));
    }
    check_int(model_next(model), GP__NEVER);
}

/* Making. */

static void bad_configurations_are_refused(void)
{
    gp_tickless_config config = GP_TICKLESS_CONFIG_DEFAULT;
    gp_timer *timer = NULL;
    check_status(gp_tickless_new(&config, NULL), GP_EINVAL);
    check_status(gp_tickless_new(NULL, &timer), GP_EINVAL);
    config.max_cancelled = 0;
    check_status(gp_tickless_new(&config, &timer), GP_EINVAL);
    config.max_cancelled = 1;
    config.thread.nice = 1000;
    check_status(gp_tickless_new(&config, &timer), GP_EINVAL);
    check(timer == NULL);
}

/* When. */

static void each_is_called_at_its_nanosecond(void)
{
    struct model model;
    model_begin(&model);
    check_int(model_next(&model), GP__NEVER);
    for (int64_t time = 300; time > 0; time--)
        model_add(&model, time);
    model_run(&model);
    check_int(model.turns, 1 + 300);
    model_end(&model);
}

static void each_level_begins_and_ends_where_it_should(void)
{
    struct model model;
    model_begin(&model);
    for (int level = 1; level < LEVELS; level++)
        for (int64_t offset = -1; offset <= 1; offset++) {
            int64_t first = INT64_C(1) << (level * DIGIT);
            model_add(&model, first + offset);
            model_add(&model, first * 5 + offset);
            model_add(&model, INT64_MAX - first + offset);
        }
    model_run(&model);
    check_int(model.turns, 1 + model.live + (int)model.count);
    model_end(&model);
}

static void a_year_is_exact(void)
{
    struct model model;
    model_begin(&model);
    model.random = 3;
    for (int i = 0; i < ENTRIES; i++)
        model_add(&model, (int64_t)random_below(&model.random, (uint64_t)YEAR));
    model_run(&model);
    check_int(model.turns, 1 + ENTRIES);
    model_end(&model);
}

static void those_of_one_time_are_called_in_the_order_in_which_they_were_added(void)
{
    struct model model;
    model_begin(&model);
    for (int i = 0; i < 50; i++) { /* the time comes nearer, and crosses levels */
        model_add(&model, YEAR);
        model_add(&model, YEAR + 1);
        model_turn(&model, YEAR - (YEAR >> i));
    }
    check_int(model.live, 100);
    model_run(&model);
    model_end(&model);
}

static void one_that_comes_late_is_called_at_once(void)
{
    struct model model;
    model_begin(&model);
    model_turn(&model, 1000);
    model_add(&model, 1000);
    model_add(&model, 999);
    model_add(&model, 1);
    model_add(&model, -5);
    model_add(&model, INT64_MIN);
    model_turn(&model, 1000);
    check_int(model.live, 0);
    model_add(&model, 500);
    model_turn(&model, 5000);
    check_int(model.live, 0);
    model_end(&model);
}

static void a_turn_that_is_late_calls_all_that_is_due_in_order(void)
{
    struct model model;
    model_begin(&model);
    for (int64_t i = 0; i < 100; i++)
        model_add(&model, (i * 37) % 100 * 1000);
    model_turn(&model, 50000);
    check_int(model.live, 49);
    model_turn(&model, YEAR);
    check_int(model.live, 0);
    model_end(&model);
}

static void one_that_is_never_due_is_never_called(void)
{
    struct model model;
    model_begin(&model);
    model_add(&model, INT64_MAX);
    model_turn(&model, 1);
    check_int(model_next(&model), GP__NEVER);
    model_turn(&model, INT64_MAX - 1);
    check_int(model.live, 1);
    model_end(&model);
}

/* Cancelled ones. */

static bool is_in_a_slot(const struct entry *entry)
{
    return entry->timeout->row != NULL;
}

static void a_cancelled_one_leaves_its_slot_at_the_next_turn(void)
{
    struct model model;
    model_begin(&model);
    struct entry *only = model_add(&model, YEAR);
    model_turn(&model, 1);
    check(is_in_a_slot(only));
    model_cancel(&model, only);
    model_turn(&model, 1);
    check(!is_in_a_slot(only));
    check_int(model_next(&model), GP__NEVER); /* nothing to wake up for */
    struct entry *early = model_add(&model, YEAR);
    model_cancel(&model, early); /* before it arrives */
    model_turn(&model, 2);
    check(!is_in_a_slot(early));
    model_end(&model);
}

static void the_deadline_of_a_cancelled_one_wakes_the_worker_once_at_most(void)
{
    struct model model;
    model_begin(&model);
    struct entry *first = model_add(&model, YEAR);
    struct entry *other = model_add(&model, YEAR + 1000);
    model_turn(&model, 1);
    model_cancel(&model, first);
    model_turn(&model, 2);
    check(model_next(&model) >= YEAR);
    model_turn(&model, YEAR);
    check_int(model_next(&model), YEAR + 1000);
    model_turn(&model, YEAR + 1000);
    check_int(other->called, 1);
    model_end(&model);
}

static int cancel_it(gp_timeout *timeout, void *argument)
{
    (void)timeout;
    return !gp_timeout_cancel(argument);
}

static void a_function_may_cancel_another_that_is_due_with_it(void)
{
    struct model model;
    model_begin(&model);
    gp_timeout *other;
    require_ok(gp__timer_add(model.timer, 7, cancel_it, NULL, NULL, &other));
    require_ok(gp__timer_add(model.timer, 5, cancel_it, other, NULL, NULL));
    gp__timer_turn(model.timer, 7);
    check(gp_timeout_is_cancelled(other));
    gp__timer_turn(model.timer, 8);
    gp_timeout_release(other);
    model_end(&model);
}

/* Watching. */

static void the_check_knows_each_invariant(void)
{
    struct model model;
    model_begin(&model);
    gp_timeout *one = model_add(&model, 100000)->timeout;
    gp_timeout *other = model_add(&model, 100001)->timeout;
    struct entry *alone = model_add(&model, YEAR);
    model_turn(&model, 1);
    check_int(broken_invariant(model.timer), 0);
    one->deadline = YEAR * 2;
    check_int(broken_invariant(model.timer), 1); /* [TICKLESS-1] */
    one->deadline = 99999;
    check_int(broken_invariant(model.timer), 3); /* [TICKLESS-3] */
    one->deadline = 100000;
    other->previous = NULL;
    check_int(broken_invariant(model.timer), 4); /* [TICKLESS-4] */
    other->previous = one;
    struct gp__row *row = alone->timeout->row;
    gp__row_remove(alone->timeout);
    check_int(broken_invariant(model.timer), 2); /* [TICKLESS-2] */
    gp__row_append(row, alone->timeout);
    check_int(broken_invariant(model.timer), 0);
    model_end(&model);
}

/* Drawn at random. */

/* Near or far: as many bits as the die says. */
static int64_t draw_deadline(struct model *model)
{
    uint64_t bits = random_below(&model->random, 46);
    return model->now - 3 + (int64_t)(random_next(&model->random) >> (63 - bits));
}

/* Now, when the worker would wake up, or somewhere between. */
static int64_t draw_now(struct model *model)
{
    int64_t next = model_next(model);
    uint64_t die = random_below(&model->random, 4);
    if (die == 0 || next == GP__NEVER)
        return model->now + (int64_t)random_below(&model->random, 100);
    return die == 1 ? model->now + (next - model->now) / 2 : next;
}

static void step_randomly(struct model *model)
{
    uint64_t die = random_below(&model->random, 10);
    if (die < 4 && model->count < ENTRIES)
        model_add(model, draw_deadline(model));
    else if (die < 6 && model->count > 0)
        model_cancel(model, &model->entries[random_below(&model->random, model->count)]);
    else
        model_turn(model, draw_now(model));
}

/* A worker that sleeps until `next` is in time for the first, and does not wake up in vain more
   often than timeouts were added. */
static void random_operations_agree_with_a_sorted_list(void)
{
    for (unsigned seed = 1; seed <= scaled(100); seed++) {
        struct model model;
        model_begin(&model);
        model.random = seed * UINT64_C(7919);
        for (int i = 0; i < 600; i++)
            step_randomly(&model);
        model.turns = 0;
        model_turn(&model, model.now);
        while (model.live > 0) {
            check(model_next(&model) > model.now);
            check(model_next(&model) <= model_first(&model)->time);
            model_turn(&model, model_next(&model));
        }
        check(model.turns <= 1 + (int)model.count);
        model_end(&model);
    }
}

static const struct test tests[] = {
    TEST(bad_configurations_are_refused),
    TEST(each_is_called_at_its_nanosecond),
    TEST(each_level_begins_and_ends_where_it_should),
    TEST(a_year_is_exact),
    TEST(those_of_one_time_are_called_in_the_order_in_which_they_were_added),
    TEST(one_that_comes_late_is_called_at_once),
    TEST(a_turn_that_is_late_calls_all_that_is_due_in_order),
    TEST(one_that_is_never_due_is_never_called),
    TEST(a_cancelled_one_leaves_its_slot_at_the_next_turn),
    TEST(the_deadline_of_a_cancelled_one_wakes_the_worker_once_at_most),
    TEST(a_function_may_cancel_another_that_is_due_with_it),
    TEST(the_check_knows_each_invariant),
    TEST(random_operations_agree_with_a_sorted_list),
    END_OF_TESTS,
};

const struct suite tickless_turn_suite = {.name = "tickless_turn", .tests = tests};
