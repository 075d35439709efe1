/*
 * Threads: creation, joining, thread-specific data, cancellation, and the ways to end.
 *
 * A thread that exits or is cancelled is unwound, so that what it pushed with pthread_cleanup_push
 * is called. There are two kinds of these. Compiled with -fexceptions, or in C++, they are part of
 * the frames, and the unwinder finds them; otherwise the system's header leaves a jump buffer on a
 * list of ours, and expects a jump into it. Where a program has both, their frames tell the order.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "harness/explore/clock.h"
#include "harness/explore/escapes.h"
#include "harness/explore/holds.h"
#include "harness/explore/leaks.h"
#include "harness/explore/runtime.h"
#include "harness/explore/runtime_calls.h"

enum {
    DESTRUCTOR_ROUNDS = 4,
    NAMES = 1024 /* from one generation of threads to the next */
};

/* The first machine.keys of them; the others are not used. */
static struct {
    bool used;
    void (*destroy)(void *);
} keys[MACHINE_KEYS];

void runtime_forget(void)
{
    runtime_forget_numbers();
    holds_forget();
    if (machine.ordering)
        memory_reset();
}

/* A place is used again, a name is not. */
static pthread_t name_of(unsigned number)
{
    return (pthread_t)machine.threads[number].generation * NAMES + number + 1;
}

/* Where the thread of that name is, or was: what became of it only a step can tell. */
static struct thread *place_of(pthread_t name, const void *pc)
{
    unsigned number = (unsigned)((name - 1) % NAMES);
    struct thread *thread = &machine.threads[number % MACHINE_THREADS];

    if (name == 0 || number >= machine.count || (name - 1) / NAMES > thread->generation)
        runtime_misuse(pc, "thread %u names a thread that there never was", machine.current);
    return thread;
}

/* Once a thread has been joined, or has ended detached, its name means nothing any more. */
static struct thread *thread_of(pthread_t name, const void *pc)
{
    struct thread *thread = place_of(name, pc);
    unsigned number = (unsigned)(thread - machine.threads);

    if (name != name_of(number) || thread->joined || (thread->detached && !thread->alive))
        runtime_misuse(pc,
                       "thread %u names thread %u, which has been joined, or has ended detached",
                       machine.current, number);
    return thread;
}

/* Only a story wants to know. */
int gpx_pthread_setname_np(pthread_t name, const char *text)
{
    unsigned number = (unsigned)((name - 1) % NAMES);

    if (machine.recording && number < machine.count && name == name_of(number))
        record_name(number, text);
    return 0;
}

/* ---- creating and joining ---- */

static bool is_refused(const void *pc)
{
    if (!machine_has_room()) {
        machine.culprit = pc;
        machine_stop_at(LIMIT_THREADS, "more than %d threads at the same time", MACHINE_THREADS);
    }
    return machine_fails(DATUM_NO_THREAD, &machine.faults.no_thread);
}

/* What nobody has asked for is the system's limit, which may be anything. */
static void check_stack(const pthread_attr_t *attributes, const void *pc)
{
    pthread_attr_t fresh;
    size_t wanted = 0, usual = 0;

    pthread_attr_getstacksize(attributes, &wanted);
    if (wanted <= MACHINE_STACK)
        return;
    pthread_attr_init(&fresh);
    pthread_attr_getstacksize(&fresh, &usual);
    pthread_attr_destroy(&fresh);
    if (wanted == usual)
        return;
    machine.culprit = pc;
    machine_stop_at(LIMIT_CALLS,
                    "a stack of %zu KB is asked for; each thread has %d KB, and no more",
                    wanted / 1024, MACHINE_STACK / 1024);
}

void runtime_refuse_thread_local(const void *pc)
{
    machine.culprit = pc;
    machine_stop_at(LIMIT_CALLS,
                    "thread %u passes on the address of a thread-local variable;"
                    " here all threads have theirs at the same address, so use another kind",
                    machine.current);
}

