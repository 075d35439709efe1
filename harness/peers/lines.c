/* Lines: questions and answers as text. */
#include <stdlib.h>
#include <string.h>

#include <glasspool/status.h>

#include "harness/peers/peers.h"

enum {
    COLUMNS = 7,
    ZONES = 2048
};

_Noreturn void give_up(const char *what, const char *which)
{
    fprintf(stderr, "peers: %s: %s\n", what, which);
    exit(1);
}

FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "r");

    if (!file)
        give_up("cannot be opened", path);
    return file;
}

bool read_line(FILE *file, char line[LINE])
{
    if (!fgets(line, LINE, file))
        return false;
    size_t length = strcspn(line, "\n");
    if (!line[length])
        give_up("a line without an end", line);
    line[length] = '\0';
    return true;
}

static unsigned split(char *line, char *columns[COLUMNS])
{
    unsigned count = 0;
    char *tab = line;

    columns[count++] = line;
    while (count < COLUMNS && (tab = strchr(tab, '\t'))) {
        *tab++ = '\0';
        columns[count++] = tab;
    }
    return count;
}

static int64_t match_of(const char *text)
{
    if (strcmp(text, "never") == 0)
        return NEVER;
    if (strcmp(text, "refused") == 0)
        return REFUSED;
    char *end;
    long long seconds = strtoll(text, &end, 10);
    if (*end || end == text)
        give_up("not a match", text);
    return seconds;
}

bool read_question(FILE *file, char line[LINE], struct question *question)
{
    char *columns[COLUMNS];

    if (!read_line(file, line))
        return false;
    unsigned count = split(line, columns);
    if (count != 4 && count != COLUMNS)
        give_up("not a question", line);
    *question = (struct question){.expression = columns[0],
                                  .zone = columns[1],
                                  .seconds = match_of(columns[2]),
                                  .backwards = strcmp(columns[3], "prev") == 0};
    if (count == COLUMNS) {
        question->rule = columns[4];
        question->ours = match_of(columns[5]);
        question->theirs = match_of(columns[6]);
    }
    return true;
}

void read_answer(FILE *file, struct answer *answer)
{
    char line[LINE], *columns[COLUMNS];

    if (!read_line(file, line))
        give_up("an answer is missing", "the peer ended early");
    unsigned count = split(line, columns);
    *answer = (struct answer){.match = match_of(columns[0])};
    if (count == 3) {
        answer->offset_asked = strtol(columns[1], NULL, 10);
        answer->offset_matched = strtol(columns[2], NULL, 10);
    }
}

gp_zone *open_zone(const char *name)
{
    static struct {
        char name[64];
        gp_zone *zone;
    } opened[ZONES];
    size_t i = 0;

    while (i < ZONES - 1 && opened[i].zone && strcmp(opened[i].name, name) != 0)
        i++;
    if (!opened[i].zone) {
        if (gp_zone_open(name, &opened[i].zone) != GP_OK)
            give_up("no such zone", name);
        snprintf(opened[i].name, sizeof(opened[i].name), "%s", name);
    }
    return opened[i].zone;
}
