/*
 * Dynamic partial order reduction: all executions, up to the order of steps that do not depend on
 * each other.
 *
 * After Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction" (POPL
 * 2014), the algorithm that they call source-DPOR, with sleep sets. One execution is run to its
 * end. Each of its steps is compared with those before it: where two depend on each other and
 * nothing in between forces their order, the other order is an execution of another kind, and the
 * state before the first of the two is marked: from there somebody has to begin who leads to the
 * other order. The marks are tried, deepest first. What has been tried from a state sleeps in
 * what is tried from there next, until something that it depends on is done: before that it would
 * only lead to a kind that has been seen.
 *
 *   [DPOR-1] A mark is left for every two steps that depend on each other (dependence.c) and could
 *            change places (reversal.c), as long as none in between has seen to that already. Which
 *            thread is marked: one of those with which the other order can begin, unless one of
 *            these is marked, or sleeps, already.
 *   [DPOR-2] A thread that cannot step yet is not marked, but whoever is first among those that
 *            lead to its step. If there is none, it could not have come first. Behind such a step
 *            others are looked for: a mutex that was given back says nothing, whoever took it does.
 *   [DPOR-3] Steps that are never taken count as well: whoever waits when an execution ends, or is
 *            cut, is compared like the others. The executions that make a cut one superfluous may
 *            end before its steps in this order are seen, so that they do not compare it.
 *   [DPOR-4] What the clock will do next, unlike a thread, is changed by others: its step may never
 *            be taken. So where it could step and somebody takes a step that it depends on, it is
 *            marked at once.
 *   [DPOR-5] A step within which data are chosen is repeated with all of them before its thread
 *            goes to sleep, and sleeps with what any of them did.
 *   [DPOR-6] The end of an execution ends all threads: if others are still alive, the last step
 *            depends on every step. So it does if they have ended, and it does not know of that:
 *            the end, which is no step then, could have come before. And nobody wakes up for no
 *            reason where all others are stuck, since that is reported as a deadlock: whoever could
 *            have depends on every step, too, of which any may have been the last chance.
 *   [DPOR-7] An execution in which all who could step sleep is cut.
 *   [DPOR-8] The search takes for granted that nobody is held back for so long that the clock has
 *            to wait. An order that this rules out, or lets happen, is equivalent to one that is
 *            run, and in that one the clock does wait: then all begins anew, with the clock
 *            depending on everybody [DEP-3].
 *   [DPOR-9] Where the clock has to wait for a thread that was held back, a step of another may end
 *            the wait that the clock would have ended, so that no step of the clock ever tells of
 *            it. So one of the threads that hold it up is marked at once.
 *   [DPOR-10] Of those that nothing has marked yet, a wake-up for no reason is tried last, after
 *            the clock. It ends a wait for a time far off, and with that all that the clock could
 *            do when the others are through: none of its executions tells of that.
 *   [DPOR-11] The order in which threads allocate seldom matters, and multiplies the executions. So
 *            it is left to a second search: when all has been seen without it, and there were
 *            allocations in an order that could be another, all begins anew with them depending on
 *            each other [DEP-10].
 *   [DPOR-12] When the time is up, comparing stops half-way. Marks are missing then: the campaign
 *            ends, and is not complete.
 *   [DPOR-13] A step is compared no further back than to an earlier step of its thread that had
 *            the same effect, call it e. Each event before e either happened before e, and so
 *            before the step, which comes after e in the same thread; or it was compared with e
 *            and found independent, so it is independent of the step, whose effect is the same.
 *            Neither kind would be marked or joined. This takes for granted that the effects of
 *            events before e are what they were when e was compared. Only note_last_chances
 *            changes any; from then on steps are compared with all again.
 *
 * Rejected: persistent sets from the program text (there is none at hand); optimal-DPOR's wake-up
 * trees, which would save the executions that are cut, for a good deal more bookkeeping.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/gates.h"
#include "harness/explore/reversal.h"
#include "harness/explore/strategies.h"

/* The state before a step. */
struct node {
    thread_set enabled, spurious; /* as in a turn */
    thread_set marked;            /* to be tried from here, the tried ones included */
    thread_set asleep;            /* not to be tried from here (again) */
    thread_number thread;         /* whose step is being tried */
    uint32_t sleepers;            /* so many lay down before this state */
    uint32_t data;                /* so many data were chosen before it */
};

