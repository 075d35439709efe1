/*
 * Data races and misused memory: each fault in its smallest form, next to a twin that does the same
 * thing right.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

#define PROGRAM(name, one, other) \
    void name(void)               \
    {                             \
        run_both(one, other);     \
    }

/* ---- plain accesses ---- */

static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ROLE(write_value, value = 1)
ROLE(read_value, observed[0] = value)
ROLE(write_locked, pthread_mutex_lock(&lock); value = 1; pthread_mutex_unlock(&lock))
ROLE(read_locked, pthread_mutex_lock(&lock); observed[0] = value; pthread_mutex_unlock(&lock))

PROGRAM(race_two_writes, write_value, write_value)
PROGRAM(race_write_and_read, write_value, read_value)
PROGRAM(race_one_without_lock, write_locked, read_value)
PROGRAM(race_none_two_reads, read_value, read_value)
PROGRAM(race_none_locked, write_locked, read_locked)

/* Neighbours: of bytes, none of others' business; of bits, all of the same byte. */
static volatile struct {
    unsigned char left, right;
    unsigned low : 4, high : 4;
} near;

ROLE(write_left, near.left = 1)
ROLE(write_right, near.right = 1)
ROLE(write_low, near.low = 1)
ROLE(write_high, near.high = 1)

PROGRAM(race_none_bytes, write_left, write_right)
PROGRAM(race_bits, write_low, write_high)

/* Across a boundary of eight bytes. */
static struct {
    uint64_t aligned;
    char bytes[24];
} area;

ROLE(write_bytes_5_to_12, memset(area.bytes + 5, 1, 8))
ROLE(write_byte_12, area.bytes[12] = 1)
ROLE(write_byte_13, area.bytes[13] = 1)

PROGRAM(race_memset, write_bytes_5_to_12, write_byte_12)
PROGRAM(race_none_beside_memset, write_bytes_5_to_12, write_byte_13)

ROLE(copy_from_5_to_12, char copy[8]; memcpy(copy, area.bytes + 5, 8); observed[0] = copy[0])

PROGRAM(race_memcpy, copy_from_5_to_12, write_byte_12)
PROGRAM(race_none_beside_memcpy, copy_from_5_to_12, write_byte_13)

/* ---- plain and atomic ---- */

static union {
    int plain;
    atomic_int atomic;
} both;

ROLE(store_atomic, atomic_store(&both.atomic, 1))
ROLE(load_atomic, observed[0] = atomic_load(&both.atomic))
ROLE(write_plain, both.plain = 2)
ROLE(read_plain, observed[1] = both.plain)

PROGRAM(race_atomic_store_and_plain_read, store_atomic, read_plain)
PROGRAM(race_atomic_load_and_plain_write, load_atomic, write_plain)
PROGRAM(race_none_atomic_load_and_plain_read, load_atomic, read_plain)
PROGRAM(race_none_atomic_both, store_atomic, load_atomic)

/* ---- message passing ---- */

static atomic_int flag;

