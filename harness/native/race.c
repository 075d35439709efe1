/*
 * The race: how a team runs a scenario, block by block.
 *
 * A block is an array of some hundred states. All of them are set up, then the actors race over
 * them, index by index, then all are judged and torn down. Setting up and judging are shared out
 * among the threads, a slice each; in the race each thread is its actor on every state.
 *
 *      slot 0       plan |  set up 1/2  |  race 0, 1, 2, ... n-1  |  judge 1/2  |  learn, plan |
 *      slot 1            |  set up 1/2  |  race 0, 1, 2, ... n-1  |  judge 1/2  |              |
 *                        ^              ^                         ^             ^
 *                        hand-overs     a line before each state  hand-over     hand-over
 *
 * Two kinds of meeting. At a *hand-over* memory changes hands, so it is a barrier with release and
 * acquire. At a *line* the actors only start together; it is deliberately relaxed. ThreadSanitizer
 * then sees no order between what one actor did to the last state and what another does to the
 * next, and a race in anything that outlives a state (thread records, globals) is not papered over
 * by the harness. Both are made of one counter per thread on a cache line of its own: store mine,
 * read the others'. There is no read-modify-write to queue for.
 *
 * Whoever waits at either looks for a while (patience), then sleeps until the next arrival rings
 * the team's bell. With more actors than cores patience is short, since spinning would only keep
 * the others from coming, and the core is first given up a few times without sleeping.
 *
 *   [RACE-1] No arrival is slept through. The sleeper raises `sleepers`, reads the bell, then looks
 *            at `arrived` once more; an arrival stores `arrived`, then looks at `sleepers`. In the
 *            single order of these four, one of the two sees the other; and a bell that has rung
 *            since it was read ends the sleep.
 *
 * The bell is a futex by its system call: a condition would order the actors in the eyes of
 * ThreadSanitizer, and a line must not.
 *
 * Rejected: yielding instead of sleeping. On a busy machine a yield gives the core away for some
 * milliseconds, and by the time the others arrive, this one is gone, then they are gone when it
 * comes back.
 *
 * Actors write their slots of the outcome into arrays of their own, and judging ORs them together,
 * so that reporting a result never touches a cache line that another actor wants.
 *
 * Rejected: letting the actors run over the block without lines, as jcstress does. It saves the
 * meetings, but on two cores with other load one actor soon is a scheduler tick ahead, and then the
 * rest of the block passes without the actors meeting at all.
 */
#include <limits.h>
#include <linux/futex.h>
#include <sched.h> /* sched_yield */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h> /* syscall */

#include "harness/native/team_internal.h"
#include "harness/native/trouble.h"
#include "harness/scenario/unobserved.h"

enum {
    PIN_BLOCKS = 16 /* blocks between changes of pinning */
};

/* ---- meeting ---- */

UNOBSERVED static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

