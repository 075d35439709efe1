/*
 * The local zone by its name.
 *
 * To the library it is "local", wherever it comes from: a name need not be known to know the hours.
 * But who reads "at 09:30 (local)" in a log wants to know where that was. So the command looks for
 * the name as people do, in TZ or where /etc/localtime leads to, and asks for the zone by that. If
 * it finds none, or none that can be opened, it stays "local".
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* readlink */

#include <glasspool/status.h>

#include "command/command.h"

#define LOCAL_FILE "/etc/localtime"
#define ZONES      "/zoneinfo/"

/* Behind the directory of zones, in a path; NULL: it leads elsewhere. */
static const char *name_in(const char *path)
{
    const char *directory = strstr(path, ZONES);
    return directory == NULL ? NULL : directory + strlen(ZONES);
}

static const char *name_in_variable(const char *value)
{
    value += *value == ':';
    return *value == '\0' ? "UTC" : *value == '/' ? name_in(value) : value;
}

static const char *name_of_file(char path[ZONE_SIZE])
{
    ssize_t length = readlink(LOCAL_FILE, path, ZONE_SIZE - 1);
    path[length > 0 ? length : 0] = '\0';
    return name_in(path);
}

const char *zone_by_name(const char *zone, char path[ZONE_SIZE])
{
    gp_zone *local = NULL;
    if (zone != NULL)
        return zone;
    const char *value = getenv("TZ");
    const char *name = value != NULL ? name_in_variable(value) : name_of_file(path);
    if (name == NULL || gp_zone_open(name, &local) != GP_OK)
        return NULL;
    gp_zone_release(local);
    return name;
}
