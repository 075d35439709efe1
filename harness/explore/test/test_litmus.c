/*
 * Memory models. The explorer is given each litmus test of litmus_table.c, and others that are
 * drawn by lot, and has to see the outcomes that the references have: under `sc` those of the
 * interleavings, under `c11` those that RC11 allows, but for the exceptions that the table names.
 * The references themselves are held against what the literature says.
 *
 * A test is searched by dfs if it is small enough, by the plainer search of every.h if it is not
 * very large, and by dpor.
 */
#include <stdio.h>
#include <string.h>

#include "harness/explore/random.h"
#include "harness/explore/test/every.h"
#include "harness/explore/test/explored.h"
#include "harness/explore/test/litmus.h"
#include "harness/explore/test/programs.h"

enum {
    DFS_EXECUTIONS = 5000, /* a test that has more is too large for it */
    EVERY_EXECUTIONS = 15000,
    DRAWN = 2000
};

struct litmus litmus_test;

/* A row in one of its variants. */
struct instance {
    const struct litmus_row *row;
    enum litmus_variant variant;
    struct litmus test;
    char verdict; /* of the literature */
};

typedef void visitor(const struct instance *);

static void visit_variant(const struct litmus_row *row, enum litmus_variant variant, char verdict,
                          visitor *visit)
{
    struct instance instance = {.row = row, .variant = variant, .verdict = verdict};
    char name[64];

    snprintf(name, sizeof name, "%s, %s", row->name, litmus_variant_name(variant));
    check_within(name);
    require(litmus_parse(row->text, variant, &instance.test));
    visit(&instance);
    check_within(NULL);
}

static bool is_as_written(const struct litmus_row *row)
{
    return strlen(row->verdicts) == 1;
}

static void visit_row(const struct litmus_row *row, visitor *visit)
{
    if (is_as_written(row)) {
        visit_variant(row, LITMUS_WRITTEN, *row->verdicts, visit);
        return;
    }
    require(strlen(row->verdicts) == LITMUS_VARIANTS);
    for (unsigned i = 0; i < LITMUS_VARIANTS; i++)
        visit_variant(row, (enum litmus_variant)i, row->verdicts[i], visit);
}

static void for_each(visitor *visit)
{
    for (const struct litmus_row *row = litmus_rows; row->name; row++)
        visit_row(row, visit);
}

static void check_same(const struct litmus *test, const struct litmus_set *actual,
                       const struct litmus_set *expected)
{
    static char found[LITMUS_TEXT], wanted[LITMUS_TEXT];

    litmus_tell(test, actual, found);
    litmus_tell(test, expected, wanted);
    check_text(found, wanted);
}

/* ---- the references ---- */

static litmus_outcome outcome_of(const struct instance *instance)
{
    struct litmus_set set = {.count = 0};

    require(litmus_read(&instance->test, instance->row->outcome, &set) && set.count == 1);
    return set.outcomes[0];
}

/* The paper proves that a program all of whose accesses are seq_cst has its interleavings alone. */
static void compare_with_the_literature(const struct instance *instance)
{
    static struct rc11_outcomes rc11;
    static struct litmus_set sc;
    litmus_outcome outcome = outcome_of(instance);

    require(rc11_outcomes(&instance->test, SEQUENCE_RC11, &rc11));
    require(interleavings(&instance->test, &sc));
    check_int(litmus_has(&rc11.allowed, outcome), instance->verdict == 'A');
    check(!litmus_has(&sc, outcome));
    for (unsigned i = 0; i < sc.count; i++)
        check(litmus_has(&rc11.forwards, sc.outcomes[i]));
    if (instance->variant == LITMUS_SC)
        check_same(&instance->test, &rc11.allowed, &sc);
}

static void the_axioms_agree_with_the_literature(void)
{
    for_each(compare_with_the_literature);
}

/* ---- exceptions ---- */

static bool is_about(const struct litmus_exception *exception, const struct instance *instance)
{
    return strcmp(exception->name, instance->row->name) == 0;
}

static bool is_seen_too_much(const struct litmus_exception *exception)
{
    return exception->reason == REASON_C11_SEQUENCE;
}

static void add_exceptions(const struct instance *instance, bool too_much, struct litmus_set *set)
{
    set->count = 0;
    for (const struct litmus_exception *each = litmus_exceptions; each->name; each++)
        if (is_about(each, instance) && is_seen_too_much(each) == too_much)
            require(litmus_read(&instance->test, each->outcomes, set));
}

/* What the explorer should see. */
static void expect(const struct instance *instance, const struct litmus_set *allowed,
                   struct litmus_set *expected)
{
    static struct litmus_set missing, extra;

