/*
 * See token.h. Writing and reading follow the same list, one function for each part. Reading takes
 * nothing for granted:
 *
 *   [TOKEN-1] Every number is bounded before it is used, and nothing is written past an array.
 *   [TOKEN-2] Each token has one spelling. What was read, written again, is the same text; anything
 *             else (zeros in front, unused bits that are set, more after the end) is refused.
 */
#include "harness/explore/token.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/campaign.h"

#define VERSION "gpx2:"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

enum {
    CHECK_DIGITS = 4,
    LOW_BITS = 31,
    MORE = 32
};

/* ---- rules: a letter and a number each ---- */

struct rule {
    char letter;
    int64_t most;
    int64_t value;
};

enum {
    RULES = 13
};

static void list_rules(const struct token *token, struct rule rules[RULES])
{
    const struct machine_rules *r = &token->rules;
    const struct rule list[RULES] = {
        {'m', MEMORY_C11, token->memory.model},
        {'r', 1, token->memory.races},
        {'e', 1, r->early_time},
        {'u', 1, r->reuse},
        {'s', INT64_MAX, r->slack},
        {'b', TOKEN_STEPS / 2, r->step_budget},
        {'v', UINT16_MAX, r->variants},
        {'p', UINT16_MAX, r->faults.spurious},
        {'w', UINT16_MAX, r->faults.weak_cas},
        {'n', UINT16_MAX, r->faults.no_memory},
        {'t', UINT16_MAX, r->faults.no_thread},
        {'i', UINT16_MAX, r->faults.spins},
        {'j', UINT16_MAX, r->faults.jumps},
    };

    memcpy(rules, list, sizeof list);
}

static void set_rules(struct token *token, const struct rule rules[RULES])
{
    token->memory = (struct memory_rules){.model = (enum memory_model)rules[0].value,
                                          .races = rules[1].value != 0};
    token->rules = (struct machine_rules){.early_time = rules[2].value != 0,
                                          .reuse = rules[3].value != 0,
                                          .slack = rules[4].value,
                                          .step_budget = (uint32_t)rules[5].value,
                                          .variants = (unsigned)rules[6].value,
                                          .faults = {.spurious = (unsigned)rules[7].value,
                                                     .weak_cas = (unsigned)rules[8].value,
                                                     .no_memory = (unsigned)rules[9].value,
                                                     .no_thread = (unsigned)rules[10].value,
                                                     .spins = (unsigned)rules[11].value,
                                                     .jumps = (unsigned)rules[12].value}};
}

/* ---- the check ---- */

static void write_check(const char *text, size_t length, char check[CHECK_DIGITS])
{
    uint64_t sum = UINT64_C(0xCBF29CE484222325); /* FNV-1a */

    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    for (int i = 0; i < CHECK_DIGITS; i++)
        check[i] = digits[sum >> (40 + 6 * i) & 63];
}

/* ---- writing ---- */

struct writer {
    char *text;
    size_t length;
};

static void put(struct writer *writer, char letter)
{
    writer->text[writer->length++] = letter;
}

static void put_text(struct writer *writer, const char *text)
{
    while (*text)
        put(writer, *text++);
}

static void put_number(struct writer *writer, uint32_t number)
{
    for (; number > LOW_BITS; number >>= 5)
        put(writer, digits[(number & LOW_BITS) | MORE]);
    put(writer, digits[number]);
}

static bool is_plain(char letter)
{
    return (letter && strchr(digits, letter)) || letter == '/' || letter == '.';
}

static void put_name(struct writer *writer, const char *name)
{
    char escaped[4];

    for (; *name; name++) {
        snprintf(escaped, sizeof escaped, "%%%02X", (unsigned char)*name);
        if (is_plain(*name))
            put(writer, *name);
        else
            put_text(writer, escaped);
    }
}

static void put_rules(struct writer *writer, const struct token *token)
{
    struct rule rules[RULES];
    char text[32];

    list_rules(token, rules);
    for (int i = 0; i < RULES; i++) {
        snprintf(text, sizeof text, "%c%" PRId64, rules[i].letter, rules[i].value);
        put_text(writer, text);
    }
}

