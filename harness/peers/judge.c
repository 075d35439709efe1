/*
 * The judge: our answers against those of a peer.
 *
 * A question is "expression, zone, seconds since 1970, next or prev", with tabs between. An answer
 * is "seconds of the match, offset at the question, offset at the match", or "never", or "refused".
 * What counts as what, in this order:
 *
 *   data       the peer has another offset than we at the question or at its match: its copy of
 *              the zones is of another day. How far those differ is the business of zones.c.
 *   left out   the clocks change within a day of the question, of our match or of theirs. What then
 *              happens is a choice, made differently by each; ours is in the conformance suites.
 *   equal      the same match, both never, or both refused.
 *   explained  by one of the rules (rules.c).
 *   else unexplained, and shown.
 *
 * A change of clocks between question and match leaves nothing out: whoever searches has to get
 * over it.
 *
 * Each rule has cases of its own in the file cases-PEER: questions with three columns more, the
 * name of the rule, our answer and the peer's. So a rule that no longer holds is noticed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/clock.h>
#include <glasspool/cron.h>
#include <glasspool/status.h>

#include "harness/peers/draw.h"
#include "harness/peers/peers.h"

enum {
    SHOWN = 20,         /* of what is unexplained */
    MOST_LEFT_OUT = 10, /* percent of the questions */
    MOST_DATA = 1,      /* likewise */
    MOST_EXPLAINED = 1  /* of a thousand comparisons */
};

enum verdict {
    DATA,
    LEFT_OUT,
    LEFT_OUT_EQUAL,
    EQUAL,
    UNEXPLAINED,
    EXPLAINED
};

enum {
    VERDICTS = EXPLAINED + RULES
};

static const char *name_of(unsigned verdict)
{
    static const char *const names[] = {"data", "left-out", "left-out", "equal", "unexplained"};

    return verdict < EXPLAINED ? names[verdict] : rules[verdict - EXPLAINED].name;
}

static bool is_of(const struct rule *rule, const struct peer *peer)
{
    return strcmp(rule->peer, peer->name) == 0;
}

/* ---- our side ---- */

static int64_t seconds_of(int64_t match)
{
    return match == GP_NEVER || match == INT64_MIN ? NEVER : match / GP_SECONDS(1);
}

static int64_t ask_us(const struct question *question)
{
    gp_cron *cron;
    gp_zone *zone = open_zone(question->zone);
    int64_t time = question->seconds * GP_SECONDS(1);
    int status = gp_cron_parse_in(question->expression, zone, 0, &cron, NULL);

    if (status == GP_EINVAL)
        return REFUSED;
    if (status != GP_OK)
        give_up("cannot be compiled", question->expression);
    int64_t match = question->backwards ? gp_cron_prev(cron, time) : gp_cron_next(cron, time);
    gp_cron_release(cron);
    return seconds_of(match);
}

static bool is_time(int64_t match)
{
    return match != NEVER && match != REFUSED;
}

static bool offset_differs(const gp_zone *zone, int64_t seconds, long offset)
{
    return gp_zone_period_at(zone, seconds * GP_SECONDS(1)).offset != offset;
}

static bool changes_near(const gp_zone *zone, int64_t match)
{
    if (!is_time(match))
        return false;
    int64_t day = GP_SECONDS(DAY_SECONDS), time = match * GP_SECONDS(1);
    gp_zone_period period = gp_zone_period_at(zone, time);
    return period.begin > time - day || period.end < time + day;
}

/* ---- the verdict ---- */

static unsigned verdict_of(const struct peer *peer, const struct question *question,
                           const struct answer *answer, int64_t ours)
{
    const gp_zone *zone = open_zone(question->zone);
    int64_t theirs = answer->match;

    if (is_time(theirs) && (offset_differs(zone, question->seconds, answer->offset_asked) ||
                            offset_differs(zone, theirs, answer->offset_matched)))
        return DATA;
    if (changes_near(zone, question->seconds) || changes_near(zone, ours) ||
        changes_near(zone, theirs))
        return ours == theirs ? LEFT_OUT_EQUAL : LEFT_OUT;
    if (ours == theirs)
        return EQUAL;
    for (unsigned i = 0; i < RULES; i++)
        if (is_of(&rules[i], peer) && rules[i].holds(question, ours, theirs))
            return EXPLAINED + i;
    return UNEXPLAINED;
}

