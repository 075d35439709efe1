/* One execution on the explorer's machine, in which nobody is late but by another's doing. */
#ifndef DOCS_PICTURES_GOES_ON_H
#define DOCS_PICTURES_GOES_ON_H

#include <stdbool.h>

/*
 * Whoever runs goes on until it has to wait, and time passes when nobody can run. False: it has not
 * ended well, and that has been said. The name is that of who asks.
 */
bool run_going_on(const char *name, void (*program)(void *), void *argument);

#endif
