/*
 * See programs_drawn.h. A thread goes through its operations one by one; what an operation takes
 * for a while is given back when its span is over, or by a cleanup handler if the thread is
 * cancelled, or exits, before that.
 */
#include "harness/explore/test/programs_drawn.h"

#include <stdint.h>

#include "harness/explore/test/programs_drawn_parts.h"

struct timespec drawn_until(const struct drawn_op *op)
{
    const int64_t second = 1000000000;
    int64_t nanos = drawn.beginning.tv_nsec + op->time % second;
    struct timespec time = {.tv_sec = drawn.beginning.tv_sec + op->time / second};

    if (nanos < 0) {
        time.tv_sec--;
        nanos += second;
    }
    time.tv_sec += nanos / second;
    time.tv_nsec = nanos % second;
    return time;
}

/* ---- what is held ---- */

void drawn_hold(struct self *self, const struct drawn_op *op, void *block)
{
    self->held[self->held_count++] = (struct held){
        .kind = op->kind, .which = op->which, .until = self->at + op->span, .block = block};
}

void drawn_hold_lock(struct self *self, unsigned which, unsigned span)
{
    const struct drawn_op lock = {
        .kind = DRAWN_LOCK, .which = (uint8_t)which, .span = (uint8_t)span};

    drawn_hold(self, &lock, NULL);
}

/* The last that was taken goes first. It is taken off the list before it is given back: an unlock
   is a step, and whoever is cancelled does not give back twice. */
static void give_back_all(struct self *self, unsigned until)
{
    for (unsigned i = self->held_count; i-- > 0;) {
        struct held held = self->held[i];
        if (held.until > until)
            continue;
        for (unsigned k = i; k + 1 < self->held_count; k++)
            self->held[k] = self->held[k + 1];
        self->held_count--;
        drawn_give_back(self, &held);
    }
}

/* ---- a thread ---- */

static int do_op(struct self *self, const struct drawn_op *op)
{
    if (op->kind <= DRAWN_SPIN_A_WHILE)
        return drawn_use_atomic(op);
    if (op->kind <= DRAWN_ALLOCATE)
        return drawn_use_memory(self, op);
    if (op->kind <= DRAWN_ONCE)
        return drawn_use_lock(self, op);
    if (op->kind <= DRAWN_LOOK_AT_CLOCK)
        return drawn_wait(self, op);
    if (op->kind <= DRAWN_SET_SPECIFIC)
        return drawn_use_thread(self, op);
    return drawn_end(self, op);
}

static void run_ops(struct self *self)
{
    const struct drawn_thread *thread = &drawn.thread[self->number];

    for (self->at = 0; self->at < thread->length; self->at++) {
        int saw = do_op(self, &thread->ops[self->at]);
        drawn_seen[self->number][self->at] = self->last = saw;
        if (thread->ops[self->at].kind == DRAWN_RETURN)
            break;
        give_back_all(self, self->at);
    }
    give_back_all(self, UINT32_MAX);
}

/* Also of one that exits. */
static void clean_up(void *argument)
{
    struct self *self = argument;

    give_back_all(self, UINT32_MAX);
    drawn_seen[self->number][FOR_THE_END] = 100 + drawn_add_to_word(1, 16);
}

void *drawn_run(void *argument)
{
    struct self self = {.number = (unsigned)(uintptr_t)argument};

    pthread_cleanup_push(clean_up, &self);
    run_ops(&self);
    pthread_cleanup_pop(0);
    return NULL;
}

void program_drawn(void)
{
    for (unsigned i = 0; i < DRAWN_THREADS; i++)
        for (unsigned k = 0; k < PLACES; k++)
            drawn_seen[i][k] = NOT_REACHED;
    drawn_prepare_locks();
    drawn_prepare_waits();
    drawn_prepare_threads();
    drawn_run(NULL);
}
