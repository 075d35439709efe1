/* See show.h. */
#include "harness/explore/show.h"

#include <stdlib.h>

#include "harness/explore/replay.h"
#include "harness/explore/shrink.h"

static struct token token; /* too large for a stack */

bool show_failure(FILE *file, struct story *story, void (*program)(void *), void *argument,
                  struct failure *failure, enum columns_extent extent)
{
    struct shrink_result result = {0};

    if (!shrink(program, argument, failure, &result))
        return false;
    replay_prepare(failure->deviations, failure->deviation_count, NULL);
    story_record(story, program, argument);
    token_of_machine(story->program, &token);
    char *text = token_write(&token);
    story->token = text;
    columns_write(file, story, extent);
    story->token = NULL;
    free(text);
    return text != NULL;
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
