/*
 * How many different orders have been seen?
 *
 * Two executions that differ only in the order of steps that do not depend on each other are the
 * same to the program. For each execution a number is computed that is the same for these, and
 * (almost surely) different for all others; the set of these numbers tells a strategy that samples
 * how much it still finds that is new.
 *
 * It costs a program that does little between its steps about a third of its speed, so that a
 * campaign may have it done for some of its executions only.
 */
#ifndef HARNESS_EXPLORE_ORDERS_H
#define HARNESS_EXPLORE_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

struct orders {
    uint64_t counted;  /* executions */
    uint64_t distinct; /* orders among them */
    bool full;         /* there were more, but no room for them */
};

extern struct orders orders_seen;

void orders_forget(void);          /* all that were seen */
void orders_begin(void);           /* an execution */
void orders_step(unsigned thread); /* is about to be taken */
uint64_t orders_so_far(void);      /* of the present execution: the number of its order */
bool orders_end(void);             /* the execution; true: none of this order was seen before */

#endif
