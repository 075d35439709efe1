/*
 * The search for an explanation, and what is shown where there is none. What the single models
 * allow is in models.c; histories by the thousand are in linear_random.c.
 */
#include "harness/check/linear.h"

#include <string.h>

#include <glasspool/status.h>

#include "harness/check/drawing.h"
#include "harness/check/histories.h"
#include "linear_support.h"
#include "suite.h"

/* Order. */

static void an_empty_history_is_explained(void)
{
    struct history history = {0};
    check(explains(&model_fifo, &history));
}

static void calls_under_way_together_may_come_in_any_order(void)
{
    struct history history = {0};
    struct history_open first = history_begin(&history, 0, QUEUE_OFFER, 1);
    record(&history, 1, QUEUE_OFFER, 2, GP_OK);
    history_end(first, GP_OK);
    record(&history, 2, QUEUE_POLL, 0, 2);
    record(&history, 2, QUEUE_POLL, 0, 1);
    check(explains(&model_fifo, &history));
}

static void but_in_one_order_for_all(void)
{
    struct history history = {0};
    struct history_open first = history_begin(&history, 0, QUEUE_OFFER, 1);
    record(&history, 1, QUEUE_OFFER, 2, GP_OK);
    history_end(first, GP_OK);
    record(&history, 2, QUEUE_PEEK, 0, 1);
    record(&history, 2, QUEUE_POLL, 0, 2);
    check(!explains(&model_fifo, &history));
}

static void a_call_that_returned_comes_before_one_made_later(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 1, QUEUE_OFFER, 2, GP_OK);
    record(&history, 2, QUEUE_POLL, 0, 2);
    check(!explains(&model_fifo, &history));
}

/* The poll that found nothing must be first, though it returned last. */
static void the_order_of_returning_need_not_explain(void)
{
    struct history history = {0};
    struct history_open poll = history_begin(&history, 0, QUEUE_POLL, 0);
    record(&history, 1, QUEUE_OFFER, 1, GP_OK);
    record(&history, 1, QUEUE_SIZE, 0, 1);
    history_end(poll, GP_EEMPTY);
    check(explains(&model_fifo, &history));
}

/* Either of the two sizes can be explained alone: 0 before the offer, 1 after it. */
static void what_one_call_saw_another_made_later_sees_too(void)
{
    struct history history = {0};
    struct history_open offer = history_begin(&history, 0, QUEUE_OFFER, 1);
    record(&history, 1, QUEUE_SIZE, 0, 1);
    record(&history, 2, QUEUE_SIZE, 0, 0);
    history_end(offer, GP_OK);
    check(!explains(&model_fifo, &history));
}

/* Calls that never returned. */

static void a_pending_call_may_have_taken_effect(void)
{
    struct history history = {0};
    history_begin(&history, 0, QUEUE_OFFER, 1);
    record(&history, 1, QUEUE_POLL, 0, 1);
    check(explains(&model_fifo, &history));
}

static void or_not(void)
{
    struct history history = {0};
    history_begin(&history, 0, QUEUE_OFFER, 1);
    record(&history, 1, QUEUE_POLL, 0, GP_EEMPTY);
    check(explains(&model_fifo, &history));
}

static void but_not_both(void)
{
    struct history history = {0};
    history_begin(&history, 0, QUEUE_OFFER, 1);
    record(&history, 1, QUEUE_SIZE, 0, 1);
    record(&history, 1, QUEUE_POLL, 0, GP_EEMPTY);
    check(!explains(&model_fifo, &history));
}

static void and_not_before_it_was_made(void)
{
    struct history history = {0};
    record(&history, 1, QUEUE_POLL, 0, 1);
    history_begin(&history, 0, QUEUE_OFFER, 1);
    check(!explains(&model_fifo, &history));
}

static void a_pending_take_may_have_taken_any(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_OFFER, 2, GP_OK);
    history_begin(&history, 1, QUEUE_TAKE, 0);
    record(&history, 0, QUEUE_POLL, 0, 2);
    check(explains(&model_fifo, &history));
}

/* What cannot be decided. */

static void a_history_with_missing_calls_is_undecided(void)
{
    struct history history = {0};
    for (int i = 0; i <= HISTORY_CALLS; i++)
        record(&history, 0, QUEUE_SIZE, 0, 0);
    check_int(verdict_on(&model_fifo, 0, &history), LINEAR_UNDECIDED);
}

/* A model that remembers the order and is never content: each order is a position of its own. */

static void know_nothing(void *state, int parameter)
{
    (void)state;
    (void)parameter;
}

static bool remember_order(void *state, const struct history_call *call)
{
    uint64_t order;
    memcpy(&order, state, sizeof order);
    order = order * 31 + call->began;
    memcpy(state, &order, sizeof order);
    return true;
}

static bool refuse(const void *state)
{
    (void)state;
    return false;
}

static const struct linear_model endless = {.name = "an endless search",
                                            .state_size = sizeof(uint64_t),
                                            .init = know_nothing,
                                            .apply = remember_order,
                                            .accepts_final = refuse,
                                            .describe = model_describe_queue};

static void a_search_that_takes_too_long_is_given_up(void)
{
    struct history history = {0};
    struct history_open calls[SCENARIO_ACTORS];
    for (int i = 0; i < HISTORY_CALLS; i++) {
        for (unsigned lane = 0; lane < SCENARIO_ACTORS; lane++)
            calls[lane] = history_begin(&history, lane, QUEUE_SIZE, 0);
        for (unsigned lane = 0; lane < SCENARIO_ACTORS; lane++)
            history_end(calls[lane], 0);
    }
    check_int(verdict_on(&endless, 0, &history), LINEAR_UNDECIDED);
}

