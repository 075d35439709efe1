/* Assertions that say what they saw, handed to CUnit. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>
#include <glasspool/status.h>

#define MESSAGE_SIZE 512

static const char *shown;

void check_within(const char *context)
{
    shown = context;
}

static void hand_over(bool holds, const char *message, bool fatal, const char *file, unsigned line)
{
    char text[MESSAGE_SIZE + 64];
    snprintf(text, sizeof text, "%s%s%s", shown == NULL ? "" : shown, shown == NULL ? "" : ": ",
             holds ? "" : message);
    CU_assertImplementation(holds ? CU_TRUE : CU_FALSE, line, text, file, "",
                            fatal ? CU_TRUE : CU_FALSE);
}

void check_true(bool holds, const char *expression, bool fatal, const char *file, unsigned line)
{
    hand_over(holds, expression, fatal, file, line);
}

void check_integers(intmax_t actual, intmax_t expected, const char *expression, const char *file,
                    unsigned line)
{
    char message[MESSAGE_SIZE] = "";
    if (actual != expected)
        snprintf(message, sizeof message, "%s is %jd, expected %jd", expression, actual, expected);
    hand_over(actual == expected, message, false, file, line);
}

void check_codes(int actual, int expected, const char *expression, bool fatal, const char *file,
                 unsigned line)
{
    char message[MESSAGE_SIZE] = "";
    if (actual != expected)
        snprintf(message, sizeof message, "%s gave %d (%s), expected %d (%s)", expression, actual,
                 gp_strerror(actual), expected, gp_strerror(expected));
    hand_over(actual == expected, message, fatal, file, line);
}

void check_strings(const char *actual, const char *expected, const char *expression,
                   const char *file, unsigned line)
{
    char message[MESSAGE_SIZE] = "";
    bool same = actual != NULL && strcmp(actual, expected) == 0;
    if (!same)
        snprintf(message, sizeof message, "%s is \"%s\", expected \"%s\"", expression,
                 actual == NULL ? "(null)" : actual, expected);
    hand_over(same, message, false, file, line);
}

bool is_slow(void)
{
    const char *slow = getenv("GP_SLOW");
    return slow != NULL && *slow != '\0' && strcmp(slow, "0") != 0;
}

unsigned scaled(unsigned rounds)
{
    unsigned affordable = is_slow() ? rounds / 20 : rounds;
    return affordable == 0 ? 1 : affordable;
}
