/*
 * Text and bytes: the functions of <string.h> and their kin in <stdlib.h>.
 *
 * The system's own are not compiled by us, and what they do with the program's memory would go
 * unnoticed. Each of these tells first which bytes its namesake has to look at and which it writes,
 * as memcpy does (runtime_memory.c), and then has the work done. It tells no more than the standard
 * lets one expect: strcmp looks at both texts up to where they differ, and whoever writes behind
 * that is no business of it.
 *
 * The compilers know these functions, too, and would rather do some of them in line, where nobody
 * announces anything. They are told not to (control builtins).
 *
 * bsearch is not here: it touches no element itself, and the function that compares them is the
 * program's. qsort moves the elements; it counts as a read and a write of all of them, when it
 * begins.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/explore/runtime.h"

static void reads(const void *address, size_t size, const void *pc)
{
    runtime_access(address, size, 0, pc);
}

static void writes(const void *address, size_t size, const void *pc)
{
    runtime_access(address, size, ACCESS_WRITES, pc);
}

/* The text and the zero behind it; its length. */
static size_t reads_text(const char *text, const void *pc)
{
    size_t length = strlen(text);

    reads(text, length + 1, pc);
    return length;
}

/* The same, where it may end without a zero. */
static size_t reads_at_most(const char *text, size_t most, const void *pc)
{
    size_t length = strnlen(text, most);

    reads(text, length < most ? length + 1 : most, pc);
    return length;
}

/* ---- length ---- */

size_t gpx_strlen(const char *text)
{
    return reads_text(text, CALLER);
}

size_t gpx_strnlen(const char *text, size_t most)
{
    return reads_at_most(text, most, CALLER);
}

/* ---- copying ---- */

char *gpx_strcpy(char *to, const char *from)
{
    size_t length = reads_text(from, CALLER);

    writes(to, length + 1, CALLER);
    return memcpy(to, from, length + 1);
}

char *gpx_stpcpy(char *to, const char *from)
{
    size_t length = reads_text(from, CALLER);

    writes(to, length + 1, CALLER);
    return (char *)memcpy(to, from, length + 1) + length;
}

/* Zeroes fill the rest. */
char *gpx_strncpy(char *to, const char *from, size_t size)
{
    size_t length = reads_at_most(from, size, CALLER);

    writes(to, size, CALLER);
    memset((char *)memcpy(to, from, length) + length, 0, size - length);
    return to;
}

static char *append(char *to, const char *from, size_t length, const void *pc)
{
    size_t before = reads_text(to, pc);

    writes(to + before, length + 1, pc);
    memcpy(to + before, from, length);
    to[before + length] = '\0';
    return to;
}

char *gpx_strcat(char *to, const char *from)
{
    return append(to, from, reads_text(from, CALLER), CALLER);
}

char *gpx_strncat(char *to, const char *from, size_t most)
{
    return append(to, from, reads_at_most(from, most, CALLER), CALLER);
}

void *gpx_mempcpy(void *to, const void *from, size_t size)
{
    reads(from, size, CALLER);
    writes(to, size, CALLER);
    return (char *)memcpy(to, from, size) + size;
}

