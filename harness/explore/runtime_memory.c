/*
 * Plain accesses, and allocation.
 *
 * A plain access is not a step: if another thread could notice when it happens, it is a data race,
 * and is reported as one; if none can, it does not matter when it happens. With checks off it costs
 * a call.
 *
 * The compilers announce accesses by size; memcpy and its kin they leave alone, so these come here
 * by their own names. So do the functions for text (runtime_strings.c, runtime_format.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/arena.h"
#include "harness/explore/escapes.h"
#include "harness/explore/memory_cells.h"
#include "harness/explore/runtime.h"

/* Apart, so that whoever does not record needs no stack frame. */
__attribute__((noinline)) static void recorded_access(const void *address, size_t size,
                                                      unsigned flags, const void *pc)
{
    record_access(address, size, flags, pc);
    memory_access(address, size, flags, pc);
}

static inline void access(const void *address, size_t size, unsigned flags, const void *pc)
{
    if (!memory_rules.races)
        return;
    if (machine.recording)
        recorded_access(address, size, flags, pc);
    else
        memory_quick_access(address, size, flags, pc);
}

void runtime_access(const void *address, size_t size, unsigned flags, const void *pc)
{
    access(address, size, flags, pc);
}

#define ACCESSES(SIZE)                                        \
    void __tsan_read##SIZE(void *address)                     \
    {                                                         \
        access(address, SIZE, 0, CALLER);                     \
    }                                                         \
    void __tsan_write##SIZE(void *address)                    \
    {                                                         \
        access(address, SIZE, ACCESS_WRITES, CALLER);         \
    }                                                         \
    void __tsan_unaligned_read##SIZE(void *address)           \
    {                                                         \
        access(address, SIZE, 0, CALLER);                     \
    }                                                         \
    void __tsan_unaligned_write##SIZE(void *address)          \
    {                                                         \
        access(address, SIZE, ACCESS_WRITES, CALLER);         \
    }                                                         \
    void __tsan_volatile_read##SIZE(void *address)            \
    {                                                         \
        access(address, SIZE, 0, CALLER);                     \
    }                                                         \
    void __tsan_volatile_write##SIZE(void *address)           \
    {                                                         \
        access(address, SIZE, ACCESS_WRITES, CALLER);         \
    }                                                         \
    void __tsan_unaligned_volatile_read##SIZE(void *address)  \
    {                                                         \
        access(address, SIZE, 0, CALLER);                     \
    }                                                         \
    void __tsan_unaligned_volatile_write##SIZE(void *address) \
    {                                                         \
        access(address, SIZE, ACCESS_WRITES, CALLER);         \
    }                                                         \
    void __tsan_read_write##SIZE(void *address)               \
    {                                                         \
        access(address, SIZE, ACCESS_WRITES, CALLER);         \
    }                                                         \
    void __tsan_unaligned_read_write##SIZE(void *address)     \
    {                                                         \
        access(address, SIZE, ACCESS_WRITES, CALLER);         \
    }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *address, size_t size)
{
    access(address, size, 0, CALLER);
}

void __tsan_write_range(void *address, size_t size)
{
    access(address, size, ACCESS_WRITES, CALLER);
}

void __tsan_init(void) {}

void __tsan_func_entry(void *pc)
{
    (void)pc;
}

void __tsan_func_exit(void) {}

void __tsan_vptr_update(void **place, void *value)
{
    (void)value;
    access(place, sizeof *place, ACCESS_WRITES, CALLER);
}

void __tsan_vptr_read(void **place)
{
    access(place, sizeof *place, 0, CALLER);
}

/* ---- memcpy and its kin ---- */

void *gpx_memcpy(void *to, const void *from, size_t size)
{
    access(from, size, 0, CALLER);
    access(to, size, ACCESS_WRITES, CALLER);
    return memcpy(to, from, size);
}

void *gpx_memmove(void *to, const void *from, size_t size)
{
    access(from, size, 0, CALLER);
    access(to, size, ACCESS_WRITES, CALLER);
    return memmove(to, from, size);
}

void *gpx_memset(void *to, int value, size_t size)
{
    access(to, size, ACCESS_WRITES, CALLER);
    return memset(to, value, size);
}

