/*
 * Sets of threads: a bit for each, in SET_WORDS words.
 *
 * How many threads a program can have is decided when the explorer is compiled. One word is enough
 * for almost every program, and is what all steps of an execution are about: so that is the
 * ordinary build. The wide one, with 16 words, is a library of its own, which `gp-cc
 * --many-threads` links.
 *
 *   [SETS-1] With one word a set is a plain integer, and each function below is the one or two
 *            instructions that one would write by hand.
 *   [SETS-2] The clock is a member like others, and has the last bit. What an execution does is
 *            therefore the same in both builds, as long as its threads fit into the narrow one.
 *   [SETS-3] A schedule has the clock's number of the narrow build, in both (set_noted): tokens go
 *            from one to the other.
 */
#ifndef HARNESS_EXPLORE_SETS_H
#define HARNESS_EXPLORE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#ifndef SET_WORDS
#define SET_WORDS 1
#endif

enum {
    SET_BITS = 64,                           /* of a word */
    CLOCK_THREAD = SET_BITS * SET_WORDS - 1, /* as a number of a thread: the clock [SETS-2] */
    MACHINE_THREADS = SET_BITS * SET_WORDS - 4,
    CLOCK_NOTED = SET_BITS - 1 /* the clock in a schedule [SETS-3] */
};

#if SET_WORDS == 1
typedef uint64_t thread_set;   /* [SETS-1] */
typedef uint8_t thread_number; /* where many are kept; or CLOCK_THREAD */
#define SET_WORD(set, i) (set)
#else
typedef struct {
    uint64_t words[SET_WORDS];
} thread_set;
typedef uint16_t thread_number;
#define SET_WORD(set, i) ((set).words[i])
#endif

static inline unsigned set_word_of(unsigned member)
{
    return SET_WORDS == 1 ? 0 : member / SET_BITS;
}

/* Which bit of it. */
static inline unsigned set_place_of(unsigned member)
{
    return member % SET_BITS;
}

static inline uint64_t set_bit_of(unsigned member)
{
    return UINT64_C(1) << set_place_of(member);
}

/* ---- some sets ---- */

static inline thread_set set_none(void)
{
    thread_set set;

    for (unsigned i = 0; i < SET_WORDS; i++)
        SET_WORD(set, i) = 0;
    return set;
}

static inline thread_set set_all(void)
{
    thread_set set;

    for (unsigned i = 0; i < SET_WORDS; i++)
        SET_WORD(set, i) = UINT64_MAX;
    return set;
}

static inline thread_set only(unsigned member)
{
    thread_set set = set_none();

    SET_WORD(set, set_word_of(member)) |= set_bit_of(member);
    return set;
}

/* ---- questions ---- */

static inline bool set_has(thread_set set, unsigned member)
{
    return SET_WORD(set, set_word_of(member)) >> set_place_of(member) & 1;
}

static inline bool set_is_empty(thread_set set)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < SET_WORDS; i++)
        any |= SET_WORD(set, i);
    return any == 0;
}

static inline bool set_meets(thread_set one, thread_set other)
{
    uint64_t common = 0;

    for (unsigned i = 0; i < SET_WORDS; i++)
        common |= SET_WORD(one, i) & SET_WORD(other, i);
    return common != 0;
}

static inline bool set_equals(thread_set one, thread_set other)
{
    uint64_t differing = 0;

    for (unsigned i = 0; i < SET_WORDS; i++)
        differing |= SET_WORD(one, i) ^ SET_WORD(other, i);
    return differing == 0;
}

static inline unsigned set_count(thread_set set)
{
    unsigned count = 0;

    for (unsigned i = 0; i < SET_WORDS; i++)
        count += (unsigned)__builtin_popcountll(SET_WORD(set, i));
    return count;
}

/* Of a set that is not empty. */
static inline unsigned lowest(thread_set set)
{
    unsigned i = 0;

    while (i + 1 < SET_WORDS && SET_WORD(set, i) == 0)
        i++;
    return i * SET_BITS + (unsigned)__builtin_ctzll(SET_WORD(set, i));
}

