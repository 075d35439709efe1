/*
 * The floor: what the same work costs with nothing but what the system gives.
 *
 *     execute, submit   a linked list, one mutex, one condition: the pool of the textbooks, which
 *                       can do nothing else
 *     lateness          one thread that waits for the next time and nothing else: on a condition
 *                       (the default), for a timerfd (--timerfd), or for the signal of a POSIX
 *                       timer (--posix); or two that take turns (--pair): who was there in time
 *                       first wakes the other, who waits for the next, as a leader does that has a
 *                       follower
 *
 * The waits have the timer slack that the workers of our scheduled pool have, one nanosecond.
 * --slack COMMAND... runs a command with it, so that one sees what of a peer's lateness is slack.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "contender.h"

/* The pool. */

struct node {
    struct node *next;
    void (*run)(void *argument);
    void *argument;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct node *first;
    struct node **last;
    bool stop;
    long workers;
    pthread_t threads[THREADS_MAX];
};

static struct node *take(struct pool *pool)
{
    struct node *node;

    pthread_mutex_lock(&pool->lock);
    while (!pool->first && !pool->stop)
        pthread_cond_wait(&pool->filled, &pool->lock);
    node = pool->first;
    if (node) {
        pool->first = node->next;
        if (!pool->first)
            pool->last = &pool->first;
    }
    pthread_mutex_unlock(&pool->lock);
    return node;
}

static void *work(void *argument)
{
    struct node *node;

    while ((node = take(argument)) != NULL) {
        node->run(node->argument);
        free(node);
    }
    return NULL;
}

static void *open_pool(long workers)
{
    struct pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->filled, NULL);
    pool->last = &pool->first;
    for (pool->workers = 0; pool->workers < workers; pool->workers++)
        if (pthread_create(&pool->threads[pool->workers], NULL, work, pool) != 0)
            abort();
    return pool;
}

static bool put(struct pool *pool, void (*run)(void *), void *argument)
{
    struct node *node = malloc(sizeof(*node));

    if (!node)
        return false;
    *node = (struct node){NULL, run, argument};
    pthread_mutex_lock(&pool->lock);
    *pool->last = node;
    pool->last = &node->next;
    pthread_cond_signal(&pool->filled);
    pthread_mutex_unlock(&pool->lock);
    return true;
}

static void close_pool(void *argument)
{
    struct pool *pool = argument;

    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->filled);
    pthread_mutex_unlock(&pool->lock);
    for (long i = 0; i < pool->workers; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->filled);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static bool produce(void *pool, long count)
{
    bool ok = true;

    for (long i = 0; i < count && ok; i++)
        ok = put(pool, count_run_of, NULL);
    return ok;
}

static void execute(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, produce, close_pool};

    execute_round(&executor, request, answer);
}

/* There and back. */

struct outcome {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
};

static void complete(void *argument)
{
    struct outcome *outcome = argument;

    count_run();
    pthread_mutex_lock(&outcome->lock);
    outcome->done = true;
    pthread_cond_signal(&outcome->changed);
    pthread_mutex_unlock(&outcome->lock);
}

static bool put_and_wait(void *pool, long count)
{
    struct outcome outcome = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    bool ok = true;

    for (long i = 0; i < count && ok; i++) {
        outcome.done = false;
        ok = put(pool, complete, &outcome);
        pthread_mutex_lock(&outcome.lock);
        while (ok && !outcome.done)
            pthread_cond_wait(&outcome.changed, &outcome.lock);
        pthread_mutex_unlock(&outcome.lock);
    }
    return ok;
}

static void submit(const struct request *request, struct answer *answer)
{
    static const struct executor executor = {open_pool, put_and_wait, close_pool};

    execute_round(&executor, request, answer);
}

/* Lateness. */

typedef void wait_fn(const struct timespec *until);

struct waiting {
    wait_fn *wait;
    const struct request *request;
    int64_t *lateness;
};

static struct timespec timespec_of(int64_t nanos)
{
    return (struct timespec){.tv_sec = (time_t)(nanos / 1000000000), .tv_nsec = nanos % 1000000000};
}

static void *wait_for_each(void *argument)
{
    struct waiting *waiting = argument;

    set_timer_slack();
    int64_t due = nanos_now() + waiting->request->gap;
    for (long i = 0; i < waiting->request->count; i++, due += waiting->request->gap) {
        struct timespec until = timespec_of(due);
        if (nanos_now() < due)
            waiting->wait(&until);
        waiting->lateness[i] = nanos_now() - due;
        if (waiting->lateness[i] >= 0)
            count_run();
    }
    return NULL;
}

