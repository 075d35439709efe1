/*
 * The two editions. A page and its twin lead to each other, and to the same place; they have the
 * same executions on them. Each page of a walkthrough says which execution shows what it explains,
 * and which bug breaks it. In the Chinese one everything that is said is Chinese, but for names and
 * for what the explorer has printed. What there is in English only is marked there.
 *
 * Also here: docs/site/words has just the words that are used.
 */
import {existsSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {called, ensure, equal, files, openFilled, toSnippet} from "./common.mjs";

const chinese = /[\u4e00-\u9fff]/;

const watched = (site, path) =>
    [...readFileSync(join(site, path), "utf8").matchAll(/class="watch" data-trace="([^"]*)"/g)].map(
        (match) => match[1],
    );

/* The texts of elements that are there and visible. */
const texts = (page, selector) =>
    page.evaluate(
        (wanted) =>
            [...document.querySelectorAll(wanted)]
                .filter((each) => each.checkVisibility())
                .map((each) => each.getAttribute("aria-label") || each.textContent.trim())
                .filter(Boolean),
        selector,
    );

const ensureChinese = async (page, selector) => {
    const said = await texts(page, selector);
    ensure(`there is no ${selector}`, said.length > 0);
    equal(
        `not in Chinese: ${selector}`,
        said.filter((text) => /[a-z]{2}/i.test(text) && !chinese.test(text)),
        [],
    );
};

/* The keys of docs/site/words. */
const wordKeys = () =>
    readFileSync("docs/site/words", "utf8")
        .split("\n")
        .filter((line) => line && !line.startsWith("#"))
        .map((line) => line.split(" | ")[0]);

/* All that asks for words: scripts, templates, the filter. */
const asking = () =>
    [...files("docs/site", ".js"), ...files("docs/site", ".html"), "page.lua"]
        .map((path) => readFileSync(join("docs/site", path), "utf8"))
        .join("\n");

const isAskedFor = (key, text) =>
    [`"${key}"`, `'${key}'`, `{${key}}`, `$say.${key}$`].some((each) => text.includes(each));

/* How executions end, and what kinds there are: the explorer's words, and those of the list. */
const terms = (site) => {
    const rows = [...called(site, "traces/index.js").traces, ...called(site, "levels/index.js")];
    return new Set(rows.flatMap((row) => [row.kind, row.mutant && row.verdict]).filter(Boolean));
};

