/*
 * The models: for each, histories that it explains and histories that it does not, with the reason
 * in the test's name.
 */
#include "harness/check/models.h"

#include <string.h>

#include <glasspool/status.h>

#include "linear_support.h"
#include "suite.h"

/* A FIFO queue. */

static void what_goes_in_first_comes_out_first(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_PUT, 2, GP_OK);
    record(&history, 1, QUEUE_POLL, 0, 1);
    record(&history, 1, QUEUE_TAKE, 0, 2);
    record(&history, 1, QUEUE_POLL, 0, GP_EEMPTY);
    check(explains(&model_fifo, &history));
}

static void taking_out_of_order_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_OFFER, 2, GP_OK);
    record(&history, 1, QUEUE_POLL, 0, 2);
    record(&history, 1, QUEUE_POLL, 0, 1);
    check(!explains(&model_fifo, &history));
}

/* Even while the offers are under way: those of one lane are one after the other. */
static void nor_while_the_second_offer_is_under_way(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    struct history_open offer = history_begin(&history, 0, QUEUE_OFFER, 2);
    record(&history, 1, QUEUE_POLL, 0, 2);
    history_end(offer, GP_OK);
    check(!explains(&model_fifo, &history));
}

static void a_task_taken_twice_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    struct history_open first = history_begin(&history, 1, QUEUE_POLL, 0);
    struct history_open second = history_begin(&history, 2, QUEUE_POLL, 0);
    history_end(first, 1);
    history_end(second, 1);
    check(!explains(&model_fifo, &history));
}

static void a_task_both_polled_and_removed_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    struct history_open poll = history_begin(&history, 1, QUEUE_POLL, 0);
    struct history_open remove = history_begin(&history, 2, QUEUE_REMOVE, 1);
    history_end(poll, 1);
    history_end(remove, GP_OK);
    check(!explains(&model_fifo, &history));
}

static void a_lost_task_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 1, QUEUE_POLL, 0, GP_EEMPTY);
    check(!explains(&model_fifo, &history));
}

static void a_task_from_nowhere_is_not_explained(void)
{
    struct history history = {0};
    struct history_open poll = history_begin(&history, 1, QUEUE_POLL, 0);
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    history_end(poll, 2);
    check(!explains(&model_fifo, &history));
}

static void a_stale_size_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 1, QUEUE_SIZE, 0, 0);
    check(!explains(&model_fifo, &history));
}

static void a_size_taken_during_an_offer_may_be_either(void)
{
    for (int size = 0; size <= 2; size++) {
        struct history history = {0};
        struct history_open offer = history_begin(&history, 0, QUEUE_OFFER, 1);
        record(&history, 1, QUEUE_SIZE, 0, size);
        history_end(offer, GP_OK);
        check_int(explains(&model_fifo, &history), size < 2);
    }
}

static void remove_takes_from_the_middle(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_OFFER, 2, GP_OK);
    record(&history, 0, QUEUE_OFFER, 3, GP_OK);
    record(&history, 1, QUEUE_REMOVE, 2, GP_OK);
    record(&history, 1, QUEUE_REMOVE, 2, GP_ENOTFOUND);
    record(&history, 1, QUEUE_PEEK, 0, 1);
    record(&history, 1, QUEUE_DRAIN, 0, model_list(model_list(0, 0, 1), 1, 3));
    record(&history, 1, QUEUE_DRAIN, 0, 0);
    record(&history, 1, QUEUE_PEEK, 0, GP_EEMPTY);
    check(explains(&model_fifo, &history));
}

static void a_drain_in_the_wrong_order_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_OFFER, 2, GP_OK);
    record(&history, 1, QUEUE_DRAIN, 0, model_list(model_list(0, 0, 2), 1, 1));
    check(!explains(&model_fifo, &history));
}

static void a_take_waits_for_a_task(void)
{
    struct history history = {0};
    struct history_open take = history_begin(&history, 0, QUEUE_TAKE, 0);
    record(&history, 1, QUEUE_OFFER, 1, GP_OK);
    history_end(take, 1);
    check(explains(&model_fifo, &history));
    record(&history, 0, QUEUE_TAKE, 0, 1);
    check(!explains(&model_fifo, &history));
}

static void a_take_gives_up_only_on_an_empty_queue(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_TAKE, 0, GP_ETIMEDOUT);
    check(explains(&model_fifo, &history));
    record(&history, 1, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_TAKE, 0, GP_EINTERRUPTED);
    record(&history, 0, QUEUE_TAKE, 0, GP_ENOMEM);
    check(explains(&model_fifo, &history));
    record(&history, 0, QUEUE_TAKE, 0, GP_ETIMEDOUT);
    check(!explains(&model_fifo, &history));
}

