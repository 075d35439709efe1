/*
 * What the player, the scheduler and the cards share: the list of what there is, the bug as a
 * patch, the moments of an execution, the lit line.
 */
"use strict";

glasspool.stage = (() => {
    const element = glasspool.element;

    /* links(rows): a list of them, {href, text, of, current}; `of` is said below the text */
    const links = (rows) =>
        element(
            "ul",
            {},
            ...rows.map(({href, text, of, current}) =>
                element(
                    "li",
                    {},
                    element(
                        "a",
                        {href, "aria-current": current ? "true" : null},
                        text,
                        of ? element("span", {class: "of"}, of) : null,
                    ),
                ),
            ),
        );

    /* shelve(details): the list is open where it has a column; elsewhere it opens to choose */
    const shelve = (details) => {
        const wide = matchMedia("(min-width: 1500px)");
        const set = () => {
            details.open = wide.matches;
        };
        wide.addEventListener("change", set);
        details.addEventListener("click", (event) => event.target.closest("a") && set());
        set();
    };

    const kindOf = (line) =>
        line.startsWith("-") ? "gone" : line.startsWith("+") ? "come" : null;

    /* patch(box, diff): its lines, without the names of the files */
    const patch = (box, diff) => {
        const lines = diff.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line));
        box.replaceChildren(
            ...lines.map((line) => element("span", {class: kindOf(line)}, `${line}\n`)),
        );
    };

    /* write(box, text): what stands between backticks becomes code */
    const write = (box, text) =>
        box.replaceChildren(
            ...text
                .split(/`([^`]+)`/)
                .map((piece, i) => (i % 2 === 1 ? element("code", {}, piece) : piece)),
        );

    /* moments(trace): those of the list and, of a bug, the wrong one, which is the last */
    const moments = (trace) => {
        const list = [...trace.moments];
        if (trace.mutant) {
            const verdict = glasspool.term(trace.verdict);
            list.push({
                step: trace.steps.length,
                caption: glasspool.say("verdict-and-message", verdict, trace.message),
                wrong: true,
            });
        }
        return list;
    };

    /* momentOf(trace, number): counted from 1; if there are fewer, the last */
    const momentOf = (trace, number) => {
        const list = moments(trace);
        return list[Math.min(number, list.length) - 1];
    };

    /* light(step): its line in the source pane, and behind a link where that is a drawer */
    const light = (step) => {
        const link = document.querySelector(".lit-link");
        link.hidden = !step?.file;
        if (step?.file) {
            link.textContent = `${step.file}:${step.line}`;
            link.href = `${glasspool.root}source.html#${link.textContent}`;
            glasspool.pane
                .show({path: step.file, first: step.line, last: step.line})
                .catch(() => {});
        }
    };

    return {links, shelve, patch, write, moments, momentOf, light};
})();
