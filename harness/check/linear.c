/*
 * The search for an explanation: J. Wing and C. Gong (1993), with the memory that G. Lowe (2017)
 * added to it.
 *
 * Calls are sorted by when they returned; those that never did come last. At any position some have
 * had their turn. Who may be next? Nobody who was made after another of the rest had returned. The
 * first of the rest, in this sorting, returned first of them; so the candidates are those of the
 * rest that were made before the first of the rest returned:
 *
 *        offer 1   |-----------|                        first of the rest
 *        poll           |------------------|            may be next
 *        offer 2                 |----|                 not before offer 1 is done
 *
 * That set depends on the first of the rest alone and is computed once for each call. Candidates
 * are tried in the order in which they returned, because that is nearly always an explanation: the
 * usual history is through after as many steps as it has calls.
 *
 *   [LINEAR-1] A position is the set of calls that are done and the model's state. What can follow
 *              depends on nothing else. So a position from which the search had to turn back is a
 *              dead end, and on whichever way it is met again there is no use in going on.
 *   [LINEAR-2] Dead ends are remembered in a table with a fixed number of entries. If it is full,
 *              further ones are forgotten: the search takes longer, its answer is the same.
 *   [LINEAR-3] An answer is exact or "undecided", never a guess. Undecided are histories with a
 *              full lane, and those that take more than LINEAR_STEPS steps. Short histories are
 *              far from that: six lanes of four calls, all at the same time, have 15,625 sets of
 *              calls that could be done.
 *
 * It runs after every iteration of a race. Hence no allocation (the caller brings the memory), no
 * clearing of the table (an entry carries the number of its search), no recursion, and nothing that
 * ThreadSanitizer would watch.
 *
 * Rejected: remembering every position, as Lowe does, rather than dead ends only. Most histories
 * never turn back; they would pay for a table that they do not use.
 */
#include "harness/check/linear.h"

#include <string.h>

_Static_assert(LINEAR_CALLS < 64, "a set of calls is a word");

static const unsigned usable = LINEAR_DEAD_ENDS / 4 * 3;

const char *linear_model_flaw(const struct linear_model *model)
{
    if (!model->name || !model->init || !model->apply || !model->describe)
        return "its model lacks something";
    return model->state_size <= LINEAR_STATE ? NULL : "the state of its model is too large";
}

/* ---- the calls ---- */

UNOBSERVED static void insert_call(struct linear_search *search, const struct history_call *call)
{
    unsigned at = search->count++;

    for (; at > 0 && history_end_of(&search->calls[at - 1]) > history_end_of(call); at--)
        search->calls[at] = search->calls[at - 1];
    search->calls[at] = *call;
}

/* False: some are missing [LINEAR-3]. */
UNOBSERVED static bool gather_calls(struct linear_search *search, const struct history *history)
{
    search->count = 0;
    for (unsigned i = 0; i < HISTORY_LANES; i++) {
        const struct history_lane *lane = &history->lanes[i];
        if (lane->count > HISTORY_CALLS)
            return false;
        for (unsigned k = 0; k < lane->count; k++)
            insert_call(search, &lane->calls[k]);
    }
    return true;
}

UNOBSERVED static uint64_t bit(unsigned index)
{
    return UINT64_C(1) << index;
}

UNOBSERVED static uint64_t made_before(const struct linear_search *search, unsigned moment)
{
    uint64_t calls = 0;

    for (unsigned i = 0; i < search->count; i++)
        if (search->calls[i].began < moment)
            calls |= bit(i);
    return calls;
}

UNOBSERVED static void relate_calls(struct linear_search *search)
{
    search->returned = 0;
    for (unsigned i = 0; i < search->count; i++) {
        search->before_end[i] = made_before(search, history_end_of(&search->calls[i]));
        if (!history_is_pending(&search->calls[i]))
            search->returned |= bit(i);
    }
}

/* ---- dead ends: [LINEAR-1], [LINEAR-2] ---- */

UNOBSERVED static bool same_state(const struct linear_state *left, const struct linear_state *right)
{
    return memcmp(left->bytes, right->bytes, LINEAR_STATE) == 0;
}

