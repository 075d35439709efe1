/* See support.h. */
#include "stress/support.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

void do_nothing(void *unused)
{
    (void)unused;
}

int insist_on_get(gp_future *future)
{
    int status;

    do
        status = gp_future_get(future, NULL);
    while (status == GP_ENOMEM);
    return status;
}

int insist_on_quiet(gp_pool *pool)
{
    int status;

    do
        status = gp_pool_await_quiescence(pool, GP_FOREVER);
    while (status == GP_ENOMEM);
    return status;
}

int insist_on_end(gp_pool *pool)
{
    int status;

    do
        status = gp_pool_await_termination(pool, GP_FOREVER);
    while (status == GP_ENOMEM);
    return status;
}

int insist_on_close(gp_scheduled *scheduled)
{
    int status;

    do
        status = gp_scheduled_close(scheduled);
    while (status == GP_ENOMEM);
    return status;
}