/* A thread lay down; it is the last of its thread to do so. */
struct sleeper {
    struct effect effect;
    uint32_t previous; /* likewise, before it, + 1 */
};

struct datum {
    uint16_t count, chosen;
};

enum {
    MOST_DATA = 4096, /* that are chosen in an execution */
    FAR_BACK = 64,    /* events: so many are compared sooner than [DPOR-13] is tried */
    MOST_HOPS = 8     /* steps of the thread among which e is looked for: rounds are short */
};

static struct {
    struct node *nodes;
    uint32_t depth; /* of nodes whose thread is decided */
    uint32_t room;
    struct sleeper *sleepers;
    uint32_t sleeper_count, sleeper_room;
    uint32_t last_sleeper[PAST_LANES]; /* of each thread, + 1 */
    struct datum data[MOST_DATA];
    uint32_t data_count; /* decided */
    uint32_t data_used;  /* in this execution */
    bool begun, cut;
    bool no_memory;
    bool effects_changed; /* of events that others have been compared with [DPOR-13] */
} tree;

/* ---- sleeping ---- */

static bool make_bed(void)
{
    uint32_t room = tree.sleeper_room ? 2 * tree.sleeper_room : 1024;
    struct sleeper *moved = realloc(tree.sleepers, room * sizeof *moved);

    if (!moved)
        return false;
    tree.sleepers = moved;
    tree.sleeper_room = room;
    return true;
}

/* [DPOR-5] */
static bool lie_down(struct node *node, const struct effect *effect)
{
    unsigned thread = effect->thread;
    uint32_t last = tree.last_sleeper[thread];

    if (last > node->sleepers) {
        effect_add(&tree.sleepers[last - 1].effect, effect);
        return true;
    }
    if (tree.sleeper_count == tree.sleeper_room && !make_bed())
        return false;
    tree.sleepers[tree.sleeper_count++] = (struct sleeper){.effect = *effect, .previous = last};
    tree.last_sleeper[thread] = tree.sleeper_count;
    return true;
}

static void forget_sleepers(uint32_t count)
{
    while (tree.sleeper_count > count) {
        const struct sleeper *sleeper = &tree.sleepers[--tree.sleeper_count];
        tree.last_sleeper[sleeper->effect.thread] = sleeper->previous;
    }
}

/* Of those who sleep in the state before the event, those who sleep after it. */
static thread_set sleep_through(const struct node *node, const struct event *event)
{
    thread_set still = set_minus(node->asleep, only(event->effect.thread));

    for (struct set_walk each = set_walk(still); set_next(&each);) {
        const struct sleeper *sleeper = &tree.sleepers[tree.last_sleeper[each.at] - 1];
        if (effects_depend(&sleeper->effect, &event->effect))
            set_remove(&still, each.at);
    }
    return still;
}

/* ---- marking ---- */

/* Of each thread the first event after `earlier` that did not need it. */
static thread_set find_firsts(uint32_t earlier, uint32_t firsts[PAST_LANES])
{
    thread_set found = set_none();

    for (uint32_t i = earlier + 1; i < past.settled; i++) {
        unsigned thread = past.events[i].effect.thread;
        if (!set_has(found, thread) && !happened_before(earlier, i)) {
            set_add(&found, thread);
            firsts[thread] = i;
        }
    }
    return found;
}

static bool needs_any(const uint32_t *clock, thread_set others, const uint32_t *firsts)
{
    for (struct set_walk each = set_walk(others); set_next(&each);)
        if (is_known(clock, firsts[each.at]))
            return true;
    return false;
}