static void lateness_of(wait_fn *wait, const struct request *request, struct answer *answer)
{
    struct waiting waiting = {wait, request, calloc((size_t)request->count, sizeof(int64_t))};
    long from = sum_of_tallies();
    pthread_t thread;

    if (!waiting.lateness || pthread_create(&thread, NULL, wait_for_each, &waiting) != 0)
        abort();
    pthread_join(thread, NULL);
    answer->done = sum_of_tallies() - from;
    add_lateness(answer, waiting.lateness, request->count);
    free(waiting.lateness);
}

static void wait_on_condition(const struct timespec *until)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

    pthread_mutex_lock(&lock);
    while (pthread_cond_clockwait(&never, &lock, CLOCK_MONOTONIC, until) == 0)
        ;
    pthread_mutex_unlock(&lock);
}

static void on_condition(const struct request *request, struct answer *answer)
{
    lateness_of(wait_on_condition, request, answer);
}

static void wait_for_timerfd(const struct timespec *until)
{
    static int timer = -1;
    uint64_t expired;

    if (timer < 0)
        timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &(struct itimerspec){.it_value = *until}, NULL);
    if (read(timer, &expired, sizeof(expired)) != sizeof(expired))
        abort();
}

static void on_timerfd(const struct request *request, struct answer *answer)
{
    lateness_of(wait_for_timerfd, request, answer);
}

static void wait_for_signal(const struct timespec *until)
{
    static timer_t timer;
    static bool made;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    if (!made && timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        abort();
    made = true;
    timer_settime(timer, TIMER_ABSTIME, &(struct itimerspec){.it_value = *until}, NULL);
    sigwaitinfo(&set, NULL);
}

static void on_signal(const struct request *request, struct answer *answer)
{
    lateness_of(wait_for_signal, request, answer);
}

/* Two in turns. */

struct pair {
    pthread_mutex_t lock;
    pthread_cond_t led;    /* never signalled: only the time ends a leader's wait */
    pthread_cond_t follow; /* there is no leader any more */
    bool has_leader;
    const struct request *request;
    int64_t due;
    long next;
    int64_t *lateness;
};

/* With the lock held. False: there is none left. */
static bool await_next(struct pair *pair)
{
    struct timespec until;

    while (pair->has_leader)
        pthread_cond_wait(&pair->follow, &pair->lock);
    if (pair->next == pair->request->count)
        return false;
    pair->has_leader = true;
    until = timespec_of(pair->due);
    while (nanos_now() < pair->due)
        pthread_cond_clockwait(&pair->led, &pair->lock, CLOCK_MONOTONIC, &until);
    pair->has_leader = false;
    return true;
}

static void *take_turns(void *argument)
{
    struct pair *pair = argument;

    set_timer_slack();
    pthread_mutex_lock(&pair->lock);
    while (await_next(pair)) {
        int64_t due = pair->due;
        int64_t *lateness = &pair->lateness[pair->next++];
        pair->due += pair->request->gap;
        pthread_cond_signal(&pair->follow);
        pthread_mutex_unlock(&pair->lock);
        *lateness = nanos_now() - due;
        count_run();
        pthread_mutex_lock(&pair->lock);
    }
    pthread_mutex_unlock(&pair->lock);
    return NULL;
}

static void in_turns(const struct request *request, struct answer *answer)
{
    struct pair pair = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .led = PTHREAD_COND_INITIALIZER,
                        .follow = PTHREAD_COND_INITIALIZER,
                        .request = request,
                        .due = nanos_now() + request->gap,
                        .lateness = calloc((size_t)request->count, sizeof(int64_t))};
    long from = sum_of_tallies();
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (!pair.lateness || pthread_create(&threads[i], NULL, take_turns, &pair) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    answer->done = sum_of_tallies() - from;
    add_lateness(answer, pair.lateness, request->count);
    free(pair.lateness);
}

static void block_signal(void) /* in all threads, which are not made yet */
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
    static const struct work timerfd[] = {{"lateness", on_timerfd}};
    static const struct work posix[] = {{"lateness", on_signal}};
    static const struct work pair[] = {{"lateness", in_turns}};
    static const struct work works[] = {
        {"execute", execute}, {"submit", submit}, {"lateness", on_condition}};

    if (argc > 2 && strcmp(argv[1], "--slack") == 0) {
        set_timer_slack();
        execvp(argv[2], argv + 2);
        return 1;
    }
    if (has_argument(argc, argv, "--timerfd"))
        return contend(argc, argv, timerfd, 1);
    if (has_argument(argc, argv, "--pair"))
        return contend(argc, argv, pair, 1);
    if (has_argument(argc, argv, "--posix")) {
        block_signal();
        return contend(argc, argv, posix, 1);
    }
    return contend(argc, argv, works, sizeof(works) / sizeof(*works));
}
