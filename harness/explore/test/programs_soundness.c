/*
 * Programs of which a search once said that it had seen everything, and had not; or in which it saw
 * a race that there is not. test_soundness.c says what must be found.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

static int shared;
static atomic_int flag, other;

#define RELAXED memory_order_relaxed
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire

#define STORE(place, value, order) atomic_store_explicit(&(place), value, order)
#define LOAD(place, order)         atomic_load_explicit(&(place), order)

static void start_detached(role_fn *role)
{
    pthread_detach(start(role, NULL));
}

/* ---- the end of the program ---- */

ROLE(fail, assert(shared))

void program_returns_before_its_thread_asserts(void)
{
    start(fail, NULL);
}

void program_exits_before_its_thread(void)
{
    start(fail, NULL);
    exit(0);
}

/* ---- a thread that takes the place of another ---- */

ROLE(write_shared, shared = 1)
ROLE(read_shared, observed[0] = shared)

void program_reads_what_a_detached_thread_wrote(void)
{
    start_detached(write_shared);
    sleep(3);
    pthread_join(start(read_shared, NULL), NULL);
}

ROLE(join_writer, pthread_join(start(write_shared, NULL), NULL); STORE(flag, 1, RELAXED))
ROLE(create_reader, if (LOAD(flag, RELAXED)) pthread_join(start(read_shared, NULL), NULL))

void program_creates_after_anothers_join(void)
{
    run_both(join_writer, create_reader);
}

/* ---- time ---- */