/* A bounded one. */

static void a_bounded_queue_is_full_when_it_is_full(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_REMAINING, 0, 2);
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_OFFER, 2, GP_OK);
    record(&history, 0, QUEUE_OFFER, 3, GP_EFULL);
    record(&history, 0, QUEUE_PUT, 3, GP_ETIMEDOUT);
    record(&history, 0, QUEUE_REMAINING, 0, 0);
    check_int(verdict_on(&model_fifo, 2, &history), LINEARIZABLE);
    check_int(verdict_on(&model_fifo, 3, &history), NOT_LINEARIZABLE);
    check_int(verdict_on(&model_fifo, 0, &history), NOT_LINEARIZABLE);
}

static void full_with_room_left_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_OFFER, 2, GP_EFULL);
    check_int(verdict_on(&model_fifo, 2, &history), NOT_LINEARIZABLE);
}

static void one_too_many_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_OFFER, 2, GP_OK);
    check_int(verdict_on(&model_fifo, 1, &history), NOT_LINEARIZABLE);
}

static void a_put_waits_for_room(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_PUT, 1, GP_OK);
    struct history_open put = history_begin(&history, 0, QUEUE_PUT, 2);
    record(&history, 1, QUEUE_TAKE, 0, 1);
    history_end(put, GP_OK);
    record(&history, 1, QUEUE_TAKE, 0, 2);
    check_int(verdict_on(&model_fifo, 1, &history), LINEARIZABLE);
}

static void a_put_that_returned_before_there_was_room_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_PUT, 1, GP_OK);
    record(&history, 0, QUEUE_PUT, 2, GP_OK);
    record(&history, 1, QUEUE_TAKE, 0, 1);
    record(&history, 1, QUEUE_TAKE, 0, 2);
    check_int(verdict_on(&model_fifo, 1, &history), NOT_LINEARIZABLE);
}

static void an_unbounded_queue_remains_unbounded(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, 1, GP_OK);
    record(&history, 0, QUEUE_REMAINING, 0, -1);
    check(explains(&model_fifo, &history));
}

/* Priority and time. */

static void the_least_rank_comes_first_and_equals_in_turn(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(2, 1), GP_OK);
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(1, 3), GP_OK);
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(1, 2), GP_OK);
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(1, 3));
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(1, 2));
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(2, 1));
    check(explains(&model_priority, &history));
    check(!explains(&model_delayed, &history));
    check(!explains(&model_fifo, &history));
}

static void the_earliest_comes_first_and_equals_by_sequence(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(2, 1), GP_OK);
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(1, 3), GP_OK);
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(1, 2), GP_OK);
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(1, 2));
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(1, 3));
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(2, 1));
    check(explains(&model_delayed, &history));
    check(!explains(&model_priority, &history));
}

static void a_later_task_may_come_out_before_the_earlier_one_is_in(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(2, 1), GP_OK);
    struct history_open offer = history_begin(&history, 0, QUEUE_OFFER, MODEL_TASK(1, 2));
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(2, 1));
    history_end(offer, GP_OK);
    check(explains(&model_delayed, &history));
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(1, 2));
    check(explains(&model_delayed, &history));
}

static void but_not_once_it_was_seen(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_OFFER, MODEL_TASK(2, 1), GP_OK);
    struct history_open offer = history_begin(&history, 0, QUEUE_OFFER, MODEL_TASK(1, 2));
    record(&history, 1, QUEUE_PEEK, 0, MODEL_TASK(1, 2));
    record(&history, 1, QUEUE_POLL, 0, MODEL_TASK(2, 1));
    history_end(offer, GP_OK);
    check(!explains(&model_delayed, &history));
    check(!explains(&model_priority, &history));
}

/* A hand-off. */

static void who_meets_hands_over(void)
{
    struct history history = {0};
    struct history_open put = history_begin(&history, 0, QUEUE_PUT, 1);
    struct history_open take = history_begin(&history, 1, QUEUE_TAKE, 0);
    history_end(put, GP_OK);
    struct history_open offer = history_begin(&history, 0, QUEUE_OFFER, 2);
    history_end(take, 1);
    record(&history, 1, QUEUE_POLL, 0, 2);
    history_end(offer, GP_OK);
    check(explains(&model_handoff, &history));
}

