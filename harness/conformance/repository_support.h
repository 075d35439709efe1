/* Support for the suites of the repository. */
#ifndef CONFORMANCE_REPOSITORY_SUPPORT_H
#define CONFORMANCE_REPOSITORY_SUPPORT_H

#include <glasspool/repository.h>

enum {
    PORT = 20880
};

gp_repository *repository_of(void);                  /* a new one */
gp_preset limited_to(int core_threads, int threads); /* with an unbounded queue */
gp_pool *lease_common(gp_repository *);              /* made if there is none; of PORT */
void repository_end(gp_repository *);                /* checked, closed; no leases are left */

#endif
