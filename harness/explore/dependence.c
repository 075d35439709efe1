/*
 * Dependence, rule by rule.
 *
 * Two steps of different threads are independent if neither can make the other possible or
 * impossible, and if both orders lead to the same state. Everything that is not stated here is
 * independent: a thread's own data, fences under `sc`.
 *
 *   [DEP-1] Objects. Two steps that touch the same object depend on each other, unless both only
 *           look at it. A wait touches its condition and its mutex. What turned out to look only (a
 *           failed compare-exchange or try-lock, a signal that found nobody) is told by OP_READS,
 *           after the fact. Two who take a read lock do not mind each other; two who join a thread
 *           do, although both only look at it: the second of them misuses its name.
 *   [DEP-2] The clock. It depends on whoever looks at it, and on whoever begins or ends to wait for
 *           a time that was still to come when the clock moved: with that one, or without it, the
 *           clock may have had elsewhere to go. Times so far off that the clock goes there only
 *           when no thread can do anything [MACHINE-3] count for those who wait for just that time:
 *           no other thread can be overtaken.
 *   [DEP-3] How far each thread has been held back may keep the clock from moving [MACHINE-3], and
 *           any step changes that. Where it ever does, a step of the clock depends on every step
 *           (delays_matter); where it never does, the limit might as well not be there. The clock
 *           also depends on every step if it waits for all to stand still: without early_time, and
 *           on its way to a time far off, which any wake-up for no reason may keep it from.
 *   [DEP-4] Spurious wake-ups have a budget. The one that has used it up has made all others
 *           impossible, so it depends on everybody's waking up. Other faults are chosen within a
 *           step that is possible anyway, and how many there are in all does not depend on the
 *           order: their budgets make nothing dependent.
 *   [DEP-5] A yield of a spinning thread depends on what it waits for: each step that changes what
 *           it has looked at since its last one, and if it has done more than that, each step that
 *           changes anything. One that is let through because nobody can do anything depends on
 *           every step. A yield that waits for nothing depends on nothing: how often a spin goes
 *           round before it sees something new is not told apart, nor how often one goes round
 *           for changes that it does not see because it has looked at too much.
 *   [DEP-6] A cancellation depends on every step of its target: a test for it is not a step as long
 *           as nobody has cancelled anybody.
 *   [DEP-7] A creation depends on each step that sets a thread's number free for the next: a thread
 *           that was joined or detached, or ended detached. Two creations depend on each other.
 *   [DEP-8] Under `c11` steps that are sequentially consistent depend on each other, on whatever
 *           objects: their total order decides what loads may read.
 *   [DEP-9] What a thread's name means is decided by the steps that join, detach or cancel it, and
 *           by the exit of a detached one: from then on it means nothing. So all of them touch what
 *           a detachment touches. The exit of a joinable one does not: the name goes on to mean it.
 *   [DEP-10] Addresses. The order in which threads allocate decides which addresses they get, and a
 *            program may compare these. Steps after which their threads allocate depend on each
 *            other if allocations.matter; otherwise that such steps were met is noted.
 *   [DEP-11] A waiter whose time is up, or that was cancelled, may have left before a signal. So a
 *            signal that finds a waiter depends on each step of the clock and each cancellation.
 */
#include "harness/explore/dependence.h"

#include "harness/explore/gates.h"
#include "harness/explore/memory.h"

bool delays_matter;
struct allocations allocations;

/* ---- what a step does ---- */

static struct effect effect_of_clock(void)
{
    bool far = machine.deadline - machine.now > machine.rules.slack;
    bool alone = far || delays_matter || !machine.rules.early_time;

    return (struct effect){.thread = CLOCK_THREAD,
                           .kind = OP_ADVANCE,
                           .traits = TRAIT_CHANGES | (alone ? TRAIT_ALONE : 0), /* [DEP-3] */
                           .announced = NO_DEADLINE,
                           .from = machine.now,
                           .to = machine.deadline};
}

/* [DEP-11] */
static bool finds_a_waiter(const struct op *signal)
{
    for (unsigned i = 0; i < machine.count; i++) {
        const struct thread *thread = &machine.threads[i];
        if (thread->alive && thread->op.kind == OP_WAKE && thread->op.object == signal->object &&
            !thread->signalled && !thread->left)
            return true;
    }
    return false;
}

static uint8_t traits_of_next(const struct thread *thread, unsigned number)
{
    uint8_t traits = thread->op.flags & OP_READS ? 0 : TRAIT_CHANGES;
    enum gate gate = gate_of(thread, number);

    if (thread->op.kind == OP_WAKE && gate == GATE_FAULTY)
        traits |= TRAIT_SPURIOUS;
    if (thread->op.kind == OP_JOIN || thread->op.kind == OP_DETACH ||
        (thread->op.kind == OP_EXIT && thread->detached))
        traits |= TRAIT_FREES;
    if (thread->op.kind == OP_END)
        traits |= TRAIT_ALONE;
    if ((thread->op.kind == OP_SIGNAL || thread->op.kind == OP_BROADCAST) &&
        finds_a_waiter(&thread->op))
        traits |= TRAIT_WAITED_FOR;
    if (thread->op.kind == OP_YIELD)
        traits = gate == GATE_CLOSED ? TRAIT_ALONE : 0; /* [DEP-5] */
    return traits;
}

