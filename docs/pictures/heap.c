/*
 * A delayed queue at work, write by write: what docs/pictures/draw makes drawings of heaps from.
 *
 *     heap OPERATION...        offer=N   remove=N   purge=N,N...   poll
 *
 * N is a task by its time; all of them are due. It is the library that runs. Only gp__place, by
 * which its queue writes an entry into a slot, is another one: it says so, and then does it.
 *
 *     do OPERATION
 *     place N K                N is written into slot K
 *     heap N N N...            the array, when the operation is over
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/queue.h>
#include <glasspool/status.h>
#include <glasspool/task.h>

#include "docs/pictures/aloud.h"

enum {
    MOST = 64, /* tasks */
    LONGEST = 256
};

static int64_t origin; /* of the times */

static long long number_at(int64_t time)
{
    return (long long)gp_time_until(time, origin);
}

void place_aloud(struct gp__entry *heap, size_t k, const struct gp__entry *entry)
{
    printf("place %lld %zu\n", number_at(entry->time), k);
    gp__place(heap, k, entry);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

static void print_heap(gp_queue *queue)
{
    gp_task *tasks[MOST];
    size_t count = gp_queue_snapshot(queue, tasks, MOST);
    printf("heap");
    for (size_t i = 0; i < count; i++) {
        printf(" %lld", number_at(gp_task_time(tasks[i])));
        gp_task_release(tasks[i]);
    }
    printf("\n");
}

static int offer(gp_queue *queue, long number)
{
    static uint64_t sequence;
    const gp_callable callable = gp_callable_of(do_nothing, NULL, NULL);
    gp_task *task;
    int status = gp_task_new_delayed(&callable, gp_time_after(origin, number), sequence++, &task);
    return status == GP_OK ? gp_queue_offer(queue, task) : status;
}

/* Discards the task at that time. */
static int take_out(gp_queue *queue, long number)
{
    gp_task *tasks[MOST];
    size_t count = gp_queue_snapshot(queue, tasks, MOST);
    int status = GP_ENOTFOUND;
    for (size_t i = 0; i < count; i++) {
        if (number_at(gp_task_time(tasks[i])) == number) {
            status = gp_queue_remove(queue, tasks[i]);
            if (status == GP_OK)
                gp_task_discard(tasks[i]);
        }
        gp_task_release(tasks[i]);
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
    snprintf(name, sizeof name, ",%lld,", number_at(gp_task_time(task)));
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

static int operate(gp_queue *queue, const char *operation)
{
    const char *equals = strchr(operation, '=');
    const char *argument = equals == NULL ? "" : equals + 1;
    long number = strtol(argument, NULL, 10);
    if (strncmp(operation, "offer=", 6) == 0)
        return offer(queue, number);
    if (strncmp(operation, "remove=", 7) == 0)
        return take_out(queue, number);
    if (strncmp(operation, "purge=", 6) == 0)
        return purge(queue, argument);
    return strcmp(operation, "poll") == 0 ? poll_one(queue) : GP_EINVAL;
}

int main(int argc, char **argv)
{
    gp_queue *queue;
    origin = gp_time_after(gp_now(), -GP_SECONDS(1));
    if (gp_delayed_new(&queue) != GP_OK)
        return 1;
    for (int i = 1; i < argc; i++) {
        printf("do %s\n", argv[i]);
        int status = operate(queue, argv[i]);
        if (status != GP_OK) {
            fprintf(stderr, "heap: %s: %s\n", argv[i], gp_strerror(status));
            return 1;
        }
        print_heap(queue);
    }
    return gp_queue_free(queue) == GP_OK ? 0 : 1;
}
