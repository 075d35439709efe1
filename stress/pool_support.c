/* Jobs, their fates and their pool: see pool_support.h. */
#include "stress/pool_support.h"

static int run_job(void *argument, void **result)
{
    struct job *job = argument;

    job->runner = gp_thread_self();
    job->runs++;
    *result = job;
    if (job->body)
        job->body(job->context);
    return 0;
}

static void end_job(void *argument)
{
    struct job *job = argument;

    job->ends++;
}

gp_callable job_callable(struct job *job)
{
    return (gp_callable){.call = run_job, .argument = job, .destroy = end_job};
}

int job_submit(struct job *job, gp_pool *pool)
{
    const gp_callable callable = job_callable(job);
    int status = gp_pool_submit(pool, &callable, &job->future);

    job->rejected = status == GP_EREJECTED;
    job->kept = status != GP_OK && status != GP_EREJECTED;
    return status;
}

unsigned char got(int status)
{
    if (status == GP_OK)
        return ITS_RESULT;
    if (status == GP_ECANCELLED)
        return A_CANCELLATION;
    return status == GP_EFAILED ? A_FAILURE : SOMETHING_ELSE;
}

unsigned char job_get(const struct job *job)
{
    void *result = NULL;
    int status;

    if (!job->future)
        return NOT_ASKED;
    status = gp_future_get(job->future, &result);
    return status == GP_OK && result != job ? SOMETHING_ELSE : got(status);
}

enum fate job_fate(const struct job *job)
{
    int cancelled =
        job->future && gp_future_is_cancelled(job->future) && !job->runs && !job->handed_back;
    int fates = job->runs + cancelled + job->handed_back + job->rejected + job->kept;

    if (fates == 0)
        return LOST;
    if (fates > 1)
        return TWO_FATES;
    if (job->ends != (job->kept ? 0 : 1))
        return WRONGLY_ENDED;
    return job->runs          ? RAN
           : cancelled        ? CANCELLED
           : job->handed_back ? HANDED_BACK
           : job->rejected    ? REJECTED
                              : KEPT;
}

void job_release(struct job *job)
{
    gp_future_release(job->future);
}

void jobs_hand_back(gp_task_list *list, bool run)
{
    for (gp_task *task; (task = gp_task_list_pop(list)) != NULL;) {
        if (run) {
            gp_task_run(task);
        } else {
            ((struct job *)gp_task_argument(task))->handed_back++;
            gp_task_discard(task);
        }
    }
}

bool pool_end(gp_pool **pool)
{
    bool ended = gp_pool_close(*pool) == GP_OK;

    *pool = NULL;
    return ended;
}

/* ---- a pool with jobs ---- */

void pool_choose_conveyor(void *argument)
{
    struct pool_state *state = argument;

    state->conveyed = true;
}

bool pool_open(struct pool_state *state, gp_pool_config *config, uint64_t random)
{
    state->random = random;
    config->time_tasks = false;
    if (state->conveyed && gp_conveyor_new(&config->queue) != GP_OK)
        return false;
    if (gp_pool_new(config, &state->pool) == GP_OK)
        return true;
    if (state->conveyed)
        gp_queue_free(config->queue);
    return false;
}

void pool_tear_down(void *argument)
{
    struct pool_state *state = argument;

    for (int i = 0; i < JOBS; i++)
        job_release(&state->jobs[i]);
}

int pool_invariant(void *argument)
{
    struct pool_state *state = argument;

    return gp_pool_check(state->pool);
}

void act_submit_one(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[0], state->pool);
}

void act_submit_other(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    job_submit(&state->jobs[1], state->pool);
}

void act_shutdown_now(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;
    gp_task_list unrun;

    (void)outcome;
    gp_pool_shutdown_now(state->pool, &unrun);
    jobs_hand_back(&unrun, false);
}

void act_wait_for_idle(void *argument, struct outcome *outcome)
{
    struct pool_state *state = argument;

    (void)outcome;
    gp_pool_await_termination(state->pool, GP_MILLISECONDS(1));
}
