/* Ctrl-C: the first ends a run with what is known so far, the second ends the process. */
#ifndef HARNESS_REPORT_INTERRUPT_H
#define HARNESS_REPORT_INTERRUPT_H

#include <stdbool.h>

void interrupt_heed(void); /* from now on */
bool interrupt_came(void);

#endif
