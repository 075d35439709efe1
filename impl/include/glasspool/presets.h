/*
 * Glasspool: pools from a few parameters, as an RPC framework has them in its configuration.
 *
 *     fixed    `threads` workers that stay                          name threads queues
 *     cached   workers as needed, idle ones leave after `alive`     name core_threads threads
 *                                                                   queues alive
 *     limited  workers as needed up to `threads`, and they stay     name core_threads threads
 *                                                                   queues
 *     eager    workers first, the queue when all are busy           name core_threads threads
 *              (eager.h)                                            queues alive
 *
 * The queue, of all but eager: `queues` 0 is synchronous, less than 0 unbounded, more than 0 a
 * bound. That of an eager pool has a bound always, at least 1.
 *
 * What a kind does not name above it does not look at. Threads are called name-thread-1 and so on.
 * A task that is too much is refused by gp_reject_abort. gp_pool_set_rejection changes that, to
 * gp_reject_report (report.h) for example, which is what upstream does.
 */
#ifndef GLASSPOOL_PRESETS_H
#define GLASSPOOL_PRESETS_H

#include <limits.h> /* INT_MAX */
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#include "api.h"
#include "pool.h" /* gp_pool */

GP_BEGIN_DECLS

enum gp_preset_kind {
    GP_PRESET_FIXED,
    GP_PRESET_CACHED,
    GP_PRESET_LIMITED,
    GP_PRESET_EAGER
};

#define GP_PRESET_NAME_SIZE 15 /* its end included; as much of a name as a pool shows */

typedef struct gp_preset {
    enum gp_preset_kind kind;
    char name[GP_PRESET_NAME_SIZE]; /* not empty */
    int core_threads;               /* 0 or more, at most `threads` */
    int threads;                    /* 1 or more; INT_MAX: as many as a pool can have */
    int queues;                     /* see above */
    int64_t alive;                  /* 0 or more; nanoseconds */
} gp_preset;

/* What a framework takes for what nobody has configured. */

#define GP_PRESET_FIXED_DEFAULT                  \
    {                                            \
        GP_PRESET_FIXED, "Dubbo", 200, 200, 0, 0 \
    }
#define GP_PRESET_CACHED_DEFAULT                                       \
    {                                                                  \
        GP_PRESET_CACHED, "Dubbo", 0, INT_MAX, 0, INT64_C(60000000000) \
    }
#define GP_PRESET_LIMITED_DEFAULT                        \
    {                                                    \
        GP_PRESET_LIMITED, "Dubbo", 0, 200, 0, INT64_MAX \
    }
#define GP_PRESET_EAGER_DEFAULT                                       \
    {                                                                 \
        GP_PRESET_EAGER, "Dubbo", 0, INT_MAX, 0, INT64_C(60000000000) \
    }

/* Where a text is wrong, and why. */
typedef struct gp_preset_error {
    size_t position;    /* of the character in the text at which the trouble begins */
    char key[16];       /* the key concerned, cut if it is longer; "": the kind is wrong, or there
                           should be a key */
    const char *reason; /* a few words, a literal */
} gp_preset_error;

/* A text like "fixed?name=io&threads=200&queues=0": a kind, then the keys that are not to have
   their defaults, each once and only those that the kind has. `alive` is in milliseconds there. A
   name has 1 to 14 characters, neither blanks nor control characters, and nothing is an escape.
   GP_EINVAL: *out is not written, *error is; error may be NULL. */
GP_API int gp_preset_parse(const char *text, gp_preset *out, gp_preset_error *error);

GP_API int gp_preset_pool(const gp_preset *, gp_pool **out); /* or GP_EINVAL, GP_ENOMEM */

GP_END_DECLS

#endif
