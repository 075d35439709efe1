/* See support.h. */
#include "stress/support.h"

void do_nothing(void *unused)
{
    (void)unused;
}
