/*
 * The comparison of the cron engine and of the zones with implementations by others.
 */
#ifndef HARNESS_PEERS_PEERS_H
#define HARNESS_PEERS_PEERS_H

#include <stdbool.h>
#include <stdint.h> /* int64_t */
#include <stdio.h>  /* FILE */

#include <glasspool/zone.h>

enum {
    EXPRESSION_ROOM = 512,
    LINE = 1024,
    DAY_SECONDS = 86400
};

/* What another implementation can be asked. */
struct peer {
    const char *name;
    bool both_days;      /* day and weekday restricted: both must match, as with us */
    bool days_from_zero; /* in the field of the day, * begins with 0 */
    bool keeps_second;   /* goes on to another minute with a second that is not the first */
    bool disjoint;       /* no value twice in a list */
    bool last;           /* L, dL and d#n */
    bool backwards;      /* it has a prev, too */
};

/* In the place of a match, in seconds. */
#define NEVER   INT64_MAX
#define REFUSED INT64_MIN

struct question {
    const char *expression;
    const char *zone;
    int64_t seconds;
    bool backwards;
    const char *rule; /* of a case: what it stands for, and both answers; NULL: not one */
    int64_t ours;
    int64_t theirs;
};

struct answer {
    int64_t match;
    long offset_asked;   /* of the peer's zone at the question */
    long offset_matched; /* and at the match */
};

/* What a peer does differently. */
struct rule {
    const char *peer;
    const char *name;
    bool (*holds)(const struct question *, int64_t ours, int64_t theirs);
};

enum {
    RULES = 9
};
extern const struct rule rules[RULES];

/* Lines; they end the program if they cannot be read as what they should be. */
FILE *open_file(const char *path);
bool read_line(FILE *, char line[LINE]); /* without the end of line */
bool read_question(FILE *, char line[LINE], struct question *);
void read_answer(FILE *, struct answer *);
_Noreturn void give_up(const char *what, const char *which);

gp_zone *open_zone(const char *name); /* kept for the next time */

/* The commands; each returns the exit status. */
int ask(const struct peer *, const char *count, const char *seed, const char *path);
int judge(const struct peer *, const char *questions, const char *answers);
int check_cases(const struct peer *, const char *questions, const char *answers);
int compare_zdump(const char *zones, const char *dump);
int compare_java(const char *zones, const char *transitions, const char *version,
                 const char *changes);
int refuse_leap_seconds(const char *zones);

#endif
