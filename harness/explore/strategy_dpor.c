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
 *   [DPOR-3] Steps that are never taken count as well: whoever waits when an execution ends is
 *            compared like the others.
 *   [DPOR-4] What the clock will do next, unlike a thread, is changed by others: its step may never
 *            be taken. So where it could step and somebody takes a step that it depends on, it is
 *            marked at once.
 *   [DPOR-5] A step within which data are chosen is repeated with all of them before its thread
 *            goes to sleep, and sleeps with what any of them did.
 *   [DPOR-6] The end of an execution ends all threads: if others are still alive, the last step
 *            depends on every step. And nobody wakes up for no reason where all others are stuck,
 *            since that is reported as a deadlock: whoever could have depends on every step, too,
 *            of which any may have been the last chance.
 *   [DPOR-7] An execution in which all who could step sleep is cut.
 *   [DPOR-8] The search takes for granted that nobody is held back for so long that the clock has
 *            to wait. An order that this rules out, or lets happen, is equivalent to one that is
 *            run, and in that one the clock does wait: then all begins anew, with the clock
 *            depending on everybody [DEP-3].
 *
 * It sees all there is if no execution was longer than the step budget, and if freed memory is not
 * given out again (rules.reuse): the order of allocations, which then shows, is not among the
 * dependences.
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
    uint8_t thread;               /* whose step is being tried */
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
    MOST_DATA = 4096 /* that are chosen in an execution */
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
    bool too_long; /* an execution was, or had too many choices */
    bool no_memory;
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
    thread_set left = node->asleep & ~only(event->effect.thread), still = left;

    for (; left != 0; left &= left - 1) {
        const struct sleeper *sleeper = &tree.sleepers[tree.last_sleeper[lowest(left)] - 1];
        if (effects_depend(&sleeper->effect, &event->effect))
            still &= ~(left & -left);
    }
    return still;
}

/* ---- marking ---- */

/* Of each thread the first event after `earlier` that did not need it. */
static thread_set find_firsts(uint32_t earlier, uint32_t firsts[PAST_LANES])
{
    thread_set found = 0;

    for (uint32_t i = earlier + 1; i < past.settled; i++) {
        unsigned thread = past.events[i].effect.thread;
        if (!(found & only(thread)) && !happened_before(earlier, i)) {
            found |= only(thread);
            firsts[thread] = i;
        }
    }
    return found;
}

static bool needs_any(const uint32_t *clock, thread_set others, const uint32_t *firsts)
{
    for (; others != 0; others &= others - 1)
        if (is_known(clock, firsts[lowest(others)]))
            return true;
    return false;
}

/* Those with whom an execution can begin in which `later` comes before event `earlier`. */
static thread_set find_initials(uint32_t earlier, const struct event *later, const uint32_t *known)
{
    uint32_t firsts[PAST_LANES];
    thread_set found = find_firsts(earlier, firsts), initials = 0;
    thread_set own = only(later->effect.thread);

    for (thread_set left = found; left != 0; left &= left - 1)
        if (!needs_any(past.clocks[firsts[lowest(left)]], found & ~(left & -left), firsts))
            initials |= left & -left;
    if (!(found & own) && !needs_any(known, found, firsts))
        initials |= own;
    return initials;
}

/* [DPOR-1] [DPOR-2] */
static void mark(uint32_t earlier, const struct event *later, const uint32_t *known)
{
    struct node *node = &tree.nodes[earlier];
    thread_set initials = find_initials(earlier, later, known);
    thread_set possible = initials & past.events[earlier].enabled;
    thread_set own = possible & only(later->effect.thread);

    if ((initials & (node->marked | node->asleep)) == 0 && possible != 0)
        node->marked |= own != 0 ? own : possible & -possible;
}

/* [DPOR-1] Leaves in `known` what happened before it; all that happened before the number that is
   returned. `covered` is what must come before it anyway, or changes places with it in another
   execution. */
static uint32_t look_back(const struct event *later, uint32_t end, uint32_t *known)
{
    vector_clock covered = {0};
    uint32_t all = past_known_to(later, known), first_unknown = end;

    memcpy(covered, known, sizeof covered);
    for (uint32_t i = end; i-- > all;) {
        if (is_known(covered, i))
            continue;
        if (!effects_depend(&past.events[i].effect, &later->effect)) {
            first_unknown = is_known(known, i) ? first_unknown : i;
            continue;
        }
        enum reversal reversal = reversal_of(i, later);
        if (reversal != REVERSAL_IMPOSSIBLE)
            mark(i, later, known);
        clock_join(known, past.clocks[i]);
        if (reversal == REVERSAL_CERTAIN)
            clock_join(covered, past.clocks[i]);
    }
    return first_unknown;
}

/* [DPOR-4] */
static void mark_clock(uint32_t number, const struct effect *advance)
{
    const struct event *event = &past.events[number];
    struct node *node = &tree.nodes[number];

    if ((event->enabled & ~node->marked & ~node->asleep & only(CLOCK_THREAD)) &&
        event->effect.thread != CLOCK_THREAD && effects_depend(&event->effect, advance))
        node->marked |= only(CLOCK_THREAD);
}

static struct effect advance; /* what the clock could have done instead of the last step */