int runtime_create(pthread_t *name, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument, const void *pc)
{
    int detached = PTHREAD_CREATE_JOINABLE;

    announce(OP_CREATE, 0, &machine.count, pc);
    runtime_pass_on((uintptr_t)argument, pc);
    if (is_refused(pc)) {
        RECORD(0, EAGAIN);
        return EAGAIN;
    }
    if (attributes) {
        pthread_attr_getdetachstate(attributes, &detached);
        check_stack(attributes, pc);
    }
    unsigned number = machine_start_thread(start, argument);
    machine.threads[number].detached = detached == PTHREAD_CREATE_DETACHED;
    if (machine.ordering)
        memory_fork(number);
    machine_changed();
    if (machine.threads[number].generation > 0)
        machine_doubt_gates(set_all()); /* some may wait for whoever had the place */
    runtime_access(name, sizeof *name, ACCESS_WRITES, pc); /* the thread may be too early */
    *name = name_of(number);
    RECORD(number, 0);
    return 0;
}

int gpx_pthread_create(pthread_t *name, const pthread_attr_t *attributes, void *(*start)(void *),
                       void *argument)
{
    return runtime_create(name, attributes, start, argument, CALLER);
}

static int join_until(pthread_t name, void **result, int64_t deadline, unsigned timed,
                      const void *pc)
{
    struct thread *thread = place_of(name, pc);

    if (name == name_of(machine.current))
        return EDEADLK;
    machine_point((struct op){.kind = OP_JOIN,
                              .flags = (uint8_t)(OP_GATED | OP_READS | OP_CANCEL_POINT | timed),
                              .object = thread,
                              .second = &thread->detached,
                              .deadline = deadline,
                              .pc = pc});
    runtime_act_on_cancel();
    if (thread_of(name, pc)->detached)
        return EINVAL;
    if (thread->alive) {
        if (memory_is_weak())
            memory_learn(thread);
        RECORD(0, ETIMEDOUT);
        return ETIMEDOUT;
    }
    thread->joined = true;
    if (machine.ordering)
        memory_join((unsigned)(thread - machine.threads));
    if (result) {
        runtime_access(result, sizeof *result, ACCESS_WRITES, pc);
        *result = thread->result;
    }
    RECORD((uint64_t)(thread - machine.threads), 0);
    return 0;
}

int runtime_join(pthread_t name, void **result, const void *pc)
{
    return join_until(name, result, INT64_MAX, 0, pc);
}

int gpx_pthread_join(pthread_t name, void **result)
{
    return runtime_join(name, result, CALLER);
}

int gpx_pthread_tryjoin_np(pthread_t name, void **result)
{
    int error = join_until(name, result, INT64_MIN, OP_TIMED, CALLER);

    return error == ETIMEDOUT ? EBUSY : error;
}

int gpx_pthread_timedjoin_np(pthread_t name, void **result, const struct timespec *until)
{
    runtime_access(until, sizeof *until, 0, CALLER);
    if (!clock_is_valid(CLOCK_REALTIME, until))
        return EINVAL;
    return join_until(name, result, clock_deadline(CLOCK_REALTIME, until), OP_TIMED, CALLER);
}

int runtime_detach(pthread_t name, const void *pc)
{
    struct thread *thread = place_of(name, pc);

    announce(OP_DETACH, 0, &thread->detached, pc);
    if (thread_of(name, pc)->detached)
        return EINVAL;
    thread->detached = true;
    machine_gates_changed();
    return 0;
}

int gpx_pthread_detach(pthread_t name)
{
    return runtime_detach(name, CALLER);
}

pthread_t gpx_pthread_self(void)
{
    return name_of(machine.current);
}

/* ---- thread-specific data ---- */

/* Which keys there are is for all threads to see. What is at a key is each thread's own. */
static void announce_keys(unsigned flags, const void *pc)
{
    announce(OP_KEY, flags, keys, pc);
}

static bool is_key(pthread_key_t key)
{
    return key < machine.keys && keys[key].used;
}