static void a_put_that_was_gone_before_the_take_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, QUEUE_PUT, 1, GP_OK);
    record(&history, 1, QUEUE_TAKE, 0, 1);
    check(!explains(&model_handoff, &history));
    check(explains(&model_fifo, &history));
}

static void nor_a_take_that_was_gone_before_the_put(void)
{
    struct history history = {0};
    record(&history, 1, QUEUE_TAKE, 0, 1);
    record(&history, 0, QUEUE_PUT, 1, GP_OK);
    check(!explains(&model_handoff, &history));
}

static void a_put_that_nobody_took_is_not_explained(void)
{
    struct history history = {0};
    struct history_open put = history_begin(&history, 0, QUEUE_PUT, 1);
    record(&history, 1, QUEUE_TAKE, 0, GP_ETIMEDOUT);
    history_end(put, GP_OK);
    check(!explains(&model_handoff, &history));
}

static void unless_the_taker_never_returned(void)
{
    struct history history = {0};
    history_begin(&history, 1, QUEUE_TAKE, 0);
    record(&history, 0, QUEUE_PUT, 1, GP_OK);
    check(explains(&model_handoff, &history));
    record(&history, 0, QUEUE_PUT, 2, GP_OK);
    check(!explains(&model_handoff, &history));
}

static void a_take_from_a_put_that_never_returned_is_explained(void)
{
    struct history history = {0};
    history_begin(&history, 0, QUEUE_PUT, 1);
    record(&history, 1, QUEUE_TAKE, 0, 1);
    check(explains(&model_handoff, &history));
    record(&history, 1, QUEUE_TAKE, 0, 1);
    check(!explains(&model_handoff, &history));
}

static void a_putter_that_says_it_gave_up_has_handed_over_nothing(void)
{
    struct history history = {0};
    struct history_open put = history_begin(&history, 0, QUEUE_PUT, 1);
    record(&history, 1, QUEUE_TAKE, 0, 1);
    history_end(put, GP_ETIMEDOUT);
    check(!explains(&model_handoff, &history));
}

/* Each put meets each take, but two cannot both have the first. */
static void two_takers_of_one_task_are_not_explained(void)
{
    struct history history = {0};
    struct history_open first = history_begin(&history, 0, QUEUE_TAKE, 0);
    struct history_open second = history_begin(&history, 1, QUEUE_TAKE, 0);
    record(&history, 2, QUEUE_PUT, 1, GP_OK);
    record(&history, 2, QUEUE_PUT, 2, GP_OK);
    history_end(first, 1);
    history_end(second, 1);
    check(!explains(&model_handoff, &history));
    history.lanes[1].calls[0].result = 2;
    check(explains(&model_handoff, &history));
}

static void a_hand_off_holds_nothing(void)
{
    struct history history = {0};
    history_begin(&history, 0, QUEUE_PUT, 1);
    record(&history, 1, QUEUE_SIZE, 0, 0);
    record(&history, 1, QUEUE_REMAINING, 0, 0);
    record(&history, 1, QUEUE_REMOVE, 1, GP_ENOTFOUND);
    record(&history, 1, QUEUE_PEEK, 0, GP_EEMPTY);
    record(&history, 1, QUEUE_POLL, 0, GP_EEMPTY);
    record(&history, 1, QUEUE_OFFER, 2, GP_EFULL);
    check(explains(&model_handoff, &history));
}

/* A future. */

static void the_first_to_complete_wins(void)
{
    struct history history = {0};
    record(&history, 0, FUTURE_IS_DONE, 0, false);
    record(&history, 0, FUTURE_GET, 0, GP_ETIMEDOUT);
    record(&history, 0, FUTURE_SET, 42, true);
    record(&history, 1, FUTURE_SET, 43, false);
    record(&history, 1, FUTURE_FAIL, 0, false);
    record(&history, 1, FUTURE_CANCEL, 0, false);
    record(&history, 1, FUTURE_GET, 0, 42);
    record(&history, 1, FUTURE_IS_DONE, 0, true);
    record(&history, 1, FUTURE_IS_CANCELLED, 0, false);
    check(explains(&model_future, &history));
}

static void a_result_before_any_set_was_made_is_not_explained(void)
{
    struct history history = {0};
    record(&history, 0, FUTURE_GET, 0, 42);
    record(&history, 1, FUTURE_SET, 42, true);
    check(!explains(&model_future, &history));
}

static void a_get_waits_for_the_result(void)
{
    struct history history = {0};
    struct history_open get = history_begin(&history, 0, FUTURE_GET, 0);
    record(&history, 1, FUTURE_IS_DONE, 0, false);
    record(&history, 1, FUTURE_SET, 42, true);
    history_end(get, 42);
    check(explains(&model_future, &history));
}

