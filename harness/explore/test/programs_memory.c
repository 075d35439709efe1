/*
 * Memory in the hands of the system's functions: text that is copied, compared, printed; and what
 * is left of it at the end; and thread-local variables. Each fault in its smallest form, next to a
 * twin that does the same thing right.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "harness/explore/test/programs.h"
#include "harness/explore/test/roles.h"

extern int observed[];

#define PROGRAM(name, one, other) \
    void name(void)               \
    {                             \
        run_both(one, other);     \
    }

/* ---- text that two threads have ---- */

static char text[32] = "one, two";
static char other_text[32] = "one, three";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED(...)                  \
    do {                             \
        pthread_mutex_lock(&lock);   \
        __VA_ARGS__;                 \
        pthread_mutex_unlock(&lock); \
    } while (0)

/* Somebody else writes byte `at` of a text, on which `work` looks as far as byte `last`. */
#define READS_UP_TO(last, name, ...)                           \
    ROLE(name##_reads, char copy[32]; (void)copy; __VA_ARGS__) \
    ROLE(name##_writes_last, text[last] = 'x')                 \
    ROLE(name##_writes_next, text[(last) + 1] = 'x')           \
    PROGRAM(race_##name, name##_reads, name##_writes_last)     \
    PROGRAM(race_none_beside_##name, name##_reads, name##_writes_next)

READS_UP_TO(8, strlen, observed[0] = (int)strlen(text))
READS_UP_TO(3, strnlen, observed[0] = (int)strnlen(text, 4))
READS_UP_TO(8, strcpy_from, strcpy(copy, text))
READS_UP_TO(3, strncpy_from, strncpy(copy, text, 4))
READS_UP_TO(6, strcmp, observed[0] = strcmp(text, other_text) > 0)
READS_UP_TO(3, strncmp, observed[0] = strncmp(text, other_text, 4))
READS_UP_TO(6, strcasecmp, observed[0] = strcasecmp(other_text, text) < 0)
READS_UP_TO(3, strchr, observed[0] = *strchr(text, ','))
READS_UP_TO(8, strrchr, observed[0] = *strrchr(text, ','))
READS_UP_TO(4, strstr, observed[0] = *strstr(text, "e, "))
READS_UP_TO(5, memchr, observed[0] = memchr(text, '?', 6) != NULL)
READS_UP_TO(3, strcspn, observed[0] = (int)strcspn(text, "?,"))
READS_UP_TO(8, strdup, free(strdup(text)))
READS_UP_TO(3, strndup, free(strndup(text, 4)))
READS_UP_TO(0, atoi, observed[0] = atoi(text))
READS_UP_TO(8, print_of_text, observed[0] = snprintf(copy, 4, "%3d %-*s", 5, 2, text))
READS_UP_TO(2, print_of_part, observed[0] = snprintf(copy, 32, "%5.1f%lu%.*s", 1.5, 3UL, 3, text))
READS_UP_TO(8, printf, printf("%s", text))
READS_UP_TO(8, puts, puts(text))
READS_UP_TO(8, sscanf, observed[0] = sscanf(text, "%31s", copy))

/* The same, with what it writes. */
#define WRITES_UP_TO(last, name, ...)                       \
    ROLE(name##_writes, __VA_ARGS__)                        \
    ROLE(name##_reads_last, observed[0] = text[last])       \
    ROLE(name##_reads_next, observed[0] = text[(last) + 1]) \
    PROGRAM(race_##name, name##_writes, name##_reads_last)  \
    PROGRAM(race_none_beside_##name, name##_writes, name##_reads_next)

WRITES_UP_TO(3, strcpy, strcpy(text, "abc"))
WRITES_UP_TO(9, strncpy, strncpy(text, "abc", 10))
WRITES_UP_TO(11, strcat, strcat(text, "abc"))
WRITES_UP_TO(10, strncat, strncat(text, "abc", 2))
WRITES_UP_TO(3, sprintf, sprintf(text, "%d", 100))
WRITES_UP_TO(1, snprintf, observed[1] = snprintf(text, 2, "%d", 100))
WRITES_UP_TO(3, scan_of_text, sscanf("7 abc", "%*d %31s", text))
WRITES_UP_TO(2, scan_of_set, int length; sscanf("aa]", "%31[^]b]%n", text, &length))
WRITES_UP_TO(1, scan_of_short, sscanf("5%6", "5%%%hd", (short *)(void *)text))
WRITES_UP_TO(7, scan_of_double, sscanf("1.5", "%lf", (double *)(void *)text))
WRITES_UP_TO(3, scan_of_letters, sscanf("abcdef", "%4c", text))
WRITES_UP_TO(3, scan_cut_short, int *place = (void *)text; sscanf("1 x", "%d%d", place, place + 1))

ROLE(copies_locked, LOCKED(strcpy(text, "abc")))
ROLE(measures_locked, LOCKED(observed[0] = (int)strlen(text)))
PROGRAM(race_none_strcpy_locked, copies_locked, measures_locked)

static int numbers[4] = {3, 1, 2, 0};

static int by_number(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

ROLE(sorts, qsort(numbers, 3, sizeof *numbers, by_number))
ROLE(reads_third, observed[0] = numbers[2])
ROLE(reads_fourth, observed[0] = numbers[3])
PROGRAM(race_qsort, sorts, reads_third)
PROGRAM(race_none_beside_qsort, sorts, reads_fourth)

/* ---- text that was freed ---- */

static char *dead_text(void)
{
    char *dead = strdup("abc");
    char *volatile same = dead;

    free(dead);
    return same;
}

void freed_strlen(void)
{
    observed[0] = (int)strlen(dead_text());
}

void freed_strcpy(void)
{
    strcpy(dead_text(), "x");
}

void freed_printed(void)
{
    printf("%d %s\n", 1, dead_text());
}

/* ---- they do what they are for ---- */

void program_reallocates_to_nothing(void)
{
    void *volatile block = malloc(8);

    assert(realloc(block, 0) == NULL);
}

static void check_searches(void)
{
    static const char line[] = "key = value";

    assert(strchr(line, '=') == line + 4 && !strchr(line, '?') && *strchr(line, '\0') == '\0');
    assert(strrchr(line, 'e') == line + 10);
    assert(strstr(line, "val") == line + 6 && !strstr(line, "none"));
    assert(memchr(line, 'y', 3) == line + 2 && !memchr(line, '=', 3));
    assert(strspn(line, "yek") == 3 && strcspn(line, "= ") == 3);
    assert(strpbrk(line, "=") == line + 4 && !strpbrk(line, "?"));
    assert(strcmp("a", "b") < 0 && strcmp("b", "a") > 0 && strcmp("", "") == 0);
    assert(strcmp("\x80", "a") > 0 && strcmp("a", "ab") < 0);
    assert(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
    assert(strcasecmp("ABC", "abc") == 0 && strncasecmp("ABx", "aby", 2) == 0);
}

static void check_copies(void)
{
    char line[16] = "", *part = strndup("abcdef", 3), *rest;

    assert(strcmp(part, "abc") == 0 && strnlen(part, 2) == 2);
    assert(strcmp(strcat(strcpy(line, part), "de"), "abcde") == 0);
    assert(strcmp(strncat(line, "fgh", 1), "abcdef") == 0);
    assert(strcmp(strncpy(line, "x", 3), "x") == 0 && line[2] == '\0' && line[3] == 'd');
    free(part);
    strcpy(line, "a:b");
    assert(strcmp(strtok_r(line, ":", &rest), "a") == 0);
    assert(strcmp(strtok_r(NULL, ":", &rest), "b") == 0 && !strtok_r(NULL, ":", &rest));
}

static void check_numbers(void)
{
    char line[32], *end;
    int first = 0, second = 0;

    assert(strtol("0x1fz", &end, 0) == 31 && *end == 'z');
    assert(strtoull("18446744073709551615", NULL, 10) == ~0ULL);
    assert(strtod("1.5e1", NULL) > 14.9 && atoi("-7") == -7 && atof("0.5") > 0.4);
    assert(snprintf(line, 4, "%s-%03d", "ab", 7) == 6 && strcmp(line, "ab-") == 0);
    assert(sprintf(line, "%zu %lld %c%% %p", (size_t)1, 2LL, 'x', NULL) > 0);
    assert(strncmp(line, "1 2 x%", 6) == 0);
    assert(sscanf("12 34", "%d %d", &first, &second) == 2 && first == 12 && second == 34);
    qsort(numbers, 4, sizeof *numbers, by_number);
    assert(numbers[0] == 0 && numbers[3] == 3);
    assert(bsearch(&(int){2}, numbers, 4, sizeof *numbers, by_number) == &numbers[2]);
}

void program_works_with_text(void)
{
    check_searches();
    check_copies();
    check_numbers();
}

/* ---- what can still be reached at the end ---- */

enum {
    LONG = 100000
};

struct node {
    struct node *next;
};

static struct node *volatile kept_list; /* volatile: or the compilers do without the nodes */

static void make_list(void)
{
    for (int i = 0; i < LONG; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = kept_list;
        kept_list = node;
    }
}

void program_keeps_a_long_list(void)
{
    make_list();
}

void program_loses_a_long_list(void)
{
    make_list();
    kept_list = NULL;
}

void program_loses_a_ring(void)
{
    struct node *one = malloc(sizeof *one), *other = malloc(sizeof *other);

    kept_list = one;
    one->next = other;
    other->next = one;
    kept_list = NULL;
}

static volatile uint64_t tagged;

static void keep_with_tag(uint64_t tag)
{
    tagged = (uintptr_t)malloc(24) | tag << 48;
}

void program_keeps_a_tagged_pointer(void)
{
    keep_with_tag(7);
}

void program_loses_a_tagged_pointer(void)
{
    keep_with_tag(7);
    tagged = UINT64_C(7) << 48;
}

/* Not in line, so that what it has lost is in no register of whoever calls it. */
static __attribute__((noinline)) void lose_a_block(void)
{
    kept_list = malloc(24);
    kept_list = NULL;
}

void program_exits_with_a_local_variable(void)
{
    void *volatile held = malloc(24);

    observed[0] = held != NULL;
    exit(0);
}

void program_exits_and_has_lost(void)
{
    lose_a_block();
    exit(0);
}

static sem_t for_ever;

static void *holds_its_block(void *block)
{
    void *volatile held = malloc(24);

    sem_wait(&for_ever);
    free(held);
    free(block);
    return NULL;
}

static void *returns_a_block(void *unused)
{
    (void)unused;
    return malloc(24);
}

/* It may have got nowhere, or wait for ever: its argument and its variable are its own. */
void program_ends_before_its_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, holds_its_block, malloc(24));
}

void program_loses_beside_a_thread(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, holds_its_block, malloc(24));
    lose_a_block();
}

void program_does_not_join(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, returns_a_block, NULL);
    sched_yield(); /* it begins */
    sched_yield(); /* it ends */
}

static _Thread_local void *volatile own;

ROLE(keeps_in_its_own_variable, own = malloc(24); sem_wait(&for_ever))

void program_has_a_thread_with_a_variable(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, keeps_in_its_own_variable, NULL);
    own = malloc(24);
    sched_yield();
}

ROLE(loses, lose_a_block())

void program_loses_after_main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, loses, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}

/* ---- thread-local variables of others ---- */

static _Thread_local int mine;
static int *_Atomic passed;

static void *reads_its_argument(void *argument)
{
    observed[0] = *(int *)argument;
    return NULL;
}

static void start_and_join(void *argument)
{
    pthread_t thread;

    pthread_create(&thread, NULL, reads_its_argument, argument);
    pthread_join(thread, NULL);
}

void program_starts_with_a_thread_local(void)
{
    start_and_join(&mine);
}

void program_stores_a_thread_local(void)
{
    atomic_store(&passed, &mine);
}

void program_exchanges_a_thread_local(void)
{
    atomic_exchange(&passed, &mine);
}

void program_compares_and_stores_a_thread_local(void)
{
    int *expected = NULL;

    atomic_compare_exchange_strong(&passed, &expected, &mine);
}

void program_passes_other_variables_on(void)
{
    static int global;
    int local = mine;

    start_and_join(&local);
    atomic_store(&passed, &local);
    atomic_exchange(&passed, &global);
}

static int *plainly_passed;
static int **passed_in_block;

/* What the first thread has passed on, the other one follows: here it finds a 0 of its own. */
ROLE(follows, LOCKED(if (plainly_passed) assert(*plainly_passed != 7)))
ROLE(passes_plainly, mine = 7; LOCKED(plainly_passed = &mine))
ROLE(passes_a_global, static int global = 6; LOCKED(plainly_passed = &global))
PROGRAM(program_passes_a_thread_local_plainly, passes_plainly, follows)
PROGRAM(program_passes_a_global_plainly, passes_a_global, follows)

/* The value of a thread-local variable is no address of one. */
ROLE(keeps_a_value, own = &plainly_passed; LOCKED(passed_in_block = own))
PROGRAM(program_passes_a_value_of_a_thread_local, keeps_a_value, follows)

static void pass_in_block(int *address)
{
    LOCKED(passed_in_block = malloc(sizeof *passed_in_block); *passed_in_block = address);
}

ROLE(passes_in_a_block, pass_in_block(&mine))
PROGRAM(program_passes_a_thread_local_in_a_block, passes_in_a_block, follows)

void program_frees_a_passed_thread_local(void)
{
    run_both(passes_in_a_block, follows);
    free(passed_in_block);
    passed_in_block = NULL;
}

void program_frees_a_passed_global(void)
{
    static int global;

    run_both(follows, follows);
    pass_in_block(&global);
    free(passed_in_block);
}

void program_keeps_a_thread_local_to_itself(void)
{
    plainly_passed = &mine;
    pass_in_block(&mine);
}

/* ---- thread-local atomics and locks ---- */

#define RELAXED memory_order_relaxed

static _Thread_local atomic_int own_count;
static atomic_int told;
static int written;

static void *store_and_load_own(void *unused)
{
    atomic_store_explicit(&own_count, 1, RELAXED);
    assert(atomic_load_explicit(&own_count, RELAXED) == 1);
    atomic_fetch_add_explicit(&own_count, 1, RELAXED);
    assert(atomic_exchange_explicit(&own_count, 0, RELAXED) == 2);
    return unused;
}

PROGRAM(program_has_its_own_atomic, store_and_load_own, store_and_load_own)

ROLE(write_and_release, written = 1; atomic_fetch_add(&own_count, 1);
     atomic_store_explicit(&told, 1, RELAXED))

static void *acquire_and_read(void *unused)
{
    if (!atomic_load_explicit(&told, RELAXED))
        return unused;
    atomic_fetch_add(&own_count, 1);
    observed[0] = written;
    return unused;
}

PROGRAM(program_relies_on_its_own_atomic, write_and_release, acquire_and_read)

static void *spin_on_own(void *unused)
{
    atomic_store_explicit(&own_count, 1, RELAXED);
    while (atomic_load_explicit(&own_count, RELAXED) == 1) {
    }
    return unused;
}

void program_spins_on_its_own_atomic(void)
{
    spin_on_own(NULL);
}

static _Thread_local pthread_mutex_t own_lock;
static _Thread_local pthread_cond_t own_condition;
static _Thread_local sem_t own_semaphore;

void program_locks_a_thread_local(void)
{
    pthread_mutex_lock(&own_lock);
    pthread_mutex_unlock(&own_lock);
}

void program_tries_a_thread_local_until(void)
{
    pthread_mutex_timedlock(&own_lock, &(struct timespec){0});
}

void program_waits_on_a_thread_local(void)
{
    LOCKED(pthread_cond_wait(&own_condition, &lock));
}

void program_signals_a_thread_local(void)
{
    pthread_cond_signal(&own_condition);
}

void program_posts_to_a_thread_local(void)
{
    sem_post(&own_semaphore);
}

/* ---- what a thread learns of another, and is not ordered by ---- */

/* One of two threads that store to `place` has been told of the other, which is behind it for all
   that it knows; and yet what it stores may come first. */
static atomic_int place;
static bool was_told;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

#define STORE(value) atomic_store_explicit(&place, value, RELAXED)

#define TELLS(name, one, other)                                          \
    void program_tells_by_##name(void)                                   \
    {                                                                    \
        run_both(one, other);                                            \
        assert(!was_told || atomic_load_explicit(&place, RELAXED) == 2); \
    }

ROLE(store_then_lock, STORE(1); LOCKED())
ROLE(trylock_then_store, was_told = pthread_mutex_trylock(&lock) != 0; STORE(2);
     if (!was_told) pthread_mutex_unlock(&lock))
TELLS(trylock, store_then_lock, trylock_then_store)

ROLE(timedlock_then_store, const struct timespec long_ago = {0};
     was_told = pthread_mutex_timedlock(&lock, &long_ago) != 0; STORE(2);
     if (!was_told) pthread_mutex_unlock(&lock))
TELLS(timedlock, store_then_lock, timedlock_then_store)

/* The look comes before the unlock that it would otherwise have seen. */
ROLE(store_then_trylock, STORE(1); was_told = pthread_mutex_trylock(&lock) != 0;
     if (!was_told) pthread_mutex_unlock(&lock))
ROLE(unlock_then_store, LOCKED(); STORE(2))
TELLS(unlock, store_then_trylock, unlock_then_store)

ROLE(store_then_read_lock, STORE(1); pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock))
ROLE(trywrlock_then_store, was_told = pthread_rwlock_trywrlock(&rwlock) != 0; STORE(2);
     if (!was_told) pthread_rwlock_unlock(&rwlock))
TELLS(trywrlock, store_then_read_lock, trywrlock_then_store)

ROLE(store_then_trywrlock, STORE(1); was_told = pthread_rwlock_trywrlock(&rwlock) != 0;
     if (!was_told) pthread_rwlock_unlock(&rwlock))
ROLE(read_unlock_then_store, pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock);
     STORE(2))
TELLS(read_unlock, store_then_trywrlock, read_unlock_then_store)

ROLE(store_then_write_lock, STORE(1); pthread_rwlock_wrlock(&rwlock);
     pthread_rwlock_unlock(&rwlock))
ROLE(tryrdlock_then_store, was_told = pthread_rwlock_tryrdlock(&rwlock) != 0; STORE(2);
     if (!was_told) pthread_rwlock_unlock(&rwlock))
TELLS(tryrdlock, store_then_write_lock, tryrdlock_then_store)

ROLE(store_then_spin_lock, STORE(1); pthread_spin_lock(&spin); pthread_spin_unlock(&spin))
ROLE(spin_trylock_then_store, was_told = pthread_spin_trylock(&spin) != 0; STORE(2);
     if (!was_told) pthread_spin_unlock(&spin))
TELLS(spin_trylock, store_then_spin_lock, spin_trylock_then_store)

static int value_of_semaphore(void)
{
    int value;

    sem_getvalue(&semaphore, &value);
    return value;
}

ROLE(store_then_post, STORE(1); sem_post(&semaphore))
ROLE(getvalue_then_store, was_told = value_of_semaphore() == 1; STORE(2))
TELLS(getvalue, store_then_post, getvalue_then_store)

ROLE(store_then_trywait, STORE(1); was_told = sem_trywait(&semaphore) != 0)
ROLE(post_then_store, sem_post(&semaphore); STORE(2))
TELLS(post, store_then_trywait, post_then_store)

ROLE(post_then_store_and_wait, sem_post(&semaphore); STORE(1); sem_wait(&semaphore))
ROLE(trywait_then_store, bool posted = value_of_semaphore() == 1;
     was_told = posted && sem_trywait(&semaphore) != 0; STORE(2);
     if (posted && !was_told) sem_post(&semaphore))
TELLS(trywait, post_then_store_and_wait, trywait_then_store)

/* The wait ends well only if it has begun before the signal. */
static bool is_signalled(void)
{
    const struct timespec long_ago = {0};
    bool signalled;

    LOCKED(signalled = pthread_cond_timedwait(&condition, &lock, &long_ago) == 0);
    return signalled;
}

ROLE(store_then_signal, STORE(1); pthread_cond_signal(&condition))
ROLE(wait_then_store, was_told = is_signalled(); STORE(2))
TELLS(signal, store_then_signal, wait_then_store)

ROLE(signal_then_store, pthread_cond_broadcast(&condition); STORE(2))
ROLE(store_then_wait, STORE(1); was_told = is_signalled())
TELLS(wait, store_then_wait, signal_then_store)

static void store_when_cancelled(void *unused)
{
    (void)unused;
    was_told = true;
    STORE(2);
}

static void *test_for_cancel(void *unused)
{
    pthread_cleanup_push(store_when_cancelled, NULL);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return unused;
}

void program_tells_by_cancel(void)
{
    pthread_t thread = start(test_for_cancel, NULL);

    STORE(1);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    assert(!was_told || atomic_load_explicit(&place, RELAXED) == 2);
}

/* What is seen of seq_cst operations is not the order of execution, or the search says so. */
ROLE(store_seq_cst_then_lock, atomic_store(&place, 1); LOCKED())
ROLE(trylock_then_load_seq_cst, was_told = pthread_mutex_trylock(&lock) != 0;
     observed[0] = was_told && atomic_load(&place) == 0; if (!was_told) pthread_mutex_unlock(&lock))
PROGRAM(program_tries_and_loads_seq_cst, store_seq_cst_then_lock, trylock_then_load_seq_cst)

/* A signal by a thread that has the mutex, or has had it since the wait began, tells nothing that
   the mutex does not order. Otherwise the load of what a third thread stores might be another. */
ROLE(signal_with_mutex, LOCKED(atomic_store(&place, 1); pthread_cond_signal(&condition)))
ROLE(signal_after_mutex, LOCKED(atomic_store(&place, 1)); pthread_cond_signal(&condition))
ROLE(signal_without_mutex, atomic_store(&place, 1); pthread_cond_signal(&condition))
ROLE(store_elsewhere, atomic_store(&told, 1))

static void *wait_for_store(void *unused)
{
    pthread_mutex_lock(&lock);
    while (atomic_load(&place) == 0)
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    observed[0] = atomic_load(&told);
    return unused;
}

static void signal_beside_a_store(role_fn *signal)
{
    pthread_t third = start(store_elsewhere, NULL);

    run_both(signal, wait_for_store);
    pthread_join(third, NULL);
}

void program_signals_with_mutex(void)
{
    signal_beside_a_store(signal_with_mutex);
}

void program_signals_after_mutex(void)
{
    signal_beside_a_store(signal_after_mutex);
}

ROLE(signal_till_it_is_over, signal_without_mutex(NULL); LOCKED(pthread_cond_signal(&condition)))

void program_signals_without_mutex(void)
{
    signal_beside_a_store(signal_till_it_is_over);
}

/* ---- local variables ---- */

static __attribute__((noinline)) pthread_t start_with_a_local(bool waits)
{
    pthread_t thread;
    int local = 1;

    pthread_create(&thread, NULL, reads_its_argument, &local);
    if (waits)
        pthread_join(thread, NULL);
    return thread;
}

void program_leaves_while_a_local_is_used(void)
{
    pthread_join(start_with_a_local(false), NULL);
}

void program_stays_while_a_local_is_used(void)
{
    start_with_a_local(true);
}

static void *returns_a_local(void *unused)
{
    int local = 2;
    int *volatile address = &local;

    (void)unused;
    return address;
}

void program_uses_a_local_of_a_dead_thread(void)
{
    pthread_t thread;
    void *local;

    pthread_create(&thread, NULL, returns_a_local, NULL);
    pthread_join(thread, &local);
    observed[0] = *(int *)local;
}