#define PASS(name, store, before, load, after)                                   \
    ROLE(name##_left, value = 1; before; atomic_store_explicit(&flag, 1, store)) \
    ROLE(name##_right, bool told = atomic_load_explicit(&flag, load); after;     \
         if (told) observed[0] = value)                                          \
    PROGRAM(name, name##_left, name##_right)

#define NOTHING      ((void)0)
#define FENCE(order) atomic_thread_fence(memory_order_##order)

PASS(race_message_relaxed, RELAXED, NOTHING, RELAXED, NOTHING)
PASS(race_message_release_only, RELEASE, NOTHING, RELAXED, NOTHING)
PASS(race_message_acquire_only, RELAXED, NOTHING, ACQUIRE, NOTHING)
PASS(race_message_acquire_fence_only, RELAXED, NOTHING, RELAXED, FENCE(acquire))
PASS(race_none_message, RELEASE, NOTHING, ACQUIRE, NOTHING)
PASS(race_none_message_fenced, RELAXED, FENCE(release), RELAXED, FENCE(acquire))
PASS(race_none_message_seq_cst_fenced, RELAXED, FENCE(seq_cst), RELAXED, FENCE(seq_cst))

/* What is written after the release is not part of it. */
ROLE(write_after_release, atomic_store_explicit(&flag, 1, RELEASE); value = 1)
ROLE(read_after_acquire, if (atomic_load_explicit(&flag, ACQUIRE)) observed[0] = value)
PROGRAM(race_write_after_release, write_after_release, read_after_acquire)

/* A read-modify-write in between passes it on; a store does not. */
ROLE(release_one, value = 1; atomic_store_explicit(&flag, 1, RELEASE))
static void *pass_on(void *unused)
{
    int one = 1;

    (void)unused;
    atomic_compare_exchange_strong_explicit(&flag, &one, 2, RELAXED, RELAXED);
    if (atomic_load_explicit(&flag, ACQUIRE) == 2)
        observed[0] = value;
    return NULL;
}
static void *store_over(void *unused)
{
    (void)unused;
    if (atomic_load_explicit(&flag, RELAXED) == 1)
        atomic_store_explicit(&flag, 2, RELAXED);
    if (atomic_load_explicit(&flag, ACQUIRE) == 2)
        observed[0] = value;
    return NULL;
}
PROGRAM(race_none_passed_on, release_one, pass_on)
PROGRAM(race_stored_over, release_one, store_over)

/* ---- threads ---- */

void race_none_created_and_joined(void)
{
    pthread_t thread;

    value = 1;
    pthread_create(&thread, NULL, write_value, NULL);
    pthread_join(thread, NULL);
    value = 2;
}

void race_not_joined(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, write_value, NULL);
    value = 2;
    pthread_join(thread, NULL);
}

/* Frames of a stack, and whole stacks, are used again: what was there is nobody's any more. */
static void *set(void *place)
{
    *(int *)place = 1;
    return NULL;
}

static __attribute__((noinline)) void share_frame(void)
{
    pthread_t thread;
    int local[16] = {0};

    pthread_create(&thread, NULL, set, &local[observed[0]]);
    pthread_join(thread, NULL);
    observed[1] += local[observed[0]];
}

static void *share_frames(void *unused)
{
    (void)unused;
    share_frame();
    share_frame();
    return NULL;
}

void race_none_stacks_again(void)
{
    pthread_t thread;

    for (int round = 0; round < 2; round++) {
        pthread_create(&thread, NULL, share_frames, NULL);
        pthread_join(thread, NULL);
    }
}

/* The place of a thread that has ended is given to another, which need not know of those who have
   used the first one's stack. */
static _Atomic(int *) lent;
static atomic_int returned, gone;

static __attribute__((noinline)) void lend(int *own)
{
    *own = 0;
    atomic_store_explicit(&lent, own, RELEASE);
    while (!atomic_load_explicit(&returned, ACQUIRE))
        sched_yield();
}

static void *lend_and_go(void *unused)
{
    int own[16];

    (void)unused;
    lend(&own[8]);
    atomic_store_explicit(&gone, 1, RELAXED);
    return NULL;
}

static void *use_what_is_lent(void *unused)
{
    int *place;

    (void)unused;
    while (!(place = atomic_load_explicit(&lent, ACQUIRE)))
        sched_yield();
    *place = 1;
    atomic_store_explicit(&returned, 1, RELEASE);
    return NULL;
}

void race_none_place_again(void)
{
    pthread_t user, lender;

    pthread_create(&lender, NULL, lend_and_go, NULL);
    pthread_detach(lender);
    pthread_create(&user, NULL, use_what_is_lent, NULL);
    while (!atomic_load_explicit(&gone, RELAXED))
        sched_yield();
    pthread_create(&lender, NULL, lend_and_go, NULL);
    pthread_join(lender, NULL);
    pthread_join(user, NULL);
}

/* A thread that ends, and one that gets its number. What the first has released, the second does
   not pass on. */
static atomic_int step;

static void *release_value(void *unused)
{
    value = 1;
    atomic_store_explicit(&step, 1, RELEASE);
    return unused;
}

static void *pass_on_relaxed(void *unused)
{
    atomic_store_explicit(&step, 5, RELAXED);
    return unused;
}

static void *acquire_what_is_passed_on(void *unused)
{
    if (atomic_load_explicit(&step, ACQUIRE) == 5)
        observed[0] = value;
    return unused;
}

static void run_alone(void *(*role)(void *))
{
    pthread_t thread;

    pthread_create(&thread, NULL, role, NULL);
    pthread_join(thread, NULL);
}

static void pass_on_after(void (*meanwhile)(void))
{
    pthread_t reader;

    pthread_create(&reader, NULL, acquire_what_is_passed_on, NULL);
    run_alone(release_value);
    meanwhile();
    run_alone(pass_on_relaxed);
    pthread_join(reader, NULL);
}

static void do_nothing(void) {}

static void add_one(void)
{
    atomic_fetch_add_explicit(&step, 1, RELEASE);
}

void race_passed_on_by_the_next(void)
{
    pass_on_after(do_nothing);
}

void race_passed_on_after_an_addition(void)
{
    pass_on_after(add_one);
}

/* Nor has the second the locks that the first had when it ended. */
static pthread_mutex_t recursive, checking;
static pthread_rwlock_t kept_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t kept_spin;

static void init(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(mutex, &attributes);
}

static void *keep_locks(void *unused)
{
    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    init(&checking, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_lock(&checking);
    pthread_rwlock_rdlock(&kept_lock);
    pthread_spin_lock(&kept_spin);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    return unused;
}

static void *lock_recursive(void *unused)
{
    pthread_mutex_lock(&recursive);
    return unused;
}

void program_locks_what_a_dead_thread_has(void)
{
    run_alone(keep_locks);
    run_alone(lock_recursive);
}

static void *unlock_checking(void *unused)
{
    observed[0] = pthread_mutex_unlock(&checking);
    return unused;
}

void program_unlocks_what_a_dead_thread_has(void)
{
    run_alone(keep_locks);
    run_alone(unlock_checking);
}

static void *unlock_read_lock(void *unused)
{
    pthread_rwlock_unlock(&kept_lock);
    return unused;
}

void program_unlocks_a_dead_threads_read_lock(void)
{
    run_alone(keep_locks);
    run_alone(unlock_read_lock);
}

static void *unlock_spin(void *unused)
{
    pthread_spin_unlock(&kept_spin);
    return unused;
}

void program_unlocks_a_dead_threads_spin_lock(void)
{
    run_alone(keep_locks);
    run_alone(unlock_spin);
}

/* More threads than there are numbers, of which main knows nothing. Each has a stack that another
   had before it, and so has its helper. */
enum {
    SUCCESSORS = 70,
    APART = 5 /* seconds */
};

static void *have_it_written(void *unused)
{
    pthread_t helper;
    int local[16] = {0};

    pthread_create(&helper, NULL, set, &local[8]);
    pthread_join(helper, NULL);
    local[8]++;
    return unused;
}

void race_none_many_successors(void)
{
    for (unsigned i = 0; i < SUCCESSORS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, have_it_written, NULL);
        pthread_detach(thread);
        sleep(APART);
    }
}

/* A write is remembered although somebody who knew of it has read since. */
void race_seen_by_a_third(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, race_none_message_left, NULL);
    pthread_create(&reader, NULL, race_none_message_right, NULL);
    (void)atomic_load_explicit(&gone, RELAXED);
    observed[1] = value;
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
}

