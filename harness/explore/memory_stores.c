/*
 * What an atomic load may read, and where a store comes, under the memory model `c11`.
 *
 * The model is RC11 (O. Lahav and others, "Repairing sequential consistency in C/C++11", 2017),
 * run forwards: an execution is a sequence of steps, a load reads one of the stores that were
 * executed before it, and a store takes a place in the modification order of its location: mostly
 * the last one. The order in which seq_cst operations were executed is theirs.
 *
 *      store 3   0 ---- 1 ---- 2 ---- 3   the latest: may always be read
 *                       |      |
 *                       |      seen by thread 2, and thread 2 has not told us: may be read
 *                       seen by thread 4, and we know of that: may be read, but nothing older
 *
 * Each store remembers which threads have seen it, by writing or reading it, and at which epoch
 * first. A load goes back from the latest store until it meets one that
 *
 *   [STORES-1] some thread has seen at an epoch that the loading thread knows of. That is
 *              coherence: a write or read that happened before us came across this store, hence we
 *              do not read what it had replaced;
 *   [STORES-2] is seq_cst, while the load is; or is known as the writer's to any seq_cst fence so
 *              far, while the load is seq_cst;
 *   [STORES-3] is seq_cst and was executed before a seq_cst fence that happened before us; or that
 *              some thread has seen at an epoch which was known at that fence or at an earlier
 *              one.
 *
 * 2 and 3 are the edges of RC11's psc that would point backwards in the order of execution. Fences
 * are numbered; what was known at each or earlier is kept in a clock by its number, and which
 * fence has happened before a thread travels with the clocks (CLOCK_FENCE). A seq_cst fence does
 * not make a thread know what others did: it limits what can be read, and orders no plain
 * accesses.
 *
 * Places. To come before a store in the modification order is forbidden by the same three rules as
 * to read an older one: both are an edge to that store. So a new store goes back in the same way.
 * It may come before each store that it passes, except one of a read-modify-write, which must
 * follow what it read; this is atomicity. A read-modify-write takes a place as a store does, and
 * reads the one before it.
 *
 * Most places need not be offered, since executing the two stores the other way round leads to the
 * same. It does not if one cannot be executed earlier, because of a cycle of program order,
 * reading, modification order and psc, as in
 *
 *      2+2W    x = 1; y = 2   |   y = 1; x = 2      both end as 1, all relaxed
 *
 *   [STORES-4] A store may come before others only if something after the first of these, in the
 *              order of execution, has led to it by another way than happens-before: its past has
 *              read a store that it did not synchronise with, or has followed one in modification
 *              order, or seq_cst operations of others by a seq_cst store or fence. The time of
 *              the latest such store travels with the clocks (CLOCK_CROSSED). Once some store has
 *              come before others, times no longer tell, and all places are offered.
 *
 * The rule is generous: what it offers beyond need is seen twice. It never offers a thread that
 * spins on one location, by exchanges, to go round for nothing.
 *
 * What RC11 allows and is left out: places within a release sequence, between stores of one
 * thread, since a load may already have synchronised with it (LIMIT_MODIFICATION_ORDER). And
 * orders of seq_cst operations other than that of execution: psc is weaker than a total order, and
 * does not contain all that makes one operation be executed after another. In IRIW with seq_cst
 * stores, where the first load of each reader is acquire and the second is seq_cst, the readers
 * may disagree.
 *
 *   [STORES-5] That takes a read that is not of a seq_cst store by a seq_cst load, between the
 *              store that hides by rule 2 or 3 and the thread that it is hidden from. The time of
 *              the latest store that was read so travels with the clocks (CLOCK_MIXED). Where it
 *              is later, or a seq_cst load would read so what is hidden, the search is not
 *              complete (LIMIT_SEQ_CST_ORDER). A program whose atomics are all seq_cst never gets
 *              there.
 *
 *   [STORES-6] A lock that is refused, or the value of a semaphore, tells of other threads as a
 *              relaxed load does, and orders nothing (memory_learn). Any store so far may have led
 *              to it, and any way: so such a look counts as the latest for both times. Time is
 *              another matter: what was stored before the clock has moved is there for a thread
 *              that sees the new time.
 *
 * What C11 allows and RC11 does not is no subject: load buffering, where each of two loads reads
 * what the other thread stores later, is forbidden by RC11 whatever the orders are.
 *
 * Bounds. One thread comes to the same overtaken store MOST_VISITS times at most, to read it or to
 * place a store of its own before it: a loop that waits for a store sees it in the end, as the
 * standard recommends, and an exhaustive search of such a loop has an end. Where the bound decides,
 * the search is not complete (LIMIT_OLD_STORES).
 *
 * Memory itself always holds the latest store. If it holds something else than the history says,
 * it was written by other means (a plain initialisation, memset, an access of another size), and
 * the history begins anew with one store that all threads have seen. That is enough. A thread that
 * writes it by a plain store and without a data race has had all earlier stores happen before, and
 * a thread that reads it after that knows of them.
 */
