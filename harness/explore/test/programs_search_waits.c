/* More of them: whatever waits. */
#include "harness/explore/test/programs_search.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- conditions ---- */

static void *await_ready(void *argument)
{
    unsigned rounds = 0;

    pthread_mutex_lock(&common.lock);
    while (!common.ready) {
        rounds++;
        pthread_cond_wait(&common.cond, &common.lock);
    }
    append(as_number(argument) + 1);
    pthread_mutex_unlock(&common.lock);
    common.seen[as_number(argument)] = rounds;
    return NULL;
}

static void *signal_ready(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&common.lock);
    common.ready = 1;
    pthread_cond_signal(&common.cond);
    pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void *broadcast_ready(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&common.lock);
    common.ready = 1;
    pthread_mutex_unlock(&common.lock);
    pthread_cond_broadcast(&common.cond);
    return NULL;
}

static void one_waits(void)
{
    RUN(await_ready, signal_ready);
    leave(what_was_seen(2));
}

static void two_wait(void)
{
    RUN(await_ready, await_ready, broadcast_ready);
    leave(what_was_seen(3));
}

/* One signal for two: one of them waits for ever, unless it came late. */
static void one_signal_for_two(void)
{
    RUN(await_ready, await_ready, signal_ready);
    leave(what_was_seen(3));
}

