/* Shelves: where a delayed queue keeps far tasks, if it was made with them (delayed_shelves.c). */
#ifndef GP_QUEUE_SHELVES_H
#define GP_QUEUE_SHELVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue/delayed.h"

/*
 * Lock letters:
 *   Q: guarded by the queue's lock
 */
struct gp__shelf {
    struct gp__key from;       /* Q no entry is before it */
    struct gp__entry *entries; /* Q in any order */
    uint32_t size;             /* Q how many */
    uint32_t capacity;         /* Q what there is memory for */
};

/*
 * Lock letters:
 *   I: set once before publication
 *   Q: guarded by the queue's lock
 */
struct gp__shelves {
    size_t most;             /* I tasks in the heap, or on a shelf, before it is split; 0: the queue
                                has no shelves, and will have none */
    struct gp__shelf *shelf; /* Q the nearest first */
    size_t count;            /* Q how many */
    size_t room;             /* Q in the array */
    size_t size;             /* Q tasks on all of them */
    size_t near;             /* Q tasks in the heap that run once */
    size_t relief;           /* Q with so many near, the heap is to be split */
    size_t widest;           /* Q no shelf has memory for more; 0: there has not been one yet */
    size_t chosen;           /* Q the shelf that room was made on for the task that comes next */
    struct gp__key latest;   /* Q no task that runs once and is in the queue is later */
};

static inline bool gp__entry_is_before_key(const struct gp__entry *entry, const struct gp__key *key)
{
    int64_t difference = gp__time_between(entry->time, key->time);
    return difference < 0 ||
           (difference == 0 && (int32_t)(entry->task->sequence - key->sequence) < 0);
}

/* Is it later than what has to be in the heap? Of a task that runs once. */
static inline bool gp__shelves_are_for(const struct gp__shelves *shelves,
                                       const struct gp__entry *entry)
{
    return shelves->count > 0 && !gp__entry_is_before_key(entry, &shelves->shelf[0].from);
}

static inline const struct gp__shelf *gp__shelves_nearest(const struct gp__shelves *shelves)
{
    return &shelves->shelf[0];
}

void gp__shelves_init(struct gp__shelves *, size_t most);
void gp__shelves_destroy(struct gp__shelves *);

/* Room on the shelf that it is for, so that gp__shelves_put cannot fail. GP_EFULL: not unless
   `widest` grows. */
int gp__shelves_make_room(struct gp__shelves *, const struct gp__entry *);
void gp__shelves_put(struct gp__shelves *, const struct gp__entry *);
bool gp__shelves_remove(struct gp__shelves *, gp_task *); /* false: it is on none */
void gp__shelves_close_nearest(struct gp__shelves *);     /* its entries are in the heap */
void gp__shelves_note(struct gp__shelves *, const struct gp__entry *); /* one comes: the latest? */

/* The later half of those near goes to a new shelf; or `next`, if it is later than all, is to begin
   one. The heap's new size, or, if there is no memory, nor any middle, its old one. */
size_t gp__shelves_relieve(struct gp__shelves *, struct gp__entry *heap, size_t size,
                           const struct gp__entry *next);

void gp__shelves_sweep(struct gp__shelves *shelves, gp__match_fn *matches, void *context,
                       gp_task_list *out);
size_t gp__shelves_show(const struct gp__shelves *, gp_task **out, size_t room); /* how many fit */
int gp__shelves_check(const struct gp__shelves *); /* the invariant that is broken, or 0 */

#endif
