/*
 * The program's global variables, as its symbol table has them: static ones too, those in functions
 * among them. A program that was stripped has none.
 */
#ifndef HARNESS_EXPLORE_VARIABLES_H
#define HARNESS_EXPLORE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h> /* size_t */

enum {
    VARIABLE_NAME = 64 /* bytes that a name fits in, or is cut to */
};

struct variable {
    char name[VARIABLE_NAME];
    size_t offset; /* of the address that was asked for */
};

bool variables_find(const void *address, struct variable *); /* false: it is in none */

#endif
