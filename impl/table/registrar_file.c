/* What the registrar takes from outside: the bytes of a file, and the environment. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <glasspool/status.h>

#include "zone/file.h"
#include "table/registrar.h"

extern char **environ; /* POSIX leaves it to us to declare it */

#define FIRST_ROOM 4096
#define LAST_ROOM  (GP__FILE_MAX + 1) /* enough to see that it has more than it may */

static const char *reason_of(int error)
{
    switch (error) {
    case ENOENT:
        return "there is no such file";
    case EACCES:
        return "it may not be read: permission denied";
    case EISDIR:
        return "it is a directory";
    default:
        return "it cannot be read";
    }
}

struct contents {
    char *text; /* with a NUL behind it */
    size_t length;
    size_t room; /* for the text alone */
};

static bool grow(struct contents *contents)
{
    size_t room = contents->room == 0 ? FIRST_ROOM : 2 * contents->room;
    if (room > LAST_ROOM)
        room = LAST_ROOM;
    char *text = realloc(contents->text, room + 1);
    if (text == NULL)
        return false;
    contents->text = text;
    contents->room = room;
    return true;
}

/* To its end, or until it is too long. GP_EINVAL: see errno. */
static int read_contents(int descriptor, struct contents *contents)
{
    while (contents->length == contents->room && contents->room < LAST_ROOM) {
        if (!grow(contents))
            return GP_ENOMEM;
        ssize_t count = gp__file_read(descriptor, contents->text + contents->length,
                                      contents->room - contents->length);
        if (count < 0)
            return GP_EINVAL;
        contents->length += (size_t)count;
    }
    contents->text[contents->length] = '\0';
    return GP_OK;
}

int gp__read_file(struct gp__complaints *complaints, const char *file, char **text, size_t *size)
{
    struct gp__place place = {.source = file};
    struct contents contents = {0};
    int descriptor = gp__file_open(file, 0);
    int status = descriptor < 0 ? GP_EINVAL : read_contents(descriptor, &contents);
    if (status == GP_EINVAL)
        gp__complain(complaints, &place, "%s", reason_of(errno));
    if (status == GP_OK && contents.length > GP__FILE_MAX) {
        gp__complain(complaints, &place, "it has more than %d bytes", GP__FILE_MAX);
        status = GP_EINVAL;
    }
    if (descriptor >= 0)
        close(descriptor);
    if (status != GP_OK) {
        free(contents.text);
        return status;
    }
    *text = contents.text;
    *size = contents.length;
    return GP_OK;
}

const char *gp__variable(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || *value == '\0' ? NULL : value;
}

void gp__each_variable(struct gp__planner *planner, gp__variable_fn *each)
{
    for (char **at = environ; at != NULL && *at != NULL; at++)
        each(planner, *at);
}
