/*
 * What the files of the machine share. machine.h says what it is for.
 *
 *      machine.c         an execution from its beginning to its end, and the places of its threads
 *      machine_turns.c   a thread announces its next step, and goes on when its turn comes
 *      machine_picks.c   whose turn it is, and what is chosen otherwise
 *      machine_clock.c   the participant that is no thread
 *      machine_cycles.c  an execution that repeats itself
 *      gates.c           who can do what it has announced
 */
#ifndef HARNESS_EXPLORE_MACHINE_PARTS_H
#define HARNESS_EXPLORE_MACHINE_PARTS_H

#include "harness/explore/machine.h"

/* The way of most steps is to be straight. */
#define RARELY(condition) __builtin_expect((condition), 0)
#define APART             __attribute__((noinline))

/* ---- machine.c ---- */

/* What the program's watch says; if it does not like what it sees, the execution ends. */
void machine_ask_for_invariant(void); /* while nobody has a lock */
void machine_ask_whether_late(void);  /* nobody can run, and time is about to pass */

/* ---- machine_turns.c ---- */

void machine_take_turns(void); /* from thread 0 on; returns when the execution has ended */
void machine_first_turn(void); /* where the fiber of a thread begins: never returns */
void machine_tell_of_step(unsigned thread); /* those who heed: before it is done */

static inline void machine_log_step(unsigned thread, enum op_kind kind)
{
    machine.log[machine.steps++] = (struct logged){(thread_number)thread, (uint8_t)kind};
}

/* ---- machine_picks.c ---- */

enum {
    VAIN_ROUNDS = 100 /* of a spin, before time passes that its thread would have to wait for */
};

unsigned machine_pick(void); /* the thread that steps next; the clock's steps are done here */
void machine_make_room_for_deviation(void);

/* Where there is room for one. Whether it is one is as good as random: no branch. */
static inline void machine_note_quickly(unsigned by_default, unsigned chosen)
{
    struct deviation *deviation = &machine.deviations[machine.deviation_count];

    deviation->number = machine.choices;
    deviation->chosen = chosen;
    machine.deviation_count += chosen != by_default;
    machine.choices++;
}

static inline void machine_note_choice(unsigned by_default, unsigned chosen)
{
    if (RARELY(machine.deviation_count == machine.deviation_room))
        machine_make_room_for_deviation();
    machine_note_quickly(by_default, chosen);
}

/* Of who steps next [SETS-3]. */
static inline void machine_note_turn(unsigned by_default, unsigned chosen)
{
    machine_note_choice(set_noted(by_default), set_noted(chosen));
}

/* ---- machine_cycles.c ---- */

void machine_note_registers(unsigned number, const char *frame);
void machine_look_for_cycle(void); /* before each pick in turn; ends an execution that is in one */

/* ---- machine_clock.c ---- */

bool machine_clock_can_step(thread_set enabled); /* although these can */
void machine_advance_clock(thread_set enabled);  /* its step; these are held back by it */
void machine_look_at_clock(void);                /* the deadline, or who is held back, changed */
void machine_find_deadline(void);                /* somebody who was timed is not any more */

#endif
