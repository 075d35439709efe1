/*
 * See story.h. The wording of a step: the operation, its object, then what came of it. Memory
 * orders are told only where they are not sequentially consistent, and only of atomics.
 */
#include "harness/explore/story.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/clock.h"
#include "harness/explore/labels.h"
#include "harness/explore/memory.h"
#include "harness/explore/replay.h"

/* ---- recording ---- */

struct story story_of_scenario(const struct scenario *scenario)
{
    return (struct story){.program = scenario->name,
                          .about = scenario->description,
                          .command = "make explore REPLAY=",
                          .scenario = scenario};
}

static size_t add_addresses(const struct record_stack *stack, const void **addresses, size_t count)
{
    memcpy(addresses + count, stack->frames, stack->count * sizeof *addresses);
    return count + stack->count;
}

static void load_symbols(const struct story *story)
{
    uint32_t access_count = story->marks ? record_access_count() : 0;
    size_t room = ((size_t)record_count() + MACHINE_THREADS) * RECORD_FRAMES +
                  record_write_count() + access_count,
           count = 0;
    const void **addresses = malloc(room * sizeof *addresses);
    struct record_access access;

    if (!addresses)
        return;
    for (uint32_t i = 0; i < record_count(); i++)
        count = add_addresses(&record_at(i)->stack, addresses, count);
    for (unsigned i = 0; record_conflict(i, &access); i++)
        count = add_addresses(&access.stack, addresses, count);
    for (uint32_t i = 0; i < record_write_count(); i++)
        addresses[count++] = record_write_at(i)->pc;
    for (uint32_t i = 0; i < access_count; i++)
        addresses[count++] = record_access_at(i)->stack.frames[0];
    if (machine.culprit)
        addresses[count++] = machine.culprit;
    for (unsigned i = 0; i < machine.count; i++)
        addresses[count++] = machine.threads[i].op.pc;
    symbols_load(addresses, count);
    free(addresses);
}

/* The next of the names of a probe's arguments: up to a comma that is in no brackets. */
static size_t name_length(const char *names)
{
    size_t length = 0;

    for (int depth = 0; names[length] && (depth > 0 || names[length] != ','); length++)
        depth += (names[length] == '(') - (names[length] == ')');
    return length;
}

static void label_arguments(const struct record_probe *probe)
{
    const char *name = probe->names;

    for (unsigned i = 0; i < probe->count; i++) {
        size_t length = name_length(name);
        if (probe->is_pointer[i] && probe->arguments[i] != 0)
            labels_name(LABEL_POINTER, (const void *)(uintptr_t)probe->arguments[i], name, length);
        name += length;
        name += strspn(name, ", ");
    }
}

/* What a detector reports on is called as the line calls it that writes to it. */
static void label_conflict(void)
{
    struct record_access access;

    for (unsigned i = 0; record_conflict(i, &access); i++)
        if ((access.flags & (ACCESS_WRITES | ACCESS_FREES | ACCESS_LOCKS)) == ACCESS_WRITES)
            labels_try(LABEL_MEMORY, machine.address, OP_STORE, &access.stack);
    if (machine.access_count > 0)
        labels_share(LABEL_MEMORY, machine.address);
}

/* What threads were about to do in the end. */
static void label_pending(void)
{
    enum label_kind kind;

    for (unsigned i = 0; i < machine.count; i++) {
        const struct op *op = &machine.threads[i].op;
        struct record_stack stack = {.count = 1, .frames = {op->pc}};
        if (machine.threads[i].alive && op->object && labels_kind_of(op->kind, &kind))
            labels_try(kind, op->object, op->kind, &stack);
    }
}

static void label_objects(void)
{
    enum label_kind kind;

    labels_clear();
    for (uint32_t i = 0; i < record_count(); i++)
        if (record_at(i)->object && labels_kind_of(record_at(i)->kind, &kind))
            labels_try(kind, record_at(i)->object, record_at(i)->kind, &record_at(i)->stack);
    label_pending();
    for (uint32_t i = 0; i < record_probe_count(); i++)
        label_arguments(record_probe_at(i));
    label_conflict();
}

bool story_makes_thread(const struct record *record)
{
    return record->kind == OP_CREATE && record->thread == 0 && record->stack.count > 0;
}

