/*
 * Replay: an execution again, from what it chose.
 *
 * The strategy answers each choice from a list of deviations and takes the default elsewhere. An
 * answer that is impossible ends the execution as ENDED_DIVERGED, and so does, when there is a
 * trail to compare it with, the first step that the trail does not have: the program is not the one
 * that the list is from.
 */
#ifndef HARNESS_EXPLORE_REPLAY_H
#define HARNESS_EXPLORE_REPLAY_H

#include "harness/explore/machine.h"
#include "harness/explore/trail.h"

/* What strategy_replay replays from now on; both must stay as they are meanwhile. Without a trail
   the steps are not checked. */
void replay_prepare(const struct deviation *, uint32_t count, const struct trail *);
/* One execution; then the machine has its verdict. */
void replay_run(void (*program)(void *), void *argument);

/* Called before each step of a replay, with its number, counted from 1, on the stack of the thread
   that takes it. It does nothing: a debugger can stop here.

       gdb -ex 'break replay_break if step == 17' -ex run --args explore --replay TOKEN */
void replay_break(uint32_t step);

#endif
