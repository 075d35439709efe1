/*
 * Opening a zone by its name: where the files are, and which one is the local zone's.
 *
 * Of all that concerns zones this file alone reads files and the environment. It does so when a
 * zone is opened and at no other time; a change of TZ, or of the tables, is seen by the zones that
 * are opened after it.
 *
 *   [OPEN-1] A name leads to a file below the directory of zones and to no other: it has no empty
 *            part, none of dots, no sign but letters, digits, _ + - and a dot within a part. A name
 *            may come from a user.
 *   [OPEN-2] What is opened is a regular file of a sensible size. A device or a pipe under that
 *            name is neither waited for nor read.
 *   [OPEN-3] That there is no file is one thing, that it cannot be opened now another: a process
 *            out of descriptors must not take the local zone for UTC.
 *
 * TZ is the word of whoever started the program, and may say more than a name: a path
 * (":/etc/localtime" is common), or a rule. As a file it is tried first: "EST5EDT" is one. TZ that
 * is set and empty is UTC. What it says is meant: a TZ that leads nowhere is an error here, where
 * the C library silently takes UTC.
 *
 * "UTC" and "Etc/UTC" need no file. Not so "GMT": it has the same hours, but the name of a zone.
 */
#include "zone/zone.h"

#include <errno.h>
#include <fcntl.h> /* O_NONBLOCK */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* close */

#include <glasspool/status.h>

#include "zone/file.h"

#define DIRECTORY    "/usr/share/zoneinfo"
#define LOCAL_FILE   "/etc/localtime"
#define LOCAL_NAME   "local"
#define LONGEST_NAME 100
#define PATH_SIZE    1024
#define LARGEST_FILE (1 << 20)

/* Files. */

static int read_zone(const char *name, int file, gp_zone **out)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) /* [OPEN-2] */
        return GP_ENOTFOUND;
    if (about.st_size <= 0 || about.st_size > LARGEST_FILE)
        return GP_ENOTSUP;
    size_t size = (size_t)about.st_size;
    char *data = malloc(size);
    if (data == NULL)
        return GP_ENOMEM;
    bool complete = gp__file_read(file, data, size) == (ssize_t)size;
    int status = complete ? gp_zone_of_data(name, data, size, out) : GP_ENOTSUP;
    free(data);
    return status;
}

/* [OPEN-3] */
static bool means_no_file(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG ||
           error == ENXIO;
}

static int open_path(const char *name, const char *path, gp_zone **out)
{
    int file = gp__file_open(path, O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return means_no_file(errno) ? GP_ENOTFOUND : GP_ENOTSUP;
    int status = read_zone(name, file, out);
    close(file);
    return status;
}

/* Names: [OPEN-1]. */

static bool is_sign(char sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
           (sign >= '0' && sign <= '9') || sign == '_' || sign == '+' || sign == '-';
}

/* The part of a name up to a slash, or to the end; 0: it is none. */
static size_t part_length(const char *part)
{
    size_t length = 0;
    while (is_sign(part[length]) || (length > 0 && part[length] == '.'))
        length++;
    return part[length] == '/' || part[length] == '\0' ? length : 0;
}

static bool is_name(const char *name)
{
    const char *part = name;
    for (;;) {
        size_t length = part_length(part);
        if (length == 0)
            return false;
        part += length;
        if (*part == '\0')
            return part - name <= LONGEST_NAME;
        part++;
    }
}

static bool is_utc(const char *name)
{
    return strcmp(name, "UTC") == 0 || strcmp(name, "Etc/UTC") == 0;
}

static int make_utc(const char *name, gp_zone **out)
{
    const struct gp__local_type utc = {.abbreviation = "UTC"};
    int status = gp__zone_new(name, 0, 1, out);
    if (status == GP_OK)
        gp__zone_add_type(*out, &utc);
    return status;
}

/* Onto the end of a path, if there is room for it. */
static bool add_to(char path[PATH_SIZE], size_t *length, const char *text)
{
    for (; *text != '\0' && *length < PATH_SIZE - 1; text++)
        path[(*length)++] = *text;
    path[*length] = '\0';
    return *text == '\0';
}

/* called: what gp_zone_name is to say. */
static int open_name(const char *called, const char *name, gp_zone **out)
{
    if (!is_name(name))
        return GP_EINVAL;
    if (is_utc(name))
        return make_utc(called, out);
    const char *directory = getenv("TZDIR");
    if (directory == NULL || *directory == '\0')
        directory = DIRECTORY;
    char path[PATH_SIZE];
    size_t length = 0;
    if (!add_to(path, &length, directory) || !add_to(path, &length, "/") ||
        !add_to(path, &length, name))
        return GP_ENOTFOUND;
    return open_path(called, path, out);
}

/* The local zone. */

static int open_variable(const char *value, gp_zone **out)
{
    struct gp__rule rule;
    bool is_file = *value == ':';
    value += is_file;
    if (*value == '\0')
        return make_utc(LOCAL_NAME, out);
    if (*value == '/')
        return open_path(LOCAL_NAME, value, out);
    int status = open_name(LOCAL_NAME, value, out);
    if (is_file || (status != GP_EINVAL && status != GP_ENOTFOUND) ||
        !gp__rule_read(value, strlen(value), &rule))
        return status;
    status = gp__zone_new(LOCAL_NAME, GP__RULE_TRANSITIONS, 2, out);
    if (status == GP_OK)
        gp__rule_extend(&rule, *out, INT64_MIN);
    return status;
}

static int open_local(gp_zone **out)
{
    const char *value = getenv("TZ");
    if (value != NULL)
        return open_variable(value, out);
    int status = open_path(LOCAL_NAME, LOCAL_FILE, out);
    return status == GP_ENOTFOUND ? make_utc(LOCAL_NAME, out) : status;
}

int gp_zone_open(const char *name, gp_zone **out)
{
    if (out == NULL)
        return GP_EINVAL;
    return name == NULL ? open_local(out) : open_name(name, name, out);
}
