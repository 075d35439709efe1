/*
 * The library's probes when it is compiled for docs/pictures/states.c: each change of state of a
 * future, of a pool or of a threadless executor is told.
 */
#ifndef DOCS_PICTURES_PROBE_H
#define DOCS_PICTURES_PROBE_H

void state_told(const char *probe, int state, const char *const *names);

#define GP_PROBE(name, subject, state) \
    ((void)(subject), state_told(#name, (int)(state), NAMES_##name))

/* The states of a threadless executor have names only where it is made. */
#define NAMES_future_state NULL
#define NAMES_pool_ctl     NULL
#define NAMES_threadless_state \
    ((const char *const[]){    \
        [OPEN] = "OPEN", [WAITING] = "WAITING", [DRAINING] = "DRAINING", [FINISHED] = "FINISHED"})

#endif
