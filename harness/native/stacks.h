/* Stacks of other threads: what each of them is doing right now. */
#ifndef HARNESS_NATIVE_STACKS_H
#define HARNESS_NATIVE_STACKS_H

#include <stddef.h>    /* size_t */
#include <sys/types.h> /* pid_t */

typedef void stacks_line_fn(void *context, const char *line); /* the line has no newline */

void stacks_prepare(void);    /* once, early */
pid_t stacks_thread_id(void); /* the system's, of the calling thread */
void stacks_of(pid_t thread, stacks_line_fn *, void *context); /* a line per function */
/* All threads but the calling one and these, each with its name. */
void stacks_of_others(const pid_t *known, size_t count, stacks_line_fn *, void *context);

#endif
