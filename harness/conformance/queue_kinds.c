/* The table of the queues that hold tasks: see queue_kinds.h. */
#include "queue_kinds.h"

#include <glasspool/clock.h>
#include <glasspool/status.h>

#include "suite.h"

static int make_unbounded_linked(gp_queue **out)
{
    return gp_linked_new(GP_UNBOUNDED, out);
}

static int make_bounded_linked(gp_queue **out)
{
    return gp_linked_new(BOUND, out);
}

static int make_array(gp_queue **out)
{
    return gp_array_new(BOUND, out);
}

static int all_equal(const gp_task *left, const gp_task *right)
{
    (void)left;
    (void)right;
    return 0;
}

static int make_priority(gp_queue **out)
{
    return gp_priority_new(all_equal, out);
}

/* All due at the same time, long ago. */
static gp_task *due_task_of(struct subject *subject)
{
    static _Atomic uint64_t sequence;
    return delayed_task_of(subject, 0, atomic_fetch_add(&sequence, 1));
}

static const struct queue_kind kinds[] = {
    {"linked", make_unbounded_linked, task_of, GP_UNBOUNDED},
    {"conveyor", gp_conveyor_new, task_of, GP_UNBOUNDED},
    {"bounded linked", make_bounded_linked, task_of, BOUND},
    {"array", make_array, task_of, BOUND},
    {"priority", make_priority, task_of, GP_UNBOUNDED},
    {"delayed", gp_delayed_new, due_task_of, GP_UNBOUNDED},
    {"delayed with a lane", gp_delayed_lane_new, due_task_of, GP_UNBOUNDED},
};

static const struct queue_kind *kind_from(size_t i, bool bounded_only)
{
    while (i < sizeof kinds / sizeof kinds[0] && bounded_only && kinds[i].capacity == GP_UNBOUNDED)
        i++;
    bool over = i == sizeof kinds / sizeof kinds[0];
    check_within(over ? NULL : kinds[i].name);
    return over ? NULL : &kinds[i];
}

const struct queue_kind *first_kind(void)
{
    return kind_from(0, false);
}

const struct queue_kind *next_kind(const struct queue_kind *kind)
{
    return kind_from((size_t)(kind - kinds) + 1, false);
}

const struct queue_kind *first_bounded(void)
{
    return kind_from(0, true);
}

const struct queue_kind *next_bounded(const struct queue_kind *kind)
{
    return kind_from((size_t)(kind - kinds) + 1, true);
}

gp_queue *queue_of(const struct queue_kind *kind)
{
    gp_queue *queue = NULL;
    require_ok(kind->make(&queue));
    return queue;
}

gp_task *offer_task(gp_queue *queue, const struct queue_kind *kind, struct subject *subject)
{
    gp_task *task = kind->task(subject);
    check_status(gp_queue_offer(queue, task), GP_OK);
    check_int(gp_queue_check(queue), 0);
    return task;
}

void queue_end(gp_queue *queue)
{
    check_int(gp_queue_check(queue), 0);
    check_status(gp_queue_free(queue), GP_OK);
}
