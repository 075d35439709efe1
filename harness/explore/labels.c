/* See labels.h. */
#include "harness/explore/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/arena.h"
#include "harness/explore/clock.h"
#include "harness/explore/globals.h"
#include "harness/explore/source_names.h"
#include "harness/explore/story.h" /* story_time */
#include "harness/explore/variables.h"

enum {
    LABEL = 48,
    NAME = 40 /* leaves room for a number */
};

struct label {
    const void *object;
    enum label_kind kind;
    char text[LABEL];
};

static struct label **labels;
static size_t label_count;
static unsigned numbers[LABEL_KINDS]; /* of labels that are a letter and a number */

static const struct {
    const char *letter, *name;
} kinds[LABEL_KINDS] = {
    [LABEL_ATOMIC] = {"a", "atomic"},       [LABEL_MUTEX] = {"m", "mutex"},
    [LABEL_CONDITION] = {"c", "condition"}, [LABEL_RWLOCK] = {"rw", "read-write lock"},
    [LABEL_SEMAPHORE] = {"s", "semaphore"}, [LABEL_BARRIER] = {"b", "barrier"},
    [LABEL_SPIN] = {"spin", "spin lock"},   [LABEL_ONCE] = {"once", "once"},
    [LABEL_MEMORY] = {"v", "variable"},     [LABEL_POINTER] = {"p", "pointer"},
};

const char *label_kind_name(enum label_kind kind)
{
    return kinds[kind].name;
}

