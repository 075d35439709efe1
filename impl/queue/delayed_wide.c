/*
 * The delayed queue with a wide heap: each entry has four children, and the tree half the depth.
 *
 * Contract. That of the delayed queue (delayed.c), to the letter: the same order by (time,
 * sequence), the same waiting. Only the shape of the heap is another one.
 *
 *                     0                         parent of k: (k - 1) / 4
 *          /       |       |       \            children:    4k + 1 ... 4k + 4
 *         1        2       3        4
 *      / | | \                                  a million entries: 10 levels, binary 20
 *     5  6 7  8
 *
 *   [WIDE-1] Order: no entry is before its parent, of all four children that it may have. It is
 *            [DELAYED-1], and so are the others of delayed.c.
 *
 * Why four. What costs, with many tasks, is not to compare but to move: each entry that moves is
 * written to its task, which is somewhere in memory, and in no cache. On the way up a new task with
 * any time passes its parent less often than in a binary heap. And three of four entries are
 * leaves, rather than one of two: who is cancelled is most often replaced by the last entry, and
 * that is all. On the way down there are twice as many comparisons per level, of four neighbours,
 * in one or two lines of the cache, and half as many levels.
 *
 * Left simple: the four children are not aligned to one line of the cache, which would need more
 * than malloc. It would save a line on each level of the way down.
 */
#include <glasspool/queue.h>
#include <glasspool/status.h>

#include "queue/delayed.h"

#define CHILDREN 4

static size_t parent_of(size_t k)
{
    return (k - 1) / CHILDREN;
}

static void sift_up(struct gp__entry *heap, size_t size, size_t k, const struct gp__entry *key)
{
    (void)size;
    while (k > 0) {
        size_t parent = parent_of(k);
        if (!gp__entry_is_before(key, &heap[parent]))
            break;
        gp__place(heap, k, &heap[parent]);
        k = parent;
    }
    gp__place(heap, k, key);
}

/* Of the children from `first` on. */
static size_t earliest_child(const struct gp__entry *heap, size_t size, size_t first)
{
    size_t end = size - first < CHILDREN ? size : first + CHILDREN;
    size_t child = first;
    for (size_t other = first + 1; other < end; other++)
        if (gp__entry_is_before(&heap[other], &heap[child]))
            child = other; /* [WIDE-1] */
    return child;
}

static void sift_down(struct gp__entry *heap, size_t size, size_t k, const struct gp__entry *key)
{
    size_t first;
    while ((first = CHILDREN * k + 1) < size) {
        size_t child = earliest_child(heap, size, first);
        if (!gp__entry_is_before(&heap[child], key))
            break;
        gp__place(heap, k, &heap[child]);
        k = child;
    }
    gp__place(heap, k, key);
}

int gp_delayed_wide_new(gp_queue **out)
{
    static const struct gp__heap_shape wide = {sift_up, sift_down, parent_of};
    return gp__delayed_new(&wide, 0, false, out);
}
