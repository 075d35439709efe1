/*
 * See past.h.
 *
 * Events are kept from one execution to the next as far as the next repeats them, so that noting
 * costs nothing there. The tables by thread are therefore rebuilt when the past is cut.
 */
#include "harness/explore/past.h"

#include <stdlib.h>
#include <string.h>

#include "harness/explore/objects.h"

struct past past;

bool past_prepare(uint32_t steps)
{
    if (steps <= past.room)
        return true;
    free(past.events);
    free(past.clocks);
    past.events = malloc(steps * sizeof *past.events);
    past.clocks = malloc(steps * sizeof *past.clocks);
    past.room = past.events && past.clocks ? steps : 0;
    return past.room > 0;
}

void clock_join(uint32_t *clock, const uint32_t *other)
{
    for (unsigned i = 0; i < PAST_LANES; i++)
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

/* ---- what the runtime's objects hold ---- */

/* The object that the op takes or gives back; NULL: none. */
static const void *lock_of(const struct effect *effect)
{
    switch ((enum op_kind)effect->kind) {
    case OP_WAIT:
    case OP_WAKE:
        return effect->second;
    case OP_LOCK:
    case OP_TIMEDLOCK:
    case OP_TRYLOCK:
    case OP_UNLOCK:
    case OP_SPIN_LOCK:
    case OP_SPIN_UNLOCK:
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_RW_UNLOCK:
    case OP_SEM_WAIT:
    case OP_SEM_POST:
    case OP_ONCE:
        return effect->object;
    default:
        return NULL;
    }
}

static uint64_t words_of(const struct effect *effect, const void *lock)
{
    uint64_t words = 0;
    bool small =
        effect->kind == OP_SPIN_LOCK || effect->kind == OP_SPIN_UNLOCK || effect->kind == OP_ONCE;

    if (lock)
        memcpy(&words, lock, small ? sizeof(uint32_t) : sizeof words);
    return words;
}

static uint8_t state_of(const struct effect *effect, const void *lock)
{
    const struct x_rwlock *rwlock = lock;
    bool is_free;

    if (!lock)
        return 0;
    switch ((enum op_kind)effect->kind) {
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_RW_UNLOCK:
        return (uint8_t)((rwlock->writer == 0 ? WAS_READABLE : 0) |
                         (rwlock->writer == 0 && rwlock->readers == 0 ? WAS_FREE : 0));
    case OP_SEM_WAIT:
    case OP_SEM_POST:
        is_free = ((const struct x_semaphore *)lock)->value > 0;
        break;
    case OP_SPIN_LOCK:
    case OP_SPIN_UNLOCK:
        is_free = ((const struct x_spin *)lock)->owner == 0;
        break;
    case OP_ONCE:
        is_free = ((const struct x_once *)lock)->state < ONCE_RUNNING;
        break;
    default:
        is_free = ((const struct x_mutex *)lock)->owner == 0;
    }
    return is_free ? WAS_FREE : 0;
}

/* Those who wait on the object and have been told to go on. */
static thread_set told_on(const void *object)
{
    thread_set told = set_none();

    for (unsigned i = 0; i < machine.count; i++) {
        const struct thread *thread = &machine.threads[i];
        if (thread->alive && thread->signalled && thread->op.object == object &&
            (thread->op.kind == OP_WAKE || thread->op.kind == OP_BARRIER_LEAVE))
            set_add(&told, i);
    }
    return told;
}

static thread_set alive_ones(void)
{
    thread_set alive = set_none();

    for (unsigned i = 0; i < machine.count; i++)
        set_add_if(machine.threads[i].alive, &alive, i);
    return alive;
}

/* Those among whom new ones tell whom the step has woken, or created. */
static thread_set audience(const struct effect *effect)
{
    switch ((enum op_kind)effect->kind) {
    case OP_SIGNAL:
    case OP_BROADCAST:
    case OP_BARRIER_ENTER:
        return told_on(effect->object);
    case OP_CREATE:
        return alive_ones();
    default:
        return set_none();
    }
}

/* ---- noting ---- */

struct event past_pending(unsigned thread)
{
    struct event event = {.effect = effect_of_next(thread),
                          .now = machine.now,
                          .changes = machine.changes,
                          .allocations = machine.allocations,
                          .before = past.last[thread],
                          .waker = past.waker[thread],
                          .may_wake_spuriously = machine.faults.spurious > 0};
    const void *lock = lock_of(&event.effect);

    event.sequence = past.steps[thread] + 1;
    event.was = words_of(&event.effect, lock);
    event.state = state_of(&event.effect, lock);
    event.woke = audience(&event.effect);
    return event;
}

void past_note(unsigned thread, thread_set enabled, thread_set spurious)
{
    struct event event = past_pending(thread);

    event.enabled = enabled;
    event.spurious = spurious;
    past.last[thread] = past.count + 1;
    past.steps[thread]++;
    past.events[past.count++] = event;
}

uint32_t past_known_to(const struct event *event, uint32_t *clock)
{
    if (event->before == 0) {
        memset(clock, 0, sizeof(vector_clock));
        return 0;
    }
    memcpy(clock, past.clocks[event->before - 1], sizeof(vector_clock));
    return past.events[event->before - 1].all;
}

/* ---- settling ---- */

/* Attempts that failed have only looked. */
static bool has_only_looked(const struct event *event)
{
    switch ((enum op_kind)event->effect.kind) {
    case OP_SIGNAL:
    case OP_BROADCAST:
        return set_is_empty(event->woke);
    case OP_TIMEDLOCK:
    case OP_TRYLOCK:
    case OP_SPIN_LOCK:
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_SEM_WAIT:
        return words_of(&event->effect, event->effect.object) == event->was;
    default:
        return false;
    }
}

/* What its thread has said since, if it has: with that, what came of the step is in `did`. */
static void settle_effect(struct event *event, bool announced)
{
    struct effect *effect = &event->effect;
    const struct thread *thread = &machine.threads[effect->thread];

    if (thread->alive)
        effect->flags |= (announced ? thread->did : thread->op.flags) & OP_READS;
    event->woke = set_minus(audience(effect), event->woke);
    if (has_only_looked(event))
        effect->flags |= OP_READS;
    effect->traits = (uint8_t)((effect->traits & ~TRAIT_CHANGES) |
                               (machine.changes != event->changes ? TRAIT_CHANGES : 0) |
                               (machine.allocations != event->allocations ? TRAIT_ALLOCATES : 0));
    if (announced && thread->alive && (thread->op.flags & OP_GATED) &&
        (thread->op.flags & OP_TIMED))
        effect->announced = thread->op.deadline;
}

/* What follows from it for the threads it has woken or created. */
static void note_consequences(uint32_t number)
{
    const struct event *event = &past.events[number];
    uint32_t *followed = event->effect.kind == OP_CREATE ? past.last : past.waker;

    for (struct set_walk each = set_walk(event->woke); set_next(&each);)
        followed[each.at] = number + 1;
    if (event->effect.kind == OP_WAIT || event->effect.kind == OP_BARRIER_ENTER)
        past.waker[event->effect.thread] = 0;
}

void past_settle(bool announced)
{
    struct event *event = &past.events[past.count - 1];

    if (event->effect.kind != OP_ADVANCE)
        settle_effect(event, announced);
    note_consequences(past.count - 1);
    past.settled = past.count;
}

void past_cut_to(uint32_t count)
{
    past.count = past.settled = count;
    memset(past.last, 0, sizeof past.last);
    memset(past.waker, 0, sizeof past.waker);
    memset(past.steps, 0, sizeof past.steps);
    for (uint32_t i = 0; i < count; i++) {
        past.last[past.events[i].effect.thread] = i + 1;
        past.steps[past.events[i].effect.thread]++;
        note_consequences(i);
    }
}