void story_name_actor(struct story *story, unsigned thread, const void *maker, size_t *named)
{
    size_t count = 0;
    const struct frame *frames = symbols_at(maker, &count);

    if (*named < SCENARIO_ACTORS && count > 0 && symbols_is_ours(frames))
        story->actors[thread] = story->scenario->actors[(*named)++].name;
}

static void name_actors(struct story *story)
{
    size_t named = 0;

    for (uint32_t i = 0; story->scenario && i < record_count(); i++) {
        const struct record *record = record_at(i);
        if (story_makes_thread(record))
            story_name_actor(story, (unsigned)record->before, record->stack.frames[0], &named);
    }
}

void story_record(struct story *story, void (*program)(void *), void *argument)
{
    record_begin();
    replay_run(program, argument);
    record_end();
    story->verdict = machine.verdict;
    memcpy(story->message, machine.message, sizeof story->message);
    load_symbols(story);
    name_actors(story);
    label_objects();
}

/* ---- places ---- */

const struct frame *story_frames(uint32_t index, size_t *count)
{
    const struct record_stack *stack = &record_at(index)->stack;

    *count = 0;
    return stack->count > 0 ? symbols_at(stack->frames[0], count) : NULL;
}

void story_place(const struct record_stack *stack, char text[STORY_TEXT])
{
    size_t count = 0;
    const struct frame *frames = stack->count > 0 ? symbols_at(stack->frames[0], &count) : NULL;

    text[0] = '\0';
    if (count > 0 && !symbols_is_ours(frames))
        snprintf(text, STORY_TEXT, "%s:%u", symbols_file(frames), frames->line);
}

/* The functions of a stack, the innermost first, those of the machine left out; their number. */
static unsigned list_functions(const struct record_stack *stack, const char **functions,
                               unsigned most)
{
    unsigned count = 0;

    for (unsigned i = 0; i < stack->count; i++) {
        size_t inlined;
        const struct frame *frames = symbols_at(stack->frames[i], &inlined);
        for (size_t j = 0; j < inlined && count < most; j++)
            if (!symbols_is_ours(&frames[j]) &&
                (count == 0 || strcmp(functions[count - 1], frames[j].function) != 0))
                functions[count++] = frames[j].function;
    }
    return count;
}

void story_calls(const struct record_stack *stack, unsigned most, char text[STORY_TEXT])
{
    const char *functions[2 * RECORD_FRAMES];
    unsigned count = list_functions(stack, functions, most < 32 ? most : 32);
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = count; i-- > 0 && length < STORY_TEXT;)
        length += (size_t)snprintf(text + length, STORY_TEXT - length, "%s%s",
                                   i + 1 < count ? " > " : "", functions[i]);
}

const char *story_thread(const struct story *story, unsigned thread)
{
    size_t count = 0;

    if (thread < MACHINE_THREADS && story->actors[thread])
        return story->actors[thread];
    if (thread == 0)
        return "main";
    if (thread < MACHINE_THREADS && record_name_of(thread)[0])
        return record_name_of(thread);
    for (uint32_t i = 0; i < record_count(); i++)
        if (record_at(i)->thread == thread && record_at(i)->kind == OP_BEGIN) {
            const struct frame *frames = story_frames(i, &count);
            return count > 0 ? frames[count - 1].function : "";
        }
    return thread == CLOCK_THREAD ? "clock" : "";
}

/* "impl/a.c:3-5": is the frame in one of these lines? */
static bool is_in(const struct frame *frame, const char *lines, size_t length)
{
    const char *colon = memchr(lines, ':', length);
    size_t name = colon ? (size_t)(colon - lines) : length, path = strlen(frame->path);
    unsigned from, to;

    return colon && path >= name && strncmp(frame->path + path - name, lines, name) == 0 &&
           sscanf(colon, ":%u-%u", &from, &to) == 2 && from <= frame->line && frame->line <= to;
}

static bool is_marked(const struct frame *frame, const char *marks)
{
    for (size_t length; *marks; marks += length + (marks[length] == ',')) {
        length = strcspn(marks, ",");
        if (is_in(frame, marks, length))
            return true;
    }
    return false;
}

bool story_is_at_mark(const struct story *story, const struct record_stack *stack)
{
    for (unsigned i = 0; story->marks && i < stack->count; i++) {
        size_t count;
        const struct frame *frames = symbols_at(stack->frames[i], &count);
        for (size_t j = 0; j < count; j++)
            if (is_marked(&frames[j], story->marks))
                return true;
    }
    return false;
}

