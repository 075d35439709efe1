/*
 * Atomics. The compiler, told to instrument for ThreadSanitizer, hands every one of them to us, and
 * we have to carry it out: with a step before it, on the one real copy of memory, or on the
 * histories of stores that a weaker memory model has (memory.h).
 *
 * gcc calls ..._compare_exchange_strong and _weak, which tell success and write what they found to
 * *expected; clang calls ..._compare_exchange_val for both, which returns what it found. A weak one
 * can fail for no reason only where we know that it is one.
 *
 * What there is for each width is in runtime_atomics_width.h.
 */
#include "harness/explore/runtime.h"

__extension__ typedef unsigned __int128 uint128_t;

#define ATOMIC_POINT(kind, flags, address, order) \
    announce_atomic((kind), (flags), (const void *)(address), sizeof *(address), (order), CALLER)

#define PASS_ON(value)                                                 \
    do {                                                               \
        if (sizeof(value) == sizeof(void *))                           \
            runtime_pass_on((uint64_t)(value), machine_self()->op.pc); \
    } while (0)

static bool fails_for_no_reason(void)
{
    if (machine.faults.weak_cas == 0 || machine_choose(DATUM_WEAK_CAS, 2) == 0)
        return false;
    machine.faults.weak_cas--;
    return true;
}

/* It has seen this value: for gates.c, should it be spinning. */
static void note_look(const volatile void *address, size_t size, uint64_t value)
{
    struct thread *self = machine_self();
    unsigned i = 0;

    while (i < self->watches && self->watched[i].address != address)
        i++;
    if (size > sizeof value || i == WATCHED ||
        (i < self->watches && self->watched[i].value != value)) {
        self->watching = false;
        return;
    }
    self->watched[i] =
        (struct watched){.address = (const void *)address, .value = value, .size = (uint8_t)size};
    if (i == self->watches)
        self->watches++;
}

static inline void looked(const volatile void *address, size_t size, uint64_t value)
{
    if (machine_self()->watching && !machine.aside)
        note_look(address, size, value);
}

/* What leaves the value as it was is no more than a look at it, unless it orders threads. */
static inline void note_only_looked(void)
{
    if (!machine.ordering && !machine.aside)
        machine_self()->op.flags |= OP_READS;
}

#define TYPE            uint8_t
#define NAME(operation) __tsan_atomic8_##operation
#include "harness/explore/runtime_atomics_width.h"
#undef TYPE
#undef NAME

#define TYPE            uint16_t
#define NAME(operation) __tsan_atomic16_##operation
#include "harness/explore/runtime_atomics_width.h"
#undef TYPE
#undef NAME

#define TYPE            uint32_t
#define NAME(operation) __tsan_atomic32_##operation
#include "harness/explore/runtime_atomics_width.h"
#undef TYPE
#undef NAME

#define TYPE            uint64_t
#define NAME(operation) __tsan_atomic64_##operation
#include "harness/explore/runtime_atomics_width.h"
#undef TYPE
#undef NAME

#define TYPE            uint128_t
#define NAME(operation) __tsan_atomic128_##operation
#include "harness/explore/runtime_atomics_width.h"
#undef TYPE
#undef NAME

/* clang calls the system's library for sixteen bytes. */
#define ALSO_OF_LIBRARY(NAME, TSAN, RESULT, ...)                                \
    RESULT gpx___atomic_##NAME##_16(__VA_ARGS__) __attribute__((alias("__tsan_" \
                                                                      "atomic128_" #TSAN)));

#define RMW_OF_LIBRARY(NAME) \
    ALSO_OF_LIBRARY(NAME, NAME, uint128_t, volatile uint128_t *, uint128_t, int)

ALSO_OF_LIBRARY(load, load, uint128_t, const volatile uint128_t *, int)
ALSO_OF_LIBRARY(store, store, void, volatile uint128_t *, uint128_t, int)
ALSO_OF_LIBRARY(compare_exchange, compare_exchange_strong, bool, volatile uint128_t *, uint128_t *,
                uint128_t, int, int)
RMW_OF_LIBRARY(exchange)
RMW_OF_LIBRARY(fetch_add)
RMW_OF_LIBRARY(fetch_sub)
RMW_OF_LIBRARY(fetch_and)
RMW_OF_LIBRARY(fetch_or)
RMW_OF_LIBRARY(fetch_xor)
RMW_OF_LIBRARY(fetch_nand)

void __tsan_atomic_thread_fence(int order)
{
    announce_atomic(OP_FENCE, 0, NULL, 0, order, CALLER);
    if (machine.ordering)
        memory_fence(order);
    RECORD(0, 0);
}

/* Orders a thread with its own signal handlers, of which there are none. */
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
