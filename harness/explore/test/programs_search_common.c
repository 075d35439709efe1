/* See programs_search.h. */
#include "harness/explore/test/programs_search.h"

extern int observed[];

struct common common = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .other_lock = PTHREAD_MUTEX_INITIALIZER,
                        .cond = PTHREAD_COND_INITIALIZER};

void begin(unsigned number, thread_body *body)
{
    pthread_create(&common.threads[number], NULL, body, as_argument(number));
}

void wait_for(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pthread_join(common.threads[i], NULL);
}

void run_all(unsigned count, thread_body *const *bodies)
{
    for (unsigned i = 0; i < count; i++)
        begin(i, bodies[i]);
    wait_for(count);
}

uint64_t what_was_seen(unsigned count)
{
    uint64_t all = common.tape;

    for (unsigned i = 0; i < count; i++)
        all = all * 10 + common.seen[i];
    return all;
}

void leave(uint64_t value)
{
    observed[0] = (int)value;
}

struct timespec in_nanoseconds(long nanos)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += nanos;
    return time;
}

void append(unsigned digit)
{
    common.tape = common.tape * 10 + digit;
}

void append_locked(unsigned digit)
{
    pthread_mutex_lock(&common.lock);
    append(digit);
    pthread_mutex_unlock(&common.lock);
}

void *append_name(void *argument)
{
    append_locked(as_number(argument) + 1);
    return NULL;
}

void *store_name(void *argument)
{
    common.x = as_number(argument) + 1;
    return NULL;
}

void *store_own(void *argument)
{
    common.own[as_number(argument)] = 1;
    return NULL;
}

void *store_y_load_x(void *argument)
{
    common.y = 1;
    common.seen[as_number(argument)] = common.x;
    return NULL;
}
