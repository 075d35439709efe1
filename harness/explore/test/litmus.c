/* See litmus.h. */
#include "harness/explore/test/litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGIT_BITS = 5
};

static const char digits[] = "0123456789abcdefghijklmnopqrstu-";

static const char *const variant_names[] = {"rlx", "ra", "sc", "fra", "fsc", "as written"};

const char *litmus_variant_name(enum litmus_variant variant)
{
    return variant_names[variant];
}

/* ---- the notation ---- */

struct reader {
    const char *at;
    enum litmus_variant variant;
    struct litmus *test;
};

static bool skip(struct reader *reader, char expected)
{
    if (*reader->at != expected)
        return false;
    reader->at++;
    return true;
}

static bool read_value(struct reader *reader, unsigned *value)
{
    const char *digit = *reader->at ? strchr(digits, *reader->at) : NULL;

    if (!digit || digit - digits == LITMUS_NOTHING)
        return false;
    *value = (unsigned)(digit - digits);
    reader->at++;
    return true;
}

static bool read_location(struct reader *reader, unsigned *location)
{
    if (*reader->at < 'w' || *reader->at > 'z')
        return false;
    *location = (unsigned)(*reader->at++ - 'w');
    return true;
}

/* ---- orders ---- */

static int order_by_variant(enum litmus_kind kind, enum litmus_variant variant)
{
    if (kind == LITMUS_FENCE)
        return variant == LITMUS_FRA ? __ATOMIC_ACQ_REL : __ATOMIC_SEQ_CST;
    if (variant == LITMUS_SC)
        return __ATOMIC_SEQ_CST;
    if (variant != LITMUS_RA)
        return __ATOMIC_RELAXED;
    return kind == LITMUS_LOAD    ? __ATOMIC_ACQUIRE
           : kind == LITMUS_STORE ? __ATOMIC_RELEASE
                                  : __ATOMIC_ACQ_REL;
}

static int of_load(int order)
{
    return order == __ATOMIC_ACQ_REL   ? __ATOMIC_ACQUIRE
           : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED
                                       : order;
}

/* Leaves `order` as it is if there is none. */
static bool read_order(struct reader *reader, int *order)
{
    static const struct {
        const char *name;
        int order;
    } orders[] = {{"rlx", __ATOMIC_RELAXED},
                  {"acq", __ATOMIC_ACQUIRE},
                  {"rel", __ATOMIC_RELEASE},
                  {"ar", __ATOMIC_ACQ_REL},
                  {"sc", __ATOMIC_SEQ_CST}};

    if (!skip(reader, '.'))
        return true;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        size_t length = strlen(orders[i].name);
        if (strncmp(reader->at, orders[i].name, length) == 0) {
            *order = orders[i].order;
            reader->at += length;
            return true;
        }
    }
    return false;
}

static bool can_have(enum litmus_kind kind, int order)
{
    if (kind == LITMUS_LOAD)
        return order == of_load(order);
    if (kind == LITMUS_STORE)
        return order != __ATOMIC_ACQUIRE && order != __ATOMIC_ACQ_REL;
    return kind != LITMUS_FENCE || order != __ATOMIC_RELAXED;
}

static bool read_orders(struct reader *reader, struct litmus_op *op)
{
    op->order = order_by_variant(op->kind, reader->variant);
    if (!read_order(reader, &op->order) || !can_have(op->kind, op->order))
        return false;
    op->failure = of_load(op->order);
    return op->kind != LITMUS_CAS || read_order(reader, &op->failure);
}

/* ---- operations ---- */

static bool read_access(struct reader *reader, struct litmus_op *op)
{
    if (!read_location(reader, &op->location))
        return false;
    op->kind = LITMUS_LOAD;
    if (skip(reader, '='))
        op->kind = LITMUS_STORE;
    else if (skip(reader, '+'))
        op->kind = LITMUS_ADD;
    else if (skip(reader, '~'))
        op->kind = LITMUS_EXCHANGE;
    else if (skip(reader, '?'))
        op->kind = LITMUS_CAS;
    if (op->kind == LITMUS_CAS && (!read_value(reader, &op->expected) || !skip(reader, ':')))
        return false;
    return op->kind == LITMUS_LOAD || read_value(reader, &op->value);
}

