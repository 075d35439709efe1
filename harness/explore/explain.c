/*
 * See explain.h. For a deadlock the machine still has what each thread had announced, and the
 * records tell what came before. A signal that found nobody is told only if somebody waits on that
 * condition in the end: it may have been meant for them.
 */
#include "harness/explore/explain.h"

#include <string.h>

#include "harness/explore/arena.h"
#include "harness/explore/labels.h"
#include "harness/explore/objects.h"

enum {
    MOST_TOLD = 12 /* threads of a deadlock */
};

/* ---- a deadlock ---- */

/* The number of the last step of the thread that `kind` and object fit, counted from 1; 0: none. */
static uint32_t last_step(unsigned thread, const void *object)
{
    for (uint32_t i = record_count(); i-- > 0;) {
        const struct record *record = record_at(i);
        if (record->thread == thread && (!object || record->object == object ||
                                         (record->kind == OP_WAKE && record->second == object)))
            return i + 1;
    }
    return 0;
}

static void write_owner(FILE *file, const struct x_mutex *mutex)
{
    unsigned owner = mutex->owner - 1;

    if (mutex->owner == 0)
        fprintf(file, "mutex %s, which is free", labels_of(LABEL_MUTEX, mutex));
    else if (mutex->owner > machine.count)
        fprintf(file, "mutex %s, where something else is by now", labels_of(LABEL_MUTEX, mutex));
    else
        fprintf(file, "mutex %s, which thread %u has since step %u", labels_of(LABEL_MUTEX, mutex),
                owner, last_step(owner, mutex));
}

static void write_unheeded(FILE *file, const void *condition)
{
    char place[STORY_TEXT];

    for (uint32_t i = 0; i < record_count(); i++) {
        const struct record *record = record_at(i);
        if (record->object != condition || !set_is_empty(record->woken) ||
            (record->kind != OP_SIGNAL && record->kind != OP_BROADCAST))
            continue;
        story_place(&record->stack, place);
        fprintf(file, "        the %s at step %u (thread %u, %s) found nobody\n",
                op_name(record->kind), i + 1, record->thread, place);
    }
}

static void write_last_signal(FILE *file, unsigned thread, const void *condition)
{
    uint32_t since = last_step(thread, NULL), signals = 0;

    for (uint32_t i = since; i < record_count(); i++)
        signals += record_at(i)->object == condition &&
                   (record_at(i)->kind == OP_SIGNAL || record_at(i)->kind == OP_BROADCAST);
    if (signals == 0)
        fprintf(file, "        nobody has signalled it since\n");
}

/* The frames at an address, but for those that are parts of the one before, cut off by the
   compiler. */
static void write_frames(FILE *file, const void *address)
{
    size_t count;
    const struct frame *frames = symbols_at(address, &count);

    for (size_t i = 0; i < count && !symbols_is_ours(&frames[i]); i++)
        if (i == 0 || strcmp(frames[i].function, frames[i - 1].function) != 0)
            fprintf(file, "        %s at %s:%u\n", frames[i].function, symbols_file(&frames[i]),
                    frames[i].line);
}

static void write_stack(FILE *file, const struct record_stack *stack)
{
    for (unsigned i = 0; i < stack->count; i++)
        write_frames(file, stack->frames[i]);
}

/* The function that an address is in, whatever was inlined there. */
static const char *function_at(const void *address)
{
    size_t count;
    const struct frame *frames = symbols_at(address, &count);

    return count > 0 ? frames[count - 1].function : "";
}

/* Where a thread stands: at what it has announced, called from where it was at its last step, if
   that is the same call. */
static void write_standing(FILE *file, unsigned thread, uint32_t since)
{
    const void *pc = machine.threads[thread].op.pc;
    const struct record_stack *stack = since > 0 ? &record_at(since - 1)->stack : NULL;

    write_frames(file, pc);
    if (!stack || stack->count == 0 || strcmp(function_at(pc), function_at(stack->frames[0])) != 0)
        return;
    for (unsigned i = 1; i < stack->count; i++)
        write_frames(file, stack->frames[i]);
}

