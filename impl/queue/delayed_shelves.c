/*
 * Shelves: the delayed queue with a small heap, and far tasks beside it in no order.
 *
 * Contract. That of the delayed queue (delayed.c), to the letter: the same order by (time,
 * sequence), the same waiting, the same head at any moment. What is otherwise is where a task lies
 * that will not be the head for a while.
 *
 *      heap               shelf 0          shelf 1              shelf 2
 *      in heap order      in no order      in no order          in no order
 *     +--------------+   +------------+   +-----------------+   +-------------- - -
 *     | 10 40 20 50  |   | 83 71 78   |   | 120 96 140 99   |   | 300 7000 212
 *     +--------------+   +------------+   +-----------------+   +-------------- - -
 *                      from 70          from 95               from 200
 *
 * Why. In a heap of a million, who comes and who goes moves others, and each that moves is written
 * to its task, which is in no cache. Most tasks that are far away are cancelled before they are
 * near; to keep them in order is work for nothing. On a shelf a new task is put at the end, and one
 * that leaves is replaced by the last one: nobody else moves. Which shelf it is follows from time
 * and sequence, by a search among the shelves' beginnings; where on it, the task's heap_index says.
 *
 * A full shelf is split into two at about the middle of the order, of which a sample of its entries
 * tells, and so is the heap when too many are in it. One that is later than all begins a new shelf
 * instead: tasks that come in order fill one after the other. When the heap has run out of tasks
 * that are before the nearest shelf, that shelf is emptied into it. So a task is moved about three
 * times before it is the head, whatever the number of tasks, and then sifts in a heap of some
 * thousands.
 *
 *   [SHELVES-1] Head: while there are shelves the heap is not empty, and its head is before all
 *               that is on them.
 *   [SHELVES-2] Range: what is on a shelf is not before its beginning, and before the beginning of
 *               the next one. A task that runs once and is in the heap is before the first one. No
 *               shelf is empty.
 *   [SHELVES-3] Index: the task in entries[i] of its shelf has heap_index i, and the entry has its
 *               time.
 *   [SHELVES-4] Kind: only tasks that run once are on shelves. Those that keep a slot are in the
 *               heap, whatever their time: what [DELAYED-4] promises them is room there, and a
 *               review, which changes times, finds them all.
 *   [SHELVES-5] Room: the heap has room for those that keep slots, here or out to run, and for the
 *               widest shelf. So to empty a shelf needs no memory, and cannot fail: it is done only
 *               when nobody else is in the heap. That is asked by their number, not by their times,
 *               which have no order if they are further apart than 292 years.
 *
 * The longest pause is to split or to empty a shelf: with the lock held, as many entries are moved
 * as a shelf has at most. The size of a shelf is the compromise. Larger ones are fewer, and cost
 * less to find; smaller ones hold others up for a shorter time. Tasks that are all of the same time
 * and sequence number cannot be split; their shelf grows. One of which few are left gives memory
 * back: else a single task that is not cancelled would keep that of thousands which were.
 *
 * Rejected: slots by the digits of the time, as in a hierarchy of wheels (a slot may be as full as
 * it likes, and has to be spread all at once when its time comes; here the pause has a bound, and
 * times that wrap need no care); sorting shelves in advance (for those who are cancelled, again for
 * nothing); leaving holes on a shelf (saves to write to the last one's task, which nobody waits
 * for, and costs memory).
 */
#include "queue/shelves.h"

#include <stdlib.h>
#include <string.h>

#include <glasspool/status.h>

#define SAMPLES        31
#define FIRST_CAPACITY 16
#define FIRST_ROOM     16

static struct gp__key key_of(const struct gp__entry *entry)
{
    return (struct gp__key){.time = entry->time, .sequence = entry->task->sequence};
}

static bool is_before(const struct gp__key *left, const struct gp__key *right)
{
    int64_t difference = gp__time_between(left->time, right->time);
    return difference < 0 || (difference == 0 && (int32_t)(left->sequence - right->sequence) < 0);
}

static bool is_after(const struct gp__entry *entry, const struct gp__key *key)
{
    struct gp__key own = key_of(entry);
    return is_before(key, &own);
}

/* The one whose range an entry is in that is for the shelves [SHELVES-2]. By time alone first: that
   is a search without a branch that depends on what it finds. */
