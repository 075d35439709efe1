/* Explored programs with the threads of C11. */
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "harness/explore/test/programs.h"

extern int observed[];

static mtx_t first, second;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int number, destroyed;

static void initialise(void)
{
    mtx_init(&first, mtx_plain);
    mtx_init(&second, mtx_recursive | mtx_timed);
    cnd_init(&changed);
    number++;
}

static struct timespec in_a_second(void)
{
    struct timespec time;

    timespec_get(&time, TIME_UTC);
    time.tv_sec++;
    return time;
}

/* ---- what they answer ---- */

static void note_destroyed(void *block)
{
    free(block);
    destroyed++;
}

static int set_number(void *argument)
{
    call_once(&once, initialise);
    tss_set(key, malloc(10));
    mtx_lock(&first);
    number += *(int *)argument;
    cnd_signal(&changed);
    mtx_unlock(&first);
    if (tss_get(key))
        thrd_exit(-3);
    return 1;
}

static bool is_joined(thrd_t thread)
{
    int result = 0;

    return thrd_join(thread, &result) == thrd_success && result == -3;
}

/* Main waits for the number, and then for what is never signalled. */
void program_c11_waits(void)
{
    struct timespec until = in_a_second();
    thrd_t thread;
    int ten = 10;

    call_once(&once, initialise);
    tss_create(&key, note_destroyed);
    thrd_create(&thread, set_number, &ten);
    mtx_lock(&first);
    while (number < 11)
        cnd_wait(&changed, &first);
    mtx_unlock(&first);
    observed[0] = is_joined(thread) && number == 11 && destroyed == 1;
    mtx_lock(&first);
    observed[0] &= cnd_timedwait(&changed, &first, &until) == thrd_timedout;
    mtx_unlock(&first);
    tss_delete(key);
    cnd_destroy(&changed);
    mtx_destroy(&first);
}

static int lock_in_vain(void *unused)
{
    struct timespec until = in_a_second();

    (void)unused;
    return mtx_trylock(&second) == thrd_busy && mtx_timedlock(&second, &until) == thrd_timedout;
}

void program_c11_locks(void)
{
    struct timespec before = in_a_second(), after;
    thrd_t thread;
    int result = 0;

    call_once(&once, initialise);
    observed[0] = mtx_init(&first, 99) == thrd_error;
    observed[0] &= mtx_lock(&second) == thrd_success && mtx_trylock(&second) == thrd_success;
    thrd_create(&thread, lock_in_vain, NULL);
    observed[0] &= thrd_join(thread, &result) == thrd_success && result == 1;
    observed[0] &= mtx_unlock(&second) == thrd_success && mtx_unlock(&second) == thrd_success;
    observed[0] &= mtx_unlock(&second) == thrd_error;
    observed[0] &= thrd_sleep(&(struct timespec){.tv_sec = 5}, NULL) == 0;
    observed[0] &= timespec_get(&after, TIME_UTC) == TIME_UTC && timespec_get(&after, 99) == 0;
    observed[0] &= after.tv_sec >= before.tv_sec + 4;
    observed[0] &= thrd_equal(thrd_current(), thrd_current()) != 0;
}

/* ---- a deadlock ---- */

static int lock_both(mtx_t *one, mtx_t *other)
{
    mtx_lock(one);
    mtx_lock(other);
    mtx_unlock(other);
    return mtx_unlock(one);
}

static int lock_the_other_way_round(void *unused)
{
    (void)unused;
    return lock_both(&second, &first);
}

void program_c11_deadlock(void)
{
    thrd_t thread;

    initialise();
    thrd_create(&thread, lock_the_other_way_round, NULL);
    lock_both(&first, &second);
    thrd_join(thread, NULL);
}
