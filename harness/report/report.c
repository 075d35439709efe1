/* What all reports share. */
#include "harness/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

size_t report_count(const struct report *report, enum verdict verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < report->count; i++)
        count += report->results[i].verdict == verdict;
    return count;
}

bool report_write(const char *path, report_fn *write, const struct report *report)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (!file)
        return false;
    write(file, report);
    bool written = fflush(file) == 0 && !ferror(file);
    if (file != stdout)
        written = fclose(file) == 0 && written;
    return written;
}

bool report_complain_of(const char *program, const char *path)
{
    fprintf(stderr, "%s: cannot write '%s': %s\n", program, path, strerror(errno));
    return false;
}

bool report_can_write(const char *program, const char *path)
{
    if (!path || strcmp(path, "-") == 0)
        return true;
    FILE *file = fopen(path, "a");
    return file ? fclose(file) == 0 : report_complain_of(program, path);
}

const char *report_grouped(uint64_t number)
{
    static char texts[4][32];
    static unsigned turn;
    char *text = texts[turn++ % 4], digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t out = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

const char *report_counted(uint64_t number, const char *noun)
{
    static char texts[4][64];
    static unsigned turn;
    char *text = texts[turn++ % 4];

    snprintf(text, sizeof texts[0], "%s %s%s", report_grouped(number), noun,
             number == 1 ? "" : "s");
    return text;
}

double report_rate(const struct result *result)
{
    return result->seconds > 0 ? (double)result->iterations / result->seconds : 0;
}

/* XML 1.0 has no way to write most control characters, not even escaped. */
static void write_character(FILE *file, unsigned char character)
{
    switch (character) {
    case '<':
        fputs("&lt;", file);
        break;
    case '>':
        fputs("&gt;", file);
        break;
    case '&':
        fputs("&amp;", file);
        break;
    case '"':
        fputs("&quot;", file);
        break;
    default:
        fputc(character < 0x20 && character != '\n' && character != '\t' ? '?' : character, file);
    }
}

void report_markup(FILE *file, const char *text)
{
    for (; *text; text++)
        write_character(file, (unsigned char)*text);
}
