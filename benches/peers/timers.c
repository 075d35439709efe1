/*
 * Scheduling, cancelling, memory, lateness and the race: the second half of contender.h.
 *
 * Scheduling and cancelling happen among tasks that are an hour away or more, at random times. A
 * timer with a million of them is filled once, and kept: a round leaves it as it has found it, and
 * works in batches, so that there are never many more or fewer. Which of them are cancelled is
 * drawn before the clock starts, by moving them to the end of the array of handles.
 *
 * Memory is what malloc says is in use, its own headers included, so that a library pays for the
 * sizes it asks for.
 */
#include <malloc.h> /* mallinfo2 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../random.h"
#include "contender.h"

#define SECOND     INT64_C(1000000000)
#define LEAD_NANOS INT64_C(10000000) /* so that all are scheduled before the first is due */

static void *allocate(long count, size_t size)
{
    void *memory = calloc((size_t)count, size);

    if (!memory)
        abort();
    return memory;
}

/* Scheduling. */

struct filled { /* a timer with tasks in it */
    void *timer;
    void **handles;
    long pending;
    uint64_t seed;
};

/* Between one hour ahead and two. */
static int64_t far_delay(uint64_t *seed)
{
    return 3600 * SECOND + (int64_t)random_below(seed, (size_t)(3600 * SECOND));
}

static bool add_far(const struct scheduler *scheduler, struct filled *filled, void **handle)
{
    return scheduler->after(filled->timer, far_delay(&filled->seed), count_run_of, NULL, handle);
}

static bool fill(const struct scheduler *scheduler, const struct request *request,
                 struct filled *filled)
{
    bool ok = true;

    filled->seed = 1;
    filled->pending = request->pending;
    filled->handles = allocate(request->pending + 1, sizeof(void *));
    filled->timer = scheduler->open(request->workers);
    for (long i = 0; i < filled->pending && filled->timer && ok; i++)
        ok = add_far(scheduler, filled, &filled->handles[i]);
    return filled->timer && ok;
}

static struct filled *kept(const struct scheduler *scheduler, const struct request *request,
                           struct answer *answer)
{
    static struct filled filled;

    if (scheduler->pending_most != 0 && scheduler->pending_most < request->pending)
        answer->skip = "it would take for ever with so many";
    else if (!filled.timer && !fill(scheduler, request, &filled))
        answer->error = "cannot fill the timer";
    else if (filled.pending != request->pending || filled.pending < 1)
        answer->error = "it was filled with another number";
    return &filled;
}

static int64_t *draw_delays(uint64_t *seed, long count)
{
    int64_t *delays = allocate(count, sizeof(*delays));

    for (long i = 0; i < count; i++)
        delays[i] = far_delay(seed);
    return delays;
}

/* The number of pending tasks stays what it was, within a tenth. */
static long batch_of(const struct request *request, long left)
{
    long batch = request->pending / 10 + 1;

    return batch < left ? batch : left;
}

static void settle(const struct scheduler *scheduler, struct filled *filled)
{
    if (scheduler->settle)
        scheduler->settle(filled->timer);
}

/* The time of one batch. */
static int64_t schedule_batch(const struct scheduler *scheduler, struct filled *filled, long count,
                              struct answer *answer)
{
    int64_t *delays = draw_delays(&filled->seed, count);
    void **handles = allocate(count, sizeof(*handles));
    long before = scheduler->pending(filled->timer);

    int64_t started = nanos_now();
    for (long i = 0; i < count; i++)
        if (!scheduler->after(filled->timer, delays[i], count_run_of, NULL, &handles[i]))
            answer->error = "a task was refused";
    int64_t nanos = nanos_now() - started;

    answer->done += scheduler->pending(filled->timer) - before;
    for (long i = 0; i < count; i++)
        scheduler->cancel(filled->timer, handles[i]);
    settle(scheduler, filled);
    free(handles);
    free(delays);
    return nanos;
}

void schedule_round(const struct scheduler *scheduler, const struct request *request,
                    struct answer *answer)
{
    struct filled *filled = kept(scheduler, request, answer);
    int64_t nanos = 0;

    for (long left = request->count; left > 0 && !answer->error && !answer->skip;) {
        long batch = batch_of(request, left);
        nanos += schedule_batch(scheduler, filled, batch, answer);
        left -= batch;
    }
    add_figure(answer, "nanos", (double)nanos);
}

static void draw_victims(struct filled *filled, long count)
{
    for (long i = 0; i < count; i++) {
        size_t last = (size_t)(filled->pending - 1 - i);
        size_t drawn = random_below(&filled->seed, last + 1);
        void *handle = filled->handles[drawn];
        filled->handles[drawn] = filled->handles[last];
        filled->handles[last] = handle;
    }
}

static int64_t cancel_batch(const struct scheduler *scheduler, struct filled *filled, long count,
                            struct answer *answer)
{
    void **victims = filled->handles + filled->pending - count;
    long before = scheduler->pending(filled->timer);

    draw_victims(filled, count);
    int64_t started = nanos_now();
    for (long i = 0; i < count; i++)
        if (!scheduler->cancel(filled->timer, victims[i]))
            answer->error = "a task could not be cancelled";
    int64_t nanos = nanos_now() - started;

    answer->done += before - scheduler->pending(filled->timer);
    settle(scheduler, filled);
    for (long i = 0; i < count; i++)
        if (!add_far(scheduler, filled, &victims[i]))
            answer->error = "cannot fill the timer again";
    return nanos;
}

