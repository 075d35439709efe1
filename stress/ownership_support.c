/* See ownership_support.h. */
#include "stress/ownership_support.h"

void argument_enter(struct argument *argument)
{
    argument->runs++;
    argument->misused += argument->destroyed;
    argument->inside++;
}

void argument_leave(struct argument *argument)
{
    argument->inside--;
}

void argument_destroy(struct argument *argument)
{
    argument->destroyed++;
    argument->misused += argument->inside;
}

unsigned char argument_ending(const struct argument *argument)
{
    if (argument->misused > 0)
        return TOO_EARLY;
    return argument->destroyed > TWICE ? TWICE : (unsigned char)argument->destroyed;
}
