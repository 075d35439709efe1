/* Explored programs for the tests of what is shown. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/explore/probe.h"
#include "harness/explore/test/programs.h"

extern int observed[];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    atomic_int state;
    int total;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

static void run_both(void *(*one)(void *), void *(*other)(void *))
{
    pthread_t first, second;

    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, other, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

/* ---- a lost wake-up: looks without the lock, then waits ---- */

static void *wait_for_signal(void *unused)
{
    if (atomic_load(&shared.state) == 0) {
        pthread_mutex_lock(&shared.lock);
        pthread_cond_wait(&shared.ready, &shared.lock);
        pthread_mutex_unlock(&shared.lock);
    }
    return unused;
}

static void *signal_once(void *unused)
{
    atomic_store_explicit(&shared.state, 1, memory_order_release);
    pthread_cond_signal(&shared.ready);
    return unused;
}

void program_late_signal(void)
{
    run_both(wait_for_signal, signal_once);
}

/* ---- a data race ---- */

static void *add_plainly(void *unused)
{
    shared.total = shared.total + 1;
    return unused;
}

void program_races_on_a_member(void)
{
    run_both(add_plainly, add_plainly);
}

/* ---- probes ---- */

void program_passes_probes(void)
{
    atomic_store(&shared.state, 7);
    GP_PROBE(state_changed, &shared, atomic_load(&shared.state));
    atomic_store(&shared.state, 8);
    GP_PROBE(done, true);
}

/* ---- lines ---- */

void program_tells_its_line(void)
{
    observed[0] = __LINE__ + 1;
    atomic_store(&shared.state, 1);
}
