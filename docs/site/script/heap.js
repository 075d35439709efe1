/*
 * The delayed queue as a figure: its heap as a tree and as the array that it is, and the leader.
 *
 * An entry shows its time. Slots that the present step has written are marked. The tree is the
 * array read level by level; an entry that is before its parent is drawn as wrong: there
 * [DELAYED-1] does not hold, at least not at this moment.
 */
"use strict";

glasspool.heap = (() => {
    const element = glasspool.element;
    const WIDTH = 340;
    const LEVEL = 46;
    const IN_A_ROW = 5; /* slots of the array */

    const units = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, min: 60e9, h: 3600e9, d: 86400e9};

    /* "1h+20us" as nanoseconds, to compare */
    const value = (text) =>
        text.split("+").reduce((sum, part) => {
            const match = /^(-?[\d.]+)([a-z]*)$/.exec(part);
            return match ? sum + Number(match[1]) * (units[match[2]] || 1) : sum;
        }, 0);

    const isWrong = (slots, k) =>
        k > 0 && value(slots[k].time) < value(slots[Math.floor((k - 1) / 2)].time);

    const positions = (count) => {
        const depth = Math.floor(Math.log2(count)) + 1;
        return Array.from({length: count}, (_, k) => {
            const level = Math.floor(Math.log2(k + 1));
            const inLevel = k + 1 - 2 ** level;
            return {
                x: ((inLevel + 0.5) / 2 ** level) * WIDTH,
                y: 20 + level * LEVEL,
                depth,
            };
        });
    };

    const tree = (slots, touched) => {
        const at = positions(slots.length);
        const height = 40 + (at[0].depth - 1) * LEVEL;
        const width = Math.min(50, WIDTH / 2 ** (at[0].depth - 1) - 4);
        const lines = slots.slice(1).map((_, index) => {
            const k = index + 1;
            const parent = at[Math.floor((k - 1) / 2)];
            return element("line", {
                x1: parent.x,
                y1: parent.y,
                x2: at[k].x,
                y2: at[k].y,
                class: isWrong(slots, k) ? "edge wrong" : "edge",
            });
        });
        const nodes = slots.map((slot, k) =>
            element(
                "g",
                {
                    class: [
                        "node",
                        touched.has(`slot ${k}`) ? "touched" : "",
                        isWrong(slots, k) ? "wrong" : "",
                    ].join(" "),
                },
                element("rect", {
                    x: at[k].x - width / 2,
                    y: at[k].y - 14,
                    width,
                    height: 28,
                    rx: 6,
                }),
                element("text", {x: at[k].x, y: at[k].y + 4}, slot.time),
            ),
        );
        return element(
            "svg",
            {
                class: "tree",
                viewBox: `0 0 ${WIDTH} ${height}`,
                role: "img",
                "aria-label": glasspool.say(
                    "heap-is",
                    slots.map((each) => each.time).join(", "),
                ),
            },
            ...lines,
            ...nodes,
        );
    };

    /* A few slots in a row, so that all are in view. */
    const arrayRows = (slots, touched, from) => {
        const numbers = element(
            "tr",
            {},
            element("th", {scope: "row"}, glasspool.say("slot")),
            ...slots.map((_, i) => element("td", {}, String(from + i))),
        );
        const times = element(
            "tr",
            {class: "times"},
            element("th", {scope: "row"}, glasspool.say("time")),
            ...slots.map((slot, i) =>
                element(
                    "td",
                    {class: touched.has(`slot ${from + i}`) ? "touched" : null},
                    slot.time,
                ),
            ),
        );
        return [numbers, times];
    };

    const array = (slots, touched) => {
        const rows = [];
        for (let from = 0; from < slots.length; from += IN_A_ROW) {
            rows.push(...arrayRows(slots.slice(from, from + IN_A_ROW), touched, from));
        }
        return element(
            "div",
            {
                class: "array",
                tabindex: "0",
                role: "group",
                "aria-label": glasspool.say("heap-array"),
            },
            element("table", {}, element("tbody", {}, ...rows)),
        );
    };

    const leader = (queue, state) => {
        const thread = queue.leader === null ? null : state.threads[queue.leader];
        return element(
            "p",
            {class: state.touched.has("leader") ? "leader touched" : "leader"},
            `${glasspool.say("leader")}: `,
            thread
                ? element(
                      "b",
                      {style: `color: ${glasspool.lanes.colour(queue.leader)}`},
                      `${thread.name} (${queue.leader})`,
                  )
                : glasspool.say("nobody"),
        );
    };

    /* figure(queue, state): an element */
    const figure = (queue, state) => {
        const slots = queue.slots.slice(0, queue.size).map((slot) => slot || {time: "?"});
        return element(
            "div",
            {},
            slots.length > 0
                ? tree(slots, state.touched)
                : element("p", {class: "empty"}, glasspool.say("empty")),
            slots.length > 0 ? array(slots, state.touched) : null,
            leader(queue, state),
        );
    };

    return {figure};
})();
