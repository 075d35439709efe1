/*
 * Presets: Dubbo's FixedThreadPool, CachedThreadPool, LimitedThreadPool and EagerThreadPool, which
 * are four sets of arguments for the constructor of a pool.
 *
 *              core           maximum   keep-alive   queue
 *      fixed   threads        threads   none         by `queues`
 *      cached  core_threads   threads   alive        by `queues`
 *      limited core_threads   threads   for ever     by `queues`
 *      eager   core_threads   threads   alive        a task queue for `queues`, at least 1
 *
 * The text. Dubbo takes the parameters from a URL and does not look at what it does not know: a
 * key that is misspelt has its default, and nobody notices. Here a text is taken as a whole or not
 * at all.
 *
 *   [PRESET-1] What parse accepts, pool accepts.
 *   [PRESET-2] A text is refused at its first mistake from the left, except core_threads above
 *              threads, which is known when both are.
 */
#include <glasspool/presets.h>

#include <stdbool.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/eager.h>
#include <glasspool/status.h>

#include "pool/pool.h"

_Static_assert(GP_PRESET_NAME_SIZE <= GP__POOL_NAME_SIZE, "a pool would cut the name of a preset");

/* Kinds and keys. */

enum key {
    NAME,
    CORE_THREADS,
    THREADS,
    QUEUES,
    ALIVE,
    KEYS
};

static const struct {
    const char *name;
    int64_t minimum; /* of its value; a name has none */
    int64_t maximum;
} keys[KEYS] = {
    [NAME] = {"name", 0, 0},
    [CORE_THREADS] = {"core_threads", 0, INT_MAX},
    [THREADS] = {"threads", 1, INT_MAX},
    [QUEUES] = {"queues", INT_MIN, INT_MAX},
    [ALIVE] = {"alive", 0, INT64_MAX},
};

static const struct {
    const char *name;
    gp_preset defaults;
    bool has[KEYS];
} kinds[] = {
    [GP_PRESET_FIXED] = {"fixed",
                         GP_PRESET_FIXED_DEFAULT,
                         {[NAME] = 1, [THREADS] = 1, [QUEUES] = 1}},
    [GP_PRESET_CACHED] = {"cached", GP_PRESET_CACHED_DEFAULT, {1, 1, 1, 1, 1}},
    [GP_PRESET_LIMITED] = {"limited", GP_PRESET_LIMITED_DEFAULT, {1, 1, 1, 1, 0}},
    [GP_PRESET_EAGER] = {"eager", GP_PRESET_EAGER_DEFAULT, {1, 1, 1, 1, 1}},
};

enum {
    KINDS = sizeof kinds / sizeof *kinds
};

/* The text. */

struct reader {
    const char *text;
    const char *at;         /* what is read next */
    gp_preset preset;       /* what has been read */
    const char *seen[KEYS]; /* the key in the text; NULL: it has its default */
    gp_preset_error error;
};

/* The key, if that is known, begins at `key`. */
static int refuse(struct reader *reader, const char *at, const char *key, const char *reason)
{
    size_t length = key == NULL ? 0 : strcspn(key, "=&");
    if (length >= sizeof reader->error.key)
        length = sizeof reader->error.key - 1;
    reader->error = (gp_preset_error){.position = (size_t)(at - reader->text), .reason = reason};
    if (length > 0)
        memcpy(reader->error.key, key, length);
    return GP_EINVAL;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static int read_kind(struct reader *reader)
{
    size_t length = strcspn(reader->at, "?");
    for (int kind = 0; kind < KINDS; kind++)
        if (is_word(reader->at, length, kinds[kind].name)) {
            reader->preset = kinds[kind].defaults;
            reader->at += length;
            return GP_OK;
        }
    return refuse(reader, reader->at, NULL, "no such kind of pool");
}

static int read_key(struct reader *reader, enum key *out)
{
    const char *key = reader->at;
    size_t length = strcspn(key, "=&");
    int found = 0;
    while (found < KEYS && !is_word(key, length, keys[found].name))
        found++;
    if (found == KEYS)
        return refuse(reader, key, key, length == 0 ? "a key is missing" : "no such key");
    if (!kinds[reader->preset.kind].has[found])
        return refuse(reader, key, key, "not a key of this kind of pool");
    if (reader->seen[found] != NULL)
        return refuse(reader, key, key, "given twice");
    reader->seen[found] = key;
    reader->at += length;
    if (*reader->at != '=' || reader->at[1] == '&' || reader->at[1] == '\0')
        return refuse(reader, reader->at, key, "has no value");
    reader->at++;
    *out = (enum key)found;
    return GP_OK;
}

static int read_name(struct reader *reader)
{
    const char *key = reader->seen[NAME];
    size_t length = strcspn(reader->at, "&");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)reader->at[i] <= ' ' || reader->at[i] == 0x7f)
            return refuse(reader, reader->at + i, key, "not a character for a name");
    if (length >= sizeof reader->preset.name)
        return refuse(reader, reader->at + sizeof reader->preset.name - 1, key, "too long");
    memset(reader->preset.name, 0, sizeof reader->preset.name);
    memcpy(reader->preset.name, reader->at, length);
    reader->at += length;
    return GP_OK;
}

