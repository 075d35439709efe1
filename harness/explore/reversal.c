/*
 * Could the later of two dependent steps have come first? Most can always: a store, a signal. Those
 * that wait for something (OP_GATED) can where what they wait for was there already.
 *
 * Asked for a step `later` and an event e before it, the question is about the state that is
 * reached by everything that came before e, and everything since that did not need e. There e's
 * object is as e found it: whatever touched it since needed e. So what e found decides; for the
 * rest, "perhaps" is always allowed: it costs executions, but loses none. "Impossible" and
 * "certain" have to be true:
 *
 *   [REV-1] Impossible: e itself, or something that needed e, made the later one possible. A lock
 *           that e gave back, or that e's thread held all along; an exit that was joined; the last
 *           to arrive at a barrier; the signal, or the time, that ended a wait, where no spurious
 *           wake-up was left to do without it.
 *   [REV-2] Certain: the later one was announced and possible when e was taken; or it takes a lock,
 *           and nothing else, which e found free.
 *   [REV-3] A cancelled thread waits for nothing at a cancellation point. There, if another event
 *           than e has cancelled it, it could have come before e; in a wait on a condition, as far
 *           as its mutex was free.
 */
#include "harness/explore/reversal.h"

static bool is_pending_at(uint32_t earlier, const struct event *later)
{
    return later->before <= earlier;
}

/* It is there without e. */
static bool is_left(uint32_t earlier, uint32_t event)
{
    return event < earlier || (event != earlier && !happened_before(earlier, event));
}

/* ---- waking up ---- */

static bool touches(const struct effect *effect, const void *object)
{
    return effect->object == object || effect->second == object;
}

/* Whoever has the mutex when the event is taken has it still. */
static bool is_held_by_its_thread(uint32_t earlier, const void *mutex)
{
    unsigned thread = past.events[earlier].effect.thread;

    for (uint32_t i = earlier; i-- > 0;) {
        const struct effect *effect = &past.events[i].effect;
        if (touches(effect, mutex) && !(effect->flags & OP_READS))
            return effect->thread == thread && effect->kind != OP_UNLOCK && effect->kind != OP_WAIT;
    }
    return false;
}

static bool is_time_left(uint32_t earlier, int64_t deadline)
{
    if (past.events[earlier].now >= deadline)
        return true;
    for (uint32_t i = earlier + 1; i < past.settled; i++) {
        const struct effect *effect = &past.events[i].effect;
        if (effect->kind == OP_ADVANCE && effect->to >= deadline && is_left(earlier, i))
            return true;
    }
    return false;
}

/* [REV-3] */
static bool is_cancelled_without(uint32_t earlier, const struct event *later)
{
    if (!machine.cancels || !(later->effect.flags & OP_CANCEL_POINT))
        return false;
    for (uint32_t i = 0; i < past.settled; i++) {
        const struct effect *effect = &past.events[i].effect;
        if (effect->kind == OP_CANCEL && !(effect->flags & OP_READS) &&
            effect->object == &machine.threads[later->effect.thread] && is_left(earlier, i))
            return true;
    }
    return false;
}

static enum reversal reversal_of_wake(uint32_t earlier, const struct event *later)
{
    const struct event *e = &past.events[earlier];
    const struct effect *effect = &later->effect;
    bool has_reason = e->may_wake_spuriously || is_cancelled_without(earlier, later) ||
                      (later->waker && is_left(earlier, later->waker - 1)) ||
                      ((effect->flags & OP_TIMED) && is_time_left(earlier, effect->deadline));

    if (!has_reason)
        return REVERSAL_IMPOSSIBLE; /* [REV-1] */
    if (touches(&e->effect, effect->second))
        return e->state & WAS_FREE ? REVERSAL_PERHAPS : REVERSAL_IMPOSSIBLE;
    return is_held_by_its_thread(earlier, effect->second) ? REVERSAL_IMPOSSIBLE : REVERSAL_PERHAPS;
}

