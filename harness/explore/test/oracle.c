/*
 * See oracle.h. One table holds the outcomes of all searches on a program; each outcome has a bit
 * for every search that has found it.
 */
#include "harness/explore/test/oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/random.h"
#include "harness/explore/test/oracle_parts.h"

enum {
    SLOTS = 4 * MOST_OUTCOMES,
    MOST_BY_DFS = 20000,
    MOST_BY_DPOR = 20000,
    MOST_CUT = 4 * MOST_BY_DPOR,
    BETWEEN_QUESTIONS = 64, /* executions: campaign.c */
    SAMPLES = 300,
    COLUMNS = 3
};

struct drawn_program drawn;
int drawn_seen[DRAWN_THREADS][PLACES];

struct oracle_outcomes oracle_outcomes;

static bool full;             /* there were more outcomes than there is room for */
static uint16_t slots[SLOTS]; /* of outcomes, by hash: index + 1 */

static const struct strategy *const strategies[SEARCHES] = {[SEARCH_DFS] = &strategy_dfs,
                                                            [SEARCH_DPOR] = &strategy_dpor,
                                                            [SEARCH_RANDOM] = &strategy_random,
                                                            [SEARCH_PCT] = &strategy_pct,
                                                            [SEARCH_POS] = &strategy_pos};

const char *oracle_search_name(enum search search)
{
    return strategies[search]->name;
}

/* ---- outcomes ---- */

/* A race is one whatever else was seen: plain accesses are no steps, and executions that differ in
   nothing but their order may meet another race first. */
struct outcome oracle_outcome_of_machine(void)
{
    struct outcome outcome;

    memset(&outcome, 0, sizeof outcome);
    outcome.verdict = machine.verdict;
    if (machine.verdict == ENDED_RACE)
        return outcome;
    memcpy(outcome.seen, drawn_seen, sizeof outcome.seen);
    outcome.culprit = machine.culprit;
    memcpy(outcome.message, machine.message, strlen(machine.message));
    return outcome;
}

bool oracle_is_same(const struct outcome *a, const struct outcome *b)
{
    return a->verdict == b->verdict && a->culprit == b->culprit &&
           strcmp(a->message, b->message) == 0 && memcmp(a->seen, b->seen, sizeof a->seen) == 0;
}

static uint64_t hash_of(const struct outcome *outcome)
{
    struct random mixer = {.state = 0};
    uint64_t hash = outcome->verdict;

    for (unsigned i = 0; i < DRAWN_THREADS; i++)
        for (unsigned k = 0; k < PLACES; k++) {
            mixer.state ^= (unsigned)outcome->seen[i][k];
            hash ^= random_next(&mixer);
        }
    for (const char *letter = outcome->message; *letter; letter++)
        hash = hash * 31 + (unsigned char)*letter;
    return hash;
}

/* Its number; MOST_OUTCOMES: there is no room for it. */
static unsigned number_of(const struct outcome *outcome)
{
    unsigned slot = (unsigned)(hash_of(outcome) % SLOTS);

    for (; slots[slot] != 0; slot = (slot + 1) % SLOTS)
        if (oracle_is_same(&oracle_outcomes.all[slots[slot] - 1], outcome))
            return slots[slot] - 1u;
    if (oracle_outcomes.count == MOST_OUTCOMES)
        return MOST_OUTCOMES;
    oracle_outcomes.all[oracle_outcomes.count] = *outcome;
    oracle_outcomes.found_by[oracle_outcomes.count] = 0;
    slots[slot] = (uint16_t)++oracle_outcomes.count;
    return oracle_outcomes.count - 1;
}

static void forget_outcomes(void)
{
    oracle_outcomes.count = 0;
    full = false;
    memset(slots, 0, sizeof slots);
}

/* ---- searching ---- */

static unsigned questions;

static void count_question(void)
{
    questions++;
}

static bool has_cut_too_many(void)
{
    return questions > MOST_CUT / BETWEEN_QUESTIONS;
}

static void note_outcome(void *argument)
{
    const enum search *search = argument;
    struct outcome outcome = oracle_outcome_of_machine();
    unsigned number = number_of(&outcome);

    if (number == MOST_OUTCOMES)
        full = true;
    else
        oracle_outcomes.found_by[number] |= 1u << *search;
}

static void perform(void *unused)
{
    (void)unused;
    program_drawn();
}

struct campaign_result oracle_search(const struct drawing *drawing, enum search search,
                                     void (*ended)(void *))
{
    static const unsigned most[SEARCHES] = {MOST_BY_DFS, MOST_BY_DPOR, SAMPLES, SAMPLES, SAMPLES};
    struct campaign campaign = {
        .program = perform,
        .argument = &search,
        .strategy = strategies[search],
        .options = {.seed = drawing->number + 1, .depth = 3, .preemption_bound = UINT32_MAX},
        .rules = drawing->rules,
        .memory = drawing->memory,
        .executions = most[search],
        .keep_going = true,
        .ended = ended,
        .show_progress = count_question,
        .should_stop = has_cut_too_many};
    struct campaign_result result;

    drawn = drawing->program;
    questions = 0;
    if ((!machine.prepared && !machine_prepare()) || !campaign_run(&campaign, &result)) {
        fprintf(stderr, "no memory\n");
        exit(EXIT_FAILURE);
    }
    campaign_result_free(&result);
    return result;
}

