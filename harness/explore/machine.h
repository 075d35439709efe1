/*
 * The machine on which explored programs run: threads as fibers, a clock that is moved by hand, and
 * one step at a time.
 *
 * Steps. Whatever one thread can notice of another goes through the machine: an atomic access, a
 * lock, a wait, a signal, a look at the clock. Before each, the thread announces it (machine_point)
 * and is suspended; the strategy picks who goes on; whoever is picked does what it had announced.
 * So at any time it is known what every thread is about to do. What happens between two announced
 * operations of a thread cannot be noticed, or is a data race, and is found as that.
 *
 *      thread 1   ... plain code ...  announce(store x)   [picked]  store x  ... plain code ...
 *      thread 2   ... announce(lock m)   (not enabled while 1 holds m)   ...
 *      the clock                          advance to the next deadline
 *
 * The clock is one more participant (CLOCK_THREAD). It can step as long as somebody waits for a
 * time to come, even though others could run: that is how a timeout overtakes a slow thread. It can
 * also jump, once or so in an execution (faults.jumps), while a thread is about to look at it.
 *
 * Choices. A choice has a number (counted per execution), a few options, and one that is taken by
 * default. A strategy answers them. What differs from the defaults is an execution's schedule: few
 * numbers, from which everything else follows, because nothing else is left to chance.
 *
 * Rules, in the files of this folder:
 *
 *   [MACHINE-1] An execution depends on its program and its choices alone: addresses, time and
 *               thread numbers are ours; globals and thread-local variables start afresh.
 *   [MACHINE-2] Nothing of an execution outlives it: whatever it allocates is in the arena or in
 *               the machine, and is dropped with it, in whatever state its threads are.
 *   [MACHINE-3] No thread that could run is held back for more than `slack` of virtual time.
 *               Otherwise every deadline would be missed in some execution, by hours.
 *   [MACHINE-4] A campaign whose time is up ends within an execution, at the next pick. No step
 *               looks at a clock for that: the tick of crash.c does, and leaves a doubt. Code that
 *               the tick interrupts while it changes the doubts may drop this one; the next tick
 *               leaves it again. An execution that is not stopped is not changed.
 */
#ifndef HARNESS_EXPLORE_MACHINE_H
#define HARNESS_EXPLORE_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

#include "harness/explore/fiber.h"
#include "harness/explore/limits.h"
#include "harness/explore/sets.h"

enum {
    MACHINE_KEYS = 32,
    WANTED_BLOCK = 4,               /* threads: MACHINE_THREADS is a multiple of it */
    MACHINE_STACK = 8 * 1024 * 1024 /* bytes of each thread */
};

/* What a thread announces. */
enum op_kind {
    OP_BEGIN,     /* first step of a thread */
    OP_LOAD,      /* of an atomic */
    OP_STORE,     /* to an atomic */
    OP_RMW,       /* exchange, add, and, ... */
    OP_CAS,       /* compare and exchange */
    OP_FENCE,     /* */
    OP_LOCK,      /* of a mutex, when it is free */
    OP_TIMEDLOCK, /* when it is free, or too late */
    OP_TRYLOCK,   /* */
    OP_UNLOCK,    /* */
    OP_WAIT,      /* gives up the mutex and joins those who wait */
    OP_WAKE,      /* comes back from a wait, with the mutex */
    OP_SIGNAL,    /* */
    OP_BROADCAST, /* */
    OP_SPIN_LOCK,
    OP_SPIN_UNLOCK,
    OP_READ_LOCK, /* of a read-write lock */
    OP_WRITE_LOCK,
    OP_RW_UNLOCK,
    OP_SEM_WAIT,
    OP_SEM_POST,
    OP_BARRIER_ENTER,
    OP_BARRIER_LEAVE,
    OP_ONCE,   /* first, or when whoever was first is done */
    OP_CREATE, /* a thread */
    OP_JOIN,   /* when it has ended */
    OP_EXIT,   /* last step of a thread */
    OP_CANCEL,
    OP_SLEEP,    /* begins */
    OP_AWAKE,    /* when the time has come */
    OP_NOW,      /* looks at the clock */
    OP_YIELD,    /* OP_GATED: waits in a spin (runtime_spins.c) */
    OP_ALLOCATE, /* only where allocation may fail */
    OP_ADVANCE,  /* the clock moves to the next deadline */
    OP_DETACH,   /* a thread */
    OP_END,      /* of the program, while other threads are alive */
    OP_KEY,      /* creates or deletes a key for thread-specific data, or needs that there is one */
    OP_KINDS
};

