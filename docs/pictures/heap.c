/*
 * A delayed queue at work, write by write: what docs/pictures/draw makes drawings of heaps from.
 *
 *     heap [lane] [now=T] OPERATION...
 *                              offer=N   remove=N   purge=N,N...   poll   room=COUNT   unnumbered
 *
 * N is a task by its time, 20, or 20a and 20b where two have the same. They are made before the
 * first operation, and numbered in the order of the offers; behind "unnumbered" all of them alike,
 * as if there were no sequence numbers. "room" offers that many others, which have no name, to a
 * heap. With "lane" the queue is of the fast kind. Tasks up to T are due, without it all of them:
 * times are seconds, and it is T when the program begins. It is the library that runs. Only
 * gp__set_entry, by which the queue writes an entry into a slot, says so before it does it.
 *
 *     do OPERATION
 *     place N K                N is written into slot K
 *     room C                   the array has C slots from now on; only while "room" is done
 *     heap N N N...            the array, when the operation is over; its first 64 slots
 *     outbox N N...            of a lane, that of the takers; () is a hole that a task has left
 *     inbox N N...             that of those who put
 *     horizon F                what is before it is taken without the queue's lock; -: all
 *     index N=K N=K...         the index that each task carries, in the order of the offers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>
#include <glasspool/task.h>

#include "docs/pictures/aloud.h"
#include "queue/heap.h"
#include "queue/lane.h"

enum {
    MOST = 64, /* tasks */
    LONGEST = 256,
    LATE = 1000 /* all of them are due by then */
};

static int64_t origin; /* of the times; even, as a horizon is */

static struct {
    const char *name;
    gp_task *task; /* a reference */
} known[MOST];
static int known_count;
static int offered_count; /* of these */
static bool has_lane;     /* the queue */

static const char *name_of(const gp_task *task)
{
    for (int i = 0; i < known_count; i++)
        if (known[i].task == task)
            return known[i].name;
    return "-";
}

void place_aloud(const struct gp__entry *entry, size_t k)
{
    printf("place %s %zu\n", name_of(entry->task), k);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

static int index_of(gp_task *task)
{
    return (int)atomic_load_explicit(&task->heap_index, memory_order_relaxed);
}

static long long seconds_at(int64_t time)
{
    return (long long)(gp__time_between(time, origin) / GP_SECONDS(1));
}

/* A place whose number the next task does not carry is a hole [LANE-5]. The task after those. */
static gp_task **print_belt(const char *title, const struct gp__belt *belt, size_t number,
                            gp_task **next)
{
    printf("%s", title);
    for (size_t i = belt->first; i < belt->end; i++, number++) {
        bool hole = *next == NULL || index_of(*next) != (int)number;
        printf(" %s", hole ? "()" : name_of(*next));
        next += !hole;
    }
    printf("\n");
    return next;
}

static void print_lane(struct gp__lane *lane)
{
    gp_task *tasks[MOST + 1] = {NULL};
    const struct gp__belts *belts = &lane->belts;
    gp__belts_lock(&lane->belts);
    size_t count = gp__lane_show(lane, tasks, MOST);
    size_t in_inbox = belts->placed - belts->inbox.end; /* the number of its first place */
    size_t in_outbox = in_inbox - (belts->outbox.end - belts->outbox.first);
    gp_task **next = print_belt("outbox", &belts->outbox, in_outbox, tasks);
    print_belt("inbox", &belts->inbox, in_inbox, next);
    gp__belts_unlock(&lane->belts);
    for (size_t i = 0; i < count; i++)
        gp_task_release(tasks[i]);
    int64_t horizon = atomic_load(&lane->horizon);
    if (horizon == GP__NO_HORIZON)
        printf("horizon -\n");
    else
        printf("horizon %lld\n", seconds_at(horizon));
}

/* A snapshot shows the array as it is, but for a queue with a lane. */
static void print_heap(gp_queue *queue)
{
    gp_task *tasks[MOST];
    size_t size = gp_queue_snapshot(queue, tasks, MOST);
    printf("heap");
    for (size_t i = 0; i < size && i < MOST; i++) {
        printf(" %s", name_of(tasks[i]));
        gp_task_release(tasks[i]);
    }
    printf("\n");
}

static void print_both(struct gp__delayed_lane *queue)
{
    printf("heap");
    for (size_t i = 0; i < queue->heap.size; i++)
        printf(" %s", name_of(queue->heap.entries[i].task));
    printf("\n");
    print_lane(&queue->lane);
}

static void print_queue(gp_queue *queue)
{
    if (has_lane)
        print_both((struct gp__delayed_lane *)queue);
    else
        print_heap(queue);
    printf("index");
    for (int i = 0; i < known_count; i++)
        printf(" %s=%d", known[i].name, index_of(known[i].task));
    printf("\n");
}

static int make_task(long number, uint64_t sequence, gp_task **out)
{
    const gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);
    return gp_task_new_delayed(&callable, gp_time_after(origin, GP_SECONDS(number)), sequence, out);
}

