/* Atomics: what their orders order, release sequences, fences, and sizes. */
#include <stdint.h>
#include <stdlib.h>

#include "harness/explore/test/pairs/pairs.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Watomic-alignment" /* it calls libatomic */
#else
#pragma GCC diagnostic ignored "-Wtsan" /* gcc warns that ThreadSanitizer knows no fences */
#endif

#define STORE(new, order) atomic_store_explicit(&flag, new, memory_order_##order)
#define LOAD(order)       atomic_load_explicit(&flag, memory_order_##order)
#define FENCE(order)      atomic_thread_fence(memory_order_##order)

/* One thread writes and tells; another, if it has heard of it, reads. */
#define MESSAGE(name, tell, heard) IN_TURN(name, value = 1; tell, if (heard) use(value))

/* ---- loads and stores ---- */

MESSAGE(release_acquire_racy, STORE(1, relaxed), LOAD(relaxed))
MESSAGE(release_acquire_ordered, STORE(1, release), LOAD(acquire))

MESSAGE(acquire_racy, STORE(1, release), LOAD(relaxed))
MESSAGE(acquire_ordered, STORE(1, release), LOAD(acquire))

MESSAGE(release_racy, STORE(1, relaxed), LOAD(acquire))
MESSAGE(release_ordered, STORE(1, release), LOAD(acquire))

MESSAGE(consume_racy, STORE(1, release), LOAD(relaxed))
MESSAGE(consume_ordered, STORE(1, release), LOAD(consume))

MESSAGE(seq_cst_racy, STORE(1, relaxed), LOAD(seq_cst))
MESSAGE(seq_cst_ordered, STORE(1, seq_cst), LOAD(seq_cst))

/* What is written after the release is not part of it. */
IN_TURN(write_after_release_racy, STORE(1, release); value = 1, if (LOAD(acquire)) use(value))
IN_TURN(write_after_release_ordered, value = 1; STORE(1, release), if (LOAD(acquire)) use(value))

/* ---- fences ---- */

static bool hears_then(bool heard)
{
    FENCE(acquire);
    return heard;
}

static bool hears_after(void)
{
    FENCE(acquire);
    return LOAD(relaxed);
}

MESSAGE(acquire_fence_racy, STORE(1, release), hears_after())
MESSAGE(acquire_fence_ordered, STORE(1, release), hears_then(LOAD(relaxed)))

MESSAGE(release_fence_racy, STORE(1, relaxed); FENCE(release), LOAD(acquire))
MESSAGE(release_fence_ordered, FENCE(release); STORE(1, relaxed), LOAD(acquire))

MESSAGE(two_fences_racy, STORE(1, relaxed), hears_then(LOAD(relaxed)))
MESSAGE(two_fences_ordered, FENCE(release); STORE(1, relaxed), hears_then(LOAD(relaxed)))

static bool hears_then_seq_cst(bool heard)
{
    FENCE(seq_cst);
    return heard;
}

MESSAGE(seq_cst_fences_racy, STORE(1, relaxed), hears_then_seq_cst(LOAD(relaxed)))
MESSAGE(seq_cst_fences_ordered, FENCE(seq_cst);
        STORE(1, relaxed), hears_then_seq_cst(LOAD(relaxed)))

static bool hears_then_acq_rel(bool heard)
{
    FENCE(acq_rel);
    return heard;
}

MESSAGE(acq_rel_fences_racy, STORE(1, relaxed), hears_then_acq_rel(LOAD(relaxed)))
MESSAGE(acq_rel_fences_ordered, FENCE(acq_rel);
        STORE(1, relaxed), hears_then_acq_rel(LOAD(relaxed)))

/* A signal fence keeps the compiler from reordering, and orders no threads. */
MESSAGE(signal_fence_racy, atomic_signal_fence(memory_order_seq_cst);
        STORE(1, relaxed), LOAD(acquire))
MESSAGE(signal_fence_ordered, FENCE(seq_cst); STORE(1, relaxed), LOAD(acquire))

/* ---- read-modify-writes ---- */

static bool exchanges(int from, int to, bool acquires)
{
    if (acquires)
        return atomic_compare_exchange_strong_explicit(&flag, &from, to, memory_order_acquire,
                                                       memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&flag, &from, to, memory_order_relaxed,
                                                   memory_order_relaxed);
}

MESSAGE(compare_exchange_racy, STORE(1, release), exchanges(1, 2, false))
MESSAGE(compare_exchange_ordered, STORE(1, release), exchanges(1, 2, true))