int gpx_memcmp(const void *left, const void *right, size_t size)
{
    access(left, size, 0, CALLER);
    access(right, size, 0, CALLER);
    return memcmp(left, right, size);
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    access(from, size, 0, CALLER);
    access(to, size, ACCESS_WRITES, CALLER);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    access(from, size, 0, CALLER);
    access(to, size, ACCESS_WRITES, CALLER);
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size)
{
    access(to, size, ACCESS_WRITES, CALLER);
    return memset(to, value, size);
}

/* ---- allocation ---- */

/* A step only where it may fail: otherwise nobody can notice when it happens. */
static bool is_refused(const void *pc)
{
    if (machine.rules.faults.no_memory == 0)
        return false;
    machine_point((struct op){.kind = OP_ALLOCATE, .pc = pc});
    return machine_fails(DATUM_NO_MEMORY, &machine.faults.no_memory);
}

static _Noreturn void stop_without_room(size_t size, const void *pc)
{
    machine.culprit = pc;
    machine_stop_at(LIMIT_MEMORY, "%zu bytes are asked for, and of %d MB too few are left", size,
                    ARENA_BYTES / 1024 / 1024);
}

static void *allocate(size_t size, size_t alignment, const void *pc)
{
    if (!machine.prepared)
        runtime_refuse_constructor("malloc", pc);
    if (size > PTRDIFF_MAX || is_refused(pc)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = arena_allocate(size, alignment, pc);
    if (!memory)
        stop_without_room(size, pc);
    machine.allocations++;
    machine.writes++; /* the next block lies elsewhere [SPIN-1] */
    if (machine.ordering)
        memory_allocated(memory, size, pc);
    if (machine.recording)
        record_access(memory, size, ACCESS_ALLOCATES, pc);
    return memory;
}

void *runtime_allocate(size_t size, const void *pc)
{
    return allocate(size, ARENA_UNIT, pc);
}

/* The block that begins there. */
static struct arena_block *block_at(const void *memory, const void *pc)
{
    struct arena_block *block = arena_block_of(memory);

    machine.culprit = pc;
    if (!block || block + 1 != memory)
        machine_finish(ENDED_MISUSE, "freed, but never allocated");
    if (arena_state_of(memory) == ARENA_FREED)
        memory_freed_twice(memory, pc);
    machine.culprit = NULL;
    return block;
}

static void record_release(const void *memory, const void *pc)
{
    const struct arena_block *block = arena_block_of(memory);

    record_access(memory, block ? block->size : 1, ACCESS_WRITES | ACCESS_FREES, pc);
}

static void release(void *memory, const void *pc)
{
    if (!memory)
        return;
    if (machine.recording)
        record_release(memory, pc);
    struct arena_block *block = block_at(memory, pc);
    if (machine.ordering)
        memory_freed(memory, block->size, pc);
    if (escapes_are_possible())
        escapes_check_block(block);
    arena_free(block, pc);
    machine.allocations += arena.reuses;
}

void *gpx_malloc(size_t size)
{
    return allocate(size, ARENA_UNIT, CALLER);
}

void *gpx_calloc(size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = allocate(bytes, ARENA_UNIT, CALLER);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void *gpx_realloc(void *old, size_t size)
{
    if (old && size == 0) { /* as glibc does it */
        release(old, CALLER);
        return NULL;
    }
    size_t old_size = old ? block_at(old, CALLER)->size : 0;
    void *new = allocate(size, ARENA_UNIT, CALLER);

    if (new &&old) {
        access(old, old_size < size ? old_size : size, 0, CALLER);
        memcpy(new, old, old_size < size ? old_size : size);
        release(old, CALLER);
    }
    return new;
}

void *gpx_aligned_alloc(size_t alignment, size_t size)
{
    return allocate(size, alignment, CALLER);
}

int gpx_posix_memalign(void **place, size_t alignment, size_t size)
{
    void *memory = allocate(size, alignment, CALLER);

    if (!memory)
        return ENOMEM;
    access(place, sizeof *place, ACCESS_WRITES, CALLER);
    *place = memory;
    return 0;
}

void gpx_free(void *memory)
{
    release(memory, CALLER);
}