/* A task for each offer. */
static int make_known(int argc, char **argv)
{
    int status = GP_OK;
    bool numbered = true;
    for (int i = 1; i < argc && status == GP_OK; i++) {
        if (strcmp(argv[i], "unnumbered") == 0)
            numbered = false;
        if (strncmp(argv[i], "offer=", 6) != 0)
            continue;
        if (known_count == MOST)
            return GP_EINVAL;
        gp_task *task;
        uint64_t sequence = numbered ? (uint64_t)known_count : 0;
        status = make_task(strtol(argv[i] + 6, NULL, 10), sequence, &task);
        if (status == GP_OK) {
            known[known_count].name = argv[i] + 6;
            known[known_count++].task = gp_task_retain(task);
        }
    }
    return status;
}

static int offer(gp_queue *queue)
{
    return gp_queue_offer(queue, known[offered_count++].task);
}

static void print_room(size_t *room, const struct gp__heap *heap)
{
    if (heap->capacity != *room)
        printf("room %zu\n", heap->capacity);
    *room = heap->capacity;
}

static int add_one(struct gp__heap *heap, long number)
{
    gp_task *task;
    int status = make_task(number, (uint64_t)number, &task);
    if (status == GP_OK)
        status = gp__heap_make_room(heap, task);
    if (status == GP_OK)
        gp__heap_add(heap, task, gp_task_time(task), gp__is_due_before);
    return status;
}

static int fill(long count)
{
    struct gp__heap heap;
    int status = gp__heap_init(&heap);
    size_t room = 0;
    for (long i = 0; i < count && status == GP_OK; i++) {
        print_room(&room, &heap);
        status = add_one(&heap, i);
    }
    print_room(&room, &heap);
    while (heap.size > 0)
        gp_task_discard(gp__heap_extract(&heap, 0, gp__is_due_before));
    gp__heap_destroy(&heap);
    return status;
}

/* Discards the task of that name. */
static int take_out(gp_queue *queue, const char *name)
{
    int status = GP_ENOTFOUND;
    for (int i = 0; i < known_count && status != GP_OK; i++) {
        if (strcmp(known[i].name, name) == 0) {
            status = gp_queue_remove(queue, known[i].task);
            if (status == GP_OK)
                gp_task_discard(known[i].task);
        }
    }
    return status;
}

static int poll_one(gp_queue *queue)
{
    gp_task *task;
    int status = gp_queue_poll(queue, &task);
    if (status == GP_OK)
        gp_task_discard(task);
    return status;
}

static bool is_named(gp_task *task, void *names)
{
    char name[32];
    snprintf(name, sizeof name, ",%s,", name_of(task));
    return strstr(names, name) != NULL;
}

static int purge(gp_queue *queue, const char *numbers)
{
    char names[LONGEST];
    gp_task_list list;
    snprintf(names, sizeof names, ",%s,", numbers);
    gp__queue_remove_if(queue, is_named, names, &list);
    gp_task_list_discard(&list);
    return GP_OK;
}

/* How the operations are done, not one of them. */
static bool is_setting(const char *argument)
{
    return strcmp(argument, "unnumbered") == 0 || strcmp(argument, "lane") == 0 ||
           strncmp(argument, "now=", 4) == 0;
}

static int operate(gp_queue *queue, const char *operation)
{
    const char *equals = strchr(operation, '=');
    const char *argument = equals == NULL ? "" : equals + 1;
    if (strncmp(operation, "offer=", 6) == 0)
        return offer(queue);
    if (strncmp(operation, "remove=", 7) == 0)
        return take_out(queue, argument);
    if (strncmp(operation, "purge=", 6) == 0)
        return purge(queue, argument);
    if (strncmp(operation, "room=", 5) == 0)
        return fill(strtol(argument, NULL, 10));
    if (strcmp(operation, "poll") == 0)
        return poll_one(queue);
    return is_setting(operation) ? GP_OK : GP_EINVAL;
}

static long present(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "now=", 4) == 0)
            return strtol(argv[i] + 4, NULL, 10);
    return LATE;
}

int main(int argc, char **argv)
{
    gp_queue *queue;
    origin = gp_time_after(gp_now(), -GP_SECONDS(present(argc, argv))) & ~INT64_C(1);
    for (int i = 1; i < argc; i++)
        has_lane |= strcmp(argv[i], "lane") == 0;
    if ((has_lane ? gp_delayed_lane_new(&queue) : gp_delayed_new(&queue)) != GP_OK ||
        make_known(argc, argv) != GP_OK)
        return 1;
    for (int i = 1; i < argc; i++) {
        printf("do %s\n", argv[i]);
        int status = operate(queue, argv[i]);
        if (status != GP_OK) {
            fprintf(stderr, "heap: %s: %s\n", argv[i], gp_strerror(status));
            return 1;
        }
        print_queue(queue);
    }
    for (int i = 0; i < known_count; i++)
        gp_task_release(known[i].task);
    return gp_queue_free(queue) == GP_OK ? 0 : 1;
}
