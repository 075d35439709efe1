/* What the registrar takes from outside: the bytes of a file, and the environment. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <glasspool/status.h>

#include "scheduled/registrar.h"

extern char **environ; /* POSIX leaves it to us to declare it */

/* One byte more than a file may have, to see that it has more, and the NUL behind the text. */
#define BUFFER_SIZE (GP__FILE_MAX + 2)

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

static int open_file(const char *file)
{
    int descriptor;
    do
        descriptor = open(file, O_RDONLY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* How much there is, as far as it fits; less than 0: it cannot be read. */
static ssize_t read_all(int descriptor, char *text, size_t size)
{
    size_t length = 0;
    while (length < size) {
        ssize_t count = read(descriptor, text + length, size - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? count : (ssize_t)length;
        length += (size_t)count;
    }
    return (ssize_t)length;
}

int gp__read_file(struct gp__complaints *complaints, const char *file, char **text, size_t *size)
{
    struct gp__place place = {.source = file};
    char *buffer = malloc(BUFFER_SIZE);
    if (buffer == NULL)
        return GP_ENOMEM;
    int descriptor = open_file(file);
    ssize_t length = descriptor < 0 ? -1 : read_all(descriptor, buffer, GP__FILE_MAX + 1);
    int error = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (length < 0)
        gp__complain(complaints, &place, "%s", reason_of(error));
    else if (length > GP__FILE_MAX)
        gp__complain(complaints, &place, "it has more than %d bytes", GP__FILE_MAX);
    if (length < 0 || length > GP__FILE_MAX) {
        free(buffer);
        return GP_EINVAL;
    }
    buffer[length] = '\0';
    *text = buffer;
    *size = (size_t)length;
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
