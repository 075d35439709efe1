/*
 * Atomics. The compiler, told to instrument for ThreadSanitizer, hands every one of them to us, and
 * we have to carry it out: with a step before it, on the one real copy of memory, or on the
 * histories of stores that a weaker memory model has (memory.h).
 *
 * gcc calls ..._compare_exchange_strong and _weak, which tell success and write what they found to
 * *expected; clang calls ..._compare_exchange_val for both, which returns what it found. Of a weak
 * one, which can fail for no reason, clang's builds tell us just before (preamble.h).
 *
 * An atomic that is thread-local is the machine's under a key (runtime_key_of), and is accessed at
 * its address.
 *
 * What there is for each width is in runtime_atomics_width.h.
 */
#include "harness/explore/runtime_spins.h"

__extension__ typedef unsigned __int128 uint128_t;

#define ATOMIC_POINT(kind, flags, key, order) \
    announce_atomic((kind), (flags), (key), sizeof *address, (order), CALLER)

#define PASS_ON(value)                                                 \
    do {                                                               \
        if (sizeof(value) == sizeof(void *))                           \
            runtime_pass_on((uint64_t)(value), machine_self()->op.pc); \
    } while (0)

/* *expected is the program's, and may be any thread's: it is read, and written, by plain accesses
   that gcc does not mark. */
#define LOOK_AT_EXPECTED(expected) runtime_access((expected), sizeof *(expected), 0, CALLER)
#define SET_EXPECTED(expected, value)                                          \
    do {                                                                       \
        runtime_access((expected), sizeof *(expected), ACCESS_WRITES, CALLER); \
        *(expected) = (value);                                                 \
    } while (0)

/* Around a weak compare-exchange of clang's (preamble.h). Before it, thread.weak_exchange is the
   object; afterwards it is the thread itself if the exchange has failed for no reason: clang takes
   one that has found what was expected for done. gcc leaves objects of other sizes to a library,
   and does not say which kind it wants; so they are not weak here either. */
void gpx___weak_exchange(const volatile void *object, size_t size)
{
    if (size == 1 || size == 2 || size == 4 || size == 8 || size == 16)
        machine_self()->weak_exchange = (const void *)object;
}

bool gpx___weak_exchange_done(void)
{
    struct thread *self = machine_self();
    bool done = self->weak_exchange != self;

    self->weak_exchange = NULL;
    return done;
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
RMW_OF_LIBRARY(exchange)
RMW_OF_LIBRARY(fetch_add)
RMW_OF_LIBRARY(fetch_sub)
RMW_OF_LIBRARY(fetch_and)
RMW_OF_LIBRARY(fetch_or)
RMW_OF_LIBRARY(fetch_xor)
RMW_OF_LIBRARY(fetch_nand)

bool gpx___atomic_compare_exchange_16(volatile uint128_t *address, uint128_t *expected,
                                      uint128_t desired, int success, int failure)
{
    const void *key = runtime_key_of(address);
    bool weak = runtime_is_weak_exchange(address), done;

    LOOK_AT_EXPECTED(expected);
    ATOMIC_POINT(OP_CAS, 0, key, success);
    uint128_t old = __tsan_atomic128_exchange_if(address, key, *expected, desired, success, failure,
                                                 weak, &done);
    if (!done)
        SET_EXPECTED(expected, old);
    return done;
}

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
