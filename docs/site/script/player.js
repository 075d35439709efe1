/*
 * The player: an execution of the shipped code, step by step, forwards and back.
 *
 * The address says which: #trace=leader-hand-over&step=31. Whatever is done changes the address,
 * and a changed address is followed, so that a link, the back button and the controls are one
 * thing.
 *
 * The source pane shows the line of the present step. Of a bug it is the changed source, and what
 * the bug changes is shown as a patch above the lanes.
 */
"use strict";

(() => {
    const element = glasspool.element;
    const part = (name) => document.getElementById(`player-${name}`);
    const parts = Object.fromEntries(
        [
            "list",
            "title",
            "text",
            "verdict",
            "patch",
            "scrub",
            "map",
            "time",
            "lanes",
            "figures",
            "caption",
            "moments",
            "play",
        ].map((name) => [name, part(name)]),
    );
    let trace = null;
    let states = [];
    let now = 0;
    let timer = null;
    let index = null;

    /* ---- the address ---- */

    const asked = () => {
        const words = new URLSearchParams(location.hash.slice(1));
        return {name: words.get("trace"), step: Number(words.get("step") || 0)};
    };

    const tell = (replace) => {
        const hash = `#trace=${trace.trace}&step=${now}`;
        if (location.hash !== hash) {
            history[replace ? "replaceState" : "pushState"](null, "", hash);
        }
    };

    /* ---- what is wrong, and where ---- */

    const isBug = () => Boolean(trace.mutant);
    const moments = () => glasspool.stage.moments(trace);

    const caption = () => {
        const moment = moments().find((each) => each.step === now);
        parts.caption.textContent = moment ? glasspool.told(moment, "caption") : "";
        parts.caption.classList.toggle("wrong", Boolean(moment?.wrong));
    };

    /* ---- showing a step ---- */

    const show = (step, replace = true) => {
        now = Math.min(Math.max(step, 0), trace.steps.length);
        const present = trace.steps[now - 1];
        parts.scrub.value = String(now);
        parts.scrub.setAttribute(
            "aria-valuetext",
            present
                ? glasspool.say("at-step", now, present.text)
                : glasspool.say("before-first"),
        );
        const time = glasspool.model.time(states[now].time);
        parts.time.textContent = glasspool.say("progress", now, trace.steps.length, time);
        glasspool.lanes.mark(parts.lanes, now);
        glasspool.figures.draw(parts.figures, states[now], present?.thread);
        for (const button of parts.moments.querySelectorAll("button")) {
            button.classList.toggle("here", Number(button.dataset.step) === now);
        }
        caption();
        glasspool.stage.light(trace.steps.slice(0, now || 1).findLast((each) => each.file));
        tell(replace);
    };

    /* ---- the map above the scrubber ---- */

    const drawMap = () => {
        const height = trace.threads.length * 6;
        const width = Math.max(trace.steps.length, 1);
        const svg = element("svg", {
            viewBox: `0 0 ${width} ${height}`,
            preserveAspectRatio: "none",
            "aria-hidden": "true",
        });
        trace.steps.forEach((step, i) => {
            const clock = step.thread === glasspool.model.CLOCK;
            svg.append(
                element("rect", {
                    x: i,
                    width: 1,
                    y: clock ? 0 : step.thread * 6 + 1,
                    height: clock ? height : 4,
                    fill: clock ? "var(--line)" : glasspool.lanes.colour(step.thread),
                }),
            );
        });
        parts.map.replaceChildren(svg);
    };

    const drawMoments = () => {
        parts.moments.replaceChildren(
            ...moments().map((moment) =>
                element(
                    "button",
                    {
                        type: "button",
                        "data-step": moment.step,
                        class: moment.wrong ? "moment wrong" : "moment",
                        onclick: () => show(moment.step, false),
                    },
                    moment.wrong
                        ? glasspool.say("wrong-moment")
                        : glasspool.say("moment", moment.step),
                ),
            ),
        );
    };

    const drawPatch = () => {
        parts.patch.hidden = !isBug();
        if (!isBug()) {
            return;
        }
        glasspool.stage.patch(parts.patch.querySelector("pre"), trace.diff);
        glasspool.stage.write(part("lesson"), glasspool.told(trace, "lesson"));
        part("command").textContent = `make break MUTANT=${trace.mutant}`;
    };

    const drawList = () => {
        const link = (row) => ({
            href: `#trace=${row.trace}&step=0`,
            text: glasspool.told(row, "title"),
            of: row.mutant ? glasspool.term(row.kind) : null,
            current: row.trace === trace.trace,
        });
        const good = index.traces.filter((row) => !row.mutant);
        const bad = index.traces.filter((row) => row.mutant);
        parts.list.replaceChildren(
            element("h2", {}, glasspool.say("mechanisms")),
            glasspool.stage.links(good.map(link)),
            element("h2", {}, glasspool.say("bugs")),
            glasspool.stage.links(bad.map(link)),
        );
    };

    const drawHead = () => {
        const row = index.traces.find((each) => each.trace === trace.trace);
        parts.title.textContent = glasspool.told(row, "title");
        parts.text.textContent = glasspool.told(row, "text");
        parts.verdict.textContent = isBug()
            ? glasspool.term(trace.verdict)
            : glasspool.say("as-it-is");
        parts.verdict.className = isBug() ? "verdict wrong" : "verdict right";
        part("scenario").textContent = trace.program;
        drawList();
    };

    /* ---- playing ---- */

    const stop = () => {
        clearInterval(timer);
        timer = null;
        parts.play.textContent = glasspool.say("play");
        parts.play.setAttribute("aria-pressed", "false");
    };

    const go = (step) => {
        stop();
        show(step);
    };

    const play = () => {
        if (timer) {
            stop();
            return;
        }
        if (now === trace.steps.length) {
            show(0);
        }
        parts.play.textContent = glasspool.say("pause");
        parts.play.setAttribute("aria-pressed", "true");
        timer = setInterval(() => {
            show(now + 1);
            if (now === trace.steps.length) {
                stop();
            }
        }, 550);
    };

    /* To the next moment after this step, the last of which is the wrong one; then round again. */
    const jump = () => {
        const list = moments();
        const next = list.find((each) => each.step > now) || list[0];
        if (next) {
            stop();
            show(next.step, false);
        }
    };

    /* ---- opening ---- */

    const open = async (name, step) => {
        const wanted = index.traces.find((each) => each.trace === name) || index.traces[0];
        if (trace?.trace !== wanted.trace) {
            stop();
            trace = await glasspool.load(`traces/${wanted.trace}.js`, "trace", wanted.trace);
            states = glasspool.model.read(trace);
            parts.scrub.max = String(trace.steps.length);
            drawHead();
            drawPatch();
            drawMap();
            drawMoments();
            glasspool.lanes.draw(parts.lanes, trace, states, go);
            document.body.dataset.trace = trace.trace;
        }
        show(step || Math.min(trace.moments[0]?.step || trace.steps.length, trace.steps.length));
    };

    const follow = () => {
        const {name, step} = asked();
        open(name, step);
    };

    const begin = async () => {
        index = await glasspool.load("traces/index.js", "traceIndex");
        glasspool.figures.learn(index);
        glasspool.stage.shelve(part("shelf"));
        document.body.classList.add("sided", "has-source");
        part("first").addEventListener("click", () => go(0));
        part("back").addEventListener("click", () => go(now - 1));
        part("forward").addEventListener("click", () => go(now + 1));
        part("last").addEventListener("click", () => go(trace.steps.length));
        part("jump").addEventListener("click", jump);
        parts.play.addEventListener("click", play);
        parts.scrub.addEventListener("input", () => go(Number(parts.scrub.value)));
        glasspool.keys.add("ArrowRight", glasspool.say("key-forward"), () => go(now + 1), "→");
        glasspool.keys.add("ArrowLeft", glasspool.say("key-back"), () => go(now - 1), "←");
        glasspool.keys.add(" ", glasspool.say("key-play"), play, glasspool.say("key-space"));
        glasspool.keys.add("Home", glasspool.say("key-first"), () => go(0));
        glasspool.keys.add("End", glasspool.say("key-last"), () => go(trace.steps.length));
        glasspool.keys.add("w", glasspool.say("key-jump"), jump);
        glasspool.keepPlace(() => location.hash);
        addEventListener("hashchange", follow);
        addEventListener("popstate", follow);
        follow();
    };

    begin();
})();
