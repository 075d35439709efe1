/* Presets: the four kinds and their defaults, the rule for the queue, and the text. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h> /* snprintf */
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/eager.h>
#include <glasspool/presets.h>
#include <glasspool/status.h>

#include "pool/pool.h"
#include "queue/queue.h"

#include "fault.h"
#include "pool_support.h"
#include "suite.h"
#include "support.h"

static gp_pool *pool_of_preset(const gp_preset *preset)
{
    gp_pool *pool = NULL;
    require_ok(gp_preset_pool(preset, &pool));
    return pool;
}

static void check_pool(const gp_preset *preset, int core, int maximum, int64_t keep_alive)
{
    gp_pool *pool = pool_of_preset(preset);
    struct job job;
    check_int(gp_pool_core_size(pool), core);
    check_int(gp_pool_maximum_size(pool), maximum);
    check_int(gp_pool_keep_alive(pool), keep_alive);
    job_init(&job);
    job_run(pool, &job);
    check_text(job.name, "Dubbo-thread-1");
    pool_end(pool);
}

static void the_defaults_are_those_of_the_document(void)
{
    check_pool(&(gp_preset)GP_PRESET_FIXED_DEFAULT, 200, 200, 0);
    check_pool(&(gp_preset)GP_PRESET_CACHED_DEFAULT, 0, GP__COUNT_MASK, GP_SECONDS(60));
    check_pool(&(gp_preset)GP_PRESET_LIMITED_DEFAULT, 0, 200, INT64_MAX);
    check_pool(&(gp_preset)GP_PRESET_EAGER_DEFAULT, 0, GP__COUNT_MASK, GP_SECONDS(60));
}

/* Queues. */

static void check_queue(gp_preset preset, int queues, size_t remaining, bool holds_nothing)
{
    preset.queues = queues;
    gp_pool *pool = pool_of_preset(&preset);
    check_int(gp_queue_remaining(pool->queue), remaining);
    check(gp__queue_holds_nothing(pool->queue) == holds_nothing);
    pool_end(pool);
}

static void queues_is_synchronous_unbounded_or_a_bound(void)
{
    const gp_preset presets[] = {GP_PRESET_FIXED_DEFAULT, GP_PRESET_CACHED_DEFAULT,
                                 GP_PRESET_LIMITED_DEFAULT};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        check_queue(presets[i], 0, 0, true);
        check_queue(presets[i], -1, GP_UNBOUNDED, false);
        check_queue(presets[i], INT_MIN, GP_UNBOUNDED, false);
        check_queue(presets[i], 1, 1, false);
        check_queue(presets[i], INT_MAX, INT_MAX, false);
    }
}

static void an_eager_pool_is_eager_and_has_a_bound_always(void)
{
    const gp_preset preset = GP_PRESET_EAGER_DEFAULT;
    struct job job;
    gp_pool *pool = pool_of_preset(&preset);
    job_init_holding(&job);
    job_execute(pool, &job);
    check_int(gp_eager_submitted(pool), 1);
    job_let_go(&job);
    pool_end(pool);
    check_queue(preset, 0, 1, false);
    check_queue(preset, -1, 1, false);
    check_queue(preset, 5, 5, false);
}

static void without_a_queue_one_task_too_many_is_rejected(void)
{
    gp_preset preset = GP_PRESET_FIXED_DEFAULT;
    struct job running;
    struct job refused;
    preset.threads = 1;
    gp_pool *pool = pool_of_preset(&preset);
    job_init_holding(&running);
    job_init(&refused);
    job_execute(pool, &running);
    latch_await(&running.begun);
    check_status(gp_pool_execute_task(pool, job_task(&refused)), GP_EREJECTED);
    check_int(refused.subject.destroyed, 1);
    job_let_go(&running);
    pool_end(pool);
}

