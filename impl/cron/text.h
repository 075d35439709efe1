/* Text into a buffer of a given size, as snprintf does it: what does not fit is counted and cut. */
#ifndef GP_CRON_TEXT_H
#define GP_CRON_TEXT_H

#include <limits.h>
#include <stddef.h>

struct gp__text {
    char *buffer;
    size_t size;
    size_t length; /* of the whole text */
};

static inline void gp__put_sign(struct gp__text *text, char sign)
{
    if (text->length + 1 < text->size)
        text->buffer[text->length] = sign;
    text->length++;
}

static inline void gp__put(struct gp__text *text, const char *words)
{
    while (*words != '\0')
        gp__put_sign(text, *words++);
}

/* With so many digits at least. */
static inline void gp__put_number(struct gp__text *text, int number, int digits)
{
    if (number >= 10 || digits > 1)
        gp__put_number(text, number / 10, digits - 1);
    gp__put_sign(text, (char)('0' + number % 10));
}

/* Ends it; its length, as of snprintf. */
static inline int gp__text_end(const struct gp__text *text)
{
    if (text->size > 0)
        text->buffer[text->length < text->size ? text->length : text->size - 1] = '\0';
    return text->length > INT_MAX ? INT_MAX : (int)text->length;
}

#endif
