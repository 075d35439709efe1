/* Main does not wait for its thread; with an argument it fails besides. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int count;

static void *add(void *unused)
{
    count++;
    return unused;
}

int main(int words, char **unused)
{
    pthread_t thread;

    (void)unused;
    pthread_create(&thread, NULL, add, NULL);
    return words > 1 ? 3 : 0;
}
