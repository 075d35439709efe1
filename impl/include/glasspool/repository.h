/*
 * Glasspool: the repository of executors, where an RPC framework finds its pools.
 *
 * A pool (pool.h) is found by a component and a port. The component comes from the side of a call:
 * "consumer", without regard to case, has pools of its own; all other sides, and NULL, share the
 * common ones. What a pool is to be like is said by a preset (presets.h), which is needed always,
 * and used if the pool has to be made. What is changed of a pool afterwards, by
 * gp_repository_update or the gp_pool_set_ functions, its replacement does not have.
 *
 * Lifetime. In Java whoever holds an executor keeps it. Here a pool that is handed out is leased:
 * it is not freed before each lease is given back with gp_repository_release. Who wants to end a
 * pool shuts it down, with gp_pool_shutdown or gp_pool_shutdown_now, and frees nothing. The
 * repository replaces it when it is asked for the next time, and frees it when its last task has
 * ended and its last lease is given back; it looks for that with each call.
 *
 * Who gives the last lease back may still be inside gp_repository_release when another frees or
 * closes the repository: that is GP_EBUSY until the pool is freed. Any other call must have
 * returned by then, and so must a release of what is not leased. In a destructor of a worker's
 * thread-specific data a lease may be given back, but not all be destroyed: who frees the pool
 * waits for that thread.
 *
 * A pool that is handed out was not shut down a moment ago. If it is now, its user sees
 * GP_EREJECTED, releases it and asks again.
 */
#ifndef GLASSPOOL_REPOSITORY_H
#define GLASSPOOL_REPOSITORY_H

#include <stdint.h> /* int64_t */

#include "api.h"
#include "pool.h"    /* gp_pool */
#include "presets.h" /* gp_preset */

GP_BEGIN_DECLS

typedef struct gp_repository gp_repository;

/* What all its pools do with a task that is too much, gp_reject_report (report.h) for example;
   NULL: gp_reject_abort. The context must outlive the repository. GP_EINVAL, GP_ENOMEM. */
GP_API int gp_repository_new(const gp_rejection *, gp_repository **out);
GP_API int gp_repository_free(gp_repository *);  /* GP_EBUSY: it still has a pool, or another is
                                                    just freeing one; NULL is fine */
GP_API int gp_repository_close(gp_repository *); /* destroy all and free; with a grace without end:
                                                    call gp_repository_destroy_all before, if tasks
                                                    may hang. GP_EBUSY: there are leases, or were a
                                                    moment ago; all else is done, call it again.
                                                    Others as that */

/* Asking for a pool. These three lease *out, or have changed nothing: GP_EINVAL, GP_ENOMEM. */

/* Made if there is none, replaced if it is shut down; one for all who call at the same time. */
GP_API int gp_repository_create_if_absent(gp_repository *, const char *side, int port,
                                          const gp_preset *, gp_pool **out);

/* GP_ENOTFOUND: there is none; replaced if it is shut down. */
GP_API int gp_repository_get(gp_repository *, const char *side, int port, const gp_preset *,
                             gp_pool **out);

/* The one that all share, a cached one. */
GP_API int gp_repository_shared(gp_repository *, gp_pool **out);

/* Gives a lease back; each, also when the pool has been replaced. GP_ENOTFOUND: it is not leased.
   NULL is fine, of either. */
GP_API int gp_repository_release(gp_repository *, gp_pool *);

/* More or fewer threads, 1 at least, for a pool that is leased: GP_EINVAL, GP_ENOTFOUND.
 *
 *     fewer than its core, and it is fixed (core = maximum)     both become `threads`
 *     fewer than its core                                       the core becomes `threads`
 *     not fewer, and it is fixed                                both become `threads`
 *     not fewer                                                 the maximum becomes `threads`
 *
 * GP_ESTATE: it is shut down. */
GP_API int gp_repository_update(gp_repository *, gp_pool *, int threads);

/* Shuts all pools down, gives their tasks `grace` nanoseconds in all, then drops what is queued and
   interrupts what runs; waits for the end of each, also of those that others are just freeing. From
   its first step on nobody is given one of them, whoever asks gets a new one. GP_EINVAL: nothing
   happens. GP_EINTERRUPTED, GP_ENOMEM, GP_EAGAIN, or GP_EDEADLK from inside a task of one of them:
   all are shut down and the rest has ended; call it again. */
GP_API int gp_repository_destroy_all(gp_repository *, int64_t grace);

/* Walks its invariants: 0, or the number of one that does not hold. */
GP_API int gp_repository_check(gp_repository *);

GP_END_DECLS

#endif