const char *story_access(const struct record_access *access)
{
    if (access->flags & ACCESS_FREES)
        return "free";
    if (access->flags & ACCESS_ALLOCATES)
        return "allocate";
    if (access->flags & ACCESS_LOCKS)
        return "lock or condition";
    if (access->flags & ACCESS_ATOMIC)
        return access->flags & ACCESS_WRITES ? "atomic write" : "atomic read";
    return access->flags & ACCESS_WRITES ? "write" : "read";
}

/* ---- time ---- */

const char *story_time(int64_t now, char text[STORY_TIME])
{
    static const struct {
        int64_t nanos;
        const char *name;
    } units[] = {{3600000000000, "h"}, {60000000000, "min"}, {1000000000, "s"},
                 {1000000, "ms"},      {1000, "us"},         {1, "ns"}};
    int64_t left = now - START_OF_TIME;
    size_t length = 0;

    snprintf(text, STORY_TIME, "0");
    for (size_t i = 0; i < sizeof units / sizeof *units && length < STORY_TIME - 12; i++) {
        if (left / units[i].nanos == 0)
            continue;
        length +=
            (size_t)snprintf(text + length, STORY_TIME - length, "%s%lld%s", length > 0 ? "+" : "",
                             (long long)(left / units[i].nanos), units[i].name);
        left %= units[i].nanos;
    }
    return text;
}

/* ---- operations ---- */

struct words {
    char *text;
    size_t length;
};

static void say(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct words *words, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length =
        vsnprintf(words->text + words->length, STORY_TEXT - words->length, format, arguments);
    va_end(arguments);
    words->length += (size_t)length;
    if (words->length >= STORY_TEXT)
        words->length = STORY_TEXT - 1;
}

const char *story_object(uint32_t index)
{
    const struct record *record = record_at(index);
    enum label_kind kind;

    if (!record->object || !labels_kind_of(record->kind, &kind))
        return NULL;
    return labels_of(kind, record->object);
}

/* The object is the thread, or a part of it. */
static unsigned thread_of(const struct record *record)
{
    size_t offset = (size_t)((const char *)record->object - (const char *)machine.threads);

    return (unsigned)(offset / sizeof *machine.threads);
}

static const char *error_name(uint64_t error)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{EBUSY, "busy"},      {ETIMEDOUT, "timed out"}, {EDEADLK, "EDEADLK"},
                 {EAGAIN, "EAGAIN"},   {EINVAL, "EINVAL"},       {EPERM, "EPERM"},
                 {ENOMEM, "no memory"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((uint64_t)names[i].number == error)
            return names[i].name;
    return "an error";
}

/* What the last store to it before this step left. False: there was none. */
static bool latest_store(uint32_t index, uint64_t *value)
{
    const void *object = record_at(index)->object;

    while (index-- > 0) {
        const struct record *record = record_at(index);
        if (record->object == object && record->kind > OP_LOAD && record->kind <= OP_CAS &&
            !record->overtaken) {
            *value = record->after;
            return true;
        }
    }
    return false;
}

static void say_order(struct words *words, const struct record *record)
{
    static const char *const orders[] = {
        [__ATOMIC_RELAXED] = " relaxed", [__ATOMIC_CONSUME] = " consume",
        [__ATOMIC_ACQUIRE] = " acquire", [__ATOMIC_RELEASE] = " release",
        [__ATOMIC_ACQ_REL] = " acq_rel",
    };

    if (record->order < sizeof orders / sizeof *orders)
        say(words, "%s", orders[record->order]);
}

static void say_atomic(struct words *words, uint32_t index)
{
    const struct record *record = record_at(index);
    const char *object = story_object(index);
    char from[32], to[32];
    const char *before = labels_value(record->before, record->size, from);
    const char *after = labels_value(record->after, record->size, to);
    uint64_t latest;

    if (record->kind == OP_LOAD) {
        say(words, "load %s: %s", object, after);
        if (memory_rules.model == MEMORY_C11 && latest_store(index, &latest) &&
            latest != record->after)
            say(words, " (an old value; it is %s by now)",
                labels_value(latest, record->size, from));
    } else if (record->kind == OP_STORE) {
        say(words, "store %s: %s -> %s", object, before, after);
    } else if (record->kind == OP_CAS && (record->before == record->after)) {
        say(words, "cas %s fails: it is %s", object, after);
    } else {
        say(words, "%s %s: %s -> %s", record->kind == OP_CAS ? "cas" : "change", object, before,
            after);
    }
    if (record->overtaken && latest_store(index, &latest))
        say(words, " (overtaken; it is %s by now)", labels_value(latest, record->size, from));
    say_order(words, record);
}