static void two_winners_are_not_explained(void)
{
    struct history history = {0};
    struct history_open set = history_begin(&history, 0, FUTURE_SET, 42);
    struct history_open cancel = history_begin(&history, 1, FUTURE_CANCEL, 0);
    history_end(set, true);
    history_end(cancel, true);
    check(!explains(&model_future, &history));
}

static void nor_is_a_race_that_nobody_wins(void)
{
    struct history history = {0};
    struct history_open set = history_begin(&history, 0, FUTURE_SET, 42);
    struct history_open cancel = history_begin(&history, 1, FUTURE_CANCEL, 0);
    history_end(set, false);
    history_end(cancel, false);
    check(!explains(&model_future, &history));
}

static void nor_a_result_that_the_loser_gave(void)
{
    struct history history = {0};
    struct history_open set = history_begin(&history, 0, FUTURE_SET, 42);
    struct history_open fail = history_begin(&history, 1, FUTURE_FAIL, 0);
    history_end(set, false);
    history_end(fail, true);
    record(&history, 2, FUTURE_GET, 0, 42);
    check(!explains(&model_future, &history));
    history.lanes[2].calls[0].result = GP_EFAILED;
    check(explains(&model_future, &history));
}

static void a_future_is_not_new_again(void)
{
    struct history history = {0};
    struct history_open cancel = history_begin(&history, 0, FUTURE_CANCEL, 0);
    record(&history, 1, FUTURE_IS_DONE, 0, true);
    record(&history, 1, FUTURE_IS_CANCELLED, 0, false);
    history_end(cancel, true);
    check(!explains(&model_future, &history));
}

static void a_get_gives_up_only_on_a_new_future(void)
{
    static const int reasons[] = {GP_ETIMEDOUT, GP_EINTERRUPTED};
    for (unsigned i = 0; i < 2; i++) {
        struct history history = {0};
        struct history_open set = history_begin(&history, 0, FUTURE_SET, 42);
        record(&history, 1, FUTURE_GET, 0, reasons[i]);
        history_end(set, true);
        check(explains(&model_future, &history));
        record(&history, 1, FUTURE_GET, 0, reasons[i]);
        check(!explains(&model_future, &history));
    }
}

static void a_run_completes_with_what_its_callable_gives(void)
{
    struct history history = {0};
    record(&history, 0, FUTURE_RUN_AND_RESET, 0, true);
    record(&history, 0, FUTURE_RUN, 42, true);
    record(&history, 0, FUTURE_RUN, 43, false);
    record(&history, 0, FUTURE_RUN_AND_RESET, 0, false);
    record(&history, 1, FUTURE_GET, 0, 42);
    check(explains(&model_future, &history));
    record(&history, 1, FUTURE_RUN, 42, true);
    check(!explains(&model_future, &history));
}

static void a_run_that_fails_completes_with_a_failure(void)
{
    struct history history = {0};
    record(&history, 0, FUTURE_RUN, -1, true);
    record(&history, 1, FUTURE_GET, 0, GP_EFAILED);
    check(explains(&model_future, &history));
    record(&history, 1, FUTURE_RUN_AND_RESET, 0, true);
    check(!explains(&model_future, &history));
}

static void a_set_that_never_returned_may_have_won(void)
{
    struct history history = {0};
    history_begin(&history, 0, FUTURE_SET, 42);
    history_begin(&history, 1, FUTURE_RUN, 43);
    record(&history, 2, FUTURE_IS_DONE, 0, false);
    check(explains(&model_future, &history));
    record(&history, 2, FUTURE_GET, 0, 43);
    check(explains(&model_future, &history));
    record(&history, 2, FUTURE_GET, 0, 42);
    check(!explains(&model_future, &history));
}

/* In words. */

static void check_words(const struct linear_model *model, unsigned operation, int64_t result,
                        const char *invocation, const char *response)
{
    struct history_call call = {.operation = (uint8_t)operation, .argument = 5, .result = result};
    struct linear_words words;
    model->describe(&call, &words);
    check_text(words.invocation, invocation);
    check_text(words.response, response);
}

