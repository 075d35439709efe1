/* What a fatal signal says of the instruction that it was for, in words. */
#ifndef HARNESS_EXPLORE_FAULT_H
#define HARNESS_EXPLORE_FAULT_H

#include <signal.h> /* siginfo_t */
#include <stddef.h> /* size_t */

/* "Segmentation fault: a null pointer is followed (write at address 0x8)". What the handler has
   been given; it may be called there. */
void fault_describe(int number, const siginfo_t *, const void *context, char *text, size_t room);

#endif
