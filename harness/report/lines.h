/*
 * Names for program counters: function, file and line, of inlined functions too.
 *
 * addr2line, where it is installed, knows them; it is asked once for any number of addresses and
 * answers in order. Without it, and for addresses of libraries, nothing is known.
 */
#ifndef HARNESS_REPORT_LINES_H
#define HARNESS_REPORT_LINES_H

#include <stdbool.h>
#include <stddef.h> /* size_t */
#include <stdint.h> /* uintptr_t */
#include <stdio.h>  /* FILE */

enum {
    LINES_TEXT = 512 /* bytes that the text of a frame fits in */
};

struct lines {
    FILE *pipe;            /* NULL: there is no addr2line */
    char line[LINES_TEXT]; /* read and not used yet; "": none */
};

/* Where in the program itself an address is, independent of where that was loaded. False: it is in
   a library, or nowhere. */
bool lines_offset(const void *address, uintptr_t *offset);

enum lines_files {
    LINES_NAMES, /* files by their names alone */
    LINES_PATHS
};

typedef void lines_frame_fn(void *context, const char *frame); /* "function at file:line" */

/* Looks up some offsets; then lines_next is called once for each, and lines_close. */
void lines_open(struct lines *, enum lines_files, const uintptr_t *offsets, size_t count);
/* The frames of the next one, the innermost first, the others with " (inlined by) " before them.
   False: nothing is known. */
bool lines_next(struct lines *, lines_frame_fn *, void *context);
void lines_close(struct lines *);

#endif
