/*
 * Taking a task out of the middle of the heap.
 *
 * A cancelled timer should leave its queue at once, and finding it must not cost a search through a
 * million others. So each task knows where it is: heap_index. The price is that the index has to be
 * right after every step of every operation, for every task that the operation moved, not only for
 * the one that it was about (JDK-6602600, and the bugs on the way there).
 *
 * Who moves tasks:
 *
 *   offer    puts the new one last and sifts it up: each parent on the way goes down one level
 *   poll     takes slot 0, puts the last one there and sifts it down: children come up
 *   remove   takes slot i, puts the last one there, sifts it down, and if it did not move, up
 *
 *                 10                       remove(50): the last one, 25, goes to 50's slot. It is
 *             /        \                   not later than its children, it does not go down.
 *           40          20                 But it is earlier than its new parent, 40: it came from
 *          /  \        /  \                another branch. Without the sift up the heap is out of
 *        50    60    30    25              order from here on, and 25 comes out after 40.
 *
 * And who moves all of them: growth, when the 17th task needs a larger array and the old one goes;
 * and drain, which takes one head after the other until none is left.
 *
 * Here somebody removes a task while others do one of these. One lock guards the heap, so in any
 * single step all is well; what remains is what each operation leaves behind for the next one. The
 * remover holds a reference to its task and nothing else: the task may be anywhere, or gone, or in
 * another queue, whose lock is not ours. So `remove` takes the index as a guess and asks the heap:
 * is it you? [DELAYED-2]
 *
 *        remove(x) from this queue               the other queue
 *        lock
 *        x says: slot 3                          that is x's slot here, for the moment
 *        heap[3] is y, not x: not found          (without the question y would be gone)
 *
 * Operations are also meant to be one step for everybody else. Growth that gives up the lock while
 * it allocates (as Java's PriorityBlockingQueue does, which then needs a second lock and a second
 * look) pulls the array from under a remover; a drain that gives it up between two tasks can be
 * seen half done.
 *
 * Each task carries its place in the state as its argument, and the arbiter counts how often each
 * came out, on which way: exactly once, and what was left comes out in order [DELAYED-1]. Most
 * actors look at the heap themselves, right after their own operation: the next one may mend what
 * it broke.
 *
 * How a cancel leads to a removal is a story of its own: delayed_cancel.c.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>
#include <glasspool/task.h>

#include "stress/scenarios.h"
#include "stress/support.h"

#define DELAYED "impl/queue/delayed.c"

enum {
    TASKS = 15, /* in the queue at the start: four full levels */
    ROOM = 16,  /* what a new heap has room for */
    PLACES = ROOM + 1
};

struct state {
    gp_queue *queue;
    gp_queue *other;        /* NULL: there is only one */
    gp_task *tasks[PLACES]; /* a reference to each; NULL: there is none */
    int out[PLACES];        /* how often each came out; written by who took it, or alone */
    int newcomer;           /* the one that is not in the queue at the start */
    int target;             /* the one to be removed */
    int head;               /* the earliest of those in the queue */
    int tail;               /* the one that would come out last */
    int bottom;             /* the one in the last slot of the heap */
};

/* Its place, from the pointer into `out` that it carries. */
static int place_of(const struct state *state, const gp_task *task)
{
    return (int)((int *)gp_task_argument(task) - state->out);
}

static void came_out(struct state *state, gp_task *task)
{
    state->out[place_of(state, task)]++;
    gp_task_discard(task);
}

/* ---- before the race ---- */

static bool make_task(struct state *state, int place, int64_t time)
{
    gp_callable callable = gp_callable_of(do_nothing, &state->out[place], NULL);

    if (gp_task_new_delayed(&callable, time, (uint64_t)place, &state->tasks[place]) != GP_OK)
        return false;
    gp_task_retain(state->tasks[place]); /* ours; the other one goes to the queue */
    return true;
}

static void tear_down(void *argument)
{
    struct state *state = argument;
    gp_task *newcomer = state->tasks[state->newcomer];

    if (newcomer && state->out[state->newcomer] == 0) /* it never got into the queue */
        gp_task_discard(newcomer);
    for (int i = 0; i < PLACES; i++)
        if (state->tasks[i])
            gp_task_release(state->tasks[i]);
    gp_queue_free(state->queue);
    gp_queue_free(state->other);
}