#include <string.h>

#include "harness/explore/memory_parts.h"
#include "harness/explore/record.h"

enum {
    MOST_VISITS = 16,
    STORES = 1 << 20,
    FENCES = 1 << 16,
    MOST_OPTIONS = UINT16_MAX /* that a strategy can choose from */
};

/* What is about to be done. */
struct attempt {
    bool seq_cst;
    bool reads;     /* not only writes */
    bool newer;     /* than what its thread has read before [SPIN-1] */
    bool continues; /* what its thread has released before, as a relaxed store does */
};

static struct {
    uint32_t store_count, fence_count;
    struct store *stores;
    struct clock *fences; /* [n]: what was known at fence n and those before; [0]: nothing */
    uint32_t time;        /* grows with every access */
    uint32_t seq_cst;     /* time of the latest access or fence that is seq_cst */
    bool inserted;        /* some store was placed before one that is older by time */
} pool;

bool stores_prepare(void)
{
    pool.stores = memory_reserve(STORES * sizeof *pool.stores);
    pool.fences = memory_reserve(FENCES * sizeof *pool.fences);
    return pool.stores && pool.fences;
}

void stores_reset(void)
{
    pool.store_count = pool.fence_count = pool.time = pool.seq_cst = 0;
    pool.inserted = false;
}

uint32_t stores_count(void)
{
    return pool.store_count;
}

void stores_retire_thread(unsigned number, uint32_t first)
{
    for (uint32_t i = first; i < pool.store_count; i++)
        if (pool.stores[i].by == number)
            pool.stores[i].by = A_DEAD_ONE;
}

/* ---- the past of a thread ---- */

/* [STORES-4]: psc leads here from those before. */
static void note_seq_cst(void)
{
    note_time(CLOCK_CROSSED, pool.seq_cst);
    pool.seq_cst = pool.time;
}

/* ---- the history of a location ---- */

static void see(struct store *store)
{
    if (set_has(store->seen_by, machine.current))
        return;
    set_add(&store->seen_by, machine.current);
    store->seen_at[machine.current] = own_epoch();
}

static struct store *new_store(struct store *older, uint64_t value)
{
    if (pool.store_count == STORES)
        machine_stop_at(LIMIT_TABLES, "more than %d atomic stores", STORES);
    struct store *store = &pool.stores[pool.store_count++];
    store->older = older;
    store->value = value;
    store->writer = 0;
    store->by = NO_THREAD;
    store->epoch = 0; /* known to everybody */
    store->time = 0;
    store->seq_cst = store->updates = store->continues = store->visited = false;
    store->seen_by = set_none();
    clock_clear(&store->released);
    return store;
}

struct store *stores_latest(struct history *history, uint64_t old)
{
    if (history->latest && history->latest->value == old)
        return history->latest;
    return history->latest = new_store(NULL, old);
}

static void count_visit(struct store *store)
{
    if (!store->visited)
        memset(store->visits, 0, sizeof store->visits);
    store->visited = true;
    store->visits[machine.current]++;
}

static void insert(struct history *history, struct store *store)
{
    struct store *newer = history->latest;

    while (newer->older != store->older)
        newer = newer->older;
    newer->older = store;
    count_visit(newer);
    pool.inserted = true;
    if (machine.recording)
        record_overtaken();
    machine_changed();
    machine_self()->round.saw_old = true; /* and there is something new to see */
}

