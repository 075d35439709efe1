/*
 * The heap: a binary heap in an array that knows where each task is.
 *
 *                  0                      parent of k: (k - 1) / 2
 *              /       \                  children:    2k + 1, 2k + 2
 *             1         2
 *           /   \     /   \               remove(3): the last entry (6) goes to slot 3 and sifts
 *          3     4   5     6              down; if it did not move, it sifts up (its new parent
 *                                         may be later: 6 stood under 2, not under 1)
 *
 * The delayed queues and the priority queue keep their tasks in one. They differ in the order,
 * which each call gets as a function. All of it is inline, so the compiler puts the comparison
 * where it is needed. An entry carries a time beside the pointer, so sifting reads a task only
 * among equal times. A task carries its index, so removal costs O(log n) and not a search.
 *
 * The invariants are those of the owner: [DELAYED-1] to [DELAYED-4] in delayed.c, [PRIORITY-1] in
 * priority.c. The owner's lock guards all of a heap. Only heap_index is atomic (relaxed): `remove`
 * may be asked about a task that is in another queue, or in none, and then reads an index that this
 * lock does not guard. The index is a guess at where to look; whether the heap names the task there
 * decides.
 */
#ifndef GP_QUEUE_HEAP_H
#define GP_QUEUE_HEAP_H

#include <stdlib.h>

#include <glasspool/status.h>

#include "future/task.h"
#include "queue/queue.h"

#define GP__INITIAL_CAPACITY 16
#define GP__MAXIMUM_CAPACITY INT32_MAX /* the range of heap_index */

struct gp__entry {
    int64_t time; /* when the task is due; in a priority queue, its place in the order of arrival */
    gp_task *task;
};

/*
 * Lock letters:
 *   Q: guarded by the lock of the queue that has it
 */
struct gp__heap {
    struct gp__entry *entries; /* Q */
    size_t capacity;           /* Q slots in entries */
    size_t size;               /* Q tasks in them */
    size_t reserved;           /* Q slots kept for periodic tasks that are out to run */
};

/* The order of a heap. */
typedef bool gp__before_fn(const struct gp__heap *, const struct gp__entry *left,
                           const struct gp__entry *right);

static inline struct gp__key gp__key_of(const struct gp__entry *entry)
{
    return (struct gp__key){.time = entry->time, .sequence = entry->task->sequence};
}

/* The order of the delayed queues. It reads tasks only among equal times. */
static inline bool gp__is_due_before(const struct gp__heap *heap, const struct gp__entry *left,
                                     const struct gp__entry *right)
{
    (void)heap;
    int64_t difference = gp__time_between(left->time, right->time);
    return difference < 0 ||
           (difference == 0 && gp__key_is_before(gp__key_of(left), gp__key_of(right)));
}

static inline void gp__set_heap_index(gp_task *task, int32_t index)
{
    /* relaxed: a guess for remove */
    atomic_store_explicit(&task->heap_index, index, memory_order_relaxed);
}

static inline void gp__set_entry(struct gp__entry *entries, size_t k, const struct gp__entry *entry)
{
    entries[k] = *entry;
    gp__set_heap_index(entry->task, (int32_t)k); /* [DELAYED-2] */
}

/* Up from slot k, which is free, until no entry is before its parent [DELAYED-1]. */
static inline void gp__sift_up(struct gp__heap *heap, size_t k, const struct gp__entry *key,
                               gp__before_fn *is_before)
{
    struct gp__entry *entries = heap->entries;
    while (k > 0) {
        size_t parent = (k - 1) >> 1;
        if (!is_before(heap, key, &entries[parent]))
            break;
        gp__set_entry(entries, k, &entries[parent]);
        k = parent;
    }
    gp__set_entry(entries, k, key);
}

/* Down from slot k in the same way. */
static inline void gp__sift_down(struct gp__heap *heap, size_t k, const struct gp__entry *key,
                                 gp__before_fn *is_before)
{
    struct gp__entry *entries = heap->entries;
    size_t size = heap->size;
    size_t half = size >> 1; /* from here on there are no children */
    while (k < half) {
        size_t child = (k << 1) + 1;
        size_t right = child + 1;
        if (right < size && is_before(heap, &entries[right], &entries[child]))
            child = right;
        if (!is_before(heap, &entries[child], key))
            break;
        gp__set_entry(entries, k, &entries[child]);
        k = child;
    }
    gp__set_entry(entries, k, key);
}

static inline int gp__heap_init(struct gp__heap *heap) /* GP_ENOMEM: may be destroyed */
{
    *heap = (struct gp__heap){.capacity = GP__INITIAL_CAPACITY};
    heap->entries = malloc(GP__INITIAL_CAPACITY * sizeof *heap->entries);
    return heap->entries == NULL ? GP_ENOMEM : GP_OK;
}

static inline void gp__heap_destroy(struct gp__heap *heap)
{
    free(heap->entries);
}

static inline int gp__heap_grow(struct gp__heap *heap)
{
    size_t capacity = heap->capacity + (heap->capacity >> 1); /* by 50% */
    if (capacity > GP__MAXIMUM_CAPACITY)
        capacity = GP__MAXIMUM_CAPACITY;
    if (capacity <= heap->capacity)
        return GP_ENOMEM;
    struct gp__entry *entries = realloc(heap->entries, capacity * sizeof *entries);
    if (entries == NULL)
        return GP_ENOMEM;
    heap->entries = entries;
    heap->capacity = capacity;
    return GP_OK;
}

