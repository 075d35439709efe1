/*
 * Conditions, inside the library: waiters in a line, and no signal lost to one who has given up.
 */
#include <pthread.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>
#include <glasspool/thread.h>

#include "sync/clock.h"
#include "sync/condition.h"

#include "fault.h"
#include "suite.h"
#include "support.h"

struct place { /* a condition, its mutex, and what those who waited there have noted */
    pthread_mutex_t mutex;
    struct gp__condition condition;
    int arrived;
    int left;
};

struct waiter {
    struct helper helper;
    struct place *place;
    int64_t deadline;
    int status;
    int rank; /* the how manieth it was to leave */
    bool flag_after;
};

static struct place new_place(void)
{
    return (struct place){.mutex = PTHREAD_MUTEX_INITIALIZER};
}

static void wait_and_note(void *argument)
{
    struct waiter *waiter = argument;
    pthread_mutex_lock(&waiter->place->mutex);
    waiter->place->arrived++;
    waiter->status =
        gp__condition_wait(&waiter->place->condition, &waiter->place->mutex, waiter->deadline);
    waiter->rank = ++waiter->place->left;
    pthread_mutex_unlock(&waiter->place->mutex);
    waiter->flag_after = gp_interrupted();
}

struct arrival {
    struct place *place;
    int count;
};

static bool has_arrived(void *argument)
{
    const struct arrival *arrival = argument;
    pthread_mutex_lock(&arrival->place->mutex);
    bool arrived = arrival->place->arrived == arrival->count;
    pthread_mutex_unlock(&arrival->place->mutex);
    return arrived;
}

/* Starts it and returns when it is the `position`th that has come. */
static void waiter_start(struct waiter *waiter, struct place *place, int64_t deadline, int position)
{
    *waiter = (struct waiter){.place = place, .deadline = deadline};
    helper_start(&waiter->helper, wait_and_note, waiter);
    check(eventually(has_arrived, &(struct arrival){place, position}));
}

static void signal_place(struct place *place)
{
    pthread_mutex_lock(&place->mutex);
    gp__condition_signal(&place->condition);
    pthread_mutex_unlock(&place->mutex);
}

static bool has_waiters(struct place *place)
{
    pthread_mutex_lock(&place->mutex);
    bool has = place->condition.first != NULL;
    pthread_mutex_unlock(&place->mutex);
    return has;
}

enum {
    CROWD = 5
};

static void signals_wake_one_at_a_time_in_order_of_arrival(void)
{
    struct place place = new_place();
    struct waiter waiters[CROWD];
    for (int i = 0; i < CROWD; i++)
        waiter_start(&waiters[i], &place, GP__NO_DEADLINE, i + 1);
    for (int i = 0; i < CROWD; i++) {
        check(has_waiters(&place));
        signal_place(&place);
        helper_join(&waiters[i].helper);
        check_status(waiters[i].status, GP_OK);
        check_int(waiters[i].rank, i + 1);
    }
    check(!has_waiters(&place));
}

static void a_signal_to_all_wakes_all(void)
{
    struct place place = new_place();
    struct waiter waiters[CROWD];
    for (int i = 0; i < CROWD; i++)
        waiter_start(&waiters[i], &place, GP__NO_DEADLINE, i + 1);
    pthread_mutex_lock(&place.mutex);
    gp__condition_signal_all(&place.condition);
    check(place.condition.first == NULL);
    pthread_mutex_unlock(&place.mutex);
    for (int i = 0; i < CROWD; i++) {
        helper_join(&waiters[i].helper);
        check_status(waiters[i].status, GP_OK);
    }
}

static void a_signal_that_finds_nobody_is_not_remembered(void)
{
    struct place place = new_place();
    signal_place(&place);
    pthread_mutex_lock(&place.mutex);
    check_status(gp__condition_wait(&place.condition, &place.mutex, gp__deadline(1)), GP_ETIMEDOUT);
    pthread_mutex_unlock(&place.mutex);
    check(!has_waiters(&place));
}

static void a_wait_times_out_but_never_early(void)
{
    struct place place = new_place();
    int64_t deadline = gp__deadline(GP_MILLISECONDS(10));
    pthread_mutex_lock(&place.mutex);
    check_status(gp__condition_wait(&place.condition, &place.mutex, deadline), GP_ETIMEDOUT);
    pthread_mutex_unlock(&place.mutex);
    check(gp__passed(deadline, gp_now()));
}