static void put_deviations(struct writer *writer, const struct token *token)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < token->deviation_count; i++) {
        put_number(writer, token->deviations[i].number - last);
        put_number(writer, token->deviations[i].chosen);
        last = token->deviations[i].number;
    }
}

static void put_trail(struct writer *writer, const struct trail *trail)
{
    put_number(writer, trail->steps);
    for (uint32_t i = 0; i < trail_length(trail->steps); i++)
        put(writer, digits[trail->marks[i] & 63]);
}

char *token_write(const struct token *token)
{
    size_t room = 512 + 3 * TOKEN_NAME + 14 * (size_t)token->deviation_count + TRAIL_ROOM;
    struct writer writer = {.text = malloc(room)};

    if (!writer.text)
        return NULL;
    put_text(&writer, VERSION);
    put_name(&writer, token->program);
    put(&writer, ':');
    put_rules(&writer, token);
    put(&writer, ':');
    put_deviations(&writer, token);
    put(&writer, ':');
    put_trail(&writer, &token->trail);
    put(&writer, ':');
    write_check(writer.text, writer.length, writer.text + writer.length);
    writer.text[writer.length + CHECK_DIGITS] = '\0';
    return writer.text;
}

bool token_of_machine(const char *program, struct token *token)
{
    if (machine.deviation_count > TOKEN_DEVIATIONS)
        return false;
    token->rules = machine.rules;
    token->memory = memory_rules;
    snprintf(token->program, sizeof token->program, "%s", program);
    token->deviation_count = machine.deviation_count;
    memcpy(token->deviations, machine.deviations,
           machine.deviation_count * sizeof *token->deviations);
    trail_of_machine(&token->trail);
    return true;
}

bool token_set_rules(const struct token *token)
{
    return campaign_set_rules(&token->rules, &token->memory);
}

/* ---- reading ---- */

struct reader {
    const char *at;
    char *reason; /* of TOKEN_REASON bytes */
};

static bool refuse(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct reader *reader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->reason, TOKEN_REASON, format, arguments);
    va_end(arguments);
    return false;
}

static bool get(struct reader *reader, char letter)
{
    if (*reader->at != letter)
        return refuse(reader, "'%c' is missing after its %s", letter,
                      letter == ':' ? "part" : "rules");
    reader->at++;
    return true;
}

/* The value of the next digit; -1: it is none. */
static int get_digit(struct reader *reader)
{
    const char *digit = *reader->at ? strchr(digits, *reader->at) : NULL;

    if (!digit)
        return -1;
    reader->at++;
    return (int)(digit - digits);
}

/* [TOKEN-1] [TOKEN-2] */
static bool get_number(struct reader *reader, uint32_t most, uint32_t *number)
{
    uint64_t value = 0;
    int digit = MORE;

    for (int shift = 0; digit & MORE; shift += 5) {
        digit = get_digit(reader);
        if (digit < 0 || shift > 30 || (digit == 0 && shift > 0))
            return refuse(reader, "a number in it is not well written");
        value |= (uint64_t)(digit & LOW_BITS) << shift;
    }
    *number = (uint32_t)value;
    return value <= most || refuse(reader, "a number in it is too large");
}

static int hexadecimal(char letter)
{
    const char *all = "0123456789ABCDEF", *found = letter ? strchr(all, letter) : NULL;

    return found ? (int)(found - all) : -1;
}

/* A letter of a name; 0: none. */
static char get_letter(struct reader *reader)
{
    const char *at = reader->at;

    if (is_plain(*at)) {
        reader->at++;
        return *at;
    }
    if (*at != '%' || hexadecimal(at[1]) < 0 || hexadecimal(at[2]) < 0)
        return 0;
    char letter = (char)(hexadecimal(at[1]) * 16 + hexadecimal(at[2]));
    if (is_plain(letter))
        return 0;
    reader->at += 3;
    return letter;
}

