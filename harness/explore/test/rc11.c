/*
 * RC11 as axioms: which outcomes may a litmus test have?
 *
 * After O. Lahav, V. Vafeiadis, J. Kang, C.-K. Hur and D. Dreyer, "Repairing sequential consistency
 * in C/C++11" (PLDI 2017), of which `axioms` below has the definitions by their names. A candidate
 * is what each load reads (rf) and in which order the stores of each location come (mo). All
 * candidates are tried: first a value for each load, among those that any store could leave there;
 * then a store with that value; then an order. What remains is judged as a whole. Nothing is run,
 * and nothing is shared with the explorer: where both agree, that is no accident.
 *
 * Besides, each consistent execution is asked whether the explorer could run it forwards, as
 * memory_stores.c says: there has to be an order of execution that agrees with psc, which then is
 * the order of the seq_cst operations. So it is known of each outcome why the explorer does not see
 * it.
 */
#include "harness/explore/test/litmus.h"

#include <string.h>

/* ---- relations ---- */

enum {
    EVENTS = 48
};

typedef uint64_t event_set;

struct relation {
    event_set from[EVENTS]; /* from[a] has b: a is related to b */
};

static unsigned event_count; /* in the candidate at hand */

static event_set one(unsigned event)
{
    return (event_set)1 << event;
}

static struct relation nothing(void)
{
    return (struct relation){.from = {0}};
}

static struct relation both(struct relation a, struct relation b)
{
    for (unsigned i = 0; i < event_count; i++)
        a.from[i] |= b.from[i];
    return a;
}

static struct relation common(struct relation a, struct relation b)
{
    for (unsigned i = 0; i < event_count; i++)
        a.from[i] &= b.from[i];
    return a;
}

static struct relation without(struct relation a, struct relation b)
{
    for (unsigned i = 0; i < event_count; i++)
        a.from[i] &= ~b.from[i];
    return a;
}

/* a ; b */
static struct relation then(struct relation a, struct relation b)
{
    struct relation result = nothing();

    for (unsigned i = 0; i < event_count; i++)
        for (event_set left = a.from[i]; left != 0; left &= left - 1)
            result.from[i] |= b.from[__builtin_ctzll(left)];
    return result;
}

static struct relation then3(struct relation a, struct relation b, struct relation c)
{
    return then(then(a, b), c);
}

/* [set] */
static struct relation within(event_set set)
{
    struct relation result = nothing();

    for (; set != 0; set &= set - 1)
        result.from[__builtin_ctzll(set)] = set & -set;
    return result;
}

static struct relation maybe(struct relation a)
{
    return both(a, within(one(event_count) - 1));
}

static struct relation inverse(struct relation a)
{
    struct relation result = nothing();

    for (unsigned i = 0; i < event_count; i++)
        for (event_set left = a.from[i]; left != 0; left &= left - 1)
            result.from[__builtin_ctzll(left)] |= one(i);
    return result;
}

/* a+ */
static struct relation repeated(struct relation a)
{
    for (unsigned k = 0; k < event_count; k++)
        for (unsigned i = 0; i < event_count; i++)
            if (a.from[i] & one(k))
                a.from[i] |= a.from[k];
    return a;
}

static bool is_irreflexive(struct relation a)
{
    for (unsigned i = 0; i < event_count; i++)
        if (a.from[i] & one(i))
            return false;
    return true;
}

static bool is_acyclic(struct relation a)
{
    return is_irreflexive(repeated(a));
}

/* ---- candidates ---- */

enum {
    NO_THREAD = LITMUS_THREADS /* of the stores that are there at first */
};

struct event {
    enum {
        READ,
        WRITE,
        FENCE
    } kind;
    unsigned thread;
    unsigned location;
    unsigned value;
    int order;
    bool plain; /* is no atomic: the first stores */
    bool rmw;   /* of a read: the next event is its write */
};

static struct {
    const struct litmus *test;
    enum release_sequence sequence;
    struct rc11_outcomes *found;
    bool sound;
    uint64_t values[LITMUS_LOCATIONS]; /* that could be there: a bit each */
    struct event events[EVENTS];
    unsigned results[LITMUS_RESULTS];
    struct relation sb, rf, mo;
    struct relation loc;             /* both accesses are to the same location */
    unsigned last[LITMUS_LOCATIONS]; /* in mo */
} candidate;

