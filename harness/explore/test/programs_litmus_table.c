/* The litmus test that litmus.h describes, as a program: its threads read from the table what to
   do. An order has to be a constant, or the compiler takes seq_cst for it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "harness/explore/test/litmus.h"

extern int observed[];

static atomic_uint memory[LITMUS_LOCATIONS];
static unsigned results[LITMUS_RESULTS];

static unsigned load(atomic_uint *place, int order)
{
    switch (order) {
    case __ATOMIC_RELAXED:
        return atomic_load_explicit(place, memory_order_relaxed);
    case __ATOMIC_ACQUIRE:
        return atomic_load_explicit(place, memory_order_acquire);
    default:
        return atomic_load_explicit(place, memory_order_seq_cst);
    }
}

static void store(atomic_uint *place, unsigned value, int order)
{
    if (order == __ATOMIC_RELAXED)
        atomic_store_explicit(place, value, memory_order_relaxed);
    else if (order == __ATOMIC_RELEASE)
        atomic_store_explicit(place, value, memory_order_release);
    else
        atomic_store_explicit(place, value, memory_order_seq_cst);
}

#define IN_ORDER(order, function, ...)                      \
    switch (order) {                                        \
    case __ATOMIC_RELAXED:                                  \
        return function(__VA_ARGS__, memory_order_relaxed); \
    case __ATOMIC_ACQUIRE:                                  \
        return function(__VA_ARGS__, memory_order_acquire); \
    case __ATOMIC_RELEASE:                                  \
        return function(__VA_ARGS__, memory_order_release); \
    case __ATOMIC_ACQ_REL:                                  \
        return function(__VA_ARGS__, memory_order_acq_rel); \
    default:                                                \
        return function(__VA_ARGS__, memory_order_seq_cst); \
    }

static unsigned add(atomic_uint *place, unsigned value, int order)
{
    IN_ORDER(order, atomic_fetch_add_explicit, place, value)
}

static unsigned exchange(atomic_uint *place, unsigned value, int order)
{
    IN_ORDER(order, atomic_exchange_explicit, place, value)
}

/* In what order it fails is the last argument. */
#define CAS(success, failure)                                                                  \
    (atomic_compare_exchange_strong_explicit(place, &found, op->value, memory_order_##success, \
                                             memory_order_##failure),                          \
     found)

static unsigned cas_failing_relaxed(const struct litmus_op *op, atomic_uint *place)
{
    unsigned found = op->expected;

    switch (op->order) {
    case __ATOMIC_RELAXED:
        return CAS(relaxed, relaxed);
    case __ATOMIC_ACQUIRE:
        return CAS(acquire, relaxed);
    case __ATOMIC_RELEASE:
        return CAS(release, relaxed);
    case __ATOMIC_ACQ_REL:
        return CAS(acq_rel, relaxed);
    default:
        return CAS(seq_cst, relaxed);
    }
}

static unsigned compare_and_exchange(const struct litmus_op *op, atomic_uint *place)
{
    unsigned found = op->expected;

    if (op->failure == __ATOMIC_RELAXED)
        return cas_failing_relaxed(op, place);
    if (op->order == __ATOMIC_ACQUIRE)
        return CAS(acquire, acquire);
    if (op->order == __ATOMIC_ACQ_REL)
        return CAS(acq_rel, acquire);
    return op->failure == __ATOMIC_ACQUIRE ? CAS(seq_cst, acquire) : CAS(seq_cst, seq_cst);
}

/* gcc warns that its own sanitizer knows nothing of fences; it does so where one is inlined. */
__attribute__((noinline)) static void fence(int order)
{
    if (order == __ATOMIC_ACQUIRE)
        atomic_thread_fence(memory_order_acquire);
    else if (order == __ATOMIC_RELEASE)
        atomic_thread_fence(memory_order_release);
    else if (order == __ATOMIC_ACQ_REL)
        atomic_thread_fence(memory_order_acq_rel);
    else
        atomic_thread_fence(memory_order_seq_cst);
}

/* What it found, if it looked. */
static unsigned perform(const struct litmus_op *op)
{
    atomic_uint *place = &memory[op->location];

    switch (op->kind) {
    case LITMUS_LOAD:
        return load(place, op->order);
    case LITMUS_ADD:
        return add(place, op->value, op->order);
    case LITMUS_EXCHANGE:
        return exchange(place, op->value, op->order);
    case LITMUS_CAS:
        return compare_and_exchange(op, place);
    case LITMUS_STORE:
        store(place, op->value, op->order);
        return LITMUS_NOTHING;
    default:
        fence(op->order);
        return LITMUS_NOTHING;
    }
}

static void *run(void *argument)
{
    unsigned self = (unsigned)(uintptr_t)argument, last = LITMUS_NOTHING;

    for (unsigned i = 0; i < litmus_test.lengths[self]; i++) {
        const struct litmus_op *op = &litmus_test.ops[self][i];
        if (op->kind != LITMUS_END_UNLESS) {
            unsigned found = perform(op);
            if (op->result >= 0)
                results[op->result] = last = found;
        } else if (last != op->value) {
            break;
        }
    }
    return NULL;
}

void program_litmus(void)
{
    pthread_t threads[LITMUS_THREADS];

    for (unsigned i = 0; i < LITMUS_RESULTS; i++)
        results[i] = LITMUS_NOTHING;
    for (unsigned i = 0; i < litmus_test.threads; i++)
        pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < litmus_test.threads; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < litmus_test.observed; i++)
        results[litmus_test.results - litmus_test.observed + i] =
            load(&memory[litmus_test.locations[i]], __ATOMIC_RELAXED);
    for (unsigned i = 0; i < LITMUS_RESULTS; i++)
        observed[i] = (int)results[i];
}
