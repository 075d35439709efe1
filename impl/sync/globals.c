/*
 * What a process has once, all in one place.
 *
 * Two pools never meet: nothing here carries a pool's state. Numbers serve only the names of
 * threads, the count of timers only a warning; the rest tells a thread which record is its own.
 * (One global "keep alive" flag for all pools is how C-Thread-Pool stops pool B when pool A is
 * destroyed.)
 *
 * A record is found through a thread-local pointer; a key beside it exists only for its destructor,
 * which gives back the record of a foreign thread when that thread ends.
 */
#include "sync/globals.h"

#include <pthread.h>
#include <stdatomic.h>

#include <glasspool/status.h>

static _Atomic unsigned pool_number;
static _Atomic unsigned timer_number;
static _Atomic unsigned timers;
static _Atomic bool timer_warning_claimed;
_Thread_local gp_thread *gp__current;
static _Thread_local const void *former_owner;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_status;

unsigned gp__next_pool_number(void)
{
    return atomic_fetch_add_explicit(&pool_number, 1, memory_order_relaxed) + 1; /* a name only */
}

/* Timers: figures that order nothing, hence relaxed. */

unsigned gp__next_timer_number(void)
{
    return atomic_fetch_add_explicit(&timer_number, 1, memory_order_relaxed) + 1;
}

unsigned gp__add_timer(void)
{
    return atomic_fetch_add_explicit(&timers, 1, memory_order_relaxed) + 1;
}

void gp__remove_timer(void)
{
    atomic_fetch_sub_explicit(&timers, 1, memory_order_relaxed);
}

bool gp__claim_timer_warning(void)
{
    return !atomic_exchange_explicit(&timer_warning_claimed, true, memory_order_relaxed);
}

static void forget_thread(void *record)
{
    gp__current = NULL;
    gp_thread_release(record);
}

static void create_key(void)
{
    key_status = pthread_key_create(&key, forget_thread);
}

int gp__set_current_thread(gp_thread *record)
{
    pthread_once(&key_once, create_key);
    if (key_status != 0 || pthread_setspecific(key, record) != 0)
        return GP_ENOMEM;
    gp__current = record;
    return GP_OK;
}

void gp__set_own_thread(gp_thread *record)
{
    gp__current = record;
}

void gp__set_former_owner(const void *owner)
{
    former_owner = owner;
}

const void *gp__former_owner(void)
{
    return former_owner;
}
