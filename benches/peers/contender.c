/* The protocol of contender.h. */
#include "contender.h"

#include <limits.h>
#include <malloc.h> /* mallopt */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_SIZE = 256,
    MMAP_MOST = 32 << 20 /* glibc takes no more */
};

bool has_argument(int argc, char **argv, const char *argument)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], argument) == 0)
            return true;
    return false;
}

void add_figure(struct answer *answer, const char *name, double value)
{
    if (answer->figures < FIGURES_MAX)
        answer->figure[answer->figures++] = (struct figure){name, value};
}

static bool parse_word(const char *word, struct request *request)
{
    const struct {
        const char *name;
        long *value;
    } known[] = {{"producers=", &request->producers},
                 {"workers=", &request->workers},
                 {"count=", &request->count},
                 {"pending=", &request->pending},
                 {"gap=", &request->gap}};

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        size_t length = strlen(known[i].name);
        if (strncmp(word, known[i].name, length) == 0) {
            *known[i].value = strtol(word + length, NULL, 10);
            return true;
        }
    }
    return false;
}

static bool is_sound(const struct request *request)
{
    return request->producers > 0 && request->producers <= THREADS_MAX && request->workers > 0 &&
           request->workers <= THREADS_MAX && request->count > 0;
}

static const struct work *find_work(const struct work *works, size_t count, const char *name)
{
    for (size_t i = 0; name && i < count; i++)
        if (strcmp(works[i].name, name) == 0)
            return &works[i];
    return NULL;
}

static void print_answer(const struct work *work, const struct answer *answer)
{
    if (answer->error || answer->skip) {
        printf("%s %s\n", answer->error ? "error" : "skip",
               answer->error ? answer->error : answer->skip);
        return;
    }
    printf("%s done=%ld", work->name, answer->done);
    for (size_t i = 0; i < answer->figures; i++)
        printf(" %s=%.9g", answer->figure[i].name, answer->figure[i].value);
    putchar('\n');
}

static void do_line(char *line, const struct work *works, size_t count)
{
    char *rest;
    const struct work *work = find_work(works, count, strtok_r(line, " \n", &rest));
    struct request request = {.producers = 1, .workers = 2, .count = 1, .gap = 500000};
    struct answer answer = {0};
    const char *word;

    while ((word = strtok_r(NULL, " \n", &rest)) != NULL)
        if (!parse_word(word, &request)) {
            printf("error unknown parameter %s\n", word);
            return;
        }
    if (!work || !is_sound(&request)) {
        printf("error %s\n", work ? "bad parameters" : "unknown work");
        return;
    }
    work->round(&request, &answer);
    print_answer(work, &answer);
}

/* Memory once had from the system stays: what a round costs is not its pages. The JVM's heap is
   fixed, and touched before, for the same reason. */
static void keep_memory(void)
{
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, MMAP_MOST);
}

int contend(int argc, char **argv, const struct work *works, size_t count)
{
    char line[LINE_SIZE];

    keep_memory();
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (has_argument(argc, argv, "--list")) {
        for (size_t i = 0; i < count; i++)
            puts(works[i].name);
        return 0;
    }
    while (fgets(line, sizeof(line), stdin))
        do_line(line, works, count);
    return 0;
}
