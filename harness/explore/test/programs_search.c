/*
 * Programs as small as they can be, one for each thing that threads can do to each other; here
 * atomics and locks, and those that papers count executions of. Each leaves in its outcome what
 * its threads saw, so that two strategies can be compared by the set of outcomes that they find.
 */
#include "harness/explore/test/programs_search.h"

#include <assert.h>
#include <unistd.h>

/* ---- atomics ---- */

static void independent(void)
{
    RUN(store_own, store_own, store_own);
    leave(common.own[0] + common.own[1] + common.own[2]);
}

static void two_writes(void)
{
    RUN(store_name, store_name);
    leave(common.x);
}

static void three_writes(void)
{
    RUN(store_name, store_name, store_name);
    leave(common.x);
}

static void *store_x_load_y(void *argument)
{
    common.x = 1;
    common.seen[as_number(argument)] = common.y;
    return NULL;
}

static void store_buffering(void)
{
    RUN(store_x_load_y, store_y_load_x);
    leave(what_was_seen(2));
}

static void *publish(void *argument)
{
    (void)argument;
    common.x = 5;
    common.y = 1;
    return NULL;
}

static void *look_twice(void *argument)
{
    unsigned flag = common.y;

    common.seen[as_number(argument)] = flag * 2 + common.x;
    return NULL;
}

static void message_passing(void)
{
    RUN(publish, look_twice);
    leave(what_was_seen(2));
}

static void *increment_badly(void *argument)
{
    unsigned value = common.x;

    (void)argument;
    common.x = value + 1;
    return NULL;
}

static void lost_update(void)
{
    RUN(increment_badly, increment_badly);
    leave(common.x);
}

static void *add_one(void *argument)
{
    common.seen[as_number(argument)] = atomic_fetch_add(&common.x, 1);
    return NULL;
}

static void additions(void)
{
    RUN(add_one, add_one, add_one);
    leave(what_was_seen(3));
}

static void *claim(void *argument)
{
    unsigned nobody = 0;

    common.seen[as_number(argument)] =
        atomic_compare_exchange_strong(&common.x, &nobody, as_number(argument) + 1) ? 9 : nobody;
    return NULL;
}

static void claims(void)
{
    RUN(claim, claim, claim);
    leave(what_was_seen(3));
}

static void *increment_weakly(void *argument)
{
    unsigned value = atomic_load(&common.x), tries = 1;

    while (!atomic_compare_exchange_weak(&common.x, &value, value + 1))
        tries++;
    common.seen[as_number(argument)] = tries;
    return NULL;
}

static void weak_increments(void)
{
    RUN(increment_weakly, increment_weakly);
    leave(what_was_seen(2) * 10 + common.x);
}

static void *exchange_nothing(void *argument)
{
    common.seen[as_number(argument)] = atomic_exchange(&common.x, 0);
    return NULL;
}

static void exchanges(void)
{
    RUN(exchange_nothing, store_name, exchange_nothing);
    leave(what_was_seen(3));
}

/* ---- locks ---- */

static void two_locks(void)
{
    RUN(append_name, append_name);
    leave(common.tape);
}

static void three_locks(void)
{
    RUN(append_name, append_name, append_name);
    leave(common.tape);
}

static void *take_both(void *argument)
{
    bool forwards = as_number(argument) == 0;

    pthread_mutex_lock(forwards ? &common.lock : &common.other_lock);
    pthread_mutex_lock(forwards ? &common.other_lock : &common.lock);
    append(as_number(argument) + 1);
    pthread_mutex_unlock(&common.lock);
    pthread_mutex_unlock(&common.other_lock);
    return NULL;
}

static void embrace(void)
{
    RUN(take_both, take_both);
    leave(common.tape);
}