static char *duplicate(const char *text, size_t length, const void *pc)
{
    char *copy = runtime_allocate(length + 1, pc);

    if (!copy)
        return NULL;
    writes(copy, length + 1, pc);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *gpx_strdup(const char *text)
{
    return duplicate(text, reads_text(text, CALLER), CALLER);
}

char *gpx_strndup(const char *text, size_t most)
{
    return duplicate(text, reads_at_most(text, most, CALLER), CALLER);
}

/* ---- comparing ---- */

static int as_it_is(int letter)
{
    return letter;
}

/* Tells of the bytes up to the first that differs, or the end; the difference of the last two. */
static int compare(const char *left, const char *right, size_t most, int (*folded)(int),
                   const void *pc)
{
    const unsigned char *one = (const unsigned char *)left, *other = (const unsigned char *)right;
    size_t same = 0;

    while (same < most && one[same] != '\0' && folded(one[same]) == folded(other[same]))
        same++;
    reads(left, same < most ? same + 1 : most, pc);
    reads(right, same < most ? same + 1 : most, pc);
    return same < most ? folded(one[same]) - folded(other[same]) : 0;
}

int gpx_strcmp(const char *left, const char *right)
{
    return compare(left, right, SIZE_MAX, as_it_is, CALLER);
}

int gpx_strncmp(const char *left, const char *right, size_t most)
{
    return compare(left, right, most, as_it_is, CALLER);
}

int gpx_strcasecmp(const char *left, const char *right)
{
    return compare(left, right, SIZE_MAX, tolower, CALLER);
}

int gpx_strncasecmp(const char *left, const char *right, size_t most)
{
    return compare(left, right, most, tolower, CALLER);
}

/* ---- searching ---- */

/* Up to what was found, or else the whole text. */
char *gpx_strchr(const char *text, int letter)
{
    char *found = strchr(text, letter);

    reads(text, found ? (size_t)(found - text) + 1 : strlen(text) + 1, CALLER);
    return found;
}

char *gpx_strrchr(const char *text, int letter)
{
    reads_text(text, CALLER);
    return strrchr(text, letter);
}

char *gpx_strstr(const char *text, const char *part)
{
    size_t length = reads_text(part, CALLER);
    char *found = strstr(text, part);

    reads(text, found ? (size_t)(found - text) + length : strlen(text) + 1, CALLER);
    return found;
}

void *gpx_memchr(const void *bytes, int byte, size_t size)
{
    char *found = memchr(bytes, byte, size);

    reads(bytes, found ? (size_t)(found - (const char *)bytes) + 1 : size, CALLER);
    return found;
}

size_t gpx_strspn(const char *text, const char *set)
{
    size_t length = strspn(text, set);

    reads_text(set, CALLER);
    reads(text, length + 1, CALLER);
    return length;
}

size_t gpx_strcspn(const char *text, const char *set)
{
    size_t length = strcspn(text, set);

    reads_text(set, CALLER);
    reads(text, length + 1, CALLER);
    return length;
}

char *gpx_strpbrk(const char *text, const char *set)
{
    size_t length = strcspn(text, set);

    reads_text(set, CALLER);
    reads(text, length + 1, CALLER);
    return text[length] != '\0' ? (char *)text + length : NULL;
}

/* It looks at the text from where it goes on to the end of the next part, and ends that. */
char *gpx_strtok_r(char *text, const char *set, char **rest)
{
    reads_text(set, CALLER);
    runtime_access(rest, sizeof *rest, ACCESS_WRITES, CALLER);
    char *from = text ? text : *rest;
    if (!from)
        return NULL;
    size_t end = strspn(from, set);
    end += strcspn(from + end, set);
    reads(from, end + 1, CALLER);
    if (from[end] != '\0')
        writes(from + end, 1, CALLER);
    return strtok_r(text, set, rest);
}

/* ---- numbers ---- */

/* Up to the byte that is no part of the number. Newer headers call some by another name. */
#define NUMBER(type, work, name, parameter, ...)            \
    type gpx_##name(const char *text, char **end parameter) \
    {                                                       \
        char *stop = (char *)text;                          \
        type value = work(text, &stop __VA_ARGS__);         \
                                                            \
        reads(text, (size_t)(stop - text) + 1, CALLER);     \
        if (end) {                                          \
            writes(end, sizeof *end, CALLER);               \
            *end = stop;                                    \
        }                                                   \
        return value;                                       \
    }
#define COMMA ,
#define INTEGER(type, name)                              \
    NUMBER(type, name, name, COMMA int base, COMMA base) \
    NUMBER(type, name, __isoc23_##name, COMMA int base, COMMA base)

INTEGER(long, strtol)
INTEGER(long long, strtoll)
INTEGER(unsigned long, strtoul)
INTEGER(unsigned long long, strtoull)
NUMBER(float, strtof, strtof, , )
NUMBER(double, strtod, strtod, , )

static long long integer(const char *text, const void *pc)
{
    char *stop;
    long long value = strtoll(text, &stop, 10);

    reads(text, (size_t)(stop - text) + 1, pc);
    return value;
}

int gpx_atoi(const char *text)
{
    return (int)integer(text, CALLER);
}

long gpx_atol(const char *text)
{
    return (long)integer(text, CALLER);
}

long long gpx_atoll(const char *text)
{
    return integer(text, CALLER);
}

double gpx_atof(const char *text)
{
    char *stop;
    double value = strtod(text, &stop);

    reads(text, (size_t)(stop - text) + 1, CALLER);
    return value;
}

/* ---- arrays ---- */

void gpx_qsort(void *array, size_t count, size_t size, int (*order)(const void *, const void *))
{
    reads(array, count * size, CALLER);
    writes(array, count * size, CALLER);
    qsort(array, count, size, order);
}
