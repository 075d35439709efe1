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
#include <string.h>

#include "harness/explore/test/oracle.h"
#include "harness/report/words.h"

enum {
    WRONG_USAGE = 2,
    ENOUGH = 500,    /* programs, for all kinds to be among them */
    MOST_DRAWN = 100 /* for each one that is compared */
};

static const char name[] = "explore-oracle";
static const char usage[] =
    "usage: explore-oracle [OPTION...]\n"
    "  --programs N     so many are compared (default 500)\n"
    "  --seed N         the number of the first (default 0); the others follow\n"
    "  --theme NAME     only programs of this theme\n"
    "  --without WORDS  none with this operation, as a program shows it; may be repeated\n"
    "  --until-failure  stop after the first that fails\n"
    "  --explain N      shrink and show so many of those that fail (default 10)\n"
    "  --list           show each program, and all executions of dpor\n"
    "  --help           this\n";

static struct {
    uint64_t programs, seed, explained;
    unsigned theme; /* DRAWN_THEMES: any */
    bool list, until_failure;
    bool without[DRAWN_KINDS];
} options = {.programs = 500, .explained = 10, .theme = DRAWN_THEMES};

static bool leave_out(const char *words)
{
    for (unsigned i = 0; i < DRAWN_KINDS; i++)
        if (strcmp(drawn_kind_name(i), words) == 0)
            return options.without[i] = true;
    return words_refuse(name, "without", words);
}

static bool choose_theme(const char *word)
{
    for (unsigned i = 0; i < DRAWN_THEMES; i++)
        if (strcmp(drawn_theme_name(i), word) == 0) {
            options.theme = i;
            return true;
        }
    return words_refuse(name, "theme", word);
}

static bool apply(int letter)
{
    switch (letter) {
    case 'n':
        return words_number(name, "programs", optarg, 1, UINT32_MAX, &options.programs);
    case 's':
        return words_number(name, "seed", optarg, 0, UINT32_MAX, &options.seed);
    case 'w':
        return leave_out(optarg);
    case 'l':
        return options.list = true;
    case 't':
        return choose_theme(optarg);
    case 'u':
        return options.until_failure = true;
    case 'e':
        return words_number(name, "explain", optarg, 0, UINT32_MAX, &options.explained);
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
                                          {"without", required_argument, NULL, 'w'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"theme", required_argument, NULL, 't'},
                                          {"until-failure", no_argument, NULL, 'u'},
                                          {"explain", required_argument, NULL, 'e'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int letter;

    while ((letter = words_next(name, count, words, known)) != -1)
        if (!apply(letter))
            exit(WRONG_USAGE);
}

static bool is_wanted(const struct drawing *drawing)
{
    if (options.theme != DRAWN_THEMES && drawn_theme_of(drawing->number) != options.theme)
        return false;
    for (unsigned i = 0; i < DRAWN_KINDS; i++)
        if (options.without[i] && drawn_has(drawing, i))
            return false;
    return true;
}

static struct oracle_figures figures;

/* False: it fails. */
static bool examine(unsigned number)
{
    static unsigned failures;
    struct drawing drawing;

    drawn_draw(number, &drawing);
    if (!is_wanted(&drawing))
        return true;
    enum judgement judgement = oracle_judge(&drawing, &figures);
    if (options.list) {
        drawn_show(&drawing, stdout);
        oracle_list(&drawing, stdout);
    }
    if (!is_failure(judgement))
        return true;
    if (failures++ < options.explained)
        oracle_explain(&drawing, judgement, stdout);
    else
        printf("program %u fails, too\n", number);
    fflush(stdout);
    return false;
}

/* False: a kind of operation was in no program that was compared. */
static bool has_all_kinds(void)
{
    bool all = options.programs < ENOUGH || options.theme != DRAWN_THEMES;

    for (unsigned i = 0; i < DRAWN_KINDS && !all; i++)
        if (figures.compared[i] == 0 && !options.without[i]) {
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
         i < MOST_DRAWN * options.programs && oracle_compared(&figures) < options.programs &&
         (sound || !options.until_failure);
         i++)
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
