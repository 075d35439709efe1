/*
 * What a trace says of the library at each of its steps.
 *
 * A trace has steps (locks, atomics, waits, the clock), probes, and plain writes, each with the
 * block of memory that it is about. Nothing here is guessed about the algorithm: the heap is what
 * gp__set_entry wrote into its slots, the leader is what stands in queue->leader, the hand of a
 * wheel what stands in wheel->tick. `read` walks through the trace once and keeps, for each step,
 * the state after it; going back is taking an earlier one.
 *
 * The state:
 *
 *     threads   name, whether it runs, waits or has ended, for what it waits (for nothing: the
 *               clock) and whether it has been woken, the locks it has
 *     futures   by block: the number of the state, and of the one before it
 *     queues    by block: the slots of the heap, as far as `size`, and the leader's thread
 *     pools     by block: the word ctl
 *     wheels    by block: the size, the tick, and which timeout is in which bucket
 *     facts     the rest of the probes: their last values
 *     touched   what this step has changed: keys like "slot 3", for the figures to mark
 */
"use strict";

glasspool.receive("trace");
glasspool.receive("traceIndex", false);

glasspool.model = (() => {
    const CLOCK = 63;
    const ENTRY = 16; /* bytes of a slot of the heap, and of a row of the wheel */
    const ROWS = 24;  /* bytes from the wheel's size to its buckets */

    /* copy(state): so that what came before stays as it was */
    const copy = (state) => ({
        ...state,
        threads: state.threads.map((thread) => ({...thread, locks: [...thread.locks]})),
        futures: new Map(state.futures),
        queues: new Map(
            [...state.queues].map(([key, queue]) => [key, {...queue, slots: [...queue.slots]}]),
        ),
        pools: new Map(state.pools),
        wheels: new Map(
            [...state.wheels].map(([key, wheel]) => [
                key,
                {...wheel, places: new Map(wheel.places)},
            ]),
        ),
        facts: new Map(state.facts),
        touched: new Set(),
    });

    const beginning = (trace) => ({
        time: 0,
        start: trace.start,
        threads: trace.threads.map(({thread, name}) => ({
            thread,
            name,
            status: thread === 0 ? "runs" : "not begun",
            waits: "",
            woken: false,
            locks: [],
        })),
        futures: new Map(),
        queues: new Map(),
        pools: new Map(),
        wheels: new Map(),
        facts: new Map(),
        touched: new Set(),
    });

    /* ---- threads ---- */

    const release = (thread, lock) => {
        thread.locks = thread.locks.filter((each) => each !== lock);
    };

    const moveThread = (state, step, memory) => {
        const thread = state.threads[step.thread];
        if (!thread) {
            return;
        }
        thread.status = "runs";
        thread.waits = "";
        thread.woken = false;
        if (["lock", "timed lock"].includes(step.kind)) {
            thread.locks.push(step.object);
        } else if (step.kind === "unlock") {
            release(thread, step.object);
        } else if (step.kind === "wait") {
            thread.status = "waits";
            thread.waits = step.object;
            memory.set(step.thread, thread.locks[thread.locks.length - 1]);
            thread.locks.pop();
        } else if (step.kind === "wake") {
            const lock = memory.get(step.thread);
            if (lock) {
                thread.locks.push(lock);
            }
        } else if (step.kind === "exit") {
            thread.status = "ended";
        } else if (step.kind === "sleep") {
            thread.status = "waits";
        }
    };

    /* ---- the queue ---- */

    const queueOf = (state, block) => {
        if (!state.queues.has(block)) {
            state.queues.set(block, {heap: null, slots: [], size: 0, leader: null});
        }
        return state.queues.get(block);
    };

    /* A time before the start has no name in the trace. */
    const due = (word, start) =>
        word.startsWith("0x") && start ? `${Number(word) - start}ns` : word;

    const place = (state, write) => {
        const slot = write.at[1] / ENTRY;
        const owner = [...state.queues.values()].find((queue) => queue.heap === write.at[0]);
        if (owner) {
            owner.slots[slot] = {time: due(write.words[0], state.start), task: write.words[1]};
            state.touched.add(`slot ${slot}`);
        }
    };

    const setLeader = (state, write) => {
        const queue = queueOf(state, write.at[0]);
        queue.leader = write.words[0] === "0" ? null : write.thread;
        state.touched.add("leader");
    };

    /* ---- the wheel ---- */

    const wheelOf = (state, block) => {
        if (!state.wheels.has(block)) {
            state.wheels.set(block, {size: 0, tick: 0, rows: null, places: new Map()});
        }
        return state.wheels.get(block);
    };

    const putIntoRow = (state, write) => {
        const to = write.to[0];
        for (const [block, wheel] of state.wheels) {
            wheel.places.delete(write.at[0]);
            if (to && to[0] === block && wheel.rows !== null) {
                const bucket = (to[1] - wheel.rows) / ENTRY;
                wheel.places.set(write.at[0], bucket >= 0 ? bucket : "due");
                state.touched.add(`bucket ${bucket >= 0 ? bucket : "due"}`);
            }
        }
    };

    const setSize = (state, write) => {
        const wheel = wheelOf(state, write.at[0]);
        wheel.size = Number(write.words[0]);
        wheel.rows = write.at[1] + ROWS; /* after it come the tick and where the buckets are */
    };

    /* What a plain write means, by the name that the source gives to it. */
    const writes = {
        "heap.entries": (state, write) => {
            if (write.to[0]) {
                queueOf(state, write.at[0]).heap = write.to[0][0];
            }
        },
        "heap.size": (state, write) => {
            if (state.queues.has(write.at[0])) {
                queueOf(state, write.at[0]).size = Number(write.words[0]);
            }
        },
        "queue.leader": setLeader,
        "wheel.size": setSize,
        "wheel.tick": (state, write) => {
            wheelOf(state, write.at[0]).tick = Number(write.words[0]);
            state.touched.add("hand");
        },
        "timeout.row": putIntoRow,
    };

    /* Where each of these names lies. A line that does several things has no name, but a place. */
    const placesOf = (trace) =>
        new Map(
            (trace.writes || [])
                .filter((write) => write.at && writes[write.name])
                .map((write) => [write.at.join(), write.name]),
        );

    const applyWrite = (state, write, named) => {
        if (!write.at) {
            return;
        }
        if (write.function === "gp__set_entry") {
            place(state, write);
        } else {
            writes[named.get(write.at.join())]?.(state, write);
        }
    };

    /* ---- atomics and probes ---- */

    const applyAtomic = (state, step) => {
        if (step.object_kind !== "atomic" || !step.at) {
            return;
        }
        if (/(^|\.)ctl(#|$)/.test(step.object)) {
            state.pools.set(step.at[0], {label: step.object, ctl: Number(step.after) | 0});
            if (step.before !== step.after) {
                state.touched.add("ctl");
            }
        }
    };

    const applyProbe = (state, probe) => {
        const block = probe.at[0] ? probe.at[0][0] : probe.arguments[0];
        if (probe.name === "future_state") {
            state.futures.set(block, {
                label: probe.arguments[0],
                state: Number(probe.arguments[1]),
                before: state.futures.get(block)?.state,
            });
            state.touched.add(`future ${block}`);
        } else if (
            !["pool_ctl", "queue_offer", "queue_take", "delayed_leader"].includes(probe.name)
        ) {
            state.facts.set(`${probe.name} ${probe.arguments[0]}`, {
                name: probe.name,
                object: probe.arguments[0],
                value: probe.arguments.slice(1).join(", "),
            });
            state.touched.add(`fact ${probe.name} ${probe.arguments[0]}`);
        }
    };

    /* ---- the whole ---- */

    /* Futures that the trace will speak of are NEW from when they are first touched. */
    const newFutures = (trace) => {
        const blocks = new Map();
        for (const probe of trace.probes) {
            if (probe.name === "future_state" && probe.at[0] && !blocks.has(probe.at[0][0])) {
                blocks.set(probe.at[0][0], probe.arguments[0]);
            }
        }
        return blocks;
    };

    const byStep = (list) => {
        const map = new Map();
        for (const each of list) {
            map.set(each.step, [...(map.get(each.step) || []), each]);
        }
        return map;
    };

    /* read(trace): states[n] is how it is after step n; states[0] before the first */
    const read = (trace) => {
        const states = [beginning(trace)];
        const probes = byStep(trace.probes);
        const plain = byStep(trace.writes || []);
        const unborn = newFutures(trace);
        const memory = new Map();
        const named = placesOf(trace);
        (plain.get(0) || []).forEach((write) => applyWrite(states[0], write, named));
        for (const step of trace.steps) {
            const state = copy(states[states.length - 1]);
            state.time = step.time;
            if (step.at && unborn.has(step.at[0]) && !state.futures.has(step.at[0])) {
                state.futures.set(step.at[0], {label: unborn.get(step.at[0]), state: 0});
            }
            moveThread(state, step, memory);
            applyAtomic(state, step);
            (plain.get(step.step) || []).forEach((write) => applyWrite(state, write, named));
            (probes.get(step.step) || []).forEach((probe) => applyProbe(state, probe));
            for (const woken of step.woken || []) {
                if (state.threads[woken]) {
                    state.threads[woken].woken = true;
                }
            }
            states.push(state);
        }
        return states;
    };

    /* time(nanoseconds): as people say it */
    const time = (nanoseconds) => {
        const units = [
            [3600e9, "h"],
            [60e9, "min"],
            [1e9, "s"],
            [1e6, "ms"],
            [1e3, "µs"],
        ];
        if (nanoseconds === 0) {
            return "0";
        }
        const [size, name] = units.find(([each]) => nanoseconds >= each) || [1, "ns"];
        return `${Math.round((nanoseconds / size) * 1000) / 1000} ${name}`;
    };

    return {read, time, CLOCK};
})();