bool labels_kind_of(enum op_kind op, enum label_kind *kind)
{
    static const struct {
        enum op_kind first, last;
        enum label_kind kind;
    } ranges[] = {
        {OP_LOAD, OP_CAS, LABEL_ATOMIC},
        {OP_LOCK, OP_UNLOCK, LABEL_MUTEX},
        {OP_WAIT, OP_BROADCAST, LABEL_CONDITION},
        {OP_SPIN_LOCK, OP_SPIN_UNLOCK, LABEL_SPIN},
        {OP_READ_LOCK, OP_RW_UNLOCK, LABEL_RWLOCK},
        {OP_SEM_WAIT, OP_SEM_POST, LABEL_SEMAPHORE},
        {OP_BARRIER_ENTER, OP_BARRIER_LEAVE, LABEL_BARRIER},
        {OP_ONCE, OP_ONCE, LABEL_ONCE},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (op >= ranges[i].first && op <= ranges[i].last) {
            *kind = ranges[i].kind;
            return true;
        }
    return false;
}

void labels_clear(void)
{
    for (size_t i = 0; i < label_count; i++)
        free(labels[i]);
    free(labels);
    labels = NULL;
    label_count = 0;
    memset(numbers, 0, sizeof numbers);
}

/* ---- names ---- */

/* Its last two parts. */
static const char *shortened(const char *expression)
{
    const char *dot = strrchr(expression, '.');

    if (!dot || dot == expression)
        return expression;
    for (const char *at = dot; at > expression; at--)
        if (at[-1] == '.')
            return at;
    return expression;
}

/* Whether a name off the source can be of something in the variable: its own, or a member's. */
static bool is_of(const char *name, const struct variable *variable)
{
    size_t length = strlen(variable->name);

    if (strncmp(name, variable->name, length) != 0)
        return false;
    return name[length] == '.' || (name[length] == '\0' && variable->offset == 0);
}

static void name_by_variable(enum label_kind kind, const struct variable *variable, char name[NAME])
{
    const char *address = kind == LABEL_POINTER ? "&" : "";

    if (variable->offset == 0)
        snprintf(name, NAME, "%s%.*s", address, NAME - 2, variable->name);
    else
        snprintf(name, NAME, "%s%.*s+%u", address, NAME - 13, variable->name,
                 (unsigned)variable->offset);
}

/* ---- labels ---- */

static unsigned count_same(const char *text)
{
    unsigned same = 0;
    size_t length = strlen(text);

    for (size_t i = 0; i < label_count; i++)
        same += strncmp(labels[i]->text, text, length) == 0 &&
                (labels[i]->text[length] == '\0' || labels[i]->text[length] == '#');
    return same;
}

static void choose_text(struct label *label, const char *name)
{
    unsigned same = name[0] ? count_same(name) : 0;

    if (!name[0])
        snprintf(label->text, LABEL, "%s%u", kinds[label->kind].letter, ++numbers[label->kind]);
    else if (same == 0)
        snprintf(label->text, LABEL, "%.*s", NAME - 1, name);
    else
        snprintf(label->text, LABEL, "%.*s#%u", NAME - 4, name, same + 1);
}

static const struct label *find(enum label_kind kind, const void *object)
{
    for (size_t i = 0; i < label_count; i++)
        if (labels[i]->object == object && labels[i]->kind == kind)
            return labels[i];
    return NULL;
}

static const char *add(enum label_kind kind, const void *object, const char *name)
{
    struct label *label = malloc(sizeof *label);
    struct label **more = realloc(labels, (label_count + 1) * sizeof *more);

    if (more)
        labels = more;
    if (!label || !more) {
        free(label);
        return "?";
    }
    *label = (struct label){.object = object, .kind = kind};
    choose_text(label, name);
    labels[label_count++] = label;
    return label->text;
}

void labels_try(enum label_kind kind, const void *object, enum op_kind op,
                const struct record_stack *stack)
{
    char name[SOURCE_NAME], joined[VARIABLE_NAME + SOURCE_NAME];
    struct variable variable;

    if (find(kind, object) || !source_name(kind, op, stack, name))
        return;
    const char *member = strrchr(name, '.');
    if (!variables_find(object, &variable) || is_of(name, &variable)) {
        add(kind, object, shortened(name));
    } else if (variable.offset == 0 && member) { /* the variable's own name would be the whole's */
        snprintf(joined, sizeof joined, "%s%s", variable.name, member);
        add(kind, object, joined);
    }
}

const char *labels_of(enum label_kind kind, const void *object)
{
    const struct label *known = find(kind, object);
    struct variable variable;
    char name[NAME] = "";

    if (known)
        return known->text;
    if (variables_find(object, &variable))
        name_by_variable(kind, &variable, name);
    return add(kind, object, name);
}

const char *labels_name(enum label_kind kind, const void *object, const char *name, size_t length)
{
    const struct label *known = find(kind, object);
    char copy[NAME];

    if (known)
        return known->text;
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    return add(kind, object, copy);
}

void labels_share(enum label_kind kind, const void *object)
{
    for (size_t i = 0; !find(kind, object) && i < label_count; i++) {
        const struct label *other = labels[i];
        if (other->object == object && other->kind != LABEL_POINTER &&
            strcmp(add(kind, object, other->text), "?") != 0)
            memcpy(labels[label_count - 1]->text, other->text, LABEL);
    }
}

/* ---- values ---- */

static bool is_within(uint64_t value, const void *start, size_t size)
{
    return value - (uintptr_t)start < size;
}

bool labels_is_pointer(uint64_t value)
{
    void *start;
    size_t size;

    for (unsigned i = 0; globals_region(i, &start, &size); i++)
        if (size > 0 && is_within(value, start, size))
            return true;
    return arena_has((const void *)(uintptr_t)value) ||
           is_within(value, fiber_stacks_start(), fiber_stacks_size());
}

static bool is_time(uint64_t value)
{
    return value >= START_OF_TIME && value - START_OF_TIME < START_OF_TIME * 1000;
}

static bool is_unwritten(uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size && i < 8; i++)
        if ((value >> 8 * i & 0xFF) != ARENA_FILL)
            return false;
    return true;
}

const char *labels_value(uint64_t value, unsigned size, char text[32])
{
    enum {
        SMALL = 100000
    };
    unsigned unused = size < 8 ? 64 - 8 * size : 0;
    int64_t number = (int64_t)(value << unused) >> unused;

    if (size == 8 && labels_is_pointer(value))
        return labels_of(LABEL_POINTER, (const void *)(uintptr_t)value);
    if (size == 8 && is_time(value))
        return story_time((int64_t)value, text);
    if (is_unwritten(value, size))
        snprintf(text, 32, "?");
    else if (number > -SMALL && number < SMALL)
        snprintf(text, 32, "%d", (int)number);
    else
        snprintf(text, 32, "%#jx", (uintmax_t)(value << unused >> unused));
    return text;
}
