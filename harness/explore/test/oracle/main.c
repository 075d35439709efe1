/*
 * explore-oracle: thousands of drawn programs, on which all searches of the explorer have to agree
 * (oracle.h). Use `make explore-oracle`.
 *
 *     explore-oracle [OPTION...]      --help tells them
 *
 * Programs are drawn until as many as were asked for have been compared with a depth-first search
 * that came to its end. Each program that fails is shown. The last lines are the figures. Exit
 * status: 0 if all agree, 1 if one does not, or if a kind of operation was in no program that was
 * compared; 2 if it was called wrongly.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/explore/test/oracle.h"
#include "harness/report/words.h"

enum {
    WRONG_USAGE = 2,
    ENOUGH = 500,     /* programs, for all kinds to be among them */
    MOST_DRAWN = 100, /* for each one that is compared */
    EXPLAINED = 10    /* of those that fail */
};

static const char name[] = "explore-oracle";
static const char usage[] =
    "usage: explore-oracle [OPTION...]\n"
    "  --programs N     so many are compared (default 500)\n"
    "  --seed N         the number of the first (default 0); the others follow\n"
    "  --help           this\n";

static struct {
    uint64_t programs, seed;
} options = {.programs = ENOUGH};

static bool apply(int letter)
{
    switch (letter) {
    case 'n':
        return words_number(name, "programs", optarg, 1, UINT32_MAX, &options.programs);
    case 's':
        return words_number(name, "seed", optarg, 0, UINT32_MAX, &options.seed);
    case 'h':
        fputs(usage, stdout);
        exit(EXIT_SUCCESS);
    default:
        return false;
    }
}

static void parse(int count, char **words)
{
    static const struct option known[] = {{"programs", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int letter;

    while ((letter = words_next(name, count, words, known)) != -1)
        if (!apply(letter))
            exit(WRONG_USAGE);
}

static struct oracle_figures figures;

/* False: it fails. */
static bool examine(unsigned number)
{
    static unsigned failures;
    struct drawing drawing;

    drawn_draw(number, &drawing);
    enum judgement judgement = oracle_judge(&drawing, &figures);
    if (!is_failure(judgement))
        return true;
    if (failures++ < EXPLAINED)
        oracle_explain(&drawing, judgement, stdout);
    else
        printf("program %u fails, too\n", number);
    fflush(stdout);
    return false;
}

/* False: a kind of operation was in none of enough programs that were compared. */
static bool has_all_kinds(void)
{
    for (unsigned i = 0; i < DRAWN_KINDS && options.programs >= ENOUGH; i++)
        if (figures.compared[i] == 0) {
            printf("no program with \"%s\" was compared\n", drawn_kind_name(i));
            return false;
        }
    return true;
}

/* False: one fails. */
static bool examine_all(void)
{
    bool sound = true;

    for (uint64_t i = 0;
         i < MOST_DRAWN * options.programs && oracle_compared(&figures) < options.programs; i++)
        sound &= examine((unsigned)(options.seed + i));
    return sound;
}

int main(int count, char **words)
{
    parse(count, words);
    bool sound = examine_all();
    sound &= has_all_kinds();
    sound &= oracle_compared(&figures) == options.programs;
    oracle_print(&figures, stdout);
    return sound ? EXIT_SUCCESS : EXIT_FAILURE;
}