/* One that fails is a load, of the order that it names for that. */
static bool fails_to_exchange_relaxed(int from)
{
    return !atomic_compare_exchange_strong_explicit(&flag, &from, 2, memory_order_acquire,
                                                    memory_order_relaxed);
}

static bool fails_to_exchange_acquire(int from)
{
    return !atomic_compare_exchange_strong_explicit(&flag, &from, 2, memory_order_acquire,
                                                    memory_order_acquire);
}

MESSAGE(compare_exchange_failed_racy, STORE(1, release), fails_to_exchange_relaxed(0))
MESSAGE(compare_exchange_failed_ordered, STORE(1, release), fails_to_exchange_acquire(0))

MESSAGE(exchange_racy, atomic_exchange_explicit(&flag, 1, memory_order_relaxed),
        atomic_exchange_explicit(&flag, 2, memory_order_acquire))
MESSAGE(exchange_ordered, atomic_exchange_explicit(&flag, 1, memory_order_release),
        atomic_exchange_explicit(&flag, 2, memory_order_acquire))

MESSAGE(fetch_or_racy, atomic_fetch_or_explicit(&flag, 1, memory_order_acq_rel),
        atomic_fetch_or_explicit(&flag, 2, memory_order_relaxed) & 1)
MESSAGE(fetch_or_ordered, atomic_fetch_or_explicit(&flag, 1, memory_order_acq_rel),
        atomic_fetch_or_explicit(&flag, 2, memory_order_acq_rel) & 1)

/* A weak one that fails for no reason reads nothing that matters. */
static bool exchanges_weakly(int from, bool acquires)
{
    if (acquires)
        return atomic_compare_exchange_weak_explicit(&flag, &from, 2, memory_order_acquire,
                                                     memory_order_relaxed);
    return atomic_compare_exchange_weak_explicit(&flag, &from, 2, memory_order_relaxed,
                                                 memory_order_relaxed);
}

MESSAGE(compare_exchange_weak_racy, STORE(1, release), exchanges_weakly(1, false))
MESSAGE(compare_exchange_weak_ordered, STORE(1, release), exchanges_weakly(1, true))

/* Each operation once, and each order: with what it has to do it on either side. */
#define ADD(order) atomic_fetch_add_explicit(&flag, 1, memory_order_##order)
#define SUB(order) atomic_fetch_sub_explicit(&flag, 1, memory_order_##order)
#define XOR(order) atomic_fetch_xor_explicit(&flag, 1, memory_order_##order)
#define AND(order) atomic_fetch_and_explicit(&flag, 1, memory_order_##order)

MESSAGE(fetch_add_racy, ADD(acquire), ADD(acquire) > 0)
MESSAGE(fetch_add_ordered, ADD(release), ADD(acquire) > 0)

MESSAGE(fetch_sub_racy, SUB(release), SUB(release) < 0)
MESSAGE(fetch_sub_ordered, SUB(acq_rel), SUB(acquire) < 0)

MESSAGE(fetch_xor_racy, XOR(seq_cst), XOR(relaxed))
MESSAGE(fetch_xor_ordered, XOR(seq_cst), XOR(seq_cst))

MESSAGE(fetch_and_racy, STORE(3, relaxed), AND(seq_cst))
MESSAGE(fetch_and_ordered, STORE(3, release), AND(seq_cst))

/* ---- release sequences ---- */

/* A read-modify-write of another thread continues it; a store of another thread ends it. */
ROLE(release_one, value = 1; STORE(1, release); step_done(0))
ROLE(store_two, after_step(0); if (LOAD(relaxed) == 1) STORE(2, relaxed); step_done(1))
ROLE(increment_to_two, after_step(0); exchanges(1, 2, false); step_done(1))
ROLE(read_after_two, after_step(1); if (LOAD(acquire) == 2) use(value))

void sequence_of_others_racy(void)
{
    run_three(release_one, store_two, read_after_two);
}

void sequence_of_others_ordered(void)
{
    run_three(release_one, increment_to_two, read_after_two);
}

/* In C11 a later store of the releasing thread continues it, too. */
IN_TURN(sequence_of_own_racy, STORE(1, release); value = 1;
        STORE(2, relaxed), if (LOAD(acquire) == 2) use(value))
IN_TURN(sequence_of_own_ordered, value = 1; STORE(1, release);
        STORE(2, relaxed), if (LOAD(acquire) == 2) use(value))

