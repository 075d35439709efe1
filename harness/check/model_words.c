/* Calls in words, short enough for a column. */
#include <stdio.h> /* snprintf */

#include <glasspool/status.h>

#include "harness/check/models.h"

const char *model_status(int64_t status)
{
    switch (status) {
    case GP_OK:
        return "ok";
    case GP_EFULL:
        return "full";
    case GP_EEMPTY:
        return "empty";
    case GP_ENOTFOUND:
        return "not found";
    case GP_ETIMEDOUT:
        return "timed out";
    case GP_EINTERRUPTED:
        return "interrupted";
    case GP_ECANCELLED:
        return "cancelled";
    case GP_EFAILED:
        return "failed";
    default:
        return "an error";
    }
}

/* What the result of an operation is. */
enum kind {
    STATUS,
    TASK, /* or a status */
    COUNT,
    LIST
};

static const struct {
    const char *name;
    bool has_argument;
    enum kind result;
} operations[] = {
    [QUEUE_OFFER] = {"offer", true, STATUS},   [QUEUE_PUT] = {"put", true, STATUS},
    [QUEUE_POLL] = {"poll", false, TASK},      [QUEUE_TAKE] = {"take", false, TASK},
    [QUEUE_REMOVE] = {"remove", true, STATUS}, [QUEUE_PEEK] = {"peek", false, TASK},
    [QUEUE_SIZE] = {"size", false, COUNT},     [QUEUE_REMAINING] = {"remaining", false, COUNT},
    [QUEUE_DRAIN] = {"drain", false, LIST},
};

static void describe_list(uint64_t list, char *text)
{
    int length = snprintf(text, LINEAR_WORD, "%s", list ? "" : "nothing");

    for (; list != 0 && length < LINEAR_WORD; list >>= 8)
        length += snprintf(text + length, LINEAR_WORD - (size_t)length, "%s%u", length ? " " : "",
                           (unsigned)(list & 0xFF));
}

static void describe_result(enum kind kind, int64_t result, char *text)
{
    if (kind == LIST)
        describe_list((uint64_t)result, text);
    else if (kind == STATUS || (kind == TASK && result < 0))
        snprintf(text, LINEAR_WORD, "%s", model_status(result));
    else
        snprintf(text, LINEAR_WORD, "%d", (int)result);
}

void model_describe_queue(const struct history_call *call, struct linear_words *words)
{
    bool known = call->operation < sizeof operations / sizeof operations[0];
    unsigned operation = known ? call->operation : 0;
    const char *name = known ? operations[operation].name : "an unknown operation";

    if (operations[operation].has_argument)
        snprintf(words->invocation, LINEAR_WORD, "%s %d", name, (int)call->argument);
    else
        snprintf(words->invocation, LINEAR_WORD, "%s", name);
    describe_result(operations[operation].result, call->result, words->response);
}
