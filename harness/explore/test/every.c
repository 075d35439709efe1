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
    thread_set left = turn->enabled;

    for (thread_set each = left; each != 0; each &= each - 1)
        if (is_unnoticed((unsigned)__builtin_ctzll(each)))
            return (unsigned)__builtin_ctzll(each);
    for (unsigned skipped = choose((unsigned)__builtin_popcountll(left)); skipped > 0; skipped--)
        left &= left - 1;
    return (unsigned)__builtin_ctzll(left);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    (void)kind;
    return choose(count);
}

const struct strategy strategy_every = {
    .name = "every", .start = start, .begin = begin, .pick = pick, .pick_datum = pick_datum};