void program_waits_longer_than_the_slack(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_mutex_lock(&mutex);
    assert(pthread_cond_timedwait(&cond, &mutex, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

static int64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The deadline may be over before it locks; then it forgets to unlock. */
void program_locks_after_its_deadline(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int64_t until = milliseconds() + 1;

    pthread_mutex_lock(&mutex);
    if (until - milliseconds() > 0)
        pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

/* ---- addresses ---- */

static pthread_mutex_t *allocated[2];

static void *allocate_lock(void *place)
{
    pthread_mutex_t *lock = malloc(sizeof *lock);

    pthread_mutex_init(lock, NULL);
    *(pthread_mutex_t **)place = lock;
    return NULL;
}

/* The first one has the lower address, unless the threads take turns otherwise. */
void program_compares_addresses(void)
{
    pthread_t first = start(allocate_lock, &allocated[0]);
    pthread_t second = start(allocate_lock, &allocated[1]);

    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert((uintptr_t)allocated[0] < (uintptr_t)allocated[1]);
    free(allocated[0]);
    free(allocated[1]);
}

/* ---- many accesses ---- */

enum {
    READERS = 6,
    STORES = 20
};

ROLE(read_then_tell, observed[0] = shared; STORE(flag, 1, RELAXED))

static void write_after_readers(void)
{
    pthread_t readers[READERS];

    for (unsigned i = 0; i < READERS; i++)
        readers[i] = start(read_shared, NULL);
    for (unsigned i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    shared = 1;
}

/* The first reader has read before all others, and the flag orders nothing. */
void program_many_readers_and_a_writer(void)
{
    pthread_t unordered = start(read_then_tell, NULL);

    if (LOAD(flag, RELAXED))
        write_after_readers();
    pthread_join(unordered, NULL);
}

/* ---- old stores ---- */

ROLE(store_then_tell, STORE(flag, 1, RELAXED); STORE(other, 1, RELAXED))

static void *load_five(void *unused)
{
    (void)unused;
    if (!LOAD(other, RELAXED))
        return NULL;
    observed[0] = 1;
    for (unsigned i = 0; i < 5; i++)
        observed[0] += LOAD(flag, RELAXED);
    return NULL;
}

void program_five_stale_loads(void)
{
    run_both(store_then_tell, load_five);
}

static void *store_many(void *unused)
{
    (void)unused;
    for (int i = 1; i <= STORES; i++)
        STORE(flag, i, RELAXED);
    STORE(other, 1, RELAXED);
    return NULL;
}

ROLE(load_oldest, if (LOAD(other, RELAXED)) observed[0] = 1 + LOAD(flag, RELAXED))

void program_oldest_of_many_stores(void)
{
    run_both(store_many, load_oldest);
}

/* ---- read locks ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

ROLE(write_under_read_lock, pthread_rwlock_rdlock(&rwlock); shared = 1;
     pthread_rwlock_unlock(&rwlock); STORE(flag, 1, RELAXED))

static void *read_under_lock(void *lock)
{
    if (!LOAD(flag, RELAXED))
        return NULL;
    ((int (*)(pthread_rwlock_t *))(uintptr_t)lock)(&rwlock);
    observed[0] = shared;
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void read_after_reader(int lock(pthread_rwlock_t *))
{
    pthread_t writer = start(write_under_read_lock, NULL);
    pthread_t reader = start(read_under_lock, (void *)(uintptr_t)lock);

    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
}

void program_reader_after_reader(void)
{
    read_after_reader(pthread_rwlock_rdlock);
}

void program_writer_after_reader(void)
{
    read_after_reader(pthread_rwlock_wrlock);
}

/* ---- two bugs in one program ---- */

ROLE(set_flag, STORE(flag, 1, RELAXED))

static void *assert_twice(void *unused)
{
    int before = LOAD(flag, RELAXED), after = LOAD(flag, RELAXED);

    (void)unused;
    assert(before == 1 || after == 0);
    assert(before == 0);
    return NULL;
}

void program_two_assertions(void)
{
    run_both(set_flag, assert_twice);
}

/* ---- release sequences ---- */

ROLE(release_then_relax, shared = 1; STORE(flag, 1, RELEASE); STORE(flag, 2, RELAXED))
ROLE(acquire_second, if (LOAD(flag, ACQUIRE) == 2) observed[0] = shared)
ROLE(release_once, shared = 1; STORE(flag, 1, RELEASE))
ROLE(relax_for_another, if (LOAD(flag, RELAXED) == 1) STORE(flag, 2, RELAXED))

void program_relaxed_store_after_release(void)
{
    run_both(release_then_relax, acquire_second);
}

void program_relaxed_store_of_another(void)
{
    pthread_t relaxing = start(relax_for_another, NULL);

    run_both(release_once, acquire_second);
    pthread_join(relaxing, NULL);
}

/* ---- atomics of several sizes ---- */

static union {
    _Atomic uint32_t both;
    _Atomic uint16_t halves[2]; /* now served, next ticket */
} ticket;

static void *count_with_ticket(void *unused)
{
    const uint32_t one = 1;
    uint32_t mine = atomic_fetch_add_explicit(&ticket.both, one << 16, RELAXED) >> 16;

    (void)unused;
    if (LOAD(ticket.halves[0], ACQUIRE) != mine)
        return NULL;
    shared++;
    STORE(ticket.halves[0], (uint16_t)(mine + 1), RELEASE);
    return NULL;
}

void program_ticket_lock_on_halves(void)
{
    run_both(count_with_ticket, count_with_ticket);
}

/* ---- plain accesses ---- */

void program_plain_race(void)
{
    run_both(write_shared, read_shared);
}

/* ---- spins, and what has no end ---- */

static void *spin_until_flag(void *unused)
{
    while (LOAD(flag, ACQUIRE) == 0) {
    }
    observed[0] = shared;
    return unused;
}

ROLE(write_then_release, shared = 1; STORE(flag, 1, RELEASE))

void program_spins_without_yield(void)
{
    run_both(spin_until_flag, write_then_release);
}

void program_spins_in_vain(void)
{
    run_both(spin_until_flag, read_shared);
}

static void *count_under_cas_lock(void *unused)
{
    int expected = 0;

    while (!atomic_compare_exchange_weak(&flag, &expected, 1))
        expected = 0;
    shared++;
    STORE(flag, 0, RELEASE);
    return unused;
}

void program_lock_by_compare_exchange(void)
{
    run_both(count_under_cas_lock, count_under_cas_lock);
    observed[0] = shared;
}

static void *count_under_yielding_lock(void *unused)
{
    int expected = 0;

    while (!atomic_compare_exchange_weak(&flag, &expected, 1)) {
        expected = 0;
        sched_yield();
    }
    shared++;
    STORE(flag, 0, RELEASE);
    return unused;
}

/* The exchange that fails by a fault has not found what would bring the thread back there. */
void program_yields_after_a_failed_exchange(void)
{
    run_both(count_under_yielding_lock, count_under_yielding_lock);
    observed[0] = shared;
}

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;

/* What is expected is in a block, and the exchange that fails writes it there. */
static void *push_a_node(void *node)
{
    struct node *own = node;

    own->next = LOAD(top, RELAXED);
    while (!atomic_compare_exchange_weak(&top, &own->next, own))
        sched_yield();
    return NULL;
}

void program_pushes_with_yields(void)
{
    static struct node nodes[2];
    pthread_t one = start(push_a_node, &nodes[0]);

    push_a_node(&nodes[1]);
    pthread_join(one, NULL);
    for (struct node *node = top; node; node = node->next)
        observed[0]++;
}

static void *read_flag(void *unused)
{
    LOAD(flag, RELAXED);
    return unused;
}

void program_creates_in_a_loop(void)
{
    pthread_t thread;

    while (pthread_create(&thread, NULL, read_flag, NULL) != 0)
        sched_yield();
    pthread_join(thread, NULL);
}

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;

static void *count_under_tried_lock(void *unused)
{
    while (pthread_mutex_trylock(&first_lock) != 0) {
    }
    shared++;
    pthread_mutex_unlock(&first_lock);
    return unused;
}

void program_spins_by_trying(void)
{
    run_both(count_under_tried_lock, count_under_tried_lock);
    observed[0] = shared;
}

/* It gives up by itself. The compiler keeps the number of rounds in a register. */
static void *spin_for_a_while(void *unused)
{
    for (int rounds = 0; rounds < 50 && LOAD(flag, RELAXED) == 0; rounds++)
        observed[0] = rounds;
    return unused;
}

void program_gives_up_spinning(void)
{
    run_both(spin_for_a_while, read_shared);
}

static void poll_under(pthread_mutex_t *mutex)
{
    for (bool done = false; !done;) {
        pthread_mutex_lock(mutex);
        done = shared != 0;
        pthread_mutex_unlock(mutex);
    }
}

ROLE(poll_first, poll_under(&first_lock))
ROLE(poll_second, poll_under(&second_lock))

void program_polls_in_vain(void)
{
    run_both(poll_first, poll_second);
}

static void *count_under_exchange_lock(void *unused)
{
    while (atomic_exchange_explicit(&flag, 1, ACQUIRE) != 0) {
    }
    shared++;
    STORE(flag, 0, RELEASE);
    return unused;
}

void program_lock_by_exchange(void)
{
    run_both(count_under_exchange_lock, count_under_exchange_lock);
    observed[0] = shared;
}

/* It ends by numbers that it draws, and only these tell one round from another. */
void program_draws_until_it_gives_up(void)
{
    static unsigned seed;

    for (seed = 1; LOAD(flag, RELAXED) == 0 && rand_r(&seed) % 64 != 0;) {
    }
}

void program_draws_for_long(void)
{
    while (rand() != 1) {
        pthread_mutex_lock(&first_lock);
        pthread_mutex_unlock(&first_lock);
    }
}

/* ---- calls ---- */

ROLE(store_both, STORE(flag, 1, RELAXED); STORE(other, 1, RELAXED))

/* It fails for no reason, and what it read was not the latest. */
void program_weak_exchange_of_an_old_value(void)
{
    pthread_t writer = start(store_both, NULL);
    int expected = 0, seen = LOAD(other, RELAXED);
    bool done = atomic_compare_exchange_weak_explicit(&flag, &expected, 5, RELAXED, RELAXED);

    assert(seen == 0 || done || expected == 1);
    pthread_join(writer, NULL);
}

static void assert_set(void *seen)
{
    assert(*(const int *)seen != 0);
}

static void *load_and_test(void *unused)
{
    int seen = LOAD(flag, RELAXED);

    pthread_cleanup_push(assert_set, &seen);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return unused;
}

void program_is_cancelled_after_a_load(void)
{
    pthread_t thread = start(load_and_test, NULL);

    STORE(flag, 1, RELAXED);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

static pthread_key_t key;

ROLE(delete_key, pthread_key_delete(key))

void program_deletes_a_key(void)
{
    pthread_key_create(&key, NULL);
    pthread_t thread = start(delete_key, NULL);
    assert(pthread_setspecific(key, &key) == 0);
    pthread_join(thread, NULL);
}

void program_prefers_writers(void)
{
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
}

void program_reads_lock_often(void)
{
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

    for (unsigned i = 0; i < 16; i++)
        assert(pthread_rwlock_rdlock(&lock) == 0);
}

static struct timespec pause_time;

ROLE(write_time, pause_time.tv_nsec = 5)

void program_sleeps_for_what_is_written(void)
{
    pthread_t writer = start(write_time, NULL);

    nanosleep(&pause_time, NULL);
    pthread_join(writer, NULL);
}

/* ---- long executions ---- */

enum {
    MANY_INCREMENTS = 15000
};

static void *increment_often(void *unused)
{
    for (unsigned i = 0; i < MANY_INCREMENTS; i++) {
        pthread_mutex_lock(&first_lock);
        shared++;
        pthread_mutex_unlock(&first_lock);
    }
    return unused;
}

void program_increments_often(void)
{
    run_both(increment_often, increment_often);
    assert(shared == 2 * MANY_INCREMENTS);
}
