/*
 * Recording a history, without being noticed.
 *
 * A call gets a stamp before it starts and one after it has returned, from a counter that all lanes
 * share. If one call returned before another was made, its second stamp is lower than the other's
 * first: that is the order in time, and all that a checker needs to know of it. Calls whose stamps
 * cross were under way at the same time.
 *
 *   [HISTORY-1] The counter is advanced by a seq_cst read-modify-write: what a call did is done
 *               before its second stamp is drawn, and starts after its first.
 *   [HISTORY-2] ThreadSanitizer sees nothing of it. To it a counter that all actors advance would
 *               order everything before with everything after, and no race in the library would be
 *               reported any more. So both functions are UNOBSERVED, call nothing, and are not in
 *               a header, where they would be compiled into functions that are observed.
 *
 * The price is on the hardware. The counter is a full fence before and after each call, so that
 * what shows only without one (a store that is still in the buffer when the next call loads) does
 * not show here. A race for such an effect gets a scenario without a history.
 *
 * A lane has one writer at a time: its actor, or, alone, set_up and arbiter. The runner hands the
 * state over between them, so that nothing here needs to be ordered but the stamps. Nor does
 * anything here know what a thread is: the lane is told, not looked up.
 *
 * Rejected: stamps from the clock. Reading it costs as much, equal readings leave the order open,
 * and under a controlled scheduler it stands still.
 */
#include "harness/scenario/history.h"

_Static_assert(2 * HISTORY_LANES * HISTORY_CALLS < HISTORY_NEVER, "a stamp fits its byte");

/* [HISTORY-1], [HISTORY-2] */
UNOBSERVED static uint8_t next_stamp(struct history *history)
{
    return (uint8_t)(atomic_fetch_add(&history->stamps, 1) + 1);
}

UNOBSERVED struct history_open history_begin(struct history *history, unsigned lane,
                                             unsigned operation, int32_t argument)
{
    struct history_lane *mine = &history->lanes[lane];
    struct history_open open = {.history = history};

    if (mine->count >= HISTORY_CALLS) {
        mine->count = HISTORY_CALLS + 1;
        return open;
    }
    open.call = &mine->calls[mine->count++];
    open.call->operation = (uint8_t)operation;
    open.call->argument = argument;
    open.call->began = next_stamp(history);
    return open;
}

UNOBSERVED void history_end(struct history_open open, int64_t result)
{
    if (!open.call)
        return;
    open.call->result = result;
    open.call->ended = next_stamp(open.history);
}
