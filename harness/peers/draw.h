/*
 * Random questions.
 */
#ifndef HARNESS_PEERS_DRAW_H
#define HARNESS_PEERS_DRAW_H

#include <stdbool.h>
#include <stdint.h> /* uint64_t */

#include "harness/peers/peers.h"

struct draw {
    uint64_t state;
    const struct peer *peer;
};

/* The same for the same state. Without a zone; one in a hundred is wrong on purpose. */
void draw_question(struct draw *, struct question *, char expression[EXPRESSION_ROOM]);
unsigned draw_below(struct draw *, unsigned limit);
bool draw_percent(struct draw *, unsigned percent); /* true so often */

#endif