static void a_fixed_pool_looks_at_threads_alone(void)
{
    gp_preset preset = GP_PRESET_FIXED_DEFAULT;
    preset.threads = 3;
    preset.core_threads = -7;
    preset.alive = -7;
    check_pool(&preset, 3, 3, 0);
}

static void a_limited_pool_does_not_look_at_alive(void)
{
    gp_preset preset = GP_PRESET_LIMITED_DEFAULT;
    preset.alive = -7;
    preset.core_threads = 2;
    preset.threads = 2;
    check_pool(&preset, 2, 2, INT64_MAX);
}

static void check_refused(const gp_preset *preset)
{
    gp_pool *pool = NULL;
    check_status(gp_preset_pool(preset, &pool), GP_EINVAL);
    check(pool == NULL);
}

static void a_preset_that_makes_no_sense_is_refused(void)
{
    const gp_preset good = GP_PRESET_CACHED_DEFAULT;
    gp_preset bad = good;
    check_refused(NULL);
    check_status(gp_preset_pool(&good, NULL), GP_EINVAL);
    bad.threads = 0;
    check_refused(&bad);
    bad = good;
    bad.core_threads = -1;
    check_refused(&bad);
    bad.core_threads = 3;
    bad.threads = 2;
    check_refused(&bad);
    bad = good;
    bad.alive = -1;
    check_refused(&bad);
    bad = good;
    bad.name[0] = '\0';
    check_refused(&bad);
    memset(bad.name, 'x', sizeof bad.name); /* it has no end */
    check_refused(&bad);
    bad = good;
    bad.kind = (enum gp_preset_kind)(GP_PRESET_EAGER + 1);
    check_refused(&bad);
}

/* The text. */

static gp_preset parsed(const char *text)
{
    gp_preset preset = {.threads = -1};
    gp_preset_error error = {0};
    check_status(gp_preset_parse(text, &preset, &error), GP_OK);
    check(error.reason == NULL);
    return preset;
}

static void check_preset(const char *text, gp_preset expected)
{
    gp_preset preset = parsed(text);
    check_within(text);
    check_int(preset.kind, expected.kind);
    check_text(preset.name, expected.name);
    check_int(preset.core_threads, expected.core_threads);
    check_int(preset.threads, expected.threads);
    check_int(preset.queues, expected.queues);
    check_int(preset.alive, expected.alive);
    check_within(NULL);
}

static void a_kind_alone_has_its_defaults(void)
{
    check_preset("fixed", (gp_preset)GP_PRESET_FIXED_DEFAULT);
    check_preset("cached", (gp_preset)GP_PRESET_CACHED_DEFAULT);
    check_preset("limited", (gp_preset)GP_PRESET_LIMITED_DEFAULT);
    check_preset("eager", (gp_preset)GP_PRESET_EAGER_DEFAULT);
}

static void keys_change_them_in_any_order(void)
{
    const int64_t alive = GP_MILLISECONDS(1500);
    check_preset("fixed?name=io&threads=20&queues=5",
                 (gp_preset){GP_PRESET_FIXED, "io", 200, 20, 5, 0});
    check_preset("cached?alive=1500&queues=-1&threads=9&core_threads=4&name=a-name",
                 (gp_preset){GP_PRESET_CACHED, "a-name", 4, 9, -1, alive});
    check_preset("limited?core_threads=200",
                 (gp_preset){GP_PRESET_LIMITED, "Dubbo", 200, 200, 0, INT64_MAX});
    check_preset("eager?threads=4&core_threads=4&alive=0",
                 (gp_preset){GP_PRESET_EAGER, "Dubbo", 4, 4, 0, 0});
    check_preset("eager?name=fourteen=bytes",
                 (gp_preset){GP_PRESET_EAGER, "fourteen=bytes", 0, INT_MAX, 0, GP_SECONDS(60)});
}

