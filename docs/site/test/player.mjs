/*
 * The player: every trace opens and shows what it says, at every kind of step; forwards and back
 * come to the same; an address opens a step. The heap that is drawn is compared with one that is
 * put together here, from the trace, in another way: by the indices that tasks keep.
 */
import {called, cutInLanes, ensure, equal} from "./common.mjs";

const time = (page) => page.textContent("#player-time");
const figures = (page) => page.innerHTML("#player-figures");
const at = (page, step) =>
    page.waitForFunction(
        (n) => document.getElementById("player-scrub").value === String(n),
        step,
    );

const open = async (page, url, name, step) => {
    await page.goto(url(`watch.html#trace=${name}&step=${step}`));
    await page.waitForSelector(`body[data-trace="${name}"]`);
    await at(page, step);
};

/* What the array of the heap shows, slot by slot. */
const drawnHeap = (page) =>
    page.evaluate(() =>
        [...document.querySelectorAll(".array .times td")].map((cell) => cell.textContent),
    );

/* The same from the trace: of each task, the last heap_index and the last time that it had. */
const heapByIndices = (trace, until) => {
    const tasks = new Map();
    const task = (block) => tasks.set(block, tasks.get(block) || {}).get(block);
    for (const step of trace.steps.slice(0, until)) {
        if (/heap_index/.test(step.object || "")) {
            task(step.at[0]).index = Number(step.after);
        } else if (/\.time(#|$)/.test(step.object || "")) {
            task(step.at[0]).time = step.after;
        }
    }
    const slots = [];
    for (const {index, time: due} of tasks.values()) {
        if (index >= 0) {
            slots[index] = due.startsWith("0x") ? `${Number(due) - trace.start}ns` : due;
        }
    }
    return slots;
};

export const player = ({test, site, url}) => {
    const index = called(site, "traces/index.js");
    const traces = index.traces.map((row) => ({
        row,
        trace: called(site, `traces/${row.trace}.js`),
    }));

    test("there are executions of each kind", () => {
        const kinds = new Set(index.traces.map((row) => row.kind));
        for (const kind of [
            "mechanism",
            "lost wake-up",
            "deadlock",
            "data race",
            "use after free",
            "forbidden outcome",
            "late task",
            "broken invariant",
            "weak memory",
        ]) {
            ensure(`none of: ${kind}`, kinds.has(kind));
        }
        ensure("too few mechanisms", index.traces.filter((row) => !row.mutant).length >= 10);
    });

    test("only workers are called workers", () => {
        for (const {row, trace} of traces) {
            for (const step of trace.steps.filter((each) => each.kind === "create")) {
                const thread = Number(/thread (\d+)/.exec(step.text)?.[1]);
                const name = trace.threads[thread]?.name || "";
                const first = trace.steps.find((each) => each.text === step.text);
                if (first === step && name) {
                    const isWorker = /^worker/.test(name) || /-thread-\d+$|^timer-/.test(name);
                    equal(`${row.trace}: ${name}`, isWorker, Boolean(step.function));
                }
            }
        }
    });

    for (const {row, trace} of traces) {
        test(`trace ${row.trace}`, async (page) => {
            await open(page, url, row.trace, 1);
            equal("lanes", await page.locator(".steps li").count(), trace.steps.length);
            equal("threads", await page.locator(".threads tr").count(), trace.threads.length);
            const step = trace.steps[Math.floor(trace.steps.length / 2)];
            await page.locator(`.step[data-step="${step.step}"]`).click();
            await at(page, step.step);
            const text = await page.textContent(`.step[data-step="${step.step}"] .what`);
            ensure(`it says ${text}`, step.text.includes(text));
            ensure("another step", (await time(page)).startsWith(`step ${step.step} of `));
            const lit = trace.steps.find((each) => each.file);
            await page.locator(`.step[data-step="${lit.step}"]`).click();
            await page.waitForSelector(
                `#source[data-shown="${lit.file}:${lit.line}-${lit.line}"]`,
            );
        });
        test(`trace ${row.trace}, forwards and back`, async (page) => {
            const middle = Math.floor(trace.steps.length / 2);
            await open(page, url, row.trace, middle);
            const before = await figures(page);
            await page.keyboard.press("ArrowRight");
            await at(page, middle + 1);
            await page.click("#player-forward");
            await at(page, middle + 2);
            await page.keyboard.press("ArrowLeft");
            await page.click("#player-back");
            await at(page, middle);
            ensure("another state than before", (await figures(page)) === before);
        });
    }

    for (const {row, trace} of traces.filter((each) => each.row.mutant)) {
        test(`trace ${row.trace}: the wrong moment`, async (page) => {
            await open(page, url, row.trace, 1);
            await page.click(".moment.wrong");
            await at(page, trace.steps.length);
            const caption = await page.textContent("#player-caption");
            ensure(`it says ${caption}`, caption.startsWith(trace.verdict));
        });
    }

    test("the heap is what the tasks say", async (page) => {
        const {trace} = traces.find(({row}) => row.trace === "heap-removal");
        const full = trace.steps.filter(
            (step) => step.kind === "unlock" && /delayed/.test(step.file),
        );
        ensure("too few", full.length > 3);
        for (const step of full) {
            await open(page, url, "heap-removal", step.step);
            equal(
                `heap after step ${step.step}`,
                await drawnHeap(page),
                heapByIndices(trace, step.step),
            );
        }
    });

    test("the leader is drawn", async (page) => {
        const {trace} = traces.find(({row}) => row.trace === "leader-hand-over");
        const probe = trace.probes.find((each) => each.name === "delayed_leader");
        await open(page, url, "leader-hand-over", probe.step);
        const name = trace.threads[probe.thread].name;
        equal("leader", await page.textContent(".leader b"), `${name} (${probe.thread})`);
    });

    test("the word ctl, bit by bit", async (page) => {
        const {trace} = traces.find(({row}) => row.trace === "worker-added");
        const step = trace.steps.find((each) => /cas pool.ctl/.test(each.text));
        await open(page, url, "worker-added", step.step);
        const bits = await page.evaluate(() => document.querySelector(".bits").textContent);
        equal("bits", bits, (Number(step.after) >>> 0).toString(2).padStart(32, "0"));
    });

    test("the future's state", async (page) => {
        const {trace} = traces.find(({row}) => row.trace === "set-against-cancel");
        for (const probe of trace.probes.filter((each) => each.name === "future_state")) {
            await open(page, url, "set-against-cancel", probe.step);
            equal(
                "state",
                `GP_${await page.textContent(".machine .present text")}`,
                index.enums.gp_future_state[probe.arguments[1]],
            );
        }
    });

    test("the wheel has its timeouts in their buckets", async (page) => {
        const {trace} = traces.find(({row}) => row.trace === "wheel-tick");
        const write = trace.writes.find((each) => each.name === "timeout.row" && each.to[0]);
        await open(page, url, "wheel-tick", write.step);
        ensure("no bucket is full", (await page.locator(".wheel .full").count()) > 0);
    });

    test(
        "on a phone a link opens the source at the lit line",
        async (page) => {
            const {trace} = traces.find(({row}) => row.trace === "set-against-cancel");
            const step = trace.steps.find((each) => each.file);
            await open(page, url, "set-against-cancel", step.step);
            await page.click(".lit-link");
            await page.waitForSelector(
                `#source.open[data-shown="${step.file}:${step.line}-${step.line}"] .lit`,
            );
        },
        {size: {width: 360, height: 740}},
    );

    test("where there is no column for the list it opens to choose", async (page) => {
        await page.setViewportSize({width: 1280, height: 800});
        await open(page, url, "get-waits", 1);
        ensure("it is open already", !(await page.isVisible("#player-list")));
        await page.click("#player-shelf summary");
        await page.click('#player-list a[href^="#trace=wheel-tick&"]');
        await page.waitForSelector('body[data-trace="wheel-tick"]');
        ensure("it stays open", !(await page.isVisible("#player-list")));
    });

    for (const width of [1280, 360]) {
        test(`at ${width} pixels each step can be read to its end`, async (page) => {
            await page.setViewportSize({width, height: 800});
            for (const {row} of traces) {
                await open(page, url, row.trace, 1);
                equal(`pixels cut in ${row.trace}`, await cutInLanes(page, "player-lanes"), 0);
            }
        });
    }

    test("a dot is beside its step, also when the window has become narrow", async (page) => {
        await open(page, url, "lost-wake-up", 1);
        await page.setViewportSize({width: 360, height: 800});
        await page.waitForFunction(() => {
            const tops = (all) =>
                [...document.querySelectorAll(`#player-lanes ${all}`)].map(
                    (each) => each.getBoundingClientRect().top,
                );
            const rows = tops(".step:not(.clock)");
            const dots = tops("circle");
            return (
                rows.length === dots.length &&
                rows.every((top, i) => Math.abs(dots[i] - top - 9) < 2)
            );
        });
    });

    test("what only a bug does to a future is an arrow off its paths", async (page) => {
        const strays = async (name, step) => {
            await open(page, url, name, step);
            return page.locator(".machine .edge.wrong").count();
        };
        const {trace} = traces.find(({row}) => row.trace === "forbidden-outcome");
        const last = trace.moments[trace.moments.length - 1].step;
        equal("before", await strays("forbidden-outcome", last - 1), 0);
        equal("then", await strays("forbidden-outcome", last), 1);
        equal("without a bug", await strays("set-against-cancel", 14), 0);
    });

    test("the space bar presses the button that has the focus", async (page) => {
        await open(page, url, "set-against-cancel", 4);
        await page.focus("#player-forward");
        await page.keyboard.press(" ");
        await at(page, 5);
        equal("plays", await page.getAttribute("#player-play", "aria-pressed"), "false");
    });

    test("scrubbing and playing", async (page) => {
        await open(page, url, "set-against-cancel", 1);
        await page.locator("#player-scrub").fill("4");
        await at(page, 4);
        await page.click("#player-play");
        await at(page, 6);
        await page.click("#player-play");
        equal(
            "address",
            new URL(page.url()).hash.startsWith("#trace=set-against-cancel&step="),
            true,
        );
    });
};