/* ---- judging ---- */

static bool misses_any(enum search search)
{
    for (unsigned i = 0; i < oracle_outcomes.count; i++)
        if (!oracle_was_found(i, search))
            return true;
    return false;
}

/* [ORACLE-3] */
static bool is_comparable(const struct campaign_result *result)
{
    return result->ended && result->verdicts[ENDED_LIMIT] == 0 &&
           result->limits[LIMIT_SPINS] == 0 && result->limits[LIMIT_CHOICES] == 0;
}

static enum judgement judge(const struct campaign_result *dfs, const struct campaign_result *dpor)
{
    if (full)
        return IS_TOO_LARGE;
    if (is_comparable(dfs) && misses_any(SEARCH_DFS))
        return DFS_MISSES_OUTCOMES; /* [ORACLE-1] */
    if (is_comparable(dpor) && misses_any(SEARCH_DPOR))
        return DPOR_MISSES_OUTCOMES; /* [ORACLE-1] [ORACLE-2] */
    if (!is_comparable(dpor))
        return dpor->ended ? LEAVES_SOMETHING_OUT : IS_TOO_LARGE; /* [ORACLE-3] */
    return is_comparable(dfs) ? AGREES_WITH_DFS : AGREES_WITH_SAMPLERS;
}

static void count(const struct drawing *drawing, enum judgement judgement,
                  const struct campaign_result results[SEARCHES], struct oracle_figures *figures)
{
    figures->programs[judgement]++;
    if (judgement != AGREES_WITH_DFS)
        return;
    figures->outcomes += oracle_outcomes.count;
    figures->several += oracle_outcomes.count > 1;
    for (unsigned i = 0; i < SEARCHES; i++)
        figures->executions[i] += results[i].executions;
    for (unsigned i = 0; i < DRAWN_KINDS; i++)
        figures->compared[i] += drawn_has(drawing, i);
}

enum judgement oracle_judge(const struct drawing *drawing, struct oracle_figures *figures)
{
    struct campaign_result results[SEARCHES];

    forget_outcomes();
    for (enum search search = SEARCH_DFS; search < SEARCHES; search++)
        results[search] = oracle_search(drawing, search, note_outcome);
    enum judgement judgement = judge(&results[SEARCH_DFS], &results[SEARCH_DPOR]);
    if (figures)
        count(drawing, judgement, results, figures);
    return judgement;
}

/* ---- figures ---- */

unsigned oracle_compared(const struct oracle_figures *figures)
{
    return figures->programs[AGREES_WITH_DFS] + figures->programs[DPOR_MISSES_OUTCOMES] +
           figures->programs[DFS_MISSES_OUTCOMES];
}

static void print_kinds(const struct oracle_figures *figures, FILE *file)
{
    fprintf(file, "programs with each operation, of those compared:\n");
    for (unsigned i = 0; i < DRAWN_KINDS; i++)
        fprintf(file, "%s%-24s %5u%s", i % COLUMNS == 0 ? "    " : "   ", drawn_kind_name(i),
                figures->compared[i],
                i % COLUMNS == COLUMNS - 1 || i + 1 == DRAWN_KINDS ? "\n" : "");
}

void oracle_print(const struct oracle_figures *figures, FILE *file)
{
    static const char *const left_out[JUDGEMENTS] = {
        [AGREES_WITH_SAMPLERS] = "dfs did not come to its end: dpor agrees with the samplers",
        [LEAVES_SOMETHING_OUT] = "dpor says that it left something out",
        [IS_TOO_LARGE] = "dpor did not come to its end, or there were too many outcomes"};
    unsigned failed =
        figures->programs[DPOR_MISSES_OUTCOMES] + figures->programs[DFS_MISSES_OUTCOMES];

    print_kinds(figures, file);
    fprintf(file, "not compared:\n");
    for (unsigned i = 0; i < JUDGEMENTS; i++)
        if (left_out[i])
            fprintf(file, "    %5u   %s\n", figures->programs[i], left_out[i]);
    fprintf(file, "compared: %u, %u of them with more than one outcome, %" PRIu64 " outcomes;",
            oracle_compared(figures), figures->several, figures->outcomes);
    for (unsigned i = SEARCH_DFS; i <= SEARCH_DPOR; i++)
        fprintf(file, " %s %" PRIu64 "%s", oracle_search_name(i), figures->executions[i],
                i == SEARCH_DFS ? "," : " executions\n");
    fprintf(file, "%u passed, %u failed\n", oracle_compared(figures) - failed, failed);
}
