/*
 * The repository: Dubbo's DefaultExecutorRepository, with an end for what Java leaves to the
 * collector.
 *
 *      by component and port                          shut down, and asked for again;
 *                                                     or destroyed
 *      [ found: consumer 20880, common 20881, ... ] ------------------------> [ retired ] --> freed
 *
 * Two lists and one lock. A process has a handful of ports, so a list is walked faster than a table
 * is hashed; and nothing that is done with the lock held waits for a task, or for a thread.
 *
 *   [REPOSITORY-1] A component and port has one pool among the found.
 *   [REPOSITORY-2] What is handed out was found, and not shut down, in the same hold of the lock
 *                  in which it was leased. What is retired is never handed out again.
 *   [REPOSITORY-3] A pool that was made is in one of the lists, and leaves them only to be freed:
 *                  when it is retired, without lease, and terminated; its workers are joined then.
 *                  Who waits for its end has a lease as well; who frees it has taken it out.
 *   [REPOSITORY-4] During an update core <= maximum, whatever is larger being set first if both
 *                  grow, and last if both shrink. Updates are one after the other.
 *   [REPOSITORY-5] Who has taken pools out is counted in `sweepers`, in the step that takes them
 *                  out and until they are freed, or back in the list. So what is neither in a list
 *                  nor freed is not forgotten: meanwhile the repository is not freed, which the
 *                  sweeper comes back to, and nobody says that all of them have ended.
 *
 * Better than upstream. destroyAll left the map as it was, and the next who asked was given a dead
 * executor (dubbo #7820). getExecutor was not synchronized: two who found the same dead one put two
 * new ones into the map, one of them for nobody, with its threads. Two updates at the same time
 * could each see what the other had half done.
 */
#include <glasspool/repository.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "pool/pool.h" /* GP__COUNT_MASK */
#include "sync/clock.h"
#include "sync/condition.h"
#include "sync/probe.h"

enum component {
    COMMON,
    CONSUMER,
    SHARED
};

/*
 * Lock letters:
 *   I: set once before publication
 *   R: guarded by the repository's lock
 */
struct executor {
    enum component component; /* I */
    int port;                 /* I */
    gp_pool *pool;            /* I */
    size_t leases;            /* R who may still use it */
    struct executor *next;    /* R in its list */
};

/*
 * Lock letters:
 *   I: set once before publication
 *   R: guarded by lock
 */
struct gp_repository {
    gp_rejection rejection;     /* I of all its pools */
    pthread_mutex_t lock;       /* I */
    struct executor *found;     /* R */
    struct executor *retired;   /* R the latest first */
    size_t sweepers;            /* R who are freeing pools that they have taken out */
    struct gp__condition swept; /* R there are none any more */
};

static enum component component_of(const char *side)
{
    const char *consumer = "consumer";
    while (side != NULL && *consumer != '\0' && (*side == *consumer || *side == *consumer - 32)) {
        side++;
        consumer++;
    }
    return side != NULL && *side == *consumer ? CONSUMER : COMMON;
}

/* The lists. All of these with the lock held. */

static struct executor *find(gp_repository *repository, enum component component, int port)
{
    struct executor *executor = repository->found;
    while (executor != NULL && (executor->component != component || executor->port != port))
        executor = executor->next;
    return executor;
}

static struct executor *find_leased(gp_repository *repository, const gp_pool *pool)
{
    struct executor *const lists[] = {repository->found, repository->retired};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (struct executor *executor = lists[i]; executor != NULL; executor = executor->next)
            if (executor->pool == pool && executor->leases > 0)
                return executor;
    return NULL;
}

static struct executor *lease(struct executor *executor)
{
    executor->leases++;
    return executor;
}

/* All of a list, from this one on. */
static struct executor *lease_all(struct executor *first)
{
    for (struct executor *executor = first; executor != NULL; executor = executor->next)
        lease(executor);
    return first;
}

static void add_retired(gp_repository *repository, struct executor *executor)
{
    executor->next = repository->retired;
    repository->retired = executor;
}

static void retire(gp_repository *repository, struct executor *executor)
{
    struct executor **place = &repository->found;
    while (*place != executor)
        place = &(*place)->next;
    *place = executor->next;
    add_retired(repository, executor);
    GP_PROBE(repository_retired, repository, executor->pool);
}

/* Out of the list: those that nobody may use, and that have ended. */
static struct executor *take_ended(gp_repository *repository)
{
    struct executor *taken = NULL;
    struct executor **place = &repository->retired;
    while (*place != NULL) {
        struct executor *executor = *place;
        if (executor->leases > 0 || !gp_pool_is_terminated(executor->pool)) {
            place = &executor->next;
            continue;
        }
        *place = executor->next;
        executor->next = taken;
        taken = executor;
    }
    return taken;
}