enum op_flag {
    OP_READS = 1, /* the object is looked at and not changed */
    OP_TIMED = 2, /* ends at `deadline` at the latest; looks at the clock */
    OP_GATED = 4, /* may have to wait: gate_of decides */
    OP_CANCEL_POINT = 8
};

struct op {
    uint8_t kind;
    uint8_t flags;
    uint8_t order;      /* of an atomic: as in the compiler's __ATOMIC_... */
    uint8_t size;       /* of an atomic, in bytes */
    const void *object; /* what it is about; NULL: nothing that is shared */
    const void *second; /* the mutex of a wait */
    const void *pc;     /* where in the program */
    int64_t deadline;   /* if OP_TIMED */
};

/* What a spinning thread looks at, and what it saw. */
struct watched {
    const void *address;
    uint64_t value;
    uint8_t size;
};

enum {
    WATCHED = 2,      /* places in a round; more are too much */
    THREAD_LOCAL = 16 /* bytes */
};

/* What may be a round of a spin, from a look or a yield on: runtime_spins.c. */
struct round {
    const void *pc;                  /* where it began */
    uint64_t changes;                /* machine.changes then, and */
    uint64_t writes;                 /* machine.writes */
    uint64_t state;                  /* of the thread's registers and stack; 0: not known */
    uint32_t step;                   /* that came next */
    struct watched watched[WATCHED]; /* since then */
    uint8_t watches;                 /* so many of them */
    uint8_t looks;
    bool overflowed; /* it has looked at more than can be watched */
    bool saw_old;    /* a store that was not the latest */
};

/* What every step needs comes first, in two lines of the cache. */
struct thread {
    _Alignas(64) struct fiber fiber; /* the size becomes a power of two, which is quick to index */
    struct op op;                    /* the step that it will take when it is picked */

    const void *edge;   /* of its stack: the frame of the runtime next to the program's */
    unsigned char *tls; /* its thread-local variables while it does not run */
    unsigned char short_tls[THREAD_LOCAL]; /* there, if they are so few */
    int64_t held_back; /* virtual time that has passed since it could have run [MACHINE-3] */
    int errno_kept;
    uint8_t did;         /* flags of the step before, with what came of it */
    bool exact;          /* it waits in a spin that only a change can end [SPIN-1] */
    bool saw_change;     /* what it waits for has been different meanwhile */
    bool must_see_newer; /* than the store that it has read last */
    bool alive;
    bool signalled; /* its wait is over */
    bool left;      /* its wait ended by time, or by cancellation, before a signal */
    bool detached, joined;
    bool cancel_requested, cancel_disabled, exiting;

    uint64_t registers; /* a hash of them, noted in turns: machine_cycles.c; 0: not noted */
    uint64_t changes;   /* machine.changes at its last yield */
    struct round round;
    uint16_t vain_rounds;      /* that it was let go round although nothing had changed */
    uint8_t idle_rounds;       /* between its last yields, in which nothing was changed */
    uint8_t impatience;        /* rounds of a spin that it does not wait in */
    unsigned generation;       /* of those who had this place */
    const void *weak_exchange; /* see gpx___weak_exchange: runtime_atomics.c */
    unsigned looks;            /* at the clock, while that showed the same time */
    int64_t time_seen;         /* by the last of them */
    int64_t watching_since;    /* the time at the first, or at the first wait for another */
    void *(*start)(void *);
    void *argument, *result;
    void *cleanups;               /* jump buffers of pthread_cleanup_push: runtime_threads.c */
    uint64_t ticket;              /* when it began to wait */
    void *specific[MACHINE_KEYS]; /* those from machine.keys on are not used, and not cleared */
};

