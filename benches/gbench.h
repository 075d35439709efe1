/*
 * Google Benchmark for C: every bench is a plain C function, and all of Google Benchmark is there.
 *
 *     #include "gbench.h"
 *
 *     static void push_pop(gb_state *state)
 *     {
 *         struct stack *stack = state->fixture;
 *
 *         while (gb_keep_running(state)) {      // only what is in here is timed
 *             push(stack, 1);
 *             GB_KEEP(pop(stack));              // the compiler may not drop it
 *         }
 *         gb_items(state, gb_iterations(state));
 *     }
 *
 *     static const gb_bench benches[] = {
 *         {.name = "stack/push_pop",
 *          .run = push_pop,
 *          .set_up = stack_of,                  // returns the fixture
 *          .tear_down = stack_drop,             // gets it back
 *          .arguments = {{.name = "depth", .from = 8, .to = 4096, .times = 8}},
 *          .fit = GB_O_1},
 *     };
 *     GB_REGISTER(benches);
 *
 * Compile the C files with any C11 compiler that has constructors, gbench.cc with a C++11 compiler,
 * and link with -lbenchmark. gbench.cc has main(); --help lists Google Benchmark's flags, and all
 * of them work: --benchmark_filter, _repetitions, _min_time, _format=json, _out, ... (_format=csv
 * wants benches with the same counters: Google Benchmark writes its header once.)
 *
 * The loop. Calling into C++ at each iteration would cost more than many a thing measured here, so
 * gb_keep_running is inline and counts down a number in the gb_state. The shim is called twice per
 * run: it takes all iterations as one batch when the loop begins, and stops the clock when it ends.
 * `loop/empty` (loop.c) measures what is left: the floor below which no figure means anything.
 * Leave the loop by gb_fail or gb_skip, not by break: a loop left early is reported as an error.
 * What cannot be measured on this machine is for gb_skip: Google Benchmark shows it where it shows
 * errors, but it does no harm. The program's exit status is 1 if a bench has failed, so that CI
 * notices, and 2 if there was none to run.
 *
 * Runs. Google Benchmark calls a bench several times, with more iterations each time, until the run
 * is long enough; with `threads`, each call is made by that many threads at once. The fixture lives
 * for one such call (or, with `keep`, for all with the same arguments): the first thread to arrive
 * makes it while the others wait, the last one to leave destroys it. Neither is timed. The loop
 * starts in all threads together and each waits for the others at its end.
 *
 * Debian's libbenchmark warns that it "was built as DEBUG". The loop never enters it: no harm done.
 *
 * Counters are summed over the threads, unless GB_PER_THREAD says otherwise.
 */
#ifndef GBENCH_H
#define GBENCH_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GB_MAX_ARGUMENTS = 4,
    GB_MAX_THREADS = 8
};

typedef struct gb_state {
    int64_t remaining; /* iterations left in the batch; gb_keep_running counts them down */
    void *fixture;     /* what set_up returned */
    int thread;        /* which of the threads this is, from 0 */
    int threads;       /* how many there are */
    void *internal;    /* the shim's own */
} gb_state;

/* Describing a bench. What is left out takes Google Benchmark's default. */

typedef enum gb_clock {
    GB_CPU_TIME,     /* of the thread that runs the bench */
    GB_REAL_TIME,    /* where others do the work, or where the bench waits */
    GB_PROCESS_TIME, /* CPU time of all threads of the process */
    GB_MANUAL_TIME   /* what the bench says with gb_iteration_time */
} gb_clock;

typedef enum gb_unit {
    GB_NANOSECONDS,
    GB_MICROSECONDS,
    GB_MILLISECONDS,
    GB_SECONDS
} gb_unit;

typedef enum gb_fit {
    GB_NO_FIT,
    GB_O_1,
    GB_O_LOG_N,
    GB_O_N,
    GB_O_N_LOG_N,
    GB_O_N_SQUARED,
    GB_O_N_CUBED,
    GB_O_BEST /* whichever fits best, judged by CPU time */
} gb_fit;

/* An argument takes each value of from, from * times, ... up to and including `to`; without
   `times`, from, from + plus, ...; without `to`, just `from`. */
typedef struct gb_argument {
    const char *name; /* NULL: no such argument */
    int64_t from;
    int64_t to;
    int64_t times;
    int64_t plus;
} gb_argument;

typedef struct gb_bench {
    const char *name;
    void (*run)(gb_state *);
    void *(*set_up)(gb_state *);      /* makes the fixture; no run if it fails or skips, */
    void (*tear_down)(void *fixture); /* but this all the same */
    bool keep; /* one fixture for all runs with the same arguments, if it is costly to make */
    gb_argument arguments[GB_MAX_ARGUMENTS]; /* the bench runs for every combination */
    int threads[GB_MAX_THREADS];             /* and for each number of threads, up to a zero */
    gb_clock clock;
    gb_unit unit;
    gb_fit fit;         /* of the time to N: the first argument, or what gb_complexity_n says */
    int64_t iterations; /* exactly so many, instead of long enough */
    double min_time;    /* long enough: seconds */
    int repetitions;    /* the whole thing, with mean, median and deviation */
} gb_bench;

void gb_add(const gb_bench *, size_t count); /* they must outlive the program's run */

/* Adds all benches of an array before main() begins. */
#define GB_REGISTER(array)                                             \
    __attribute__((constructor)) static void gb_register_##array(void) \
    {                                                                  \
        gb_add(array, sizeof(array) / sizeof((array)[0]));             \
    }                                                                  \
    struct gb_register_##array

/* In a bench. */

bool gb__next_batch(gb_state *);

static inline bool gb_keep_running(gb_state *state)
{
    if (state->remaining > 0) {
        state->remaining--;
        return true;
    }
    return gb__next_batch(state);
}

int64_t gb_value(const gb_state *, size_t argument); /* of the argument, in this run */
void gb_pause(gb_state *);                           /* stops the clock; costs about as much */
void gb_resume(gb_state *);                          /* as a system call: not per iteration */
void gb_iteration_time(gb_state *, double seconds);  /* GB_MANUAL_TIME: once per iteration */
void gb_fail(gb_state *, const char *why);           /* ends the loop, reports an error */
void gb_skip(gb_state *, const char *because);       /* ends it, too, and is no error */
void gb_complexity_n(gb_state *, int64_t n);         /* N of the fit, if not argument 0 */

/* After the loop. */

enum gb_counter_kind {
    GB_PLAIN = 0,
    GB_RATE = 1,          /* divided by the time taken */
    GB_PER_THREAD = 2,    /* divided by the number of threads */
    GB_PER_ITERATION = 4, /* divided by the number of iterations */
    GB_INVERT = 8,        /* one divided by all that: seconds per thing */
    GB_BINARY = 16        /* printed with Ki, Mi, ... for multiples of 1024 */
};

int64_t gb_iterations(const gb_state *);  /* done by this thread */
void gb_items(gb_state *, int64_t items); /* shown as items per second */
void gb_bytes(gb_state *, int64_t bytes); /* shown as bytes per second */
void gb_counter(gb_state *, const char *name, double value, int kind);
void gb_label(gb_state *, const char *text);
/* Of a sample: counters name_p50, _p90, _p99, _p99.9 and _max, each a value that was seen. Sorts
   it. With threads: the sample of one of them, or of all, by one of them. */
void gb_percentiles(gb_state *, const char *name, double *values, size_t count);

/* The value counts as used, and memory as read and written. */
#define GB_KEEP(value) __asm__ volatile("" : : "r,m"(value) : "memory")

#ifdef __cplusplus
}
#endif

#endif
