/* See words.h. */
#include "harness/report/words.h"

#include <errno.h>
#include <getopt.h>
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

/* ---- options ---- */

/* How many letters have to be put in, taken out or replaced. */
static size_t distance(const char *from, const char *to)
{
    enum {
        LONGEST = 32
    };
    size_t row[LONGEST + 1], length = strlen(to);

    if (length > LONGEST)
        return SIZE_MAX;
    for (size_t i = 0; i <= length; i++)
        row[i] = i;
    for (size_t i = 0; from[i]; i++) {
        size_t corner = row[0]++;
        for (size_t j = 0; j < length; j++) {
            size_t best = corner + (from[i] != to[j]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            corner = row[j + 1];
            row[j + 1] = corner + 1 < best ? corner + 1 : best;
        }
    }
    return row[length];
}

/* The known option that is most like it; NULL: none is. */
static const char *nearest(const char *name, const struct option *known)
{
    size_t best = strlen(name) / 2 + 1;
    const char *found = NULL;

    for (; known->name; known++) {
        size_t far = distance(name, known->name);
        if (far < best) {
            best = far;
            found = known->name;
        }
    }
    return found;
}

static void refuse_option(const char *program, const char *word, const struct option *known)
{
    char name[64];

    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    const char *meant = nearest(name, known);
    if (optopt != 0 && strncmp(word, "--", 2) == 0)
        fprintf(stderr, "%s: --%s takes no argument (see --help)\n", program, name);
    else if (meant)
        fprintf(stderr, "%s: there is no option '%s'; is it --%s? (see --help)\n", program, word,
                meant);
    else
        fprintf(stderr, "%s: there is no option '%s' (see --help)\n", program, word);
}

int words_next(const char *program, int count, char **words, const struct option *known)
{
    const char *word = optind < count ? words[optind] : "";

    opterr = 0;
    int letter = getopt_long(count, words, "+:", known, NULL);
    if (letter == ':') {
        fprintf(stderr, "%s: %s needs an argument (see --help)\n", program, word);
        return '?';
    }
    if (letter == '?')
        refuse_option(program, word, known);
    return letter;
}

uint64_t words_seed(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
