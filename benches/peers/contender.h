/*
 * What the contenders share: the protocol that the runner speaks with them, the rounds, the count
 * of what has run.
 *
 * A contender is one library, measured by one program. `contender --list` prints the works that it
 * can do. Otherwise it stays, and does a round for each line that it reads:
 *
 *     execute producers=1 workers=2 count=1000000
 *
 * and answers with one line, after the round:
 *
 *     execute done=1000000 nanos=271828182
 *
 * or, if it could not, "error", and why; or "skip", and why it is not the one to ask. `done` is
 * what was counted, never what was asked for: the runner compares the two. Contender.java is the
 * same in Java.
 *
 * Counting. A task that does nothing still has to be seen to have run. Each thread has a tally of
 * its own, on a cache line of its own, so that counting costs a task one store, and no two workers
 * meet in it; who waits for the end adds up all tallies, ten times a millisecond.
 *
 * What a round costs the library is inside the clock; what it costs the measurement is outside:
 * pools are made and their threads started before, delays are drawn before, handles are given back
 * after.
 */
#ifndef PEERS_CONTENDER_H
#define PEERS_CONTENDER_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FIGURES_MAX = 8,
    THREADS_MAX = 64
};

struct request {
    long producers; /* threads that hand tasks over */
    long workers;   /* threads that run them */
    long count;     /* operations in the round */
    long pending;   /* tasks that are there before it, due in an hour or later */
    long gap;       /* nanoseconds from one task to the next */
};

struct figure {
    const char *name;
    double value;
};

struct answer {
    long done; /* counted where it happened */
    const char *error;
    const char *skip;
    size_t figures;
    struct figure figure[FIGURES_MAX];
};

struct work {
    const char *name;
    void (*round)(const struct request *, struct answer *);
};

/* All that the main function of a contender has to do. */
int contend(int argc, char **argv, const struct work *works, size_t count);

bool has_argument(int argc, char **argv, const char *argument);
void add_figure(struct answer *, const char *name, double value);

/* Time. */

int64_t nanos_now(void);
void sleep_nanos(int64_t nanos);
void set_timer_slack(void); /* one nanosecond, as the workers of our scheduled pool have it */

/* Counting. */

void count_run(void); /* by the task, on whatever thread it runs */
void count_run_of(void *unused);
long sum_of_tallies(void); /* since the program began */

/* Until the sum is from + count, or for three seconds does not grow; how many since from. */
long await_runs(long from, long count);

/* Executing: the producers each call `produce`, all at once, and the round ends when what they have
   produced has run. */

struct executor {
    void *(*open)(long workers); /* with its workers started, if it can be asked to */
    bool (*produce)(void *pool, long count);
    void (*close)(void *pool);
};

void execute_round(const struct executor *, const struct request *, struct answer *);

/* Scheduling. A handle is what a library gives to cancel with; cancel gives it back. */

struct scheduler {
    long pending_most; /* more are out of its reach; 0: any number is fine */
    void *(*open)(long workers);
    bool (*after)(void *timer, int64_t delay, void (*run)(void *), void *argument, void **handle);
    bool (*cancel)(void *timer, void *handle);
    long (*pending)(void *timer); /* as the library itself counts them */
    void (*drive)(void *timer); /* calls what is due, until nothing is left; NULL: does so itself */
    void (*settle)(void *timer); /* waits until the memory of what was cancelled is back; or NULL */
    void (*close)(void *timer);
};

/* The timer is kept from round to round, with `pending` tasks in it. */
void schedule_round(const struct scheduler *, const struct request *, struct answer *);
void cancel_round(const struct scheduler *, const struct request *, struct answer *);

/* These make a new one. */
void bytes_round(const struct scheduler *, const struct request *, struct answer *);
void lateness_round(const struct scheduler *, const struct request *, struct answer *);

/* For who does it in a way of its own: the figures from `count` latenesses, in nanoseconds. */
void add_lateness(struct answer *, int64_t *lateness, long count);

/* Racing: two threads, released together and a random moment apart, many times over. */

struct race {
    void *(*open)(void);
    void (*schedule)(void *pool);
    void (*shut_down)(void *pool);
    bool (*close)(void *pool); /* false: a task that was accepted has neither run nor ended */
};

void race_round(const struct race *, const struct request *, struct answer *);

#ifdef __cplusplus
}
#endif

#endif
