/* See file.h. */
#include "zone/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int gp__file_open(const char *path, int flags)
{
    int file;
    do
        file = open(path, O_RDONLY | O_CLOEXEC | flags);
    while (file < 0 && errno == EINTR);
    return file;
}

ssize_t gp__file_read(int file, char *data, size_t size)
{
    size_t length = 0;
    while (length < size) {
        ssize_t count = read(file, data + length, size - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? count : (ssize_t)length;
        length += (size_t)count;
    }
    return (ssize_t)length;
}
