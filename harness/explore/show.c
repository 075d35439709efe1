/* See show.h. */
#include "harness/explore/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* execvp */

#include "harness/explore/replay.h"
#include "harness/explore/shrink.h"
#include "harness/explore/trace.h"

static struct token token; /* too large for a stack */

/* Of what was recorded last. */
static bool write_with_token(FILE *file, struct story *story, enum columns_extent extent)
{
    bool has_token = token_of_machine(story->program, &token);
    char *text = has_token ? token_write(&token) : NULL;

    story->token = text;
    columns_write(file, story, extent);
    story->token = NULL;
    free(text);
    return text != NULL || !has_token;
}

bool show_failure(FILE *file, struct story *story, void (*program)(void *), void *argument,
                  struct failure *failure, enum columns_extent extent)
{
    struct shrink_result result = {0};

    if (!shrink(program, argument, failure, &result))
        return false;
    replay_prepare(failure->deviations, failure->deviation_count, NULL);
    story_record(story, program, argument);
    return write_with_token(file, story, extent);
}

bool show_token(FILE *file, struct story *story, void (*program)(void *), void *argument,
                const struct token *given, enum columns_extent extent)
{
    if (!token_set_rules(given))
        return false;
    replay_prepare(given->deviations, given->deviation_count, &given->trail);
    story_record(story, program, argument);
    columns_write(file, story, extent);
    return true;
}

/* ---- files and debuggers ---- */

static bool write_file(const char *path, void (*write)(FILE *, const struct story *),
                       const struct story *story)
{
    FILE *file = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (file)
        write(file, story);
    if (file && !ferror(file) && fclose(file) == 0)
        return true;
    fprintf(stderr, "explore: cannot write '%s': %s\n", path, strerror(errno));
    return false;
}

bool show_write_files(const struct show_files *files, const struct story *story)
{
    bool chrome = write_file(files->chrome, trace_write_chrome, story);

    return write_file(files->glasspool, trace_write_glasspool, story) && chrome;
}

bool show_in_debugger(const char *program, const char *given, uint32_t step)
{
    char stop[64];

    snprintf(stop, sizeof stop, "break replay_break if step == %u", step);
    char *words[] = {"gdb",           "-q",       "-ex",         stop, "-ex", "run", "--args",
                     (char *)program, "--replay", (char *)given, NULL};
    execvp(words[0], words);
    fprintf(stderr, "explore: cannot start gdb: %s\n", strerror(errno));
    return false;
}
