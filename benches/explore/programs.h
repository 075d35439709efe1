/* The programs of the explorer's bench; all are explored, and run as thread 0. */
#ifndef BENCHES_EXPLORE_PROGRAMS_H
#define BENCHES_EXPLORE_PROGRAMS_H

void program_mini_queue(void *unused);    /* a delayed queue in 60 lines: 3 takers, 3 tasks */
void program_delayed_queue(void *unused); /* the library's, the same way */
void program_year(void *runs);            /* counts the runs of an hourly task, for a year */

/* What became of the timeouts of a wheel. */
struct life {
    int added;
    int called;
    int wrong; /* called at another moment than they should be */
    int pending;
    int wakeups; /* of the worker */
};

void program_day(void *life);           /* of a hashed wheel */
void program_tickless_year(void *life); /* of a tickless one */

/* What became of a table of cron entries. */
enum {
    TABLE_ENTRIES = 1000
};

struct table_life {
    int runs;
    int expected;
    int wrong; /* at a second that is not one of theirs, or that they had already */
};

void program_table_year(void *table_life);

#endif