/* What a thread did with memory, for the report of a detector. */
enum access_flag {
    ACCESS_WRITES = 1,
    ACCESS_ATOMIC = 2,
    ACCESS_LOCKS = 4, /* uses what lies there as a lock, a condition or the like */
    ACCESS_ALLOCATES = 8,
    ACCESS_FREES = 16
};

struct access {
    const void *pc;
    unsigned thread; /* MACHINE_THREADS: not known */
    unsigned size, flags;
};

/* How an execution ended. */
enum verdict_kind {
    ENDED_WELL,
    ENDED_FORBIDDEN, /* outcome */
    ENDED_FOUND,     /* with the outcome that was looked for */
    ENDED_BROKEN,    /* invariant */
    ENDED_RACE,
    ENDED_DEADLOCK,
    ENDED_LIVELOCK,
    ENDED_LATE,
    ENDED_LEAK,
    ENDED_USE_AFTER_FREE,
    ENDED_DOUBLE_FREE,
    ENDED_OUT_OF_BLOCK, /* access to memory that was not allocated */
    ENDED_USE_AFTER_RETURN,
    ENDED_NOT_LINEARIZABLE,
    ENDED_ASSERTION, /* assert, abort */
    ENDED_FAILED,    /* by its own word: exit with another code than 0 */
    ENDED_CRASH,
    ENDED_MISUSE,   /* unlocking what it does not hold, and the like */
    ENDED_LIMIT,    /* of the machine: nothing is known of what comes after it */
    ENDED_CUT,      /* by the strategy: equivalent to another execution */
    ENDED_DIVERGED, /* a replay met something else than it expected */
    ENDED_STOPPED,  /* by the campaign, whose time is up: it is not judged, and does not count */
    VERDICT_KINDS
};

enum datum_kind {
    DATUM_VARIANT,   /* which of a few states to start from */
    DATUM_WAITER,    /* which of those who wait a signal wakes; 0: the first */
    DATUM_STORE,     /* which store a load reads from (c11); 0: the latest */
    DATUM_PLACE,     /* where in the modification order a store comes (c11); 0: at its end */
    DATUM_WEAK_CAS,  /* 1: fails for no reason */
    DATUM_NO_MEMORY, /* 1: an allocation fails */
    DATUM_NO_THREAD, /* 1: a thread cannot be created */
    DATUM_SPIN,      /* 1: who spins goes round for a while although nothing has changed */
    DATUM_KINDS
};

/* A choice of who steps next. */
struct turn {
    thread_set enabled;  /* who can, the clock included */
    thread_set spurious; /* those of them who would wake up for no reason */
    unsigned current;    /* whose step was last */
    unsigned by_default;
};

struct strategy_options; /* strategies.h */

struct strategy {
    const char *name;
    bool walks;      /* at random, so that walk.h may answer for it */
    bool exhaustive; /* comes to an end, when it has seen everything that it can */
    void (*start)(const struct strategy_options *); /* of a campaign */
    bool (*begin)(void);                            /* of an execution; false: all have been seen */
    unsigned (*pick)(const struct turn *);          /* one of turn->enabled; two of them at least */
    unsigned (*pick_datum)(enum datum_kind, unsigned count); /* less than count */
    void (*stepped)(unsigned thread);         /* may be NULL: it is about to do its op */
    void (*end)(void);                        /* may be NULL */
    void (*covered)(char *text, size_t room); /* may be NULL: what it has covered, in words */
};

/* Choice number `number` was not the default but `chosen`. */
struct deviation {
    uint32_t number;
    uint32_t chosen;
};

struct faults {
    unsigned spurious, weak_cas, no_memory, no_thread, spins, jumps; /* how many of each at most */
};

/* Constant during an execution. */
struct machine_rules {
    int64_t slack;        /* nanoseconds [MACHINE-3] */
    bool early_time;      /* the clock may move although somebody could run */
    bool reuse;           /* freed memory is given out again at once */
    uint32_t step_budget; /* fair from there on; twice as many: a limit */
    int64_t patience;     /* nanoseconds of computing without a step; 0: ten seconds. Less will do
                             when the time is up: crash.c */
    struct faults faults;
    unsigned variants; /* random numbers for a scenario's set_up to choose from */
};

