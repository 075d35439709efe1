/* Histories for tests: see linear_support.h. */
#include "linear_support.h"

void record(struct history *history, unsigned lane, unsigned operation, int32_t argument,
            int64_t result)
{
    struct history_open call = history_begin(history, lane, operation, argument);
    history_end(call, result);
}

/* The memory is that of all tests, one after the other: a search must not see the last one's. */
enum linear_verdict verdict_on(const struct linear_model *model, int parameter,
                               const struct history *history)
{
    static struct linear_search search;
    return linear_check(&search, model, parameter, history);
}

bool explains(const struct linear_model *model, const struct history *history)
{
    return verdict_on(model, 0, history) == LINEARIZABLE;
}
