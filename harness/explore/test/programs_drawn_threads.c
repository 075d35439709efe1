/*
 * The drawn program's threads: creation and ends.
 *
 * A name is written by whoever creates the thread, and read by its creator and by threads that were
 * created after it: drawn.c sees to that, or it would be a race of the program's own.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "harness/explore/test/programs_drawn_parts.h"

static pthread_t names[DRAWN_THREADS]; /* 0: there is none */
static pthread_key_t key;

/* Of its value: the number of the thread, and a word, to which the destructor adds. */
static void destroy(void *specific)
{
    unsigned value = (unsigned)(uintptr_t)specific - 1;

    drawn_seen[value / 2][FOR_THE_END] = 200 + drawn_add_to_word(value % 2, 4);
}

void drawn_prepare_threads(void)
{
    names[0] = pthread_self();
    pthread_key_create(&key, destroy);
}

/* ---- creation ---- */

static int create(const struct drawn_op *op)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    if (op->kind == DRAWN_CREATE_DETACHED)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error =
        pthread_create(&names[op->which], &attributes, drawn_run, (void *)(uintptr_t)op->which);
    pthread_attr_destroy(&attributes);
    return error;
}

/* ---- joining ---- */

static int join(const struct drawn_op *op, void **result)
{
    struct timespec until = drawn_until(op);

    switch (op->kind) {
    case DRAWN_JOIN:
        return pthread_join(names[op->which], result);
    case DRAWN_TRY_JOIN:
        return pthread_tryjoin_np(names[op->which], result);
    case DRAWN_TIMED_JOIN:
        return pthread_timedjoin_np(names[op->which], result, &until);
    default:
        return pthread_detach(names[op->which]);
    }
}

static int part_with(struct self *self, const struct drawn_op *op)
{
    void *result = NULL;

    if (names[op->which] == 0 || (self->gone & 1u << op->which))
        return REFUSED;
    int error = join(op, &result);
    if (error == 0)
        self->gone |= 1u << op->which;
    return error != 0 ? REFUSED + error : result == PTHREAD_CANCELED;
}

/* ---- cancellation ---- */

static int cancel(const struct self *self, const struct drawn_op *op)
{
    if (names[op->which] == 0 || (self->gone & 1u << op->which))
        return REFUSED;
    return pthread_cancel(names[op->which]);
}

static int set_specific(const struct self *self, const struct drawn_op *op)
{
    return pthread_setspecific(key, (void *)(uintptr_t)(self->number * 2 + op->which + 1));
}

int drawn_use_thread(struct self *self, const struct drawn_op *op)
{
    switch (op->kind) {
    case DRAWN_CREATE:
    case DRAWN_CREATE_DETACHED:
        return create(op);
    case DRAWN_CANCEL:
        return cancel(self, op);
    case DRAWN_TEST_CANCEL:
        pthread_testcancel();
        return 0;
    case DRAWN_DISABLE_CANCEL:
        return pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    case DRAWN_ENABLE_CANCEL:
        return pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    case DRAWN_SET_SPECIFIC:
        return set_specific(self, op);
    default:
        return part_with(self, op);
    }
}

/* ---- ends ---- */

int drawn_end(struct self *self, const struct drawn_op *op)
{
    switch (op->kind) {
    case DRAWN_ASSERT:
        assert(self->last != op->value);
        return 0;
    case DRAWN_EXIT_THREAD:
        pthread_exit(NULL);
    case DRAWN_EXIT:
        exit(0);
    case DRAWN_FAIL:
        exit(1);
    default:
        return 0;
    }
}
