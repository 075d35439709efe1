/* Waits for a word by looking at it again and again; with an argument it lets others go on. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int word;

static void *wait_for_word(void *yields)
{
    while (!atomic_load(&word))
        if (yields)
            sched_yield();
    return NULL;
}

int main(int count, char **words)
{
    pthread_t thread;

    pthread_create(&thread, NULL, wait_for_word, count > 1 ? words : NULL);
    atomic_store(&word, 1);
    return pthread_join(thread, NULL);
}
