/* An inbox: many put things in, one takes all of them out, and it can be closed. */
#ifndef GP_WHEEL_INBOX_H
#define GP_WHEEL_INBOX_H

#include <stdatomic.h>
#include <stdbool.h>

/* Part of what is put in. Whoever puts it in writes it before, whoever takes it out afterwards. */
struct gp__inbox_link {
    struct gp__inbox_link *next;
};

/*
 * All zero: open and empty.
 * Lock letters:
 *   A: atomic
 */
struct gp__inbox {
    _Atomic(struct gp__inbox_link *) last; /* A what was put in last; or closed */
};

bool gp__inbox_put(struct gp__inbox *, struct gp__inbox_link *); /* false: it is closed */
/* All that is in it, newest first. By one thread at a time, and not after it was closed, which
   takes it all out for the last time. */
struct gp__inbox_link *gp__inbox_take(struct gp__inbox *);
struct gp__inbox_link *gp__inbox_close(struct gp__inbox *);
struct gp__inbox_link *gp__inbox_turn_round(struct gp__inbox_link *taken); /* oldest first */
bool gp__inbox_is_empty(struct gp__inbox *); /* by who takes; ordered with what is seq_cst */
bool gp__inbox_is_closed(struct gp__inbox *);

#endif