static void *try_lock(void *argument)
{
    int error = pthread_mutex_trylock(&common.lock);

    common.seen[as_number(argument)] = error == 0 ? 1 : 2;
    if (error == 0)
        pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void trying(void)
{
    RUN(append_name, try_lock, try_lock);
    leave(what_was_seen(3));
}

static void *sleep_with_lock(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&common.lock);
    usleep(10);
    pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void *lock_in_time(void *argument)
{
    struct timespec until = in_nanoseconds(5000);
    int error = pthread_mutex_timedlock(&common.lock, &until);

    common.seen[as_number(argument)] = error == 0 ? 1 : 2;
    if (error == 0)
        pthread_mutex_unlock(&common.lock);
    return NULL;
}

static void timed_lock(void)
{
    RUN(sleep_with_lock, lock_in_time);
    leave(what_was_seen(2));
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned guarded;

static void *read_guarded(void *argument)
{
    pthread_rwlock_rdlock(&rwlock);
    common.seen[as_number(argument)] = guarded;
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void *write_guarded(void *argument)
{
    (void)argument;
    pthread_rwlock_wrlock(&rwlock);
    guarded++;
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void readers_and_writer(void)
{
    RUN(read_guarded, write_guarded, read_guarded);
    leave(what_was_seen(3));
}

static void *try_to_write(void *argument)
{
    int error = pthread_rwlock_trywrlock(&rwlock);

    common.seen[as_number(argument)] = error == 0 ? 1 : 2;
    if (error == 0)
        pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void reader_and_trier(void)
{
    RUN(read_guarded, try_to_write, read_guarded);
    leave(what_was_seen(3));
}

static pthread_spinlock_t spin;

static void *append_spinning(void *argument)
{
    pthread_spin_lock(&spin);
    append(as_number(argument) + 1);
    pthread_spin_unlock(&spin);
    return NULL;
}

static void *try_spinning(void *argument)
{
    int error = pthread_spin_trylock(&spin);

    common.seen[as_number(argument)] = error == 0 ? 1 : 2;
    if (error == 0)
        pthread_spin_unlock(&spin);
    return NULL;
}

static void spin_locks(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    RUN(append_spinning, append_spinning, try_spinning);
    leave(what_was_seen(3));
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void first_of_all(void)
{
    append(1);
    common.x = 1;
}

static void *do_once(void *argument)
{
    common.seen[as_number(argument)] = common.x;
    pthread_once(&once, first_of_all);
    return NULL;
}

static void once_only(void)
{
    RUN(do_once, do_once);
    leave(what_was_seen(2));
}

/* ---- as in the papers ---- */

enum {
    LAST_ZERO = 5
};

static _Atomic unsigned zeros[LAST_ZERO + 1];

static void *find_last_zero(void *argument)
{
    unsigned i = LAST_ZERO;

    (void)argument;
    while (zeros[i] != 0)
        i--;
    common.seen[0] = i;
    return NULL;
}

static void *raise_one(void *argument)
{
    unsigned i = as_number(argument);

    zeros[i] = zeros[i - 1] + 1;
    return NULL;
}

static void last_zero(void)
{
    begin(0, find_last_zero);
    for (unsigned i = 1; i <= LAST_ZERO; i++)
        begin(i, raise_one);
    wait_for(LAST_ZERO + 1);
    leave(common.seen[0]);
}

enum {
    INDEXERS = 12,
    INDEX_SIZE = 128,
    INDEXED = 4
};

static _Atomic unsigned indexed[INDEX_SIZE];

static void *index_messages(void *argument)
{
    for (unsigned message = 1; message <= INDEXED; message++) {
        unsigned word = message * 11 + as_number(argument), place = word * 7 % INDEX_SIZE;
        for (unsigned nothing = 0; !atomic_compare_exchange_strong(&indexed[place], &nothing, word);
             nothing = 0)
            place = (place + 1) % INDEX_SIZE;
    }
    return NULL;
}

static void indexer(void)
{
    for (unsigned i = 0; i < INDEXERS; i++)
        begin(i, index_messages);
    wait_for(INDEXERS);
    leave(1);
}

/* ---- with a bug ---- */

static void *use(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 4; i++)
        common.y++;
    assert(common.x == 0);
    return NULL;
}

static void *spoil(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 4; i++)
        common.z++;
    common.x = 1;
    for (unsigned i = 0; i < 4; i++)
        common.z++;
    common.x = 0;
    return NULL;
}

void program_depth_two_bug(void)
{
    RUN(use, spoil);
    leave(1);
}

const struct search_program search_programs_on_data[] = {
    {PROGRAM(independent), .orders = 1},
    {PROGRAM(two_writes), .orders = 2},
    {PROGRAM(three_writes), .orders = 6},
    {PROGRAM(store_buffering), .orders = 3},
    {PROGRAM(message_passing), .orders = 3},
    {PROGRAM(lost_update), .orders = 4},
    {PROGRAM(additions), .orders = 6},
    {PROGRAM(claims)},
    {PROGRAM(weak_increments), .faults.weak_cas = 1},
    {PROGRAM(exchanges)},
    {PROGRAM(two_locks), .orders = 2},
    {PROGRAM(three_locks), .orders = 6},
    {PROGRAM(embrace), .orders = 3},
    {PROGRAM(trying)},
    {PROGRAM(timed_lock)},
    {PROGRAM(readers_and_writer)},
    {PROGRAM(reader_and_trier)},
    {PROGRAM(spin_locks)},
    {PROGRAM(once_only)},
    {PROGRAM(last_zero), .orders = 64, .too_large = true},
    {PROGRAM(indexer), .orders = 8, .too_large = true},
    {.name = NULL},
};
