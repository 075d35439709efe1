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
    const struct strategy *strategy;
    struct machine_rules rules;
    struct memory_rules memory;
    struct campaign_result campaign;
};

/* What is explored. */
struct subject {
    void (*program)(void *);
    void *argument;
    void (*ended)(void *argument); /* after each execution; may be NULL */
    void (*show_progress)(void);   /* now and then, between executions; may be NULL */
    bool varies;                   /* its state has variants, and a search sees the first only */
};

/* How a search ends. */
enum conclusion {
    CONCLUSION_FAILED,
    CONCLUSION_COMPLETE,      /* nothing failed, and there is no other execution under its rules */
    CONCLUSION_NOTHING_FOUND, /* nothing failed, but there may be others */
    CONCLUSION_INCONCLUSIVE   /* nothing failed, but a limit, or the time, has ended some */
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
/* Where a search that comes to no conclusion has failed: its first execution that was not judged
   is its failure. */
void inquiry_fail_unjudged(struct inquiry *);
void inquiry_free(struct inquiry *);
enum conclusion inquiry_conclusion(const struct inquiry *, const struct explore_options *);
bool inquiry_has_complete_search(const struct inquiry *); /* with one of the memories */
/* A search has seen everything under `sc`, but not under the memory that counts. */
bool inquiry_only_sc_is_complete(const struct inquiry *, const struct explore_options *);
/* The first that a limit has ended; NULL: none has been. */
const struct failure *inquiry_unjudged(const struct inquiry *);
uint64_t inquiry_unjudged_count(const struct inquiry *);
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
/* Under which a complete search has seen everything. */
void inquiry_write_rules(FILE *, const struct inquiry *, const struct explore_options *);

#endif
