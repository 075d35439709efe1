/*
 * The figures beside the lanes: what the library looks like after the present step.
 *
 * Each takes the state of model.js and returns an element, or nothing if the trace has nothing of
 * the kind. Names of states come from the library's own enumerations, and the paths between a
 * future's states from the essay of future.c: docs/site/record reads both.
 */
"use strict";

glasspool.figures = (() => {
    const element = glasspool.element;
    let words = {};

    const section = (title, ...children) =>
        element("section", {class: "figure"}, element("h3", {}, title), ...children);

    const shortened = (name) => name.replace(/^GP_+(TIMER_|TIMEOUT_)?/, "");

    /* ---- threads ---- */

    const threads = (state, current) =>
        section(
            glasspool.say("threads"),
            element(
                "table",
                {class: "threads"},
                element(
                    "tbody",
                    {},
                    ...state.threads.map((thread) =>
                        element(
                            "tr",
                            {class: thread.thread === current ? "current" : null},
                            element(
                                "th",
                                {
                                    scope: "row",
                                    style: `color: ${glasspool.lanes.colour(thread.thread)}`,
                                },
                                thread.name,
                            ),
                            element(
                                "td",
                                {},
                                thread.status === "waits"
                                    ? glasspool.say(
                                          thread.woken ? "waits-woken" : "waits-for",
                                          thread.waits || glasspool.say("the-clock"),
                                      )
                                    : glasspool.say(thread.status),
                            ),
                            element(
                                "td",
                                {},
                                thread.locks.length > 0
                                    ? glasspool.say("has-locks", thread.locks.join(", "))
                                    : "",
                            ),
                        ),
                    ),
                ),
            ),
        );

    /* ---- the future's states ---- */

    /* Columns by the longest way from NEW, rows by path. */
    const places = (paths) => {
        const at = new Map();
        paths.forEach((path, row) =>
            path.forEach((name, column) => {
                if (!at.has(name)) {
                    at.set(name, {x: 55 + column * 118, y: 20 + row * 34});
                }
            }),
        );
        return at;
    };

    /* An arrow from the edge of one node to that of the other. */
    const arrow = (from, to) => {
        const [dx, dy] = [to.x - from.x, to.y - from.y];
        const edge = Math.min(48 / Math.abs(dx), 12 / Math.abs(dy)); /* as a part of the way */
        const length = Math.hypot(dx, dy);
        const on = (part, aside) =>
            `${from.x + dx * part - (dy / length) * aside} ${
                from.y + dy * part + (dx / length) * aside
            }`;
        const tip = 1 - edge;
        const back = tip - 8 / length;
        return element("path", {
            d: `M${on(edge, 0)} L${on(back, 0)} L${on(back, 4)} L${on(tip, 0)} L${on(
                back,
                -4,
            )} L${on(back, 0)}`,
            class: "edge wrong",
        });
    };

    /* A step off the paths, as only a bug takes it, is drawn beside them. */
    const machine = (future, touched) => {
        const at = places(words.paths);
        const nameOf = (state) => shortened(words.enums.gp_future_state[state] || "?");
        const present = nameOf(future.state);
        const before = nameOf(future.before);
        const edges = new Map();
        for (const path of words.paths) {
            path.slice(1).forEach((name, index) =>
                edges.set(`${path[index]} ${name}`, [at.get(path[index]), at.get(name)]),
            );
        }
        const lines = [...edges.values()].map(([from, to]) =>
            element("path", {
                d: `M${from.x + 48} ${from.y} C${from.x + 64} ${from.y}, ${to.x - 64} ${
                    to.y
                }, ${to.x - 48} ${to.y}`,
                class: "edge",
            }),
        );
        const strays =
            at.has(before) && before !== present && !edges.has(`${before} ${present}`);
        const nodes = [...at].map(([name, {x, y}]) =>
            element(
                "g",
                {class: name === present ? `node present${touched ? " touched" : ""}` : "node"},
                element("rect", {x: x - 48, y: y - 12, width: 96, height: 24, rx: 12}),
                element("text", {x, y: y + 4}, name),
            ),
        );
        const height = 6 + Math.max(...[...at.values()].map((each) => each.y)) + 14;
        return element(
            "svg",
            {
                class: "machine",
                viewBox: `0 0 346 ${height}`,
                role: "img",
                "aria-label": glasspool.say("future-is", present),
            },
            ...lines,
            strays ? arrow(at.get(before), at.get(present)) : null,
            ...nodes,
        );
    };

    const futures = (state) => {
        const most = 3;
        const list = [...state.futures];
        const shown = list
            .filter(([block]) => state.touched.has(`future ${block}`))
            .concat(list.filter(([block]) => !state.touched.has(`future ${block}`)))
            .slice(0, most);
        return (
            list.length > 0 &&
            section(
                glasspool.say(list.length > 1 ? "futures" : "future"),
                ...list
                    .filter((each) => shown.includes(each))
                    .map(([block, future]) =>
                        element(
                            "div",
                            {},
                            list.length > 1 ? element("p", {}, future.label) : null,
                            machine(future, state.touched.has(`future ${block}`)),
                        ),
                    ),
                list.length > most
                    ? element("p", {}, glasspool.say("and-more", list.length - most))
                    : null,
            )
        );
    };

    /* ---- ctl ---- */

    const ctl = (pool, state) => {
        const bits = (pool.ctl >>> 0).toString(2).padStart(32, "0");
        const upper = words.countBits;
        const run = words.enums.gp__run_state[pool.ctl >> upper] || "?";
        const count = pool.ctl & (2 ** upper - 1);
        const cells = [...bits].map((bit, index) =>
            element(
                "span",
                {
                    class: [index < 32 - upper ? "upper" : "", bit === "1" ? "one" : "zero"].join(
                        " ",
                    ),
                },
                bit,
            ),
        );
        return section(
            glasspool.say("ctl"),
            element(
                "div",
                {
                    class: state.touched.has("ctl") ? "bits touched" : "bits",
                    role: "img",
                    "aria-label": glasspool.say(
                        "ctl-is",
                        shortened(run),
                        glasspool.count("workers", count),
                    ),
                },
                ...cells,
            ),
            element(
                "p",
                {},
                element("b", {}, shortened(run)),
                ` · ${glasspool.count("workers", count)}`,
            ),
        );
    };

    /* ---- the wheel ---- */

    const wheel = (one, state) => {
        const middle = 110;
        const slice = (2 * Math.PI) / one.size;
        const point = (bucket, radius) => [
            middle + radius * Math.sin((bucket + 0.5) * slice),
            middle - radius * Math.cos((bucket + 0.5) * slice),
        ];
        const rows = new Map();
        for (const bucket of one.places.values()) {
            rows.set(bucket, (rows.get(bucket) || 0) + 1);
        }
        const parts = Array.from({length: one.size}, (_, bucket) => {
            const [x, y] = point(bucket, 86);
            const [tx, ty] = point(bucket, 103);
            return element(
                "g",
                {class: state.touched.has(`bucket ${bucket}`) ? "bucket touched" : "bucket"},
                element("circle", {cx: x, cy: y, r: 12, class: rows.has(bucket) ? "full" : ""}),
                element("text", {x, y: y + 4}, rows.has(bucket) ? String(rows.get(bucket)) : ""),
                element("text", {x: tx, y: ty + 3, class: "index"}, String(bucket)),
            );
        });
        const [hx, hy] = point(one.tick % one.size, 66);
        return section(
            glasspool.say("wheel"),
            element(
                "svg",
                {
                    class: "wheel",
                    viewBox: "0 0 220 220",
                    role: "img",
                    "aria-label": glasspool.say("wheel-is", one.tick, one.places.size),
                },
                ...parts,
                element("line", {x1: middle, y1: middle, x2: hx, y2: hy, class: "hand"}),
                element("circle", {cx: middle, cy: middle, r: 3, class: "hub"}),
            ),
            element(
                "p",
                {},
                glasspool.say("tick", one.tick),
                rows.has("due") ? ` · ${glasspool.say("due", rows.get("due"))}` : "",
            ),
        );
    };

    /* ---- the rest ---- */

    const stateNames = {
        timer_state: "gp__timer_state",
        timeout_state: "gp__timeout_state",
        threadless_state: "state",
    };

    const facts = (state) => {
        const rows = [...state.facts].map(([key, fact]) => {
            const names = words.enums[stateNames[fact.name]];
            const value = names?.[Number(fact.value)] || fact.value;
            return element(
                "tr",
                {class: state.touched.has(`fact ${key}`) ? "touched" : null},
                element(
                    "th",
                    {scope: "row"},
                    `${fact.object} ${fact.name.replace(/^\w+?_/, "")}`,
                ),
                element("td", {}, shortened(value)),
            );
        });
        return (
            rows.length > 0 &&
            section(
                glasspool.say("probes"),
                element("table", {}, element("tbody", {}, ...rows)),
            )
        );
    };

    /* draw(box, state, current): all that there are; `current` is the thread of the step */
    const draw = (box, state, current) => {
        const queues = [...state.queues.values()].map((queue) =>
            section(glasspool.say("queue"), glasspool.heap.figure(queue, state)),
        );
        const all = [
            ...queues,
            ...[...state.pools.values()].map((pool) => ctl(pool, state)),
            futures(state),
            ...[...state.wheels.values()]
                .filter((each) => each.size > 0)
                .map((each) => wheel(each, state)),
            facts(state),
            threads(state, current),
        ];
        box.replaceChildren(...all.filter(Boolean));
    };

    return {
        draw,
        learn: (told) => {
            words = told;
        },
    };
})();