static size_t find(const struct gp__shelves *shelves, const struct gp__entry *entry)
{
    const struct gp__shelf *found = shelves->shelf;
    for (size_t rest = shelves->count; rest > 1;) {
        size_t half = rest / 2;
        found = gp__time_between(entry->time, found[half].from.time) >= 0 ? found + half : found;
        rest -= half;
    }
    while (found > shelves->shelf && gp__entry_is_before_key(entry, &found->from))
        found--;
    return (size_t)(found - shelves->shelf);
}

/* More shelves, and fewer. */

static int make_room_for_shelf(struct gp__shelves *shelves)
{
    if (shelves->count < shelves->room)
        return GP_OK;
    size_t room = shelves->room == 0 ? FIRST_ROOM : 2 * shelves->room;
    struct gp__shelf *shelf = realloc(shelves->shelf, room * sizeof *shelf);
    if (shelf == NULL)
        return GP_ENOMEM;
    shelves->shelf = shelf;
    shelves->room = room;
    return GP_OK;
}

/* A new one, empty, before number k. NULL: no memory. */
static struct gp__shelf *open_shelf(struct gp__shelves *shelves, size_t k, struct gp__key from,
                                    size_t capacity)
{
    if (make_room_for_shelf(shelves) != GP_OK)
        return NULL;
    struct gp__entry *entries = malloc(capacity * sizeof *entries);
    if (entries == NULL)
        return NULL;
    struct gp__shelf *shelf = &shelves->shelf[k];
    memmove(shelf + 1, shelf, (shelves->count - k) * sizeof *shelf);
    *shelf = (struct gp__shelf){.from = from, .entries = entries, .capacity = (uint32_t)capacity};
    shelves->count++;
    return shelf;
}

static void close_shelf(struct gp__shelves *shelves, size_t k)
{
    struct gp__shelf *shelf = &shelves->shelf[k];
    free(shelf->entries);
    shelves->count--;
    memmove(shelf, shelf + 1, (shelves->count - k) * sizeof *shelf);
}

static int resize(struct gp__shelf *shelf, size_t capacity)
{
    struct gp__entry *entries = realloc(shelf->entries, capacity * sizeof *entries);
    if (entries == NULL)
        return GP_ENOMEM;
    shelf->entries = entries;
    shelf->capacity = (uint32_t)capacity;
    return GP_OK;
}

static size_t first_capacity(const struct gp__shelves *shelves)
{
    return FIRST_CAPACITY < shelves->most ? FIRST_CAPACITY : shelves->most;
}

static size_t with_reserve(const struct gp__shelves *shelves, size_t size)
{
    size_t capacity = size + size / 4;
    if (capacity < FIRST_CAPACITY)
        capacity = FIRST_CAPACITY;
    return capacity < shelves->widest ? capacity : shelves->widest;
}

/* Splitting. */

static void sort_into(struct gp__key *sorted, size_t count, const struct gp__entry *entry)
{
    while (count > 0 && gp__entry_is_before_key(entry, &sorted[count - 1])) {
        sorted[count] = sorted[count - 1];
        count--;
    }
    sorted[count] = key_of(entry);
}

/* About the middle of those that run once; false: none is before it. */
static bool find_middle(const struct gp__entry *entries, size_t size, struct gp__key *middle)
{
    struct gp__key sorted[SAMPLES];
    size_t count = 0;
    size_t step = size / SAMPLES + 1;
    for (size_t i = 0; i < size; i += step)
        if (!entries[i].task->keeps_slot)
            sort_into(sorted, count++, &entries[i]);
    if (count < 2)
        return false;
    *middle = sorted[count / 2];
    return is_before(&sorted[0], middle);
}

static void append(struct gp__shelf *shelf, const struct gp__entry *entry)
{
    gp__place(shelf->entries, shelf->size++, entry); /* [SHELVES-3] */
}

/* Those that run once and are not before its beginning go to the shelf. How many stay. */
static size_t divide(struct gp__entry *entries, size_t size, struct gp__shelf *shelf)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        struct gp__entry entry = entries[i];
        if (!gp__entry_is_before_key(&entry, &shelf->from) && !entry.task->keeps_slot)
            append(shelf, &entry); /* [SHELVES-4] */
        else if (kept++ != i)
            gp__place(entries, kept - 1, &entry);
    }
    return kept;
}

