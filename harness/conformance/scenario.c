/* Scenarios: how a table of outcomes is read, and what is wrong with one that is badly written. */
#include "harness/scenario/scenario.h"

#include "suite.h"

static bool set_up(void *state, uint64_t random)
{
    (void)state;
    (void)random;
    return true;
}

static void act(void *state, struct outcome *outcome)
{
    (void)state;
    (void)outcome;
}

/* Without a table. */
#define A_RACE                                                                                 \
    {                                                                                          \
        .name = "family/race", .description = "a race", .invariants = "[FUTURE-1]",            \
        .attacks = {"a.c", "line"}, .broken_by = "mutant", .state_size = 1, .set_up = set_up,  \
        .actors = {{"act", act}, {"act", act}},                                                \
        .slots = {{"one", {"lost", "won"}}, {"the other", {"lost", "won"}}, {"left", {NULL}}}, \
    }

static const struct scenario races[] = {A_RACE, {.name = NULL}};

static void choose(void *state)
{
    *(int *)state = 1;
}

static bool set_up_another(void *state, uint64_t random)
{
    return set_up(state, random);
}

/* Those that are like another have a family that comes first: the order does not matter. */
static const struct scenario twins[] = {
    {.name = "twins/twin",
     .like = "proved/race",
     .attacks = {"b.c", "another line"},
     .set_up = set_up_another},
    {.name = "twins/actor_apart",
     .like = "proved/race",
     .attacks = {"b.c", "another line"},
     .actors = {{"look", act}, {"act", act}, {"act", act}}},
    {.name = "twins/of_none", .like = "proved/gone", .attacks = {"b.c", "another line"}},
    {.name = "twins/of_a_twin", .like = "twins/twin", .slack = 6},
    {.name = "twins/of_itself", .like = "twins/of_the_other"},
    {.name = "twins/of_the_other", .like = "twins/of_itself"},
    {.name = "twins/chosen", .like = "proved/race", .choose = choose},
    {.name = NULL},
};

static const struct scenario proved[] = {
    {.name = "proved/race",
     .description = "a race",
     .invariants = "[FUTURE-1]",
     .attacks = {"a.c", "line"},
     .broken_by = "mutant",
     .state_size = 7,
     .set_up = set_up,
     .actors = {{"act", act}, {"act", act}},
     .slack = 5,
     .slots = {{"one", {"lost", "won"}}},
     .outcomes = {{"one won", ACCEPTABLE, "because", MUST_OCCUR}}},
    {.name = NULL},
};

const struct scenario *const scenario_families[] = {twins, races, proved, NULL};

static struct scenario with_row(const char *text, enum grade grade)
{
    struct scenario scenario = A_RACE;
    scenario.outcomes[0] = (struct graded_outcome){
        .text = text, .grade = grade, .why = "because", .demand = MUST_OCCUR};
    return scenario;
}

static bool is_flawed(const char *text, enum grade grade)
{
    const struct scenario scenario = with_row(text, grade);
    return scenario_flaw(&scenario) != NULL;
}

/* Which row an outcome has, counted from 0; -1: none. */
static int row_of(const struct scenario *scenario, struct outcome outcome)
{
    const struct graded_outcome *row = outcome_row(scenario, outcome);
    return row ? (int)(row - scenario->outcomes) : -1;
}

/* Rows. */

static void a_row_that_names_all_slots_is_fine(void)
{
    check(!is_flawed("one won, the other lost, left 3", ACCEPTABLE));
    check(!is_flawed("one won, the other lost, left 3", INTERESTING));
    check(!is_flawed("one won, the other lost, left 3", FORBIDDEN));
}

static void a_row_that_names_what_does_not_exist_is_flawed(void)
{
    check(is_flawed("one won, the other won, left behind", FORBIDDEN));
    check(is_flawed("nobody won", FORBIDDEN));
    check(is_flawed("nobody won, ...", ACCEPTABLE));
}

static void a_forbidden_row_may_leave_slots_out(void)
{
    check(!is_flawed("one won, the other won", FORBIDDEN));
    check(!is_flawed("", FORBIDDEN));
}

static void another_row_may_not(void)
{
    check(is_flawed("one won, the other lost", ACCEPTABLE));
    check(is_flawed("the other lost, left 3", INTERESTING));
    check(is_flawed("one won, one won, left 3", ACCEPTABLE));
    check(is_flawed("", ACCEPTABLE));
}

static void unless_it_says_so_at_its_end(void)
{
    check(!is_flawed("one won, the other lost, ...", ACCEPTABLE));
    check(!is_flawed("left 3, ...", INTERESTING));
    check(!is_flawed("...", ACCEPTABLE));
    check(is_flawed("one won, ..., left 3", ACCEPTABLE));
    check(is_flawed("one won...", ACCEPTABLE));
}

static void a_row_says_why(void)
{
    struct scenario scenario = with_row("one won, the other lost, left 3", ACCEPTABLE);
    scenario.outcomes[0].why = NULL;
    check(scenario_flaw(&scenario) != NULL);
}

static void there_is_a_row(void)
{
    check(scenario_flaw(&races[0]) != NULL);
}

static void one_row_must_occur(void)
{
    struct scenario scenario = with_row("one won, ...", ACCEPTABLE);
    scenario.outcomes[0].demand = MAY_OCCUR;
    check(scenario_flaw(&scenario) != NULL);
    scenario.outcomes[1] =
        (struct graded_outcome){.text = "...", .why = "because", .demand = MUST_OCCUR};
    check(scenario_flaw(&scenario) == NULL);
}

/* Reading a table. */

