/* Glasspool: ready-made pools, as in java.util.concurrent.Executors. */
#ifndef GLASSPOOL_EXECUTORS_H
#define GLASSPOOL_EXECUTORS_H

#include "api.h"
#include "pool.h"
#include "scheduled.h"

GP_BEGIN_DECLS

GP_API int gp_executors_fixed(int threads, gp_pool **out); /* an unbounded queue */
GP_API int gp_executors_single(gp_pool **out);             /* one, and it stays one: GP_EPERM */
GP_API int gp_executors_cached(gp_pool **out);             /* as many as needed, idle ones 60 s */
GP_API int gp_executors_scheduled(int threads, gp_scheduled **out);
GP_API int gp_executors_single_scheduled(gp_scheduled **out); /* one, and it stays one: GP_EPERM */

GP_END_DECLS

#endif
