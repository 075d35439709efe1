/* See show.h. */
#include "harness/explore/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* execvp */

#include "harness/explore/replay.h"
#include "harness/explore/shrink.h"
#include "harness/explore/trace.h"
#include "harness/report/report.h"

static struct token token; /* too large for a stack */
static char *token_text;   /* of the story that was told last */

/* Of what was recorded last. */
static bool write_with_token(FILE *file, struct story *story, enum columns_extent extent)
{
    bool has_token = token_of_machine(story->program, &token);

    free(token_text);
    story->token = token_text = has_token ? token_write(&token) : NULL;
    columns_write(file, story, extent);
    return token_text != NULL || !has_token;
}

bool show_failure(FILE *file, struct story *story, void (*program)(void *), void *argument,
                  struct failure *failure, enum columns_extent extent)
{
    struct shrink_result result = {0};

    if (!failure->as_found)
        shrink(program, argument, failure, &result); /* or it stays as it was */
    replay_prepare(failure->deviations, failure->deviation_count, NULL);
    story_record(story, program, argument);
    if (story->verdict != failure->verdict)
        snprintf(story->found, sizeof story->found, "%s: %s", verdict_kind_name(failure->verdict),
                 failure->message);
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

const struct token *show_read_token(const char *program, const char *text)
{
    char reason[TOKEN_REASON];

    if (token_read(text, &token, reason))
        return &token;
    fprintf(stderr, "%s: this is not a token that I know: %s\n", program, reason);
    return NULL;
}

/* ---- files and debuggers ---- */

static bool write_file(const char *program, const char *path,
                       void (*write)(FILE *, const struct story *), const struct story *story)
{
    FILE *file = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (file)
        write(file, story);
    return (file && !ferror(file) && fclose(file) == 0) || report_complain_of(program, path);
}

bool show_can_write_files(const char *program, const struct show_files *files)
{
    return report_can_write(program, files->chrome) && report_can_write(program, files->glasspool);
}

bool show_write_files(const char *program, const struct show_files *files,
                      const struct story *story)
{
    bool chrome = write_file(program, files->chrome, trace_write_chrome, story);

    return write_file(program, files->glasspool, trace_write_glasspool, story) && chrome;
}

static bool has_step(const char *program, const char *text, uint32_t step)
{
    const struct token *given = show_read_token(program, text);

    if (given && step > given->trail.steps)
        fprintf(stderr, "%s: --gdb cannot be %u: the token has %u steps\n", program, step,
                given->trail.steps);
    return given && step <= given->trail.steps;
}

void show_in_debugger(const char *program, const char *path, const char *given, char **arguments,
                      uint32_t step)
{
    char stop[64];
    char *before[] = {"gdb",       "-q",     "-ex",        stop,       "-ex",         "run", "-ex",
                      "backtrace", "--args", (char *)path, "--replay", (char *)given, "--"};
    enum {
        BEFORE = sizeof before / sizeof *before
    };
    size_t count = 0;

    if (!has_step(program, given, step))
        return;
    snprintf(stop, sizeof stop, "break replay_break if step == %u", step);
    while (arguments[count])
        count++;
    char **words = calloc(BEFORE + count + 1, sizeof *words);
    if (words) {
        memcpy(words, before, sizeof before);
        memcpy(words + BEFORE, arguments, count * sizeof *words);
        execvp(words[0], words);
    }
    fprintf(stderr, "%s: cannot start gdb: %s\n", program, strerror(errno));
    free(words);
}
