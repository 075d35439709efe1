/*
 * The pairs on real threads, under ThreadSanitizer.
 *
 *     pairs NAME TWIN         runs one program, once; TWIN: racy or ordered
 *     pairs --list            the table: see below
 *
 * What ThreadSanitizer has to say goes to standard error. Exit status: 0, or what ThreadSanitizer
 * makes of it when it has reported something; 2 if there is no such program; 3 if the read was
 * never reached.
 *
 * The first line of the table names the compiler, and says `recorded` if it is one of those of
 * which pairs.def speaks, `other` if not. After it come headings, and a line for each pair with its
 * name, what ThreadSanitizer makes of the racy twin and of the ordered one (`race`, `-`, or
 * `crash`), and the reason, if that is not `race` and `-`. Tabs separate them.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h> /* alarm */

#include "harness/explore/test/pairs/pairs.h"

enum {
    SECONDS = 60 /* after which a program has hung */
};

#define WORDS(number) #number
#define WORD(number)  WORDS(number)

#if defined(__clang__)
#define BY_CLANG(what) what
#define BY_GCC(what)   AGREES
static const char compiler[] = "clang " WORD(__clang_major__);
static const bool recorded = __clang_major__ == 14;
#else
#define BY_CLANG(what) AGREES
#define BY_GCC(what)   what
static const char compiler[] = "gcc " WORD(__GNUC__);
static const bool recorded = __GNUC__ == 12;
#endif

/* ---- the table ---- */

static const struct verdicts {
    const char *racy, *ordered;
} verdicts[] = {
    [AGREES] = {"race", "-"},
    [MISSES] = {"-", "-"},
    [ALARMS] = {"race", "race"},
    [CRASHES] = {"crash", "crash"},
};

static const char *const reasons[] = {
    [NO_REASON] = "",
    [FENCES] = "it does not know fences",
    [CLOCK_CALLS] = "it does not intercept the calls that name a clock",
    [THREADS_H] = "it does not intercept the calls of `<threads.h>`",
    [SEM_GETVALUE] = "it takes `sem_getvalue` for an acquire",
    [BARRIER] = "to it a barrier keeps what earlier rounds have released",
    [STORE_OF_OTHER] = "to it a relaxed store of another thread does not end a release sequence",
    [HALVES] = "to it two addresses are two atomics",
    [LIBRARY_LOCK] = "the lock of libatomic orders, whatever the order that the program names",
    [LIBRARY_CALL] = "clang calls libatomic, of which it knows nothing",
    [PLAIN_INIT] = "in the header of gcc `atomic_init` is a relaxed store",
    [UNMARKED_EXPECTED] = "gcc does not mark what a compare-exchange expects",
    [INLINED] = "gcc inlines the call, without marks",
};

static const struct pair {
    const char *name; /* or a heading, without programs */
    program_fn *racy, *ordered;
    enum agreement tsan;
    enum reason reason;
} pairs[] = {
#define GROUP(words)                    {.name = (words)},
#define PAIR(name, found, tsan, reason) {#name, name##_racy, name##_ordered, tsan, reason},
#include "harness/explore/test/pairs/pairs.def"
#undef PAIR
#undef GROUP
};

static const struct pair *const end_of_pairs = pairs + sizeof pairs / sizeof *pairs;

static void list(void)
{
    printf("%s\t%s\n", compiler, recorded ? "recorded" : "other");
    for (const struct pair *pair = pairs; pair < end_of_pairs; pair++)
        if (pair->racy)
            printf("%s\t%s\t%s\t%s\n", pair->name, verdicts[pair->tsan].racy,
                   verdicts[pair->tsan].ordered, reasons[pair->reason]);
        else
            printf("%s\n", pair->name);
}

/* ---- what the programs call ---- */

const struct timespec nap = {0}; /* the steps are enough */

static atomic_bool steps[STEPS];
static atomic_bool used;

void step_done(int step)
{
    atomic_store_explicit(&steps[step], true, memory_order_relaxed);
}

void after_step(int step)
{
    while (!atomic_load_explicit(&steps[step], memory_order_relaxed))
        sched_yield();
}

void use(int read)
{
    (void)read;
    atomic_store_explicit(&used, true, memory_order_relaxed);
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "--list") == 0) {
        list();
        return 0;
    }
    for (const struct pair *pair = pairs; count == 3 && pair < end_of_pairs; pair++)
        if (pair->racy && strcmp(words[1], pair->name) == 0) {
            alarm(SECONDS);
            (strcmp(words[2], "racy") == 0 ? pair->racy : pair->ordered)();
            return atomic_load_explicit(&used, memory_order_relaxed) ? 0 : 3;
        }
    fprintf(stderr, "pairs: there is no such program\n");
    return 2;
}