int runtime_key_create(pthread_key_t *key, void (*destroy)(void *), const void *pc)
{
    if (!machine.prepared)
        runtime_refuse_constructor("pthread_key_create", pc);
    announce_keys(0, pc);
    for (unsigned i = 0; i < MACHINE_KEYS; i++)
        if (!is_key(i)) {
            keys[i].used = true;
            keys[i].destroy = destroy;
            machine.keys = i >= machine.keys ? i + 1 : machine.keys;
            for (unsigned t = 0; t < machine.count; t++)
                machine.threads[t].specific[i] = NULL;
            machine_changed();
            runtime_access(key, sizeof *key, ACCESS_WRITES, pc);
            *key = i;
            return 0;
        }
    machine.culprit = pc;
    machine_stop_at(
        LIMIT_CALLS,
        "a key for thread-specific data is asked for; there are %d of them, and no more",
        MACHINE_KEYS);
}

int gpx_pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    return runtime_key_create(key, destroy, CALLER);
}

uint64_t runtime_state_of_keys(void)
{
    uint64_t state = 0;

    for (unsigned i = 0; i < machine.keys; i++)
        state = (state + keys[i].used + (uintptr_t)keys[i].destroy) * UINT64_C(0x9E3779B97F4A7C15);
    return state;
}

int runtime_key_delete(pthread_key_t key, const void *pc)
{
    announce_keys(0, pc);
    if (!is_key(key))
        return EINVAL;
    keys[key].used = false;
    machine_changed();
    return 0;
}

int gpx_pthread_key_delete(pthread_key_t key)
{
    return runtime_key_delete(key, CALLER);
}

int runtime_set_specific(pthread_key_t key, const void *value, const void *pc)
{
    announce_keys(OP_READS, pc);
    if (!is_key(key))
        return EINVAL;
    machine_self()->specific[key] = (void *)value;
    machine.writes++; /* [SPIN-1] */
    return 0;
}

int gpx_pthread_setspecific(pthread_key_t key, const void *value)
{
    return runtime_set_specific(key, value, CALLER);
}

void *gpx_pthread_getspecific(pthread_key_t key)
{
    return key < machine.keys ? machine_self()->specific[key] : NULL;
}

/* True: there was something to destroy, and it may have left something in turn. Whether there is
   still such a key is asked before each: destructors take steps, and others may delete it. */
static bool destroy_specifics(void)
{
    bool any = false;

    for (unsigned i = 0; i < machine.keys; i++) {
        if (!machine_self()->specific[i])
            continue;
        announce_keys(OP_READS, NULL);
        void *value = machine_self()->specific[i];
        machine_self()->specific[i] = NULL;
        if (value && keys[i].used && keys[i].destroy) {
            any = true;
            keys[i].destroy(value);
        }
    }
    return any;
}

static void destroy_all_specifics(void)
{
    machine_self()->exiting = true;
    for (int round = 0; round < DESTRUCTOR_ROUNDS && destroy_specifics(); round++) {
    }
}

/* ---- ending ---- */

void runtime_thread_exits(void)
{
    struct thread *self = machine_self();

    destroy_all_specifics();
    machine_point((struct op){.kind = OP_EXIT, .object = self});
    if (machine.ordering)
        memory_release(self);
    RECORD(0, 0);
    machine_end_thread();
}

static _Noreturn void report_leaks(const struct leaks *leaks)
{
    machine.culprit = leaks->first->pc;
    machine.address = leaks->first + 1;
    machine.access_count = 1;
    machine.accesses[0] = (struct access){.pc = leaks->first->pc,
                                          .thread = MACHINE_THREADS,
                                          .size = leaks->first->size,
                                          .flags = ACCESS_ALLOCATES};
    if (leaks->blocks == 1)
        machine_finish(ENDED_LEAK, "%zu bytes were lost and never freed", leaks->bytes);
    machine_finish(ENDED_LEAK, "%u blocks, %zu bytes in all, were lost and never freed",
                   leaks->blocks, leaks->bytes);
}

void runtime_announce_end(const void *pc)
{
    thread_set alive = set_or(machine.ready, machine.gated);

    if (!set_is_empty(set_minus(alive, only(machine.current)))) {
        machine_point((struct op){.kind = OP_END, .pc = pc});
        RECORD(0, 0);
    }
}

/* As in the system, main's thread-specific data are left as they are, and are no leaks. */
void runtime_program_ends(const void *frame)
{
    struct leaks leaks = leaks_find(frame);
    if (leaks.first)
        report_leaks(&leaks);
    if (escapes_are_possible())
        escapes_check_all();
    machine_finish_well();
}