static void one_who_gives_up_leaves_the_others_in_line(void)
{
    for (int victim = 0; victim < 3; victim++) { /* the first, the middle, the last */
        struct place place = new_place();
        struct waiter waiters[3];
        for (int i = 0; i < 3; i++)
            waiter_start(&waiters[i], &place, GP__NO_DEADLINE, i + 1);
        helper_interrupt(&waiters[victim].helper);
        helper_join(&waiters[victim].helper);
        check_status(waiters[victim].status, GP_EINTERRUPTED);
        check(!waiters[victim].flag_after);
        for (int i = 0; i < 3; i++) {
            if (i == victim)
                continue;
            signal_place(&place);
            helper_join(&waiters[i].helper);
            check_status(waiters[i].status, GP_OK);
        }
        check(!has_waiters(&place));
    }
}

static void an_interrupt_before_the_wait_ends_it_at_once(void)
{
    struct place place = new_place();
    gp_thread_interrupt(gp_thread_self());
    pthread_mutex_lock(&place.mutex);
    check_status(gp__condition_wait(&place.condition, &place.mutex, GP__NO_DEADLINE),
                 GP_EINTERRUPTED);
    pthread_mutex_unlock(&place.mutex);
    check(!gp_interrupted());
    check(!has_waiters(&place));
}

/* [CONDITION-2]: both happen while the waiter cannot get the mutex back. */
static void a_signal_wins_over_an_interrupt_whose_flag_stays_up(void)
{
    struct place place = new_place();
    struct waiter waiter;
    waiter_start(&waiter, &place, GP__NO_DEADLINE, 1);
    pthread_mutex_lock(&place.mutex);
    helper_interrupt(&waiter.helper);
    gp__condition_signal(&place.condition);
    pthread_mutex_unlock(&place.mutex);
    helper_join(&waiter.helper);
    check_status(waiter.status, GP_OK);
    check(waiter.flag_after);
}

static void a_signal_wins_over_the_deadline(void)
{
    struct place place = new_place();
    struct waiter waiter;
    int64_t deadline = gp__deadline(GP_MILLISECONDS(50));
    waiter_start(&waiter, &place, deadline, 1);
    pthread_mutex_lock(&place.mutex);
    bool in_line = place.condition.first != NULL;
    gp_sleep(gp_time_until(deadline, gp_now()) + GP_MILLISECONDS(1));
    gp__condition_signal(&place.condition);
    pthread_mutex_unlock(&place.mutex);
    helper_join(&waiter.helper);
    check_status(waiter.status, in_line ? GP_OK : GP_ETIMEDOUT);
}

/* Signals that race with waiters who give up: each signal reaches somebody who then says so. */
static void no_signal_is_lost_to_one_who_gives_up(void)
{
    for (unsigned round = 0; round < scaled(200); round++) {
        struct place place = new_place();
        struct waiter quitter;
        struct waiter stayer;
        waiter_start(&quitter, &place, GP__NO_DEADLINE, 1);
        waiter_start(&stayer, &place, GP__NO_DEADLINE, 2);
        helper_interrupt(&quitter.helper);
        signal_place(&place);
        helper_join(&quitter.helper);
        if (quitter.status == GP_OK) { /* the signal was for the quitter: one more */
            check(quitter.flag_after);
            signal_place(&place);
        }
        helper_join(&stayer.helper);
        check_status(stayer.status, GP_OK);
    }
}

static void wait_without_memory(void *argument)
{
    struct waiter *waiter = argument;
    fault_arm(FAULT_ANY, FAULT_EVERY, FAULT_THIS_THREAD);
    wait_and_note(waiter);
    fault_disarm();
}

static void a_thread_that_cannot_get_a_record_cannot_wait(void)
{
    struct place place = new_place();
    struct waiter waiter = {.place = &place, .deadline = GP__NO_DEADLINE};
    helper_start_bare(&waiter.helper, wait_without_memory, &waiter);
    helper_join(&waiter.helper);
    check_status(waiter.status, GP_ENOMEM);
    check(!has_waiters(&place));
}

static const struct test tests[] = {
    TEST(signals_wake_one_at_a_time_in_order_of_arrival),
    TEST(a_signal_to_all_wakes_all),
    TEST(a_signal_that_finds_nobody_is_not_remembered),
    TEST(a_wait_times_out_but_never_early),
    TEST(one_who_gives_up_leaves_the_others_in_line),
    TEST(an_interrupt_before_the_wait_ends_it_at_once),
    TEST(a_signal_wins_over_an_interrupt_whose_flag_stays_up),
    TEST(a_signal_wins_over_the_deadline),
    TEST(no_signal_is_lost_to_one_who_gives_up),
    TEST(a_thread_that_cannot_get_a_record_cannot_wait),
    END_OF_TESTS,
};

const struct suite condition_suite = {.name = "condition", .tests = tests};
