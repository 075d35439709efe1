/*
 * What is wrong with an expression, for people:
 *
 *     0 30 25 * * MON
 *          ^^
 *     hour: an hour is from 0 to 23
 *
 *   [EXPLAIN-1] The carets stand under what they mean, on any terminal: a tab is repeated, and of a
 *               character of several bytes (UTF-8) the first alone takes a column. What a terminal
 *               might obey, control characters and what is not UTF-8, is shown as a dot.
 */
#include "cron/cron.h"

#include <string.h>

#include "cron/text.h"
#include "cron/shown.h"

const char *gp__cron_field_name(enum gp_cron_field field)
{
    static const char *const names[] = {
        [GP_CRON_SECOND] = "second", [GP_CRON_MINUTE] = "minute",
        [GP_CRON_HOUR] = "hour",     [GP_CRON_DAY] = "day",
        [GP_CRON_MONTH] = "month",   [GP_CRON_WEEKDAY] = "weekday",
        [GP_CRON_ZONE] = "zone",     [GP_CRON_EXPRESSION] = "expression",
    };
    return names[field];
}

static void put_line(struct gp__text *text, const char *expression)
{
    while (*expression != '\0') {
        size_t length = gp__shown_length(expression);
        if (length == 0) {
            gp__put_sign(text, '.');
            expression++;
        }
        for (; length > 0; length--)
            gp__put_sign(text, *expression++);
    }
    gp__put_sign(text, '\n');
}

static void put_carets(struct gp__text *text, const char *expression, const gp_cron_error *error)
{
    size_t end = error->position + error->length;
    size_t i = 0;
    for (; i < error->position && expression[i] != '\0'; i += gp__shown_step(expression + i))
        gp__put_sign(text, expression[i] == '\t' ? '\t' : ' ');
    do {
        gp__put_sign(text, '^');
        i += expression[i] != '\0' ? gp__shown_step(expression + i) : 0;
    } while (i < end && expression[i] != '\0');
    gp__put_sign(text, '\n');
}

int gp_cron_explain(const char *expression, const gp_cron_error *error, char *buffer, size_t size)
{
    struct gp__text text = {.size = size};
    text.buffer = buffer;
    if (expression != NULL) {
        put_line(&text, expression);
        if (error->field != GP_CRON_ZONE)
            put_carets(&text, expression, error); /* [EXPLAIN-1] */
    }
    gp__put(&text, gp__cron_field_name(error->field));
    gp__put(&text, ": ");
    gp__put(&text, error->reason);
    return gp__text_end(&text);
}