/* The header declares no more of a jump buffer than is used: the signal mask is not kept. */
static _Noreturn void jump_into(void *buffer)
{
    void *volatile whole = buffer;

    siglongjmp(whole, 1);
}

static _Noreturn void jump_into_cleanup(struct thread *self)
{
    __pthread_unwind_buf_t *buffer = self->cleanups;

    self->cleanups = buffer->__pad[0];
    jump_into(buffer->__cancel_jmp_buf);
}

/* A jump buffer has its turn when the frames below the one that it lies in have had theirs. */
static _Unwind_Reason_Code until_end_of_stack(int version, _Unwind_Action actions,
                                              _Unwind_Exception_Class class,
                                              struct _Unwind_Exception *exception,
                                              struct _Unwind_Context *context, void *unused)
{
    (void)version;
    (void)class;
    (void)exception;
    (void)unused;
    struct thread *self = machine_self();
    if (self->cleanups && (uintptr_t)self->cleanups < _Unwind_GetCFA(context))
        jump_into_cleanup(self);
    if (actions & _UA_END_OF_STACK)
        runtime_thread_exits();
    return _URC_NO_REASON;
}

static struct _Unwind_Exception unwinding[MACHINE_THREADS];

static _Noreturn void unwind(void)
{
    struct thread *self = machine_self();

    _Unwind_ForcedUnwind(&unwinding[machine.current], until_end_of_stack, NULL);
    if (self->cleanups)
        jump_into_cleanup(self); /* there was a frame that cannot be unwound */
    runtime_thread_exits();
}

_Noreturn void gpx_pthread_exit(void *result)
{
    machine_self()->exiting = true;
    machine_self()->result = result;
    unwind();
}

void gpx___pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
    buffer->__pad[0] = machine_self()->cleanups;
    machine_self()->cleanups = buffer;
}

void gpx___pthread_unregister_cancel(__pthread_unwind_buf_t *buffer)
{
    machine_self()->cleanups = buffer->__pad[0];
}

_Noreturn void gpx___pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
    (void)buffer;
    unwind();
}

/* ---- cancellation ---- */

static __attribute__((noinline)) _Noreturn void be_cancelled(struct thread *self)
{
    if (memory_is_weak())
        memory_learn(NULL);
    self->exiting = true;
    self->result = PTHREAD_CANCELED;
    unwind();
}

void runtime_act_on_cancel(void)
{
    struct thread *self = machine_self();

    if (is_cancelled_at(self, &self->op))
        be_cancelled(self);
}

int gpx_pthread_cancel(pthread_t name)
{
    struct thread *thread = place_of(name, CALLER);

    machine_point((struct op){.kind = OP_CANCEL,
                              .object = thread,
                              .second = &thread->detached, /* [DEP-9] */
                              .pc = CALLER});
    thread_of(name, CALLER)->cancel_requested = true;
    if (memory_is_weak())
        memory_learn(NULL); /* that it was not when the thread has tested for it */
    machine.cancels = true;
    machine_gates_changed();
    return 0;
}

int gpx_pthread_setcancelstate(int state, int *old)
{
    struct thread *self = machine_self();

    if (old) {
        runtime_access(old, sizeof *old, ACCESS_WRITES, CALLER);
        *old = self->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    }
    self->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
    machine.writes++; /* [SPIN-1] */
    return 0;
}

int gpx_pthread_setcanceltype(int type, int *old)
{
    if (type != PTHREAD_CANCEL_DEFERRED)
        machine_stop_at(LIMIT_CALLS, "asynchronous cancellation");
    if (old) {
        runtime_access(old, sizeof *old, ACCESS_WRITES, CALLER);
        *old = PTHREAD_CANCEL_DEFERRED;
    }
    return 0;
}

void gpx_pthread_testcancel(void)
{
    struct thread *self = machine_self();

    if (self->cancel_disabled)
        return;
    announce(OP_CANCEL, OP_READS | OP_CANCEL_POINT, self, CALLER);
    runtime_act_on_cancel();
}
