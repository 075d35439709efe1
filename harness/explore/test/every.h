/*
 * Every execution of a small program: the plainest depth-first search, for tests that have to know
 * all that can happen and must not rely on a cleverer search being right.
 *
 * Creating, beginning, ending and joining threads are not for choice: they are done as soon as they
 * can be, the lowest thread first. None of them tells the others anything that an access to memory
 * could notice, so nothing is missed by that, and four threads stay within reach.
 */
#ifndef HARNESS_EXPLORE_TEST_EVERY_H
#define HARNESS_EXPLORE_TEST_EVERY_H

#include "harness/explore/machine.h"

extern const struct strategy strategy_every;

#endif