/* So is a read that comes after a write which everybody knows of. */
void race_beside_a_known_write(void)
{
    pthread_t writer;

    pthread_create(&writer, NULL, write_value, NULL);
    pthread_join(writer, NULL);
    run_both(read_value, write_value);
}

/* ---- what orders besides ---- */

static sem_t semaphore;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool ready;

ROLE(post, value = 1; sem_post(&semaphore))
ROLE(wait, sem_wait(&semaphore); observed[0] = value)
PROGRAM(race_none_semaphore, post, wait)

ROLE(write_with_rwlock, pthread_rwlock_wrlock(&rwlock); value = 1; pthread_rwlock_unlock(&rwlock))
ROLE(read_with_rwlock, pthread_rwlock_rdlock(&rwlock); observed[0] = value;
     pthread_rwlock_unlock(&rwlock))
ROLE(write_with_read_lock, pthread_rwlock_rdlock(&rwlock); value = 1;
     pthread_rwlock_unlock(&rwlock))
PROGRAM(race_none_rwlock, write_with_rwlock, read_with_rwlock)
PROGRAM(race_write_with_read_lock, write_with_read_lock, read_with_rwlock)

static void initialise(void)
{
    value = 1;
}
ROLE(use_once, pthread_once(&once, initialise); observed[0] = value)
PROGRAM(race_none_once, use_once, use_once)