/* GP_EFULL: all of its entries are equal, for all that one can see. */
static int split(struct gp__shelves *shelves, size_t k)
{
    struct gp__key middle;
    if (!find_middle(shelves->shelf[k].entries, shelves->shelf[k].size, &middle))
        return GP_EFULL;
    struct gp__shelf *upper = open_shelf(shelves, k + 1, middle, shelves->shelf[k].size);
    if (upper == NULL)
        return GP_ENOMEM;
    struct gp__shelf *lower = &shelves->shelf[k];
    lower->size = (uint32_t)divide(lower->entries, lower->size, upper);
    resize(lower, with_reserve(shelves, lower->size)); /* less; if not, it stays as it is */
    resize(upper, with_reserve(shelves, upper->size));
    return GP_OK;
}

size_t gp__shelves_relieve(struct gp__shelves *shelves, struct gp__entry *heap, size_t size,
                           const struct gp__entry *next)
{
    struct gp__key middle;
    shelves->relief = 2 * shelves->near; /* for the next time, if nothing comes of it */
    if (shelves->count == 0 && is_after(next, &shelves->latest)) {
        if (open_shelf(shelves, 0, key_of(next), first_capacity(shelves)) != NULL)
            shelves->relief = shelves->most;
        return size;
    }
    if (!find_middle(heap, size, &middle))
        return size;
    struct gp__shelf *shelf = open_shelf(shelves, 0, middle, shelves->near);
    if (shelf == NULL)
        return size;
    size = divide(heap, size, shelf);
    shelves->size += shelf->size;
    shelves->near -= shelf->size;
    shelves->relief = shelves->most;
    resize(shelf, with_reserve(shelves, shelf->size));
    return size;
}

/* Onto them. */

/* The shelf for an entry is full. */
static int make_more_room(struct gp__shelves *shelves, const struct gp__entry *entry)
{
    size_t k = find(shelves, entry);
    struct gp__shelf *shelf = &shelves->shelf[k];
    if (shelf->capacity < shelves->most)
        return resize(shelf, with_reserve(shelves, shelf->size));
    if (k + 1 == shelves->count && is_after(entry, &shelves->latest))
        return open_shelf(shelves, k + 1, key_of(entry), first_capacity(shelves)) != NULL
                   ? GP_OK
                   : GP_ENOMEM;
    int status = split(shelves, k);
    if (status != GP_EFULL || shelf->capacity == shelves->widest)
        return status;
    return resize(shelf, shelves->widest);
}

int gp__shelves_make_room(struct gp__shelves *shelves, const struct gp__entry *entry)
{
    size_t k;
    while (k = find(shelves, entry), shelves->shelf[k].size == shelves->shelf[k].capacity) {
        int status = make_more_room(shelves, entry);
        if (status != GP_OK)
            return status;
    }
    shelves->chosen = k;
    return GP_OK;
}

void gp__shelves_put(struct gp__shelves *shelves, const struct gp__entry *entry)
{
    append(&shelves->shelf[shelves->chosen], entry);
    shelves->size++;
}

void gp__shelves_note(struct gp__shelves *shelves, const struct gp__entry *entry)
{
    bool first = shelves->near + shelves->size == 0;
    if (first)
        shelves->relief = shelves->most; /* whatever came of it before */
    if (first || is_after(entry, &shelves->latest))
        shelves->latest = key_of(entry);
}

/* Off them. */

/* Few are left of many: the others' memory is given back. */
static void tighten(const struct gp__shelves *shelves, struct gp__shelf *shelf)
{
    if (shelf->capacity > FIRST_CAPACITY && shelf->size < shelf->capacity / 4)
        resize(shelf, with_reserve(shelves, shelf->size)); /* if not, it stays as it is */
}

bool gp__shelves_remove(struct gp__shelves *shelves, gp_task *task)
{
    if (shelves->count == 0 || task->keeps_slot)
        return false;
    struct gp__entry entry = {.time = gp_task_time(task), .task = task};
    if (!gp__shelves_are_for(shelves, &entry))
        return false;
    size_t k = find(shelves, &entry);
    struct gp__shelf *shelf = &shelves->shelf[k];
    /* relaxed: a guess, as in a heap; it may be in another queue, and its time mean nothing here */
    int32_t i = atomic_load_explicit(&task->heap_index, memory_order_relaxed);
    if (i < 0 || (size_t)i >= shelf->size || shelf->entries[i].task != task)
        return false;
    gp__place(shelf->entries, (size_t)i, &shelf->entries[--shelf->size]); /* [SHELVES-3] */
    gp__set_heap_index(task, GP__IN_NO_HEAP);
    shelves->size--;
    if (shelf->size == 0)
        close_shelf(shelves, k); /* [SHELVES-2] */
    else
        tighten(shelves, shelf);
    return true;
}

