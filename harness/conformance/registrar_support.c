#include "registrar_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glasspool/status.h>

#include "suite.h"

void tab_write(struct tab *tab, const char *text, size_t size)
{
    strcpy(tab->path, "/tmp/tab-XXXXXX");
    int descriptor = mkstemp(tab->path);
    require(descriptor >= 0);
    require(write(descriptor, text, size) == (ssize_t)size);
    close(descriptor);
}

void tab_say(struct tab *tab, const char *text)
{
    tab_write(tab, text, strlen(text));
}

void tab_end(struct tab *tab)
{
    unlink(tab->path);
}

const char *errors_text(const gp_registrar_errors *errors)
{
    static char text[16384];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < errors->count && length < sizeof text; i++) {
        const gp_registrar_error *error = &errors->errors[i];
        bool is_file = strncmp(error->source, "/tmp/tab-", 9) == 0;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s:%zu:%zu: %s: %s\n",
                                   is_file ? "tab" : error->source, error->line, error->column,
                                   error->name == NULL ? "-" : error->name, error->text);
    }
    return text;
}

void expect_errors(const gp_registrar_config *config, const char *errors)
{
    gp_registrar_errors got = {0, NULL};
    gp_registrar_config asked = *config;
    asked.errors = &got;
    check_status(gp_registrar_check(&asked), *errors == '\0' ? GP_OK : GP_EINVAL);
    check_text(errors_text(&got), errors);
    gp_registrar_errors_free(&got);
    check(got.count == 0 && got.errors == NULL);
    asked.errors = NULL;
    check_status(gp_registrar_check(&asked), *errors == '\0' ? GP_OK : GP_EINVAL);
}

void expect_file_errors(const gp_declared *entries, size_t count, const char *text,
                        const char *errors)
{
    struct tab tab;
    tab_say(&tab, text);
    gp_registrar_config config = {.entries = entries, .count = count, .file = tab.path};
    check_within(text);
    expect_errors(&config, errors);
    check_within(NULL);
    tab_end(&tab);
}

static void name_of(const char *variable, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)strcspn(variable, "="), variable);
}

void with_environment(const char *const *variables, void (*run)(void))
{
    enum {
        MOST = 8
    };
    char name[256];
    char *before[MOST] = {NULL};
    for (int i = 0; variables[i] != NULL; i++) {
        require(i < MOST);
        name_of(variables[i], name, sizeof name);
        const char *old = getenv(name);
        before[i] = old == NULL ? NULL : strdup(old);
        setenv(name, strchr(variables[i], '=') + 1, 1);
    }
    run();
    for (int i = 0; variables[i] != NULL; i++) {
        name_of(variables[i], name, sizeof name);
        if (before[i] == NULL)
            unsetenv(name);
        else
            setenv(name, before[i], 1);
        free(before[i]);
    }
}

int do_nothing_at_all(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return 0;
}
