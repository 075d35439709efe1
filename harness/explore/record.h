/*
 * What each step does, for those who want to see it: filled in only while machine.recording, so
 * that an execution that nobody watches pays one look at a flag per step. An execution is recorded
 * by having it a second time.
 *
 * Beside the steps there are the probes that the program passes (probe.h), what it writes to its
 * memory between steps, and the accesses to memory, of which those are asked for in the end that a
 * detector has reported, for their stacks.
 */
#ifndef HARNESS_EXPLORE_RECORD_H
#define HARNESS_EXPLORE_RECORD_H

#include <stdint.h>

#include "harness/explore/machine.h"

enum {
    RECORD_FRAMES = 16,
    RECORD_ARGUMENTS = 4,
    RECORD_WORDS = 2,
    RECORD_NAME = 16 /* what a thread may call itself, with its end */
};

/* Return addresses, the innermost first: the call in the program that led to the machine. */
struct record_stack {
    unsigned count;
    const void *frames[RECORD_FRAMES];
};

struct record {
    thread_number thread;
    uint8_t kind;
    uint8_t flags, order, size;
    bool has_values;
    bool overtaken; /* a store that is not the latest, since it came before another */
    int64_t now, deadline;
    const void *object, *second;
    uint64_t before, after; /* of an atomic; of others `after` is what the call returned */
    thread_set woken;       /* by a signal and the like */
    thread_set held_back;   /* by a step of the clock: they could have run */
    struct record_stack stack;
};

struct record_probe {
    uint32_t step; /* number of the step that its thread took last, counted from 1 */
    unsigned thread;
    const char *name, *names; /* its own, and its arguments' as the source has them */
    unsigned count;           /* of arguments */
    uint64_t arguments[RECORD_ARGUMENTS];
    bool is_pointer[RECORD_ARGUMENTS];
};

/* A plain write to memory that was allocated, of at most so many words. */
struct record_write {
    uint32_t step; /* the last of its thread before it, counted from 1 */
    unsigned thread, size;
    const void *address, *pc;
    uint64_t words[RECORD_WORDS]; /* what is there afterwards */
};

/* An access that a detector has reported. */
struct record_access {
    uint32_t step;          /* the last of its thread before it, counted from 1; 0: unknown */
    unsigned thread, flags; /* enum access_flag */
    const void *address;
    size_t size;
    struct record_stack stack;
};

__attribute__((cold)) void record_step(unsigned thread); /* begins the record of this step */
__attribute__((cold)) void record_values(uint64_t before, uint64_t after);
__attribute__((cold)) void record_order(
    int order); /* where it turns out to be another than the announced one */
__attribute__((cold)) void record_overtaken(void); /* the step that is being done is such a store */
__attribute__((cold)) void record_woken(unsigned thread); /* by the step that is being done */
__attribute__((cold)) void record_held_back(
    thread_set); /* by the step of the clock that is being done */
__attribute__((cold)) void record_access(const void *address, size_t size, unsigned flags,
                                         const void *pc);
__attribute__((cold)) void record_name(unsigned thread,
                                       const char *name); /* what it is called from now on */

#define RECORD(before, after)                                     \
    do {                                                          \
        if (machine.recording)                                    \
            record_values((uint64_t)(before), (uint64_t)(after)); \
    } while (0)

void record_begin(void);      /* from now on; forgets what was recorded */
void record_begin_lean(void); /* likewise, but of steps only, and where they are without why */
void record_end(void);
/* The caller's stack from the frame on that is at this address; without one there is just that. */
void record_walk_stack(const void *pc, struct record_stack *);
uint32_t record_count(void); /* of steps */
const struct record *record_at(uint32_t index);
uint32_t record_probe_count(void);
const struct record_probe *record_probe_at(uint32_t index);
uint32_t record_write_count(void);
const struct record_write *record_write_at(uint32_t index);
uint32_t record_access_count(void);
const struct record_access *record_access_at(uint32_t index); /* atomic ones, too */
const char *record_name_of(unsigned thread);                  /* "": nobody has said */
/* The accesses that ended the execution, as the machine has them. False: there is no such one. */
bool record_conflict(unsigned index, struct record_access *);

#endif
