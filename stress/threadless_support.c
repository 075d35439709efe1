/* See threadless_support.h. */
#include "stress/threadless_support.h"

#include "stress/support.h"

bool threadless_open(struct threadless_state *state, uint64_t random)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;

    if (!pool_open(&state->base, &config, random))
        return false;
    if (gp_future_new(&nothing, &state->answer) == GP_OK &&
        gp_threadless_new(state->base.pool, state->answer, &state->threadless) == GP_OK)
        return true;
    gp_future_release(state->answer);
    pool_end(&state->base.pool);
    return false;
}

int threadless_execute(struct threadless_state *state, int number)
{
    struct job *job = &state->base.jobs[number];
    const gp_callable callable = job_callable(job);
    int status = gp_threadless_submit(state->threadless, &callable, &job->future);

    job->rejected = status == GP_EREJECTED;
    job->kept = status != GP_OK && status != GP_EREJECTED;
    return status;
}

static void destroy_payload(void *payload)
{
    int *destroyed = payload;

    ++*destroyed;
}

bool threadless_notify(struct threadless_state *state, int number)
{
    const gp_failure failure = {.code = number + 1,
                                .payload = &state->payloads[number],
                                .destroy_payload = destroy_payload};
    bool taken = gp_threadless_notify_return(state->threadless, &failure);

    if (!taken)
        destroy_payload(failure.payload);
    return taken;
}

static unsigned char drained(int status)
{
    switch (status) {
    case GP_OK:
        return CAME_BACK;
    case GP_EBUSY:
        return FOUND_IT_BUSY;
    case GP_ETIMEDOUT:
        return TIMED_OUT;
    case GP_EINTERRUPTED:
        return WAS_INTERRUPTED;
    default:
        return FAILED;
    }
}

/* A reference, lest the record be freed and its address be that of another thread's. */
static void stand(struct threadless_state *state)
{
    gp_thread *self = gp_thread_self();

    if (self)
        state->waiter = gp_thread_retain(self);
}

unsigned char threadless_wait(struct threadless_state *state)
{
    stand(state);
    return drained(gp_threadless_wait_and_drain(state->threadless));
}

unsigned char threadless_wait_for(struct threadless_state *state, int64_t nanos)
{
    stand(state);
    return drained(gp_threadless_wait_and_drain_timed(state->threadless, nanos));
}

unsigned char threadless_answered(struct threadless_state *state)
{
    gp_failure failure;

    switch (gp_future_state_of(state->answer)) {
    case GP_NORMAL:
        return A_RESULT;
    case GP_EXCEPTIONAL:
        gp_future_failure(state->answer, &failure);
        return failure.code == 1 ? FAILED_BY_ONE : FAILED_BY_OTHER;
    default:
        return NOT_DONE;
    }
}

unsigned char threadless_destroyed(const struct threadless_state *state, int payload)
{
    return state->payloads[payload] != 1;
}

unsigned char threadless_whereabouts(const struct threadless_state *state, int number)
{
    const struct job *job = &state->base.jobs[number];

    switch (job_fate(job)) {
    case RAN:
        return job->runner == state->waiter ? HERE : ELSEWHERE;
    case CANCELLED:
        return DISCARDED;
    case REJECTED:
    case KEPT:
        return TURNED_AWAY;
    case TWO_FATES:
        return TWICE;
    case WRONGLY_ENDED:
        return ENDED_WRONGLY;
    default:
        return NOWHERE;
    }
}

void threadless_judge(struct threadless_state *state, struct outcome *outcome, int jobs)
{
    gp_threadless_release(state->threadless);
    state->threadless = NULL;
    outcome->slot[SHARED_END] = !pool_end(&state->base.pool);
    for (int i = 0; i < jobs; i++)
        outcome->slot[ONE_JOB + i] = threadless_whereabouts(state, i);
}

void threadless_tear_down(void *argument)
{
    struct threadless_state *state = argument;

    pool_tear_down(argument);
    gp_future_release(state->answer);
    gp_thread_release(state->waiter);
}

int threadless_invariant(void *argument)
{
    struct threadless_state *state = argument;

    return gp_threadless_check(state->threadless);
}

bool threadless_set_up(void *argument, uint64_t random)
{
    return threadless_open(argument, random);
}

void act_execute_one(void *argument, struct outcome *outcome)
{
    (void)outcome;
    threadless_execute(argument, 0);
}

void act_execute_other(void *argument, struct outcome *outcome)
{
    (void)outcome;
    threadless_execute(argument, 1);
}

void threadless_arbiter_of_one(void *argument, struct outcome *outcome)
{
    threadless_judge(argument, outcome, 1);
}

void threadless_arbiter_of_two(void *argument, struct outcome *outcome)
{
    threadless_judge(argument, outcome, 2);
}