/* [REPOSITORY-3] Lets the lock go meanwhile: a pool that is freed waits for its threads, and the
   last thing that one of them does may be to give a lease back. What refuses to be freed, since the
   caller is one of its threads or somebody else waits for its end, stays for the next time. */
static void free_all(gp_repository *repository, struct executor *ended)
{
    while (ended != NULL) {
        struct executor *executor = ended;
        ended = executor->next;
        pthread_mutex_unlock(&repository->lock);
        bool freed = gp_pool_free(executor->pool) == GP_OK;
        pthread_mutex_lock(&repository->lock);
        if (freed)
            free(executor);
        else
            add_retired(repository, executor);
    }
}

/* [REPOSITORY-5] */
static void sweep(gp_repository *repository)
{
    struct executor *ended = take_ended(repository);
    if (ended == NULL)
        return;
    repository->sweepers++;
    free_all(repository, ended);
    repository->sweepers--;
    if (repository->sweepers == 0)
        gp__condition_signal_all(&repository->swept);
}

static int await_sweepers(gp_repository *repository)
{
    int status = GP_OK;
    while (repository->sweepers > 0 && status == GP_OK)
        status = gp__condition_wait(&repository->swept, &repository->lock, GP__NO_DEADLINE);
    return status;
}

static int make(gp_repository *repository, enum component component, int port,
                const gp_preset *preset, struct executor **out)
{
    struct executor *executor = malloc(sizeof *executor);
    if (executor == NULL)
        return GP_ENOMEM;
    *executor = (struct executor){.component = component, .port = port};
    int status = gp_preset_pool(preset, &executor->pool);
    if (status != GP_OK) {
        free(executor);
        return status;
    }
    gp_pool_set_rejection(executor->pool, &repository->rejection);
    executor->next = repository->found;
    repository->found = executor;
    *out = executor;
    GP_PROBE(repository_found, repository, executor->pool);
    return GP_OK;
}

/* The new one comes before the old one goes: what fails changes nothing. Between the two there are
   two of them, which nobody sees. */
static int replace(gp_repository *repository, const gp_preset *preset, struct executor **executor)
{
    struct executor *dead = *executor;
    int status = make(repository, dead->component, dead->port, preset, executor);
    if (status == GP_OK)
        retire(repository, dead);
    return status;
}

/* Handing out. */

static int hand_out(gp_repository *repository, enum component component, int port,
                    const gp_preset *preset, bool creates, gp_pool **out)
{
    if (repository == NULL || preset == NULL || out == NULL)
        return GP_EINVAL;
    int status = GP_OK;
    pthread_mutex_lock(&repository->lock);
    struct executor *executor = find(repository, component, port);
    if (executor == NULL)
        status = creates ? make(repository, component, port, preset, &executor) : GP_ENOTFOUND;
    else if (gp_pool_is_shutdown(executor->pool)) /* [REPOSITORY-2] */
        status = replace(repository, preset, &executor);
    if (status == GP_OK)
        *out = lease(executor)->pool;
    sweep(repository);
    pthread_mutex_unlock(&repository->lock);
    return status;
}

int gp_repository_create_if_absent(gp_repository *repository, const char *side, int port,
                                   const gp_preset *preset, gp_pool **out)
{
    return hand_out(repository, component_of(side), port, preset, true, out);
}

int gp_repository_get(gp_repository *repository, const char *side, int port,
                      const gp_preset *preset, gp_pool **out)
{
    return hand_out(repository, component_of(side), port, preset, false, out);
}

int gp_repository_shared(gp_repository *repository, gp_pool **out)
{
    gp_preset preset = {GP_PRESET_CACHED, "DubboShared", 0, INT_MAX, 0, GP_SECONDS(60)};
    return hand_out(repository, SHARED, 0, &preset, true, out);
}

int gp_repository_release(gp_repository *repository, gp_pool *pool)
{
    if (repository == NULL || pool == NULL)
        return GP_OK;
    pthread_mutex_lock(&repository->lock);
    struct executor *executor = find_leased(repository, pool);
    if (executor != NULL)
        executor->leases--;
    sweep(repository);
    pthread_mutex_unlock(&repository->lock);
    return executor == NULL ? GP_ENOTFOUND : GP_OK;
}

/* Updating. */

/* [REPOSITORY-4] */
static int set_sizes(gp_pool *pool, int threads)
{
    threads = threads > GP__COUNT_MASK ? GP__COUNT_MASK : threads; /* as in a preset */
    int core = gp_pool_core_size(pool);
    bool is_fixed = core == gp_pool_maximum_size(pool);
    int status;
    if (threads < core) {
        status = gp_pool_set_core_size(pool, threads);
        if (status == GP_OK && is_fixed)
            status = gp_pool_set_maximum_size(pool, threads);
    } else {
        status = gp_pool_set_maximum_size(pool, threads);
        if (status == GP_OK && is_fixed)
            status = gp_pool_set_core_size(pool, threads);
    }
    return status;
}

