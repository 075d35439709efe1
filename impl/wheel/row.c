/* Rows: HashedWheelBucket's doubly linked list, so that a cancelled timeout leaves its bucket
   without a search. */
#include "wheel/timer.h"

void gp__row_append(struct gp__row *row, gp_timeout *timeout)
{
    timeout->row = row;
    timeout->next = NULL;
    timeout->previous = row->last;
    if (row->last != NULL)
        row->last->next = timeout;
    else
        row->first = timeout;
    row->last = timeout;
}

void gp__row_remove(gp_timeout *timeout)
{
    struct gp__row *row = timeout->row;
    if (timeout->previous != NULL)
        timeout->previous->next = timeout->next;
    else
        row->first = timeout->next;
    if (timeout->next != NULL)
        timeout->next->previous = timeout->previous;
    else
        row->last = timeout->previous;
    timeout->next = NULL;
    timeout->previous = NULL;
    timeout->row = NULL;
}

gp_timeout *gp__row_pop(struct gp__row *row)
{
    gp_timeout *timeout = row->first;
    if (timeout != NULL)
        gp__row_remove(timeout);
    return timeout;
}

void gp__row_splice(struct gp__row *row, struct gp__row *rest)
{
    for (gp_timeout *timeout; (timeout = gp__row_pop(rest)) != NULL;)
        gp__row_append(row, timeout);
}

bool gp__row_is_sound(const struct gp__row *row)
{
    const gp_timeout *previous = NULL;
    for (const gp_timeout *here = row->first; here != NULL; here = here->next) {
        if (here->row != row || here->previous != previous)
            return false;
        previous = here;
    }
    return row->last == previous;
}