UNOBSERVED static uint64_t spread(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

UNOBSERVED static unsigned hash_of(uint64_t done, const struct linear_state *state)
{
    uint64_t hash = spread(0, done), word;

    for (unsigned i = 0; i < LINEAR_STATE; i += sizeof word) {
        memcpy(&word, state->bytes + i, sizeof word);
        hash = spread(hash, word);
    }
    return (unsigned)(hash >> 32) % LINEAR_DEAD_ENDS;
}

/* The entry of this position, or the free one where it belongs. */
UNOBSERVED static struct linear_dead_end *entry_of(struct linear_search *search, uint64_t done,
                                                   const struct linear_state *state)
{
    unsigned at = hash_of(done, state);

    while (search->dead_ends[at].search == search->number &&
           (search->dead_ends[at].done != done || !same_state(&search->dead_ends[at].state, state)))
        at = (at + 1) % LINEAR_DEAD_ENDS;
    return &search->dead_ends[at];
}

UNOBSERVED static bool is_dead_end(struct linear_search *search, uint64_t done,
                                   const struct linear_state *state)
{
    return search->dead_end_count > 0 && entry_of(search, done, state)->search == search->number;
}

UNOBSERVED static void remember_dead_end(struct linear_search *search,
                                         const struct linear_position *position)
{
    if (search->dead_end_count == usable)
        return;
    struct linear_dead_end *entry = entry_of(search, position->done, &position->state);
    entry->search = search->number;
    entry->done = position->done;
    entry->state = position->state;
    search->dead_end_count++;
}

/* ---- the search ---- */

UNOBSERVED static uint64_t candidates(const struct linear_search *search, uint64_t done)
{
    uint64_t rest = ~done & (bit(search->count) - 1);

    return rest ? rest & search->before_end[__builtin_ctzll(rest)] : 0;
}

UNOBSERVED static bool is_explained(const struct linear_search *search,
                                    const struct linear_position *position)
{
    if ((position->done & search->returned) != search->returned)
        return false;
    return !search->model->accepts_final || search->model->accepts_final(position->state.bytes);
}

/* Tries the next candidate; true: it fits, and `next` is where that leads. */
UNOBSERVED static bool try_candidate(struct linear_search *search, struct linear_position *here,
                                     struct linear_position *next)
{
    unsigned chosen = (unsigned)__builtin_ctzll(here->untried);

    search->steps++;
    here->untried &= here->untried - 1;
    here->chosen = chosen;
    next->state = here->state;
    if (!search->model->apply(next->state.bytes, &search->calls[chosen]))
        return false;
    next->done = here->done | bit(chosen);
    if (is_dead_end(search, next->done, &next->state))
        return false;
    next->untried = candidates(search, next->done);
    return true;
}

UNOBSERVED static void turn_back(struct linear_search *search, unsigned length)
{
    remember_dead_end(search, &search->path[length]);
    if (length < search->best_length)
        return;
    search->best_length = length;
    for (unsigned i = 0; i < length; i++)
        search->best[i] = (uint8_t)search->path[i].chosen;
}

UNOBSERVED static enum linear_verdict walk(struct linear_search *search)
{
    unsigned length = 0;

    while (search->steps < LINEAR_STEPS) {
        struct linear_position *here = &search->path[length];
        if (is_explained(search, here))
            return LINEARIZABLE;
        if (here->untried != 0) {
            length += try_candidate(search, here, here + 1);
            continue;
        }
        turn_back(search, length);
        if (length-- == 0)
            return NOT_LINEARIZABLE;
    }
    return LINEAR_UNDECIDED; /* [LINEAR-3] */
}

UNOBSERVED enum linear_verdict linear_check(struct linear_search *search,
                                            const struct linear_model *model, int parameter,
                                            const struct history *history)
{
    struct linear_position *start = &search->path[0];

    search->model = model;
    search->number++;
    search->steps = search->best_length = search->dead_end_count = 0;
    if (!gather_calls(search, history))
        return LINEAR_UNDECIDED;
    relate_calls(search);
    start->done = 0;
    start->untried = candidates(search, 0);
    start->state = (struct linear_state){{0}};
    model->init(start->state.bytes, parameter);
    return walk(search);
}
