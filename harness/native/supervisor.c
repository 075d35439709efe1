/*
 * The supervisor: one thread that waits most of the time.
 *
 * Time. A run has a budget. Whenever a team is free, the next scenario gets an equal share of what
 * is left of it, so that whatever one scenario takes too much (a hang, an outcome that would not
 * show) is taken from all the others alike and the run still ends when it said. A scenario that has
 * not seen all it must see when its share is up gets some more, then fails as not exercised.
 *
 * Watchdog. Ten times a second the supervisor looks at a number that grows whenever any actor of a
 * team reaches the next meeting. If it stands still for `hang_seconds`, and that is not for want of
 * processor time (hang.c), the scenario hangs: where each actor is and its stack become notes of
 * the result, the team is abandoned and a new one takes its place. That it is time and not proof is
 * a weakness of real threads: a lost wake-up with a time-out behind it looks like a slow run. The
 * explorer, which knows who could run, has no such gap.
 */
#include "harness/native/supervisor.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "harness/native/hang.h"
#include "harness/native/stacks.h"
#include "harness/native/stagger.h"
#include "harness/native/team.h"
#include "harness/native/trouble.h"

enum {
    TICK_NANOS = 100000000,
    SMALLEST_SHARE_NANOS = 50000000
};

static const double second = 1e9;
static const double patience_beyond_share = 30.0; /* seconds for what must still be seen */

/* A team and the scenario that it is busy with. */
struct lane {
    struct team *team;
    struct result *result; /* NULL: free */
    int64_t began;
    uint64_t progress; /* as last seen ... */
    int64_t moved;     /* ... to change then ... */
    int64_t used;      /* ... when the process had used so much of its processors */
};

struct supervisor {
    struct supervision *order;
    struct lane *lanes;
    size_t next;     /* result to be begun next */
    size_t finished; /* results collected */
    int64_t end;     /* of the whole run */
    pthread_mutex_t lock;
    pthread_cond_t tick; /* some team has finished */
    unsigned signals;    /* under the lock: finishes nobody has looked at yet */
};

/* ---- waiting ---- */

static void wake(void *context)
{
    struct supervisor *supervisor = context;

    pthread_mutex_lock(&supervisor->lock);
    supervisor->signals++;
    pthread_cond_signal(&supervisor->tick);
    pthread_mutex_unlock(&supervisor->lock);
}

static void wait_a_tick(struct supervisor *supervisor)
{
    int64_t until = native_now() + TICK_NANOS;
    struct timespec deadline = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};

    pthread_mutex_lock(&supervisor->lock);
    if (supervisor->signals == 0)
        pthread_cond_timedwait(&supervisor->tick, &supervisor->lock, &deadline);
    supervisor->signals = 0;
    pthread_mutex_unlock(&supervisor->lock);
}