/* ---- everything else ---- */

static enum reversal reversal_of_lock(const struct event *e, const struct event *later)
{
    uint8_t wanted = later->effect.kind == OP_READ_LOCK ? WAS_READABLE : WAS_FREE;

    if (e->effect.object != later->effect.object && e->effect.second != later->effect.object)
        return REVERSAL_PERHAPS;
    if (e->state & wanted)
        return later->effect.kind == OP_LOCK ? REVERSAL_CERTAIN : REVERSAL_PERHAPS;
    return later->effect.flags & OP_TIMED ? REVERSAL_PERHAPS : REVERSAL_IMPOSSIBLE;
}

/* A detached thread is not waited for: the join fails [DEP-9]. */
static enum reversal reversal_of_join(const struct event *e, const struct event *later)
{
    const struct thread *joined = later->effect.object;
    bool waits = !joined->detached && !(later->effect.flags & OP_TIMED);

    return e->effect.kind == OP_EXIT && waits ? REVERSAL_IMPOSSIBLE : REVERSAL_PERHAPS;
}

/* Something else than e that a spinning thread may have waited for. */
static bool is_anything_left(uint32_t earlier, const struct event *later)
{
    for (uint32_t i = earlier + 1; i < past.settled; i++)
        if (effects_depend(&past.events[i].effect, &later->effect) && is_left(earlier, i))
            return true;
    return false;
}

static enum reversal reversal_of_yield(uint32_t earlier, const struct event *later)
{
    if (!is_pending_at(earlier, later) || is_anything_left(earlier, later))
        return REVERSAL_PERHAPS;
    return REVERSAL_IMPOSSIBLE;
}

/* Far off, it goes only when nobody can do anything [MACHINE-3]; and e could be done. */
static enum reversal reversal_of_clock(uint32_t earlier, const struct event *later)
{
    const struct event *e = &past.events[earlier];

    if (!machine.rules.early_time || (later->effect.to - later->effect.from > machine.rules.slack &&
                                      !(e->effect.traits & TRAIT_SPURIOUS)))
        return REVERSAL_IMPOSSIBLE;
    return REVERSAL_PERHAPS;
}

enum reversal reversal_of(uint32_t earlier, const struct event *later)
{
    const struct event *e = &past.events[earlier];
    unsigned thread = later->effect.thread;

    if (is_pending_at(earlier, later) && set_has(e->enabled, thread) && thread != CLOCK_THREAD)
        return set_has(e->spurious, thread) ? REVERSAL_PERHAPS : REVERSAL_CERTAIN; /* [REV-2] */
    if (later->effect.kind != OP_WAKE && is_cancelled_without(earlier, later))
        return REVERSAL_PERHAPS;
    switch ((enum op_kind)later->effect.kind) {
    case OP_LOCK:
    case OP_TIMEDLOCK:
    case OP_SPIN_LOCK:
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_SEM_WAIT:
    case OP_ONCE:
        if (later->effect.flags & OP_GATED)
            return reversal_of_lock(e, later);
        return REVERSAL_CERTAIN;
    case OP_JOIN:
        return reversal_of_join(e, later);
    case OP_AWAKE:
        return e->effect.kind == OP_ADVANCE && e->now < later->effect.deadline ? REVERSAL_IMPOSSIBLE
                                                                               : REVERSAL_PERHAPS;
    case OP_BARRIER_LEAVE:
        return e->effect.kind == OP_BARRIER_ENTER ? REVERSAL_IMPOSSIBLE : REVERSAL_PERHAPS;
    case OP_WAKE:
        return reversal_of_wake(earlier, later);
    case OP_YIELD:
        return reversal_of_yield(earlier, later);
    case OP_ADVANCE:
        return reversal_of_clock(earlier, later);
    default:
        return REVERSAL_CERTAIN;
    }
}
