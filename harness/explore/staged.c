/*
 * A scenario on the machine's stage. Thread 0 sets up, starts a thread for each actor, waits for
 * all of them and judges; it is subject to the same rules as they are, and what the state owns must
 * be gone when it has torn it down.
 *
 * Each actor has an outcome of its own to write to, in memory of the program; putting them together
 * is the harness's work.
 */
#include "harness/explore/staged.h"

#include <fnmatch.h>
#include <pthread.h>
#include <string.h>

#include "harness/explore/arena.h"
#include "harness/explore/random.h"
#include "harness/explore/runtime.h"

int gpx_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int gpx_pthread_join(pthread_t, void **);

enum {
    STATE_ALIGNMENT = 64,
    WATCH_EVERY = 4 /* asking all the time takes a quarter of the speed */
};

struct role {
    void (*act)(void *state, struct outcome *);
    void *state;
    struct outcome outcome;
};

static void *play(void *argument)
{
    struct role *role = argument;

    role->act(role->state, &role->outcome);
    return NULL;
}

static void play_all(const struct scenario *scenario, void *state, struct role *roles)
{
    size_t count = scenario_actor_count(scenario);
    struct faults none = {0}, faults = machine.faults;
    pthread_t threads[SCENARIO_ACTORS];

    machine.faults = none; /* faults are for the program under test */
    for (size_t i = 0; i < count; i++) {
        roles[i] = (struct role){.act = scenario->actors[i].act, .state = state};
        gpx_pthread_create(&threads[i], NULL, play, &roles[i]);
        machine_doubt_gates(set_all());
    }
    machine.faults = faults;
    machine_doubt_gates(set_all());
    for (size_t i = 0; i < count; i++)
        gpx_pthread_join(threads[i], NULL);
}

static void *new_memory(size_t size)
{
    void *memory = arena_allocate(size, STATE_ALIGNMENT, NULL);

    return memory ? memset(memory, 0, size) : NULL;
}

static uint64_t random_for_set_up(void)
{
    unsigned variant =
        machine.rules.variants > 1 ? machine_choose(DATUM_VARIANT, machine.rules.variants) : 0;
    struct random random = {.state = variant};

    return random_next(&random);
}

static void judge(struct staged *staged, void *state, const struct role *roles)
{
    const struct scenario *scenario = staged->scenario;
    size_t count = scenario_actor_count(scenario);
    uint64_t key = 0;

    for (size_t i = 0; i < count; i++)
        key |= outcome_key(&roles[i].outcome);
    staged->outcome = outcome_of_key(key);
    int broken = scenario->invariant ? scenario->invariant(state) : 0;
    if (broken != 0)
        machine_finish(ENDED_BROKEN, "invariant %d", broken);
    if (scenario->arbiter)
        scenario->arbiter(state, &staged->outcome);
    if (histories_judge(&staged->histories, state) != LINEARIZABLE)
        machine_finish(ENDED_NOT_LINEARIZABLE, "%s", "no order of the calls explains the results");
    staged->has_outcome = true;
}

/* With what was looked for? Asked last, so that the execution is complete. */
static void stop_if_wanted(const struct staged *staged)
{
    char text[SCENARIO_TEXT];

    if (!staged->wanted)
        return;
    outcome_text(staged->scenario, staged->outcome, text);
    if (fnmatch(staged->wanted, text, 0) == 0)
        machine_finish(ENDED_FOUND, "%s", text);
}

/* Looking an outcome up means comparing texts, so what is known to be allowed is remembered. */
static void refuse_forbidden(struct staged *staged)
{
    uint64_t key = outcome_key(&staged->outcome);
    uint64_t *known = &staged->allowed[key % STAGED_KNOWN];
    char text[SCENARIO_TEXT];

    if (key != 0 && *known == key)
        return;
    const struct graded_outcome *row = outcome_row(staged->scenario, staged->outcome);
    if (row && row->grade != FORBIDDEN) {
        *known = key;
        return;
    }
    outcome_text(staged->scenario, staged->outcome, text);
    machine_finish(ENDED_FORBIDDEN, "%s: %s", text,
                   row ? row->why : "not in the table, hence forbidden");
}

void staged_begin(struct staged *staged, const struct scenario *scenario)
{
    memset(staged, 0, sizeof *staged);
    staged->scenario = scenario;
    staged->watch_every = WATCH_EVERY;
}

static bool is_watched(struct staged *staged)
{
    return staged->turn++ % staged->watch_every == 0;
}

void staged_run(void *argument)
{
    struct staged *staged = argument;
    const struct scenario *scenario = staged->scenario;
    void *state = new_memory(scenario->state_size);
    struct role *roles = new_memory(SCENARIO_ACTORS * sizeof *roles);

    staged->has_outcome = false;
    histories_begin(&staged->histories, scenario);
    if (!scenario_set_up(scenario, state, random_for_set_up()))
        machine_finish(ENDED_WELL, "set_up found no memory");
    machine.watch =
        (struct machine_watch){.invariant = is_watched(staged) ? scenario->invariant : NULL,
                               .late = scenario->late,
                               .state = state};
    play_all(scenario, state, roles);
    machine.watch = (struct machine_watch){0};
    judge(staged, state, roles);
    if (scenario->tear_down)
        scenario->tear_down(state);
    refuse_forbidden(staged);
    stop_if_wanted(staged);
    arena_free(arena_block_of(state), NULL);
    arena_free(arena_block_of(roles), NULL);
}
