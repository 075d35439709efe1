/* Cron expressions inside the library: the compiled form, and local times that match it. */
#ifndef GP_CRON_CRON_H
#define GP_CRON_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include <glasspool/cron.h>

#define GP__ALL_SIXTY    ((UINT64_C(1) << 60) - 1)
#define GP__ALL_HOURS    ((UINT64_C(1) << 24) - 1)
#define GP__ALL_DAYS     UINT32_C(0xfffffffe)
#define GP__ALL_MONTHS   UINT32_C(0x1ffe)
#define GP__ALL_WEEKDAYS UINT8_C(0x7f)

#define GP__LONGEST_CRON 1000 /* characters of an expression */

/* What an expression asks for, as sets of bits. Day: any of the first four; weekday: any of the
   last three. */
struct gp__cron_set {
    uint64_t seconds;
    uint64_t minutes;
    uint64_t hours;
    uint32_t months;       /* bits 1 to 12 */
    uint32_t days;         /* bits 1 to 31 */
    uint32_t before_last;  /* bit n: L-n; bit 0: L */
    uint32_t nearest;      /* bit n: nW */
    bool last_weekday;     /* LW */
    uint8_t weekdays;      /* bits 0 to 6; 0 is Sunday */
    uint8_t nth[6];        /* by n: d#n */
    uint8_t last;          /* dL */
    bool special_days;     /* any of the three before the weekdays */
    bool special_weekdays; /* any of the two after them */
    bool disabled;         /* it is "-" */
    bool never;            /* no date matches */
    bool through_hours;    /* the hours have * or / */
};

/* parse.c; false: *error says why */
bool gp__cron_read(const char *text, struct gp__cron_set *out, gp_cron_error *error);

/* date.c: local seconds since 1970-01-01 00:00 local time */
bool gp__cron_next_local(const struct gp__cron_set *, int64_t from, int64_t *out);
bool gp__cron_previous_local(const struct gp__cron_set *, int64_t to, int64_t *out);
bool gp__cron_matches_local(const struct gp__cron_set *, int64_t second);
bool gp__cron_has_date(const struct gp__cron_set *); /* in some year */

/* explain.c */
const char *gp__cron_field_name(enum gp_cron_field);

/* cron.c, for describe.c */
const struct gp__cron_set *gp__cron_set_of(const gp_cron *);
bool gp__cron_leaves_repetitions(const gp_cron *); /* out, if the zone has any [CRON-2] */

#endif
