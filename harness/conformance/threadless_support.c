/* Support for the tests of threadless executors: see threadless_support.h. */
#include "threadless_support.h"

#include <glasspool/status.h>

#include "suite.h"

void call_init(struct call *call)
{
    call_init_with(call, pool_with(1, 1, NULL));
}

void call_init_with(struct call *call, gp_pool *shared)
{
    gp_callable nothing = gp_callable_of(run_nothing, NULL, NULL);
    *call = (struct call){.shared = shared};
    require_ok(gp_future_new(&nothing, &call->answer));
    require_ok(gp_threadless_new(call->shared, call->answer, &call->threadless));
    check_int(gp_threadless_check(call->threadless), 0);
}

void call_end(struct call *call)
{
    check_int(gp_threadless_check(call->threadless), 0);
    gp_threadless_release(call->threadless);
    gp_future_release(call->answer);
    pool_end(call->shared);
}

void call_give(struct call *call, struct job *job)
{
    check_status(gp_threadless_execute_task(call->threadless, job_task(job)), GP_OK);
    check_int(gp_threadless_check(call->threadless), 0);
}

gp_future *call_submit(struct call *call, struct job *job)
{
    gp_callable callable = job_callable(job);
    gp_future *future = NULL;
    require_ok(gp_threadless_submit(call->threadless, &callable, &future));
    return future;
}

void call_drain(void *argument)
{
    struct call *call = argument;
    call->drained = gp_threadless_wait_and_drain(call->threadless);
}

int failure_code_of(const struct call *call)
{
    return future_failure_code(call->answer);
}
