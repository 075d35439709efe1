/*
 * What the races of the repository share: one with a pool or without, and its end, when all leases
 * are given back.
 */
#ifndef STRESS_REPOSITORY_SUPPORT_H
#define STRESS_REPOSITORY_SUPPORT_H

#include <glasspool/repository.h>

#include "stress/scenarios.h"

#define REPOSITORY "impl/rpc/repository.c"

enum {
    PORT = 20880,
    LEASES = 3
};

struct repository_state {
    gp_repository *repository;
    gp_pool *old;           /* leased by set_up */
    gp_pool *pools[LEASES]; /* leased by the actors, one each, and by a task */
};

/* Slots of all of them. */
enum {
    END,
    ONE, /* what the scenario is about */
    OTHER
};

#define END_SLOT                             \
    {                                        \
        "the repository",                    \
        {                                    \
            "ended well", "did not end well" \
        }                                    \
    }
#define DID_NOT_END_WELL                                                                       \
    "the repository did not end well", FORBIDDEN, "an invariant is broken, or a pool is left", \
        MAY_OCCUR

/* Pools of PORT, with at most one worker, and none if it has nothing to do; NULL: there is none. */
gp_pool *repository_create(struct repository_state *);
gp_pool *repository_get(struct repository_state *);
bool repository_give_back(struct repository_state *, gp_pool **); /* NULL afterwards */

bool repository_set_up_empty(void *, uint64_t random);
bool repository_set_up_one(void *, uint64_t random);  /* old */
bool repository_set_up_dead(void *, uint64_t random); /* old, which is shut down */

void repository_act_create(void *, struct outcome *);         /* into the first of pools */
void repository_act_create_and_use(void *, struct outcome *); /* the second; OTHER: was it served */

int repository_invariant(void *);
void repository_judge_end(void *, struct outcome *); /* gives all leases back, closes it; END */
void repository_tear_down(void *);

#endif