static event_set all_that(bool (*is)(const struct event *))
{
    event_set set = 0;

    for (unsigned i = 0; i < event_count; i++)
        if (is(&candidate.events[i]))
            set |= one(i);
    return set;
}

static bool is_read(const struct event *event)
{
    return event->kind == READ;
}

static bool is_write(const struct event *event)
{
    return event->kind == WRITE;
}

static bool is_atomic_write(const struct event *event)
{
    return event->kind == WRITE && !event->plain;
}

static bool is_fence(const struct event *event)
{
    return event->kind == FENCE;
}

static bool is_release(const struct event *event)
{
    return event->order == __ATOMIC_RELEASE || event->order == __ATOMIC_ACQ_REL ||
           event->order == __ATOMIC_SEQ_CST;
}

static bool is_acquire(const struct event *event)
{
    return event->order == __ATOMIC_ACQUIRE || event->order == __ATOMIC_ACQ_REL ||
           event->order == __ATOMIC_SEQ_CST;
}

static bool is_seq_cst(const struct event *event)
{
    return event->order == __ATOMIC_SEQ_CST;
}

static bool is_seq_cst_fence(const struct event *event)
{
    return is_seq_cst(event) && is_fence(event);
}

static bool is_same_location(unsigned a, unsigned b)
{
    const struct event *left = &candidate.events[a], *right = &candidate.events[b];

    return left->kind != FENCE && right->kind != FENCE && left->location == right->location;
}

static struct relation same_location(void)
{
    struct relation result = nothing();

    for (unsigned i = 0; i < event_count; i++)
        for (unsigned k = 0; k < event_count; k++)
            if (is_same_location(i, k))
                result.from[i] |= one(k);
    return result;
}

static struct relation read_modify_writes(void)
{
    struct relation result = nothing();

    for (unsigned i = 0; i < event_count; i++)
        if (candidate.events[i].rmw)
            result.from[i] = one(i + 1);
    return result;
}

/* ---- axioms ---- */

/* [W]; those of C11: all that follow in mo up to a store of another thread that is not the write of
   a read-modify-write. */
static struct relation contiguous(void)
{
    struct relation result = within(all_that(is_write));
    event_set updates = 0;

    for (unsigned i = 0; i < event_count; i++)
        updates |= read_modify_writes().from[i];
    for (unsigned i = 0; i < event_count; i++)
        for (event_set left = candidate.mo.from[i]; left != 0; left &= left - 1) {
            unsigned last = (unsigned)__builtin_ctzll(left);
            event_set between = candidate.mo.from[i] & inverse(candidate.mo).from[last];
            bool continues = true;
            for (between |= one(last); between != 0; between &= between - 1) {
                unsigned each = (unsigned)__builtin_ctzll(between);
                if (candidate.events[each].thread != candidate.events[i].thread &&
                    !(updates & one(each)))
                    continues = false;
            }
            if (continues)
                result.from[i] |= one(last);
        }
    return result;
}

static struct relation release_sequences(void)
{
    struct relation same_thread = common(candidate.sb, candidate.loc);
    struct relation updates = maybe(repeated(then(candidate.rf, read_modify_writes())));
    struct relation begins = within(all_that(is_write));

    if (candidate.sequence == SEQUENCE_C11)
        return contiguous();
    return then(then3(begins, maybe(same_thread), within(all_that(is_atomic_write))), updates);
}

static struct relation synchronizes_with(void)
{
    struct relation fence = within(all_that(is_fence));
    struct relation from = then(within(all_that(is_release)), maybe(then(fence, candidate.sb)));
    struct relation to = then(maybe(then(candidate.sb, fence)), within(all_that(is_acquire)));
    struct relation reads = then(candidate.rf, within(all_that(is_read)));

    return then(then3(from, release_sequences(), reads), to);
}

