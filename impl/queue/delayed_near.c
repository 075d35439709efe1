/*
 * Near tasks: the heap of a delayed queue beside its shelves.
 *
 * What lies on shelves, and how, is in delayed_shelves.c, with the invariants. What is here is the
 * traffic between them and the heap: which of the two a new task is for, the heap relieved of its
 * later half when too many are in it, and the nearest shelf emptied into it when its own have gone.
 * All of it is done with the queue's lock held, by whoever adds or takes.
 */
#include <glasspool/status.h>

#include "queue/delayed_heap.h"

#define USUAL_SHELF 4096            /* tasks: found by measuring, benches/README.md */
#define WIDEST      (INT32_MAX / 2) /* so that two fit into what heap_index can say */
#define CROWD       4               /* shelves full of tasks: such a heap is left alone */

/* The head is to be before all that is on shelves [SHELVES-1]. */
static void come_near(struct gp__delayed *queue)
{
    struct gp__shelves *shelves = &queue->shelves;
    if (shelves->count == 0 || shelves->near > 0) /* [SHELVES-2]: one of these is before them */
        return;
    if (queue->size > 0 && !gp__shelves_are_for(shelves, &queue->heap[0]))
        return;
    const struct gp__shelf *nearest = gp__shelves_nearest(shelves);
    for (size_t i = 0; i < nearest->size; i++)
        gp__heap_up(queue, queue->size++, &nearest->entries[i]); /* [SHELVES-5] */
    shelves->near = nearest->size;
    gp__shelves_close_nearest(shelves);
}

void gp__near_left(struct gp__delayed *queue, const gp_task *task)
{
    queue->shelves.near -= !task->keeps_slot;
    come_near(queue);
}

/* Room in the heap for some more, and for a shelf so wide [SHELVES-5]. */
static int make_room_for(struct gp__delayed *queue, size_t more, size_t widest)
{
    int status = GP_OK;
    while (status == GP_OK && queue->size + queue->reserved + more + widest > queue->capacity)
        status = gp__heap_grow(queue);
    if (status == GP_OK)
        queue->shelves.widest = widest;
    return status;
}

/* Many tasks in the heap run once: the later ones go, unless others are most of it. */
static void relieve(struct gp__delayed *queue, const struct gp__entry *next)
{
    struct gp__shelves *shelves = &queue->shelves;
    size_t widest = shelves->widest > shelves->near ? shelves->widest : shelves->near;
    if (queue->size > CROWD * shelves->most || make_room_for(queue, 0, widest) != GP_OK)
        return;
    size_t size = gp__shelves_relieve(shelves, queue->heap, queue->size, next);
    if (size == queue->size)
        return;
    queue->size = size;
    gp__heapify(queue);
}

static int make_room_on_shelf(struct gp__delayed *queue, const struct gp__entry *entry)
{
    int status;
    while ((status = gp__shelves_make_room(&queue->shelves, entry)) == GP_EFULL)
        if (make_room_for(queue, 0, 2 * queue->shelves.widest) != GP_OK)
            return GP_ENOMEM;
    return status;
}

int gp__near_make_room(struct gp__delayed *queue, gp_task *task)
{
    struct gp__shelves *shelves = &queue->shelves;
    struct gp__entry entry = {.time = gp_task_time(task), .task = task};
    if (!task->keeps_slot) { /* [SHELVES-4] */
        if (shelves->near >= shelves->relief && !gp__shelves_are_for(shelves, &entry))
            relieve(queue, &entry);
        if (gp__shelves_are_for(shelves, &entry))
            return make_room_on_shelf(queue, &entry);
    }
    return make_room_for(queue, 1, shelves->widest);
}

bool gp__near_shelve(struct gp__delayed *queue, const struct gp__entry *entry)
{
    struct gp__shelves *shelves = &queue->shelves;
    if (entry->task->keeps_slot)
        return false;
    gp__shelves_note(shelves, entry);
    if (gp__shelves_are_for(shelves, entry)) {
        gp__shelves_put(shelves, entry);
        return true;
    }
    shelves->near++;
    return false;
}

void gp__near_settle(struct gp__delayed *queue)
{
    struct gp__shelves *shelves = &queue->shelves;
    shelves->near = 0;
    for (size_t i = 0; i < queue->size; i++)
        shelves->near += !queue->heap[i].task->keeps_slot;
    come_near(queue);
}

/* Likewise of the heap beside shelves: [SHELVES-1] is eleven, and so on. */
int gp__near_check(const struct gp__delayed *queue)
{
    const struct gp__shelves *shelves = &queue->shelves;
    size_t near = 0;
    if (shelves->count > 0 && (queue->size == 0 || gp__shelves_are_for(shelves, &queue->heap[0])))
        return 11;
    for (size_t i = 0; i < queue->size; i++) {
        if (queue->heap[i].task->keeps_slot)
            continue;
        near++;
        if (gp__shelves_are_for(shelves, &queue->heap[i]))
            return 12;
    }
    if (shelves->most > 0 && near != shelves->near)
        return 12;
    return queue->size - near + queue->reserved + shelves->widest > queue->capacity ? 15 : 0;
}

static int make_queue(size_t shelf, bool laned, gp_queue **out)
{
    if (shelf == 1 || shelf > WIDEST)
        return GP_EINVAL;
    return gp__delayed_new(&gp__binary_heap, shelf == 0 ? USUAL_SHELF : shelf, laned, out);
}

int gp_delayed_shelved_new(size_t shelf, gp_queue **out)
{
    return make_queue(shelf, false, out);
}

int gp_delayed_laned_new(size_t shelf, gp_queue **out)
{
    return make_queue(shelf, true, out);
}