struct store *stores_add(struct history *history, struct store *before, uint64_t new, int order,
                         bool updates)
{
    struct store *store = new_store(before, new);

    store->writer = (thread_number)machine.current;
    store->epoch = own_epoch();
    store->seq_cst = order == __ATOMIC_SEQ_CST;
    store->updates = updates;
    store->time = ++pool.time;
    store->fences = pool.fence_count;
    see(store);
    store_note_read(before, CLOCK_CROSSED); /* [STORES-4] */
    if (store->seq_cst)
        note_seq_cst();
    if (before == history->latest)
        history->latest = store;
    else
        insert(history, store);
    return store;
}

/* ---- what is hidden ---- */

static bool is_seen_within(const struct store *store, const struct clock *clock)
{
    for (struct set_walk each = set_walk(store->seen_by); set_next(&each);)
        if (clock_has(clock, each.at, store->seen_at[each.at]))
            return true;
    return false;
}

/* [STORES-1] */
static bool hides_by_coherence(const struct store *store)
{
    return !store->older || store_is_known(store) || is_seen_within(store, &own_knowledge()->clock);
}

static bool hides_by_order(const struct store *store, bool seq_cst)
{
    uint32_t fence = own_knowledge()->clock.at[CLOCK_FENCE];

    if (seq_cst && (store->seq_cst || clock_has(&pool.fences[pool.fence_count], store->writer,
                                                store->epoch))) /* [STORES-2] */
        return true;
    return fence > 0 && ((store->seq_cst && store->fences < fence) ||
                         is_seen_within(store, &pool.fences[fence])); /* [STORES-3] */
}

/* [STORES-5] This store hides the older ones by order only. Would another order do? */
static void ask_for_another_order(const struct store *store, const struct attempt *attempt)
{
    bool matters = own_knowledge()->clock.at[CLOCK_MIXED] > store->time;
    bool reads = attempt->reads && attempt->seq_cst;

    for (; reads && !matters && !hides_by_coherence(store); store = store->older)
        matters = !store->older->seq_cst && !store_is_known(store->older);
    if (matters)
        machine_leave_out(LIMIT_SEQ_CST_ORDER);
}

static bool hides_older(const struct store *store, const struct attempt *attempt)
{
    if (hides_by_coherence(store))
        return true;
    if (!hides_by_order(store, attempt->seq_cst))
        return false;
    ask_for_another_order(store, attempt);
    return true;
}

/* ---- what may be read ---- */

/* The bound on visits forbids this one, and all that are older. */
static bool is_passed_too_often(const struct store *store)
{
    if (!store->visited || store->visits[machine.current] < MOST_VISITS)
        return false;
    machine_leave_out(LIMIT_OLD_STORES);
    return true;
}

static bool is_readable(const struct store *store, const struct attempt *attempt)
{
    bool is_old = set_has(store->seen_by, machine.current);

    return !(attempt->newer && is_old) && !is_passed_too_often(store);
}

static bool must_see_newer(void)
{
    bool must = machine_self()->must_see_newer;

    machine_self()->must_see_newer = false;
    return must;
}

/* ---- choosing ---- */

/* The strategy's choice among `count`. More than it can choose from are left out. */
static unsigned choose(enum datum_kind kind, unsigned count)
{
    if (count == MOST_OPTIONS)
        machine_leave_out(LIMIT_SEARCH);
    return count > 1 ? machine_choose(kind, count) : 0;
}

/* How many may be read, from the latest on. */
static unsigned count_readable(const struct store *store, const struct attempt *attempt)
{
    unsigned count = 1;

    while (count < MOST_OPTIONS && !hides_older(store, attempt) &&
           is_readable(store->older, attempt)) {
        store = store->older;
        count++;
    }
    return count;
}

static void note_visit(struct store *store)
{
    count_visit(store);
    machine_self()->round.saw_old = true; /* and there is something new to see */
}

static void note_access(int order)
{
    pool.time++;
    if (order == __ATOMIC_SEQ_CST)
        pool.seq_cst = pool.time;
}

struct store *stores_pick(struct history *history, uint64_t old, int order)
{
    struct attempt attempt = {
        .seq_cst = order == __ATOMIC_SEQ_CST, .reads = true, .newer = must_see_newer()};
    struct store *store = stores_latest(history, old);
    unsigned count = count_readable(store, &attempt);
    unsigned chosen = choose(DATUM_STORE, count);

    note_access(order);
    for (unsigned i = 0; i < chosen; i++)
        store = store->older;
    if (chosen > 0)
        note_visit(store);
    see(store);
    return store;
}

/* ---- places ---- */

