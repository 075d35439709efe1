/*
 * What an atomic load may read, under the memory model `c11`.
 *
 * The model is RC11 (O. Lahav and others, "Repairing sequential consistency in C/C++11", 2017), run
 * forwards: an execution is a sequence of steps, and a load reads one of the stores that were
 * executed before it. The order in which the stores of a location were executed is its modification
 * order, and the order in which seq_cst operations were executed is theirs.
 *
 *      store 3   0 ---- 1 ---- 2 ---- 3   the latest: may always be read
 *                       |      |
 *                       |      seen by thread 2, and thread 2 has not told us: may be read
 *                       seen by thread 4, and we know of that: may be read, but nothing older
 *
 * Each store remembers who has seen it, by writing or reading it, and at which epoch first. A load
 * goes back from the latest store until it meets one that
 *
 *   [STORES-1] somebody has seen at an epoch that the loading thread knows of. That is coherence: a
 *              write or read that happened before us came across this store, hence we do not read
 *              what it had replaced;
 *   [STORES-2] is seq_cst, while the load is; or is known as the writer's to any seq_cst fence so
 *              far, while the load is seq_cst;
 *   [STORES-3] is seq_cst and was executed before a seq_cst fence that happened before us; or that
 *              somebody has seen at an epoch which was known at that fence or at an earlier one.
 *
 * 2 and 3 are the edges of RC11's psc that would point backwards in the order of execution. Fences
 * are numbered; what was known at each or earlier is kept in a clock by its number, and which
 * fence has happened before a thread travels as entry 0 of the clocks. A seq_cst fence does not
 * make a thread know what others did: it limits what can be read, and orders no plain accesses.
 *
 * A read-modify-write reads the latest store; this is atomicity.
 *
 * What RC11 allows and is left out: all that needs a modification order which is not the order of
 * execution, that is, a cycle of program order, reading and modification order. There is 2+2W (two
 * threads store 1 to one location, then 2 to the other, each the other way round; that both end as
 * 1) and S (one stores 2 to x, then to y; the other sees that, stores 1 to x, and x ends as 2),
 * both with relaxed accesses. Power and ARM can do that. And all that needs another order of
 * seq_cst operations than that of execution, which psc, being weaker, allows: Z6.U (one stores to x
 * with seq_cst, then to y with release; the other adds to y with seq_cst and then sees what a third
 * stores to y with seq_cst; that one reads x with seq_cst, and does not see the first). What C11
 * allows and RC11 does not is left out with it: load buffering, where each of two loads reads what
 * the other thread stores later.
 *
 * Bounds. A location remembers its last HISTORY stores; older ones cannot be read. One thread reads
 * the same overtaken store STALE_READS times at most: a loop that waits for a store sees it in the
 * end, as the standard recommends, and an exhaustive search of such a loop has an end.
 *
 * Memory itself always holds the latest store. If it holds something else than the history says, it
 * was written by other means (a plain initialisation, memset, an access of another size), and the
 * history begins anew with one store that everybody has seen. That is enough. Whoever writes it by
 * a plain store and without a data race has had all earlier stores happen before, and whoever reads
 * it after that knows of them.
 */
#include <string.h>

#include "harness/explore/memory_parts.h"

enum {
    STALE_READS = 4,
    STORES = 1 << 20,
    FENCES = 1 << 16
};

struct store {
    uint64_t value;
    uint8_t writer;
    bool seq_cst;
    bool original;         /* was there before anybody could look */
    uint32_t fences;       /* of seq_cst, executed before it */
    uint32_t epoch;        /* of its writer */
    thread_set seen_by;    /* its writer included */
    struct clock released; /* with it */
    uint32_t seen_at[MACHINE_THREADS];
    uint8_t stale_reads[MACHINE_THREADS];
};

static struct {
    uint32_t store_count, fence_count;
    struct store *stores;
    struct clock *fences; /* [n]: what was known at fence n and those before; [0]: nothing */
} pool;

bool stores_prepare(void)
{
    pool.stores = memory_reserve(STORES * sizeof *pool.stores);
    pool.fences = memory_reserve(FENCES * sizeof *pool.fences);
    return pool.stores && pool.fences;
}

void stores_reset(void)
{
    pool.store_count = pool.fence_count = 0;
}

uint64_t store_value(const struct store *store)
{
    return store->value;
}

struct clock *store_released(struct store *store)
{
    return &store->released;
}

/* ---- the history of a location ---- */

static struct store *numbered(const struct history *history, uint32_t number)
{
    return history->stores[number % HISTORY];
}

static void see(struct store *store)
{
    thread_set self = (thread_set)1 << machine.current;

    if (store->seen_by & self)
        return;
    store->seen_by |= self;
    store->seen_at[machine.current] = own_epoch();
}

/* A location that has as many stores as are remembered gives up its oldest. */
static struct store *append(struct history *history, uint64_t value)
{
    uint32_t place = history->count % HISTORY;

