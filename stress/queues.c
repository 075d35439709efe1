/*
 * Queues seen from outside: is there an order of the calls that explains what they gave?
 *
 * The other families look for one mistake each, and their tables say what it looks like. Here
 * nobody says what a mistake looks like. Actors call what they like and record it, and afterwards a
 * model, a dozen lines that do one call after the other, is asked for an order in which it would
 * have given the same (harness/check/linear.h). A queue that has two locks, moves tasks between two
 * lists and counts them in a third place must not be told from one that has none of this.
 *
 *   A lost count. `count` of the linked queue is raised by those who hold one lock and lowered by
 *   those who hold the other, so the locks do not protect it; that each change is a single step
 *   does [LINKED-2]. With a load and a store instead the lists stay intact and all tasks are there,
 *   but the queue has forgotten one, or remembers one too many:
 *
 *        offer 3               poll
 *        count is 1
 *                              takes 2, count = 0
 *        count = 2             and one task is in the queue
 *
 *   ThreadSanitizer has nothing against it, since all accesses are atomic. In the history a size
 *   of 2 stands before a drain that gives one task, or a poll that finds nothing after an offer
 *   that had returned.
 *
 *   A guest who does not look. A putter that waits for room is told when there is some; but until
 *   it has the lock somebody else may have come and filled the queue. It has to look again, which
 *   is why waiting is a loop everywhere. With `if` for `while` the queue has one more than it can
 *   hold [LINKED-2]:
 *
 *        put 2                 poll, offer 3
 *        waits, it is full
 *                              poll gives 1, signals
 *        is waking up          offer 3: there is room
 *        puts 2                and now there are two, in a queue for one
 *
 *   A taker is such a guest too: the task that it was woken for may have been polled by somebody
 *   who never slept. What it then finds in its slot of the array is the task that was there last.
 *
 *   Two lists. Of the linked queue those who put know the inbox, those who take the outbox, and
 *   each list has its own lock. A short cut, an empty queue's first task straight into the outbox,
 *   has a putter and a taker in the same list. And whoever wants all of it, drain and remove, has
 *   to remember which list came first [LINKED-1], and that the last task of a list is known by
 *   name [LINKED-5]: jsr166 removed it in 2005 and left the name, and what was added behind it was
 *   never seen again.
 *
 *   Found, then removed. Removal from the middle of an array is a search and a shift. What is at
 *   place 1 is so only while the lock is held; a poll in between, and another task leaves:
 *
 *        remove 2              poll
 *        it is at place 1
 *                              gives 1; now 2 is at place 0, and 3 at place 1
 *        removes place 1       says that 2 is gone, and 3 is
 *
 * Queues that have an order of their own are in queues_ranked.c.
 *
 * The table of such a scenario has little to grade. It makes sure that the actors meet: a race in
 * which remove always finds its task has not been one.
 */
#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "stress/queue_support.h"
#include "stress/scenarios.h"

#define LINKED "impl/queue/linked.c"
#define ARRAY  "impl/queue/array.c"

/* ---- before the race ---- */

static bool set_up_two_tasks(void *argument, uint64_t random)
{
    (void)random;
    return queue_new_linked(argument, GP_UNBOUNDED, 2);
}

/* With 2 in the outbox, where the poll has moved it. */
static bool set_up_outbox(void *argument, uint64_t random)
{
    (void)random;
    if (!queue_new_linked(argument, GP_UNBOUNDED, 2))
        return false;
    recorded_poll(argument, HISTORY_ALONE);
    return true;
}

static bool set_up_array_of_three(void *argument, uint64_t random)
{
    return queue_new_array(argument, 4, 3, random);
}

/* ---- offer, poll and remove ---- */

enum {
    LAST_POLL,
    REMOVAL
};

static void act_offer_and_count(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, FIRST, 3);
    recorded_offer(argument, FIRST, 4);
    recorded_size(argument, FIRST);
}

static void act_poll_and_remove(void *argument, struct outcome *outcome)
{
    recorded_poll(argument, SECOND);
    recorded_poll(argument, SECOND);
    outcome->slot[REMOVAL] = recorded_remove(argument, SECOND, 3) == GP_OK;
    outcome->slot[LAST_POLL] = recorded_poll(argument, SECOND) > 0;
}

/* ---- put and offer, in a queue for one ---- */

enum {
    PUT,
    BARGE
};

/* Long enough for a partner to come; who finds room or task gone waits to the end of it. */
static const int64_t patience = GP_MICROSECONDS(50);

static void act_put(void *argument, struct outcome *outcome)
{
    outcome->slot[PUT] = recorded_offer_timed(argument, FIRST, 2, patience) == GP_OK;
}

static void act_barge(void *argument, struct outcome *outcome)
{
    recorded_poll(argument, SECOND);
    outcome->slot[BARGE] = recorded_offer(argument, SECOND, 3) == GP_OK;
}

/* ---- two who offer, one who takes ---- */

static void act_offer_1_2(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, FIRST, 1);
    recorded_offer(argument, FIRST, 2);
}