static bool add_task(struct state *state, gp_queue *queue, int place, int64_t time)
{
    if (!make_task(state, place, time))
        return false;
    if (gp_queue_offer(queue, state->tasks[place]) == GP_OK)
        return true;
    gp_task_discard(state->tasks[place]);
    return false;
}

/* All are due, with random times. With two queues each gets every second one. */
static bool fill(struct state *state, int count, uint64_t random)
{
    int64_t now = gp_now();

    for (int i = 0; i < count; i++) {
        int64_t age = (int64_t)(random >> (4 * i) & 15) + 1; /* some are of the same time */
        gp_queue *queue = state->other && i % 2 == 1 ? state->other : state->queue;
        if (!add_task(state, queue, i, now - age))
            return false;
        if (gp_task_time(state->tasks[i]) < gp_task_time(state->tasks[state->head]))
            state->head = i;
        if (gp_task_time(state->tasks[i]) >= gp_task_time(state->tasks[state->tail]))
            state->tail = i;
    }
    return true;
}

static bool make_state(struct state *state, int count, uint64_t random)
{
    state->newcomer = PLACES - 1;
    state->target = (int)(random >> 60) % TASKS;
    bool ready = gp_delayed_new(&state->queue) == GP_OK && fill(state, count, random);
    if (!ready)
        tear_down(state);
    return ready;
}

static bool set_up(void *argument, uint64_t random)
{
    return make_state(argument, TASKS, random);
}

/* Half of the time the target is the head, for which others compete. */
static bool set_up_with_head(void *argument, uint64_t random)
{
    struct state *state = argument;
    bool ready = set_up(state, random);

    if (random & 1)
        state->target = state->head;
    return ready;
}

/* The newcomer, not offered yet, is the earliest of all. */
static bool make_state_and_newcomer(struct state *state, int count, uint64_t random)
{
    if (!make_state(state, count, random))
        return false;
    bool ready = make_task(state, state->newcomer, gp_now() - 100);
    if (!ready)
        tear_down(state);
    return ready;
}

static bool set_up_with_newcomer(void *argument, uint64_t random)
{
    return make_state_and_newcomer(argument, TASKS, random);
}

static bool set_up_full(void *argument, uint64_t random)
{
    return make_state_and_newcomer(argument, ROOM, random);
}

/* A snapshot shows the tasks slot by slot. */
static bool set_up_with_bottom(void *argument, uint64_t random)
{
    struct state *state = argument;
    gp_task *slots[TASKS];

    if (!set_up(state, random))
        return false;
    gp_queue_snapshot(state->queue, slots, TASKS);
    state->bottom = place_of(state, slots[TASKS - 1]);
    state->target = place_of(state, slots[1 + (random >> 60) % (TASKS - 2)]);
    for (int i = 0; i < TASKS; i++)
        gp_task_release(slots[i]);
    return true;
}

/* The target is in the other queue. */
static bool set_up_two_queues(void *argument, uint64_t random)
{
    struct state *state = argument;

    if (gp_delayed_new(&state->other) != GP_OK || !set_up(state, random))
        return false;
    state->target = state->target / 2 * 2 + 1;
    if (state->target >= TASKS)
        state->target = 1;
    return true;
}

/* ---- after it ---- */

static int invariant(void *argument)
{
    struct state *state = argument;
    int broken = gp_queue_check(state->queue);

    return broken == 0 && state->other ? gp_queue_check(state->other) : broken;
}

enum remainder {
    IN_ORDER,
    OUT_OF_ORDER,
    NOT_ONCE_EACH
};

#define REMAINDERS                                  \
    {                                               \
        "in order", "out of order", "not once each" \
    }