static void store(gp_preset *preset, enum key key, int64_t value)
{
    switch (key) {
    case CORE_THREADS:
        preset->core_threads = (int)value;
        break;
    case THREADS:
        preset->threads = (int)value;
        break;
    case QUEUES:
        preset->queues = (int)value;
        break;
    default: /* ALIVE */
        preset->alive = value > INT64_MAX / GP_MILLISECONDS(1) ? INT64_MAX : GP_MILLISECONDS(value);
        break;
    }
}

/* Of the digits, with the sign in front of them taken into account; false: out of bounds. */
static bool add_digit(int64_t *value, int digit, bool negative)
{
    if (negative ? *value < (INT64_MIN + digit) / 10 : *value > (INT64_MAX - digit) / 10)
        return false;
    *value = *value * 10 + (negative ? -digit : digit);
    return true;
}

static int read_number(struct reader *reader, enum key key)
{
    const char *begin = reader->at;
    bool negative = *begin == '-';
    const char *at = begin + negative;
    int64_t value = 0;
    bool fits = true;
    do {
        if (*at < '0' || *at > '9')
            return refuse(reader, at, reader->seen[key], "not a number");
        fits = fits && add_digit(&value, *at - '0', negative);
        at++;
    } while (*at != '&' && *at != '\0');
    if (!fits || value < keys[key].minimum || value > keys[key].maximum)
        return refuse(reader, begin, reader->seen[key], "out of range");
    store(&reader->preset, key, value);
    reader->at = at;
    return GP_OK;
}

static int read_pair(struct reader *reader)
{
    enum key key = NAME;
    int status = read_key(reader, &key);
    if (status != GP_OK)
        return status;
    return key == NAME ? read_name(reader) : read_number(reader, key);
}

static int read_text(struct reader *reader)
{
    int status = read_kind(reader);
    while (status == GP_OK && *reader->at != '\0') {
        reader->at++; /* over the '?', or the '&' */
        status = read_pair(reader);
    }
    const char *core = reader->seen[CORE_THREADS];
    if (status == GP_OK && core != NULL && reader->preset.core_threads > reader->preset.threads)
        return refuse(reader, core, core, "more than threads"); /* [PRESET-2] */
    return status;
}

int gp_preset_parse(const char *text, gp_preset *out, gp_preset_error *error)
{
    if (out == NULL)
        return GP_EINVAL;
    struct reader reader = {.text = text, .at = text, .error = {.reason = "there is no text"}};
    int status = text == NULL ? GP_EINVAL : read_text(&reader);
    if (status == GP_OK)
        *out = reader.preset;
    else if (error != NULL)
        *error = reader.error;
    return status;
}

/* The pool. */

static bool has_name(const gp_preset *preset)
{
    size_t length = 0;
    while (length < sizeof preset->name && preset->name[length] != '\0')
        length++;
    return length > 0 && length < sizeof preset->name;
}

static bool is_valid(const gp_preset *preset)
{
    if (preset == NULL || (unsigned)preset->kind >= KINDS || !has_name(preset) ||
        preset->threads < 1)
        return false;
    if (preset->kind == GP_PRESET_FIXED)
        return true;
    return preset->core_threads >= 0 && preset->core_threads <= preset->threads &&
           (preset->kind == GP_PRESET_LIMITED || preset->alive >= 0);
}

static int within_limit(int threads)
{
    return threads < GP__COUNT_MASK ? threads : GP__COUNT_MASK;
}

static gp_pool_config config_of(const gp_preset *preset)
{
    gp_pool_config config = GP_POOL_CONFIG_DEFAULT;
    bool fixed = preset->kind == GP_PRESET_FIXED;
    config.core_size = within_limit(fixed ? preset->threads : preset->core_threads);
    config.maximum_size = within_limit(preset->threads);
    config.keep_alive = fixed ? 0 : preset->kind == GP_PRESET_LIMITED ? INT64_MAX : preset->alive;
    config.thread.name = preset->name;
    return config;
}

static int make_queue(const gp_preset *preset, gp_queue **out)
{
    if (preset->kind == GP_PRESET_EAGER)
        return gp_task_queue_new(preset->queues, out);
    if (preset->queues == 0)
        return gp_synchronous_new(out);
    return gp_linked_new(preset->queues < 0 ? GP_UNBOUNDED : (size_t)preset->queues, out);
}

int gp_preset_pool(const gp_preset *preset, gp_pool **out)
{
    if (!is_valid(preset) || out == NULL)
        return GP_EINVAL;
    gp_pool_config config = config_of(preset); /* [PRESET-1] */
    int status = make_queue(preset, &config.queue);
    if (status != GP_OK)
        return status;
    status =
        preset->kind == GP_PRESET_EAGER ? gp_eager_new(&config, out) : gp_pool_new(&config, out);
    if (status != GP_OK)
        gp_queue_free(config.queue);
    return status;
}