static void settle(bool announced, bool is_last)
{
    uint32_t number = past.count - 1;
    struct event *event = &past.events[number];

    if (past.settled == past.count)
        return;
    past_settle(announced);
    if (is_last)
        event->effect.traits |= TRAIT_ALONE; /* [DPOR-6] */
    past.settled = number;
    event->all = look_back(event, number, past.clocks[number]);
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
        node->asleep =
            sleep_through(&tree.nodes[tree.depth - 1], &past.events[tree.depth - 1]) & enabled;
    tree.depth++;
    return node;
}

static void decide(struct node *node, unsigned thread)
{
    node->thread = (uint8_t)thread;
    node->marked |= only(thread);
}

/* The usual one, if it is awake; else no fault and no time without need. */
static unsigned first_choice(const struct turn *turn, thread_set awake)
{
    thread_set willing = awake & ~turn->spurious & ~only(CLOCK_THREAD);

    if (awake & only(turn->by_default))
        return turn->by_default;
    return lowest(willing != 0 ? willing : awake);
}

static unsigned pick(const struct turn *turn)
{
    uint32_t number = machine.steps;

    settle(true, false);
    if (number < tree.depth)
        return tree.nodes[number].thread;
    struct node *node = add_node(turn->enabled, turn->spurious);
    thread_set awake = turn->enabled & ~node->asleep;
    if (awake == 0)
        cut();
    decide(node, first_choice(turn, awake));
    return node->thread;
}

static void stepped(unsigned thread)
{
    uint32_t number = machine.steps;

    if (number >= machine.rules.step_budget)
        return;
    settle(true, false);
    if (number >= tree.depth) {
        struct node *node = add_node(only(thread), 0);
        if (node->asleep)
            cut();
        decide(node, thread);
    }
    if (number < past.count)
        return;
    if (tree.nodes[number].enabled & only(CLOCK_THREAD))
        advance = effect_of_next(CLOCK_THREAD);
    past_note(thread, tree.nodes[number].enabled, tree.nodes[number].spurious);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    uint32_t number = tree.data_used++;

    (void)kind;
    if (number == MOST_DATA)
        tree.too_long = true;
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
}

/* [DPOR-3] */
static void compare_waiting(void)
{
    vector_clock known = {0};

    for (unsigned i = 0; i < machine.count; i++) {
        const struct thread *thread = &machine.threads[i];
        if (!thread->alive || (i == machine.current && machine.verdict != ENDED_DEADLOCK))
            continue;
        struct event event = past_pending(i);
        if (machine.verdict == ENDED_DEADLOCK && gate_of(thread, i) == GATE_FAULTY)
            note_last_chances(&event);
        look_back(&event, past.count, known);
    }
}

static bool are_others_alive(void)
{
    for (unsigned i = 0; i < machine.count; i++)
        if (machine.threads[i].alive && i != machine.current)
            return true;
    return false;
}

static void end(void)
{
    bool stuck = machine.verdict == ENDED_DEADLOCK;

    if (machine.steps > machine.rules.step_budget || (machine.verdict == ENDED_CUT && !tree.cut))
        tree.too_long = true;
    if (past.count > 0)
        settle(stuck || tree.cut, !stuck && !tree.cut && are_others_alive());
    if (!tree.cut)
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
    node->asleep |= only(node->thread);
    thread_set left = node->marked & ~node->asleep;
    if (left != 0)
        decide(node, lowest(left));
    return left != 0;
}

static void start_over(void)
{
    tree.depth = tree.sleeper_count = tree.data_count = 0;
    memset(tree.last_sleeper, 0, sizeof tree.last_sleeper);
    tree.begun = tree.too_long = false;
    past_cut_to(0);
}

static bool begin(void)
{
    tree.data_used = 0;
    tree.cut = false;
    if (tree.begun && machine.held_up && !delays_matter) {
        delays_matter = true; /* [DPOR-8] */
        start_over();
    }
    if (!tree.begun) {
        tree.begun = true;
        return !tree.no_memory;
    }
    if (tree.depth > past.count)
        tree.depth = past.count;
    for (; tree.depth > 0; tree.depth--) {
        struct node *node = &tree.nodes[tree.depth - 1];
        if (try_next(tree.depth - 1)) {
            past_cut_to(tree.depth - 1);
            return !tree.no_memory;
        }
        forget_sleepers(node->sleepers);
    }
    return false;
}

static void start(const struct strategy_options *options)
{
    uint32_t room = machine.rules.step_budget + 1;

    (void)options;
    delays_matter = false;
    start_over();
    if (room > tree.room) {
        free(tree.nodes);
        tree.nodes = malloc(room * sizeof *tree.nodes);
        tree.room = tree.nodes ? room : 0;
    }
    tree.no_memory = !tree.nodes || !past_prepare(room);
}

static bool covered(char *text, size_t room)
{
    const char *gap = tree.no_memory        ? "there was no memory for all that is left"
                      : tree.too_long       ? "some executions were longer than the step budget"
                      : machine.rules.reuse ? "orders of allocation were not told apart"
                                            : NULL;

    snprintf(text, room, "%s%s", gap ? gap : "every order of steps that depend on each other",
             machine.spun ? SPINS_WAITED : "");
    return gap == NULL;
}

const struct strategy strategy_dpor = {.name = "dpor",
                                       .start = start,
                                       .begin = begin,
                                       .pick = pick,
                                       .pick_datum = pick_datum,
                                       .stepped = stepped,
                                       .end = end,
                                       .covered = covered};
