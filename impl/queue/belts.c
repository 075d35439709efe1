/*
 * Belts: the code off the path of every item. See belts.h, and conveyor.c for the invariants.
 */
#include "queue/belts.h"

#include <stdlib.h>

#define FIRST_ROOM 64

void gp__belts_init(struct gp__belts *belts, size_t item_size, size_t task_size)
{
    *belts = (struct gp__belts){.item_size = item_size, .task_size = task_size};
}

/* The reserve. */

void gp__belt_recover(struct gp__belt *belt)
{
    if (gp__reserve_is_whole(belt->reserve))
        belt->carved = 0; /* [RESERVE-2] */
    belt->limit = belt->room - belt->carved;
}

/* A belt that is full gets twice the room. One whose reserve is used up gets a new reserve; tasks
   that were made in the old one keep it [RESERVE-1]. */
static bool enlarge(struct gp__belts *belts, struct gp__belt *belt)
{
    size_t room = belt->end < belt->room ? belt->room : 2 * belt->room;
    if (room == 0)
        room = FIRST_ROOM;
    struct gp__reserve *reserve = gp__reserve_new(room, belts->task_size);
    if (reserve == NULL)
        return false;
    void *items = room == belt->room ? belt->items : realloc(belt->items, room * belts->item_size);
    if (items == NULL) {
        gp__reserve_release(reserve);
        return false;
    }
    gp__reserve_release(belt->reserve);
    belt->items = items;
    belt->limit = belt->room = room;
    belt->reserve = reserve;
    belt->carved = 0;
    return true;
}

bool gp__belts_grow(struct gp__belts *belts)
{
    struct gp__belt *belt = &belts->inbox;
    if (belt->end == 0 && belt->carved > 0)
        gp__belt_recover(belt);
    return belt->end < belt->limit || enlarge(belts, belt);
}

void *gp__belt_carve(struct gp__belt *belt)
{
    return gp__reserve_take(belt->reserve, belt->carved++);
}

void gp__belt_close(struct gp__belt *belt, size_t end)
{
    if (belt->carved > 0)
        belt->limit -= belt->end - end; /* [BELTS-1] */
    belt->end = end;
}

size_t gp__belts_size(struct gp__belts *belts)
{
    gp__belts_lock(belts);
    size_t size = gp__belts_count(belts);
    gp__belts_unlock(belts);
    return size;
}

/* Waiting and wake-up. */

void gp__belts_wake_one(struct gp__belts *belts, gp_queue *queue)
{
    if (queue->available.first == NULL)
        return;
    gp__condition_signal(&queue->available);
    /* relaxed: too many are harmless */
    atomic_fetch_sub_explicit(&belts->sleepers, 1, memory_order_relaxed);
}

int gp__belts_await(struct gp__belts *belts, gp_queue *queue, int64_t deadline)
{
    int status = GP_OK;
    bool signalled = false;
    bool stranger = gp__queue_begin_wait(queue);
    /* relaxed: the latches order it [CONVEYOR-3] */
    atomic_fetch_add_explicit(&belts->sleepers, 1, memory_order_relaxed);
    if (gp__belts_size(belts) == 0) {
        status = gp__condition_wait(&queue->available, &queue->lock, deadline);
        signalled = status == GP_OK;
    }
    if (!signalled) /* else the signaller has done it; relaxed: too many are harmless */
        atomic_fetch_sub_explicit(&belts->sleepers, 1, memory_order_relaxed);
    gp__queue_end_wait(queue, stranger);
    return status;
}

/* Queries. */

/* [CONVEYOR-6] */
bool gp__belts_are_quiet(struct gp__belts *belts, const gp_queue *queue, size_t elsewhere,
                         size_t (*workers)(void *), void *context)
{
    gp__belts_lock(belts);
    bool quiet =
        gp__queue_do_all_wait(queue, workers, context) && elsewhere + gp__belts_count(belts) == 0;
    gp__belts_unlock(belts);
    return quiet;
}

static bool is_sound(const struct gp__belt *belt)
{
    return belt->first <= belt->end && belt->end <= belt->limit && belt->limit <= belt->room &&
           belt->carved <= belt->room;
}

int gp__belts_check(const struct gp__belts *belts)
{
    size_t on_belts = belts->outbox.end - belts->outbox.first + belts->inbox.end;
    if (!is_sound(&belts->outbox) || !is_sound(&belts->inbox) || belts->inbox.first != 0)
        return 1;
    return gp__belts_count(belts) + belts->holes != on_belts ? 2 : 0;
}

bool gp__belts_sleepers_are_in_line(struct gp__belts *belts, const gp_queue *queue)
{
    size_t in_line = 0;
    for (struct gp__waiter *each = queue->available.first; each != NULL; each = each->next)
        in_line++;
    /* relaxed: changed with the lock held */
    return atomic_load_explicit(&belts->sleepers, memory_order_relaxed) == in_line;
}

void gp__belts_destroy(struct gp__belts *belts)
{
    free(belts->outbox.items);
    free(belts->inbox.items);
    gp__reserve_release(belts->outbox.reserve);
    gp__reserve_release(belts->inbox.reserve);
}
