/*
 * What the files of the runtime share. The runtime is what an explored program meets instead of the
 * system: for every function that it may call there is one here with the prefix gpx_, and objcopy
 * has renamed the calls (control).
 */
#ifndef HARNESS_EXPLORE_RUNTIME_H
#define HARNESS_EXPLORE_RUNTIME_H

#include <pthread.h> /* __pthread_unwind_buf_t */
#include <stdarg.h>

#include "harness/explore/gates.h"
#include "harness/explore/globals.h"
#include "harness/explore/machine.h"
#include "harness/explore/memory.h"
#include "harness/explore/record.h"

#define CALLER __builtin_return_address(0)

/* A lock, a condition or a semaphore: each thread would have another one there. Of mutexes, which
   most steps are about, that is found when they are taken for the first time (memory.c). */
static inline void runtime_check_lock(enum op_kind kind, const void *object, const void *pc)
{
    bool is_mutex = kind >= OP_LOCK && kind <= OP_UNLOCK;

    if (!is_mutex && __builtin_expect(globals_is_thread_local((uintptr_t)object), 0))
        memory_refuse_thread_local(pc);
}

/* What it does before each operation: announce, and wait until it may be done. */
static inline void announce(enum op_kind kind, unsigned flags, const void *object, const void *pc)
{
    runtime_check_lock(kind, object, pc);
    machine_point(
        (struct op){.kind = (uint8_t)kind, .flags = (uint8_t)flags, .object = object, .pc = pc});
}
static inline void announce_until(enum op_kind kind, unsigned flags, const void *object,
                                  int64_t deadline, const void *pc)
{
    runtime_check_lock(kind, object, pc);
    machine_point((struct op){.kind = (uint8_t)kind,
                              .flags = (uint8_t)(flags | OP_TIMED),
                              .object = object,
                              .deadline = deadline,
                              .pc = pc});
}
/* What an atomic is known by. Thread-local ones of all threads have the same address while their
   threads run, so that of each is known by where it is while its thread does not. */
static inline void *runtime_key_of(const volatile void *address)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)globals_tls.start;

    if (__builtin_expect(globals_is_thread_local((uintptr_t)address), 0))
        return machine_self()->tls + offset;
    return (void *)(uintptr_t)address;
}
/* As it is now: that is where the gate of a thread which waits for another value looks. */
static inline const void *runtime_key_to_watch(const volatile void *address, size_t size)
{
    void *key = runtime_key_of(address);

    if (key != (const void *)address)
        __builtin_memcpy(key, (const void *)address, size);
    return key;
}
/* `object` is its key. */
static inline void announce_atomic(enum op_kind kind, unsigned flags, const void *object,
                                   unsigned size, int order, const void *pc)
{
    machine_point((struct op){.kind = (uint8_t)kind,
                              .flags = (uint8_t)flags,
                              .order = (uint8_t)order,
                              .size = (uint8_t)size,
                              .object = object,
                              .pc = pc});
}

/* Of a compare-exchange for which both kinds call the same function: is it a weak one? */
static inline bool runtime_is_weak_exchange(const volatile void *object)
{
    struct thread *self = machine_self();
    bool weak = self->weak_exchange == object;

    self->weak_exchange = NULL;
    return weak;
}

/* What a stand-in does with the program's memory, told before it does it. */
void runtime_access(const void *address, size_t size, unsigned flags, const void *pc);
void runtime_read_arguments(const char *format, va_list, const void *pc); /* as printf does */
void *runtime_allocate(size_t size, const void *pc); /* a block, for the program */

/* A value that other threads get to see. */
_Noreturn void runtime_refuse_thread_local(const void *pc);
static inline void runtime_pass_on(uint64_t value, const void *pc)
{
    if (globals_is_thread_local(value))
        runtime_refuse_thread_local(pc);
}

/* The caller has one more lock, or one less. */
static inline void runtime_count_lock(void)
{
    machine.locked++;
    machine.locks[machine.current]++;
}
static inline void runtime_discount_lock(void)
{
    machine.locked--;
    machine.locks[machine.current]--;
}

/* A free mutex becomes the caller's, and is given back. */
static inline void runtime_have_mutex(struct x_mutex *mutex)
{
    mutex->owner = machine.current + 1;
    runtime_count_lock();
    machine_changed();
    machine.open = set_minus(machine.open, machine_who_wants(mutex));
    if (machine.ordering)
        memory_acquire(mutex);
}
static inline void runtime_free_mutex(struct x_mutex *mutex)
{
    mutex->owner = 0;
    runtime_discount_lock();
    machine_changed();
    machine.open = set_or(machine.open, machine_who_wants(mutex));
    if (machine.ordering)
        memory_release(mutex);
}

void runtime_act_on_cancel(void); /* where a request is pending and allowed, does not return */
_Noreturn void runtime_thread_exits(void);
/* Ending the program is a step as long as other threads are alive: they may come first. */
void runtime_announce_end(const void *pc);
/* Of the thread that ends it the stack counts from `frame` on; NULL: main has returned. */
_Noreturn void runtime_program_ends(const void *frame);
void gpx___pthread_register_cancel(__pthread_unwind_buf_t *); /* a cleanup handler */
void gpx___pthread_unregister_cancel(__pthread_unwind_buf_t *);
_Noreturn void gpx___pthread_unwind_next(__pthread_unwind_buf_t *);
void runtime_forget(void); /* the last execution */
void runtime_forget_numbers(void);
uint64_t runtime_state_of_numbers(void);
uint64_t runtime_state_of_keys(void);
/* For what is no step: the place in the program is told besides. */
_Noreturn void runtime_misuse(const void *pc, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Before machine_prepare the program's constructors run, and want what there is not yet. */
_Noreturn void runtime_refuse_constructor(const char *what, const void *pc);

#endif
