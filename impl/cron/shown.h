/* What of a text may be shown on a terminal, which obeys some of what it is sent. */
#ifndef GP_CRON_SHOWN_H
#define GP_CRON_SHOWN_H

#include <stddef.h>

/*
 * How many bytes the character there has, if it takes a column and does nothing else; a tab, too.
 * 0: that byte is none. So it is of control characters, also of those in two bytes (U+0080 to
 * U+009F), and of what is not UTF-8: a bare 0x9b begins a command on some terminals. The text ends
 * with a NUL.
 */
static inline size_t gp__shown_length(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    unsigned char second = first == 0 ? 0 : (unsigned char)text[1];
    if (first < 0x80)
        return (first >= ' ' && first != 0x7f) || first == '\t';
    if (first < 0xc2 || first > 0xf4 || (first == 0xc2 && second < 0xa0))
        return 0;
    size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* By how many bytes to go on: over the character, or over what is none. */
static inline size_t gp__shown_step(const char *text)
{
    size_t length = gp__shown_length(text);
    return length > 0 ? length : 1;
}

#endif