UNOBSERVED void race_ring(struct team *team)
{
    atomic_fetch_add(&team->bell, 1);
    syscall(SYS_futex, &team->bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* [RACE-1] */
UNOBSERVED static void sleep_until_bell(struct team *team, struct slot *other, uint64_t turn)
{
    atomic_fetch_add(&team->sleepers, 1);
    unsigned bell = atomic_load(&team->bell);
    if (atomic_load(&other->arrived) < turn && !atomic_load(&team->abandoned))
        syscall(SYS_futex, &team->bell, FUTEX_WAIT_PRIVATE, bell, NULL, NULL, 0);
    atomic_fetch_sub(&team->sleepers, 1);
}

/* The only place where an abandoned thread can leave. */
UNOBSERVED static void linger(struct team *team, struct slot *other, uint64_t turn, unsigned looks)
{
    if (looks < team->patience) {
        relax();
        return;
    }
    if (atomic_load(&team->abandoned))
        pthread_exit(NULL);
    if (looks < team->patience + team->yields)
        sched_yield();
    else
        sleep_until_bell(team, other, turn);
}

UNOBSERVED static void await_all(struct team *team, uint64_t turn)
{
    if (atomic_load(&team->sleepers) > 0)
        race_ring(team);
    for (unsigned i = 0; i < team->actors; i++)
        for (unsigned looks = 0;
             atomic_load_explicit(&team->slots[i].arrived, memory_order_relaxed) < turn; looks++)
            linger(team, &team->slots[i], turn, looks);
}

UNOBSERVED static void line_up(struct slot *slot)
{
    uint64_t turn = ++slot->turn;

    atomic_store(&slot->arrived, turn);
    await_all(slot->team, turn);
}

/* It acquires when all are there: to look again and again under the eyes of ThreadSanitizer would
   keep them from arriving. */
static void hand_over(struct slot *slot)
{
    struct team *team = slot->team;
    uint64_t turn = ++slot->turn;

    atomic_store(&slot->arrived, turn); /* a release too: pairs with below */
    await_all(team, turn);
    for (unsigned i = 0; i < team->actors; i++)
        atomic_load_explicit(&team->slots[i].arrived, memory_order_acquire);
}

static void enter(struct slot *slot, enum whereabouts phase)
{
    atomic_store_explicit(&slot->phase, (int)phase, memory_order_relaxed); /* for the watchdog */
}

/* ---- slot 0: planning a block and learning from it ---- */

static bool scenario_is_over(struct team *team, int64_t now)
{
    if (atomic_load_explicit(&team->stop, memory_order_relaxed) || team->failed ||
        team->order.result->set_up_failures > 0)
        return true;
    if (now < team->order.deadline || team->seen.total == 0)
        return false;
    return now >= team->order.last_moment || result_is_exercised(team->order.scenario, &team->seen);
}

static void plan_block(struct team *team)
{
    int64_t now = native_now();

    if (scenario_is_over(team, now)) {
        team->block = 0;
        return;
    }
    team->block = tuner_next_block(&team->tuner, team->room);
    team->block_start = now;
    team->pinned = team->tuner.turn / PIN_BLOCKS % 2 == 1;
}

static void publish(struct team *team)
{
    struct result *result = team->order.result;

    pthread_mutex_lock(&team->lock);
    if (!team->muted) {
        result->iterations = team->seen.total;
        result->tally = team->seen;
        tuner_tell_best(&team->tuner, result->best_stagger, sizeof result->best_stagger);
        for (unsigned i = 0; i < team->actors; i++) {
            const struct histories *histories = &team->slots[i].histories;
            if (result->broken_count == 0)
                result->broken_invariant = team->slots[i].broken_invariant;
            result->broken_count += team->slots[i].broken_count;
            result->set_up_failures += team->slots[i].short_of_memory;
            result_add_histories(result, histories->not_linearizable, histories->undecided,
                                 histories->first);
        }
        team->failed = team->order.until_failure &&
                       (result_is_settled(result) || trouble_was_reported(result));
    }
    pthread_mutex_unlock(&team->lock);
    atomic_store_explicit(&team->iterations, team->seen.total, memory_order_relaxed);
}

static void learn(struct team *team)
{
    struct tally block;

    tally_clear(&block);
    for (unsigned i = 0; i < team->actors; i++)
        tally_merge(&block, &team->slots[i].tally);
    tally_merge(&team->seen, &block);
    tuner_learn(&team->tuner, &block, &team->seen, native_now() - team->block_start);
    publish(team);
}

/* ---- everybody: a block ---- */

UNOBSERVED static void *state_at(const struct team *team, size_t index)
{
    return team->states + index * team->stride;
}

static size_t share_start(const struct slot *slot)
{
    return slot->team->block * slot->index / slot->team->actors;
}

static size_t share_end(const struct slot *slot)
{
    return slot->team->block * (slot->index + 1) / slot->team->actors;
}

UNOBSERVED static void set_up_share(struct slot *slot)
{
    struct team *team = slot->team;
    size_t end = share_end(slot);

    enter(slot, SETTING_UP);
    for (size_t i = slot->ready = share_start(slot); i < end; slot->ready = ++i) {
        uint64_t random = tuner_random(&team->tuner, i);
        memset(state_at(team, i), 0, team->order.scenario->state_size);
        if (!scenario_set_up(team->order.scenario, state_at(team, i), random))
            return;
    }
}

static bool all_are_set_up(const struct team *team)
{
    for (unsigned i = 0; i < team->actors; i++)
        if (team->slots[i].ready < share_end(&team->slots[i]))
            return false;
    return true;
}

UNOBSERVED static void race_over_block(struct slot *slot)
{
    const struct team *team = slot->team;
    const struct scenario_actor *actor = &team->order.scenario->actors[slot->index];
    struct delay delay = tuner_delay(&team->tuner, slot->index);
    struct outcome *outcomes = team->outcomes[slot->index];

    memset(outcomes, 0, team->block * sizeof outcomes[0]);
    enter(slot, ACTING);
    for (size_t i = 0; i < team->block; i++) {
        line_up(slot);
        delay_wait(&delay, team->tuner.first + i);
        actor->act(state_at(team, i), &outcomes[i]);
    }
}

UNOBSERVED static struct outcome joined_outcome(const struct team *team, size_t index)
{
    uint64_t key = 0;

    for (unsigned i = 0; i < team->actors; i++)
        key |= outcome_key(&team->outcomes[i][index]);
    return outcome_of_key(key);
}

UNOBSERVED static void check_invariant(struct slot *slot, void *state)
{
    const struct scenario *scenario = slot->team->order.scenario;
    int broken = scenario->invariant ? scenario->invariant(state) : 0;

    if (broken != 0 && slot->broken_count++ == 0)
        slot->broken_invariant = broken;
}

UNOBSERVED static void judge_share(struct slot *slot)
{
    const struct scenario *scenario = slot->team->order.scenario;
    size_t end = share_end(slot);

    enter(slot, JUDGING);
    for (size_t i = share_start(slot); i < end; i++) {
        void *state = state_at(slot->team, i);
        struct outcome outcome = joined_outcome(slot->team, i);
        check_invariant(slot, state);
        if (scenario->arbiter)
            scenario->arbiter(state, &outcome);
        histories_judge(&slot->histories, state);
        tally_add(&slot->tally, outcome_key(&outcome), 1);
        if (scenario->tear_down)
            scenario->tear_down(state);
    }
}

/* What was set up before the memory ran out. */
static void tear_down_share(struct slot *slot)
{
    const struct scenario *scenario = slot->team->order.scenario;

    for (size_t i = share_start(slot); scenario->tear_down && i < slot->ready; i++)
        scenario->tear_down(state_at(slot->team, i));
    slot->short_of_memory = true;
}

static void run_block(struct slot *slot)
{
    tally_clear(&slot->tally);
    slot->broken_count = 0;
    slot->short_of_memory = false;
    histories_begin(&slot->histories, slot->team->order.scenario);
    slot_pin(slot);
    set_up_share(slot);
    hand_over(slot);
    if (all_are_set_up(slot->team)) {
        race_over_block(slot);
        hand_over(slot);
        judge_share(slot);
    } else {
        hand_over(slot);
        tear_down_share(slot);
    }
    hand_over(slot);
}

void race_run(struct slot *slot)
{
    struct team *team = slot->team;

    trouble_concerns(team->order.result);
    for (;;) {
        if (slot->index == 0)
            plan_block(team);
        hand_over(slot);
        if (team->block == 0)
            break;
        run_block(slot);
        if (slot->index == 0)
            learn(team);
    }
    enter(slot, BETWEEN_SCENARIOS);
    trouble_concerns(NULL);
}