    add_exceptions(instance, false, &missing);
    add_exceptions(instance, true, &extra);
    *expected = *allowed;
    litmus_subtract(expected, &missing);
    check_int(expected->count + missing.count, allowed->count);
    for (unsigned i = 0; i < extra.count; i++) {
        check(!litmus_has(allowed, extra.outcomes[i]));
        require(litmus_add(expected, extra.outcomes[i]));
    }
}

static void check_reason(enum litmus_reason reason, litmus_outcome outcome,
                         const struct rc11_outcomes by[])
{
    bool is_in_c11 = litmus_has(&by[SEQUENCE_C11].allowed, outcome);
    bool is_in_rc11 = litmus_has(&by[SEQUENCE_RC11].allowed, outcome);

    check(is_in_c11);
    check_int(is_in_rc11, reason != REASON_C11_SEQUENCE);
    check_int(litmus_has(&by[SEQUENCE_C11].forwards, outcome), reason != REASON_SEQ_CST_ORDER);
}

static unsigned reasons_checked;

static void check_reasons(const struct instance *instance)
{
    static struct rc11_outcomes by[SEQUENCES];

    for (const struct litmus_exception *each = litmus_exceptions; each->name; each++) {
        struct litmus_set set = {.count = 0};
        if (!is_about(each, instance))
            continue;
        for (unsigned i = 0; i < SEQUENCES; i++)
            require(rc11_outcomes(&instance->test, (enum release_sequence)i, &by[i]));
        require(litmus_read(&instance->test, each->outcomes, &set));
        for (unsigned i = 0; i < set.count; i++)
            check_reason(each->reason, set.outcomes[i], by);
        reasons_checked++;
    }
}

static void each_exception_has_its_reason(void)
{
    unsigned expected = 0;

    reasons_checked = 0;
    for_each(check_reasons);
    for (const struct litmus_exception *each = litmus_exceptions; each->name; each++)
        expected++;
    check_int(reasons_checked, expected);
}

/* ---- the explorer ---- */

struct seen {
    struct litmus_set set;
    bool ended;    /* the strategy has had enough ... */
    bool complete; /* ... and nothing was left out */
    bool in_order; /* no modification order was left out, at least */
};

static void note_outcome(void *argument)
{
    struct litmus_set *set = argument;
    unsigned results[LITMUS_RESULTS];

    for (unsigned i = 0; i < LITMUS_RESULTS; i++)
        results[i] = (unsigned)observed[i];
    require(litmus_add(set, litmus_pack(&litmus_test, results)));
}

static void search(const struct litmus *test, enum memory_model model,
                   const struct strategy *strategy, struct seen *seen)
{
    struct campaign campaign = explored(program_litmus, strategy);

    litmus_test = *test;
    seen->set.count = 0;
    campaign.argument = &seen->set;
    campaign.ended = note_outcome;
    campaign.memory.model = model;
    campaign.executions = strategy == &strategy_dfs     ? DFS_EXECUTIONS
                          : strategy == &strategy_every ? EVERY_EXECUTIONS
                                                        : 0;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check_text(result->first.message, "");
    seen->ended = result->ended;
    seen->complete = result->complete;
    seen->in_order = result->limits[LIMIT_MODIFICATION_ORDER] == 0;
}

struct seen_by_all {
    struct seen dfs, every, dpor;
};

static void search_by_all(const struct litmus *test, enum memory_model model,
                          const struct litmus_set *expected, struct seen_by_all *seen)
{
    search(test, model, &strategy_dpor, &seen->dpor);
    check(seen->dpor.ended);
    check_same(test, &seen->dpor.set, expected);
    search(test, model, &strategy_every, &seen->every);
    if (seen->every.ended)
        check_same(test, &seen->every.set, expected);
    search(test, model, &strategy_dfs, &seen->dfs);
    if (seen->dfs.ended)
        check_same(test, &seen->dfs.set, expected);
}

static void compare_with_interleavings(const struct instance *instance)
{
    static struct litmus_set expected;
    static struct seen_by_all seen;

    require(interleavings(&instance->test, &expected));
    search_by_all(&instance->test, MEMORY_SC, &expected, &seen);
}

static void under_sc_the_explorer_sees_the_interleavings(void)
{
    for_each(compare_with_interleavings);
}

/* ---- RC11, and what is printed of it ---- */

static const char *const reasons[] = {
    [REASON_SEQ_CST_ORDER] = "not seen: the order of seq_cst operations is that of execution",
    [REASON_RELEASE_SEQUENCE] = "not seen: no store comes within a release sequence",
    [REASON_C11_SEQUENCE] = "seen: a store of another thread ends a release sequence of C11",
};

static struct {
    unsigned tests, dfs, every, dpor, complete;
} counts;