void cancel_round(const struct scheduler *scheduler, const struct request *request,
                  struct answer *answer)
{
    struct filled *filled = kept(scheduler, request, answer);
    int64_t nanos = 0;

    for (long left = request->count; left > 0 && !answer->error && !answer->skip;) {
        long batch = batch_of(request, left);
        nanos += cancel_batch(scheduler, filled, batch, answer);
        left -= batch;
    }
    add_figure(answer, "nanos", (double)nanos);
}

/* Memory. */

static double bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return (double)info.uordblks + (double)info.hblkhd;
}

void bytes_round(const struct scheduler *scheduler, const struct request *request,
                 struct answer *answer)
{
    struct filled filled;
    struct request all = *request;
    double array = (double)request->count * sizeof(void *);
    double before = bytes_in_use();

    all.pending = request->count;
    if (fill(scheduler, &all, &filled)) {
        answer->done = scheduler->pending(filled.timer);
        add_figure(answer, "bytes", (bytes_in_use() - before - array) / (double)request->count);
        for (long i = 0; i < request->count; i++)
            scheduler->cancel(filled.timer, filled.handles[i]);
        scheduler->close(filled.timer);
    } else {
        answer->error = "cannot fill the timer";
    }
    free(filled.handles);
}

/* Lateness. */

struct due {
    int64_t time;
    int64_t lateness;
};

static void run_due(void *argument)
{
    struct due *due = argument;

    due->lateness = nanos_now() - due->time;
    count_run();
}

static int by_size(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static double quantile(const int64_t *sorted, long count, long thousandths)
{
    long place = (count - 1) * thousandths / 1000;

    return (double)sorted[place];
}

void add_lateness(struct answer *answer, int64_t *lateness, long count)
{
    qsort(lateness, (size_t)count, sizeof(*lateness), by_size);
    add_figure(answer, "p50", quantile(lateness, count, 500));
    add_figure(answer, "p99", quantile(lateness, count, 990));
    add_figure(answer, "p999", quantile(lateness, count, 999));
}

static void schedule_dues(const struct scheduler *scheduler, void *timer, struct due *dues,
                          const struct request *request, struct answer *answer)
{
    int64_t start = nanos_now() + LEAD_NANOS;

    for (long i = 0; i < request->count; i++) {
        dues[i].time = start + i * request->gap;
        if (!scheduler->after(timer, dues[i].time - nanos_now(), run_due, &dues[i], NULL))
            answer->error = "a task was refused";
    }
}

void lateness_round(const struct scheduler *scheduler, const struct request *request,
                    struct answer *answer)
{
    void *timer = scheduler->open(request->workers);
    if (!timer) {
        answer->error = "cannot make the timer";
        return;
    }
    struct due *dues = allocate(request->count, sizeof(*dues));
    int64_t *lateness = allocate(request->count, sizeof(*lateness));
    long from = sum_of_tallies();

    schedule_dues(scheduler, timer, dues, request, answer);
    if (scheduler->drive)
        scheduler->drive(timer);
    answer->done = await_runs(from, request->count);
    scheduler->close(timer);
    for (long i = 0; i < request->count; i++)
        lateness[i] = dues[i].lateness;
    add_lateness(answer, lateness, request->count);
    free(lateness);
    free(dues);
}

/* Racing. The two meet at a number that each has counted up to, spinning: a barrier that sleeps
   would let one of them go microseconds ahead of the other. */

struct racing {
    const struct race *race;
    void *_Atomic pool;
    _Atomic long arrived;
    _Atomic long left;
    long pairs;
};

enum {
    APART_MOST = 256, /* turns of an empty loop */
    SPINS_MOST = 10000
};

static void spin(uint64_t *seed)
{
    volatile size_t turns = random_below(seed, APART_MOST);

    while (turns > 0)
        turns--;
}

static void await_number(_Atomic long *number, long wanted)
{
    for (long turns = 0; atomic_load(number) < wanted; turns++)
        if (turns > SPINS_MOST)
            sched_yield(); /* the other has no core */
}

static void *shut_down_each(void *argument)
{
    struct racing *racing = argument;
    uint64_t seed = 2;

    for (long pair = 1; pair <= racing->pairs; pair++) {
        atomic_fetch_add(&racing->arrived, 1);
        await_number(&racing->arrived, 2 * pair);
        spin(&seed);
        racing->race->shut_down(atomic_load(&racing->pool));
        atomic_fetch_add(&racing->left, 1);
    }
    return NULL;
}

void race_round(const struct race *race, const struct request *request, struct answer *answer)
{
    struct racing racing = {.race = race, .pairs = request->count};
    uint64_t seed = 3;
    long stranded = 0;
    pthread_t thread;

    if (pthread_create(&thread, NULL, shut_down_each, &racing) != 0)
        abort();
    for (long pair = 1; pair <= request->count; pair++) {
        void *pool = race->open();
        if (!pool)
            abort();
        atomic_store(&racing.pool, pool);
        atomic_fetch_add(&racing.arrived, 1);
        await_number(&racing.arrived, 2 * pair);
        spin(&seed);
        race->schedule(pool);
        await_number(&racing.left, pair);
        stranded += !race->close(pool);
        answer->done++;
    }
    pthread_join(thread, NULL);
    add_figure(answer, "stranded", (double)stranded);
}