static void start_ticking(struct supervisor *supervisor)
{
    pthread_condattr_t monotonic;

    pthread_mutex_init(&supervisor->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&supervisor->tick, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

/* ---- a lane's scenario: beginning, ending, hanging ---- */

static int64_t share_of_next(const struct supervisor *supervisor, int64_t now)
{
    int64_t left = supervisor->end - now;
    int64_t scenarios = (int64_t)(supervisor->order->count - supervisor->next);
    int64_t share = left * (int64_t)supervisor->order->jobs / scenarios;

    if (share > left)
        share = left;
    return share < SMALLEST_SHARE_NANOS ? SMALLEST_SHARE_NANOS : share;
}

static bool begin_next(struct supervisor *supervisor, struct lane *lane)
{
    const struct supervision *run = supervisor->order;
    int64_t now = native_now();
    int64_t deadline = now + share_of_next(supervisor, now);
    int64_t patience = run->lenient ? 0 : (int64_t)(patience_beyond_share * second);
    struct result *result = &run->results[supervisor->next++];
    struct order order = {.scenario = result->scenario,
                          .result = result,
                          .seed = run->seed,
                          .stagger = run->stagger,
                          .until_failure = run->until_failure,
                          .deadline = deadline,
                          .last_moment = deadline + patience};

    result->seed = run->seed;
    result->lenient = run->lenient;
    *lane = (struct lane){.team = lane->team,
                          .result = result,
                          .began = now,
                          .moved = now,
                          .used = native_processor_time()};
    return team_begin(lane->team, &order);
}

static void close_lane(struct supervisor *supervisor, struct lane *lane)
{
    struct result *result = lane->result;

    result->seconds = (double)(native_now() - lane->began) / second;
    trouble_collect(result);
    trouble_collect_unclaimed(result);
    if (supervisor->order->until_failure && result_is_settled(result))
        result->stopped_early = true;
    result_judge(result);
    lane->result = NULL;
    supervisor->finished++;
    supervisor->order->on_result(result);
}

static void note_line(void *result, const char *line)
{
    result_note(result, "        %s\n", line);
}

static void note_hang(struct lane *lane)
{
    static const char *const places[] = {"between scenarios", "in set-up", "inside the actor",
                                         "waiting for the others", "in the arbiter or tear-down"};
    const struct scenario *scenario = lane->result->scenario;
    unsigned count = (unsigned)scenario_actor_count(scenario);
    pid_t actors[SCENARIO_ACTORS];

    for (unsigned i = 0; i < count; i++) {
        actors[i] = team_thread(lane->team, i);
        result_note(lane->result, "    actor %u, %s: %s\n", i + 1, scenario->actors[i].name,
                    places[team_whereabouts(lane->team, i)]);
        stacks_of(actors[i], note_line, lane->result);
    }
    result_note(lane->result, "    other threads of the program\n");
    stacks_of_others(actors, count, note_line, lane->result);
}

static bool replace_hung_team(struct supervisor *supervisor, struct lane *lane)
{
    team_mute(lane->team); /* it may only be slow, and come back */
    note_hang(lane);
    team_abandon(lane->team);
    trouble_leaves_threads();
    lane->result->hung = true;
    close_lane(supervisor, lane);
    lane->team = team_new((unsigned)(lane - supervisor->lanes), wake, supervisor);
    return lane->team != NULL;
}

static bool hangs(struct supervisor *supervisor, struct lane *lane)
{
    uint64_t progress = team_progress(lane->team);
    int64_t now = native_now();
    int64_t used = native_processor_time();

    if (progress != lane->progress) {
        lane->progress = progress;
        lane->moved = now;
        lane->used = used;
    }
    const struct standstill still = {.lasted = (double)(now - lane->moved) / second,
                                     .used = (double)(used - lane->used) / second};
    return hang_is_likely(&still, supervisor->order->hang_seconds);
}

/* ---- all lanes ---- */

static bool attend_lane(struct supervisor *supervisor, struct lane *lane, bool stopping)
{
    bool sound = true;

    if (lane->result && team_is_finished(lane->team))
        close_lane(supervisor, lane);
    else if (lane->result && hangs(supervisor, lane))
        sound = replace_hung_team(supervisor, lane);
    if (lane->result && stopping) {
        lane->result->stopped_early = true;
        team_stop(lane->team);
    }
    if (sound && !lane->result && !stopping && supervisor->next < supervisor->order->count)
        sound = begin_next(supervisor, lane);
    return sound;
}

static void show_progress(struct supervisor *supervisor)
{
    struct progress progress = {.finished = supervisor->finished,
                                .count = supervisor->order->count,
                                .seconds_left = (double)(supervisor->end - native_now()) / second};

    for (unsigned i = 0; i < supervisor->order->jobs; i++)
        if (supervisor->lanes[i].result) {
            progress.scenario = supervisor->lanes[i].result->scenario;
            progress.iterations = team_iterations(supervisor->lanes[i].team);
        }
    supervisor->order->on_progress(&progress);
}

static bool is_busy(const struct supervisor *supervisor)
{
    for (unsigned i = 0; i < supervisor->order->jobs; i++)
        if (supervisor->lanes[i].result)
            return true;
    return false;
}

static bool attend_all(struct supervisor *supervisor)
{
    bool stopping = supervisor->order->should_stop();

    for (unsigned i = 0; i < supervisor->order->jobs; i++)
        if (!attend_lane(supervisor, &supervisor->lanes[i], stopping))
            return false;
    return true;
}

static void judge_the_rest(struct supervisor *supervisor)
{
    for (size_t i = supervisor->next; i < supervisor->order->count; i++) {
        supervisor->order->results[i].stopped_early = true;
        result_judge(&supervisor->order->results[i]);
    }
}

static bool open_lanes(struct supervisor *supervisor)
{
    supervisor->lanes = calloc(supervisor->order->jobs, sizeof *supervisor->lanes);
    if (!supervisor->lanes)
        return false;
    for (unsigned i = 0; i < supervisor->order->jobs; i++) {
        supervisor->lanes[i].team = team_new(i, wake, supervisor);
        if (!supervisor->lanes[i].team)
            return false;
    }
    return true;
}

bool supervise(struct supervision *order)
{
    static struct supervisor supervisor; /* abandoned teams may refer to it for ever */

    supervisor = (struct supervisor){.order = order};
    supervisor.end = native_now() + (int64_t)(order->seconds * second);
    start_ticking(&supervisor);
    bool sound = open_lanes(&supervisor) && attend_all(&supervisor);
    while (sound && is_busy(&supervisor)) {
        wait_a_tick(&supervisor);
        sound = attend_all(&supervisor);
        show_progress(&supervisor);
    }
    judge_the_rest(&supervisor);
    if (!sound)
        return false; /* teams may be at work: what is theirs stays */
    for (unsigned i = 0; i < order->jobs; i++)
        team_free(supervisor.lanes[i].team);
    free(supervisor.lanes);
    return true;
}