ROLE(write_before_barrier, value = 1; pthread_barrier_wait(&barrier))
ROLE(read_after_barrier, pthread_barrier_wait(&barrier); observed[0] = value)
void race_none_barrier(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(write_before_barrier, read_after_barrier);
    pthread_barrier_destroy(&barrier);
}

ROLE(make_ready, pthread_mutex_lock(&lock); ready = true; value = 1;
     pthread_cond_signal(&condition); pthread_mutex_unlock(&lock))
static void *await_ready(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    observed[0] = value;
    return NULL;
}
PROGRAM(race_none_condition, make_ready, await_ready)

/* ---- blocks ---- */

struct block {
    int plain;
    atomic_int atomic;
    pthread_mutex_t lock;
    pthread_cond_t condition;
    char bytes[16];
};

static struct block *volatile block;
static _Atomic(struct block *) published;

static void make_block(void)
{
    struct block *new = calloc(1, sizeof *new);

    pthread_mutex_init(&new->lock, NULL);
    pthread_cond_init(&new->condition, NULL);
    block = new;
}

/* One thread frees it, then says so; another waits for that, and uses it. */
ROLE(free_and_tell, free(block); atomic_store(&flag, 1))

#define AFTER_FREE(name, ...)                                 \
    ROLE(                                                     \
        name##_use, if (atomic_load(&flag)) { __VA_ARGS__; }) \
    void name(void)                                           \
    {                                                         \
        make_block();                                         \
        run_both(free_and_tell, name##_use);                  \
    }

AFTER_FREE(freed_read, observed[0] = block->plain)
AFTER_FREE(freed_write, block->plain = 1)
AFTER_FREE(freed_atomic, atomic_fetch_add(&block->atomic, 1))
AFTER_FREE(freed_lock, pthread_mutex_lock(&block->lock))
AFTER_FREE(freed_signal, pthread_cond_signal(&block->condition))
AFTER_FREE(freed_memset, memset(block->bytes, 0, 16))
AFTER_FREE(freed_twice, free(block))

ROLE(use_and_tell, block->plain = 1; atomic_store(&flag, 1))
ROLE(free_when_told, if (atomic_exchange(&flag, 2) == 1) free(block))
void freed_none(void)
{
    make_block();
    run_both(use_and_tell, free_when_told);
    if (atomic_load(&flag) == 1)
        free(block);
}

/* By whom it was used before, and when no other thread is left. */
ROLE(read_block, observed[0] = block->plain)
void freed_when_alone(void)
{
    pthread_t thread;

    make_block();
    pthread_create(&thread, NULL, read_block, NULL);
    (void)atomic_load(&flag);
    observed[1] = block->plain;
    pthread_join(thread, NULL);
    free(block);
    observed[2] = block->plain;
}

/* Freed while somebody may still be at it: found even where that came first. */
ROLE(use_block, block->plain = 1)
ROLE(lock_block, pthread_mutex_lock(&block->lock); pthread_mutex_unlock(&block->lock))
ROLE(free_block, (void)atomic_load(&flag); free(block))
void freed_while_used(void)
{
    make_block();
    run_both(use_block, free_block);
}

void freed_while_locked(void)
{
    make_block();
    run_both(lock_block, free_block);
}

/* The last one out frees it: the decrement must release what was done, and acquire what others
   did. */
#define LEAVE(name, order)                                                          \
    ROLE(name##_leave, block->bytes[0]++;                                           \
         if (atomic_fetch_sub_explicit(&block->atomic, 1, order) == 1) free(block)) \
    ROLE(name##_leave_too, block->bytes[1]++;                                       \
         if (atomic_fetch_sub_explicit(&block->atomic, 1, order) == 1) free(block)) \
    void name(void)                                                                 \
    {                                                                               \
        make_block();                                                               \
        atomic_store(&block->atomic, 2);                                            \
        run_both(name##_leave, name##_leave_too);                                   \
    }

LEAVE(freed_by_the_last, memory_order_acq_rel)
LEAVE(freed_by_the_last_relaxed, memory_order_relaxed)

/* The signal comes after the lock was given up, when the waiter may be gone with all of it. */
#define FINISH(name, first, second)                                                        \
    ROLE(name##_finish, pthread_mutex_lock(&block->lock); block->plain = 1; first; second) \
    static void *name##_await(void *unused)                                                \
    {                                                                                      \
        (void)unused;                                                                      \
        pthread_mutex_lock(&block->lock);                                                  \
        while (!block->plain)                                                              \
            pthread_cond_wait(&block->condition, &block->lock);                            \
        pthread_mutex_unlock(&block->lock);                                                \
        free(block);                                                                       \
        return NULL;                                                                       \
    }                                                                                      \
    void name(void)                                                                        \
    {                                                                                      \
        make_block();                                                                      \
        run_both(name##_finish, name##_await);                                             \
    }

FINISH(freed_before_signal, pthread_mutex_unlock(&block->lock),
       pthread_cond_signal(&block->condition))
FINISH(freed_after_signal, pthread_cond_signal(&block->condition),
       pthread_mutex_unlock(&block->lock))

/* Whom a broadcast has woken is not on the condition any more, even if it is yet to come back. */
ROLE(broadcast_and_free, pthread_mutex_lock(&lock); ready = true;
     pthread_cond_broadcast(&block->condition); pthread_cond_destroy(&block->condition);
     free(block); pthread_mutex_unlock(&lock))
static void *await_broadcast(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&block->condition, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}
void freed_after_broadcast(void)
{
    make_block();
    run_both(broadcast_and_free, await_broadcast);
}

void freed_never_allocated(void)
{
    make_block();
    char *volatile inside = block->bytes;
    free(inside);
}

void block_left_behind(void)
{
    int *volatile numbers = malloc(16 * sizeof *numbers);

    observed[0] = numbers[observed[1] + 16];
    free(numbers);
}

void block_not_left(void)
{
    int *volatile numbers = malloc(16 * sizeof *numbers);

    numbers[15] = 1;
    observed[0] = numbers[observed[1] + 15];
    free(numbers);
}

/* Zeroes are written, too. */
#define PUBLISH(name, store, load)                                                        \
    ROLE(name##_make, atomic_store_explicit(&published, calloc(1, sizeof *block), store)) \
    ROLE(name##_look, struct block *seen = atomic_load_explicit(&published, load);        \
         if (seen) observed[0] = seen->plain)                                             \
    void name(void)                                                                       \
    {                                                                                     \
        run_both(name##_make, name##_look);                                               \
        free(atomic_load(&published));                                                    \
    }

PUBLISH(race_publication_relaxed, RELAXED, RELAXED)
PUBLISH(race_none_publication, RELEASE, ACQUIRE)

/* ---- sixteen bytes ---- */

#if defined(__clang__)
#pragma clang diagnostic ignored "-Watomic-alignment" /* it calls a function: ours */
#endif

__extension__ typedef unsigned __int128 wide;

static _Alignas(16) wide wide_value;

/* Both halves are changed at once, or not at all. */
static void *add_to_both_halves(void *unused)
{
    wide old = __atomic_load_n(&wide_value, __ATOMIC_ACQUIRE);

    (void)unused;
    while (!__atomic_compare_exchange_n(&wide_value, &old, old + ((wide)1 << 64) + 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        continue;
    return NULL;
}

void race_none_sixteen_bytes(void)
{
    __atomic_store_n(&wide_value, ((wide)5 << 64) + 5, __ATOMIC_RELEASE);
    run_both(add_to_both_halves, add_to_both_halves);
    wide found = __atomic_exchange_n(&wide_value, 0, __ATOMIC_SEQ_CST);
    observed[0] = (int)(uint64_t)found;
    observed[1] = (int)(uint64_t)(found >> 64);
}
