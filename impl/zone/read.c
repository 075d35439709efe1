/*
 * Reading a zone from the bytes of a TZif file (RFC 9636).
 *
 *     "TZif" version  counts       44 bytes
 *     a block of 32-bit times      for readers of 1986; in a file of version 2 or later skipped
 *     "TZif" version  counts       and what follows: version 2 and later
 *     a block of 64-bit times
 *     \n rule \n                   what holds after the last transition; may be empty
 *
 *     a block:  times of transitions | the type of each | types: offset, DST, name |
 *               text of the names | leap seconds | two lists of flags for makers of rules
 *
 *   [TZIF-1] Nothing is believed. A count is used once the bytes that it promises are known to be
 *            there; an index is used once it is known to be below its count; a name ends before the
 *            text does.
 *   [TZIF-2] Nothing is mended. Times that do not ascend, an offset of more than a day, a rule that
 *            cannot be read: the file is refused as a whole.
 *
 * Before the first transition the first type holds, as the RFC has it; after the last one its own
 * type, until the rule says otherwise; without any transition the rule alone, and without a rule
 * the first type. A file with leap seconds ("right/...") counts other seconds than CLOCK_REALTIME
 * does, and is refused.
 */
#include "zone/zone.h"

#include <string.h>

#include <glasspool/status.h>

#define HEADER_SIZE 44
#define TYPE_SIZE   6
#define MOST_TYPES  256 /* their indexes are bytes */

struct bytes {
    const unsigned char *at;
    size_t left;
};

/* The next so many, or NULL: [TZIF-1]. */
static const unsigned char *take_bytes(struct bytes *bytes, uint64_t count)
{
    if (count > bytes->left)
        return NULL;
    const unsigned char *taken = bytes->at;
    bytes->at += count;
    bytes->left -= (size_t)count;
    return taken;
}

