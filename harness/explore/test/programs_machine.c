/* Explored programs about the machine itself. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/explore/test/programs.h"

extern int observed[];

static pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, function, argument) == 0 ? thread : 0;
}

static void join(pthread_t thread)
{
    pthread_join(thread, NULL);
}

/* ---- interleaving ---- */

static atomic_int counter;

static void *increment_in_two_steps(void *unused)
{
    int value = atomic_load(&counter);

    (void)unused;
    atomic_store(&counter, value + 1);
    return NULL;
}

void program_two_increments(void)
{
    pthread_t one = start(increment_in_two_steps, NULL),
              other = start(increment_in_two_steps, NULL);

    join(one);
    join(other);
    observed[0] = atomic_load(&counter);
}

/* ---- variables ---- */

static int initialised = 7, zeroed;

void program_globals_start_afresh(void)
{
    observed[0] = initialised++;
    observed[1] = zeroed++;
}

static _Thread_local int local = 5;
static atomic_int turns;

static void *change_local(void *by)
{
    local += (int)(intptr_t)by;
    errno = local;
    atomic_fetch_add(&turns, 1);
    atomic_fetch_add(&turns, 1);
    return (void *)(intptr_t)(local == errno ? local : -1);
}

void program_thread_locals_are_apart(void)
{
    pthread_t one = start(change_local, (void *)10), other = start(change_local, (void *)20);
    void *first, *second;

    pthread_join(one, &first);
    pthread_join(other, &second);
    observed[0] = (int)(intptr_t)first;
    observed[1] = (int)(intptr_t)second;
    observed[2] = local;
}

static pthread_key_t key;

static void destroy_specific(void *value)
{
    observed[0] += (int)(intptr_t)value;
    if ((intptr_t)value == 1)
        pthread_setspecific(key, (void *)2); /* once more */
}

static void *set_specific(void *unused)
{
    (void)unused;
    pthread_setspecific(key, (void *)1);
    return NULL;
}

void program_specifics_are_destroyed(void)
{
    pthread_key_create(&key, destroy_specific);
    join(start(set_specific, NULL));
    observed[1] = pthread_getspecific(key) == NULL;
}

/* ---- ending a thread ---- */

static void clean_up(void *place)
{
    *(int *)place += 1;
}

static void exit_from_below(void)
{
    pthread_cleanup_push(clean_up, &observed[0]);
    pthread_exit((void *)3);
    pthread_cleanup_pop(0);
}

static void *exit_early(void *unused)
{
    (void)unused;
    pthread_cleanup_push(clean_up, &observed[0]);
    exit_from_below();
    pthread_cleanup_pop(0);
    return NULL;
}

void program_exit_runs_cleanups(void)
{
    void *result;

    pthread_join(start(exit_early, NULL), &result);
    observed[1] = (int)(intptr_t)result;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void unlock(void *place)
{
    pthread_mutex_unlock(place);
    observed[0]++;
}

static void *wait_for_ever(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(0);
    return NULL;
}

void program_cancelled_in_wait(void)
{
    pthread_t thread = start(wait_for_ever, NULL);
    void *result;

    pthread_mutex_lock(&mutex);
    pthread_cancel(thread);
    pthread_mutex_unlock(&mutex); /* not before this does its handler have it */
    pthread_join(thread, &result);
    pthread_mutex_lock(&mutex); /* which has given it up again */
    pthread_mutex_unlock(&mutex);
    observed[1] = result == PTHREAD_CANCELED;
}

static void *sleep_undisturbed(void *unused)
{
    (void)unused;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    observed[0] = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    observed[1] = 1;
    return NULL;
}

void program_cancelled_while_disabled(void)
{
    pthread_t thread = start(sleep_undisturbed, NULL);

    pthread_cancel(thread);
    join(thread);
}

static void *do_nothing(void *unused)
{
    return unused;
}

void program_main_leaves_first(void)
{
    pthread_detach(start(do_nothing, NULL));
    observed[0] = 1;
    pthread_exit(NULL);
}

void program_two_hundred_threads_in_turn(void)
{
    for (int i = 0; i < 200; i++) {
        pthread_t thread = start(do_nothing, NULL);
        observed[0] += thread != 0;
        join(thread);
    }
}

/* ---- memory ---- */

void program_reads_fresh_memory(void)
{
    unsigned char *volatile memory = malloc(100);
    unsigned char *volatile same = memory;

    observed[0] = same[50];
    observed[1] = (int)((uintptr_t)memory & 0xFFFFFF);
    free(memory);
}

void program_leaks(void)
{
    void *volatile lost = malloc(40);

    lost = NULL;
    (void)lost;
}

static void *volatile kept; /* volatile: or gcc does without it */

void program_keeps_in_a_global(void)
{
    void **first = malloc(sizeof *first);

    kept = first;
    *first = malloc(8);
}

void program_frees_twice(void)
{
    void *volatile memory = malloc(8);
    void *volatile same = memory;

    free(memory);
    free(same);
}

void program_without_memory(void)
{
    void *volatile memory = malloc(8); /* volatile: or clang does without it */

    observed[0] = memory != NULL;
    observed[1] = memory == NULL;
    free(memory);
}

void program_without_thread(void)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, do_nothing, NULL);

    observed[0] = error;
    if (error == 0)
        join(thread);
}