/* More than one. */
static inline bool set_has_several(thread_set set)
{
    uint64_t any = 0, more = 0;

    for (unsigned i = 0; i < SET_WORDS; i++) {
        uint64_t word = SET_WORD(set, i);
        if (SET_WORDS > 1)
            more |= any != 0 ? word : 0;
        more |= word & (word - 1);
        any |= word;
    }
    return more != 0;
}

/* ---- sets from sets ---- */

static inline thread_set set_or(thread_set one, thread_set other)
{
    for (unsigned i = 0; i < SET_WORDS; i++)
        SET_WORD(one, i) |= SET_WORD(other, i);
    return one;
}

static inline thread_set set_and(thread_set one, thread_set other)
{
    for (unsigned i = 0; i < SET_WORDS; i++)
        SET_WORD(one, i) &= SET_WORD(other, i);
    return one;
}

/* Those of the first that are not in the other. */
static inline thread_set set_minus(thread_set one, thread_set other)
{
    for (unsigned i = 0; i < SET_WORDS; i++)
        SET_WORD(one, i) &= ~SET_WORD(other, i);
    return one;
}

/* The first, unless it is empty. */
static inline thread_set set_else(thread_set one, thread_set other)
{
    return set_is_empty(one) ? other : one;
}

static inline thread_set set_if(bool condition, thread_set set)
{
    return condition ? set : set_none();
}

/* Those with a higher number. */
static inline thread_set set_above(thread_set set, unsigned member)
{
    for (unsigned i = 0; i < set_word_of(member); i++)
        SET_WORD(set, i) = 0;
    SET_WORD(set, set_word_of(member)) &= ~(set_bit_of(member) * 2 - 1);
    return set;
}

/* ---- changes ---- */

static inline void set_add(thread_set *set, unsigned member)
{
    SET_WORD(*set, set_word_of(member)) |= set_bit_of(member);
}

/* Without a branch. */
static inline void set_add_if(bool condition, thread_set *set, unsigned member)
{
    SET_WORD(*set, set_word_of(member)) |= (uint64_t)condition << set_place_of(member);
}

static inline void set_remove(thread_set *set, unsigned member)
{
    SET_WORD(*set, set_word_of(member)) &= ~set_bit_of(member);
}

/* ---- one after the other ---- */

/* for (struct set_walk each = set_walk(set); set_next(&each);) ... each.at ... */
struct set_walk {
    thread_set left;
    unsigned word; /* the first that may have some left */
    unsigned at;   /* the present one */
};

static inline struct set_walk set_walk(thread_set set)
{
    return (struct set_walk){.left = set};
}

static inline bool set_next(struct set_walk *walk)
{
    while (walk->word + 1 < SET_WORDS && SET_WORD(walk->left, walk->word) == 0)
        walk->word++;
    uint64_t left = SET_WORD(walk->left, walk->word);
    if (left == 0)
        return false;
    walk->at = walk->word * SET_BITS + (unsigned)__builtin_ctzll(left);
    SET_WORD(walk->left, walk->word) = left & (left - 1);
    return true;
}

/* ---- schedules [SETS-3] ---- */

/* The number in a schedule of a thread, or of the clock. */
static inline unsigned set_noted(unsigned member)
{
    if (SET_WORDS == 1)
        return member;
    return member == CLOCK_THREAD ? CLOCK_NOTED : member + (member >= CLOCK_NOTED);
}

/* The other way round. CLOCK_THREAD + 1: there is no such member. */
static inline unsigned set_member(uint32_t noted)
{
    if (SET_WORDS > 1 && noted == CLOCK_NOTED)
        return CLOCK_THREAD;
    if (SET_WORDS > 1 && noted > CLOCK_NOTED)
        noted--;
    return noted <= CLOCK_THREAD - (SET_WORDS > 1) ? noted : CLOCK_THREAD + 1;
}

#endif