int gp_repository_update(gp_repository *repository, gp_pool *pool, int threads)
{
    if (repository == NULL || pool == NULL || threads < 1)
        return GP_EINVAL;
    int status = GP_ENOTFOUND;
    pthread_mutex_lock(&repository->lock);
    if (find_leased(repository, pool) != NULL)
        status = gp_pool_is_shutdown(pool) ? GP_ESTATE : set_sizes(pool, threads);
    pthread_mutex_unlock(&repository->lock);
    return status;
}

/* The end. */

static void retire_all(gp_repository *repository)
{
    while (repository->found != NULL) {
        gp_pool_shutdown(repository->found->pool);
        retire(repository, repository->found);
    }
}

static int first_failure(int one, int next)
{
    return one == GP_OK ? next : one;
}

static int await_end(gp_pool *pool, int64_t grace, int64_t start)
{
    int64_t left = gp_time_until(gp_time_after(start, grace), gp_now());
    int status = gp_pool_await_termination(pool, grace == GP_FOREVER ? GP_FOREVER
                                                 : left < 0          ? 0
                                                                     : left);
    if (status != GP_ETIMEDOUT)
        return status;
    gp_pool_shutdown_now(pool, NULL);
    return gp_pool_await_termination(pool, GP_FOREVER);
}

/* With the lock held, but for the waiting. All have a lease, and so has each one's next: nobody
   frees them before we have seen their end. What is retired meanwhile comes before the first, and
   is not waited for. */
static int await_ends(gp_repository *repository, struct executor *executor, int64_t grace,
                      int64_t start)
{
    int status = GP_OK;
    while (executor != NULL) {
        pthread_mutex_unlock(&repository->lock);
        int ended = await_end(executor->pool, grace, start);
        pthread_mutex_lock(&repository->lock);
        executor->leases--;
        executor = executor->next;
        status = first_failure(status, ended);
    }
    return status;
}

/* Waits for sweepers twice: for what they had taken out, and may put back, before we came; and for
   those who come while we wait, lest who has destroyed all cannot free the repository. */
int gp_repository_destroy_all(gp_repository *repository, int64_t grace)
{
    if (repository == NULL || grace < 0)
        return GP_EINVAL;
    int64_t start = gp_now();
    pthread_mutex_lock(&repository->lock);
    retire_all(repository);
    int status = await_sweepers(repository); /* [REPOSITORY-5] */
    int ended = await_ends(repository, lease_all(repository->retired), grace, start);
    sweep(repository);
    int swept = await_sweepers(repository);
    pthread_mutex_unlock(&repository->lock);
    return first_failure(first_failure(status, ended), swept);
}

/* Making and freeing. */

int gp_repository_new(const gp_rejection *rejection, gp_repository **out)
{
    if (out == NULL || (rejection != NULL && rejection->reject == NULL))
        return GP_EINVAL;
    gp_repository *repository = calloc(1, sizeof *repository);
    if (repository == NULL)
        return GP_ENOMEM;
    if (pthread_mutex_init(&repository->lock, NULL) != 0) {
        free(repository);
        return GP_ENOMEM;
    }
    repository->rejection = rejection != NULL ? *rejection : (gp_rejection){gp_reject_abort, NULL};
    *out = repository;
    return GP_OK;
}

int gp_repository_free(gp_repository *repository)
{
    if (repository == NULL)
        return GP_OK;
    pthread_mutex_lock(&repository->lock);
    sweep(repository);
    bool busy = repository->found != NULL || repository->retired != NULL;
    busy = busy || repository->sweepers > 0; /* [REPOSITORY-5] */
    pthread_mutex_unlock(&repository->lock);
    if (busy)
        return GP_EBUSY;
    pthread_mutex_destroy(&repository->lock);
    free(repository);
    return GP_OK;
}

int gp_repository_close(gp_repository *repository)
{
    if (repository == NULL)
        return GP_OK;
    int status = gp_repository_destroy_all(repository, GP_FOREVER);
    return status == GP_OK ? gp_repository_free(repository) : status;
}

/* Checking. */

static bool is_alone(gp_repository *repository, const struct executor *executor)
{
    return find(repository, executor->component, executor->port) == executor;
}

int gp_repository_check(gp_repository *repository)
{
    int broken = 0;
    pthread_mutex_lock(&repository->lock);
    for (struct executor *executor = repository->found; executor != NULL && broken == 0;
         executor = executor->next)
        if (!is_alone(repository, executor))
            broken = 1; /* [REPOSITORY-1] */
        else if (gp_pool_core_size(executor->pool) > gp_pool_maximum_size(executor->pool))
            broken = 4; /* [REPOSITORY-4] */
    for (struct executor *executor = repository->retired; executor != NULL && broken == 0;
         executor = executor->next)
        if (!gp_pool_is_shutdown(executor->pool))
            broken = 2; /* [REPOSITORY-2] */
    pthread_mutex_unlock(&repository->lock);
    return broken;
}