#define MACHINE_RULES_DEFAULT                                                         \
    {                                                                                 \
        .slack = 1000000000, .early_time = true, .step_budget = 100000, .variants = 1 \
    }

/* Questions about the state of the program, asked between steps; each may be NULL. */
struct machine_watch {
    int (*invariant)(void *state); /* while nobody has a lock: 0, or the number of the broken one */
    bool (*late)(void *state);     /* when nobody can run, before time passes */
    void *state;
};

/* Of what a campaign may take. */
enum time_left {
    TIME_IS_LEFT,
    TIME_IS_UP,    /* for the campaign */
    TIME_IS_UP_ALL /* for all that come after it, too */
};

enum machine_doubt {
    DOUBT_GATES = 1, /* a gate may have opened or closed since `open` was found out */
    DOUBT_CLOCK = 2, /* the clock can step if nobody has been held back for long [MACHINE-3] */
    DOUBT_ODD = 4,   /* somebody spins, or may wake up for no reason */
    DOUBT_STAY = 8,  /* whoever steps yields: by default it is not the one to go on */
    DOUBT_TIME = 16  /* the campaign's time is up [MACHINE-4] */
};

/* Of a step that was taken. */
struct logged {
    thread_number thread;
    uint8_t kind; /* of its op */
};

struct machine {
    /* What every step needs, in a few lines of the cache. */
    _Alignas(64) thread_set ready; /* who is about to do something that is always possible */
    thread_set gated;              /* who is about to do something that may have to wait */
    thread_set open;               /* those of them who need not, unless `doubts` */
    thread_set spurious;           /* those of the gated who would wake up for no reason */
    thread_set yielding;           /* those of the gated who yield */
    thread_set unsure;             /* if DOUBT_GATES: whose gates; perhaps others besides */
    thread_set clock;              /* the clock's bit if it can step, unless `doubts` */
    uint8_t doubts;                /* DOUBT_...: what has to be found out before the next pick */
    bool heeded;                   /* somebody wants to be told of each step */
    bool strides;                  /* the strategy does not walk at random */
    bool aside;     /* no execution runs, or the harness looks at its state: nothing counts */
    bool ordering;  /* happens-before is tracked */
    bool recording; /* somebody wants to know what each step does */
    bool showing;   /* what the program prints is shown */
    bool counting;  /* orders are told apart: orders.h */

    unsigned current; /* whose step it is */
    unsigned count;   /* of places for threads that were used so far */
    uint32_t steps;
    uint32_t choices;
    struct logged *log; /* per step */
    struct deviation *deviations;
    uint32_t deviation_count;
    uint32_t deviation_room;
    uint32_t switches; /* steps of another thread than the last, while that could have gone on */
    unsigned locked;   /* mutexes, read-write and spin locks that somebody has */
    uint64_t changes;  /* steps that changed something */
    uint64_t writes;   /* plain ones, outside of the writer's own stack, while races matter */

    struct machine_watch watch;
    thread_set timed;  /* those of the gated who will not wait for ever */
    int64_t now;       /* virtual nanoseconds */
    int64_t deadline;  /* the earliest of theirs that is still to come; INT64_MAX: none */
    int64_t credit;    /* time that has passed in turns and is not shown yet */
    int64_t held_back; /* at least the largest held_back of the threads */
    const struct strategy *strategy;

    struct machine_rules rules;
    bool held_up;         /* the clock could not move because of [MACHINE-3] */
    bool prepared;        /* by machine_prepare */
    bool running;         /* an execution is */
    bool cancels;         /* it calls pthread_cancel */
    int exit_code;        /* if it has failed by its own word */
    unsigned keys;        /* for thread-specific data: so many places of them were used */
    uint64_t tickets;     /* waits begun */
    uint64_t allocations; /* and, where freed memory is given out again, frees */

    /* Of the gated: the mutex that is all they need; NULL: that is not what they wait for.
       Of the others NULL. */
    const void *wanted[MACHINE_THREADS];
    unsigned locks[MACHINE_THREADS]; /* of those that are `locked`, by each thread: see is_free */
    struct thread threads[MACHINE_THREADS];