struct effect effect_of_next(unsigned number)
{
    if (number == CLOCK_THREAD)
        return effect_of_clock();
    const struct thread *thread = &machine.threads[number];
    const struct op *op = &thread->op;
    bool ends_its_name = op->kind == OP_EXIT && thread->detached; /* [DEP-9] */
    return (struct effect){.thread = (thread_number)number,
                           .kind = op->kind,
                           .flags = op->flags,
                           .order = op->order,
                           .size = op->size,
                           .traits = traits_of_next(thread, number),
                           .object = op->object,
                           .second = ends_its_name ? &thread->detached : op->second,
                           .deadline = op->deadline,
                           .announced = NO_DEADLINE};
}

void effect_add(struct effect *effect, const struct effect *other)
{
    effect->flags &= other->flags | (uint8_t)~OP_READS;
    effect->traits |= other->traits;
    if (other->announced > effect->announced)
        effect->announced = other->announced;
}

/* ---- objects [DEP-1] ---- */

static bool is_same(const struct effect *a, const void *mine, const struct effect *b,
                    const void *other)
{
    if (!mine || !other)
        return false;
    uintptr_t first = (uintptr_t)mine, second = (uintptr_t)other;
    return first == second || (first < second && second - first < a->size) ||
           (second < first && first - second < b->size);
}

static bool do_not_mind(const struct effect *a, const struct effect *b)
{
    if (a->kind != b->kind)
        return (a->flags & b->flags & OP_READS) != 0;
    return a->kind == OP_READ_LOCK || (a->kind != OP_JOIN && (a->flags & b->flags & OP_READS));
}

static bool share_an_object(const struct effect *a, const struct effect *b)
{
    if (do_not_mind(a, b))
        return false;
    return is_same(a, a->object, b, b->object) || is_same(a, a->second, b, b->object) ||
           is_same(a, a->object, b, b->second) || is_same(a, a->second, b, b->second);
}

/* ---- time [DEP-2] ---- */

static bool is_to_come(int64_t deadline, const struct effect *advance)
{
    return deadline > advance->from &&
           (deadline - advance->from <= 2 * machine.rules.slack || deadline <= advance->to);
}

static bool minds_the_clock(const struct effect *effect, const struct effect *advance)
{
    if (effect->kind == OP_NOW || effect->kind == OP_SLEEP || (effect->traits & TRAIT_WAITED_FOR))
        return true;
    if ((effect->flags & OP_TIMED) && (effect->flags & OP_GATED) &&
        is_to_come(effect->deadline, advance))
        return true;
    return is_to_come(effect->announced, advance);
}

/* ---- everything else ---- */

/* [DEP-6] */
static bool is_cancel_of(const struct effect *effect, unsigned thread)
{
    return effect->kind == OP_CANCEL && !(effect->flags & OP_READS) &&
           effect->object == &machine.threads[thread];
}

/* [DEP-11] */
static bool ends_a_wait(const struct effect *cancel, const struct effect *signal)
{
    return cancel->kind == OP_CANCEL && (signal->traits & TRAIT_WAITED_FOR);
}

/* [DEP-4] */
static bool compete_for_wakeups(const struct effect *a, const struct effect *b)
{
    return a->kind == OP_WAKE && b->kind == OP_WAKE && ((a->traits | b->traits) & TRAIT_SPURIOUS);
}

static bool is_blind_yield(const struct effect *effect)
{
    return effect->kind == OP_YIELD && (effect->flags & OP_GATED) && !effect->object;
}

static bool frees_a_yield(const struct effect *effect, const struct effect *yield)
{
    return is_blind_yield(yield) && (effect->traits & TRAIT_CHANGES);
}

/* [DEP-7] */
static bool makes_room_for(const struct effect *effect, const struct effect *creation)
{
    return creation->kind == OP_CREATE && (effect->traits & TRAIT_FREES);
}

/* [DEP-10] */
static bool both_allocate(const struct effect *a, const struct effect *b)
{
    bool both = (a->traits & b->traits & TRAIT_ALLOCATES) != 0;

    allocations.met |= both;
    return both && allocations.matter;
}

/* [DEP-8] */
static bool is_in_total_order(const struct effect *effect)
{
    return effect->kind >= OP_LOAD && effect->kind <= OP_FENCE && effect->order == __ATOMIC_SEQ_CST;
}

bool effects_depend(const struct effect *a, const struct effect *b)
{
    if ((a->traits | b->traits) & TRAIT_ALONE)
        return true;
    if (a->kind == OP_ADVANCE)
        return minds_the_clock(b, a) || is_blind_yield(b);
    if (b->kind == OP_ADVANCE)
        return minds_the_clock(a, b) || is_blind_yield(a);
    return share_an_object(a, b) || compete_for_wakeups(a, b) || frees_a_yield(a, b) ||
           frees_a_yield(b, a) || makes_room_for(a, b) || makes_room_for(b, a) ||
           is_cancel_of(a, b->thread) || is_cancel_of(b, a->thread) || ends_a_wait(a, b) ||
           ends_a_wait(b, a) || both_allocate(a, b) ||
           (memory_rules.model == MEMORY_C11 && is_in_total_order(a) && is_in_total_order(b));
}
