/*
 * Text that is put together and taken apart by a format: the s*printf and s*scanf families.
 *
 * What is printed is written as a whole, with the zero behind it, as far as there is room. Before
 * that the format is read once more, to find the texts among the arguments: those are read, too, by
 * printf and fprintf as well (runtime_system.c). A format with numbered arguments ("%2$s"), or with
 * a conversion that is not known here, is read up to there.
 *
 * Of a scan the text is read as a whole. What was written is told afterwards, when it is known how
 * far the scan came: up to a conversion that is not known here, such as "%ms", which allocates.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/runtime.h"

/* ---- arguments ---- */

/* What stands between the % and the letter. */
struct conversion {
    int precision; /* of a scan: its width; -1: none */
    const char *length;
    size_t length_size;
    char letter; /* '\0': not known */
};

/* Decimal digits, or an asterisk, for which there is an argument. -1: neither. */
static int number(const char **format, va_list *arguments)
{
    char *end;

    if (**format == '*') {
        ++*format;
        return va_arg(*arguments, int);
    }
    if (**format < '0' || **format > '9')
        return -1;
    int value = (int)strtol(*format, &end, 10);
    *format = end;
    return value;
}

static struct conversion next_conversion(const char **format, va_list *arguments)
{
    struct conversion conversion = {.precision = -1};

    *format += strspn(*format, "-+ #0'I");
    number(format, arguments);
    if (**format == '.') {
        ++*format;
        conversion.precision = number(format, arguments);
        if (conversion.precision < 0 && (*format)[-1] == '.')
            conversion.precision = 0;
    }
    conversion.length = *format;
    conversion.length_size = strspn(*format, "hlLqjzt");
    *format += conversion.length_size;
    conversion.letter = **format;
    *format += conversion.letter != '\0';
    return conversion;
}

static bool has_length(const struct conversion *conversion, char letter)
{
    return memchr(conversion->length, letter, conversion->length_size) != NULL;
}

static void skip_integer(const struct conversion *conversion, va_list *arguments)
{
    bool twice = conversion->length_size > 1 && has_length(conversion, 'l');

    if (twice || has_length(conversion, 'j') || has_length(conversion, 'q'))
        (void)va_arg(*arguments, long long);
    else if (has_length(conversion, 'l') || has_length(conversion, 'z') ||
             has_length(conversion, 't'))
        (void)va_arg(*arguments, long);
    else
        (void)va_arg(*arguments, int);
}

static void read_text(const struct conversion *conversion, const char *text, const void *pc)
{
    size_t most = conversion->precision < 0 ? SIZE_MAX : (size_t)conversion->precision;

    if (!text || conversion->letter != 's' || conversion->length_size > 0)
        return; /* "(null)"; a pointer; letters of another kind */
    size_t length = strnlen(text, most);
    runtime_access(text, length < most ? length + 1 : most, 0, pc);
}

/* False: not known. */
static bool use_argument(const struct conversion *conversion, va_list *arguments, const void *pc)
{
    switch (conversion->letter) {
    case '%':
    case 'm':
        return true;
    case 'c':
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        skip_integer(conversion, arguments);
        return true;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (has_length(conversion, 'L'))
            (void)va_arg(*arguments, long double);
        else
            (void)va_arg(*arguments, double);
        return true;
    case 's':
    case 'p':
        read_text(conversion, va_arg(*arguments, const char *), pc);
        return true;
    default:
        return false;
    }
}

void runtime_read_arguments(const char *format, va_list arguments, const void *pc)
{
    bool known = true;
    va_list own;

    runtime_access(format, strlen(format) + 1, 0, pc);
    va_copy(own, arguments);
    while (known && (format = strchr(format, '%'))) {
        format++;
        struct conversion conversion = next_conversion(&format, &own);
        known = use_argument(&conversion, &own, pc);
    }
    va_end(own);
}

/* ---- printing ---- */

/* The length of what is printed; less than 0: it cannot be. */
static int announce_print(char *to, size_t room, const char *format, va_list arguments,
                          const void *pc)
{
    va_list own;

    runtime_read_arguments(format, arguments, pc);
    va_copy(own, arguments);
    int length = vsnprintf(NULL, 0, format, own);
    va_end(own);
    if (length >= 0 && room > 0)
        runtime_access(to, (size_t)length < room ? (size_t)length + 1 : room, ACCESS_WRITES, pc);
    return length;
}

static int print_in(char *to, size_t room, const char *format, va_list arguments, const void *pc)
{
    announce_print(to, room, format, arguments, pc);
    return vsnprintf(to, room, format, arguments);
}

static int print_to(char *to, const char *format, va_list arguments, const void *pc)
{
    announce_print(to, SIZE_MAX, format, arguments, pc);
    return vsprintf(to, format, arguments);
}