    struct faults faults; /* left in this execution */
    limit_set limits;     /* that it has met */
    bool stuck;           /* it ended because no thread will ever be able to step */

    /* How it ended. */
    enum verdict_kind verdict;
    char message[512];
    const void *culprit; /* where in the program, if anywhere else than at the last step */
    /* A race has two accesses, the earlier one first; use after free and double free have the free
       and then the use. The last one is the culprit. */
    unsigned access_count;
    struct access accesses[2];
    const void *address; /* of both */
    struct fiber home;   /* of whoever called machine_run */

    /* Asked by the tick, in a signal handler; NULL: there is time. */
    enum time_left (*time_left)(void);
    atomic_bool time_is_up; /* the tick has found so [MACHINE-4] */
};

extern struct machine machine;

/* What must be as it was when the harness has had a look at the program's state. */
struct machine_kept {
    uint64_t changes;
    uint8_t doubts;
    bool ordering, recording, races;
};

bool machine_prepare(void);                           /* once; false: no memory */
bool machine_set_rules(const struct machine_rules *); /* between executions; false: no memory */

/* One execution of `program` as thread 0: its verdict is in the machine. */
void machine_run(void (*program)(void *), void *argument, const struct strategy *);

/* ---- for the runtime, called on fibers ---- */

/* Returns when the op is to be done. */
void machine_announce(uint32_t what, const void *object, const void *second, int64_t deadline,
                      const void *pc, const void *edge);
/* Something changed that a spinning thread may be waiting for ... */
static inline void machine_changed(void)
{
    machine.changes++;
}
/* ... or that opens or closes gates: those of these threads, or any. */
static inline void machine_doubt_gates(thread_set threads)
{
    machine.unsure = set_or(machine.unsure, threads);
    machine.doubts |= DOUBT_GATES;
}
static inline void machine_gates_changed(void)
{
    machine_changed();
    machine_doubt_gates(set_all());
}
/* Who needs nothing but this mutex. How many wait, and who, cannot be predicted: no branches. */
static inline thread_set machine_who_wants(const void *mutex)
{
    thread_set set = set_none();

    for (unsigned i = 0; i < machine.count; i += WANTED_BLOCK)
        for (unsigned j = i; j < i + WANTED_BLOCK; j++)
            set_add_if(machine.wanted[j] == mutex, &set, j);
    return set;
}
static inline struct thread *machine_self(void)
{
    return &machine.threads[machine.current];
}
/* Announces the op and returns when it is to be done. What it is comes as one word, and all of it
   in registers: there are many callers, and they are small that way. */
static inline void machine_point(struct op op)
{
    machine_announce(op.kind | (uint32_t)op.flags << 8 | (uint32_t)op.order << 16 |
                         (uint32_t)op.size << 24,
                     op.object, op.second, op.deadline, op.pc, __builtin_frame_address(0));
}
/* What the harness does between the two, or has the program do, is no step, orders nothing, is not
   checked and wakes nobody. */
struct machine_kept machine_step_aside(void);
void machine_step_back(const struct machine_kept *);
unsigned machine_choose(enum datum_kind, unsigned count);
/* Does the running thread's operation fail, by a fault that has this budget left? */
bool machine_fails_by(enum datum_kind, unsigned *budget);
static inline bool machine_fails(enum datum_kind kind, unsigned *budget)
{
    return *budget > 0 && machine_fails_by(kind, budget);
}
bool machine_has_room(void);                                           /* for one more thread */
unsigned machine_start_thread(void *(*start)(void *), void *argument); /* its number */
_Noreturn void machine_end_thread(void);
_Noreturn void machine_finish_well(void);
__attribute__((cold)) _Noreturn void machine_finish(enum verdict_kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The execution cannot go on. */
__attribute__((cold)) _Noreturn void machine_stop_at(enum limit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The execution goes on, but others like it are left out. */
static inline void machine_leave_out(enum limit limit)
{
    machine.limits |= limit_bit(limit);
}

const char *op_name(enum op_kind);
const char *verdict_kind_name(enum verdict_kind);

#endif
