/* Support for the tests of the registrar: files, the environment, and errors as text. */
#ifndef CONFORMANCE_REGISTRAR_SUPPORT_H
#define CONFORMANCE_REGISTRAR_SUPPORT_H

#include <stddef.h>

#include <glasspool/registrar.h>

#define GP_COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A file with that text, in a place of its own; tab_end takes it away. */
struct tab {
    char path[32];
};

void tab_write(struct tab *, const char *text, size_t size);
void tab_say(struct tab *, const char *text);
void tab_end(struct tab *);

/* One line for each, "source:line:column: name: text"; of a file the source is "tab", and what has
   no name has "-". The text is one buffer, used again by the next call. */
const char *errors_text(const gp_registrar_errors *);

/* Checks the table, and that these are its errors, all of them and in this order; "": none. */
void expect_errors(const gp_registrar_config *, const char *errors);
void expect_file_errors(const gp_declared *entries, size_t count, const char *text,
                        const char *errors);

/* Runs the function with variables set, "NAME=value" each up to a NULL; then they are as before. */
void with_environment(const char *const *variables, void (*run)(void));

int do_nothing_at_all(void *argument, void **result); /* a function for entries that do not run */

#endif