static struct relation partial_sc(struct relation hb, struct relation eco, struct relation rb)
{
    struct relation elsewhere = without(candidate.sb, candidate.loc);
    struct relation sc = within(all_that(is_seq_cst)), fence = within(all_that(is_seq_cst_fence));
    struct relation scb = both(both(candidate.sb, then3(elsewhere, hb, elsewhere)),
                               both(common(hb, candidate.loc), both(candidate.mo, rb)));
    struct relation psc_base =
        then3(both(sc, then(fence, maybe(hb))), scb, both(sc, then(maybe(hb), fence)));
    struct relation psc_fence = then3(fence, both(hb, then3(hb, eco, hb)), fence);

    return both(psc_base, psc_fence);
}

static void note_execution(struct relation psc)
{
    const struct litmus *test = candidate.test;
    struct rc11_outcomes *found = candidate.found;
    struct relation order = both(both(candidate.sb, candidate.rf), psc);

    for (unsigned i = 0; i < test->observed; i++)
        candidate.results[test->results - test->observed + i] =
            candidate.events[candidate.last[test->locations[i]]].value;
    litmus_outcome outcome = litmus_pack(test, candidate.results);
    found->executions++;
    candidate.sound &= litmus_add(&found->allowed, outcome);
    if (is_acyclic(order))
        candidate.sound &= litmus_add(&found->forwards, outcome);
}

static void judge(void)
{
    struct relation sb = candidate.sb, rf = candidate.rf, mo = candidate.mo;
    struct relation rb = then(inverse(rf), mo);
    struct relation eco = repeated(both(rf, both(mo, rb)));
    struct relation hb = repeated(both(sb, synchronizes_with()));
    struct relation psc = partial_sc(hb, eco, rb);

    bool coherence = is_irreflexive(then(hb, maybe(eco)));
    bool atomicity = is_irreflexive(then(then(rb, mo), inverse(read_modify_writes())));
    bool sc = is_acyclic(psc);
    bool no_thin_air = is_acyclic(both(sb, rf));
    if (coherence && atomicity && sc && no_thin_air)
        note_execution(psc);
}

/* ---- all candidates ---- */

/* The writes of this location and of those that follow, each after what it is sb-after of. */
static void order_writes(unsigned location, event_set placed)
{
    bool complete = true;

    if (location == LITMUS_LOCATIONS) {
        judge();
        return;
    }
    for (unsigned i = 0; i < event_count; i++) {
        const struct event *event = &candidate.events[i];
        if (event->kind != WRITE || event->location != location || (placed & one(i)))
            continue;
        complete = false;
        event_set before =
            inverse(candidate.sb).from[i] & candidate.loc.from[i] & all_that(is_write) & ~placed;
        if (before != 0)
            continue;
        struct relation mo = candidate.mo;
        unsigned last = candidate.last[location];
        for (event_set left = placed & candidate.loc.from[i]; left != 0; left &= left - 1)
            candidate.mo.from[__builtin_ctzll(left)] |= one(i);
        candidate.last[location] = i;
        order_writes(location, placed | one(i));
        candidate.mo = mo;
        candidate.last[location] = last;
    }
    if (complete)
        order_writes(location + 1, placed);
}

/* For the reads from this one on. */
static void choose_writes(unsigned read)
{
    while (read < event_count && candidate.events[read].kind != READ)
        read++;
    if (read == event_count) {
        if (is_acyclic(both(candidate.sb, candidate.rf)))
            order_writes(0, 0);
        return;
    }
    for (unsigned i = 0; i < event_count; i++) {
        const struct event *event = &candidate.events[i];
        if (event->kind != WRITE || !is_same_location(i, read) ||
            event->value != candidate.events[read].value)
            continue;
        candidate.rf.from[i] |= one(read);
        choose_writes(read + 1);
        candidate.rf.from[i] &= ~one(read);
    }
}

static bool add_event(struct event event)
{
    unsigned number = event_count;

    if (number == EVENTS)
        return candidate.sound = false;
    event_count++;
    candidate.events[number] = event;
    candidate.sb.from[number] = 0;
    for (unsigned i = 0; i < number; i++) {
        unsigned thread = candidate.events[i].thread;
        candidate.sb.from[i] &= ~one(number);
        if (event.thread != NO_THREAD && (thread == NO_THREAD || thread == event.thread))
            candidate.sb.from[i] |= one(number);
    }
    return true;
}

