/* See words.h. */
#include "harness/report/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double longest = 1e9; /* seconds */

bool words_refuse(const char *program, const char *option, const char *word)
{
    fprintf(stderr, "%s: --%s cannot be '%s' (see --help)\n", program, option, word);
    return false;
}

bool words_is_number(const char *word, uint64_t minimum, uint64_t maximum, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(word, &end, 0);
    return end != word && *end == '\0' && errno == 0 && !strchr(word, '-') && *value >= minimum &&
           *value <= maximum;
}

bool words_number(const char *program, const char *option, const char *word, uint64_t minimum,
                  uint64_t maximum, uint64_t *value)
{
    return words_is_number(word, minimum, maximum, value) || words_refuse(program, option, word);
}

bool words_seconds(const char *program, const char *option, const char *word, double *value)
{
    char *end;

    *value = strtod(word, &end);
    return (end != word && *end == '\0' && *value > 0 && *value < longest) ||
           words_refuse(program, option, word);
}

uint64_t words_seed(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
