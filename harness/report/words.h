/* Words of a command line: read to the last character, or refused with the name of the option. */
#ifndef HARNESS_REPORT_WORDS_H
#define HARNESS_REPORT_WORDS_H

#include <stdbool.h>
#include <stdint.h> /* uint64_t */

bool words_refuse(const char *program, const char *option, const char *word); /* says so; false */
bool words_is_number(const char *word, uint64_t minimum, uint64_t maximum, uint64_t *value);
/* False: refused. */
bool words_number(const char *program, const char *option, const char *word, uint64_t minimum,
                  uint64_t maximum, uint64_t *value);
bool words_seconds(const char *program, const char *option, const char *word, double *value);

struct option; /* getopt.h */

/* The letter of the next option, its argument in optarg; -1: there are no more; '?': there is
   something else, and it has said what is wrong with it. Options come first, and are long. */
int words_next(const char *program, int count, char **words, const struct option *known);

uint64_t words_seed(void); /* from the clock, for whoever was given none */

#endif
