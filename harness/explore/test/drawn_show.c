/* Drawn programs, to be read: rules and objects in a line each, threads side by side. */
#include <inttypes.h>
#include <string.h>

#include "harness/explore/test/drawn.h"
#include "harness/explore/test/drawn_parts.h"

enum {
    WIDTH = 34, /* of a column */
    TEXT = 96
};

static size_t used(const char *text)
{
    return strlen(text);
}

#define APPEND(text, ...) snprintf((text) + used(text), TEXT - used(text), __VA_ARGS__)

static void tell_object(const struct drawn_op *op, unsigned uses, char *text)
{
    if (uses & A_WORD)
        APPEND(text, " %c", 'x' + op->which);
    if (uses & A_LOCK)
        APPEND(text, " %c", 'a' + op->which);
    if (uses & A_CONDITION)
        APPEND(text, " %c", 'c' + op->which);
    if (uses & A_THREAD)
        APPEND(text, " %u", op->which);
}

static void tell_op(const struct drawn_op *op, char *text)
{
    static const char *const orders[DRAWN_ORDERS] = {"", " acq_rel", " relaxed"};
    unsigned uses = drawn_kinds[op->kind].uses;

    snprintf(text, TEXT, "%s", drawn_kinds[op->kind].words);
    tell_object(op, uses, text);
    if (uses & A_VALUE)
        APPEND(text, " %u", op->value);
    if (uses & AN_ORDER)
        APPEND(text, "%s", orders[op->order]);
    if (uses & A_TIME)
        APPEND(text, " %+" PRId64 " ns", op->time);
    if ((uses & A_SPAN) && op->span > 0)
        APPEND(text, ", for %u more", op->span);
}

static void show_rules(const struct drawing *drawing, FILE *file)
{
    const struct machine_rules *rules = &drawing->rules;
    struct drawing copy = *drawing;

    fprintf(file, "  %s, %s, slack %" PRId64 " ns, %s%s; faults:",
            drawing->memory.model == MEMORY_C11 ? "c11" : "sc",
            drawing->memory.races ? "races looked for" : "no races looked for", rules->slack,
            rules->early_time ? "early time" : "no early time",
            rules->reuse ? ", memory is given out again" : "");
    for (unsigned i = 0; i < DRAWN_FAULTS; i++)
        if (*drawn_fault(&copy, i) > 0)
            fprintf(file, " %s=%u", drawn_faults[i].name, *drawn_fault(&copy, i));
    fprintf(file, "\n");
}

static void show_objects(const struct drawn_program *program, FILE *file)
{
    static const char *const kinds[DRAWN_LOCK_KINDS] = {"normal", "recursive", "errorcheck"};

    fprintf(file, "  lock a %s, lock b %s; semaphore of %u, barrier for %u\n",
            kinds[program->locks[0]], kinds[program->locks[1]], program->permits, program->parties);
}

void drawn_show(const struct drawing *drawing, FILE *file)
{
    const struct drawn_program *program = &drawing->program;
    bool any = true;

    fprintf(file, "program %u, of theme %s\n", drawing->number,
            drawn_theme_name(drawn_theme_of(drawing->number)));
    show_rules(drawing, file);
    show_objects(program, file);
    for (unsigned row = 0; any; row++) {
        any = false;
        for (unsigned i = 0; i < program->threads; i++) {
            char text[TEXT] = "";
            if (row == 0)
                snprintf(text, sizeof text, i == 0 ? "thread 0 (main)" : "thread %u", i);
            else if (row <= program->thread[i].length)
                tell_op(&program->thread[i].ops[row - 1], text);
            any |= row <= program->thread[i].length;
            fprintf(file, "%s%-*s", i == 0 ? "    " : " ", i + 1 < program->threads ? WIDTH : 0,
                    text);
        }
        fprintf(file, "\n");
    }
}
