/*
 * Spins: a thread that looks again and again until another thread has changed what it sees.
 *
 * How often a spin goes round before it sees something new makes no difference to anything, so
 * rounds that see nothing new must not be steps: a strategy could take them for ever, and a search
 * would never end. A thread that spins has to wait, as at a gate, until there is something new to
 * see. But is it a spin? A loop may count its rounds and give up after the tenth.
 *
 *   [SPIN-1] A thread that comes back to a place, with its registers and its stack as they were,
 *            while no thread has changed anything in between, will come back there again and again
 *            until one has. Such a spin is exact: to let it wait for a change leaves nothing out.
 *            If all threads that are left wait for others or are in such spins, nothing will ever
 *            change: that is a livelock.
 *
 *      look at x  <----+    1st visit: where, and how many changes and writes there were so far
 *      x == 0 ? -------+    2nd visit: none since; what its registers and its stack are
 *                           3rd visit: they are the same, and what it saw since the 2nd is known
 *
 * A round in which something has failed by a fault is none of these: the next one may go another
 * way, since a fault has a budget.
 *
 * "Anything" is what a step changes (machine.changes) and any plain write to memory outside of the
 * thread's own stack (machine.writes). These are only known while races are looked for; otherwise
 * no spin is exact. What a function of the system's library changes in secret is not seen.
 *
 * A thread that yields again and again, undisturbed, and changes nothing in between is taken for a
 * spin even if it is not exact. It may have an end of its own, and what comes after that is left
 * out unless a fault lets it go round for a while (LIMIT_SPINS, DATUM_SPIN). But time does not pass
 * before it has gone round in vain some times: it could run, after all.
 *
 * What it waits for. If it has looked at a few places only, at one of them a value has to be
 * another than the one it saw; otherwise it waits for any change.
 *
 * Old stores. Under `c11` a round may have seen an old store while there is a newer one. Then it
 * does not wait. If the store is all that it looks at, it reads a newer one in its next round: to
 * read the same again would bring it back to where it is.
 */
#include "harness/explore/runtime_spins.h"

#include "harness/explore/fiber.h"

enum {
    MOST_LOOKS = 16, /* of a round, after which another may begin */
    IDLE_ROUNDS = 3, /* between yields, after which a thread is taken for a spinning one */
    IMPATIENCE = 100 /* rounds of a spin that goes on by a fault */
};

/* ---- where it is ---- */

static uint64_t add_to_hash(uint64_t hash, const char *start, const char *end)
{
    const uint64_t *last = (const uint64_t *)(const void *)end;

    for (const uint64_t *word = (const uint64_t *)(const void *)start; word < last; word++)
        hash = (hash ^ *word) * UINT64_C(0x9E3779B97F4A7C15) + (hash >> 29);
    return hash;
}

/* Of the registers that a call keeps, and of all frames of the program; never 0. `frame` is that of
   the caller, which has saved these registers there (__builtin_unwind_init), and `edge` that of the
   runtime's function next to the program, which may have saved some of them before. On x86-64 both
   lie right below the address of a frame, and the rest of the runtime's frames, in which anything
   may have been left, is not looked at. */
static uint64_t hash_of_thread(const char *frame, const char *edge)
{
    const char *end = fiber_stack_end(machine.current);
#if defined(__x86_64__)
    uint64_t hash = add_to_hash(1, frame - FIBER_SAVED, frame + sizeof(void *));

    return add_to_hash(hash, edge - FIBER_SAVED, end) | 1;
#else
    (void)edge;
    return add_to_hash(1, frame, end) | 1;
#endif
}

/* ---- rounds ---- */

static void begin_round(struct thread *self, uint64_t state)
{
    self->round.pc = self->op.pc;
    self->round.changes = machine.changes;
    self->round.writes = machine.writes;
    self->round.state = state;
    self->round.step = machine.steps;
    self->round.looks = 0;
    self->round.watches = 0;
    self->round.overflowed = self->round.saw_old = false;
}

static void note_look(struct round *round, const volatile void *address, size_t size,
                      uint64_t value)
{
    unsigned i = 0;

    while (i < round->watches && round->watched[i].address != address)
        i++;
    round->looks++;
    round->overflowed |= size > sizeof value || i == WATCHED ||
                         (i < round->watches && round->watched[i].value != value);
    if (round->overflowed)
        return;
    round->watched[i] =
        (struct watched){.address = (const void *)address, .value = value, .size = (uint8_t)size};
    if (i == round->watches)
        round->watches++;
}

/* [SPIN-1] It is where the round began. */
static bool is_exact(const struct thread *self, const void *pc, uint64_t state)
{
    const struct round *round = &self->round;

    return memory_rules.races && round->state == state && round->pc == pc &&
           round->changes == machine.changes && round->writes == machine.writes;
}

/* ---- waiting ---- */