static bool drain_is_ordered(struct state *state, gp_queue *queue)
{
    gp_task_list rest = {0};
    int64_t previous = INT64_MIN;
    int place = -1;
    bool ordered = true;

    gp_queue_drain(queue, &rest);
    for (gp_task *task; (task = gp_task_list_pop(&rest)) != NULL;) {
        int64_t time = gp_task_time(task);
        ordered =
            ordered && (time > previous || (time == previous && place_of(state, task) > place));
        previous = time;
        place = place_of(state, task);
        came_out(state, task);
    }
    return ordered;
}

static unsigned char look_at_rest(struct state *state)
{
    bool ordered = drain_is_ordered(state, state->queue);

    if (state->other)
        ordered = drain_is_ordered(state, state->other) && ordered;
    for (int i = 0; i < PLACES; i++)
        if (state->tasks[i] && state->out[i] != 1)
            return NOT_ONCE_EACH;
    return ordered ? IN_ORDER : OUT_OF_ORDER;
}

static void arbiter(void *argument, struct outcome *outcome)
{
    outcome->slot[2] = look_at_rest(argument);
}

/* ---- remove against poll, take and offer ---- */

enum {
    REMOVE,
    OPPONENT, /* who did something else meanwhile */
    REST
};

/* What a removal did, as the value of a slot. */
enum removal {
    MISSED,
    REMOVED,
    BROKEN
};

static unsigned char remove_task(struct state *state, int place)
{
    gp_task *task = state->tasks[place];

    if (gp_queue_remove(state->queue, task) != GP_OK)
        return MISSED;
    came_out(state, task);
    return gp_queue_check(state->queue) == 0 ? REMOVED : BROKEN;
}

static void act_remove(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[REMOVE] = remove_task(state, state->target);
}

/* What poll or take gave. */
enum gain {
    NO_TASK,
    THE_TARGET,
    ANOTHER,
    FROM_NO_HEAP
};

#define GAINS                                                                \
    {                                                                        \
        "nothing", "the same task", "another task", "one and broke the heap" \
    }

static unsigned char gain(struct state *state, int status, gp_task *task)
{
    if (status != GP_OK)
        return NO_TASK;
    unsigned char gained = task == state->tasks[state->target] ? THE_TARGET : ANOTHER;
    came_out(state, task);
    return gp_queue_check(state->queue) == 0 ? gained : FROM_NO_HEAP;
}

static void act_poll(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task = NULL;
    int status = gp_queue_poll(state->queue, &task);

    outcome->slot[OPPONENT] = gain(state, status, task);
}

static void act_take(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *task = NULL;
    int status = gp_queue_take(state->queue, &task);

    outcome->slot[OPPONENT] = gain(state, status, task);
}

static void act_remove_and_count(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[REMOVE] = remove_task(state, state->target);
    outcome->slot[OPPONENT] = gp_queue_size(state->queue) == TASKS;
}

enum {
    OFFER = 3
};

static void act_offer(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    gp_queue_offer(state->queue, state->tasks[state->newcomer]);
    outcome->slot[OFFER] = gp_queue_check(state->queue) != 0;
}

/* ---- remove against growth ---- */

static void act_remove_and_see_growth(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[REMOVE] = remove_task(state, state->target);
    outcome->slot[OPPONENT] = gp_queue_size(state->queue) == ROOM;
}

/* ---- remove against drain ---- */

enum {
    HEAD,
    TAIL,
    DRAIN = 3
};

static void act_remove_head_and_tail(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[HEAD] = remove_task(state, state->head);
    outcome->slot[TAIL] = remove_task(state, state->tail);
}

static void act_drain(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[DRAIN] = drain_is_ordered(state, state->queue) ? IN_ORDER : OUT_OF_ORDER;
}

/* ---- the same task, by many ---- */

enum {
    REMOVERS = 3
};

static unsigned char only_remove(struct state *state)
{
    return gp_queue_remove(state->queue, state->tasks[state->target]) == GP_OK;
}

static void act_remove_first(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = only_remove(argument);
}

static void act_remove_second(void *argument, struct outcome *outcome)
{
    outcome->slot[1] = only_remove(argument);
}

static void act_remove_third(void *argument, struct outcome *outcome)
{
    outcome->slot[2] = only_remove(argument);
}

