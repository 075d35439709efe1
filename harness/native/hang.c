/*
 * When standing still is a hang.
 *
 * A scenario in which nothing moves for `limit` seconds hangs, or it has not had its turn: on a
 * machine with many other programs, or under Valgrind, which runs one thread at a time, a process
 * that is quite well may be kept from its processors for longer than that. The clock on the wall
 * cannot tell the two apart; the processor time of the process can:
 *
 *      used                             what it is
 *      next to nothing                  everybody sleeps: a wake-up was lost, or two wait for each
 *                                       other
 *      the limit, or more               somebody works and gets nowhere: it goes round in a loop
 *      something between                it works, but seldom has its turn: wait
 *
 * Waiting has an end. A loop that sleeps now and then also uses something between; and if several
 * scenarios run at a time, the process is never idle while one of them gets on, though its time
 * then soon reaches the limit. After `PATIENCE` times the limit it is a hang, whatever was used.
 *
 * What remains: a process that gets less than a twentieth of one processor looks idle.
 */
#include "harness/native/hang.h"

enum {
    PATIENCE = 6 /* times the limit */
};

static const double idle = 0.05; /* of one processor: below this everybody sleeps */

bool hang_is_likely(const struct standstill *still, double limit)
{
    if (still->lasted <= limit)
        return false;
    return still->used < idle * still->lasted || still->used >= limit ||
           still->lasted > PATIENCE * limit;
}
