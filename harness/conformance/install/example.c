/*
 * A program as a user would write it, built by ci/install-test from the installed headers and
 * library with the flags of pkg-config. A future is run here; a task waits its time in a queue.
 */
#include <stdio.h>

#include <glasspool/glasspool.h>

static int square(void *argument, void **result)
{
    int *number = argument;
    *number *= *number;
    *result = number;
    return 0;
}

static void greet(void *argument)
{
    printf("hello, %s\n", (const char *)argument);
}

static int run_a_future(void)
{
    int number = 12;
    gp_future *future;
    void *result = NULL;

    if (gp_future_new(&(gp_callable){.call = square, .argument = &number}, &future) != GP_OK)
        return 1;
    gp_future_run(future);
    int status = gp_future_get(future, &result);
    gp_future_release(future);
    return status != GP_OK || *(int *)result != 144;
}

static int wait_for_a_task(void)
{
    gp_callable callable = gp_callable_of(greet, "world", NULL);
    int64_t due = gp_time_after(gp_now(), GP_MILLISECONDS(2));
    gp_queue *queue;
    gp_task *task;

    if (gp_delayed_new(&queue) != GP_OK)
        return 1;
    if (gp_task_new_delayed(&callable, due, 0, &task) != GP_OK ||
        gp_queue_offer(queue, task) != GP_OK || gp_queue_take(queue, &task) != GP_OK)
        return 1;
    int early = gp_time_until(due, gp_now()) > 0;
    gp_task_run(task);
    return early || gp_queue_free(queue) != GP_OK;
}

int main(void)
{
    int failed = run_a_future() + wait_for_a_task();
    printf("glasspool %d.%d.%d: %s\n", GP_VERSION_MAJOR, GP_VERSION_MINOR, GP_VERSION_PATCH,
           failed ? "wrong" : gp_strerror(GP_OK));
    return failed;
}