/* Those with whom an execution can begin in which `later` comes before event `earlier`. */
static thread_set find_initials(uint32_t earlier, const struct event *later, const uint32_t *known)
{
    uint32_t firsts[PAST_LANES];
    thread_set found = find_firsts(earlier, firsts), initials = set_none();
    unsigned own = later->effect.thread;

    for (struct set_walk each = set_walk(found); set_next(&each);)
        if (!needs_any(past.clocks[firsts[each.at]], set_minus(found, only(each.at)), firsts))
            set_add(&initials, each.at);
    if (!set_has(found, own) && !needs_any(known, found, firsts))
        set_add(&initials, own);
    return initials;
}

/* [DPOR-1] [DPOR-2] */
static void mark(uint32_t earlier, const struct event *later, const uint32_t *known)
{
    struct node *node = &tree.nodes[earlier];
    thread_set initials = find_initials(earlier, later, known);
    thread_set possible = set_and(initials, past.events[earlier].enabled);
    unsigned own = later->effect.thread;

    if (!set_meets(initials, set_or(node->marked, node->asleep)) && !set_is_empty(possible))
        set_add(&node->marked, set_has(possible, own) ? own : lowest(possible));
}

static bool have_same_effect(const struct effect *a, const struct effect *b)
{
    return a->thread == b->thread && a->kind == b->kind && a->flags == b->flags &&
           a->order == b->order && a->size == b->size && a->traits == b->traits &&
           a->object == b->object && a->second == b->second && a->deadline == b->deadline &&
           a->announced == b->announced && a->from == b->from && a->to == b->to;
}

/* [DPOR-13] The first event that has to be compared; those before `all` need not be, either. */
static uint32_t how_far_back(const struct event *later, uint32_t end, uint32_t all)
{
    uint32_t before = later->before;

    if (end - all < FAR_BACK || tree.effects_changed)
        return all;
    for (unsigned hops = 0; before > all && hops < MOST_HOPS; hops++) {
        const struct event *event = &past.events[before - 1];
        if (event->effect.thread != later->effect.thread)
            return all;
        if (have_same_effect(&event->effect, &later->effect))
            return before;
        before = event->before;
    }
    return all;
}

/* [DPOR-1] Leaves in `known` what happened before it; all that happened before the number that is
   returned. `covered` is what must come before it anyway, or changes places with it in another
   execution. */
static uint32_t look_back(const struct event *later, uint32_t end, uint32_t *known)
{
    vector_clock covered = {0};
    uint32_t all = past_known_to(later, known), last = how_far_back(later, end, all);

    memcpy(covered, known, sizeof covered);
    for (uint32_t i = end; i-- > last;) {
        if (is_known(covered, i) || !effects_depend(&past.events[i].effect, &later->effect))
            continue;
        if (machine.time_is_up)
            return all; /* [DPOR-12] */
        enum reversal reversal = reversal_of(i, later);
        if (reversal != REVERSAL_IMPOSSIBLE)
            mark(i, later, known);
        clock_join(known, past.clocks[i]);
        if (reversal == REVERSAL_CERTAIN)
            clock_join(covered, past.clocks[i]);
    }
    while (all < end && is_known(known, all))
        all++;
    return all;
}

/* [DPOR-4] */
static void mark_clock(uint32_t number, const struct effect *advance)
{
    const struct event *event = &past.events[number];
    struct node *node = &tree.nodes[number];

    if (set_has(set_minus(event->enabled, set_or(node->marked, node->asleep)), CLOCK_THREAD) &&
        event->effect.thread != CLOCK_THREAD && effects_depend(&event->effect, advance))
        set_add(&node->marked, CLOCK_THREAD);
}

static bool are_others_alive(void)
{
    for (unsigned i = 0; i < machine.count; i++)
        if (machine.threads[i].alive && i != machine.current)
            return true;
    return false;
}

static struct effect advance; /* what the clock could have done instead of the last step */

static void settle(bool announced, bool is_last)
{
    uint32_t number = past.count - 1;
    struct event *event = &past.events[number];

    if (past.settled == past.count)
        return;
    past_settle(announced);
    past.settled = number;
    event->all = look_back(event, number, past.clocks[number]);
    if (is_last && (event->all < number || are_others_alive())) {
        event->effect.traits |= TRAIT_ALONE; /* [DPOR-6] */
        event->all = look_back(event, number, past.clocks[number]);
    }
    event->all += event->all == number; /* itself included */
    past.settled = number + 1;
    past.clocks[number][event->effect.thread] = event->sequence;
    mark_clock(number, &advance);
}

