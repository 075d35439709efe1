/*
 * Executions inside a page: a comment `watch: NAME` in the Markdown becomes a card, which is
 * filled in here, all of them at once, so that nothing moves under a reader's eyes later: the
 * lanes of the execution as a picture of a few lines, and the figures as they are at one of its
 * moments. It is the same trace, read by the same model, that the player plays; the title leads
 * there.
 */
"use strict";

(() => {
    const element = glasspool.element;
    const LANE = 18;
    const LETTER = 6.5;

    /* scale(trace, width): where a step is, beside the longest name of a thread */
    const scale = (trace, width) => {
        const names = 12 + LETTER * Math.max(...trace.threads.map(({name}) => name.length));
        return (step) => names + ((step - 0.5) / trace.steps.length) * (width - names);
    };

    /* A line for as long as a thread lives, dashed while it waits, and a mark for each step. */
    const lane = (trace, states, {thread, name}, x) => {
        const y = thread * LANE + LANE / 2;
        const colour = glasspool.lanes.colour(thread);
        const parts = [element("text", {x: 0, y: y + 4, fill: colour}, name)];
        let from = 0;
        for (let i = 1; i <= states.length; i++) {
            const status = states[i - 1].threads[thread]?.status;
            if (i === states.length || states[i].threads[thread]?.status !== status) {
                if (status === "runs" || status === "waits") {
                    parts.push(
                        element("line", {
                            x1: x(Math.max(from, 1)),
                            x2: x(i - 1 || 1),
                            y1: y,
                            y2: y,
                            stroke: colour,
                            class: status,
                        }),
                    );
                }
                from = i;
            }
        }
        const steps = trace.steps.filter((step) => step.thread === thread);
        parts.push(
            ...steps.map((step) =>
                element("circle", {cx: x(step.step), cy: y, r: 2.2, fill: colour}),
            ),
        );
        return parts;
    };

    const timeline = (trace, states, step, width) => {
        const x = scale(trace, width);
        const height = trace.threads.length * LANE;
        const clock = trace.steps.filter((each) => each.thread === glasspool.model.CLOCK);
        return element(
            "svg",
            {
                class: "timeline",
                viewBox: `0 0 ${width} ${height}`,
                role: "img",
                "aria-label": glasspool.say(
                    "card-label",
                    trace.threads.length,
                    trace.steps.length,
                ),
            },
            ...clock.map((each) =>
                element("line", {
                    x1: x(each.step),
                    x2: x(each.step),
                    y1: 0,
                    y2: height,
                    class: "tick",
                }),
            ),
            element("line", {
                x1: x(step),
                x2: x(step),
                y1: 0,
                y2: height,
                class: "now",
            }),
            ...trace.threads.flatMap((thread) => lane(trace, states, thread, x)),
        );
    };

    const fill = async (card) => {
        const index = await glasspool.load("traces/index.js", "traceIndex");
        const trace = await glasspool.load(
            `traces/${card.dataset.trace}.js`,
            "trace",
            card.dataset.trace,
        );
        glasspool.figures.learn(index);
        const states = glasspool.model.read(trace);
        const moment = glasspool.stage.momentOf(trace, card.dataset.moment);
        const link = card.querySelector("a");
        link.href = link.href.replace(/#.*/, `#trace=${card.dataset.trace}&step=${moment.step}`);
        const figures = element("div", {class: "figures"});
        glasspool.figures.draw(figures, states[moment.step], trace.steps[moment.step - 1].thread);
        figures.querySelector(".threads")?.closest("section").remove();
        card.append(
            timeline(trace, states, moment.step, Math.max(card.clientWidth - 34, 240)),
            element(
                "p",
                {class: moment.wrong ? "caption wrong" : "caption"},
                glasspool.say("card-step", moment.step, glasspool.told(moment, "caption")),
            ),
            figures,
        );
        card.dataset.filled = "yes";
    };

    document.querySelectorAll(".watch").forEach(fill);
})();