static uint32_t number_of(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t time_of(const unsigned char *at, size_t size)
{
    if (size == 4)
        return (int32_t)number_of(at);
    return (int64_t)((uint64_t)number_of(at) << 32 | number_of(at + 4));
}

/* Header and block. */

struct header {
    unsigned char version;
    uint32_t ut_flags;
    uint32_t standard_flags;
    uint32_t leap_seconds;
    uint32_t times;
    uint32_t types;
    uint32_t letters;
};

static bool read_header(struct bytes *bytes, struct header *out)
{
    const unsigned char *at = take_bytes(bytes, HEADER_SIZE);
    if (at == NULL || memcmp(at, "TZif", 4) != 0)
        return false;
    *out = (struct header){at[4],
                           number_of(at + 20),
                           number_of(at + 24),
                           number_of(at + 28),
                           number_of(at + 32),
                           number_of(at + 36),
                           number_of(at + 40)};
    return out->version == 0 || out->version >= '2';
}

static uint64_t flags_of(const struct header *header)
{
    return (uint64_t)header->standard_flags + header->ut_flags;
}

static bool skip_block(struct bytes *bytes, const struct header *header)
{
    uint64_t size = (uint64_t)header->times * 5 + (uint64_t)header->types * TYPE_SIZE +
                    header->letters + (uint64_t)header->leap_seconds * 8 + flags_of(header);
    return take_bytes(bytes, size) != NULL;
}

struct block {
    struct header header;
    size_t time_size; /* bytes of one time */
    const unsigned char *times;
    const unsigned char *kinds;
    const unsigned char *types;
    const unsigned char *letters;
};

static bool are_flags(uint32_t count, const struct header *header)
{
    return count == 0 || count == header->types;
}

static bool read_block(struct bytes *bytes, struct block *block)
{
    const struct header *header = &block->header;
    block->times = take_bytes(bytes, (uint64_t)header->times * block->time_size);
    block->kinds = take_bytes(bytes, header->times);
    block->types = take_bytes(bytes, (uint64_t)header->types * TYPE_SIZE);
    block->letters = take_bytes(bytes, header->letters);
    const unsigned char *flags = take_bytes(bytes, flags_of(header));
    return block->times != NULL && block->kinds != NULL && block->types != NULL &&
           block->letters != NULL && flags != NULL && header->leap_seconds == 0 &&
           header->types > 0 && header->types <= MOST_TYPES &&
           are_flags(header->standard_flags, header) && are_flags(header->ut_flags, header);
}

/* Is what is in the block sound? */

static int64_t transition(const struct block *block, size_t i)
{
    return time_of(block->times + i * block->time_size, block->time_size);
}

static bool are_transitions(const struct block *block)
{
    for (size_t i = 0; i < block->header.times; i++)
        if (block->kinds[i] >= block->header.types ||
            (i > 0 && transition(block, i) <= transition(block, i - 1))) /* [TZIF-2] */
            return false;
    return true;
}

static bool read_type(const struct block *block, size_t i, struct gp__local_type *out)
{
    const unsigned char *type = block->types + i * TYPE_SIZE;
    int64_t offset = (int32_t)number_of(type);
    size_t begin = type[5];
    if (offset < GP__LOWEST_OFFSET || offset > GP__HIGHEST_OFFSET || type[4] > 1 ||
        begin >= block->header.letters)
        return false;
    const char *name = (const char *)block->letters + begin;
    const char *end = memchr(name, '\0', block->header.letters - begin);
    if (end == NULL || !gp__is_abbreviation(name, (size_t)(end - name)))
        return false;
    *out = (struct gp__local_type){.offset = (int32_t)offset, .daylight_saving = type[4] == 1};
    memcpy(out->abbreviation, name, (size_t)(end - name));
    return true;
}

/* The whole. */

struct file {
    struct block block;
    struct gp__local_type types[MOST_TYPES];
    struct gp__rule rule;
    bool has_rule;
};

static bool read_types(struct file *file)
{
    for (size_t i = 0; i < file->block.header.types; i++)
        if (!read_type(&file->block, i, &file->types[i]))
            return false;
    return true;
}

static bool read_footer(struct bytes *bytes, struct file *file)
{
    const unsigned char *begin = take_bytes(bytes, 1);
    if (begin == NULL || *begin != '\n')
        return false;
    const char *rule = (const char *)bytes->at;
    const char *end = memchr(rule, '\n', bytes->left);
    if (end == NULL)
        return false;
    file->has_rule = end != rule;
    return !file->has_rule || gp__rule_read(rule, (size_t)(end - rule), &file->rule);
}

static bool read_file(struct bytes *bytes, struct file *file)
{
    struct block *block = &file->block;
    *file = (struct file){.block.time_size = 4};
    if (!read_header(bytes, &block->header))
        return false;
    bool has_more = block->header.version != 0;
    if (has_more) {
        block->time_size = 8;
        if (!skip_block(bytes, &block->header) || !read_header(bytes, &block->header) ||
            block->header.version == 0)
            return false;
    }
    return read_block(bytes, block) && are_transitions(block) && read_types(file) &&
           (!has_more || read_footer(bytes, file));
}

static void fill(gp_zone *zone, const struct file *file)
{
    const struct block *block = &file->block;
    uint16_t kinds[MOST_TYPES] = {0};
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < block->header.types; i++)
        kinds[i] = gp__zone_add_type(zone, &file->types[i]);
    for (size_t i = 0; i < block->header.times; i++) {
        last = transition(block, i);
        gp__zone_add(zone, last, kinds[block->kinds[i]]);
    }
    if (file->has_rule)
        gp__rule_extend(&file->rule, zone, last);
}

int gp_zone_of_data(const char *name, const void *data, size_t size, gp_zone **out)
{
    struct bytes bytes = {.at = data, .left = size};
    struct file file;
    if (name == NULL || data == NULL || out == NULL)
        return GP_EINVAL;
    if (!read_file(&bytes, &file))
        return GP_ENOTSUP;
    size_t transitions = file.block.header.times + (file.has_rule ? GP__RULE_TRANSITIONS : 0);
    int status = gp__zone_new(name, transitions, file.block.header.types + 2, out);
    if (status == GP_OK)
        fill(*out, &file);
    return status;
}