/* [STORES-4] Can it come before this one? `earliest` is when the first of those that would then
   follow was executed. */
static bool is_place(const struct store *next, uint32_t earliest, const struct attempt *attempt)
{
    bool crosses = own_knowledge()->clock.at[CLOCK_CROSSED] > earliest ||
                   (attempt->seq_cst && pool.seq_cst > earliest);

    if ((!crosses && !pool.inserted) || next->updates)
        return false;
    if (next->continues || (attempt->continues && next->older->by == SEVERAL)) {
        machine_leave_out(LIMIT_MODIFICATION_ORDER);
        return false;
    }
    return !is_passed_too_often(next);
}

/* Goes back from the latest store to the nth place for a new one, or as far as there are any. How
   far that is; `store` is then the one that it follows. */
static unsigned go_to_place(struct store **store, const struct attempt *attempt, unsigned nth)
{
    struct store *next = *store;
    uint32_t earliest = UINT32_MAX;
    unsigned count = 0;

    while (count < nth && !hides_older(next, attempt)) {
        if (next->time < earliest)
            earliest = next->time;
        if (is_place(next, earliest, attempt)) {
            *store = next->older;
            count++;
        }
        next = next->older;
    }
    return count;
}

struct store *stores_place(struct history *history, uint64_t old, int order, bool reads)
{
    struct attempt attempt = {.seq_cst = order == __ATOMIC_SEQ_CST,
                              .reads = reads,
                              .continues = !reads && order == __ATOMIC_RELAXED};
    struct store *latest = stores_latest(history, old), *store = latest;
    unsigned count = go_to_place(&store, &attempt, MOST_OPTIONS - 1);

    if (count == 0)
        return latest;
    store = latest;
    go_to_place(&store, &attempt, choose(DATUM_PLACE, count + 1));
    return store;
}

/* ---- compare-and-exchange ---- */

struct comparison {
    uint64_t expected;
    struct attempt success, failure;
};

/* As go_to_place: to the nth that it may read, and fail; or read, and replace. */
static unsigned go_to_compared(struct store **store, const struct comparison *comparison,
                               unsigned nth)
{
    struct store *next = *store;
    uint32_t earliest = UINT32_MAX;
    bool readable = true, replaceable = true;
    unsigned count = 0;

    for (; count < nth; next = next->older) {
        readable = readable && !hides_older(next, &comparison->failure);
        replaceable = replaceable && !hides_older(next, &comparison->success);
        if (!readable && !replaceable)
            break;
        if (next->time < earliest)
            earliest = next->time;
        readable = readable && is_readable(next->older, &comparison->failure);
        if (next->older->value == comparison->expected
                ? replaceable && is_place(next, earliest, &comparison->success)
                : readable) {
            *store = next->older;
            count++;
        }
    }
    return count;
}

struct store *stores_pick_for_cas(struct history *history, uint64_t old, uint64_t expected,
                                  int success, int failure)
{
    struct comparison comparison = {
        .expected = expected,
        .success = {.seq_cst = success == __ATOMIC_SEQ_CST, .reads = true},
        .failure = {
            .seq_cst = failure == __ATOMIC_SEQ_CST, .reads = true, .newer = must_see_newer()}};
    struct store *latest = stores_latest(history, old), *store = latest;
    unsigned count = go_to_compared(&store, &comparison, MOST_OPTIONS - 1);

    store = latest;
    go_to_compared(&store, &comparison, choose(DATUM_STORE, count + 1));
    if (store->value == expected)
        return store;
    note_access(failure);
    if (store != latest)
        note_visit(store);
    see(store);
    return store;
}

/* ---- fences, and what is no access to an atomic ---- */

/* [STORES-6] */
void stores_learn(void)
{
    pool.time++;
    note_time(CLOCK_CROSSED, pool.time);
    note_time(CLOCK_MIXED, pool.time);
}

void stores_fence(void)
{
    struct clock *own = &own_knowledge()->clock;

    if (pool.fence_count + 1 == FENCES)
        machine_stop_at(LIMIT_TABLES, "more than %d seq_cst fences", FENCES);
    uint32_t number = ++pool.fence_count;
    pool.time++;
    note_seq_cst();
    clock_copy(&pool.fences[number], &pool.fences[number - 1]);
    clock_join(&pool.fences[number], own);
    own->at[CLOCK_FENCE] = number;
}
