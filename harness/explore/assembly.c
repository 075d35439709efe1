/* The places, one string after the other. Where a function was inlined they come more than once. */
#include "harness/explore/assembly.h"

#include <stdint.h>
#include <string.h>

extern const char __start_gpx_assembly[] __attribute__((weak)),
    __stop_gpx_assembly[] __attribute__((weak));

static bool is_at_end(const char *place)
{
    return (uintptr_t)place >= (uintptr_t)__stop_gpx_assembly;
}

bool assembly_is_there(void)
{
    return !is_at_end(__start_gpx_assembly);
}

static const char *next(const char *place)
{
    return place + strlen(place) + 1;
}

static bool is_first(const char *place)
{
    for (const char *before = __start_gpx_assembly; before < place; before = next(before))
        if (strcmp(before, place) == 0)
            return false;
    return true;
}

void assembly_write_places(FILE *file)
{
    enum {
        SHOWN = 8
    };
    unsigned count = 0;

    for (const char *place = __start_gpx_assembly; !is_at_end(place); place = next(place)) {
        if (!is_first(place))
            continue;
        if (count < SHOWN)
            fprintf(file, "%s%s", count > 0 ? ", " : "", place);
        count++;
    }
    if (count > SHOWN)
        fprintf(file, " and %u more", count - SHOWN);
}
