/*
 * Cycles: an execution that is back where it was goes on for ever.
 *
 * An execution that has taken its budget of steps is continued in turns (machine_picks.c), and
 * every choice is the default. What comes then follows from the state of the program and from whose
 * turn it was last. If both are what they were some steps ago, these steps repeat themselves, for
 * ever, although each thread has its turn: that is a livelock.
 *
 *   [CYCLE-1] The state is all memory that the program has, with its locks and conditions; every
 *             thread's stack, registers, thread-local variables and announced step; the order in
 *             which threads began to wait; errno, what rand comes to next, how long threads will go
 *             on spinning, and the time. Nothing else decides what comes next.
 *
 * Is it the same? It is compared by a hash of 64 bits. That takes long, so it is done where the
 * same thread is at the same place as at the step that is remembered, and not often. The step that
 * is remembered is the first one in turn, then the 2nd, the 4th, the 8th and so on (Brent, "An
 * Improved Monte Carlo Factorization Algorithm", 1980): a cycle that begins later is found, too.
 *
 * Of a stack only the program's frames count. The registers that belong to them may have been saved
 * in those of the runtime, which also hold what is different each time. So a thread's registers are
 * noted when it announces its step, close to the program.
 */
#include <errno.h>

#include "harness/explore/arena.h"
#include "harness/explore/globals.h"
#include "harness/explore/holds.h"
#include "harness/explore/machine_parts.h"
#include "harness/explore/runtime.h"

enum {
    MOST_HASHES = 64 /* of an execution */
};

static struct {
    uint32_t step;
    uint64_t state;
    unsigned thread;
    const void *pc;
    unsigned hashes;
} remembered;

static uint64_t add(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
}

static uint64_t add_bytes(uint64_t hash, const void *start, size_t size)
{
    const unsigned char *at = start;

    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        __builtin_memcpy(&word, at, sizeof word);
        hash = add(hash, word);
    }
    for (; size > 0; size--)
        hash = add(hash, *at++);
    return hash;
}

static uint64_t add_memory(uint64_t hash)
{
    void *start;
    size_t size;

    hash = add_bytes(hash, arena.start, arena.used);
    hash = add_bytes(hash, arena.states, arena.used / ARENA_UNIT);
    for (unsigned i = 0; globals_region(i, &start, &size); i++)
        hash = add_bytes(hash, start, size);
    const void *holds = holds_table(&size);
    return add_bytes(hash, holds, size);
}

/* How many have begun to wait before it. */
static unsigned place_in_line(const struct thread *thread)
{
    unsigned place = 0;

    for (unsigned i = 0; i < machine.count; i++)
        place += machine.threads[i].alive && machine.threads[i].ticket < thread->ticket;
    return place;
}

/* How long it will go on with a spin, or with looking at the clock. */
static uint64_t add_patience(uint64_t hash, const struct thread *thread)
{
    unsigned vain = thread->vain_rounds < VAIN_ROUNDS ? thread->vain_rounds : VAIN_ROUNDS;

    hash = add(hash, vain | (uint64_t)thread->idle_rounds << 16 |
                         (uint64_t)thread->impatience << 24 | (uint64_t)thread->looks << 32);
    hash = add(hash, (uint64_t)thread->time_seen);
    return add(hash, (uint64_t)thread->watching_since);
}

/* All registers that a call keeps have been saved right below `frame`, or between it and the
   program. */
void machine_note_registers(unsigned number, const char *frame)
{
    struct thread *self = &machine.threads[number];
    const char *saved = frame - FIBER_SAVED;

    self->registers = add_bytes(1, saved, (size_t)((const char *)self->edge - saved)) | 1;
}

static uint64_t add_thread(uint64_t hash, unsigned number)
{
    const struct thread *thread = &machine.threads[number];
    bool running = number == machine.current;
    const char *stack = (const char *)thread->edge - FIBER_SAVED;
    const char *end = fiber_stack_end(number);

    hash = add(hash, thread->generation);
    if (!thread->alive)
        return add(hash, thread->joined);
    hash = add(hash, thread->registers);
    hash = add_bytes(hash, stack, stack < end ? (size_t)(end - stack) : 0);
    hash = add_bytes(hash, running ? globals_tls.start : thread->tls, globals_tls.size);
    hash = add(hash, (uint64_t)(running ? errno : thread->errno_kept));
    hash = add_bytes(hash, thread->specific, machine.keys * sizeof thread->specific[0]);
    hash = add(hash, (uint64_t)thread->op.kind | (uint64_t)thread->op.flags << 8);
    hash = add(hash, (uintptr_t)thread->op.object);
    hash = add(hash, (uint64_t)thread->op.deadline);
    hash = add(hash, (uint64_t)thread->signalled | (uint64_t)thread->cancel_requested << 1 |
                         (uint64_t)thread->cancel_disabled << 2 | (uint64_t)thread->exiting << 3 |
                         (uint64_t)thread->left << 4);
    hash = add_patience(hash, thread);
    return add(hash, place_in_line(thread));
}

/* [CYCLE-1] */
static uint64_t hash_of_state(void)
{
    uint64_t hash = add(add(1, (uint64_t)machine.now), (uint64_t)machine.credit);

    hash = add(hash, machine.log[machine.steps - 1].thread);
    hash = add(hash, runtime_state_of_numbers());
    hash = add(hash, runtime_state_of_keys());
    hash = add_memory(hash);
    for (unsigned i = 0; i < machine.count; i++)
        hash = add_thread(hash, i);
    return hash;
}

static void remember(uint64_t state)
{
    remembered.step = machine.steps;
    remembered.state = state;
    remembered.thread = machine.current;
    remembered.pc = machine_self()->op.pc;
}

static bool is_power_of_two(uint32_t number)
{
    return (number & (number - 1)) == 0;
}

void machine_look_for_cycle(void)
{
    uint32_t turns = machine.steps - machine.rules.step_budget;

    if (turns == 0)
        remembered.hashes = 0;
    if (is_power_of_two(turns)) {
        remember(hash_of_state());
        return;
    }
    if (machine.current != remembered.thread || machine_self()->op.pc != remembered.pc ||
        remembered.hashes == MOST_HASHES)
        return;
    remembered.hashes++;
    if (hash_of_state() == remembered.state)
        machine_finish(ENDED_LIVELOCK,
                       "after step %u all is as it was after step %u, although each thread has had "
                       "its turn",
                       machine.steps, remembered.step);
}