static void count(const struct seen_by_all *seen)
{
    counts.tests++;
    counts.dfs += seen->dfs.ended;
    counts.every += seen->every.ended;
    counts.dpor += seen->dpor.ended;
    counts.complete += seen->dpor.complete;
}

/* RC11's verdict on the outcome that the test is about, the number of all that it allows, and of
   those that are seen if it is another. */
static void print_cell(const struct instance *instance, const struct litmus_set *allowed,
                       const struct seen *seen)
{
    char verdict = litmus_has(allowed, outcome_of(instance)) ? 'A' : 'F';
    char text[32];

    if (instance->variant == LITMUS_RLX || instance->variant == LITMUS_WRITTEN)
        printf("    %-17s %-7s", instance->row->name, instance->row->outcome);
    snprintf(text, sizeof text, "%c %u%s", verdict, allowed->count, seen->complete ? "" : "?");
    if (allowed->count != seen->set.count)
        snprintf(text, sizeof text, "%c %u/%u%s", verdict, allowed->count, seen->set.count,
                 seen->complete ? "" : "?");
    printf(" %-8s", text);
    if (instance->variant + 1 >= LITMUS_VARIANTS)
        printf(" %s\n", instance->row->source);
}

/* What is missing has made the search say that it is not complete. */
static void check_honest(const struct seen *seen, const struct litmus_set *allowed)
{
    struct litmus_set missing = *allowed;

    litmus_subtract(&missing, &seen->set);
    if (seen->complete)
        check_int(missing.count, 0);
}

static void compare_with_rc11(const struct instance *instance)
{
    static struct rc11_outcomes rc11;
    static struct litmus_set expected;
    static struct seen_by_all seen;

    require(rc11_outcomes(&instance->test, SEQUENCE_RC11, &rc11));
    expect(instance, &rc11.allowed, &expected);
    search_by_all(&instance->test, MEMORY_C11, &expected, &seen);
    check_honest(&seen.dpor, &rc11.allowed);
    check_honest(&seen.every, &rc11.allowed);
    check_honest(&seen.dfs, &rc11.allowed);
    print_cell(instance, &rc11.allowed, &seen.dpor);
    count(&seen);
}

static void print_exceptions(void)
{
    printf("\n");
    for (const struct litmus_exception *each = litmus_exceptions; each->name; each++)
        printf("    %-17s %-7s %s\n", each->name, each->outcomes, reasons[each->reason]);
    printf("\n    tests %u, of which dpor ended %u, complete %u; depth first %u, dfs itself %u\n",
           counts.tests, counts.dpor, counts.complete, counts.every, counts.dfs);
}

static void under_c11_the_explorer_sees_what_rc11_allows(void)
{
    bool written = false;

    memset(&counts, 0, sizeof counts);
    printf("\n    %-17s %-7s rlx      ra       sc       fra      fsc\n", "test", "outcome");
    for (const struct litmus_row *row = litmus_rows; row->name; row++) {
        if (is_as_written(row) && !written)
            printf("\n    %-17s %-7s as written\n", "test", "outcome");
        written = is_as_written(row);
        visit_row(row, compare_with_rc11);
    }
    print_exceptions();
}

/* ---- drawn by lot ---- */

struct drawing {
    struct random dice;
    char text[256];
    unsigned value;   /* the last one that was stored: each is another */
    unsigned results; /* so far */
};

#define ONE_OF(drawing, ...)                     \
    ((const char *[]){__VA_ARGS__}[random_below( \
        &(drawing)->dice, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))])

static void draw_op(struct drawing *drawing, char *text, size_t room)
{
    const char *location = ONE_OF(drawing, "x", "y");
    const char *rmw_order = ONE_OF(drawing, "rlx", "acq", "rel", "ar", "sc", "sc");

    switch (random_below(&drawing->dice, 10)) {
    case 0:
    case 1:
    case 2:
        snprintf(text, room, "%s.%s ", location, ONE_OF(drawing, "rlx", "acq", "sc"));
        drawing->results++;
        break;
    case 3:
    case 4:
    case 5:
        snprintf(text, room, "%s=%u.%s ", location, ++drawing->value,
                 ONE_OF(drawing, "rlx", "rel", "sc"));
        break;
    case 6:
        snprintf(text, room, "%s+1.%s ", location, rmw_order);
        drawing->results++;
        break;
    case 7:
        snprintf(text, room, "%s?%u:%u.%s ", location,
                 random_below(&drawing->dice, drawing->value + 1), drawing->value + 1, rmw_order);
        drawing->value++;
        drawing->results++;
        break;
    default:
        snprintf(text, room, "F.%s ", ONE_OF(drawing, "acq", "rel", "ar", "sc", "sc", "sc"));
    }
}