static void a_final_state_that_is_refused_is_no_explanation(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_SIZE, 0, 0);
    check_int(verdict_on(&endless, 0, &history), NOT_LINEARIZABLE);
}

static void flaws_of_a_model_are_found(void)
{
    struct linear_model model = model_fifo;
    check(linear_model_flaw(&model_fifo) == NULL);
    model.state_size = LINEAR_STATE + 1;
    check(linear_model_flaw(&model) != NULL);
    model = model_fifo;
    model.apply = NULL;
    check(linear_model_flaw(&model) != NULL);
}

/* What is shown. */

static void do_nothing(void *state, struct outcome *outcome)
{
    (void)state;
    (void)outcome;
}

struct state {
    int something_else;
    struct history history;
};

static const struct scenario recorded = {
    .name = "test/recorded",
    .actors = {{"offer", do_nothing}, {"poll", do_nothing}},
    .history = {.model = &model_fifo, .parameter = 1, .offset = offsetof(struct state, history)},
};

static const char drawing[] = "Not linearizable as a FIFO queue:\n"
                              "\n"
                              "         offer               poll                before and after\n"
                              "      1                                          offer 1\n"
                              "      2                                          -> ok\n"
                              "      3  offer 2\n"
                              "      4  |                   poll\n"
                              "      5  |                   -> empty\n"
                              "      6  -> full\n"
                              "      7                      take\n"
                              "                             never returned\n"
                              "The longest order that fits has 2 of 4 calls:"
                              " offer 1 -> ok, offer 2 -> full\n";

static void record_a_poll_that_lies(struct history *history)
{
    record(history, HISTORY_ALONE, QUEUE_OFFER, 1, GP_OK);
    struct history_open offer = history_begin(history, 0, QUEUE_OFFER, 2);
    record(history, 1, QUEUE_POLL, 0, GP_EEMPTY);
    history_end(offer, GP_EFULL);
    history_begin(history, 1, QUEUE_TAKE, 0);
}

static struct histories histories;

static void the_first_bad_history_is_counted_and_drawn(void)
{
    struct state good = {.something_else = 1};
    struct state bad = {.something_else = 1};
    record_a_poll_that_lies(&bad.history);
    histories_begin(&histories, &recorded);
    check_int(histories_judge(&histories, &good), LINEARIZABLE);
    check_text(histories.first, "");
    check_int(histories_judge(&histories, &bad), NOT_LINEARIZABLE);
    check_text(histories.first, drawing);
    check_int(histories_judge(&histories, &bad), NOT_LINEARIZABLE);
    check_int(histories.not_linearizable, 2);
    check_int(histories.undecided, 0);
    histories_begin(&histories, &recorded);
    check_int(histories.not_linearizable, 0);
    check_text(histories.first, "");
}

static void a_history_that_is_too_long_is_counted_and_drawn(void)
{
    struct state state = {.something_else = 1};
    for (int i = 0; i < 20; i++)
        record(&state.history, 1, QUEUE_SIZE, 0, 0);
    histories_begin(&histories, &recorded);
    check_int(histories_judge(&histories, &state), LINEAR_UNDECIDED);
    check_int(histories.undecided, 1);
    check_int(histories.not_linearizable, 0);
    check(strstr(histories.first, "and more calls of poll") != NULL);
}

static void a_scenario_without_model_has_no_history(void)
{
    struct scenario silent = recorded;
    struct state state = {.something_else = 1};
    record_a_poll_that_lies(&state.history);
    silent.history.model = NULL;
    histories_begin(&histories, &silent);
    check_int(histories_judge(&histories, &state), LINEARIZABLE);
}

static void a_drawing_ends_where_the_room_does(void)
{
    static const char *const names[HISTORY_LANES] = {"offer", "poll", "", "", "", "", "alone"};
    struct history history = {0};
    char text[100];
    record_a_poll_that_lies(&history);
    for (size_t room = 1; room < sizeof text; room++) {
        memset(text, '#', sizeof text);
        drawing_of(&history, &model_fifo, names, text, room);
        check_int(strlen(text), room - 1);
        check_int(text[room], '#');
    }
}

static const struct test tests[] = {
    TEST(an_empty_history_is_explained),
    TEST(calls_under_way_together_may_come_in_any_order),
    TEST(but_in_one_order_for_all),
    TEST(a_call_that_returned_comes_before_one_made_later),
    TEST(the_order_of_returning_need_not_explain),
    TEST(what_one_call_saw_another_made_later_sees_too),
    TEST(a_pending_call_may_have_taken_effect),
    TEST(or_not),
    TEST(but_not_both),
    TEST(and_not_before_it_was_made),
    TEST(a_pending_take_may_have_taken_any),
    TEST(a_history_with_missing_calls_is_undecided),
    TEST(a_search_that_takes_too_long_is_given_up),
    TEST(a_final_state_that_is_refused_is_no_explanation),
    TEST(flaws_of_a_model_are_found),
    TEST(the_first_bad_history_is_counted_and_drawn),
    TEST(a_history_that_is_too_long_is_counted_and_drawn),
    TEST(a_scenario_without_model_has_no_history),
    TEST(a_drawing_ends_where_the_room_does),
    END_OF_TESTS,
};

const struct suite linear_suite = {.name = "linear", .tests = tests};
