/*
 * Atomics. The compiler, told to instrument for ThreadSanitizer, hands every one of them to us, and
 * we have to carry it out: with a step before it, on the one real copy of memory, or on the
 * histories of stores that a weaker memory model has (memory.h).
 *
 * gcc calls ..._compare_exchange_strong and _weak, which tell success and write what they found to
 * *expected; clang calls ..._compare_exchange_val for both, which returns what it found. A weak one
 * can fail for no reason only where we know that it is one.
 */
#include "harness/explore/runtime.h"

__extension__ typedef unsigned __int128 uint128_t;

#define ATOMIC_POINT(kind, flags, address, order) \
    announce_atomic((kind), (flags), (const void *)(address), sizeof *(address), (order), CALLER)

static bool fails_for_no_reason(void)
{
    if (machine.faults.weak_cas == 0 || machine_choose(DATUM_WEAK_CAS, 2) == 0)
        return false;
    machine.faults.weak_cas--;
    return true;
}

/* Memory orders it, and under `c11` says what it finds; see memory.h for those of sixteen bytes. */
#define ORDERED_LOAD(TYPE, address, value, order)                                               \
    do {                                                                                        \
        if (machine.ordering) {                                                                 \
            uint64_t found =                                                                    \
                memory_load((const void *)(address), sizeof(TYPE), (uint64_t)(value), (order)); \
            value = sizeof(TYPE) <= sizeof found ? (TYPE)found : (value);                       \
        }                                                                                       \
    } while (0)

#define LOADS_AND_STORES(BITS, TYPE)                                                               \
    TYPE __tsan_atomic##BITS##_load(const volatile TYPE *address, int order)                       \
    {                                                                                              \
        ATOMIC_POINT(OP_LOAD, OP_READS, address, order);                                           \
        TYPE value = *address;                                                                     \
        ORDERED_LOAD(TYPE, address, value, order);                                                 \
        RECORD(value, value);                                                                      \
        return value;                                                                              \
    }                                                                                              \
    void __tsan_atomic##BITS##_store(volatile TYPE *address, TYPE value, int order)                \
    {                                                                                              \
        ATOMIC_POINT(OP_STORE, 0, address, order);                                                 \
        RECORD(*address, value);                                                                   \
        if (machine.ordering)                                                                      \
            memory_store((const void *)address, sizeof value, (uint64_t)*address, (uint64_t)value, \
                         order);                                                                   \
        *address = value;                                                                          \
        machine_changed();                                                                         \
    }

#define RMW(BITS, TYPE, NAME, NEW)                                                               \
    TYPE __tsan_atomic##BITS##_##NAME(volatile TYPE *address, TYPE operand, int order)           \
    {                                                                                            \
        ATOMIC_POINT(OP_RMW, 0, address, order);                                                 \
        TYPE old = *address;                                                                     \
        TYPE new = (TYPE)(NEW);                                                                  \
        if (machine.ordering)                                                                    \
            memory_rmw((const void *)address, sizeof old, (uint64_t)old, (uint64_t) new, order); \
        *address = new;                                                                          \
        machine_changed();                                                                       \
        RECORD(old, new);                                                                        \
        return old;                                                                              \
    }

/* What it found. Of sixteen bytes, memory is only told whether they were the expected ones. */
#define COMPARE_EXCHANGE(BITS, TYPE)                                                               \
    static inline TYPE cas##BITS(volatile TYPE *address, TYPE expected, TYPE desired, int success, \
                                 int failure, bool weak, bool *done)                               \
    {                                                                                              \
        TYPE old = *address;                                                                       \
        bool in_vain = old == expected && weak && fails_for_no_reason();                           \
        if (in_vain)                                                                               \
            ORDERED_LOAD(TYPE, address, old, failure);                                             \
        else if (machine.ordering && sizeof old <= sizeof(uint64_t))                               \
            old = (TYPE)memory_cas((const void *)address, sizeof old, (uint64_t)old,               \
                                   (uint64_t)expected, (uint64_t)desired, success, failure);       \
        else if (machine.ordering)                                                                 \
            memory_cas((const void *)address, sizeof old, old != expected, 0, 0, success,          \
                       failure);                                                                   \
        *done = old == expected && !in_vain;                                                       \
        RECORD(old, *done ? desired : old);                                                        \
        if (*done) {                                                                               \
            *address = desired;                                                                    \
            machine_changed();                                                                     \
        } else {                                                                                   \
            machine_self()->op.flags |= OP_READS;                                                  \
        }                                                                                          \
        return old;                                                                                \
    }                                                                                              \
    bool __tsan_atomic##BITS##_compare_exchange_strong(volatile TYPE *address, TYPE *expected,     \
                                                       TYPE desired, int success, int failure)     \
    {                                                                                              \
        bool done;                                                                                 \
        ATOMIC_POINT(OP_CAS, 0, address, success);                                                 \
        TYPE old = cas##BITS(address, *expected, desired, success, failure, false, &done);         \
        if (!done)                                                                                 \
            *expected = old;                                                                       \
        return done;                                                                               \
    }                                                                                              \
    bool __tsan_atomic##BITS##_compare_exchange_weak(volatile TYPE *address, TYPE *expected,       \
                                                     TYPE desired, int success, int failure)       \
    {                                                                                              \
        bool done;                                                                                 \
        ATOMIC_POINT(OP_CAS, 0, address, success);                                                 \
        TYPE old = cas##BITS(address, *expected, desired, success, failure, true, &done);          \
        if (!done)                                                                                 \
            *expected = old;                                                                       \
        return done;                                                                               \
    }                                                                                              \
    TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE *address, TYPE expected,         \
                                                    TYPE desired, int success, int failure)        \
    {                                                                                              \
        bool done;                                                                                 \
        ATOMIC_POINT(OP_CAS, 0, address, success);                                                 \
        return cas##BITS(address, expected, desired, success, failure, false, &done);              \
    }

#define ALL(BITS, TYPE)                           \
    LOADS_AND_STORES(BITS, TYPE)                  \
    RMW(BITS, TYPE, exchange, operand)            \
    RMW(BITS, TYPE, fetch_add, old + operand)     \
    RMW(BITS, TYPE, fetch_sub, old - operand)     \
    RMW(BITS, TYPE, fetch_and, old &operand)      \
    RMW(BITS, TYPE, fetch_or, old | operand)      \
    RMW(BITS, TYPE, fetch_xor, old ^ operand)     \
    RMW(BITS, TYPE, fetch_nand, ~(old & operand)) \
    COMPARE_EXCHANGE(BITS, TYPE)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)
ALL(128, uint128_t)

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