static const char *in_words(int64_t match, char text[32])
{
    if (!is_time(match))
        return match == NEVER ? "never" : "refused";
    snprintf(text, 32, "%" PRId64, match);
    return text;
}

static void show(const struct question *question, unsigned verdict, int64_t ours, int64_t theirs)
{
    char first[32], second[32];

    printf("  %s\t%s\t%" PRId64 "\t%s\tours %s, theirs %s: %s\n", question->expression,
           question->zone, question->seconds, question->backwards ? "prev" : "next",
           in_words(ours, first), in_words(theirs, second), name_of(verdict));
}

/* ---- the commands ---- */

static int summary(const struct peer *peer, const size_t counts[VERDICTS])
{
    size_t left_out = counts[LEFT_OUT] + counts[LEFT_OUT_EQUAL], explained = 0;

    for (unsigned i = 0; i < RULES; i++)
        explained += counts[EXPLAINED + i];
    size_t compared = counts[EQUAL] + counts[UNEXPLAINED] + explained;
    size_t asked = compared + left_out + counts[DATA];
    printf("%s: compared %zu, equal %zu", peer->name, compared, counts[EQUAL]);
    for (unsigned i = 0; i < RULES; i++)
        if (is_of(&rules[i], peer))
            printf(", explained by %s %zu", rules[i].name, counts[EXPLAINED + i]);
    printf(", unexplained %zu; left out near a change of clocks %zu (%zu of them equal), for other "
           "zone data %zu\n",
           counts[UNEXPLAINED], left_out, counts[LEFT_OUT_EQUAL], counts[DATA]);
    return counts[UNEXPLAINED] > 0 || compared == 0 ||
           explained * 1000 > compared * MOST_EXPLAINED || left_out * 100 > asked * MOST_LEFT_OUT ||
           counts[DATA] * 100 > asked * MOST_DATA;
}

int judge(const struct peer *peer, const char *questions, const char *answers)
{
    FILE *asked = open_file(questions), *answered = open_file(answers);
    size_t counts[VERDICTS] = {0};
    struct question question;
    struct answer answer;
    char line[LINE];

    while (read_question(asked, line, &question)) {
        read_answer(answered, &answer);
        int64_t ours = ask_us(&question);
        unsigned verdict = verdict_of(peer, &question, &answer, ours);
        if (verdict == UNEXPLAINED && counts[verdict] < SHOWN)
            show(&question, verdict, ours, answer.match);
        counts[verdict]++;
    }
    fclose(asked);
    fclose(answered);
    return summary(peer, counts);
}

int check_cases(const struct peer *peer, const char *questions, const char *answers)
{
    FILE *asked = open_file(questions), *answered = open_file(answers);
    struct question question;
    struct answer answer;
    size_t passed = 0, failed = 0;
    char line[LINE];

    while (read_question(asked, line, &question)) {
        read_answer(answered, &answer);
        int64_t ours = ask_us(&question);
        unsigned verdict = verdict_of(peer, &question, &answer, ours);
        bool fine = question.rule && strcmp(question.rule, name_of(verdict)) == 0 &&
                    ours == question.ours && answer.match == question.theirs;
        if (!fine)
            show(&question, verdict, ours, answer.match);
        fine ? passed++ : failed++;
    }
    fclose(asked);
    fclose(answered);
    printf("%s, cases: %zu as stated, %zu not\n", peer->name, passed, failed);
    return failed > 0 || passed == 0;
}

/* ---- questions ---- */

static size_t read_zones(const char *path, char zones[][LINE], size_t room)
{
    FILE *file = open_file(path);
    size_t count = 0;

    while (count < room && read_line(file, zones[count]))
        count++;
    fclose(file);
    if (count == 0)
        give_up("no zones", path);
    return count;
}

/* One in four in UTC, where nothing is left out. */
int ask(const struct peer *peer, const char *count, const char *seed, const char *path)
{
    static char zones[2048][LINE];
    size_t many = read_zones(path, zones, 2048);
    struct draw draw = {strtoull(seed, NULL, 10), peer};
    char expression[EXPRESSION_ROOM];
    struct question question;

    for (long left = strtol(count, NULL, 10); left > 0; left--) {
        const char *zone = zones[draw_below(&draw, (unsigned)many)];
        bool utc = draw_percent(&draw, 25);
        draw_question(&draw, &question, expression);
        printf("%s\t%s\t%" PRId64 "\t%s\n", expression, utc ? "UTC" : zone, question.seconds,
               question.backwards ? "prev" : "next");
    }
    return 0;
}
