/*
 * Replay: each input of the corpus once more, without a fuzzer. Use `make test`.
 *
 *     replay CORPUS               CORPUS has a folder per target
 *
 * The inputs of a target run in a child, which notes in shared memory how far it is: when one
 * brings it down, or takes longer than ten seconds, that one is named and a new child goes on with
 * the next. A target without inputs is a failure.
 *
 * Exit status: 0 if all inputs went well, 1 otherwise. The last line is "fuzz: N passed, N failed".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/fuzz/targets.h"

enum {
    PATH = 512,
    PATIENCE = 10
};

static _Noreturn void give_up(const char *what, const char *which)
{
    fprintf(stderr, "replay: %s: %s\n", what, which);
    exit(1);
}

static void run_file(const struct target *target, const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file || fseek(file, 0, SEEK_END) != 0)
        give_up("cannot be read", path);
    long size = ftell(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        give_up("cannot be read", path);
    fclose(file);
    target->run(bytes, (size_t)size);
    free(bytes);
}

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The child: the inputs from *next on; what is in *next afterwards was not survived. */
static _Noreturn void run_rest(const struct target *target, const char *folder,
                               struct dirent **inputs, int count, volatile int *next)
{
    for (; *next < count; ++*next) {
        char path[PATH];
        snprintf(path, sizeof(path), "%s/%s", folder, inputs[*next]->d_name);
        alarm(PATIENCE);
        run_file(target, path);
    }
    alarm(0);
    exit(0);
}

/* How many inputs failed. */
static int run_inputs(const struct target *target, const char *folder, struct dirent **inputs,
                      int count, volatile int *next)
{
    int failed = 0;

    for (*next = 0; *next < count;) {
        int status = 0;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            run_rest(target, folder, inputs, count, next);
        if (child < 0 || waitpid(child, &status, 0) != child)
            give_up("no child", folder);
        if (status == 0)
            break;
        if (*next == count)
            give_up("fails at its end", folder);
        printf("  FAILED  %s/%s\n", folder, inputs[*next]->d_name);
        failed++;
        ++*next;
    }
    return failed;
}

static int run_target(const struct target *target, const char *corpus, volatile int *next,
                      int *passed)
{
    char folder[PATH / 2];
    struct dirent **inputs = NULL;

    snprintf(folder, sizeof(folder), "%s/%s", corpus, target->name);
    int count = scandir(folder, &inputs, is_input, alphasort);
    if (count <= 0)
        give_up("no inputs", folder);
    int failed = run_inputs(target, folder, inputs, count, next);
    printf("%-10s %d inputs, %d failed\n", target->name, count, failed);
    *passed += count - failed;
    for (int i = 0; i < count; i++)
        free(inputs[i]);
    free(inputs);
    return failed;
}

int main(int count, char **arguments)
{
    int passed = 0, failed = 0;
    volatile int *next =
        mmap(NULL, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (count != 2 || next == MAP_FAILED)
        give_up("usage", "replay CORPUS");
    for (size_t i = 0; i < TARGETS; i++)
        failed += run_target(&targets[i], arguments[1], next, &passed);
    printf("fuzz: %d passed, %d failed\n", passed, failed);
    return failed > 0;
}
