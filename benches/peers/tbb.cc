/*
 * oneTBB: tasks that nobody waits for, enqueued into an arena of so many workers, and none of its
 * places kept for the producers. The library would start one thread less than there are cores: the
 * control lets it start as many as the others have.
 *
 * --group is a task_group, in whose wait the producer works too: one thread more than the others.
 */
#include <future>
#include <memory>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "contender.h"

namespace
{

using oneapi::tbb::global_control;
using oneapi::tbb::task_arena;
using oneapi::tbb::task_group;

struct pool {
    global_control control;
    task_arena arena;

    pool(int workers, unsigned masters)
        : control(global_control::max_allowed_parallelism, static_cast<size_t>(workers) + 1),
          arena(workers + static_cast<int>(masters), masters)
    {
        arena.initialize();
    }
};

void *open_pool(long workers)
{
    return new pool(static_cast<int>(workers), 0);
}

void *open_group(long workers)
{
    return new pool(static_cast<int>(workers), 1);
}

void close_pool(void *argument)
{
    delete static_cast<pool *>(argument);
}

bool produce(void *argument, long count)
{
    task_arena &arena = static_cast<pool *>(argument)->arena;

    for (long i = 0; i < count; i++)
        arena.enqueue([] { count_run(); });
    return true;
}

bool produce_group(void *argument, long count)
{
    static_cast<pool *>(argument)->arena.execute([=] {
        task_group group;
        for (long i = 0; i < count; i++)
            group.run([] { count_run(); });
        group.wait();
    });
    return true;
}

bool enqueue_and_get(void *argument, long count)
{
    task_arena &arena = static_cast<pool *>(argument)->arena;

    for (long i = 0; i < count; i++) {
        auto promise = std::make_shared<std::promise<void>>();
        arena.enqueue([promise] {
            count_run();
            promise->set_value();
        });
        promise->get_future().get();
    }
    return true;
}

void execute(const request *request, answer *answer)
{
    static const executor executor = {open_pool, produce, close_pool};

    execute_round(&executor, request, answer);
}

void execute_group(const request *request, answer *answer)
{
    static const executor executor = {open_group, produce_group, close_pool};

    execute_round(&executor, request, answer);
}

void submit(const request *request, answer *answer)
{
    static const executor executor = {open_pool, enqueue_and_get, close_pool};

    execute_round(&executor, request, answer);
}

} // namespace

int main(int argc, char **argv)
{
    static const work group[] = {{"execute", execute_group}};
    static const work works[] = {{"execute", execute}, {"submit", submit}};

    if (has_argument(argc, argv, "--group"))
        return contend(argc, argv, group, 1);
    return contend(argc, argv, works, sizeof(works) / sizeof(*works));
}