static void calls_are_described(void)
{
    int64_t list = model_list(model_list(0, 0, 3), 1, 127);
    check_words(&model_fifo, QUEUE_OFFER, GP_EFULL, "offer 5", "full");
    check_words(&model_fifo, QUEUE_TAKE, 7, "take", "7");
    check_words(&model_fifo, QUEUE_TAKE, GP_EINTERRUPTED, "take", "interrupted");
    check_words(&model_fifo, QUEUE_REMAINING, -1, "remaining", "-1");
    check_words(&model_fifo, QUEUE_DRAIN, list, "drain", "3 127");
    check_words(&model_fifo, QUEUE_DRAIN, 0, "drain", "nothing");
    check_words(&model_handoff, QUEUE_REMOVE, GP_ENOTFOUND, "remove 5", "not found");
    check_words(&model_future, FUTURE_SET, true, "set 5", "true");
    check_words(&model_future, FUTURE_CANCEL, false, "cancel", "false");
    check_words(&model_future, FUTURE_GET, 0, "get", "0");
    check_words(&model_future, FUTURE_GET, GP_EFAILED, "get", "failed");
    check_words(&model_future, FUTURE_GET, GP_EDEADLK, "get", "an error");
}

static void a_list_of_any_length_fits(void)
{
    int64_t list = 0;
    for (unsigned i = 0; i < 100; i++)
        list = model_list(list, i, 127);
    check_words(&model_fifo, QUEUE_DRAIN, list, "drain", "127 127 127 127 127 127");
}

static void an_operation_that_a_model_does_not_know_is_not_explained(void)
{
    static const struct linear_model *const models[] = {&model_fifo, &model_handoff, &model_future};
    for (unsigned i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct history history = {0};
        record(&history, 0, 200, 0, 0);
        check(!explains(models[i], &history));
        struct linear_words words;
        models[i]->describe(&history.lanes[0].calls[0], &words);
        check(strncmp(words.invocation, "an unknown operation", 20) == 0);
    }
}

static const struct test tests[] = {
    TEST(what_goes_in_first_comes_out_first),
    TEST(taking_out_of_order_is_not_explained),
    TEST(nor_while_the_second_offer_is_under_way),
    TEST(a_task_taken_twice_is_not_explained),
    TEST(a_task_both_polled_and_removed_is_not_explained),
    TEST(a_lost_task_is_not_explained),
    TEST(a_task_from_nowhere_is_not_explained),
    TEST(a_stale_size_is_not_explained),
    TEST(a_size_taken_during_an_offer_may_be_either),
    TEST(remove_takes_from_the_middle),
    TEST(a_drain_in_the_wrong_order_is_not_explained),
    TEST(a_take_waits_for_a_task),
    TEST(a_take_gives_up_only_on_an_empty_queue),
    TEST(a_bounded_queue_is_full_when_it_is_full),
    TEST(full_with_room_left_is_not_explained),
    TEST(one_too_many_is_not_explained),
    TEST(a_put_waits_for_room),
    TEST(a_put_that_returned_before_there_was_room_is_not_explained),
    TEST(an_unbounded_queue_remains_unbounded),
    TEST(the_least_rank_comes_first_and_equals_in_turn),
    TEST(the_earliest_comes_first_and_equals_by_sequence),
    TEST(a_later_task_may_come_out_before_the_earlier_one_is_in),
    TEST(but_not_once_it_was_seen),
    TEST(who_meets_hands_over),
    TEST(a_put_that_was_gone_before_the_take_is_not_explained),
    TEST(nor_a_take_that_was_gone_before_the_put),
    TEST(a_put_that_nobody_took_is_not_explained),
    TEST(unless_the_taker_never_returned),
    TEST(a_take_from_a_put_that_never_returned_is_explained),
    TEST(a_putter_that_says_it_gave_up_has_handed_over_nothing),
    TEST(two_takers_of_one_task_are_not_explained),
    TEST(a_hand_off_holds_nothing),
    TEST(the_first_to_complete_wins),
    TEST(a_result_before_any_set_was_made_is_not_explained),
    TEST(a_get_waits_for_the_result),
    TEST(two_winners_are_not_explained),
    TEST(nor_is_a_race_that_nobody_wins),
    TEST(nor_a_result_that_the_loser_gave),
    TEST(a_future_is_not_new_again),
    TEST(a_get_gives_up_only_on_a_new_future),
    TEST(a_run_completes_with_what_its_callable_gives),
    TEST(a_run_that_fails_completes_with_a_failure),
    TEST(a_set_that_never_returned_may_have_won),
    TEST(calls_are_described),
    TEST(a_list_of_any_length_fits),
    TEST(an_operation_that_a_model_does_not_know_is_not_explained),
    END_OF_TESTS,
};

const struct suite models_suite = {.name = "models", .tests = tests};