static void arbiter_of_many(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    for (int i = 0; i < REMOVERS; i++)
        state->out[state->target] += outcome->slot[i];
    if (state->out[state->target] > 0)
        gp_task_discard(state->tasks[state->target]);
    outcome->slot[3] = look_at_rest(state);
}

/* ---- head, middle and bottom ---- */

enum {
    MIDDLE = 1,
    BOTTOM = 3,
    TURN
};

static void act_remove_head(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[HEAD] = remove_task(state, state->head);
}

/* By the number of those that are left it sees how many came before it. */
static void act_remove_middle(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[MIDDLE] = remove_task(state, state->target);
    outcome->slot[TURN] = (unsigned char)(TASKS - gp_queue_size(state->queue));
}

static void act_remove_bottom(void *argument, struct outcome *outcome)
{
    struct state *state = argument;

    outcome->slot[BOTTOM] = remove_task(state, state->bottom);
}

/* ---- two queues ---- */

static void act_move(void *argument, struct outcome *outcome)
{
    struct state *state = argument;
    gp_task *target = state->tasks[state->target];

    if (gp_queue_remove(state->other, target) != GP_OK)
        return;
    gp_queue_offer(state->queue, target);
    outcome->slot[OPPONENT] = invariant(state) == 0 ? REMOVED : BROKEN;
}

/* ---- the family ---- */

