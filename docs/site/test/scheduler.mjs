/*
 * Be the scheduler: each level is won along the shortest way to a bad end, with clicks, and lost
 * along one to a good end. Hints lead to a win; undo takes a choice back.
 */
import {called, cutInLanes, ensure, equal} from "./common.mjs";

const state = (page, wanted) => page.waitForSelector(`body[data-state="${wanted}"]`);

/* The edges of a shortest way from the first node to an end that is as wanted. */
const wayTo = (nodes, wanted) => {
    const from = new Map([[0, null]]);
    const queue = [0];
    for (const here of queue) {
        if (nodes[here].end && wanted(nodes[here].end)) {
            const way = [];
            for (let at = here; from.get(at); at = from.get(at).node) {
                way.unshift(from.get(at).edge);
            }
            return way;
        }
        for (const edge of nodes[here].go || []) {
            if (!from.has(edge[2])) {
                from.set(edge[2], {node: here, edge});
                queue.push(edge[2]);
            }
        }
    }
    return null;
};

const open = async (page, url, level) => {
    await page.goto(url(`schedule.html#level=${level}`));
    await page.waitForSelector(`body[data-level="${level}"][data-node="0"]`);
};

const walk = async (page, way) => {
    for (const edge of way) {
        await page.locator(`.choice[data-thread="${edge[0]}"]`).click();
        await page.waitForSelector(`body[data-node="${edge[2]}"]`);
    }
};

export const scheduler = ({test, site, url}) => {
    const levels = called(site, "levels/index.js").map((row) => ({
        row,
        graph: called(site, `levels/${row.level}.js`),
    }));

    test("there are five levels", () => ensure("too few", levels.length >= 5));

    test("the threads of levels have names", () => {
        for (const {row, graph} of levels) {
            const nameless = graph.threads.filter((name) => !/\p{L}/u.test(name));
            equal(`nameless in ${row.level}`, nameless, []);
        }
    });

    test("a level is told in the words of the player", async (page) => {
        const {row, graph} = levels.find((each) => each.row.level === "the-last-follower");
        const trace = called(site, "traces/lost-wake-up.js");
        equal("bug", trace.mutant, row.mutant);
        const head = (text) => text.replace(/(:| until) .*|#\d+/g, "");
        const place = (kind, file, line) => [kind, file, line].join(" ");
        const heads = new Map();
        for (const step of trace.steps.filter((each) => each.file)) {
            const key = place(step.kind, step.file, step.line);
            heads.set(key, [...(heads.get(key) || []), head(step.text)]);
        }
        const way = wayTo(graph.nodes, (end) => end !== "ended well");
        await open(page, url, row.level);
        await walk(page, way);
        await page.setViewportSize({width: 1280, height: 800});
        equal("pixels cut", await cutInLanes(page, "game-lanes"), 0);
        const texts = await page.locator("#game-lanes .what").allTextContents();
        const steps = way.flatMap((edge) => edge[1]).map((number) => graph.steps[number]);
        equal("steps", texts.length, steps.length);
        let compared = 0;
        steps.forEach(([, kind, , , , , file, line], i) => {
            const known = heads.get(place(kind, file, line));
            compared += known ? 1 : 0;
            ensure(`${head(texts[i])}, not ${known}`, !known || known.includes(head(texts[i])));
        });
        ensure(`compared ${compared}`, compared > 20);
    });

    for (const {row, graph} of levels) {
        test(`level ${row.level} can be won`, async (page) => {
            await open(page, url, row.level);
            await walk(
                page,
                wayTo(graph.nodes, (end) => end !== "ended well"),
            );
            await state(page, "won");
            for (const part of ["#game-mechanism", "#game-lesson"]) {
                const text = await page.textContent(part);
                ensure("no explanation", text.length > 40);
                ensure(`as in a patch: ${text}`, !/[`\n]/.test(text));
            }
        });
        test(`level ${row.level} can be lost`, async (page) => {
            await open(page, url, row.level);
            await walk(
                page,
                wayTo(graph.nodes, (end) => end === "ended well"),
            );
            await state(page, "lost");
            ensure("explained all the same", !(await page.isVisible("#game-lesson")));
        });
    }

    test("hints lead to a win", async (page) => {
        const {row, graph} = levels[0];
        await open(page, url, row.level);
        for (
            let i = 0;
            i < 60 && (await page.getAttribute("body", "data-state")) === "open";
            i++
        ) {
            await page.click("#game-ask");
            await page.click("#game-ask");
            const hint = await page.textContent("#game-hint");
            const name = /Next: (.*)\.$/.exec(hint)[1];
            const thread = name === "the clock" ? 63 : graph.threads.indexOf(name);
            await page.locator(`.choice[data-thread="${thread}"]`).click();
        }
        await state(page, "won");
    });

    test("undo and start again", async (page) => {
        const {row} = levels[0];
        await open(page, url, row.level);
        await page.keyboard.press("1");
        await page.waitForSelector('body:not([data-node="0"])');
        await page.keyboard.press("u");
        await page.waitForSelector('body[data-node="0"]');
        equal("choices", await page.textContent("#game-moves"), "0 choices");
        await page.keyboard.press("1");
        await page.click("#game-restart");
        await page.waitForSelector('body[data-node="0"]');
    });
};
