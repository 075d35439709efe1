/*
 * All schedules of a small program, as a graph that one can walk through without the program.
 *
 * A node is a state in which somebody has to choose who goes on, or an end. From a node an edge
 * leads on for each thread that can be chosen, with the steps that are taken up to the next node.
 * Two ways to the same state meet: states are told apart by the order of the steps that depend on
 * each other (orders.h), which determines everything else.
 *
 * Not every turn is a choice. Thread 0, who starts the others and waits for them, goes on whenever
 * it can, and nobody can notice when a thread begins or exits.
 *
 *     {"format": "glasspool-graph", "version": 1, "program": ..., "about": ..., "threads": [...],
 *      "steps": [[thread, "lock", "queue.lock", "", "", "take", "impl/...", 12, [2], 0], ...],
 *      "nodes": [{"go": [[1, [0, 1], 5], ...]}, {"end": "deadlock", "message": ...}, ...]}
 *
 * A step has its thread, kind, object, its value before and after, function, file, line, whom it
 * wakes, and the virtual time. Steps that are alike are listed once; edges have their numbers, and
 * the node that they lead to.
 */
#ifndef HARNESS_EXPLORE_GRAPH_H
#define HARNESS_EXPLORE_GRAPH_H

#include <stdio.h>

#include "harness/explore/story.h"

extern const struct strategy strategy_graph; /* a campaign with it keeps going, and tells orders */

void graph_ended(const char *outcome); /* after each execution that was not cut; of one that ended
                                          well: with this */
size_t graph_nodes(void);
bool graph_is_complete(void); /* false: there were more nodes than there is room for */
void graph_write(FILE *, struct story *);

#endif