    if (history->count < HISTORY) {
        if (pool.store_count == STORES)
            machine_finish(ENDED_UNCONTROLLED, "more than %d stores to remember", STORES);
        history->stores[place] = &pool.stores[pool.store_count++];
    }
    history->count++;
    struct store *store = history->stores[place];
    store->value = value;
    store->original = store->seq_cst = false;
    store->seen_by = 0;
    clock_clear(&store->released);
    memset(store->stale_reads, 0, sizeof store->stale_reads);
    return store;
}

/* The latest store is what memory holds. */
struct store *stores_latest(struct history *history, size_t size, uint64_t old)
{
    if (history->count > 0 && history->size == size) {
        struct store *latest = numbered(history, history->count - 1);
        if (latest->value == old)
            return latest;
    }
    history->count = 0;
    history->size = (uint32_t)size;
    struct store *store = append(history, old);
    store->original = true;
    return store;
}

struct store *stores_add(struct history *history, size_t size, uint64_t old, uint64_t new,
                         int order)
{
    stores_latest(history, size, old);
    struct store *store = append(history, new);
    store->writer = (uint8_t)machine.current;
    store->epoch = own_epoch();
    store->seq_cst = order == __ATOMIC_SEQ_CST;
    store->fences = pool.fence_count;
    see(store);
    return store;
}

/* ---- what may be read ---- */

static bool is_seen_within(const struct store *store, const struct clock *clock)
{
    for (thread_set left = store->seen_by; left != 0; left &= left - 1) {
        unsigned thread = (unsigned)__builtin_ctzll(left);
        if (clock_has(clock, thread, store->seen_at[thread]))
            return true;
    }
    return false;
}

static bool hides_older_from_seq_cst(const struct store *store)
{
    return store->seq_cst || clock_has(&pool.fences[pool.fence_count], store->writer, store->epoch);
}

static bool hides_older(const struct store *store, bool seq_cst)
{
    const struct clock *own = &own_knowledge()->clock;
    uint32_t fence = own->at[CLOCK_FENCE];

    if (store->original || is_seen_within(store, own)) /* [STORES-1] */
        return true;
    if (seq_cst && hides_older_from_seq_cst(store)) /* [STORES-2] */
        return true;
    return fence > 0 && ((store->seq_cst && store->fences < fence) ||
                         is_seen_within(store, &pool.fences[fence])); /* [STORES-3] */
}

static bool has_read_enough(const struct store *store)
{
    return store->stale_reads[machine.current] >= STALE_READS;
}

/* The numbers of those that may be read, the latest first. */
static unsigned candidates(const struct history *history, bool seq_cst, uint32_t found[HISTORY])
{
    uint32_t oldest = history->count > HISTORY ? history->count - HISTORY : 0;
    unsigned count = 0;

    for (uint32_t number = history->count; number-- > oldest;) {
        const struct store *store = numbered(history, number);
        if (count > 0 && has_read_enough(store))
            break;
        found[count++] = number;
        if (hides_older(store, seq_cst))
            break;
    }
    return count;
}

static struct store *choose(const struct history *history, const uint32_t *found, unsigned count)
{
    unsigned chosen = count > 1 ? machine_choose(DATUM_STORE, count) : 0;
    struct store *store = numbered(history, found[chosen]);

    if (chosen > 0) {
        store->stale_reads[machine.current]++;
        machine_changed(); /* for itself: if it yields now, there is something new to see */
    }
    return store;
}

struct store *stores_pick(struct history *history, size_t size, uint64_t old, int order)
{
    uint32_t found[HISTORY] = {0};

    stores_latest(history, size, old);
    unsigned count = candidates(history, order == __ATOMIC_SEQ_CST, found);
    struct store *store = choose(history, found, count);
    see(store);
    return store;
}

struct store *stores_pick_for_cas(struct history *history, size_t size, uint64_t old,
                                  uint64_t expected, int failure)
{
    uint32_t found[HISTORY] = {0};
    unsigned kept = 1;

    stores_latest(history, size, old);
    unsigned count = candidates(history, failure == __ATOMIC_SEQ_CST, found);
    for (unsigned i = 1; i < count; i++)
        if (numbered(history, found[i])->value != expected)
            found[kept++] = found[i];
    struct store *store = choose(history, found, kept);
    if (store->value != expected)
        see(store);
    return store;
}

/* ---- fences ---- */

void stores_fence(void)
{
    struct clock *own = &own_knowledge()->clock;

    if (pool.fence_count + 1 == FENCES)
        machine_finish(ENDED_UNCONTROLLED, "more than %d seq_cst fences", FENCES);
    uint32_t number = ++pool.fence_count;
    clock_copy(&pool.fences[number], &pool.fences[number - 1]);
    clock_join(&pool.fences[number], own);
    own->at[CLOCK_FENCE] = number;
}