static void *wait_once(void *argument)
{
    pthread_mutex_lock(&common.lock);
    pthread_cond_wait(&common.cond, &common.lock);
    common.seen[as_number(argument)] = common.ready + 1;
    pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void *signal_only(void *argument)
{
    (void)argument;
    pthread_cond_signal(&common.cond);
    common.x = 1;
    return NULL;
}

static void *broadcast_only(void *argument)
{
    (void)argument;
    pthread_cond_broadcast(&common.cond);
    return NULL;
}

static void lost_broadcast(void)
{
    RUN(wait_once, broadcast_only);
    leave(what_was_seen(2));
}

static void lost_signal(void)
{
    RUN(wait_once, signal_only);
    leave(what_was_seen(2));
}

/* Only a wake-up for no reason can end the wait, and only while there is something else to do. */
static void never_signalled(void)
{
    RUN(wait_once, store_own, store_own);
    leave(what_was_seen(1));
}

static void *wait_in_time(void *argument)
{
    int error = 0;
    struct timespec until = in_nanoseconds(1000);

    pthread_mutex_lock(&common.lock);
    while (!common.ready && error == 0)
        error = pthread_cond_timedwait(&common.cond, &common.lock, &until);
    common.seen[as_number(argument)] = error == 0 ? 1 + common.ready : 4 + common.ready;
    pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void timed_wait(void)
{
    RUN(wait_in_time, signal_ready);
    leave(what_was_seen(2));
}

static void *wait_longer(void *argument)
{
    struct timespec until = in_nanoseconds(3000);

    pthread_mutex_lock(&common.lock);
    int error = common.ready ? 0 : pthread_cond_timedwait(&common.cond, &common.lock, &until);
    common.seen[as_number(argument)] = error == 0 ? 1 + common.ready : 4 + common.ready;
    common.ready = 1;
    pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void two_deadlines(void)
{
    RUN(wait_in_time, wait_longer);
    leave(what_was_seen(2));
}

/* ---- time ---- */

static void *sleep_a_little(void *argument)
{
    usleep(10 + as_number(argument));
    append_locked(as_number(argument) + 1);
    return NULL;
}

static void two_sleepers(void)
{
    RUN(sleep_a_little, sleep_a_little);
    leave(common.tape);
}

static struct timespec beginning;

static unsigned micros_since_beginning(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (unsigned)((now.tv_nsec - beginning.tv_nsec) / 1000);
}

static void *look_at_clock(void *argument)
{
    unsigned first = micros_since_beginning();

    common.seen[as_number(argument)] = first * 100 + micros_since_beginning();
    return NULL;
}

static void sleeper_and_clock(void)
{
    beginning = in_nanoseconds(0);
    RUN(sleep_a_little, look_at_clock);
    leave(what_was_seen(2));
}

/* An hour is more than the machine lets anybody wait who could go on. */
static void *sleep_long(void *argument)
{
    sleep(3600);
    append_locked(as_number(argument) + 1);
    return NULL;
}

static void long_and_short(void)
{
    RUN(sleep_long, sleep_a_little, append_name);
    leave(common.tape);
}

/* Together longer than the machine lets anybody wait who could go on. */
static void *sleep_half_a_second(void *argument)
{
    usleep(600000);
    append_locked(as_number(argument) + 1);
    usleep(600000);
    return NULL;
}

static void slack_runs_out(void)
{
    RUN(sleep_half_a_second, append_name);
    leave(common.tape);
}

/* Whoever steps at 0.6 s can be overtaken at 1.2 s; whoever did not has been held back for too long
   by then. So a step that nobody looks at lets the clock go on. */
static void *sleep_twice_and_load_x(void *argument)
{
    usleep(600000);
    usleep(600000);
    common.seen[as_number(argument)] = common.x + 1;
    return NULL;
}

static void *store_own_and_x(void *argument)
{
    common.own[as_number(argument)] = 1;
    common.x = 1;
    return NULL;
}

static void slack_is_renewed(void)
{
    RUN(sleep_twice_and_load_x, store_own_and_x);
    leave(what_was_seen(1));
}

/* When it wakes up depends on when it began to sleep. */
static void *sleep_long_and_look(void *argument)
{
    sleep(3600);
    common.seen[as_number(argument)] = micros_since_beginning() + 1;
    return NULL;
}

static void beginning_of_a_long_sleep(void)
{
    beginning = in_nanoseconds(0);
    RUN(sleep_long_and_look, sleep_a_little);
    leave(what_was_seen(1));
}

/* ---- semaphores and barriers ---- */

static void *take_permit(void *argument)
{
    sem_wait(&common.semaphore);
    common.seen[as_number(argument)] = common.x;
    sem_post(&common.semaphore);
    return NULL;
}

static void *post_once(void *argument)
{
    (void)argument;
    common.x = 1;
    sem_post(&common.semaphore);
    return NULL;
}

static void permits(void)
{
    sem_init(&common.semaphore, 0, 0);
    RUN(take_permit, take_permit, post_once);
    leave(what_was_seen(3));
}

static void *try_permit(void *argument)
{
    common.seen[as_number(argument)] = sem_trywait(&common.semaphore) == 0 ? 1 : 2;
    return NULL;
}

static void tried_permits(void)
{
    sem_init(&common.semaphore, 0, 1);
    RUN(try_permit, try_permit, post_once);
    leave(what_was_seen(3));
}

static void *permit_in_time(void *argument)
{
    struct timespec until = in_nanoseconds(1000);

    common.seen[as_number(argument)] = sem_timedwait(&common.semaphore, &until) == 0 ? 1 : 2;
    return NULL;
}

static void timed_permit(void)
{
    sem_init(&common.semaphore, 0, 0);
    RUN(permit_in_time, post_once);
    leave(what_was_seen(2));
}

static pthread_barrier_t barrier;

static void *meet(void *argument)
{
    common.x++;
    common.seen[as_number(argument)] =
        pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD ? 5 + common.x : common.x;
    return NULL;
}

static void meeting(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    RUN(meet, meet);
    leave(what_was_seen(2));
}

/* Two of three meet, the third is left alone. */
static void *meet_only(void *argument)
{
    pthread_barrier_wait(&barrier);
    append_locked(as_number(argument) + 1);
    return NULL;
}

static void uneven_meeting(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    begin(0, meet_only);
    begin(1, meet_only);
    begin(2, meet_only);
    pthread_join(common.threads[0], NULL);
    leave(7);
    pthread_join(common.threads[1], NULL);
    leave(common.tape);
}

/* ---- threads ---- */

static void *create_one(void *argument)
{
    (void)argument;
    begin(2, store_name);
    common.seen[0] = common.x;
    pthread_join(common.threads[2], NULL);
    return NULL;
}

static void nested_threads(void)
{
    RUN(create_one, store_name);
    leave(what_was_seen(1) * 10 + common.x);
}

static void try_join(void)
{
    begin(0, store_name);
    int error = pthread_tryjoin_np(common.threads[0], NULL);
    leave((uint64_t)(error == 0 ? 10 : 20) + common.x);
    if (error != 0)
        pthread_join(common.threads[0], NULL);
}

/* What the others have not done when main returns, they never do. */
static void *store_late(void *argument)
{
    (void)argument;
    common.y = 1;
    common.x = 1;
    return NULL;
}

static void abandoned(void)
{
    begin(0, store_late);
    common.z = 1;
    leave(common.x);
}

static void *may_be_cancelled(void *argument)
{
    (void)argument;
    pthread_testcancel();
    common.y = 1;
    pthread_testcancel();
    common.x = 1;
    return NULL;
}

static void cancelled(void)
{
    void *result;

    begin(0, may_be_cancelled);
    pthread_cancel(common.threads[0]);
    pthread_join(common.threads[0], &result);
    leave((uint64_t)(result == PTHREAD_CANCELED ? 10 : 20) + common.x * 2 + common.y);
}

static void cancelled_in_wait(void)
{
    void *result;

    begin(0, permit_in_time);
    pthread_cancel(common.threads[0]);
    pthread_join(common.threads[0], &result);
    leave((uint64_t)(result == PTHREAD_CANCELED ? 10 : 20) + common.seen[0]);
}

static void refused_thread(void)
{
    unsigned created = 0;

    for (unsigned i = 0; i < 2; i++)
        if (pthread_create(&common.threads[created], NULL, store_name, as_argument(i)) == 0)
            created++;
    wait_for(created);
    leave(created * 10 + common.x);
}

static void *allocate(void *argument)
{
    void *memory = malloc(16);

    common.x = as_number(argument) + 1;
    common.seen[as_number(argument)] = memory ? 1 : 2;
    free(memory);
    return NULL;
}

static void refused_memory(void)
{
    RUN(allocate, allocate);
    leave(what_was_seen(2) * 10 + common.x);
}

/* ---- spinning ---- */

static void *spin_until_x(void *argument)
{
    (void)argument;
    while (common.x == 0)
        sched_yield();
    return NULL;
}

static void spinning(void)
{
    RUN(spin_until_x, store_name);
    leave(common.x);
}

static void *spin_and_count(void *argument)
{
    unsigned rounds = 0;

    for (; common.x == 0; rounds++)
        sched_yield();
    common.seen[as_number(argument)] = rounds;
    return NULL;
}

static void *store_thrice(void *argument)
{
    (void)argument;
    common.y = 1;
    common.y = 2;
    common.x = 1;
    return NULL;
}

static void counted_spins(void)
{
    RUN(spin_and_count, store_thrice);
    leave(what_was_seen(2));
}

/* What it has looked at when it yields in the second spin is more than can be watched. */
static void *spin_and_spin(void *argument)
{
    (void)argument;
    while (common.x == 0)
        sched_yield();
    (void)(common.z + common.own[2] + common.own[3]);
    while (common.y == 0)
        sched_yield();
    return NULL;
}

static void *store_x_own_y(void *argument)
{
    common.x = 1;
    common.own[as_number(argument)] = 1;
    common.own[as_number(argument)] = 2;
    common.y = 1;
    return NULL;
}

static void one_spin_after_another(void)
{
    RUN(spin_and_spin, store_x_own_y);
    leave(common.x);
}

/* It gives up after some rounds: what it does then is seen only if it is impatient. */
static void *spin_in_vain(void *argument)
{
    unsigned rounds = 0;

    while (common.x == 0 && rounds < 5) {
        sched_yield();
        rounds++;
    }
    common.seen[as_number(argument)] = common.x == 0 ? 2 : 1;
    return NULL;
}

static void bounded_spin(void)
{
    RUN(spin_in_vain, store_name);
    leave(what_was_seen(1));
}

static void *yield_between(void *argument)
{
    sched_yield();
    common.x = as_number(argument) + 1;
    sched_yield();
    common.seen[as_number(argument)] = common.y;
    return NULL;
}

static void giving_way(void)
{
    RUN(yield_between, store_y_load_x);
    leave(what_was_seen(2));
}

const struct search_program search_programs_that_wait[] = {
    {PROGRAM(one_waits), .faults.spurious = 1},
    {PROGRAM(two_wait)},
    {PROGRAM(one_signal_for_two), .faults.spurious = 1},
    {PROGRAM(lost_signal)},
    {PROGRAM(lost_signal), .faults.spurious = 1},
    {PROGRAM(lost_broadcast)},
    {PROGRAM(never_signalled), .faults.spurious = 1},
    {PROGRAM(timed_wait), .faults.spurious = 1},
    {PROGRAM(two_deadlines)},
    {PROGRAM(two_deadlines), .faults.spurious = 1},
    {PROGRAM(two_sleepers)},
    {PROGRAM(sleeper_and_clock)},
    {PROGRAM(long_and_short)},
    {PROGRAM(slack_runs_out)},
    {PROGRAM(slack_is_renewed)},
    {PROGRAM(beginning_of_a_long_sleep)},
    {PROGRAM(permits)},
    {PROGRAM(tried_permits)},
    {PROGRAM(timed_permit)},
    {PROGRAM(meeting)},
    {PROGRAM(uneven_meeting)},
    {PROGRAM(nested_threads)},
    {PROGRAM(try_join)},
    {PROGRAM(abandoned)},
    {PROGRAM(cancelled)},
    {PROGRAM(cancelled_in_wait)},
    {PROGRAM(refused_thread), .faults.no_thread = 1},
    {PROGRAM(refused_memory), .faults.no_memory = 1},
    {PROGRAM(spinning)},
    {PROGRAM(counted_spins), .counts_spins = true},
    {PROGRAM(one_spin_after_another), .orders = 9, .uncut = true},
    {PROGRAM(bounded_spin), .counts_spins = true},
    {PROGRAM(bounded_spin), .faults.spins = 1, .counts_spins = true},
    {PROGRAM(giving_way)},
    {.name = NULL},
};
