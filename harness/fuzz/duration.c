/* Durations: what is read can be written, and is the same when read again. */
#include <glasspool/duration.h>

#include <stdlib.h>
#include <string.h>

#include <glasspool/status.h>

#include "harness/fuzz/targets.h"

enum {
    ROOM = 64
};

static void check_text(int64_t nanos)
{
    char whole[ROOM], part[ROOM];
    int length = gp_duration_text(nanos, whole, sizeof(whole));

    promise(length > 0 && length < ROOM && strlen(whole) == (size_t)length);
    for (size_t room = 1; room <= (size_t)length; room += 3) {
        promise(gp_duration_text(nanos, part, room) == length);
        promise(strlen(part) == room - 1 && strncmp(part, whole, room - 1) == 0);
    }
    promise(gp_duration_text(nanos, NULL, 0) == length);

    int64_t again = -1;
    promise(gp_duration_parse(whole, &again, NULL) == GP_OK && again == nanos);
}

void fuzz_duration(const uint8_t *bytes, size_t size)
{
    char *text = string_of(bytes, size);
    gp_duration_error error = {0};
    int64_t nanos = -1;
    int status = gp_duration_parse(text, &nanos, &error);

    promise(gp_duration_parse(text, &(int64_t){0}, NULL) == status);
    if (status == GP_OK) {
        promise(nanos >= 0);
        check_text(nanos);
    } else {
        promise(status == GP_EINVAL && nanos == -1);
        promise(error.reason && *error.reason && error.position <= strlen(text));
    }
    free(text);
}
