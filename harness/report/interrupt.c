/* See interrupt.h. The handler is good for one signal: the next finds what the system does. */
#include "harness/report/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h> /* NULL */

static atomic_bool interrupted;

static void on_interrupt(int number)
{
    (void)number;
    atomic_store(&interrupted, true);
}

bool interrupt_came(void)
{
    return atomic_load(&interrupted);
}

void interrupt_heed(void)
{
    struct sigaction action = {.sa_handler = on_interrupt,
                               .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
