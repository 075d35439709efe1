/*
 * Makes a program that fails smaller, as long as it fails in the same way: without a thread,
 * without an operation, without a fault, with simpler rules. Each of these is tried until none
 * helps any more.
 */
#include "harness/explore/test/drawn_parts.h"
#include "harness/explore/test/oracle.h"

/* False: the smaller program does not fail in the same way. */
static bool attempt(struct drawing *drawing, const struct drawing *smaller,
                    enum judgement judgement)
{
    if (oracle_judge(smaller, NULL) != judgement)
        return false;
    *drawing = *smaller;
    return true;
}

static void drop_op(struct drawn_thread *thread, unsigned at)
{
    thread->length--;
    for (unsigned i = at; i < thread->length; i++)
        thread->ops[i] = thread->ops[i + 1];
}

/* With all that is about it: its creation, its end, its cancellation. Others keep their numbers. */
static void drop_thread(struct drawn_program *program, unsigned number)
{
    program->thread[number].length = 0;
    for (unsigned i = 0; i < program->threads; i++)
        for (unsigned k = program->thread[i].length; k-- > 0;) {
            const struct drawn_op *op = &program->thread[i].ops[k];
            if ((drawn_kinds[op->kind].uses & A_THREAD) && op->which == number)
                drop_op(&program->thread[i], k);
        }
    if (number + 1 == program->threads)
        program->threads--;
}

static bool drop_threads(struct drawing *drawing, enum judgement judgement)
{
    bool any = false;

    for (unsigned i = drawing->program.threads; i-- > 1;) {
        struct drawing smaller = *drawing;
        drop_thread(&smaller.program, i);
        any |= drawing->program.thread[i].length > 0 && attempt(drawing, &smaller, judgement);
    }
    return any;
}

static bool drop_ops(struct drawing *drawing, enum judgement judgement)
{
    bool any = false;

    for (unsigned i = 0; i < drawing->program.threads; i++)
        for (unsigned k = drawing->program.thread[i].length; k-- > 0;) {
            struct drawing smaller = *drawing;
            drop_op(&smaller.program.thread[i], k);
            any |= attempt(drawing, &smaller, judgement);
        }
    return any;
}

/* What is drawn with an operation, set to the plainest there is. */
static bool simplify_ops(struct drawing *drawing, enum judgement judgement)
{
    bool any = false;

    for (unsigned i = 0; i < drawing->program.threads; i++)
        for (unsigned k = 0; k < drawing->program.thread[i].length; k++) {
            const struct drawn_op *op = &drawing->program.thread[i].ops[k];
            struct drawing smaller = *drawing;
            smaller.program.thread[i].ops[k].span = 0;
            smaller.program.thread[i].ops[k].order = DRAWN_SEQ_CST;
            if (drawn_kinds[op->kind].uses & AN_OBJECT)
                smaller.program.thread[i].ops[k].which = 0;
            if (op->span > 0 || op->order != DRAWN_SEQ_CST ||
                ((drawn_kinds[op->kind].uses & AN_OBJECT) && op->which > 0))
                any |= attempt(drawing, &smaller, judgement);
        }
    return any;
}

static bool drop_faults(struct drawing *drawing, enum judgement judgement)
{
    bool any = false;

    for (unsigned i = 0; i < DRAWN_FAULTS; i++) {
        struct drawing smaller = *drawing;
        if (*drawn_fault(drawing, i) == 0)
            continue;
        --*drawn_fault(&smaller, i);
        any |= attempt(drawing, &smaller, judgement);
    }
    return any;
}

static bool simplify_rules(struct drawing *drawing, enum judgement judgement)
{
    struct drawing plain_memory = *drawing, early = *drawing, plain_locks = *drawing;
    bool any = false;

    plain_memory.memory = (struct memory_rules){.model = MEMORY_SC};
    if ((drawing->memory.model != MEMORY_SC || drawing->memory.races) &&
        !drawn_has(drawing, DRAWN_READ_PLAIN) && !drawn_has(drawing, DRAWN_WRITE_PLAIN))
        any |= attempt(drawing, &plain_memory, judgement);
    early = *drawing;
    early.rules.early_time = true;
    if (!drawing->rules.early_time)
        any |= attempt(drawing, &early, judgement);
    plain_locks = *drawing;
    bool plain = true;
    for (unsigned i = 0; i < DRAWN_LOCKS; i++) {
        plain &= drawing->program.locks[i] == DRAWN_NORMAL;
        plain_locks.program.locks[i] = DRAWN_NORMAL;
    }
    if (!plain)
        any |= attempt(drawing, &plain_locks, judgement);
    return any;
}

void oracle_shrink(struct drawing *drawing, enum judgement judgement)
{
    bool any;

    do {
        any = drop_threads(drawing, judgement);
        any |= drop_ops(drawing, judgement);
        any |= drop_faults(drawing, judgement);
        any |= simplify_rules(drawing, judgement);
        any |= simplify_ops(drawing, judgement);
    } while (any);
}
