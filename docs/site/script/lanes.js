/*
 * The lanes: one for each thread, from top to bottom, a row for each step.
 *
 * On the left a drawing: a line as long as the thread lives, dashed while it waits, a dot for
 * each of its steps, and an arrow from whoever wakes to whom is woken. On the right the step in
 * words, as a button. Where there is little room the words take several lines, and the drawing
 * follows: it is made when the rows have their places, and again when these change.
 */
"use strict";

glasspool.lanes = (() => {
    const ROW = 26; /* of one line */
    const HEAD = 6; /* of an arrow */
    const element = glasspool.element;
    const small = matchMedia("(max-width: 599px)");

    const laneWidth = () => (small.matches ? 12 : 20);
    const x = (lane) => (lane + 0.5) * laneWidth();
    const colour = (thread) => `var(--lane-${thread % 6})`;

    /* One line from row to row, for as long as the status stays the same. */
    const lifeOf = (thread, states, y) => {
        const parts = [];
        let from = 0;
        for (let i = 1; i <= states.length; i++) {
            const before = states[i - 1].threads[thread]?.status;
            if (i === states.length || states[i].threads[thread]?.status !== before) {
                if (before === "runs" || before === "waits") {
                    parts.push(
                        element("line", {
                            x1: x(thread),
                            x2: x(thread),
                            y1: y(from - 1),
                            y2: y(i === states.length ? i - 2 : i - 1),
                            stroke: colour(thread),
                            class: before === "waits" ? "waits" : "runs",
                        }),
                    );
                }
                from = i;
            }
        }
        return parts;
    };

    const marksOf = (step, height) => {
        if (step.thread === glasspool.model.CLOCK) {
            return [];
        }
        const marks = (step.woken || [])
            .filter((woken) => woken !== step.thread)
            .map((woken) => {
                const head = woken > step.thread ? HEAD : -HEAD;
                const tip = `v-3.5 l${head} 3.5 l${-head} 3.5 v-3.5`;
                return element("path", {
                    d: `M${x(step.thread)} ${height} H${x(woken) - head} ${tip}`,
                    stroke: colour(step.thread),
                    fill: colour(step.thread),
                    class: "wakes",
                });
            });
        marks.push(
            element("circle", {
                cx: x(step.thread),
                cy: height,
                r: 4,
                fill: colour(step.thread),
            }),
        );
        return marks;
    };

    /* rail(trace, states, list): beside the rows of the list, which is on the page */
    const rail = (trace, states, list) => {
        const width = trace.threads.length * laneWidth();
        const height = list.offsetHeight;
        const rows = [...list.children].map((each) => each.offsetTop + ROW / 2);
        const y = (index) => rows[index] ?? -ROW / 2;
        const svg = element("svg", {
            class: "rail",
            width,
            height,
            viewBox: `0 0 ${width} ${height}`,
            "aria-hidden": "true",
        });
        trace.threads.forEach(({thread}) => svg.append(...lifeOf(thread, states, y)));
        trace.steps.forEach((step, index) => svg.append(...marksOf(step, y(index))));
        return svg;
    };

    const row = (trace, step, choose) => {
        const clock = step.thread === glasspool.model.CLOCK;
        const name = clock ? glasspool.say("clock") : trace.threads[step.thread]?.name;
        const text = step.text.replace(/~~~ ?/g, "").trim();
        return element(
            "li",
            {},
            element(
                "button",
                {
                    type: "button",
                    class: clock ? "step clock" : "step",
                    "data-step": step.step,
                    tabindex: "-1",
                    onclick: () => choose(step.step),
                },
                element("span", {class: "number"}, String(step.step)),
                element(
                    "span",
                    {class: "words"},
                    element(
                        "span",
                        {
                            class: "who",
                            style: `color: ${clock ? "var(--quiet)" : colour(step.thread)}`,
                        },
                        name,
                    ),
                    " ",
                    element("span", {class: "what"}, text),
                ),
            ),
        );
    };

    /* draw(box, trace, states, choose): fills the box; choose(step) is called by a click */
    const draw = (box, trace, states, choose) => {
        const list = element("ol", {class: "steps"});
        list.append(...trace.steps.map((step) => row(trace, step, choose)));
        box.replaceChildren(list);
        const fit = () => {
            box.style.setProperty("--rail", `${trace.threads.length * laneWidth()}px`);
            box.querySelector(".rail")?.remove();
            box.prepend(rail(trace, states, list));
        };
        const observer = new ResizeObserver(() =>
            list.isConnected ? fit() : observer.disconnect(),
        );
        fit();
        observer.observe(list);
    };

    /* mark(box, step): the current one, brought into view */
    const mark = (box, step) => {
        box.querySelector("[aria-current]")?.removeAttribute("aria-current");
        const button = box.querySelector(`[data-step="${step}"]`);
        if (!button) {
            box.scrollTop = 0;
            return;
        }
        button.setAttribute("aria-current", "step");
        const top = button.offsetTop;
        if (top < box.scrollTop + 2 * ROW || top > box.scrollTop + box.clientHeight - 4 * ROW) {
            box.scrollTop = top - box.clientHeight / 2;
        }
    };

    return {draw, mark, colour};
})();
