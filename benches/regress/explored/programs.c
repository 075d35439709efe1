/* What the programs share. */
#include "benches/regress/explored/programs.h"

#include <pthread.h>
#include <stddef.h> /* NULL */

atomic_int tasks_done;

void count_task(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&tasks_done, 1, memory_order_relaxed);
}

void side_by_side(void *(*start)(void *), void *argument)
{
    pthread_t threads[SIDES];

    for (int i = 0; i < SIDES; i++)
        pthread_create(&threads[i], NULL, start, argument);
    for (int i = 0; i < SIDES; i++)
        pthread_join(threads[i], NULL);
}

void report_to(void *done)
{
    *(int *)done = atomic_load(&tasks_done);
}
