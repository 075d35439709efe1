/*
 * A second look at a task that may be another one by now.
 *
 * execute queues a task and then looks whether the pool was shut down meanwhile; if so it takes the
 * task back and rejects it. Between the two a worker may have had the task, have run it and freed
 * it. Its address is then free for the next task that anybody makes, and allocators like to give
 * out what they got back last. So execute could find its task's address in the queue, and it is not
 * its task [POOL-6]:
 *
 *      execute(A)                    worker
 *      offer A
 *                                    run A: makes B, offers it
 *                                    free A
 *                                    run B: makes C, where A was
 *                                           offers it: accepted
 *                                           shuts the pool down
 *      shut down: take back "A"      ... which is C
 *      reject it
 *
 * Now A, which has run, counts as rejected, and C, which was accepted, is discarded. It is the ABA
 * of lock-free stacks, in a queue with locks. A reference that execute holds until it has looked
 * keeps the address from being anybody else's.
 *
 * All this has to happen between two steps of execute, which is less unlikely than it sounds: the
 * offer wakes the worker, and on a core that both share the one who is woken often runs first. To
 * keep the window open B waits, once it has shut the pool down, until execute(A) has returned: so C
 * is still in the queue when execute looks. Two such lines run side by side on one worker. The
 * arbiter compares what each maker was told with what became of its task.
 */
#include <glasspool/future.h>
#include <glasspool/pool.h>
#include <glasspool/status.h>
#include <glasspool/task.h>

#include "stress/scenarios.h"
#include "stress/support.h"

#define POOL "impl/pool/pool.c"

enum {
    LINES = 2,
    LINE = 3 /* A, B and C */
};

/* One of the tasks: what its maker was told, and what became of it. */
struct member {
    struct line *line;
    int made;
    int accepted;
    int runs;
    int destroyed;
};

/* A makes B, and B makes C. */
struct line {
    gp_pool *pool;
    gp_future *looked; /* done when execute(A) has returned */
    struct member members[LINE];
};

struct state {
    gp_pool *pool;
    struct line lines[LINES];
};

static void run_member(void *argument);

static void destroy_member(void *argument)
{
    struct member *member = argument;

    member->destroyed++;
}

static void make(struct member *member)
{
    const gp_callable callable = {.run = run_member, .argument = member, .destroy = destroy_member};
    gp_task *task;

    if (gp_task_new(&callable, &task) != GP_OK)
        return;
    member->made = true;
    int status = gp_pool_execute_task(member->line->pool, task);
    member->accepted = status == GP_OK;
    if (status != GP_OK && status != GP_EREJECTED)
        gp_task_discard(task);
}

/* B shuts the pool down as well, and keeps C in the queue until execute(A) has looked. */
static void run_member(void *argument)
{
    struct member *member = argument;
    struct line *line = member->line;
    bool is_second = member == &line->members[1];

    member->runs++;
    if (member < &line->members[LINE - 1])
        make(member + 1);
    if (is_second) {
        gp_pool_shutdown(line->pool);
        gp_future_get(line->looked, NULL);
    }
}

static void tear_down(void *argument)
{
    struct state *state = argument;

    gp_pool_close(state->pool);
    for (int i = 0; i < LINES; i++)
        gp_future_release(state->lines[i].looked);
}

static bool set_up_line(struct line *line, gp_pool *pool)
{
    const gp_callable nothing = gp_callable_of(do_nothing, NULL, NULL);

    line->pool = pool;
    for (int i = 0; i < LINE; i++)
        line->members[i].line = line;
    return gp_future_new(&nothing, &line->looked) == GP_OK;
}

static bool set_up(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    bool ready = gp_pool_new(&config, &state->pool) == GP_OK;

    (void)random;
    for (int i = 0; i < LINES && ready; i++)
        ready = set_up_line(&state->lines[i], state->pool);
    if (!ready) {
        tear_down(state);
        return false;
    }
    gp_pool_prestart_core(state->pool);
    return true;
}

static void execute(struct line *line)
{
    make(&line->members[0]);
    gp_future_set(line->looked, NULL);
}

static void act_execute_first(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    execute(&state->lines[0]);
}

static void act_execute_second(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    (void)outcome;
    execute(&state->lines[1]);
}

/* ---- what became of them, as values of slots ---- */

enum {
    FIRST,
    SECOND,
    ARGUMENTS
};

/* How many of a line were accepted, one after the other; or ... */
enum {
    TOLD_WRONG = LINE + 1
};

static unsigned char story_of(const struct line *line)
{
    unsigned char accepted = 0;

    for (int i = 0; i < LINE; i++) {
        if (line->members[i].runs != line->members[i].accepted)
            return TOLD_WRONG;
        accepted = (unsigned char)(accepted + line->members[i].accepted);
    }
    return accepted;
}

static bool is_destroyed_once(const struct line *line)
{
    for (int i = 0; i < LINE; i++)
        if (line->members[i].destroyed != line->members[i].made)
            return false;
    return true;
}

static void arbiter(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_pool_close(state->pool);
    state->pool = NULL;
    outcome->slot[FIRST] = story_of(&state->lines[0]);
    outcome->slot[SECOND] = story_of(&state->lines[1]);
    outcome->slot[ARGUMENTS] =
        is_destroyed_once(&state->lines[0]) && is_destroyed_once(&state->lines[1]);
}

/* ---- the family ---- */

#define STORIES                                                                              \
    {                                                                                        \
        "rejected", "accepted A", "accepted A and B", "accepted A and B and C", "told wrong" \
    }

const struct scenario ownership_reuse_races[] = {
    {
        .name = "ownership_reuse/second_look",
        .description =
            "a task is run and freed, its address becomes another's, and the pool is "
            "shut down, all while execute has not looked again: it leaves the other alone",
        .invariants = "[POOL-1] [POOL-6] [TASK-1] [TASK-2]",
        .attacks = {POOL, "gp_task_retain(task); /* [POOL-6] */"},
        .broken_by = "second-look-without-reference",
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"execute", act_execute_first}, {"execute", act_execute_second}},
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"one", STORIES}, {"the other", STORIES}, {"destroyed once", {"not all", "all"}}},
        .outcomes =
            {
                {"one told wrong", FORBIDDEN, "rejected and yet run, or accepted and not run",
                 MAY_OCCUR},
                {"the other told wrong", FORBIDDEN, "rejected and yet run, or accepted and not run",
                 MAY_OCCUR},
                {"one accepted A and B and C, destroyed once all, ...", ACCEPTABLE,
                 "its B shut the pool down, with C in the queue", MUST_OCCUR},
                {"the other accepted A and B and C, destroyed once all, ...", ACCEPTABLE,
                 "its B shut the pool down, with C in the queue", MUST_OCCUR},
                {"destroyed once all, ...", ACCEPTABLE,
                 "the arbiter closed the pool before either had got there", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
