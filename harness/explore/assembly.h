/*
 * Assembly in the program whose effects are not seen: gp-cc --allow-assembly. Each statement of it
 * has left its place in a section of the object (see the script `assembly`).
 */
#ifndef HARNESS_EXPLORE_ASSEMBLY_H
#define HARNESS_EXPLORE_ASSEMBLY_H

#include <stdbool.h>
#include <stdio.h>

bool assembly_is_there(void);
void assembly_write_places(FILE *); /* as in "a.c:3, a.c:7 and 2 more" */

#endif