static void numbers_go_to_their_limits(void)
{
    check_int(parsed("fixed?threads=2147483647").threads, INT_MAX);
    check_int(parsed("fixed?queues=-2147483648").queues, INT_MIN);
    check_int(parsed("fixed?queues=-0").queues, 0);
    check_int(parsed("fixed?threads=0000000000000000000000000007").threads, 7);
    check_int(parsed("cached?alive=9223372036854").alive, INT64_C(9223372036854000000));
    check_int(parsed("cached?alive=9223372036855").alive, INT64_MAX); /* saturates */
    check_int(parsed("cached?alive=9223372036854775807").alive, INT64_MAX);
}

static void a_mistake_is_found_and_named(void)
{
    static const struct {
        const char *text;
        size_t position;
        const char *key;
        const char *reason;
    } mistakes[] = {
        {"", 0, "", "no such kind of pool"},
        {"fix", 0, "", "no such kind of pool"},
        {"fixed ", 0, "", "no such kind of pool"},
        {"Fixed?threads=1", 0, "", "no such kind of pool"},
        {"fixed&threads=1", 0, "", "no such kind of pool"},
        {"?threads=1", 0, "", "no such kind of pool"},
        {"fixed?", 6, "", "a key is missing"},
        {"fixed?&threads=1", 6, "", "a key is missing"},
        {"fixed?threads=1&", 16, "", "a key is missing"},
        {"fixed?=1", 6, "", "a key is missing"},
        {"fixed?thread=1", 6, "thread", "no such key"},
        {"fixed?threadss=1", 6, "threadss", "no such key"},
        {"fixed?queues=0&Threads=1", 15, "Threads", "no such key"},
        {"fixed?a_key_that_goes=1", 6, "a_key_that_goes", "no such key"},
        {"fixed?a_key_that_goes_=1", 6, "a_key_that_goes", "no such key"},
        {"fixed?a_key_that_goes_on=1", 6, "a_key_that_goes", "no such key"},
        {"fixed?core_threads=1", 6, "core_threads", "not a key of this kind of pool"},
        {"fixed?alive=1", 6, "alive", "not a key of this kind of pool"},
        {"limited?alive=1", 8, "alive", "not a key of this kind of pool"},
        {"fixed?queues=1&queues=1", 15, "queues", "given twice"},
        {"fixed?queues", 12, "queues", "has no value"},
        {"fixed?queues=", 12, "queues", "has no value"},
        {"fixed?queues&threads=1", 12, "queues", "has no value"},
        {"fixed?name=&threads=1", 10, "name", "has no value"},
        {"fixed?queues=one", 13, "queues", "not a number"},
        {"fixed?queues=1x", 14, "queues", "not a number"},
        {"fixed?queues=-", 14, "queues", "not a number"},
        {"fixed?queues=--1", 14, "queues", "not a number"},
        {"fixed?queues=+1", 13, "queues", "not a number"},
        {"fixed?queues= 1", 13, "queues", "not a number"},
        {"fixed?queues=1=1", 14, "queues", "not a number"},
        {"fixed?threads=0", 14, "threads", "out of range"},
        {"fixed?threads=2147483648", 14, "threads", "out of range"},
        {"fixed?threads=-1", 14, "threads", "out of range"},
        {"fixed?queues=-2147483649", 13, "queues", "out of range"},
        {"fixed?queues=-99999999999999999999", 13, "queues", "out of range"},
        {"cached?alive=-1", 13, "alive", "out of range"},
        {"cached?alive=9223372036854775808", 13, "alive", "out of range"},
        {"cached?alive=92233720368547758087", 13, "alive", "out of range"}, /* 8 does not fit */
        {"cached?core_threads=-1", 20, "core_threads", "out of range"},
        {"fixed?name=fifteen===bytes&queues=x", 25, "name", "too long"},
        {"fixed?name=two words", 14, "name", "not a character for a name"},
        {"fixed?name=a\177", 12, "name", "not a character for a name"},
        {"cached?core_threads=3&threads=2", 7, "core_threads", "more than threads"},
        {"cached?core_threads=3&threads=2&x=1", 32, "x", "no such key"}, /* that is worse */
        {"limited?core_threads=201", 8, "core_threads", "more than threads"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        gp_preset preset = {.threads = 77};
        gp_preset_error error = {0};
        check_within(mistakes[i].text);
        check_status(gp_preset_parse(mistakes[i].text, &preset, &error), GP_EINVAL);
        check_int(error.position, mistakes[i].position);
        check_text(error.key, mistakes[i].key);
        check_text(error.reason, mistakes[i].reason);
        check_int(preset.threads, 77);
        check_status(gp_preset_parse(mistakes[i].text, &preset, NULL), GP_EINVAL);
    }
    check_within(NULL);
}

static void a_text_and_a_place_for_it_are_needed(void)
{
    gp_preset preset;
    gp_preset_error error = {.position = 77};
    check_status(gp_preset_parse(NULL, &preset, &error), GP_EINVAL);
    check_text(error.reason, "there is no text");
    check_int(error.position, 0);
    check_status(gp_preset_parse("fixed", NULL, &error), GP_EINVAL);
}

/* [PRESET-1], of texts made of good and bad pieces. */

static const char *value(uint64_t *seed)
{
    static const char *const values[] = {"0", "1", "3", "-1", "2147483647"};
    return values[random_below(seed, sizeof values / sizeof *values)];
}

static void what_parse_accepts_pool_accepts(void)
{
    static const char *const kinds[] = {"fixed", "cached", "limited", "eager"};
    uint64_t seed = 1;
    unsigned accepted = 0;
    for (unsigned round = 0; round < scaled(300); round++) {
        char text[128];
        gp_preset preset;
        bool core = random_below(&seed, 2) == 0;
        bool alive = random_below(&seed, 2) == 0;
        snprintf(text, sizeof text, "%s?threads=%s&queues=%s%s%s%s%s", kinds[round % 4],
                 value(&seed), value(&seed), core ? "&core_threads=" : "", core ? value(&seed) : "",
                 alive ? "&alive=" : "", alive ? value(&seed) : "");
        if (gp_preset_parse(text, &preset, NULL) != GP_OK)
            continue;
        check_within(text);
        accepted++;
        pool_end(pool_of_preset(&preset));
    }
    check_within(NULL);
    check(accepted > 0);
}

static void gp_preset_pool_fails_cleanly_at_each_point(void)
{
    static const char *const texts[] = {"fixed", "cached?queues=-1", "limited?queues=3", "eager"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fault_walk walk = {.kinds = FAULT_ANY};
        gp_preset preset = parsed(texts[i]);
        while (fault_walk_next(&walk)) {
            gp_pool *pool = NULL;
            int status = gp_preset_pool(&preset, &pool);
            bool hit = fault_walk_hit(&walk);
            check_status(status, hit ? GP_ENOMEM : GP_OK);
            check((pool == NULL) == hit);
            if (pool != NULL)
                pool_end(pool);
        }
        check(walk.point > 4);
    }
}

static const struct test tests[] = {
    TEST(the_defaults_are_those_of_the_document),
    TEST(queues_is_synchronous_unbounded_or_a_bound),
    TEST(an_eager_pool_is_eager_and_has_a_bound_always),
    TEST(without_a_queue_one_task_too_many_is_rejected),
    TEST(a_fixed_pool_looks_at_threads_alone),
    TEST(a_limited_pool_does_not_look_at_alive),
    TEST(a_preset_that_makes_no_sense_is_refused),
    TEST(a_kind_alone_has_its_defaults),
    TEST(keys_change_them_in_any_order),
    TEST(numbers_go_to_their_limits),
    TEST(a_mistake_is_found_and_named),
    TEST(a_text_and_a_place_for_it_are_needed),
    TEST(what_parse_accepts_pool_accepts),
    TEST(gp_preset_pool_fails_cleanly_at_each_point),
    END_OF_TESTS,
};

const struct suite presets_suite = {.name = "presets", .tests = tests};
