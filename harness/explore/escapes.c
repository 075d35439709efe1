/*
 * See escapes.h.
 *
 * Atomics and pthread_create look at each pointer that passes through them (runtime_pass_on). A
 * plain store does not: it is announced without its value. So what plain stores have left is
 * looked for later: in the program's global variables and blocks when the program ends, and in a
 * block before it is freed. An execution with one thread has no need of that. A variable that has
 * its first value has no such address either: an initialiser cannot name one.
 *
 * Only the program's own memory is looked at. The system's library and the harness keep addresses
 * for themselves, in other places. Stacks are left out: the compilers keep addresses of
 * thread-local variables there, for the thread whose stack it is.
 *
 * What is missed: an address that was overwritten before the end; one that another thread finds on
 * the stack of the thread that has put it there; one that a thread returns to the thread that
 * joins it.
 */
#include "harness/explore/escapes.h"

#include <string.h>

#include "harness/explore/variables.h"

#define WHY                                                                                      \
    "the address of a thread-local variable; here all threads have theirs at the same address, " \
    "so use another kind"

/* The first word that has such an address; NULL: none has. */
static const void *find_escape(const void *start, size_t size)
{
    const unsigned char *bytes = start;

    for (size_t at = 0; at + sizeof(void *) <= size; at += sizeof(void *)) {
        const void *pointer;
        memcpy(&pointer, bytes + at, sizeof pointer);
        if (globals_is_thread_local((uintptr_t)arena_untagged(pointer)))
            return bytes + at;
    }
    return NULL;
}

static _Noreturn void stop_at_variable(const void *place)
{
    struct variable variable;

    if (!variables_find(place, &variable))
        machine_stop_at(LIMIT_CALLS, "a global variable has " WHY);
    if (variable.offset == 0)
        machine_stop_at(LIMIT_CALLS, "the global variable %s has " WHY, variable.name);
    machine_stop_at(LIMIT_CALLS, "the global variable %s has, %zu bytes into it, " WHY,
                    variable.name, variable.offset);
}

void escapes_check_block(const struct arena_block *block)
{
    size_t room = (block->units - 1) * (size_t)ARENA_UNIT; /* its size may have a mark: leaks.c */

    if (!find_escape(block + 1, room))
        return;
    machine.culprit = block->pc;
    machine_stop_at(LIMIT_CALLS, "the block that was allocated here has " WHY);
}

void escapes_check_all(void)
{
    const struct arena_block *block;
    const void *start;
    size_t size;

    for (size_t at = 0; globals_next_change(&at, &start, &size);) {
        const void *place = find_escape(start, size);
        if (place)
            stop_at_variable(place);
    }
    for (size_t unit = 0; (block = arena_next_block(&unit));)
        escapes_check_block(block);
}
