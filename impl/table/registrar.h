/*
 * The registrar inside the library: how a table, a file and the environment become plans.
 *
 *      registrar.c          what is public; starting and closing
 *      registrar_plan.c     the sources one after the other; names; what replaces what
 *      registrar_check.c    values, and the list of what is wrong
 *      registrar_text.c     the lines of a file
 *      registrar_read.c     a file without a table
 *      registrar_file.c     what comes from outside: the file's bytes, the environment
 *
 * None of these structs is shared: they live while a call lasts, on the stack of its caller.
 */
#ifndef GP_TABLE_REGISTRAR_H
#define GP_TABLE_REGISTRAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glasspool/registrar.h>
#include <glasspool/zone.h>

enum {
    GP__NAME_MAX = 64,               /* characters of a name, or of a prefix */
    GP__VARIABLE_SIZE = 2 * 64 + 16, /* bytes for the name of a variable */
    GP__LINE_MAX = 1000,             /* characters of a line */
    GP__FILE_MAX = 1 << 20           /* bytes of a file */
};

/* What can be said of an entry; the first three are the kinds, of which it has one. */
enum gp__setting {
    GP__CRON,
    GP__RATE,
    GP__DELAY,
    GP__KINDS,
    GP__ZONE = GP__KINDS,
    GP__INITIAL,
    GP__OVERLAP,
    GP__KEYS
};

struct gp__place {
    const char *source;
    size_t line;
    size_t column;
    const char *name; /* of the entry; NULL: of none */
};

/* A value, and where it stands. */
struct gp__said {
    const char *text; /* NULL: nothing is said, or a number */
    bool is_number;   /* of nanoseconds, or flags */
    int64_t number;
    const char *key;     /* as the source calls it: "fixed_rate", "rate" */
    struct gp__place at; /* its first character */
};

/* What one source says of one entry. */
struct gp__saying {
    struct gp__place at;
    struct gp__said said[GP__KEYS];
    bool off;
};

/* What is wrong so far. */
struct gp__complaints {
    gp_registrar_errors list;
    size_t room;
    bool no_memory; /* there is more, or nothing is known at all */
};

/* A zone that was asked for. */
struct gp__named_zone {
    const char *name; /* NULL: the local one */
    gp_zone *zone;    /* NULL: it cannot be had */
    int status;
    const char *reason; /* why it cannot, in words */
};

/* What is known of an entry when all sources so far have been asked. */
struct gp__plan {
    const char *name;
    const gp_declared *entry; /* NULL: of a file alone */
    size_t line;              /* of the file; 0: it has none */
    enum gp__setting kind;
    bool off;
    const char *cron; /* of each the value that counts; NULL, 0: none */
    const char *zone;
    unsigned flags; /* of the expression */
    int64_t period;
    int64_t initial;
    gp_cron *compiled; /* when nothing is wrong; NULL: it is off, or not of this kind */
};

struct gp__planner {
    struct gp__complaints complaints;
    struct gp__plan *plans;
    size_t count;
    size_t room;
    size_t *slots; /* by name: the number of a plan, from 1 on; 0: free */
    size_t mask;
    const char *open;        /* a name that is not known is a new one: there is no table, but this
                                source alone; NULL: there is one */
    const char *environment; /* the prefix; NULL: it is not asked */
    char *text;              /* of the file: plans point into it */
    struct gp__named_zone *zones;
    size_t zone_count;
    size_t zone_room;
};

/* registrar_plan.c */
int gp__registrar_plan(struct gp__planner *, const gp_registrar_config *);
int gp__registrar_plan_text(struct gp__planner *, const char *source, char *text,
                            size_t size); /* without a table; keeps pointers into the text */
void gp__planner_free(struct gp__planner *);
struct gp__plan *gp__plan_of(struct gp__planner *, const char *name); /* NULL: there is none */

/* registrar_check.c */
void gp__complain(struct gp__complaints *, const struct gp__place *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void gp__give_errors(struct gp__complaints *, int status,
                     gp_registrar_errors *); /* those of GP_EINVAL, else none; NULL: not wanted */
bool gp__name_is_good(struct gp__planner *, const struct gp__place *, const char *name);
void gp__judge(struct gp__planner *, struct gp__plan *, const struct gp__saying *);
void gp__compile(struct gp__planner *, struct gp__plan *); /* the expression in its zone */

/* registrar_text.c: calls `each` for each line that says something, from the first to the last. The
   text has a NUL behind its size bytes; it is cut into words, to which the sayings point. */
typedef void gp__saying_fn(struct gp__planner *, const struct gp__saying *);
void gp__read_lines(struct gp__planner *, const char *source, char *text, size_t size,
                    gp__saying_fn *each);

/* registrar_file.c */
int gp__read_file(struct gp__complaints *, const char *file, char **text,
                  size_t *size);            /* GP_EINVAL: it has complained */
const char *gp__variable(const char *name); /* NULL: not set, or empty */
typedef void gp__variable_fn(struct gp__planner *, const char *variable); /* "NAME=value" */
void gp__each_variable(struct gp__planner *, gp__variable_fn *each);

/* registrar_read.c: the entries of a text, as gp_registrar_read has them of a file. */
int gp__registrar_read(const char *source, const char *text, size_t size, gp_declared **entries,
                       size_t *count, gp_registrar_errors *);

#endif