/* A relaxed link passes on what came before it, and adds nothing of its own. */
ROLE(add_released, value = 1; atomic_fetch_add_explicit(&flag, 1, memory_order_release);
     step_done(0))
ROLE(add_relaxed, after_step(0); other_value = 1;
     atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); step_done(1))
ROLE(read_link_after_both, after_step(1); if (LOAD(acquire) == 2) use(other_value))

void fetch_add_chain_racy(void)
{
    run_three(add_released, add_relaxed, read_link_after_both);
}

void fetch_add_chain_ordered(void)
{
    run_three(add_released, add_relaxed, read_after_two);
}

/* ---- locks made of them ---- */

static atomic_flag held = ATOMIC_FLAG_INIT;

#define HOLD(order, ...)                                                   \
    if (!atomic_flag_test_and_set_explicit(&held, memory_order_##order)) { \
        __VA_ARGS__;                                                       \
        atomic_flag_clear_explicit(&held, memory_order_release);           \
    }

IN_TURN(atomic_flag_racy, HOLD(acquire, value = 1), HOLD(relaxed, use(value)))
IN_TURN(atomic_flag_ordered, HOLD(acquire, value = 1), HOLD(acquire, use(value)))

/* Initialised by the first that comes; those after it do without the mutex. */
#define INITIALISED(tell, heard)      \
    if (!(heard)) {                   \
        pthread_mutex_lock(&mutex);   \
        if (!LOAD(relaxed)) {         \
            value = 1;                \
            tell;                     \
        }                             \
        pthread_mutex_unlock(&mutex); \
    }                                 \
    use(value)

IN_TURN(double_checked_racy, INITIALISED(STORE(1, relaxed), LOAD(relaxed)),
        INITIALISED(STORE(1, relaxed), LOAD(relaxed)))
IN_TURN(double_checked_ordered, INITIALISED(STORE(1, release), LOAD(acquire)),
        INITIALISED(STORE(1, release), LOAD(acquire)))

/* The last of two owners frees what both have written. */
struct counted {
    int written[2];
    atomic_int owners;
};

static struct counted *counted;

static void make_counted(void)
{
    counted = calloc(1, sizeof *counted);
    atomic_init(&counted->owners, 2);
}

#define LEAVE(index, order, last)                                                    \
    counted->written[index] = 1;                                                     \
    if (atomic_fetch_sub_explicit(&counted->owners, 1, memory_order_##order) == 1) { \
        last;                                                                        \
        use(1);                                                                      \
        free(counted);                                                               \
    }

IN_TURN_WITH(last_owner_racy, make_counted(), LEAVE(0, relaxed, NOTHING),
             LEAVE(1, relaxed, NOTHING))
IN_TURN_WITH(last_owner_ordered, make_counted(), LEAVE(0, acq_rel, NOTHING),
             LEAVE(1, acq_rel, NOTHING))

IN_TURN_WITH(last_owner_fence_racy, make_counted(), LEAVE(0, release, NOTHING),
             LEAVE(1, release, NOTHING))
IN_TURN_WITH(last_owner_fence_ordered, make_counted(), LEAVE(0, release, FENCE(acquire)),
             LEAVE(1, release, FENCE(acquire)))

/* ---- sizes ---- */

/* A ticket lock: one half of a word has the owner's ticket, the other the next one. A ticket is
   drawn from the whole word, and the thread that draws the owner's has the lock; to give it up it
   stores to the half. Here a thread that draws another one leaves, so that the program stays
   small. */
static union {
    uint32_t whole;
    uint16_t half[2]; /* the lower one first */
} tickets;

enum half {
    LOW,
    HIGH
};

static bool is_owners(uint32_t drawn)
{
    return drawn >> 16 == (drawn & 0xffff);
}

static uint32_t next_after(enum half owner)
{
    return owner == LOW ? 1 << 16 : 1;
}

static bool draw_relaxed(enum half owner)
{
    return is_owners(__atomic_fetch_add(&tickets.whole, next_after(owner), __ATOMIC_RELAXED));
}

static bool draw_acquire(enum half owner)
{
    return is_owners(__atomic_fetch_add(&tickets.whole, next_after(owner), __ATOMIC_ACQUIRE));
}

/* The first one that drew has ticket 0, and the next owner's is 1. */
static void give_up(enum half owner)
{
    __atomic_store_n(&tickets.half[owner], 1, __ATOMIC_RELEASE);
}

#define TICKET(owner, draw, ...) \
    if (draw(owner)) {           \
        __VA_ARGS__;             \
        give_up(owner);          \
    }

IN_TURN(low_half_racy, TICKET(LOW, draw_acquire, value = 1), TICKET(LOW, draw_relaxed, use(value)))
IN_TURN(low_half_ordered, TICKET(LOW, draw_acquire, value = 1),
        TICKET(LOW, draw_acquire, use(value)))

IN_TURN(high_half_racy, TICKET(HIGH, draw_acquire, value = 1),
        TICKET(HIGH, draw_relaxed, use(value)))
IN_TURN(high_half_ordered, TICKET(HIGH, draw_acquire, value = 1),
        TICKET(HIGH, draw_acquire, use(value)))

#define SIZED(name, type)                                                 \
    static type name;                                                     \
    MESSAGE(name##_racy, __atomic_store_n(&name, 1, __ATOMIC_RELEASE),    \
            __atomic_load_n(&name, __ATOMIC_RELAXED))                     \
    MESSAGE(name##_ordered, __atomic_store_n(&name, 1, __ATOMIC_RELEASE), \
            __atomic_load_n(&name, __ATOMIC_ACQUIRE))

SIZED(one_byte, uint8_t)
SIZED(two_bytes, uint16_t)
SIZED(eight_bytes, uint64_t)

__extension__ typedef unsigned __int128 wide;

static _Alignas(16) wide wide_flag;

MESSAGE(sixteen_bytes_racy, __atomic_store_n(&wide_flag, 1, __ATOMIC_RELAXED),
        __atomic_load_n(&wide_flag, __ATOMIC_RELAXED))
MESSAGE(sixteen_bytes_ordered, __atomic_store_n(&wide_flag, 1, __ATOMIC_RELEASE),
        __atomic_load_n(&wide_flag, __ATOMIC_ACQUIRE))

/* Atomic by a lock of the library. */
static _Atomic struct large {
    long told, more[3];
} large;

static bool large_relaxed(void)
{
    struct large seen = atomic_load_explicit(&large, memory_order_relaxed);

    return seen.told;
}

static bool large_acquire(void)
{
    struct large seen = atomic_load_explicit(&large, memory_order_acquire);

    return seen.told;
}

static const struct large telling = {.told = 1};

MESSAGE(large_racy, atomic_store_explicit(&large, telling, memory_order_release), large_relaxed())
MESSAGE(large_ordered, atomic_store_explicit(&large, telling, memory_order_release),
        large_acquire())

/* ---- atomic and plain ---- */

static volatile int volatile_flag;

MESSAGE(volatile_racy, volatile_flag = 1, volatile_flag)
MESSAGE(volatile_ordered, atomic_store(&flag, 1), atomic_load(&flag))

union both {
    int plain;
    atomic_int atomic;
};

extern union both both;
union both both;

IN_TURN(plain_read_racy, atomic_store(&both.atomic, 1), use(both.plain))
IN_TURN(plain_read_ordered, atomic_store(&both.atomic, 1), use(atomic_load(&both.atomic)))

IN_TURN(plain_write_racy, use(atomic_load(&both.atomic)), both.plain = 1)
IN_TURN(plain_write_ordered, use(atomic_load(&both.atomic)), atomic_store(&both.atomic, 1))

/* Neither writes. */
IN_TURN(plain_increment_racy, atomic_fetch_add(&both.atomic, 0), use(both.plain))
IN_TURN(plain_increment_ordered, use(atomic_load(&both.atomic)), use(both.plain))

/* Initialising is not atomic. */
IN_TURN(atomic_init_racy, atomic_init(&both.atomic, 1), use(atomic_load(&both.atomic)))
IN_TURN(atomic_init_ordered, atomic_store(&both.atomic, 1), use(atomic_load(&both.atomic)))

/* What a compare-exchange expects is read by it, and overwritten if it does not find that. */
#define EXPECTING(variable) use(atomic_compare_exchange_strong(&flag, &(variable), 2))

IN_TURN(expected_racy, value = 0, EXPECTING(value))
IN_TURN(expected_ordered, value = 0, EXPECTING(other_value))

IN_TURN_WITH(expected_not_found_racy, value = 1, use(value), EXPECTING(value))
IN_TURN_WITH(expected_not_found_ordered, other_value = 1, use(value), EXPECTING(other_value))
