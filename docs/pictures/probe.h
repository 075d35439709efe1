/*
 * The library's probes when it is compiled for docs/pictures/states.c: each change of state of a
 * future, or of a pool, is told.
 */
#ifndef DOCS_PICTURES_PROBE_H
#define DOCS_PICTURES_PROBE_H

void state_told(const char *probe, int state);

#define GP_PROBE(name, subject, state) ((void)(subject), state_told(#name, (int)(state)))

#endif
