/* What the files about drawn programs know of the kinds of operations. */
#ifndef HARNESS_EXPLORE_TEST_DRAWN_PARTS_H
#define HARNESS_EXPLORE_TEST_DRAWN_PARTS_H

#include "harness/explore/test/drawn.h"

enum theme {
    ATOMICS = 1,
    MEMORY = 2,
    LOCKS = 4,
    WAITS = 8,
    TIMES = 16,
    THREADS = 32,
    CANCELS = 64,
    ENDS = 128
};

/* What is drawn with an operation. */
enum use {
    A_WORD = 1,
    A_LOCK = 2,
    A_CONDITION = 4,
    AN_OBJECT = A_WORD | A_LOCK | A_CONDITION, /* one of two */
    AN_ORDER = 8,
    A_VALUE = 16,
    A_SPAN = 32,
    A_TIME = 64,
    A_THREAD = 128
};

struct kind {
    const char *words;
    unsigned steps;
    unsigned themes;
    unsigned uses;
};

extern const struct kind drawn_kinds[DRAWN_KINDS];

struct fault {
    const char *name;
    size_t place; /* in struct faults */
    unsigned most;
    unsigned odds; /* one program in so many has any */
};

extern const struct fault drawn_faults[DRAWN_FAULTS];

#endif
