/* An inquiry: all that is tried on one program, one campaign after the other. */
#ifndef HARNESS_EXPLORE_INQUIRY_H
#define HARNESS_EXPLORE_INQUIRY_H

#include "harness/explore/campaign.h"
#include "harness/explore/options.h"

enum {
    INQUIRY_PHASES = 9
};

/* What one campaign of it showed. */
struct phase {
    const char *strategy;
    struct machine_rules rules;
    struct memory_rules memory;
    struct campaign_result campaign;
    bool spun; /* who spins was made to wait, so that not all rounds were seen */
};

/* What is explored. */
struct subject {
    void (*program)(void *);
    void *argument;
    void (*ended)(void *argument); /* after each execution; may be NULL */
    bool varies;                   /* its state has variants, and a search sees the first only */
};

struct inquiry {
    struct phase phases[INQUIRY_PHASES];
    unsigned count;
    struct phase *failed; /* the first that did; NULL: none */
    bool varies;          /* as the subject does */
};

/* False: no memory. */
bool inquiry_run(struct inquiry *, const struct subject *, const struct explore_options *,
                 double seconds, bool (*should_stop)(void));
void inquiry_free(struct inquiry *);
bool inquiry_is_complete(const struct inquiry *); /* one of its strategies saw everything */
uint64_t inquiry_executions(const struct inquiry *);
uint64_t inquiry_steps(const struct inquiry *);
double inquiry_seconds(const struct inquiry *);
/* Tells the story of its failure: shrunk, with its token. False: no memory. */
bool inquiry_show_failure(FILE *, struct inquiry *, const struct subject *, struct story *,
                          const struct explore_options *);
/* Tells the story of the execution that the token stands for. True: that ended well. */
bool inquiry_replay(const struct subject *, struct story *, const struct token *,
                    const struct explore_options *);
void inquiry_describe(const struct inquiry *, char *text, size_t room); /* in a line */
void inquiry_write_phases(FILE *, const struct inquiry *);              /* a line for each */

#endif
