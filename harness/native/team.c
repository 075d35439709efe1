/*
 * The life of a team: its threads wait for an order, carry it out, and wait again.
 *
 * Threads are created when a scenario first needs them, so that a team that only ever sees two
 * actors has two. Between orders they sleep on a condition; within one they meet on counters only
 * (race.c), and the lock is taken once per block, to publish what was seen so far.
 *
 *   [TEAM-1] What is marked I changes only while no thread is at work.
 *   [TEAM-2] After `muted` is set nothing in the result is written: publish() looks at the flag
 *            under the lock. Threads that are not stuck leave at the next meeting; the memory
 *            stays, because those that are stuck may come back to it at any time.
 */
#include <sched.h> /* CPU_SET */
#include <stdlib.h>
#include <string.h>
#include <time.h> /* clock_gettime */

#include "harness/native/stacks.h"
#include "harness/native/team_internal.h"

enum {
    BLOCK_MAX = 1024,         /* states, if they are small: */
    BLOCK_BYTES = 256 * 1024, /* a block should stay in a core's own cache */
    PATIENCE_ALONE = 5000,    /* looks, with a core for each actor */
    PATIENCE_CROWDED = 8,     /* looks, with fewer cores than actors ... */
    YIELDS_CROWDED = 64       /* ... and then so many yields */
};

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t native_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t native_processor_time(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- cores ---- */

/* The cores this process may use, as it found them; not what a pinned thread is left with. */
static cpu_set_t usable_cores;

__attribute__((constructor)) static void look_at_cores(void)
{
    if (sched_getaffinity(0, sizeof usable_cores, &usable_cores) != 0)
        CPU_SET(0, &usable_cores);
}

unsigned native_cores(void)
{
    return (unsigned)CPU_COUNT(&usable_cores);
}

static int nth_core(unsigned n)
{
    int core = -1;

    for (unsigned seen = 0; seen <= n; seen++)
        do {
            core++;
        } while (!CPU_ISSET((size_t)core, &usable_cores));
    return core;
}

/* Pins the thread or frees it, as the plan says. Actors that share a core are a case of their own:
   only preemption can interleave them. */
void slot_pin(struct slot *slot)
{
    const struct team *team = slot->team;
    unsigned place = team->number * team->actors + slot->index;
    int core = team->pinned ? nth_core(place % native_cores()) : -1;
    cpu_set_t cores;

    if (core == slot->core)
        return;
    slot->core = core;
    CPU_ZERO(&cores);
    if (core >= 0)
        CPU_SET((size_t)core, &cores);
    pthread_setaffinity_np(pthread_self(), sizeof cores, core >= 0 ? &cores : &usable_cores);
}

/* ---- threads ---- */

/* Waits for an order that concerns this slot. False: there will be no more. */
static bool wait_for_order(struct slot *slot, uint64_t *served)
{
    struct team *team = slot->team;
    bool dismissed;

    pthread_mutex_lock(&team->lock);
    while (!team->dismissed && (team->orders == *served || slot->index >= team->actors))
        pthread_cond_wait(&team->begin, &team->lock);
    *served = team->orders;
    dismissed = team->dismissed;
    pthread_mutex_unlock(&team->lock);
    return !dismissed;
}

static void leave_work(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    bool last = --team->at_work == 0;
    pthread_mutex_unlock(&team->lock);
    if (last)
        team->finished(team->context);
}

static void *slot_main(void *argument)
{
    struct slot *slot = argument;
    uint64_t served = 0;

    atomic_store_explicit(&slot->id, stacks_thread_id(), memory_order_relaxed); /* a number */
    while (wait_for_order(slot, &served)) {
        race_run(slot);
        leave_work(slot->team);
    }
    return NULL;
}

struct team *team_new(unsigned number, team_finished_fn *finished, void *context)
{
    struct team *team = aligned_alloc(CACHE_LINE, sizeof *team);

    if (!team)
        return NULL;
    memset(team, 0, sizeof *team);
    atomic_store_explicit(&team->bell, 0, memory_order_relaxed); /* known to DRD from now on */
    team->number = number;
    team->finished = finished;
    team->context = context;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    for (unsigned i = 0; i < SCENARIO_ACTORS; i++) {
        team->slots[i].team = team;
        team->slots[i].index = i;
        team->slots[i].core = -1;
    }
    return team;
}

static bool start_threads(struct team *team, unsigned wanted)
{
    while (team->started < wanted) {
        struct slot *slot = &team->slots[team->started];
        if (pthread_create(&slot->thread, NULL, slot_main, slot) != 0)
            return false;
        team->started++;
    }
    return true;
}

/* ---- orders ---- */

static void free_block(struct team *team)
{
    free(team->states);
    team->states = NULL;
    for (unsigned i = 0; i < SCENARIO_ACTORS; i++) {
        free(team->outcomes[i]);
        team->outcomes[i] = NULL;
    }
}

static size_t rounded_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static bool allocate_block(struct team *team)
{
    size_t fit;

    team->stride = rounded_up(team->order.scenario->state_size, CACHE_LINE);
    fit = BLOCK_BYTES / team->stride;
    team->room = fit > BLOCK_MAX ? BLOCK_MAX : fit < 1 ? 1 : fit;
    team->states = aligned_alloc(CACHE_LINE, team->room * team->stride);
    bool allocated = team->states != NULL;
    for (unsigned i = 0; i < team->actors; i++) {
        team->outcomes[i] = calloc(team->room, sizeof *team->outcomes[i]);
        allocated = allocated && team->outcomes[i];
    }
    return allocated;
}

/* Each scenario has its own random numbers, whatever else is run beside it. */
static uint64_t seed_of(const struct order *order)
{
    uint64_t hash = order->seed;

    for (const char *letter = order->scenario->name; *letter; letter++)
        hash = random_mix(hash, (unsigned char)*letter);
    return hash;
}

/* [TEAM-1] */
static bool prepare(struct team *team, const struct order *order)
{
    team->order = *order;
    team->actors = (unsigned)scenario_actor_count(order->scenario);
    bool crowded = team->actors > native_cores();
    team->patience = crowded ? PATIENCE_CROWDED : PATIENCE_ALONE;
    team->yields = crowded ? YIELDS_CROWDED : 0;
    team->block = 0;
    team->failed = false;
    tally_clear(&team->seen);
    tuner_start(&team->tuner, seed_of(order), team->actors, order->stagger);
    atomic_store_explicit(&team->stop, false, memory_order_relaxed);
    atomic_store_explicit(&team->iterations, 0, memory_order_relaxed);
    for (unsigned i = 0; i < SCENARIO_ACTORS; i++) {
        team->slots[i].turn = 0;
        atomic_store_explicit(&team->slots[i].arrived, 0, memory_order_relaxed);
    }
    free_block(team);
    return allocate_block(team);
}

bool team_begin(struct team *team, const struct order *order)
{
    pthread_mutex_lock(&team->lock);
    bool ready = prepare(team, order) && start_threads(team, team->actors);
    if (ready) {
        team->at_work = team->actors;
        team->orders++;
        pthread_cond_broadcast(&team->begin);
    }
    pthread_mutex_unlock(&team->lock);
    return ready;
}

void team_stop(struct team *team)
{
    atomic_store_explicit(&team->stop, true, memory_order_relaxed); /* guards nothing */
}

bool team_is_finished(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    bool finished = team->at_work == 0;
    pthread_mutex_unlock(&team->lock);
    return finished;
}

uint64_t team_iterations(struct team *team)
{
    return atomic_load_explicit(&team->iterations, memory_order_relaxed);
}

void team_mute(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    team->muted = true; /* [TEAM-2] */
    pthread_mutex_unlock(&team->lock);
    team_stop(team);
}

void team_free(struct team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    team->dismissed = true;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i < team->started; i++)
        pthread_join(team->slots[i].thread, NULL);
    free_block(team);
    pthread_cond_destroy(&team->begin);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

void team_abandon(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    atomic_store_explicit(&team->abandoned, true, memory_order_relaxed); /* [TEAM-2] */
    team->dismissed = true;
    pthread_cond_broadcast(&team->begin);
    for (unsigned i = 0; i < team->started; i++)
        pthread_detach(team->slots[i].thread);
    pthread_mutex_unlock(&team->lock);
    race_ring(team);
}

/* ---- for the watchdog ---- */

static uint64_t arrived(struct team *team, unsigned actor)
{
    return atomic_load_explicit(&team->slots[actor].arrived, memory_order_relaxed);
}

uint64_t team_progress(struct team *team)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < team->actors; i++)
        sum += arrived(team, i);
    return sum;
}

/* Whoever has arrived at a meeting that somebody else has not reached is waiting for that one. */
enum whereabouts team_whereabouts(struct team *team, unsigned actor)
{
    uint64_t mine = arrived(team, actor);

    for (unsigned i = 0; i < team->actors; i++)
        if (arrived(team, i) < mine)
            return WAITING_FOR_OTHERS;
    return (enum whereabouts)atomic_load_explicit(&team->slots[actor].phase, memory_order_relaxed);
}

pid_t team_thread(struct team *team, unsigned actor)
{
    return atomic_load_explicit(&team->slots[actor].id, memory_order_relaxed);
}