/* ---- stepping ---- */

/* [DPOR-7] */
static void cut(void)
{
    tree.cut = true;
    machine_finish(ENDED_CUT, "%s", "all who could go on would only repeat another execution");
}

/* The state after the last event becomes a node. */
static struct node *add_node(thread_set enabled, thread_set spurious)
{
    struct node *node = &tree.nodes[tree.depth];

    *node = (struct node){.enabled = enabled,
                          .spurious = spurious,
                          .sleepers = tree.sleeper_count,
                          .data = tree.data_count};
    if (tree.depth > 0)
        node->asleep = set_and(
            sleep_through(&tree.nodes[tree.depth - 1], &past.events[tree.depth - 1]), enabled);
    tree.depth++;
    return node;
}

static void decide(struct node *node, unsigned thread)
{
    node->thread = (thread_number)thread;
    set_add(&node->marked, thread);
}

/* The usual one, if it is awake; else no time without need, and no fault if there is time
   [DPOR-10]. */
static unsigned first_choice(const struct turn *turn, thread_set awake)
{
    thread_set faultless = set_minus(awake, turn->spurious);
    thread_set willing = set_minus(faultless, only(CLOCK_THREAD));

    if (set_has(awake, turn->by_default))
        return turn->by_default;
    return lowest(set_else(willing, set_else(faultless, awake)));
}

/* Those whom the clock has to wait for [MACHINE-3]. */
static thread_set find_holders(thread_set enabled)
{
    int64_t passes = machine.deadline - machine.now;
    thread_set holders = set_none();

    if (machine.deadline == INT64_MAX || passes > machine.rules.slack ||
        set_has(enabled, CLOCK_THREAD))
        return holders;
    for (struct set_walk each = set_walk(enabled); set_next(&each);)
        if (machine.threads[each.at].held_back + passes > machine.rules.slack)
            set_add(&holders, each.at);
    return holders;
}

/* [DPOR-9] */
static void mark_holder(struct node *node)
{
    thread_set holders = find_holders(node->enabled);

    if (!set_is_empty(holders) && !set_meets(holders, set_or(node->marked, node->asleep)))
        set_add(&node->marked, lowest(holders));
}

static unsigned pick(const struct turn *turn)
{
    uint32_t number = machine.steps;

    settle(true, false);
    if (number < tree.depth)
        return tree.nodes[number].thread;
    struct node *node = add_node(turn->enabled, turn->spurious);
    thread_set awake = set_minus(turn->enabled, node->asleep);
    if (set_is_empty(awake))
        cut();
    decide(node, first_choice(turn, awake));
    if (delays_matter)
        mark_holder(node);
    return node->thread;
}

static void stepped(unsigned thread)
{
    uint32_t number = machine.steps;

    if (number >= machine.rules.step_budget)
        return;
    settle(true, false);
    if (number >= tree.depth) {
        struct node *node = add_node(only(thread), set_none());
        if (!set_is_empty(node->asleep))
            cut();
        decide(node, thread);
    }
    if (number < past.count)
        return;
    if (set_has(tree.nodes[number].enabled, CLOCK_THREAD))
        advance = effect_of_next(CLOCK_THREAD);
    past_note(thread, tree.nodes[number].enabled, tree.nodes[number].spurious);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    uint32_t number = tree.data_used++;

    (void)kind;
    if (number == MOST_DATA)
        machine_leave_out(LIMIT_SEARCH);
    if (number == tree.data_count && number < MOST_DATA)
        tree.data[tree.data_count++] = (struct datum){.count = (uint16_t)count};
    return number < MOST_DATA ? tree.data[number].chosen : 0;
}

/* ---- from one execution to the next ---- */

