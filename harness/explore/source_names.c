/* See source_names.h. */
#include "harness/explore/source_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/explore/symbols.h"

enum {
    LINES_BACK = 3 /* that a call may be spread over */
};

static bool is_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* The first argument of a call, or an operand, without what is in brackets and what is called with
   them: of &links_of(task)->index[i], "index". */
static void copy_expression(const char *at, char text[SOURCE_NAME])
{
    size_t length = 0;
    int depth = 0;

    for (; *at && length + 1 < SOURCE_NAME; at++) {
        bool closes = *at == ']' || *at == ')';
        if (depth == 0 && (*at == ',' || *at == ';' || closes))
            break;
        while (*at == '(' && depth == 0 && length > 0 && text[length - 1] != '.')
            length--;
        depth += (*at == '[' || *at == '(') - closes;
        if (depth > 0 || closes)
            continue;
        if (strncmp(at, "->", 2) == 0) {
            text[length++] = '.';
            at++;
        } else if (is_word(*at) || *at == '.') {
            text[length++] = *at;
        }
    }
    text[length] = '\0';
    if (text[0] == '.')
        memmove(text, text + 1, length);
}

/* ---- calls ---- */

/* Whether what is done is what a function of this name does. */
static bool does(const char *function, size_t length, enum op_kind op)
{
    static const char *const verbs[OP_KINDS][3] = {
        [OP_LOAD] = {"load"},
        [OP_STORE] = {"store", "clear", "atomic_init"},
        [OP_RMW] = {"fetch", "atomic_exchange", "test_and_set"},
        [OP_CAS] = {"compare_exchange"},
        [OP_LOCK] = {"_lock"},
        [OP_TIMEDLOCK] = {"timedlock", "clocklock"},
        [OP_TRYLOCK] = {"trylock"},
        [OP_UNLOCK] = {"_unlock"},
        [OP_WAIT] = {"wait"},
        [OP_WAKE] = {"wait"},
        [OP_SIGNAL] = {"signal"},
        [OP_BROADCAST] = {"broadcast"},
        [OP_SPIN_LOCK] = {"_lock"},
        [OP_SPIN_UNLOCK] = {"_unlock"},
        [OP_READ_LOCK] = {"rdlock"},
        [OP_WRITE_LOCK] = {"wrlock"},
        [OP_RW_UNLOCK] = {"_unlock"},
        [OP_SEM_WAIT] = {"wait"},
        [OP_SEM_POST] = {"post"},
        [OP_BARRIER_ENTER] = {"wait"},
        [OP_BARRIER_LEAVE] = {"wait"},
        [OP_ONCE] = {"once"},
    };

    for (int i = 0; i < 3 && verbs[op][i]; i++) {
        const char *verb = strstr(function, verbs[op][i]);
        if (verb && verb + strlen(verbs[op][i]) <= function + length)
            return true;
    }
    return false;
}

/* The next call of a function for objects of this kind; its length without the bracket. */
static const char *find_call(const char *line, enum label_kind kind, size_t *length)
{
    static const char *const calls[] = {"atomic_", "pthread_", "sem_"};
    const char *wanted = calls[kind == LABEL_ATOMIC ? 0 : kind == LABEL_SEMAPHORE ? 2 : 1];

    for (const char *at = line; (at = strstr(at, wanted)) != NULL; at++) {
        *length = 0;
        while (is_word(at[*length]))
            ++*length;
        if (at[*length] == '(' && (at == line || !is_word(at[-1]) || at[-1] == '_'))
            return at;
    }
    return NULL;
}

enum found {
    NONE,
    ONE,
    SEVERAL
};

/* What the calls on the line that do the op, or all of them, are about. */
static enum found read_calls(const char *line, enum label_kind kind, enum op_kind op,
                             bool whatever_they_do, char name[SOURCE_NAME])
{
    enum found found = NONE;
    char other[SOURCE_NAME];
    size_t length;

    for (const char *at = line; (at = find_call(at, kind, &length)) != NULL; at += length) {
        if (!whatever_they_do && !does(at, length, op))
            continue;
        copy_expression(at + length + 1, other);
        if (found == ONE && strcmp(name, other) != 0)
            return SEVERAL;
        memcpy(name, other, sizeof other);
        found = ONE;
    }
    return found;
}

/* ---- operators ---- */

static bool is_operand(char letter)
{
    return is_word(letter) || strchr(".->[]", letter) != NULL;
}

/* What the line assigns to or counts up; a variable that it declares does not count. */
static bool read_target(const char *line, char name[SOURCE_NAME])
{
    static const char *const operators[] = {"++", "--", " += ", " -= ", " |= ", " &= ", " = "};

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const char *end = strstr(line, operators[i]), *start = end;
        if (!end || strstr(end + 1, operators[i]))
            continue;
        while (start > line && is_operand(start[-1]) && strncmp(start - 1, "--", 2) != 0)
            start--;
        const char *before = start;
        while (before > line && before[-1] == ' ')
            before--;
        bool declares = before < start && before > line && (is_word(before[-1]) || *start == '*');
        if (start == end || declares || end - start >= SOURCE_NAME)
            continue;
        char operand[SOURCE_NAME];
        snprintf(operand, sizeof operand, "%.*s", (int)(end - start), start);
        copy_expression(operand, name);
        return name[0] != '\0';
    }
    return false;
}

/* What the line returns or assigns, if that is one thing and not a sum of several. */
static bool read_source(const char *line, char name[SOURCE_NAME])
{
    const char *equals = strstr(line, " = "), *returns = strstr(line, "return ");
    const char *start = equals ? equals + 3 : returns ? returns + 7 : NULL, *end = start;

    if (!start || (equals && strstr(start, " = ")))
        return false;
    end += *end == '*';
    while (*end && is_operand(*end))
        end++;
    if (*end != ';' || isdigit((unsigned char)*start))
        return false;
    copy_expression(start, name);
    return name[0] != '\0';
}

bool source_name(enum label_kind kind, enum op_kind op, const struct record_stack *stack,
                 char name[SOURCE_NAME])
{
    size_t count = 0;
    const struct frame *known = stack->count > 0 ? symbols_at(stack->frames[0], &count) : NULL;
    enum found found = NONE;

    if (count == 0)
        return false;
    struct frame frame = known[0];
    const char *first = symbols_source(&frame);
    for (int i = 0; kind != LABEL_MEMORY && found == NONE && i < LINES_BACK && frame.line > 0;
         i++, frame.line--) {
        const char *line = symbols_source(&frame);
        found = line ? read_calls(line, kind, op, false, name) : NONE;
        if (line && found == NONE)
            found = read_calls(line, kind, op, true, name);
    }
    if (found != NONE)
        return found == ONE && name[0] != '\0';
    if (!first || (kind != LABEL_ATOMIC && kind != LABEL_MEMORY))
        return false;
    return op == OP_LOAD ? read_source(first, name) : read_target(first, name);
}
