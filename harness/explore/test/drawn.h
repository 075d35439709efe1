/*
 * Programs drawn by lot, with the rules that they are explored under. A number stands for a
 * program: the same number gives the same program on every machine.
 *
 * A program has a theme, a group of operations that have to do with each other, and of the theme
 * only a few kinds: programs that do a little of everything rarely have two operations that
 * interact (Groce and others, "Swarm testing", ISSTA 2012). It grows until its orders, as far as
 * they can be estimated, are about as many as a depth-first search can run.
 */
#ifndef HARNESS_EXPLORE_TEST_DRAWN_H
#define HARNESS_EXPLORE_TEST_DRAWN_H

#include <stdio.h>

#include "harness/explore/machine.h"
#include "harness/explore/memory.h"
#include "harness/explore/test/programs_drawn.h"

enum {
    DRAWN_THEMES = 9, /* the last is a mixture of all */
    DRAWN_FAULTS = 6
};

struct drawing {
    unsigned number;
    struct drawn_program program;
    struct machine_rules rules;
    struct memory_rules memory;
};

const char *drawn_theme_name(unsigned theme);
static inline unsigned drawn_theme_of(unsigned number)
{
    return number % DRAWN_THEMES;
}
bool drawn_belongs_to(enum drawn_kind, unsigned theme); /* can be drawn for it */

void drawn_draw(unsigned number, struct drawing *);
bool drawn_has(const struct drawing *, enum drawn_kind);

const char *drawn_kind_name(enum drawn_kind);
unsigned *drawn_fault(struct drawing *,
                      unsigned fault);           /* how many of a kind, up to DRAWN_FAULTS */
void drawn_show(const struct drawing *, FILE *); /* threads in columns */

#endif
