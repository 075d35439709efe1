/* A pointer is followed before it is set. With arguments, since a replay needs them, too. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct node {
    long value;
    struct node *next;
};

static _Atomic(struct node *) head;

static void *follow(void *unused)
{
    struct node *node = atomic_load(&head);

    node->next = NULL;
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    struct node node;

    if (count != 3 || strcmp(words[1], "an argument") != 0 || strcmp(words[2], "--its-own") != 0)
        return 0;
    pthread_create(&thread, NULL, follow, NULL);
    atomic_store(&head, &node);
    pthread_join(thread, NULL);
    return 0;
}
