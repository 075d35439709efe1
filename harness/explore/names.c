/* Words for ops and verdicts. */
#include "harness/explore/machine.h"

const char *op_name(enum op_kind kind)
{
    static const char *const names[OP_KINDS] = {
        [OP_BEGIN] = "begin",
        [OP_LOAD] = "load",
        [OP_STORE] = "store",
        [OP_RMW] = "read-modify-write",
        [OP_CAS] = "compare-exchange",
        [OP_FENCE] = "fence",
        [OP_LOCK] = "lock",
        [OP_TIMEDLOCK] = "timed lock",
        [OP_TRYLOCK] = "try lock",
        [OP_UNLOCK] = "unlock",
        [OP_WAIT] = "wait",
        [OP_WAKE] = "wake",
        [OP_SIGNAL] = "signal",
        [OP_BROADCAST] = "broadcast",
        [OP_SPIN_LOCK] = "spin lock",
        [OP_SPIN_UNLOCK] = "spin unlock",
        [OP_READ_LOCK] = "read lock",
        [OP_WRITE_LOCK] = "write lock",
        [OP_RW_UNLOCK] = "read-write unlock",
        [OP_SEM_WAIT] = "semaphore wait",
        [OP_SEM_POST] = "semaphore post",
        [OP_BARRIER_ENTER] = "barrier",
        [OP_BARRIER_LEAVE] = "leave barrier",
        [OP_ONCE] = "once",
        [OP_CREATE] = "create",
        [OP_JOIN] = "join",
        [OP_EXIT] = "exit",
        [OP_CANCEL] = "cancel",
        [OP_SLEEP] = "sleep",
        [OP_AWAKE] = "awake",
        [OP_NOW] = "clock",
        [OP_YIELD] = "yield",
        [OP_ALLOCATE] = "allocate",
        [OP_ADVANCE] = "time passes",
        [OP_DETACH] = "detach",
        [OP_END] = "end",
        [OP_KEY] = "key",
    };

    return names[kind];
}

const char *verdict_kind_name(enum verdict_kind kind)
{
    static const char *const names[VERDICT_KINDS] = {
        [ENDED_WELL] = "ended well",
        [ENDED_FORBIDDEN] = "forbidden outcome",
        [ENDED_FOUND] = "wanted outcome",
        [ENDED_BROKEN] = "broken invariant",
        [ENDED_RACE] = "data race",
        [ENDED_DEADLOCK] = "deadlock",
        [ENDED_LIVELOCK] = "livelock",
        [ENDED_LATE] = "late task",
        [ENDED_LEAK] = "leak",
        [ENDED_USE_AFTER_FREE] = "use after free",
        [ENDED_DOUBLE_FREE] = "double free",
        [ENDED_OUT_OF_BLOCK] = "out of block",
        [ENDED_USE_AFTER_RETURN] = "use after return",
        [ENDED_NOT_LINEARIZABLE] = "not linearizable",
        [ENDED_ASSERTION] = "assertion",
        [ENDED_FAILED] = "failed",
        [ENDED_CRASH] = "crash",
        [ENDED_MISUSE] = "misuse",
        [ENDED_LIMIT] = "limit",
        [ENDED_CUT] = "cut",
        [ENDED_DIVERGED] = "diverged",
        [ENDED_STOPPED] = "stopped",
    };

    return names[kind];
}
