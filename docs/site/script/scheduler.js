/*
 * Be the scheduler: the reader chooses who goes on, and tries to break a library that has a bug.
 *
 * A level is the graph of all schedules of one race, with one bug of the museum in the real code:
 * the explorer has walked through all of it (harness/explore/graph.h). A game is a path through
 * the graph. It is won at an end that is not a good one, and lost at a good one. From any node it
 * is known whether it can still be won, and what the shortest way is: those are the hints.
 *
 * The address says which level: #level=both-have-won.
 */
"use strict";

glasspool.receive("level");
glasspool.receive("levelIndex", false);

(() => {
    const element = glasspool.element;
    const part = (name) => document.getElementById(`game-${name}`);
    const GOOD = "ended well";
    let index = null;
    let level = null;
    let moves = []; /* {node, edge}: what was chosen where */
    let here = 0;
    let hinted = 0;
    let distance = [];

    /* ---- the graph ---- */

    const node = () => level.nodes[here];
    const isOver = () => Boolean(node().end);
    const isWon = () => isOver() && node().end !== GOOD;

    /* The number of choices from each node to the nearest bad end; Infinity: there is none. */
    const distances = (nodes) => {
        const before = nodes.map(() => []);
        nodes.forEach((each, i) => (each.go || []).forEach((edge) => before[edge[2]].push(i)));
        const far = nodes.map((each) => (each.end && each.end !== GOOD ? 0 : Infinity));
        let edge = far.flatMap((each, i) => (each === 0 ? [i] : []));
        for (let d = 1; edge.length > 0; d++) {
            const next = new Set(
                edge.flatMap((i) => before[i]).filter((i) => far[i] === Infinity),
            );
            next.forEach((i) => {
                far[i] = d;
            });
            edge = [...next];
        }
        return far;
    };

    /* ---- words ---- */

    const name = (thread) =>
        thread === glasspool.model.CLOCK
            ? glasspool.say("the-clock")
            : level.threads[thread] || glasspool.say("thread", thread);

    const value = (was, is) => (was === is ? was : `${was} -> ${is}`);

    const wakes = (woken) =>
        woken.length > 0 ? `wakes thread ${woken.join(", ")}` : "nobody waits";

    /* The words of the explorer (story_operation), so that it is told as in the player. */
    const told = {
        "read-modify-write": (object, was, is) => `change ${object}: ${was} -> ${is}`,
        "compare-exchange": (object, was, is) =>
            was === is ? `cas ${object} fails: it is ${is}` : `cas ${object}: ${was} -> ${is}`,
        store: (object, was, is) => `store ${object}: ${was} -> ${is}`,
        signal: (object, was, is, woken) => `signal ${object}: ${wakes(woken)}`,
        broadcast: (object, was, is, woken) => `broadcast ${object}: ${wakes(woken)}`,
        wake: (object, was, is, woken, called) =>
            called ? `woken from ${object}` : `wait is over: ${object}`,
        clock: () => "look at the clock",
        key: () => "use the keys of thread-specific data",
    };

    /* words(step, called): `called` has the threads that were woken and have not gone on */
    const words = ([thread, kind, object, was, is, , , , woken], called) => {
        if (told[kind]) {
            return told[kind](object, was, is, woken, called.has(thread));
        }
        const after = value(was, is);
        return `${kind}${object ? ` ${object}` : ""}${after ? `: ${after}` : ""}`;
    };

    const listen = (called, [thread, , , , , , , , woken]) => {
        called.delete(thread);
        woken.forEach((each) => called.add(each));
    };

    const calledNow = () => {
        const called = new Set();
        moves
            .flatMap(({edge}) => edge[1])
            .forEach((number) => listen(called, level.steps[number]));
        return called;
    };

    const asSteps = () => {
        const called = new Set();
        return moves
            .flatMap(({edge}) => edge[1])
            .map((number, i) => {
                const step = level.steps[number];
                const text = words(step, called);
                listen(called, step);
                return {
                    step: i + 1,
                    thread: step[0],
                    text,
                    woken: step[8],
                    kind: step[1],
                    function: step[5],
                    file: step[6],
                    line: step[7],
                    time: step[9],
                };
            });
    };

    /* ---- the lanes ---- */

    const statesOf = (steps) => {
        const all = [
            level.threads.map((each, thread) => ({
                thread,
                status: thread === 0 ? "runs" : "not begun",
            })),
        ];
        for (const step of steps) {
            const threads = all[all.length - 1].map((each) => ({...each}));
            const thread = threads[step.thread];
            if (thread) {
                thread.status =
                    step.kind === "exit" ? "ended" : step.kind === "wait" ? "waits" : "runs";
            }
            all.push(threads);
        }
        return all.map((threads) => ({threads}));
    };

    const drawLanes = () => {
        const steps = asSteps();
        const trace = {
            steps,
            threads: level.threads.map((each, thread) => ({thread, name: each})),
        };
        glasspool.lanes.draw(part("lanes"), trace, statesOf(steps), (step) =>
            glasspool.stage.light(steps[step - 1]),
        );
        glasspool.lanes.mark(part("lanes"), steps.length);
        part("lanes").scrollTop = part("lanes").scrollHeight;
        if (steps.length > 0) {
            glasspool.stage.light(steps[steps.length - 1]);
        } else {
            lightEdge(choices()[0]);
        }
    };

    /* ---- choosing ---- */

    const lightEdge = (edge) => {
        const [, , , , , , file, line] = level.steps[edge[1][0]] || [];
        glasspool.stage.light({file, line});
    };

    const card = (edge, i) => {
        const first =
            level.steps[edge[1].find((each) => level.steps[each][0] === edge[0])] ||
            level.steps[edge[1][0]];
        const clock = edge[0] === glasspool.model.CLOCK;
        const colour = clock ? "var(--quiet)" : glasspool.lanes.colour(edge[0]);
        return element(
            "button",
            {
                type: "button",
                class: "choice",
                "data-thread": edge[0],
                onclick: () => take(edge),
                onpointerenter: () => lightEdge(edge),
                onfocus: () => lightEdge(edge),
            },
            element("kbd", {}, String(i + 1)),
            element(
                "b",
                {style: `color: ${colour}`},
                clock ? glasspool.say("let-time-pass") : name(edge[0]),
            ),
            element("span", {class: "next"}, !first || clock ? "" : words(first, calledNow())),
            element(
                "span",
                {class: "where"},
                first && first[5]
                    ? `${first[5]}, ${first[6].replace(/.*\//, "")}:${first[7]}`
                    : "",
            ),
        );
    };

    const choices = () => [...(node().go || [])].sort((a, b) => a[0] - b[0]);

    const take = (edge) => {
        moves.push({node: here, edge});
        here = edge[2];
        hinted = 0;
        draw();
        part("choices").querySelector("button")?.focus({preventScroll: true});
    };

    const undo = () => {
        const last = moves.pop();
        if (last) {
            here = last.node;
            hinted = 0;
            draw();
        }
    };

    const restart = () => {
        moves = [];
        here = 0;
        hinted = 0;
        draw();
    };

    const hint = () => {
        if (isOver()) {
            return;
        }
        const best = choices().find((edge) => distance[edge[2]] < distance[here]);
        part("hint").textContent = !best
            ? glasspool.say("hopeless")
            : hinted === 0
              ? glasspool.told(level, "hint")
              : glasspool.count("next-best", distance[here], name(best[0]));
        hinted++;
    };

    /* ---- drawing ---- */

    const drawEnd = () => {
        const box = part("end");
        box.hidden = !isOver();
        box.className = isWon() ? "end won" : "end lost";
        if (!isOver()) {
            return;
        }
        part("end-title").textContent = isWon()
            ? glasspool.say("won", glasspool.term(node().end))
            : glasspool.say("held");
        part("end-message").textContent = node().message;
        part("end-why").hidden = !isWon();
        if (isWon()) {
            for (const key of ["mechanism", "lesson"]) {
                glasspool.stage.write(part(key), glasspool.told(level, key));
            }
            part("command").textContent = `make break MUTANT=${level.mutant}`;
            remember();
        }
    };

    const remember = () => {
        try {
            localStorage.setItem(`glasspool-won-${level.level}`, "yes");
        } catch {
            /* a browser that keeps nothing for pages from disk */
        }
        drawList();
    };

    const wasWon = (row) => {
        try {
            return localStorage.getItem(`glasspool-won-${row.level}`) === "yes";
        } catch {
            return false;
        }
    };

    const draw = () => {
        drawLanes();
        part("choices").replaceChildren(...choices().map(card));
        part("hint").textContent = "";
        part("undo").disabled = moves.length === 0;
        part("moves").textContent = glasspool.count("choices", moves.length);
        part("turn").hidden = isOver();
        document.body.dataset.state = isWon() ? "won" : isOver() ? "lost" : "open";
        document.body.dataset.node = String(here);
        drawEnd();
    };

    const drawList = () => {
        const link = (row, i) => ({
            href: `#level=${row.level}`,
            text: `${i + 1}. ${glasspool.told(row, "title")}`,
            of: [
                glasspool.say("states", row.nodes),
                ...(wasWon(row) ? [glasspool.say("broken")] : []),
            ].join(" · "),
            current: row.level === level.level,
        });
        part("list").replaceChildren(glasspool.stage.links(index.map(link)));
    };

    const open = async (wanted) => {
        const row = index.find((each) => each.level === wanted) || index[0];
        level = await glasspool.load(`levels/${row.level}.js`, "level", row.level);
        distance = distances(level.nodes);
        part("title").textContent = glasspool.told(level, "title");
        part("text").textContent = glasspool.told(level, "text");
        glasspool.stage.patch(part("diff"), level.diff);
        document.body.dataset.level = level.level;
        drawList();
        restart();
    };

    const begin = async () => {
        index = await glasspool.load("levels/index.js", "levelIndex");
        glasspool.stage.shelve(part("shelf"));
        document.body.classList.add("sided", "has-source");
        part("undo").addEventListener("click", undo);
        part("restart").addEventListener("click", restart);
        part("ask").addEventListener("click", hint);
        for (let i = 1; i <= 6; i++) {
            glasspool.keys.add(String(i), glasspool.say("key-choose", i), () => {
                const edge = choices()[i - 1];
                if (edge) {
                    take(edge);
                }
            });
        }
        glasspool.keys.add("u", glasspool.say("key-undo"), undo);
        glasspool.keys.add("h", glasspool.say("key-hint"), hint);
        const follow = () => open(new URLSearchParams(location.hash.slice(1)).get("level"));
        glasspool.keepPlace(() => location.hash);
        addEventListener("hashchange", follow);
        follow();
    };

    begin();
})();