/* The task will not come back to its reserved slot. True: it had one. A task that was taken from
   another queue's heap has its slot there; it may take one of ours, if there is any, but no
   more. */
static inline bool gp__heap_give_up_slot(struct gp__heap *heap, gp_task *task)
{
    /* relaxed: written under the lock of the queue that has the slot */
    if (heap->reserved == 0 ||
        atomic_load_explicit(&task->heap_index, memory_order_relaxed) != GP__SLOT_RESERVED)
        return false;
    gp__set_heap_index(task, GP__IN_NO_HEAP);
    heap->reserved--;
    return true;
}

/* A slot for this task [DELAYED-4]: its own, or another. */
static inline int gp__heap_make_room(struct gp__heap *heap, gp_task *task)
{
    if (gp__heap_give_up_slot(heap, task) || heap->size + heap->reserved < heap->capacity)
        return GP_OK;
    return gp__heap_grow(heap);
}

/* There is room. */
static inline void gp__heap_add(struct gp__heap *heap, gp_task *task, int64_t time,
                                gp__before_fn *is_before)
{
    struct gp__entry entry = {.time = time, .task = task};
    gp__sift_up(heap, heap->size++, &entry, is_before);
}

/* Take the task at slot i out of the heap. */
static inline gp_task *gp__heap_extract(struct gp__heap *heap, size_t i, gp__before_fn *is_before)
{
    gp_task *task = heap->entries[i].task;
    gp__set_heap_index(task, GP__IN_NO_HEAP);
    size_t last = --heap->size;
    if (last == i)
        return task;
    struct gp__entry replacement = heap->entries[last];
    gp__sift_down(heap, i, &replacement, is_before);
    if (heap->entries[i].task == replacement.task)
        gp__sift_up(heap, i, &replacement, is_before);
    return task;
}

/* Keep the slot that the task has just left, if it is periodic [DELAYED-4]. */
static inline void gp__heap_reserve(struct gp__heap *heap, gp_task *task)
{
    if (!task->keeps_slot)
        return;
    gp__set_heap_index(task, GP__SLOT_RESERVED);
    heap->reserved++;
}

/* True: it was there. */
static inline bool gp__heap_remove(struct gp__heap *heap, gp_task *task, gp__before_fn *is_before)
{
    /* relaxed: a guess, checked against the heap */
    int32_t i = atomic_load_explicit(&task->heap_index, memory_order_relaxed);
    bool found = i >= 0 && (size_t)i < heap->size && heap->entries[i].task == task;
    if (found)
        gp__heap_extract(heap, (size_t)i, is_before);
    return found;
}

/* Make a heap of entries in any order. */
static inline void gp__heapify(struct gp__heap *heap, gp__before_fn *is_before)
{
    for (size_t k = heap->size >> 1; k-- > 0;) {
        struct gp__entry entry = heap->entries[k];
        gp__sift_down(heap, k, &entry, is_before);
    }
}

/* Tasks that match go to `out`, in any order; the rest is not a heap yet. */
static inline void gp__heap_pick(struct gp__heap *heap, gp__match_fn *matches, void *context,
                                 gp_task_list *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < heap->size; i++) {
        struct gp__entry entry = heap->entries[i];
        if (!matches(entry.task, context)) {
            gp__set_entry(heap->entries, kept++, &entry);
            continue;
        }
        gp__set_heap_index(entry.task, GP__IN_NO_HEAP);
        gp__task_list_append(out, entry.task);
    }
    heap->size = kept;
}

static inline void gp__heap_remove_if(struct gp__heap *heap, gp__match_fn *matches, void *context,
                                      gp_task_list *out, gp__before_fn *is_before)
{
    gp__heap_pick(heap, matches, context, out);
    gp__heapify(heap, is_before);
}

/* See struct gp__delayed_class. */
static inline void gp__heap_review(struct gp__heap *heap, gp__match_fn *review, void *context,
                                   gp_task_list *out)
{
    gp__heap_pick(heap, review, context, out);
    for (gp_task *task = out->first; task != NULL; task = task->next)
        gp__heap_reserve(heap, task);
    for (size_t i = 0; i < heap->size; i++)
        heap->entries[i].time = gp_task_time(heap->entries[i].task); /* [DELAYED-3] */
    gp__heapify(heap, gp__is_due_before);
}

/* The number of the first invariant that does not hold, 1 or 2 or 4, or 0. */
static inline int gp__heap_check(const struct gp__heap *heap, gp__before_fn *is_before)
{
    for (size_t i = 0; i < heap->size; i++) {
        const struct gp__entry *entry = &heap->entries[i];
        if (i > 0 && is_before(heap, entry, &heap->entries[(i - 1) >> 1]))
            return 1;
        if (atomic_load_explicit(&entry->task->heap_index, memory_order_relaxed) != (int32_t)i)
            return 2;
    }
    return heap->size + heap->reserved > heap->capacity ? 4 : 0;
}

/* For a delayed queue: invariant 3 as well. */
static inline int gp__delayed_heap_check(const struct gp__heap *heap)
{
    for (size_t i = 0; i < heap->size; i++)
        if (heap->entries[i].time != gp_task_time(heap->entries[i].task))
            return 3;
    return gp__heap_check(heap, gp__is_due_before);
}

#endif
