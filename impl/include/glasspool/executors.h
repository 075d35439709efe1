/*
 * Glasspool: ready-made pools, as in java.util.concurrent.Executors.
 *
 * For who does not want to fill in a gp_pool_config. What is not said here is as in
 * GP_POOL_CONFIG_DEFAULT and GP_SCHEDULED_CONFIG_DEFAULT. They fail as gp_pool_new does, with
 * GP_EINVAL or GP_ENOMEM, and are ended like any other.
 */
#ifndef GLASSPOOL_EXECUTORS_H
#define GLASSPOOL_EXECUTORS_H

#include "api.h"
#include "pool.h"
#include "scheduled.h"

GP_BEGIN_DECLS

GP_API int gp_executors_fixed(int threads, gp_pool **out); /* so many, an unbounded queue */
GP_API int gp_executors_single(gp_pool **out);             /* one, and it stays one: GP_EPERM */
GP_API int gp_executors_cached(gp_pool **out);             /* as many as needed, idle ones 60 s */
GP_API int gp_executors_scheduled(int threads, gp_scheduled **out); /* so many core workers */
GP_API int gp_executors_single_scheduled(gp_scheduled **out); /* one, and it stays one: GP_EPERM */

GP_END_DECLS

#endif