static bool get_name(struct reader *reader, char name[TOKEN_NAME])
{
    size_t length = 0;

    for (char letter; (letter = get_letter(reader)) != 0;) {
        if (length + 1 == TOKEN_NAME)
            return refuse(reader, "the name of its program is too long");
        name[length++] = letter;
    }
    name[length] = '\0';
    return length > 0 || refuse(reader, "the name of its program is missing");
}

static bool get_rule(struct reader *reader, struct rule *rule)
{
    const char *start = reader->at + 1;
    int64_t value = 0;

    if (!get(reader, rule->letter))
        return false;
    for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *reader->at - '0', &value))
            return refuse(reader, "its rule '%c' is too large", rule->letter);
    if (reader->at == start || (*start == '0' && reader->at > start + 1))
        return refuse(reader, "its rule '%c' is not a number", rule->letter);
    rule->value = value;
    return value <= rule->most || refuse(reader, "its rule '%c' is too large", rule->letter);
}

static bool get_rules(struct reader *reader, struct token *token)
{
    struct rule rules[RULES];

    list_rules(token, rules);
    for (int i = 0; i < RULES; i++)
        if (!get_rule(reader, &rules[i]))
            return false;
    set_rules(token, rules);
    return token->rules.step_budget > 0 || refuse(reader, "its step budget is 0");
}

static bool get_deviations(struct reader *reader, struct token *token)
{
    uint32_t last = 0, distance = 0;

    for (token->deviation_count = 0; *reader->at != ':'; token->deviation_count++) {
        struct deviation *deviation = &token->deviations[token->deviation_count];
        if (token->deviation_count == TOKEN_DEVIATIONS)
            return refuse(reader, "it has more than %d deviations", TOKEN_DEVIATIONS);
        if (!get_number(reader, TOKEN_STEPS, &distance) ||
            !get_number(reader, UINT16_MAX, &deviation->chosen))
            return false;
        if (distance == 0 && token->deviation_count > 0)
            return refuse(reader, "it decides choice %u twice", last);
        deviation->number = last += distance;
        if (last > TOKEN_STEPS)
            return refuse(reader, "a number in it is too large");
    }
    return true;
}

static bool get_trail(struct reader *reader, struct trail *trail)
{
    if (!get_number(reader, TOKEN_STEPS, &trail->steps))
        return false;
    for (uint32_t i = 0; i < trail_length(trail->steps); i++) {
        int digit = get_digit(reader);
        if (digit < 0)
            return refuse(reader, "it has fewer steps than it says: %u", trail->steps);
        trail->marks[i] = (uint8_t)digit;
    }
    return true;
}

static bool passes_check(struct reader *reader, const char *text)
{
    size_t length = strlen(text);
    char check[CHECK_DIGITS];

    if (strncmp(text, VERSION, strlen(VERSION)) != 0)
        return refuse(reader, "a token begins with " VERSION);
    if (length < strlen(VERSION) + CHECK_DIGITS)
        return refuse(reader, "it is cut off");
    write_check(text, length - CHECK_DIGITS, check);
    return memcmp(check, text + length - CHECK_DIGITS, CHECK_DIGITS) == 0 ||
           refuse(reader,
                  "its last four characters do not fit the rest: it is mistyped or cut off");
}

bool token_read(const char *text, struct token *token, char reason[TOKEN_REASON])
{
    struct reader reader = {.at = text, .reason = reason};

    reason[0] = '\0';
    memset(token, 0, sizeof *token);
    if (!passes_check(&reader, text))
        return false;
    reader.at += strlen(VERSION);
    return get_name(&reader, token->program) && get(&reader, ':') && get_rules(&reader, token) &&
           get(&reader, ':') && get_deviations(&reader, token) && get(&reader, ':') &&
           get_trail(&reader, &token->trail) && get(&reader, ':') &&
           (strlen(reader.at) == CHECK_DIGITS || refuse(&reader, "there is more after its trail"));
}