static void act_offer_3_4(void *argument, struct outcome *outcome)
{
    (void)outcome;
    recorded_offer(argument, SECOND, 3);
    recorded_offer(argument, SECOND, 4);
}

static void act_take_three(void *argument, struct outcome *outcome)
{
    outcome->slot[0] = task_or_none(recorded_take(argument, THIRD));
    recorded_take(argument, THIRD);
    recorded_take(argument, THIRD);
}

/* ---- drain ---- */

enum {
    DRAINED,
    POLLED
};

static void act_drain(void *argument, struct outcome *outcome)
{
    outcome->slot[DRAINED] = (unsigned char)recorded_drain(argument, FIRST, NULL);
}

static void act_poll_once(void *argument, struct outcome *outcome)
{
    outcome->slot[POLLED] = recorded_poll(argument, THIRD) > 0;
}

/* ---- removal ---- */

enum {
    REMOVED,
    NEXT
};

static void act_remove_last(void *argument, struct outcome *outcome)
{
    outcome->slot[REMOVED] = recorded_remove(argument, FIRST, 2) == GP_OK;
    recorded_offer(argument, FIRST, 3);
}

static void act_poll_twice(void *argument, struct outcome *outcome)
{
    recorded_poll(argument, SECOND);
    outcome->slot[NEXT] = task_or_none(recorded_poll(argument, SECOND));
}

static void act_remove_middle(void *argument, struct outcome *outcome)
{
    outcome->slot[REMOVED] = recorded_remove(argument, FIRST, 2) == GP_OK;
}

static void act_poll_offer_poll(void *argument, struct outcome *outcome)
{
    recorded_poll(argument, SECOND);
    recorded_offer(argument, SECOND, 4);
    outcome->slot[NEXT] = task_or_none(recorded_poll(argument, SECOND));
}

/* ---- take and poll ---- */

enum {
    TAKEN,
    SNATCHED
};

static void act_take(void *argument, struct outcome *outcome)
{
    outcome->slot[TAKEN] = recorded_poll_timed(argument, FIRST, patience) > 0;
}

/* There and away. */
static void act_offer_and_snatch(void *argument, struct outcome *outcome)
{
    recorded_offer(argument, SECOND, 1);
    outcome->slot[SNATCHED] = recorded_poll(argument, SECOND) > 0;
}

/* ---- the family ---- */

