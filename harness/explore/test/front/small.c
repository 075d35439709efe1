/* Is right, and so small that all of it can be seen; with an argument it relies on a memory that
   nobody has promised. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flags[2];
static int seen[2];

static void *raise_and_look(void *argument)
{
    int number = (int)((atomic_int *)argument - flags);

    atomic_store_explicit(&flags[number], 1, memory_order_relaxed);
    seen[number] = atomic_load_explicit(&flags[1 - number], memory_order_relaxed);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t threads[2];

    (void)words;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, raise_and_look, &flags[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 1 || seen[0] || seen[1]);
    return 0;
}