static unsigned widest_look(const struct round *round)
{
    unsigned widest = 0;

    for (unsigned i = 0; i < round->watches; i++)
        widest = round->watched[i].size > widest ? round->watched[i].size : widest;
    return widest;
}

static void announce_yield(struct thread *self, bool waits, bool knows, const void *pc)
{
    const struct round *round = &self->round;

    self->saw_change = false;
    machine_point(
        (struct op){.kind = OP_YIELD,
                    .flags = (uint8_t)(OP_READS | (waits ? OP_GATED : 0)),
                    .size = (uint8_t)(knows ? widest_look(round) : 0),
                    .object = knows ? round->watched[0].address : NULL,
                    .second = knows && round->watches > 1 ? round->watched[1].address : NULL,
                    .pc = pc});
    self->exact = false;
    self->vain_rounds =
        waits && self->changes == machine.changes ? (uint16_t)(self->vain_rounds + 1) : 0;
    RECORD(0, 0);
}

/* [SPIN-1] Where it need not wait, it has to see something else next time if that is possible. */
static void wait_in_exact_spin(struct thread *self, const void *pc)
{
    const struct round *round = &self->round;

    if (round->saw_old) {
        self->must_see_newer = !round->overflowed && round->watches == 1;
        return;
    }
    self->exact = true;
    self->changes = machine.changes;
    announce_yield(self, true, !round->overflowed && round->watches > 0, pc);
}

/* ---- looks ---- */

/* [SPIN-1] A spin without a yield. */
static void visit(struct thread *self, uint64_t state, const volatile void *address, size_t size,
                  uint64_t value)
{
    bool exact = is_exact(self, self->op.pc, state);

    if (exact) {
        note_look(&self->round, address, size, value);
        wait_in_exact_spin(self, self->op.pc);
    }
    begin_round(self, state);
    note_look(&self->round, address, size, value);
}

void spin_look_again(const volatile void *address, size_t size, uint64_t value)
{
    struct thread *self = machine_self();
    struct round *round = &self->round;

    __builtin_unwind_init();
    if (round->pc == self->op.pc && memory_rules.races) {
        visit(self, hash_of_thread(__builtin_frame_address(0), self->edge), address, size, value);
        return;
    }
    if (round->state != 0)
        note_look(round, address, size, value);
    else
        round->looks++; /* what it has seen does not matter before it is known where it is */
    if (round->looks > MOST_LOOKS)
        begin_round(self, 0);
}

/* ---- yields ---- */

/* A spin may have an end of its own, and what comes after that is to be seen as well. */
static bool goes_round_anyway(struct thread *self)
{
    if (self->impatience > 0) {
        self->impatience--;
        return true;
    }
    if (!machine_fails(DATUM_SPIN, &machine.faults.spins))
        return false;
    self->impatience = IMPATIENCE;
    return true;
}

/* Has another thread taken a step since the round began? */
static bool was_disturbed(const struct round *round)
{
    for (uint32_t step = round->step; step < machine.steps; step++)
        if (machine.log[step].thread != machine.current)
            return true;
    return false;
}

static void count_idle_rounds(struct thread *self)
{
    const struct round *round = &self->round;

    if (round->changes != machine.changes || round->saw_old)
        self->idle_rounds = 0; /* there is something new to see */
    else if (self->idle_rounds < IDLE_ROUNDS && !was_disturbed(round))
        self->idle_rounds++;
}

/* Not exact, as far as is known. */
static void yield(struct thread *self, const void *pc)
{
    count_idle_rounds(self);
    bool waits = self->idle_rounds == IDLE_ROUNDS && !goes_round_anyway(self);
    if (waits)
        machine_leave_out(LIMIT_SPINS);
    self->changes = machine.changes;
    announce_yield(self, waits, false, pc);
}

static void give_way(struct thread *self, uint64_t state, const void *pc)
{
    bool exact = is_exact(self, pc, state);

    machine.doubts |= DOUBT_STAY;
    if (exact)
        wait_in_exact_spin(self, pc);
    if (!exact || self->round.saw_old)
        yield(self, pc);
    begin_round(self, state);
}

int gpx_sched_yield(void)
{
    const char *frame = __builtin_frame_address(0);

    __builtin_unwind_init();
    if (!machine.aside)
        give_way(machine_self(), hash_of_thread(frame, frame), CALLER);
    return 0;
}

void gpx_thrd_yield(void)
{
    const char *frame = __builtin_frame_address(0);

    __builtin_unwind_init();
    if (!machine.aside)
        give_way(machine_self(), hash_of_thread(frame, frame), CALLER);
}

/* Of the processor. Some pauses in a row, without a look in between, are one. */
void gpx_pause(void)
{
    const char *frame = __builtin_frame_address(0);

    __builtin_unwind_init();
    if (!machine.aside && machine_self()->round.looks > 0)
        give_way(machine_self(), hash_of_thread(frame, frame), CALLER);
}
