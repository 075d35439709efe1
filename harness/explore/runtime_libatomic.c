/*
 * Atomics of any size, which the compilers leave to a library: structures, and sixteen bytes in
 * clang. They are a step like others; under `c11` they read the latest store (memory.h).
 *
 * Besides the atomic there are operands, which the compilers pass by their addresses. They are the
 * program's, and may be any thread's: they are read, and written, by plain accesses, which no
 * compiler announces.
 *
 * A compare-exchange of 1, 2, 4, 8 or 16 bytes, which clang leaves to the library where it is not
 * aligned, may be weak. One of another size is always strong: gcc does not say which it wants, and
 * a program is to take the same steps, whichever compiler it comes from (gpx___weak_exchange).
 */
#include <string.h>

#include "harness/explore/runtime.h"

static void announce_sized(enum op_kind kind, unsigned flags, size_t size, const void *address,
                           int order, const void *pc)
{
    machine_point((struct op){.kind = (uint8_t)kind,
                              .flags = (uint8_t)flags,
                              .order = (uint8_t)order,
                              .size = (uint8_t)(size < UINT8_MAX ? size : UINT8_MAX),
                              .object = runtime_key_of(address),
                              .pc = pc});
}

void gpx___atomic_load(size_t size, const void *address, void *result, int order)
{
    announce_sized(OP_LOAD, OP_READS, size, address, order, CALLER);
    if (machine.ordering)
        memory_load(runtime_key_of(address), size, 0, order);
    runtime_access(result, size, ACCESS_WRITES, CALLER);
    memcpy(result, address, size);
}

void gpx___atomic_store(size_t size, void *address, const void *value, int order)
{
    runtime_access(value, size, 0, CALLER);
    announce_sized(OP_STORE, 0, size, address, order, CALLER);
    if (machine.ordering)
        memory_store(runtime_key_of(address), size, 0, 0, order);
    memcpy(address, value, size);
    machine_changed();
}

void gpx___atomic_exchange(size_t size, void *address, const void *value, void *result, int order)
{
    const void *key = runtime_key_of(address);

    runtime_access(value, size, 0, CALLER);
    announce_sized(OP_RMW, 0, size, address, order, CALLER);
    if (machine.ordering)
        memory_rmw(key, size, memory_find(key, size, 0, order), 0, order);
    runtime_access(result, size, ACCESS_WRITES, CALLER);
    memcpy(result, address, size);
    memcpy(address, value, size);
    machine_changed();
}

bool gpx___atomic_compare_exchange(size_t size, void *address, void *expected, const void *desired,
                                   int success, int failure)
{
    bool weak = runtime_is_weak_exchange(address);

    runtime_access(expected, size, 0, CALLER);
    runtime_access(desired, size, 0, CALLER);
    announce_sized(OP_CAS, 0, size, address, success, CALLER);
    bool same = memcmp(address, expected, size) == 0;
    bool done = same && !(weak && machine_fails(DATUM_WEAK_CAS, &machine.faults.weak_cas));
    if (machine.ordering && same && !done)
        memory_load(runtime_key_of(address), size, 0, failure);
    else if (machine.ordering)
        memory_cas(runtime_key_of(address), size, &(uint64_t){!same}, 0, 0, success, failure);
    if (done) {
        memcpy(address, desired, size);
        machine_changed();
    } else {
        machine_self()->op.flags |= OP_READS;
        if (machine.recording)
            record_order(failure);
        runtime_access(expected, size, ACCESS_WRITES, CALLER);
        memcpy(expected, address, size);
    }
    return done;
}