/* ---- ending badly ---- */

void program_aborts(void)
{
    abort();
}

void program_fails_assertion(void)
{
    assert(observed[0] == 1);
}

void program_crashes(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

static int dig(const volatile char *above)
{
    volatile char here[4096];

    here[0] = *above;
    return here[0] == 0 ? dig(here) + here[0] : 0;
}

void program_overflows_its_stack(void)
{
    volatile char top = 0;

    observed[0] = dig(&top);
}

static atomic_bool told;

void program_spins_for_ever(void)
{
    while (!atomic_load(&told))
        sched_yield();
}

static void *tell(void *unused)
{
    atomic_store(&told, true);
    return unused;
}

void program_spins_until_told(void)
{
    pthread_t thread = start(tell, NULL);

    while (!atomic_load(&told))
        sched_yield();
    join(thread);
    observed[0] = 1;
}

void program_unlocks_what_is_not_its_own(void)
{
    pthread_mutex_unlock(&mutex);
}

void program_weak_compare_exchange(void)
{
    int expected = 0;

    observed[0] = atomic_compare_exchange_weak(&counter, &expected, 1);
    observed[1] = expected;
}

#if defined(__clang__)
#pragma clang diagnostic ignored "-Watomic-alignment" /* it calls a function: ours */
#endif

__extension__ typedef unsigned __int128 wide;

struct pair {
    int first, second;
};
struct three {
    char bytes[3];
};

/* Each of them succeeds, unless it is weak. A bit for each that did not. */
void program_weak_spellings(void)
{
    static atomic_int words[4];
    static atomic_bool flag;
    static void *_Atomic pointer;
    static int plain[2];
    static _Alignas(16) wide sixteen;
    int zeroes[6] = {0}, one = 1;
    bool no = false;
    void *nothing = NULL;
    wide nought = 0;

    const bool done[] = {
        atomic_compare_exchange_weak(&words[0], &zeroes[0], 1),
        atomic_compare_exchange_weak_explicit(&words[1], &zeroes[1], 1, memory_order_acq_rel,
                                              memory_order_relaxed),
        /* operands with an exchange of their own, which is strong */
        atomic_compare_exchange_weak(&words[2], &zeroes[2],
                                     atomic_compare_exchange_strong(&words[3], &zeroes[3], 1)),
        atomic_compare_exchange_weak(&flag, &no, true),
        atomic_compare_exchange_weak(&pointer, &nothing, NULL),
        __atomic_compare_exchange_n(&plain[0], &zeroes[4], 1, true, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST),
        __atomic_compare_exchange(&plain[1], &zeroes[5], &one, true, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST),
        __atomic_compare_exchange_n(&sixteen, &nought, 1, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST),
    };
    for (unsigned i = 0; i < sizeof done / sizeof *done; i++)
        observed[0] |= !done[i] << i;
    observed[1] = atomic_load(&words[3]) != 1;
}

/* Neither does one of these fail that are not weak, or of which the compiler cannot know it. */
void program_strong_spellings(void)
{
    static atomic_int word;
    static _Atomic struct three bytes;
    static struct pair both;
    static int plain[2];
    int zeroes[3] = {0};
    struct three none = {{0}};
    struct pair neither = {0, 0};
    volatile bool weak = true;

    const bool done[] = {
        atomic_compare_exchange_strong(&word, &zeroes[0], 1),
        atomic_compare_exchange_weak(&bytes, &none, none),
        __atomic_compare_exchange_n(&plain[0], &zeroes[1], 1, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST),
        __atomic_compare_exchange_n(&plain[1], &zeroes[2], 1, weak, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST),
        __atomic_compare_exchange(&both, &neither, &(struct pair){1, 2}, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST),
    };
    for (unsigned i = 0; i < sizeof done / sizeof *done; i++)
        observed[0] |= !done[i] << i;
}
