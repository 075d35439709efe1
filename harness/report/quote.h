/* Text as JSON wants it. */
#ifndef HARNESS_REPORT_QUOTE_H
#define HARNESS_REPORT_QUOTE_H

#include <stdio.h>

void report_quote(FILE *, const char *text);                          /* "text" */
void report_quote_member(FILE *, const char *key, const char *value); /* "key": "value" */

#endif
