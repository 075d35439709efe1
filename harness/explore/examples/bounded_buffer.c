/*
 * A bounded buffer as it is often written: with `if` where `while` belongs.
 *
 *     gp-cc bounded_buffer.c -o bounded_buffer && ./bounded_buffer
 *
 * Two consumers and a producer. A consumer that was woken takes for granted that there is something
 * to take; but between the signal and its return from the wait the other consumer, which was not
 * waiting at all, may have had the mutex. Compile with -DRIGHT for the buffer that loops.
 */
#include <assert.h>
#include <pthread.h>

enum {
    ROOM = 1,
    ITEMS = 2
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int items;

static void put(void)
{
    pthread_mutex_lock(&mutex);
#ifdef RIGHT
    while (items == ROOM)
#else
    if (items == ROOM)
#endif
        pthread_cond_wait(&not_full, &mutex);
    items++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static void *take(void *unused)
{
    pthread_mutex_lock(&mutex);
#ifdef RIGHT
    while (items == 0)
#else
    if (items == 0)
#endif
        pthread_cond_wait(&not_empty, &mutex);
    items--;
    assert(items >= 0);
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t consumers[ITEMS];

    for (int i = 0; i < ITEMS; i++)
        pthread_create(&consumers[i], NULL, take, NULL);
    for (int i = 0; i < ITEMS; i++)
        put();
    for (int i = 0; i < ITEMS; i++)
        pthread_join(consumers[i], NULL);
    return 0;
}