static void write_what_for(FILE *file, const struct story *story, unsigned number)
{
    const struct op *op = &machine.threads[number].op;

    switch ((enum op_kind)op->kind) {
    case OP_WAKE:
        if (!machine.threads[number].signalled) {
            fprintf(file, "condition %s", labels_of(LABEL_CONDITION, op->object));
            break;
        }
        fprintf(file, "the return of ");
        write_owner(file, op->second);
        break;
    case OP_LOCK:
    case OP_TIMEDLOCK:
        write_owner(file, op->object);
        break;
    case OP_JOIN: {
        unsigned other = (unsigned)((const struct thread *)op->object - machine.threads);
        fprintf(file, "the end of thread %u (%s)", other, story_thread(story, other));
        break;
    }
    default:
        fprintf(file, "'%s'", op_name(op->kind));
    }
}

static void write_waiting(FILE *file, const struct story *story, unsigned number)
{
    const struct thread *thread = &machine.threads[number];
    uint32_t since = last_step(number, NULL);

    fprintf(file, "    thread %u (%s) waits, since step %u, for ", number,
            story_thread(story, number), since);
    write_what_for(file, story, number);
    fputc('\n', file);
    if (thread->op.kind == OP_WAKE && !thread->signalled) {
        write_unheeded(file, thread->op.object);
        write_last_signal(file, number, thread->op.object);
    }
    if (thread->op.kind != OP_JOIN)
        write_standing(file, number, since);
}

static void explain_deadlock(FILE *file, const struct story *story)
{
    unsigned waiting = 0;

    fprintf(file, "Nobody can go on:\n");
    for (unsigned i = 0; i < machine.count; i++)
        if (machine.threads[i].alive && ++waiting <= MOST_TOLD)
            write_waiting(file, story, i);
    if (waiting > MOST_TOLD)
        fprintf(file, "    and %u other thread%s\n", waiting - MOST_TOLD,
                waiting - MOST_TOLD == 1 ? "" : "s");
}

/* ---- accesses ---- */

static bool is_about_address(const void *object)
{
    return object && (uintptr_t)machine.address - (uintptr_t)object < sizeof(pthread_mutex_t);
}

/* What was done with a lock or the like: the step that the thread was about to take, or its last;
   NULL if it was neither. */
static const char *operation_of(const struct record_access *access)
{
    const struct record *record = access->step > 0 ? record_at(access->step - 1) : NULL;
    const struct op *op = &machine.threads[access->thread].op;

    if (op->pc == access->stack.frames[0] && is_about_address(op->object))
        return op_name(op->kind);
    if (record && record->thread == access->thread && is_about_address(record->object))
        return op_name(record->kind);
    return NULL;
}

static size_t size_of_block(const void *address)
{
    const struct arena_block *block = arena_block_of(address);

    return block ? block->size : 0;
}

static void write_what(FILE *file, const struct record_access *access)
{
    bool locks = access->flags & ACCESS_LOCKS;
    bool whole = access->flags & (ACCESS_FREES | ACCESS_ALLOCATES);
    const char *operation = locks ? operation_of(access) : NULL;
    size_t size = whole ? size_of_block(machine.address) : access->size;

    fprintf(file, "    %s", operation ? operation : story_access(access));
    if (size > 0 && !locks)
        fprintf(file, ", %zu bytes,", size);
}

static void write_access(FILE *file, const struct story *story, const struct record_access *access)
{
    write_what(file, access);
    fprintf(file, " by thread %u (%s)", access->thread, story_thread(story, access->thread));
    if (access->step > 0)
        fprintf(file, ", after its step %u", access->step);
    fputc('\n', file);
    write_stack(file, &access->stack);
}

static void explain_accesses(FILE *file, const struct story *story)
{
    struct record_access access;

    fprintf(file, "%s %s",
            story->verdict == ENDED_RACE   ? "Nothing orders these two accesses to"
            : story->verdict == ENDED_LEAK ? "Nothing points any more to"
                                           : "What happened to",
            labels_of(LABEL_MEMORY, machine.address));
    if (story->verdict != ENDED_LEAK && size_of_block(machine.address) > 0)
        fprintf(file, ", in a block of %zu bytes", size_of_block(machine.address));
    fprintf(file, ":\n");
    for (unsigned i = 0; record_conflict(i, &access); i++)
        write_access(file, story, &access);
}

static void explain_culprit(FILE *file)
{
    struct record_stack stack = {.count = 1, .frames = {machine.culprit}};

    if (!machine.culprit)
        return;
    fprintf(file, "Where:\n");
    write_stack(file, &stack);
}

void explain_write(FILE *file, const struct story *story)
{
    if (machine.stuck)
        explain_deadlock(file, story);
    else if (machine.access_count > 0)
        explain_accesses(file, story);
    else
        explain_culprit(file);
}