/* [DPOR-6] None of them can sleep while it wakes up: it could not have done so after them. */
static void note_last_chances(const struct event *wakeup)
{
    vector_clock known;

    for (uint32_t i = past_known_to(wakeup, known); i < past.count; i++)
        if (!is_known(known, i))
            past.events[i].effect.traits |= TRAIT_ALONE;
    tree.effects_changed = true; /* [DPOR-13] */
}

/* [DPOR-3] */
static void compare_waiting(void)
{
    vector_clock known = {0};

    for (unsigned i = 0; i < machine.count; i++) {
        const struct thread *thread = &machine.threads[i];
        bool ended_it = i == machine.current && !machine.stuck && !tree.cut;
        if (!thread->alive || ended_it || (tree.cut && gate_of(thread, i) != GATE_CLOSED))
            continue;
        struct event event = past_pending(i);
        if (machine.stuck && gate_of(thread, i) == GATE_FAULTY)
            note_last_chances(&event);
        look_back(&event, past.count, known);
    }
}

static void end(void)
{
    bool stuck = machine.stuck;

    if (machine.verdict == ENDED_CUT && !tree.cut)
        machine_leave_out(LIMIT_SEARCH);
    if (past.count > 0)
        settle(stuck || tree.cut, !stuck && !tree.cut);
    compare_waiting();
}

/* False: all of them have been tried in the step after the node. */
static bool try_next_datum(const struct node *node)
{
    for (; tree.data_count > node->data; tree.data_count--) {
        struct datum *last = &tree.data[tree.data_count - 1];
        if (last->chosen + 1u < last->count) {
            last->chosen++;
            return true;
        }
    }
    return false;
}

/* False: all has been tried from there. */
static bool try_next(uint32_t number)
{
    struct node *node = &tree.nodes[number];

    if (!lie_down(node, &past.events[number].effect))
        tree.no_memory = true;
    if (try_next_datum(node))
        return true;
    set_add(&node->asleep, node->thread);
    thread_set left = set_minus(node->marked, node->asleep);
    if (set_is_empty(left))
        return false;
    decide(node, lowest(left));
    return true;
}

static void start_over(void)
{
    tree.depth = tree.sleeper_count = tree.data_count = 0;
    memset(tree.last_sleeper, 0, sizeof tree.last_sleeper);
    tree.begun = tree.effects_changed = false;
    past_cut_to(0);
}

/* False: all has been tried. */
static bool go_back(void)
{
    if (tree.depth > past.count)
        tree.depth = past.count;
    for (; tree.depth > 0; tree.depth--) {
        struct node *node = &tree.nodes[tree.depth - 1];
        if (try_next(tree.depth - 1)) {
            past_cut_to(tree.depth - 1);
            return true;
        }
        forget_sleepers(node->sleepers);
    }
    return false;
}

/* [DPOR-11] */
static bool begin_with_allocations(void)
{
    if (!allocations.met || allocations.matter)
        return false;
    allocations.matter = true;
    start_over();
    return true;
}

static bool begin(void)
{
    tree.data_used = 0;
    tree.cut = false;
    if (tree.begun && machine.held_up && !delays_matter) {
        delays_matter = true; /* [DPOR-8] */
        start_over();
    }
    bool more = !tree.begun || go_back() || begin_with_allocations();
    tree.begun = true;
    if (tree.no_memory)
        machine_leave_out(LIMIT_SEARCH);
    return more && !tree.no_memory;
}

static void start(const struct strategy_options *options)
{
    uint32_t room = machine.rules.step_budget + 1;

    (void)options;
    delays_matter = false;
    allocations = (struct allocations){0};
    start_over();
    if (room > tree.room) {
        free(tree.nodes);
        tree.nodes = malloc(room * sizeof *tree.nodes);
        tree.room = tree.nodes ? room : 0;
    }
    tree.no_memory = !tree.nodes || !past_prepare(room);
}

const struct strategy strategy_dpor = {.name = "dpor",
                                       .exhaustive = true,
                                       .start = start,
                                       .begin = begin,
                                       .pick = pick,
                                       .pick_datum = pick_datum,
                                       .stepped = stepped,
                                       .end = end};