static void extend(unsigned thread, unsigned at, unsigned last);

static bool writes(const struct litmus_op *op, unsigned found, unsigned *value)
{
    *value = op->kind == LITMUS_ADD ? found + op->value : op->value;
    return op->kind != LITMUS_LOAD && (op->kind != LITMUS_CAS || found == op->expected);
}

/* It finds any of the values that could be there. */
static void extend_by_read(const struct litmus_op *op, unsigned thread, unsigned at)
{
    struct event event = {.thread = thread, .location = op->location};
    unsigned count = event_count, value;

    for (uint64_t left = candidate.values[op->location]; left != 0; left &= left - 1) {
        unsigned found = (unsigned)__builtin_ctzll(left);
        event.kind = READ;
        event.value = found;
        event.rmw = writes(op, found, &value);
        event.order = event.rmw || op->kind == LITMUS_LOAD ? op->order : op->failure;
        add_event(event);
        if (event.rmw) {
            event.kind = WRITE;
            event.value = value;
            event.rmw = false;
            add_event(event);
        }
        candidate.results[op->result] = found;
        if (candidate.sound)
            extend(thread, at + 1, found);
        candidate.results[op->result] = LITMUS_NOTHING;
        event_count = count;
    }
}

/* By what this thread does from there on, then by the threads that follow. */
static void extend(unsigned thread, unsigned at, unsigned last)
{
    unsigned count = event_count;

    if (thread == candidate.test->threads) {
        candidate.rf = candidate.mo = nothing();
        candidate.loc = same_location();
        choose_writes(0);
        return;
    }
    const struct litmus_op *op = &candidate.test->ops[thread][at];
    if (at == candidate.test->lengths[thread] ||
        (op->kind == LITMUS_END_UNLESS && last != op->value)) {
        extend(thread + 1, 0, LITMUS_NOTHING);
        return;
    }
    if (op->result >= 0) {
        extend_by_read(op, thread, at);
        return;
    }
    struct event event = {.kind = op->kind == LITMUS_STORE ? WRITE : FENCE,
                          .thread = thread,
                          .location = op->location,
                          .value = op->value,
                          .order = op->order};
    if (op->kind == LITMUS_END_UNLESS || add_event(event))
        extend(thread, at + 1, last);
    event_count = count;
}

static void add_values_of(const struct litmus_op *op, bool sums)
{
    uint64_t *values = &candidate.values[op->location];

    if (op->kind == LITMUS_ADD && sums)
        *values |= *values << op->value & (one(LITMUS_NOTHING) - 1);
    else if (op->kind == LITMUS_STORE || op->kind == LITMUS_EXCHANGE || op->kind == LITMUS_CAS)
        *values |= one(op->value);
}

/* Those that are stored, then the sums that additions make of these; each is done once at most. */
static void find_values(void)
{
    const struct litmus *test = candidate.test;

    for (unsigned i = 0; i < LITMUS_LOCATIONS; i++)
        candidate.values[i] = one(0);
    for (unsigned sums = 0; sums < 2; sums++)
        for (unsigned i = 0; i < test->threads; i++)
            for (unsigned k = 0; k < test->lengths[i]; k++)
                add_values_of(&test->ops[i][k], sums > 0);
}

bool rc11_outcomes(const struct litmus *test, enum release_sequence sequence,
                   struct rc11_outcomes *found)
{
    memset(found, 0, sizeof *found);
    candidate.test = test;
    candidate.sequence = sequence;
    candidate.found = found;
    candidate.sound = true;
    find_values();
    for (unsigned i = 0; i < LITMUS_RESULTS; i++)
        candidate.results[i] = LITMUS_NOTHING;
    event_count = 0;
    for (unsigned i = 0; i < LITMUS_LOCATIONS; i++)
        add_event((struct event){.kind = WRITE,
                                 .thread = NO_THREAD,
                                 .location = i,
                                 .plain = true,
                                 .order = __ATOMIC_RELAXED});
    extend(0, 0, LITMUS_NOTHING);
    return candidate.sound;
}