static void a_slot_that_is_left_out_may_have_any_value(void)
{
    const struct scenario open = with_row("one won, ...", ACCEPTABLE);
    const struct scenario forbidden = with_row("one won", FORBIDDEN);
    check_int(row_of(&open, (struct outcome){{1, 0, 0}}), 0);
    check_int(row_of(&open, (struct outcome){{1, 1, 7}}), 0);
    check_int(row_of(&open, (struct outcome){{0, 1, 7}}), -1);
    check_int(row_of(&forbidden, (struct outcome){{1, 1, 7}}), 0);
    check_int(row_of(&forbidden, (struct outcome){{0, 1, 7}}), -1);
}

static void the_first_row_that_fits_counts(void)
{
    struct scenario scenario = with_row("one won, the other won", FORBIDDEN);
    scenario.outcomes[1] = (struct graded_outcome){.text = "one won, ...", .why = "because"};
    scenario.outcomes[2] = (struct graded_outcome){.text = "...", .why = "because"};
    check(scenario_flaw(&scenario) == NULL);
    check_int(row_of(&scenario, (struct outcome){{1, 1, 0}}), 0);
    check_int(row_of(&scenario, (struct outcome){{1, 0, 0}}), 1);
    check_int(row_of(&scenario, (struct outcome){{0, 1, 0}}), 2);
}

static void an_outcome_is_told_slot_by_slot(void)
{
    char text[SCENARIO_TEXT];
    outcome_text(&races[0], (struct outcome){{1, 0, 200}}, text);
    check_text(text, "one won, the other lost, left 200");
}

/* The list. */

static void count(const struct scenario *scenario, void *context)
{
    check_text(scenario->name, "family/race");
    ++*(int *)context;
}

static void scenarios_are_found_by_their_name(void)
{
    int found = 0;
    scenario_each("fam*", count, &found);
    scenario_each("family/*", count, &found);
    scenario_each("family/race", count, &found);
    scenario_each("race", count, &found);
    check_int(found, 3);
}

/* Likeness. */

static void keep(const struct scenario *scenario, void *context)
{
    *(const struct scenario **)context = scenario;
}

static const struct scenario *visited(const char *name)
{
    const struct scenario *scenario = NULL;
    scenario_each(name, keep, &scenario);
    return scenario;
}

static void a_twin_has_what_it_does_not_say(void)
{
    const struct scenario *twin = visited("twins/twin");
    check(scenario_flaw(twin) == NULL);
    check_text(twin->name, "twins/twin");
    check_text(twin->description, "a race");
    check_int((int)twin->state_size, 7);
    check_int((int)twin->slack, 5);
    check_int((int)scenario_actor_count(twin), 2);
    check_int(row_of(twin, (struct outcome){{1}}), 0);
}

static void a_twin_keeps_what_it_says(void)
{
    const struct scenario *twin = visited("twins/twin");
    check(twin->set_up == set_up_another);
    check_text(twin->attacks.file, "b.c");
    const struct scenario *apart = visited("twins/actor_apart");
    check(apart->set_up == set_up);
    check_int((int)scenario_actor_count(apart), 3);
    check_text(apart->actors[0].name, "look");
}

static void a_twin_may_choose_before_set_up(void)
{
    int kind = 0;
    check(scenario_set_up(visited("proved/race"), &kind, 0));
    check_int(kind, 0);
    check(scenario_flaw(visited("twins/chosen")) == NULL);
    check_text(visited("twins/chosen")->attacks.file, "a.c");
    check(scenario_set_up(visited("twins/chosen"), &kind, 0));
    check_int(kind, 1);
}

static void a_twin_has_no_mutant_of_another(void)
{
    check(visited("twins/twin")->broken_by == NULL);
    check_text(visited("proved/race")->broken_by, "mutant");
}

static void a_twin_stays_where_it_is(void)
{
    check(visited("twins/twin") == visited("twins/twin"));
}

static void a_twin_may_have_twins(void)
{
    const struct scenario *twin = visited("twins/of_a_twin");
    check(scenario_flaw(twin) == NULL);
    check_int((int)twin->slack, 6);
    check(twin->set_up == set_up_another);
    check_text(twin->attacks.file, "b.c");
    check_text(twin->description, "a race");
}

static void a_flawed_twin_is_told(void)
{
    const char *of_none = scenario_flaw(visited("twins/of_none"));
    check_text(of_none,
               "the scenario that it is like does not exist, or is in the end like itself");
    check_text(scenario_flaw(visited("twins/of_itself")), of_none);
}

static const struct test tests[] = {
    TEST(a_row_that_names_all_slots_is_fine),
    TEST(a_row_that_names_what_does_not_exist_is_flawed),
    TEST(a_forbidden_row_may_leave_slots_out),
    TEST(another_row_may_not),
    TEST(unless_it_says_so_at_its_end),
    TEST(a_row_says_why),
    TEST(there_is_a_row),
    TEST(one_row_must_occur),
    TEST(a_slot_that_is_left_out_may_have_any_value),
    TEST(the_first_row_that_fits_counts),
    TEST(an_outcome_is_told_slot_by_slot),
    TEST(scenarios_are_found_by_their_name),
    TEST(a_twin_has_what_it_does_not_say),
    TEST(a_twin_keeps_what_it_says),
    TEST(a_twin_may_choose_before_set_up),
    TEST(a_twin_has_no_mutant_of_another),
    TEST(a_twin_stays_where_it_is),
    TEST(a_twin_may_have_twins),
    TEST(a_flawed_twin_is_told),
    END_OF_TESTS,
};

const struct suite scenario_suite = {.name = "scenario", .tests = tests};