static bool read_op(struct reader *reader, struct litmus_op *op)
{
    *op = (struct litmus_op){.result = -1};
    if (skip(reader, '(')) {
        op->kind = LITMUS_END_UNLESS;
        return read_value(reader, &op->value) && skip(reader, ')');
    }
    if (skip(reader, 'F')) {
        op->kind = LITMUS_FENCE;
        return (*reader->at == '.' || reader->variant != LITMUS_WRITTEN) && read_orders(reader, op);
    }
    return read_access(reader, op) && read_orders(reader, op);
}

static bool keeps(const struct reader *reader, const struct litmus_op *op)
{
    return op->kind != LITMUS_FENCE || reader->variant >= LITMUS_FRA;
}

static bool add_op(struct reader *reader)
{
    struct litmus *test = reader->test;
    struct litmus_op op;

    if (!read_op(reader, &op))
        return false;
    if (!keeps(reader, &op))
        return true;
    if (op.kind != LITMUS_STORE && op.kind < LITMUS_FENCE)
        op.result = (int)test->results++;
    unsigned *length = &test->lengths[test->threads - 1];
    if (*length == LITMUS_OPS || test->results > LITMUS_RESULTS)
        return false;
    test->ops[test->threads - 1][(*length)++] = op;
    return true;
}

static bool add_observed(struct reader *reader)
{
    struct litmus *test = reader->test;

    if (test->results == LITMUS_RESULTS || test->observed == LITMUS_LOCATIONS)
        return false;
    test->results++;
    return read_location(reader, &test->locations[test->observed++]);
}

static bool add_thread(struct litmus *test)
{
    return test->threads++ < LITMUS_THREADS;
}

bool litmus_parse(const char *text, enum litmus_variant variant, struct litmus *test)
{
    struct reader reader = {.at = text, .variant = variant, .test = test};
    bool ends = false;

    *test = (struct litmus){.threads = 1};
    while (*reader.at) {
        if (skip(&reader, ' '))
            continue;
        if (skip(&reader, ':'))
            ends = true;
        else if (ends                 ? !add_observed(&reader)
                 : skip(&reader, '|') ? !add_thread(test)
                                      : !add_op(&reader))
            return false;
    }
    return true;
}

/* ---- outcomes ---- */

litmus_outcome litmus_pack(const struct litmus *test, const unsigned *results)
{
    litmus_outcome outcome = 0;

    for (unsigned i = 0; i < test->results; i++)
        outcome = outcome << DIGIT_BITS | results[i];
    return outcome;
}

static int compare(const void *left, const void *right)
{
    litmus_outcome a = *(const litmus_outcome *)left, b = *(const litmus_outcome *)right;

    return (a > b) - (a < b);
}

bool litmus_has(const struct litmus_set *set, litmus_outcome outcome)
{
    return bsearch(&outcome, set->outcomes, set->count, sizeof outcome, compare) != NULL;
}

bool litmus_add(struct litmus_set *set, litmus_outcome outcome)
{
    unsigned place = set->count;

    if (litmus_has(set, outcome))
        return true;
    if (set->count == LITMUS_OUTCOMES)
        return false;
    for (; place > 0 && set->outcomes[place - 1] > outcome; place--)
        set->outcomes[place] = set->outcomes[place - 1];
    set->outcomes[place] = outcome;
    set->count++;
    return true;
}

void litmus_subtract(struct litmus_set *from, const struct litmus_set *set)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < from->count; i++)
        if (!litmus_has(set, from->outcomes[i]))
            from->outcomes[kept++] = from->outcomes[i];
    from->count = kept;
}

void litmus_tell(const struct litmus *test, const struct litmus_set *set, char text[LITMUS_TEXT])
{
    char *end = text;

    for (unsigned i = 0; i < set->count; i++) {
        if (i > 0)
            *end++ = ' ';
        for (unsigned k = test->results; k-- > 0;)
            *end++ = digits[set->outcomes[i] >> k * DIGIT_BITS & ((1 << DIGIT_BITS) - 1)];
    }
    *end = '\0';
}

bool litmus_read(const struct litmus *test, const char *text, struct litmus_set *set)
{
    for (; *text; text += strspn(text, " ")) {
        unsigned results[LITMUS_RESULTS];
        for (unsigned i = 0; i < test->results; i++) {
            const char *digit = *text ? strchr(digits, *text++) : NULL;
            if (!digit)
                return false;
            results[i] = (unsigned)(digit - digits);
        }
        if (!litmus_add(set, litmus_pack(test, results)))
            return false;
    }
    return true;
}