static void add_text(struct drawing *drawing, const char *text)
{
    size_t end = strlen(drawing->text);

    snprintf(drawing->text + end, sizeof drawing->text - end, "%s", text);
}

static void draw(struct drawing *drawing)
{
    unsigned threads = 2 + random_below(&drawing->dice, 2);

    for (unsigned i = 0; i < threads; i++) {
        unsigned length = 1 + random_below(&drawing->dice, threads == 2 ? 4 : 3);
        if (i > 0)
            add_text(drawing, "| ");
        while (length-- > 0 && drawing->results < LITMUS_RESULTS - 2) {
            size_t end = strlen(drawing->text);
            draw_op(drawing, drawing->text + end, sizeof drawing->text - end);
        }
    }
    add_text(drawing, ": x y");
}

static void the_explorer_agrees_on_tests_drawn_by_lot(void)
{
    static struct rc11_outcomes rc11;
    static struct seen seen;
    static struct litmus_set sc;
    unsigned in_order = 0, complete = 0;

    for (unsigned i = 0; i < scaled(DRAWN); i++) {
        struct drawing drawing = {.dice = {.state = i}};
        struct litmus test;
        draw(&drawing);
        check_within(drawing.text);
        require(litmus_parse(drawing.text, LITMUS_WRITTEN, &test));
        require(rc11_outcomes(&test, SEQUENCE_C11, &rc11));
        search(&test, MEMORY_C11, &strategy_dpor, &seen);
        check(seen.ended);
        in_order += seen.in_order;
        if (seen.in_order)
            check_same(&test, &seen.set, &rc11.forwards);
        complete += seen.complete;
        if (seen.complete)
            check_same(&test, &seen.set, &rc11.allowed);
        litmus_subtract(&seen.set, &rc11.allowed);
        check_int(seen.set.count, 0);
        require(interleavings(&test, &sc));
        search(&test, MEMORY_SC, &strategy_dpor, &seen);
        check_same(&test, &seen.set, &sc);
    }
    check_within(NULL);
    check(in_order > scaled(DRAWN) / 2);
    check(complete > scaled(DRAWN) / 2);
}

/* ---- what is around it ---- */

static void check_results(explored_fn *program, enum memory_model model, const char *expected)
{
    struct campaign campaign = explored(program, &strategy_every);
    struct outcomes outcomes;
    char found[4 * OUTCOMES] = "";

    campaign.memory.model = model;
    campaign.executions = 0;
    const struct campaign_result *result = campaign_outcomes(&campaign, &outcomes);
    check_text(result->first.message, "");
    check(result->ended);
    for (unsigned i = 0; i < outcomes.count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d%d", i > 0 ? " " : "",
                 outcomes.seen[i][0], outcomes.seen[i][1]);
    check_text(found, expected);
}

static void check_with_both(explored_fn *program, const char *expected)
{
    check_within("sc");
    check_results(program, MEMORY_SC, expected);
    check_within("c11");
    check_results(program, MEMORY_C11, expected);
    check_within(NULL);
}

static void a_lock_releases_and_acquires(void)
{
    check_with_both(litmus_mp_locked, "11 01 00");
}

/* What it has read it does not read again and again [SPIN-1]. */
static void a_thread_that_waits_for_a_store_sees_it_soon(void)
{
    check_with_both(litmus_waits, "10");
    check_with_both(litmus_waits_beside_a_sleeper, "10");

    struct campaign campaign = explored(litmus_waits, &strategy_every);
    campaign.memory.model = MEMORY_C11;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check(result->executions < 100);
    check(result->complete);
}

static void plain_initialisation_is_read_by_all(void)
{
    check_with_both(litmus_plain_initialisation, "03");
}

static void wide_atomics_are_left_out(void)
{
    struct campaign campaign = explored(race_none_sixteen_bytes, &strategy_dpor);

    campaign.memory.model = MEMORY_C11;
    const struct campaign_result *result = campaign_outcomes(&campaign, NULL);
    check_text(result->first.message, "");
    check(result->ended);
    check(!result->complete);
    check(result->limits[LIMIT_WIDE] > 0);
}

static const struct test tests[] = {
    TEST(the_axioms_agree_with_the_literature),
    TEST(each_exception_has_its_reason),
    TEST(under_sc_the_explorer_sees_the_interleavings),
    TEST(under_c11_the_explorer_sees_what_rc11_allows),
    TEST(the_explorer_agrees_on_tests_drawn_by_lot),
    TEST(a_lock_releases_and_acquires),
    TEST(a_thread_that_waits_for_a_store_sees_it_soon),
    TEST(plain_initialisation_is_read_by_all),
    TEST(wide_atomics_are_left_out),
    END_OF_TESTS,
};

const struct suite litmus_suite = {.name = "litmus", .tests = tests};
