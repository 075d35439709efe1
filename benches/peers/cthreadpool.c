/* C-Thread-Pool. */
#include <cthreadpool/thpool.h>

#include "contender.h"

/* One for all rounds: to destroy it takes a second, of sleeping. */
static void *open_pool(long workers)
{
    static threadpool pool;

    if (!pool)
        pool = thpool_init((int)workers);
    return pool;
}

static bool produce(void *pool, long count)
{
    bool ok = true;

    for (long i = 0; i < count && ok; i++)
        ok = thpool_add_work(pool, count_run_of, NULL) == 0;
    return ok;
}

static bool add_and_wait(void *pool, long count)
{
    bool ok = true;

    for (long i = 0; i < count && ok; i++) {
        ok = thpool_add_work(pool, count_run_of, NULL) == 0;
        thpool_wait(pool);
    }
    return ok;
}

static void close_pool(void *pool)
{
    thpool_wait(pool);
}

static void execute(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, produce, close_pool};

    execute_round(&executor, request, answer);
}

static void submit(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, add_and_wait, close_pool};

    execute_round(&executor, request, answer);
}

int main(int argc, char **argv)
{
    static const struct work works[] = {{"execute", execute}, {"submit", submit}};

    return contend(argc, argv, works, sizeof(works) / sizeof(*works));
}
