/* See every.h. The path is the list of choices that led to this execution; the next one differs in
   the last that has an option left. */
#include "harness/explore/test/every.h"

#include "harness/explore/strategies.h"

enum {
    CHOICES = 4096
};

static struct {
    unsigned length, at;
    bool begun;
    struct {
        unsigned options, chosen;
    } choices[CHOICES];
} path;

static void start(const struct strategy_options *options)
{
    (void)options;
    path.length = 0;
    path.begun = false;
}

static bool begin(void)
{
    path.at = 0;
    if (!path.begun)
        return path.begun = true;
    while (path.length > 0 &&
           path.choices[path.length - 1].chosen + 1 == path.choices[path.length - 1].options)
        path.length--;
    if (path.length == 0)
        return false;
    path.choices[path.length - 1].chosen++;
    return true;
}

static unsigned choose(unsigned options)
{
    if (path.at == CHOICES)
        return 0;
    if (path.at == path.length) {
        path.choices[path.length].options = options;
        path.choices[path.length++].chosen = 0;
    }
    return path.choices[path.at++].chosen;
}

static bool is_unnoticed(unsigned thread)
{
    if (thread == CLOCK_THREAD)
        return false;
    switch ((enum op_kind)machine.threads[thread].op.kind) {
    case OP_BEGIN:
    case OP_CREATE:
    case OP_JOIN:
    case OP_EXIT:
        return true;
    default:
        return false;
    }
}

static unsigned pick(const struct turn *turn)
{
    for (struct set_walk each = set_walk(turn->enabled); set_next(&each);)
        if (is_unnoticed(each.at))
            return each.at;
    struct set_walk each = set_walk(turn->enabled);
    for (unsigned left = choose(set_count(turn->enabled)); set_next(&each) && left > 0;)
        left--;
    return each.at;
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    (void)kind;
    return choose(count);
}

const struct strategy strategy_every = {.name = "every",
                                        .exhaustive = true,
                                        .start = start,
                                        .begin = begin,
                                        .pick = pick,
                                        .pick_datum = pick_datum};