/* In a block of its own. */
static int print_anew(char **to, const char *format, va_list arguments, const void *pc)
{
    int length = announce_print(NULL, 0, format, arguments, pc);
    char *text = length < 0 ? NULL : runtime_allocate((size_t)length + 1, pc);

    if (!text)
        return -1;
    runtime_access(text, (size_t)length + 1, ACCESS_WRITES, pc);
    runtime_access(to, sizeof *to, ACCESS_WRITES, pc);
    *to = text;
    return vsnprintf(text, (size_t)length + 1, format, arguments);
}

#define WITH_ARGUMENTS(call)     \
    va_list arguments;           \
    va_start(arguments, format); \
    int result = call;           \
    va_end(arguments);           \
    return result

__attribute__((format(printf, 3, 4))) int gpx_snprintf(char *to, size_t room, const char *format,
                                                       ...)
{
    WITH_ARGUMENTS(print_in(to, room, format, arguments, CALLER));
}

__attribute__((format(printf, 3, 0))) int gpx_vsnprintf(char *to, size_t room, const char *format,
                                                        va_list arguments)
{
    return print_in(to, room, format, arguments, CALLER);
}

__attribute__((format(printf, 2, 3))) int gpx_sprintf(char *to, const char *format, ...)
{
    WITH_ARGUMENTS(print_to(to, format, arguments, CALLER));
}

__attribute__((format(printf, 2, 0))) int gpx_vsprintf(char *to, const char *format,
                                                       va_list arguments)
{
    return print_to(to, format, arguments, CALLER);
}

__attribute__((format(printf, 2, 3))) int gpx_asprintf(char **to, const char *format, ...)
{
    WITH_ARGUMENTS(print_anew(to, format, arguments, CALLER));
}

__attribute__((format(printf, 2, 0))) int gpx_vasprintf(char **to, const char *format,
                                                        va_list arguments)
{
    return print_anew(to, format, arguments, CALLER);
}

/* ---- scanning ---- */

/* Behind the closing bracket of a set, of which the opening one has been read. */
static const char *end_of_set(const char *format)
{
    format += *format == '^';
    const char *end = *format ? strchr(format + 1, ']') : NULL;
    return end ? end + 1 : format + strlen(format);
}

static struct conversion next_scanned(const char **format)
{
    struct conversion conversion = {.precision = number(format, NULL)};

    conversion.length = *format;
    conversion.length_size = strspn(*format, "hlLqjzt");
    *format += conversion.length_size;
    conversion.letter = **format;
    *format += conversion.letter != '\0';
    if (conversion.letter == '[')
        *format = end_of_set(*format);
    return conversion;
}

static size_t size_of_integer(const struct conversion *conversion)
{
    if (has_length(conversion, 'h'))
        return conversion->length_size > 1 ? sizeof(char) : sizeof(short);
    return conversion->length_size > 0 ? sizeof(long) : sizeof(int);
}

/* What it has written to; 0: not known. */
static size_t size_of_scanned(const struct conversion *conversion, const char *to)
{
    switch (conversion->letter) {
    case 'd':
    case 'i':
    case 'n':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return size_of_integer(conversion);
    case 'a':
    case 'e':
    case 'f':
    case 'g':
        return has_length(conversion, 'L')   ? sizeof(long double)
               : has_length(conversion, 'l') ? sizeof(double)
                                             : sizeof(float);
    case 'c':
        return conversion->length_size > 0 ? 0
               : conversion->precision < 0 ? 1
                                           : (size_t)conversion->precision;
    case 's':
    case '[':
        return conversion->length_size > 0 ? 0 : strlen(to) + 1;
    case 'p':
        return sizeof(void *);
    default:
        return 0;
    }
}

/* What the first `count` conversions have written, and each %n before the next. */
static void tell_scanned(int count, const char *format, va_list *arguments, const void *pc)
{
    while ((format = strchr(format, '%'))) {
        bool kept = *++format != '*';
        format += !kept;
        struct conversion conversion = next_scanned(&format);
        if (!kept || conversion.letter == '%')
            continue;
        if (conversion.letter != 'n' && count-- <= 0)
            return;
        const char *to = va_arg(*arguments, const char *);
        size_t size = size_of_scanned(&conversion, to);
        if (size == 0)
            return;
        runtime_access(to, size, ACCESS_WRITES, pc);
    }
}

static int scan(const char *text, const char *format, va_list arguments, const void *pc)
{
    va_list own;

    runtime_access(text, strlen(text) + 1, 0, pc);
    va_copy(own, arguments);
    int count = vsscanf(text, format, arguments);
    if (count > 0)
        tell_scanned(count, format, &own, pc);
    va_end(own);
    return count;
}

/* The headers call it by the name of the standard that they follow. */
#define SCAN(name)                                                                                 \
    __attribute__((format(scanf, 2, 3))) int gpx_##name(const char *text, const char *format, ...) \
    {                                                                                              \
        WITH_ARGUMENTS(scan(text, format, arguments, CALLER));                                     \
    }

SCAN(sscanf)
SCAN(__isoc99_sscanf)
SCAN(__isoc23_sscanf)
