/* See trail.h. */
#include "harness/explore/trail.h"

#include "harness/explore/machine.h"

uint32_t trail_stride(uint32_t steps)
{
    uint32_t stride = 1;

    while ((steps + stride - 1) / stride > TRAIL_ROOM)
        stride *= 2;
    return stride;
}

uint32_t trail_length(uint32_t steps)
{
    uint32_t stride = trail_stride(steps);

    return (steps + stride - 1) / stride;
}

void trail_of_machine(struct trail *trail)
{
    uint32_t stride = trail_stride(machine.steps);
    uint8_t mark = 0;

    trail->steps = machine.steps;
    for (uint32_t i = 0; i < machine.steps; i++) {
        mark = trail_add(i % stride == 0 ? 0 : mark, machine.log[i].thread, machine.log[i].kind);
        trail->marks[i / stride] = mark;
    }
}
