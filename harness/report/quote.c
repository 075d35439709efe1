/* See quote.h. Bytes from 0x80 on are taken for UTF-8, and passed on. */
#include "harness/report/quote.h"

static void write_character(FILE *file, unsigned char character)
{
    if (character == '"' || character == '\\')
        fprintf(file, "\\%c", character);
    else if (character == '\n')
        fputs("\\n", file);
    else if (character < 0x20)
        fprintf(file, "\\u%04x", character);
    else
        fputc(character, file);
}

void report_quote(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        write_character(file, (unsigned char)*text);
    fputc('"', file);
}

void report_quote_member(FILE *file, const char *key, const char *value)
{
    fprintf(file, "\"%s\": ", key);
    report_quote(file, value);
}