const struct scenario delayed_remove_races[] = {
    {
        .name = "delayed_remove/remove_against_poll",
        .description = "a task is removed, head or not, while the head is polled: each comes out "
                       "once, and the heap stays a heap",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {DELAYED, "if (queue->heap[i].task == replacement.task)"},
        .broken_by = {DELAYED, "if (queue->heap[i].task == replacement.task)",
                      "if (queue->heap[i].task == task)"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_head,
        .actors = {{"remove", act_remove}, {"poll", act_poll}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"remove", {"came too late", "took it", "broke the heap"}},
                  {"poll got", GAINS},
                  {"the rest", REMAINDERS}},
        .outcomes =
            {
                {"the rest not once each", FORBIDDEN, "a task was lost, or came out twice",
                 MAY_OCCUR},
                {"the rest out of order", FORBIDDEN, "the heap was not a heap any more", MAY_OCCUR},
                {"remove took it, poll got another task, the rest in order", ACCEPTABLE,
                 "it was not the head, or remove came first", MUST_OCCUR},
                {"remove came too late, poll got the same task, the rest in order", ACCEPTABLE,
                 "it was the head, and poll came first: its index was -1 by then", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_take",
        .description = "a task is removed, head or not, while the head is taken and others come "
                       "up in its place: each of them knows its new slot",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {DELAYED, "place(queue, k, &queue->heap[child]);"},
        .broken_by = {DELAYED, "place(queue, k, &queue->heap[child]);",
                      "queue->heap[k] = queue->heap[child];"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_head,
        .actors = {{"remove", act_remove}, {"take", act_take}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"remove", {"came too late", "took it", "broke the heap"}},
                  {"take got", GAINS},
                  {"the rest", REMAINDERS}},
        .outcomes =
            {
                {"remove came too late, take got another task", FORBIDDEN,
                 "it was there, but not in the slot that its index says", MAY_OCCUR},
                {"take got nothing", FORBIDDEN, "there was always a due task", MAY_OCCUR},
                {"remove took it, take got another task, the rest in order", ACCEPTABLE,
                 "it was not the head, or remove came first", MUST_OCCUR},
                {"remove came too late, take got the same task, the rest in order", ACCEPTABLE,
                 "it was the head, and take came first", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_offer",
        .description = "a task is removed while a new head sifts up past its ancestors: it is "
                       "found wherever it has moved",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {DELAYED, "place(queue, k, &queue->heap[parent]);"},
        .broken_by = {DELAYED, "place(queue, k, &queue->heap[parent]);",
                      "queue->heap[k] = queue->heap[parent];"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_newcomer,
        .actors = {{"remove", act_remove_and_count}, {"offer", act_offer}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"remove", {"did not find it", "took it", "broke the heap"}},
                  {"the newcomer", {"was not there yet", "was there"}},
                  {"all came out", REMAINDERS},
                  {"offer left", {"a heap", "no heap"}}},
        .outcomes =
            {
                {"offer left no heap", FORBIDDEN, "a task does not know its slot", MAY_OCCUR},
                {"remove did not find it", FORBIDDEN, "its index was not that of its slot",
                 MAY_OCCUR},
                {"remove took it, the newcomer was not there yet, all came out in order",
                 ACCEPTABLE, "remove came first", MUST_OCCUR},
                {"remove took it, the newcomer was there, all came out in order", ACCEPTABLE,
                 "offer came first, or before remove had looked at the size", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_growth",
        .description = "a task is removed from a full heap while one more is offered: the heap "
                       "grows if it has to, and never under the hands of the remover",
        .invariants = "[DELAYED-1] [DELAYED-2] [DELAYED-4]",
        .attacks = {DELAYED, "int status = make_room(queue, links);"},
        .broken_by = {DELAYED, "int status = make_room(queue, links);",
                      "pthread_mutex_unlock(&base->lock); int status = make_room(queue, links); "
                      "pthread_mutex_lock(&base->lock);"},
        .state_size = sizeof(struct state),
        .set_up = set_up_full,
        .actors = {{"remove", act_remove_and_see_growth}, {"offer", act_offer}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"remove", {"did not find it", "took it", "broke the heap"}},
                  {"the newcomer", {"was not there yet", "was there"}},
                  {"all came out", REMAINDERS},
                  {"offer left", {"a heap", "no heap"}}},
        .outcomes =
            {
                {"offer left no heap", FORBIDDEN, "it has more tasks than room, or lost its order",
                 MAY_OCCUR},
                {"remove did not find it", FORBIDDEN, "it was there all the time", MAY_OCCUR},
                {"remove took it, the newcomer was not there yet, all came out in order",
                 ACCEPTABLE, "remove made room, and the heap could stay as it was", MUST_OCCUR},
                {"remove took it, the newcomer was there, all came out in order", ACCEPTABLE,
                 "offer came first, and the heap grew; or before remove had looked at the size",
                 MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_against_drain",
        .description = "the head and then the tail are removed while the queue is drained: the "
                       "drain takes all or nothing, nobody sees it half done",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {DELAYED, "gp__task_list_append(out, extract(queue, 0));"},
        .broken_by = {DELAYED, "gp__task_list_append(out, extract(queue, 0));",
                      "{ gp__task_list_append(out, extract(queue, 0)); "
                      "pthread_mutex_unlock(&base->lock); pthread_mutex_lock(&base->lock); }"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"remove two", act_remove_head_and_tail}, {"drain", act_drain}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"the head was", {"gone", "removed", "removed from no heap"}},
                  {"the tail", {"gone", "removed", "removed from no heap"}},
                  {"the rest", REMAINDERS},
                  {"drain came", {"in order", "out of order"}}},
        .outcomes =
            {
                {"the head was gone, the tail removed", FORBIDDEN,
                 "the drain had begun, and the tail was still there", MAY_OCCUR},
                {"drain came out of order", FORBIDDEN, "the heap was not one", MAY_OCCUR},
                {"the head was removed, the tail removed, the rest in order", ACCEPTABLE,
                 "the drain came last, and took the others", MUST_OCCUR},
                {"the head was gone, the tail gone, the rest in order", ACCEPTABLE,
                 "the drain came first", MUST_OCCUR},
                {"the head was removed, the tail gone, the rest in order", INTERESTING,
                 "the drain came between", MAY_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_by_many",
        .description = "three threads remove the same task: one of them takes it out, and nothing "
                       "else leaves the queue",
        .invariants = "[DELAYED-2] [TASK-1]",
        .attacks = {DELAYED, "if (found)"},
        .broken_by = {DELAYED, "if (found)",
                      "pthread_mutex_unlock(&base->lock); pthread_mutex_lock(&base->lock); "
                      "if (found)"},
        .state_size = sizeof(struct state),
        .set_up = set_up,
        .actors = {{"remove", act_remove_first},
                   {"remove", act_remove_second},
                   {"remove", act_remove_third}},
        .invariant = invariant,
        .arbiter = arbiter_of_many,
        .tear_down = tear_down,
        .slots = {{"one", {"lost", "won"}},
                  {"another", {"lost", "won"}},
                  {"the last", {"lost", "won"}},
                  {"the rest", REMAINDERS}},
        .outcomes =
            {
                {"the rest not once each", FORBIDDEN,
                 "two took it out, the second somebody else's, or nobody did", MAY_OCCUR},
                {"one won, another lost, the last lost, the rest in order", ACCEPTABLE,
                 "one of three", MUST_OCCUR},
                {"one lost, another won, the last lost, the rest in order", ACCEPTABLE,
                 "one of three", MUST_OCCUR},
                {"one lost, another lost, the last won, the rest in order", ACCEPTABLE,
                 "one of three", MUST_OCCUR},
            },
    },
    {
        .name = "delayed_remove/head_middle_bottom",
        .description = "three threads remove the head, one from the middle, and the one in the "
                       "last slot: each finds its own, and leaves a heap",
        .invariants = "[DELAYED-1] [DELAYED-2]",
        .attacks = {DELAYED, "size_t half = queue->size >> 1;"},
        .broken_by = {DELAYED, "size_t half = queue->size >> 1;",
                      "size_t half = (queue->size - 1) >> 1;"},
        .state_size = sizeof(struct state),
        .set_up = set_up_with_bottom,
        .actors = {{"remove the head", act_remove_head},
                   {"remove one from the middle", act_remove_middle},
                   {"remove the one at the bottom", act_remove_bottom}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"the head was", {"not found", "removed", "removed from no heap"}},
                  {"the middle", {"not found", "removed", "removed from no heap"}},
                  {"the rest", REMAINDERS},
                  {"the bottom", {"not found", "removed", "removed from no heap"}},
                  {"the middle came", {NULL, "first", "second", "third"}}},
        .outcomes =
            {
                {"the head was removed, the middle removed, the rest in order, the bottom removed, "
                 "the middle came first",
                 ACCEPTABLE, "the last slot was still the bottom's", MAY_OCCUR},
                {"the head was removed, the middle removed, the rest in order, the bottom removed, "
                 "the middle came second",
                 ACCEPTABLE, "one was gone, or was while it counted", MAY_OCCUR},
                {"the head was removed, the middle removed, the rest in order, the bottom removed, "
                 "the middle came third",
                 ACCEPTABLE, "both were gone, or were while it counted", MUST_OCCUR},
                {"the rest in order", FORBIDDEN, "one did not find its own, or left no heap",
                 MAY_OCCUR},
            },
    },
    {
        .name = "delayed_remove/remove_of_another_queue",
        .description = "a task moves from one queue to another while somebody removes it from the "
                       "latter: its index may be the former's, and then says nothing",
        .invariants = "[DELAYED-2]",
        .attacks = {DELAYED, "queue->heap[i].task == task;"},
        .broken_by = {DELAYED, "(size_t)i < queue->size && queue->heap[i].task == task;",
                      "(size_t)i < queue->size;"},
        .state_size = sizeof(struct state),
        .set_up = set_up_two_queues,
        .actors = {{"remove", act_remove}, {"move", act_move}},
        .invariant = invariant,
        .arbiter = arbiter,
        .tear_down = tear_down,
        .slots = {{"remove", {"did not find it", "took it", "broke the heap"}},
                  {"the mover", {"lost it", "moved it", "broke a heap"}},
                  {"the rest", REMAINDERS}},
        .outcomes =
            {
                {"the rest not once each", FORBIDDEN, "remove took another task for it", MAY_OCCUR},
                {"the mover lost it", FORBIDDEN, "it was in the first queue", MAY_OCCUR},
                {"remove did not find it, the mover moved it, the rest in order", ACCEPTABLE,
                 "it was in the other queue, or in none", MUST_OCCUR},
                {"remove took it, the mover moved it, the rest in order", ACCEPTABLE,
                 "it was there", MUST_OCCUR},
            },
    },
    {.name = NULL},
};