const struct scenario queues_races[] = {
    {
        .name = "queues/linked_offer_poll_remove",
        .description = "tasks are offered, polled and removed at the same time: the linked queue "
                       "gives what a queue without locks and lists would have given",
        .invariants = "[LINKED-1] [LINKED-2]",
        .attacks = {LINKED, "size_t size = atomic_fetch_add(&queue->count, 1) + 1;"},
        .broken_by = "linked-count-not-atomic",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_two_tasks,
        .actors = {{"offer", act_offer_and_count}, {"poll, remove", act_poll_and_remove}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"the last poll", {"found nothing", "got one"}},
                  {"remove", {"came too early", "took it"}}},
        .outcomes =
            {
                {"the last poll found nothing, remove came too early", ACCEPTABLE,
                 "there was nothing yet but the first two", MUST_OCCUR},
                {"the last poll got one, remove took it", ACCEPTABLE, "both offers were early",
                 MUST_OCCUR},
                {"the last poll found nothing, remove took it", ACCEPTABLE,
                 "the first offer was early, the second late", MAY_OCCUR},
                {"the last poll got one, remove came too early", ACCEPTABLE,
                 "the offers came in between", MAY_OCCUR},
            },
    },
    {
        .name = "queues/linked_put_against_offer",
        .description = "a putter waits for room, and somebody else takes it before the putter is "
                       "awake: a queue for one never holds two",
        .invariants = "[LINKED-2] [LINKED-4]",
        .attacks = {LINKED, "while (is_full(queue) && status == GP_OK)"},
        .broken_by = "linked-putter-looks-once",
        .state_size = sizeof(struct queue_state),
        .set_up = queue_set_up_for_one,
        .actors = {{"put", act_put}, {"poll, offer", act_barge}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .parameter = 1, .offset = QUEUE_HISTORY},
        .slots = {{"put", {"gave up", "got in"}}, {"offer", {"found it full", "got in"}}},
        .outcomes =
            {
                {"put got in, offer found it full", ACCEPTABLE,
                 "the putter had the room that poll had made", MUST_OCCUR},
                {"put gave up, offer got in", ACCEPTABLE,
                 "the room was gone when the putter looked again, or before it came", MUST_OCCUR},
            },
    },
    {
        .name = "queues/linked_two_offerers",
        .description = "two offer to an empty linked queue while a third takes: those who put and "
                       "those who take never meet in one list",
        .invariants = "[LINKED-1] [LINKED-2]",
        .attacks = {LINKED, "gp__task_list_append(&queue->inbox, task);"},
        .broken_by = "linked-shortcut-to-outbox",
        .state_size = sizeof(struct queue_state),
        .set_up = queue_set_up_empty,
        .actors = {{"offer", act_offer_1_2}, {"offer", act_offer_3_4}, {"take", act_take_three}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"the first was", {"nothing", "1", "2", "3", "4"}}},
        .outcomes =
            {
                {"the first was 1", ACCEPTABLE, "each one's own in their order", MUST_OCCUR},
                {"the first was 3", ACCEPTABLE, "each one's own in their order", MUST_OCCUR},
            },
    },
    {
        .name = "queues/linked_remove_last",
        .description = "the last task of a list is removed while others are taken, and one more is "
                       "added behind it: none gets lost",
        .invariants = "[LINKED-5]",
        .attacks = {"impl/future/task.c", "if (list->last == task)"},
        .broken_by = "linked-last-not-fixed",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_two_tasks,
        .actors = {{"remove, offer", act_remove_last}, {"poll", act_poll_twice}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"remove", {"came too late", "took it"}},
                  {"the second poll", {"found nothing", "got 1", "got 2", "got 3"}}},
        .outcomes =
            {
                {"remove came too late, the second poll got 2", ACCEPTABLE, "both polls came first",
                 MUST_OCCUR},
                {"remove took it, the second poll got 3", ACCEPTABLE,
                 "the new one is behind the first, where the last one was", MUST_OCCUR},
                {"remove took it, the second poll found nothing", ACCEPTABLE,
                 "the last one was gone, and the new one not there yet", MAY_OCCUR},
            },
    },
    {
        .name = "queues/linked_drain",
        .description = "a linked queue is drained, both its lists, while tasks are offered and "
                       "polled: what came first is first",
        .invariants = "[LINKED-1] [LINKED-2]",
        .attacks = {LINKED, "gp__task_list_splice(out, &queue->outbox);"},
        .broken_by = "linked-drain-inbox-first",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_outbox,
        .actors = {{"drain", act_drain}, {"offer", act_offer_3_4}, {"poll", act_poll_once}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .offset = QUEUE_HISTORY},
        .slots = {{"drain got", {"nothing", "one", "two", "three"}},
                  {"poll", {"found nothing", "got one"}}},
        .outcomes =
            {
                {"drain got nothing, poll got one", ACCEPTABLE,
                 "the poll came first, the offers last", MAY_OCCUR},
                {"drain got one, ...", ACCEPTABLE, "one was left, or one was there yet",
                 MUST_OCCUR},
                {"drain got two, ...", ACCEPTABLE, "one of the three was polled or came later",
                 MAY_OCCUR},
                {"drain got three, poll found nothing", ACCEPTABLE, "the offers came first",
                 MUST_OCCUR},
            },
    },
    {
        .name = "queues/array_remove_middle",
        .description = "a task is removed from the middle of an array queue while those before it "
                       "are polled: that task leaves, and no other",
        .invariants = "[ARRAY-1]",
        .attacks = {ARRAY, "bool found = i < queue->size;"},
        .broken_by = "array-remove-stale-place",
        .state_size = sizeof(struct queue_state),
        .set_up = set_up_array_of_three,
        .actors = {{"remove", act_remove_middle}, {"poll, offer, poll", act_poll_offer_poll}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .parameter = 4, .offset = QUEUE_HISTORY},
        .slots = {{"remove", {"came too late", "took it"}},
                  {"the second poll", {"found nothing", "got 1", "got 2", "got 3"}}},
        .outcomes =
            {
                {"remove came too late, the second poll got 2", ACCEPTABLE, "it was polled",
                 MUST_OCCUR},
                {"remove took it, the second poll got 3", ACCEPTABLE, "its neighbours closed up",
                 MUST_OCCUR},
                {"remove took it, the second poll got 2", FORBIDDEN,
                 "another task has left in its place", MAY_OCCUR},
            },
    },
    {
        .name = "queues/array_take_against_poll",
        .description = "a taker is woken for a task that somebody else polls before it is awake: "
                       "it looks again, and does not take what is not there",
        .invariants = "[ARRAY-1] [ARRAY-2]",
        .attacks = {"impl/queue/queue.c",
                    "while (queue->class->backlog(queue) == 0 && status == GP_OK)"},
        .broken_by = "queue-taker-looks-once",
        .state_size = sizeof(struct queue_state),
        .set_up = queue_set_up_empty_array,
        .actors = {{"take", act_take}, {"offer, poll", act_offer_and_snatch}},
        .invariant = queue_invariant,
        .arbiter = arbiter_drains,
        .tear_down = queue_tear_down,
        .history = {.model = &model_fifo, .parameter = 2, .offset = QUEUE_HISTORY},
        .slots = {{"take", {"gave up", "got it"}}, {"poll", {"found nothing", "got it"}}},
        .outcomes =
            {
                {"take got it, poll found nothing", ACCEPTABLE, "the taker was quicker",
                 MUST_OCCUR},
                {"take gave up, poll got it", ACCEPTABLE,
                 "it was gone when the taker looked again, or before it came", MUST_OCCUR},
                {"take got it, poll got it", FORBIDDEN, "there was only one", MAY_OCCUR},
            },
    },
    {.name = NULL},
};
