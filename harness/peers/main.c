/*
 * Peers: the program. Use `make test-cron-peers`.
 *
 *     peers ask PEER COUNT SEED ZONES                questions, a line each
 *     peers judge PEER QUESTIONS ANSWERS             our answers against the peer's
 *     peers cases PEER QUESTIONS ANSWERS             both as the questions state them?
 *     peers zdump ZONES DUMP                         our zones against the output of zdump -v
 *     peers java ZONES TRANSITIONS VERSION CHANGES   and against Java's; VERSION is of the system's
 *     peers leap ZONES                               zones with leap seconds are refused
 *
 * PEER is spring or cron-parser. ZONES is a file with the names of zones, a line each, in the order
 * of their bytes. Exit status: 0 if all is as it should be, 1 otherwise.
 */
#include <string.h>

#include "harness/peers/peers.h"

static const struct peer peers[] = {
    {.name = "spring", .both_days = true, .days_from_zero = true, .keeps_second = true},
    {.name = "cron-parser", .disjoint = true, .last = true, .backwards = true},
};

static const struct peer *peer_of(const char *name)
{
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
        if (strcmp(peers[i].name, name) == 0)
            return &peers[i];
    give_up("no such peer", name);
}

int main(int count, char **arguments)
{
    const char *command = count > 1 ? arguments[1] : "";

    if (strcmp(command, "ask") == 0 && count == 6)
        return ask(peer_of(arguments[2]), arguments[3], arguments[4], arguments[5]);
    if (strcmp(command, "judge") == 0 && count == 5)
        return judge(peer_of(arguments[2]), arguments[3], arguments[4]);
    if (strcmp(command, "cases") == 0 && count == 5)
        return check_cases(peer_of(arguments[2]), arguments[3], arguments[4]);
    if (strcmp(command, "zdump") == 0 && count == 4)
        return compare_zdump(arguments[2], arguments[3]);
    if (strcmp(command, "java") == 0 && count == 6)
        return compare_java(arguments[2], arguments[3], arguments[4], arguments[5]);
    if (strcmp(command, "leap") == 0 && count == 3)
        return refuse_leap_seconds(arguments[2]);
    give_up("no such command, or not its arguments", command);
}