export const editions = ({test, site, url}) => {
    const twins = files(site, ".html").filter((path) => existsSync(join(site, "zh", path)));

    test("there are pages in both languages", () => ensure("too few", twins.length > 28));

    for (const path of twins) {
        test(`${path} and its twin have the same executions`, () =>
            equal("executions", watched(site, `zh/${path}`), watched(site, path)));
        test(`${path} and its twin lead to each other`, async (page) => {
            await page.goto(url(path));
            await page.click(".bar a[data-twin]");
            await page.waitForSelector('html[lang="zh-Hans"] h1');
            equal("there", page.url().replace(/#.*/, ""), url(`zh/${path}`));
            await page.click(".bar a[data-twin]");
            await page.waitForSelector('html[lang="en"] h1');
            equal("and back", page.url().replace(/#.*/, ""), url(path));
        });
    }

    for (const path of files(site, ".html").filter((each) => /^(zh\/)?00\d-/.test(each))) {
        test(`${path} says what to watch and how to break it`, () => {
            const html = readFileSync(join(site, path), "utf8");
            ensure("no execution", /watch\.html#trace=/.test(html));
            ensure("no bug", /make break MUTANT=/.test(html));
        });
    }

    test("the switch of languages keeps the snippet that is read", async (page) => {
        await openFilled(page, url("002-scheduling/delayed.html"));
        await toSnippet(page, 6);
        await page.waitForSelector("#snippet-7.active");
        /* The browser's own click; that of the test's tools scrolls first. */
        await page.evaluate(() => document.querySelector(".bar a[data-twin]").click());
        await page.waitForSelector('html[lang="zh-Hans"] #snippet-7.active');
    });

    test("the switch of languages keeps execution and step", async (page) => {
        await page.goto(url("watch.html#trace=heap-removal&step=40"));
        await page.waitForSelector('body[data-trace="heap-removal"]');
        await page.click("#player-forward");
        await page.click(".bar a[data-twin]");
        await page.waitForSelector('html[lang="zh-Hans"] body[data-trace="heap-removal"]');
        equal("step", await page.inputValue("#player-scrub"), "41");
        await page.click(".bar a[data-twin]");
        await page.waitForSelector('html[lang="en"] body[data-trace="heap-removal"]');
        equal("and back", await page.inputValue("#player-scrub"), "41");
    });

    test("the switch of languages keeps the level", async (page) => {
        await page.goto(url("zh/schedule.html#level=stale-slot"));
        await page.waitForSelector('body[data-level="stale-slot"]');
        await page.click(".bar a[data-twin]");
        await page.waitForSelector('html[lang="en"] body[data-level="stale-slot"]');
    });

    test("what is in English only is marked, and said to be", async (page) => {
        await page.goto(url("zh/index.html"));
        const link = page.locator('article a[href="../museum.html"]').first();
        equal("language", await link.getAttribute("hreflang"), "en");
        const mark = await link.evaluate((each) => each.nextElementSibling?.className);
        equal("mark", mark, "in-english");
    });

    for (const {trace, moments} of called(site, "traces/index.js").traces.map((row) =>
        called(site, `traces/${row.trace}.js`),
    )) {
        test(`trace ${trace} in Chinese`, async (page) => {
            await page.goto(url(`zh/watch.html#trace=${trace}&step=1`));
            await page.waitForSelector(`body[data-trace="${trace}"]`);
            await ensureChinese(page, "#player-title, #player-text, #player-time, #player-list a");
            await ensureChinese(page, ".transport button, .figure h3, #player-verdict");
            for (const moment of moments) {
                await page.locator(`.moment[data-step="${moment.step}"]`).first().click();
                await ensureChinese(page, "#player-caption");
            }
            if (await page.isVisible("#player-patch")) {
                await page.click("#player-patch summary");
                await ensureChinese(page, "#player-patch summary, #player-lesson");
            }
        });
    }

    for (const row of called(site, "levels/index.js")) {
        test(`level ${row.level} in Chinese`, async (page) => {
            await page.goto(url(`zh/schedule.html#level=${row.level}`));
            await page.waitForSelector(`body[data-level="${row.level}"][data-node="0"]`);
            await page.click("#game-ask");
            await ensureChinese(page, "#game-title, #game-text, #game-list a, #game-hint");
            await ensureChinese(page, ".game-buttons button, .board h3, #game-moves");
            while ((await page.getAttribute("body", "data-state")) === "open") {
                await page.click("#game-ask");
                await page.click("#game-ask");
                const name = /下一个：(.*)。$/.exec(await page.textContent("#game-hint"))[1];
                await page
                    .locator(".choice", {
                        has: page.locator("b", {
                            hasText: name === "时钟" ? "让时间过去" : name,
                        }),
                    })
                    .first()
                    .click();
            }
            await page.waitForSelector('body[data-state="won"]');
            await ensureChinese(page, "#game-end h3, #game-end h4, #game-mechanism, #game-lesson");
        });
    }

    test("the words are those that are used", () => {
        const keys = new Set(wordKeys());
        equal(
            "without words",
            [...terms(site)].filter((each) => !keys.has(each)),
            [],
        );
        const text = asking();
        const verdicts = readFileSync("harness/explore/names.c", "utf8");
        const unused = [...keys].filter(
            (key) =>
                !isAskedFor(key, text) &&
                !isAskedFor(key.replace(/-1$/, ""), text) &&
                !terms(site).has(key) &&
                !verdicts.includes(`"${key}"`),
        );
        equal("never said", unused, []);
    });
};