void gp__shelves_close_nearest(struct gp__shelves *shelves)
{
    shelves->size -= shelves->shelf[0].size;
    close_shelf(shelves, 0);
}

static void sweep_shelf(struct gp__shelf *shelf, gp__match_fn *matches, void *context,
                        gp_task_list *out)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < shelf->size; i++) {
        struct gp__entry entry = shelf->entries[i];
        if (!matches(entry.task, context)) {
            gp__place(shelf->entries, kept++, &entry);
            continue;
        }
        gp__set_heap_index(entry.task, GP__IN_NO_HEAP);
        gp__task_list_append(out, entry.task);
    }
    shelf->size = kept;
}

void gp__shelves_sweep(struct gp__shelves *shelves, gp__match_fn *matches, void *context,
                       gp_task_list *out)
{
    size_t count = shelves->count;
    shelves->count = 0;
    shelves->size = 0;
    for (size_t k = 0; k < count; k++) {
        struct gp__shelf shelf = shelves->shelf[k];
        sweep_shelf(&shelf, matches, context, out);
        tighten(shelves, &shelf);
        if (shelf.size == 0)
            free(shelf.entries);
        else
            shelves->shelf[shelves->count++] = shelf;
        shelves->size += shelf.size;
    }
}

/* Looking. */

size_t gp__shelves_show(const struct gp__shelves *shelves, gp_task **out, size_t room)
{
    size_t shown = 0;
    for (size_t k = 0; k < shelves->count; k++)
        for (size_t i = 0; i < shelves->shelf[k].size && shown < room; i++)
            out[shown++] = gp_task_retain(shelves->shelf[k].entries[i].task);
    return shown;
}

/* The numbers of [SHELVES-1] and so on begin after ten. */
enum {
    BROKEN_RANGE = 12,
    BROKEN_INDEX = 13,
    BROKEN_KIND = 14,
    BROKEN_ROOM = 15
};

static int check_entry(const struct gp__shelves *shelves, size_t k, size_t i)
{
    const struct gp__shelf *shelf = &shelves->shelf[k];
    const struct gp__entry *entry = &shelf->entries[i];
    if (gp__entry_is_before_key(entry, &shelf->from) ||
        (k + 1 < shelves->count && !gp__entry_is_before_key(entry, &shelf[1].from)))
        return BROKEN_RANGE;
    if (atomic_load_explicit(&entry->task->heap_index, memory_order_relaxed) != (int32_t)i ||
        entry->time != gp_task_time(entry->task))
        return BROKEN_INDEX;
    return entry->task->keeps_slot ? BROKEN_KIND : 0;
}

static int check_shelf(const struct gp__shelves *shelves, size_t k)
{
    const struct gp__shelf *shelf = &shelves->shelf[k];
    int broken = 0;
    if (shelf->size == 0)
        return BROKEN_RANGE;
    if (shelf->size > shelf->capacity || shelf->capacity > shelves->widest)
        return BROKEN_ROOM;
    for (size_t i = 0; i < shelf->size && broken == 0; i++)
        broken = check_entry(shelves, k, i);
    return broken;
}

int gp__shelves_check(const struct gp__shelves *shelves)
{
    size_t size = 0;
    for (size_t k = 0; k < shelves->count; k++) {
        int broken = check_shelf(shelves, k);
        if (broken != 0)
            return broken;
        size += shelves->shelf[k].size;
    }
    return size == shelves->size ? 0 : BROKEN_ROOM;
}

void gp__shelves_init(struct gp__shelves *shelves, size_t most)
{
    *shelves = (struct gp__shelves){.most = most, .relief = most};
}

void gp__shelves_destroy(struct gp__shelves *shelves)
{
    for (size_t k = 0; k < shelves->count; k++)
        free(shelves->shelf[k].entries);
    free(shelves->shelf);
}
