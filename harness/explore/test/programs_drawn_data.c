/*
 * The drawn program's atomics and plain memory.
 *
 * The two words lie side by side, so that one access can have both, and each has bytes that are
 * accessed alone: accesses that overlap without being equal.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "harness/explore/test/programs_drawn_parts.h"

static union {
    _Atomic uint64_t both;
    _Atomic uint32_t words[2];
    _Atomic uint8_t bytes[8];
} shared;

static unsigned plain[2];

enum {
    WORD_BYTES = 4,
    CLAIMED = 50
};

/* The order has to be a constant for the compiler; `half` is what it is between the extremes. */
#define ORDERED(half, operation, ...)                                                       \
    (op->order == DRAWN_SEQ_CST   ? operation##_explicit(__VA_ARGS__, memory_order_seq_cst) \
     : op->order == DRAWN_ACQ_REL ? operation##_explicit(__VA_ARGS__, memory_order_##half)  \
                                  : operation##_explicit(__VA_ARGS__, memory_order_relaxed))

#define CLAIM(operation, success, failure)                                                    \
    operation##_explicit(&shared.words[op->which], &found, op->value, memory_order_##success, \
                         memory_order_##failure)

#define ORDERED_CLAIM(operation)                                       \
    (op->order == DRAWN_SEQ_CST   ? CLAIM(operation, seq_cst, seq_cst) \
     : op->order == DRAWN_ACQ_REL ? CLAIM(operation, acq_rel, acquire) \
                                  : CLAIM(operation, relaxed, relaxed))

static int claim(const struct drawn_op *op)
{
    uint32_t found = 0;
    bool won = op->kind == DRAWN_CLAIM ? ORDERED_CLAIM(atomic_compare_exchange_strong)
                                       : ORDERED_CLAIM(atomic_compare_exchange_weak);

    return won ? CLAIMED : (int)found;
}

static uint32_t modify(const struct drawn_op *op)
{
    _Atomic uint32_t *word = &shared.words[op->which];

    switch (op->kind) {
    case DRAWN_SWAP:
        return ORDERED(acq_rel, atomic_exchange, word, op->value);
    case DRAWN_ADD:
        return ORDERED(acq_rel, atomic_fetch_add, word, op->value);
    case DRAWN_SUBTRACT:
        return ORDERED(acq_rel, atomic_fetch_sub, word, op->value);
    case DRAWN_AND:
        return ORDERED(acq_rel, atomic_fetch_and, word, op->value);
    case DRAWN_OR:
        return ORDERED(acq_rel, atomic_fetch_or, word, op->value);
    case DRAWN_XOR:
        return ORDERED(acq_rel, atomic_fetch_xor, word, op->value);
    default:
        return __atomic_fetch_nand((uint32_t *)word, op->value, __ATOMIC_SEQ_CST);
    }
}

/* Accesses of other sizes than a word. */
static uint64_t overlap(const struct drawn_op *op)
{
    _Atomic uint8_t *byte = &shared.bytes[op->which * WORD_BYTES];

    switch (op->kind) {
    case DRAWN_LOAD_BYTE:
        return ORDERED(acquire, atomic_load, byte);
    case DRAWN_STORE_BYTE:
        ORDERED(release, atomic_store, byte, op->value);
        return 0;
    case DRAWN_ADD_BYTE:
        return ORDERED(acq_rel, atomic_fetch_add, byte, op->value);
    case DRAWN_LOAD_BOTH:
        return ORDERED(acquire, atomic_load, &shared.both);
    default:
        ORDERED(release, atomic_store, &shared.both, op->value * UINT64_C(0x100000001));
        return 0;
    }
}

/* In its caller's place gcc would warn of it, which is told by ThreadSanitizer that it cannot. */
__attribute__((noinline)) static int fence(const struct drawn_op *op)
{
    if (op->order == DRAWN_SEQ_CST)
        atomic_thread_fence(memory_order_seq_cst);
    else if (op->order == DRAWN_ACQ_REL)
        atomic_thread_fence(memory_order_acq_rel);
    else
        atomic_thread_fence(memory_order_acquire);
    return 0;
}

static int spin(const struct drawn_op *op)
{
    unsigned rounds = op->kind == DRAWN_SPIN_UNTIL ? UINT32_MAX : 3;

    while (rounds-- > 0) {
        uint32_t value = atomic_load(&shared.words[op->which]);
        if (value != 0)
            return (int)value;
        sched_yield();
    }
    return REFUSED;
}

/* From 0, as a lock of its own making would be taken. */
static int claim_in_a_loop(const struct drawn_op *op)
{
    uint32_t found = 0;

    while (!atomic_compare_exchange_weak(&shared.words[op->which], &found, op->value)) {
        found = 0;
        sched_yield();
    }
    return CLAIMED;
}

int drawn_use_atomic(const struct drawn_op *op)
{
    switch (op->kind) {
    case DRAWN_LOAD:
        return (int)ORDERED(acquire, atomic_load, &shared.words[op->which]);
    case DRAWN_STORE:
        ORDERED(release, atomic_store, &shared.words[op->which], op->value);
        return 0;
    case DRAWN_CLAIM:
    case DRAWN_WEAK_CLAIM:
        return claim(op);
    case DRAWN_FENCE:
        return fence(op);
    case DRAWN_YIELD:
        return sched_yield();
    case DRAWN_CLAIM_IN_A_LOOP:
        return claim_in_a_loop(op);
    case DRAWN_SPIN_UNTIL:
    case DRAWN_SPIN_A_WHILE:
        return spin(op);
    default:
        break;
    }
    if (op->kind <= DRAWN_NAND)
        return (int)modify(op);
    uint64_t both = overlap(op);
    return (int)(both ^ both >> 32 << 8);
}

int drawn_add_to_word(unsigned which, unsigned value)
{
    return (int)atomic_fetch_add(&shared.words[which], value);
}

/* ---- plain memory ---- */

int drawn_use_memory(struct self *self, const struct drawn_op *op)
{
    if (op->kind == DRAWN_READ_PLAIN)
        return (int)plain[op->which];
    if (op->kind == DRAWN_WRITE_PLAIN) {
        plain[op->which] = op->value;
        return 0;
    }
    void *block = malloc(1);
    if (!block)
        return REFUSED;
    drawn_hold(self, op, block);
    return 0;
}