static void say_woken(struct words *words, thread_set woken)
{
    const char *before = ": wakes thread ";

    if (set_is_empty(woken))
        say(words, ": nobody waits");
    for (struct set_walk each = set_walk(woken); set_next(&each);) {
        say(words, "%s%u", before, each.at);
        before = ", ";
    }
}

static void say_held_back(struct words *words, thread_set held_back)
{
    enum {
        NAMED = 3
    };
    const char *before = ", though thread ";

    if (set_count(held_back) > NAMED) {
        say(words, ", though %u threads could run", set_count(held_back));
        return;
    }
    for (struct set_walk each = set_walk(held_back); set_next(&each);) {
        say(words, "%s%u", before, each.at);
        before = ", ";
    }
    if (!set_is_empty(held_back))
        say(words, " could run");
}

static void say_deadline(struct words *words, const struct record *record)
{
    char time[STORY_TIME];

    if (!(record->flags & OP_TIMED))
        return;
    if (record->deadline <= record->now)
        say(words, " until now");
    else
        say(words, " until %s", story_time(record->deadline, time));
}

static void say_wait(struct words *words, uint32_t index)
{
    const struct record *record = record_at(index);
    const char *object = story_object(index);

    if (record->kind == OP_WAIT) {
        say(words, "wait %s", object);
        say_deadline(words, record);
    } else if (record->before) {
        say(words, "woken from %s", object);
    } else {
        say(words, "%s %s", record->after ? "wait is over:" : "wakes for no reason:", object);
    }
}

static void say_other(struct words *words, uint32_t index)
{
    const struct record *record = record_at(index);
    const char *object = story_object(index);

    say(words, "%s%s%s", op_name(record->kind), object ? " " : "", object ? object : "");
    if (record->kind != OP_SEM_POST && record->has_values && record->after != 0)
        say(words, ": %s", error_name(record->after));
}

void story_operation(uint32_t index, char text[STORY_TEXT])
{
    const struct record *record = record_at(index);
    struct words words = {.text = text};
    char time[STORY_TIME];

    text[0] = '\0';
    switch ((enum op_kind)record->kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_RMW:
    case OP_CAS:
        say_atomic(&words, index);
        break;
    case OP_FENCE:
        say(&words, "fence");
        say_order(&words, record);
        break;
    case OP_WAIT:
    case OP_WAKE:
        say_wait(&words, index);
        break;
    case OP_SIGNAL:
    case OP_BROADCAST:
        say(&words, "%s %s", op_name(record->kind), story_object(index));
        say_woken(&words, record->woken);
        break;
    case OP_CREATE:
        if (record->after != 0)
            say(&words, "create a thread: %s", error_name(record->after));
        else
            say(&words, "create thread %u", (unsigned)record->before);
        break;
    case OP_JOIN:
    case OP_DETACH:
    case OP_CANCEL:
        say(&words, "%s thread %u", op_name(record->kind), thread_of(record));
        break;
    case OP_NOW:
        say(&words, "look at the clock");
        break;
    case OP_KEY:
        say(&words, "use the keys of thread-specific data");
        break;
    case OP_END:
        say(&words, "end the program");
        break;
    case OP_ADVANCE:
        say(&words, "~~~ time passes: it is %s", story_time(record->now, time));
        say_held_back(&words, record->held_back);
        say(&words, " ~~~");
        break;
    default:
        say_other(&words, index);
    }
}

void story_probe(const struct record_probe *probe, char text[STORY_TEXT])
{
    struct words words = {.text = text};
    char value[32];

    text[0] = '\0';
    say(&words, "* %s", probe->name);
    for (unsigned i = 0; i < probe->count; i++)
        say(&words, "%s%s", i > 0 ? ", " : " ", labels_value(probe->arguments[i], 8, value));
}
