/*
 * Every page: loads without an error, fits a phone and a wide screen, has its landmarks, and
 * leads nowhere that is not there. Some of them, in both palettes, are given to axe, which knows
 * the rules of accessibility, contrast among them.
 */
import {existsSync, readFileSync} from "node:fs";
import {dirname, join, normalize} from "node:path";
import {ensure, equal, files, openFilled, overflow} from "./common.mjs";

const phone = {width: 360, height: 740};
const source = "#source[data-shown]"; /* of a page that shows one: the last to be filled in */

const look = async (page) => {
    const seen = await page.evaluate(() => ({
        headings: document.querySelectorAll("h1").length,
        landmarks: ["main", "nav", "header"].filter((each) => !document.querySelector(each)),
        images: [...document.querySelectorAll("img, svg")].filter(
            (each) =>
                !each.closest("[aria-hidden]") && !each.alt && !each.getAttribute("aria-label"),
        ).length,
        names: [...document.querySelectorAll("button")].filter(
            (each) => !each.textContent.trim() && !each.getAttribute("aria-label"),
        ).length,
        language: document.documentElement.lang,
    }));
    equal("headings of the first rank", seen.headings, 1);
    equal("missing landmarks", seen.landmarks, []);
    equal("pictures without words", seen.images, 0);
    equal("buttons without words", seen.names, 0);
    ensure("no language", seen.language);
};

const load = async (page, url) => {
    await page.goto(url);
    await page.waitForLoadState("load");
};

/* idsOf(file): its anchors; most are asked for by many pages */
const known = new Map();
const idsOf = (file) => {
    if (!known.has(file)) {
        const found = readFileSync(file, "utf8").matchAll(/\sid="([^"]*)"/g);
        known.set(file, new Set([...found].map((match) => match[1])));
    }
    return known.get(file);
};

/* Where the links of a page lead, without a browser. */
const brokenLinks = (site, path) => {
    const html = readFileSync(join(site, path), "utf8");
    const broken = [];
    for (const [, href] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        if (/^[a-z]+:/.test(href)) {
            continue;
        }
        const [file, anchor] = href.split("#");
        const target = file ? normalize(join(dirname(path), decodeURIComponent(file))) : path;
        if (file && target === "source.html" && anchor) {
            const shown = anchor.replace(/:[\d-]+$/, "");
            const isFile = existsSync(join(site, `source/${shown}.js`));
            if (!isFile && !existsSync(join(site, "source", shown))) {
                broken.push(href);
            }
        } else if (!existsSync(join(site, target))) {
            broken.push(href);
        } else if (
            anchor &&
            !/^(trace|level)=/.test(anchor) &&
            !idsOf(join(site, target)).has(decodeURIComponent(anchor))
        ) {
            broken.push(href);
        }
    }
    return broken;
};

export const pages = ({test, site, url, axe}) => {
    const all = files(site, ".html");
    test("there are pages", () => ensure("too few", all.length > 25));
    for (const path of all) {
        test(`${path} on a wide screen and on a phone`, async (page) => {
            await load(page, url(path));
            await look(page);
            equal("pixels too wide", await overflow(page), 0);
            await page.setViewportSize(phone);
            equal("pixels too wide on a phone", await overflow(page), 0);
        });
        test(`${path}: its links`, () => equal("broken links", brokenLinks(site, path), []));
    }
    for (const path of ["museum.html", "claims.html", "zh/claims.html"]) {
        test(
            `on a phone ${path} has cards for the rows of its tables`,
            async (page) => {
                await load(page, url(path));
                const seen = await page.evaluate(() => ({
                    tables: document.querySelectorAll(".cards table").length,
                    cut: [...document.querySelectorAll(".cards td")].filter(
                        (cell) => cell.getBoundingClientRect().right > innerWidth,
                    ).length,
                    unlabelled: [...document.querySelectorAll(".cards td")].filter(
                        (cell) => !cell.dataset.label,
                    ).length,
                }));
                ensure("there are no cards", seen.tables > 0);
                equal("cells off the screen", seen.cut, 0);
                equal("cells that do not say what they are", seen.unlabelled, 0);
            },
            {size: phone},
        );
    }
    for (const path of ["museum.html", "claims.html", "zh/claims.html"]) {
        test(`each table of ${path} can be seen whole`, async (page) => {
            await load(page, url(path));
            for (const width of [1600, 1280, 800]) {
                await page.setViewportSize({width, height: 800});
                const cut = await page.evaluate(() =>
                    [...document.querySelectorAll(".cards")].map(
                        (each) => each.scrollWidth - each.clientWidth,
                    ),
                );
                equal(`pixels cut at ${width}`, Math.max(...cut), 0);
            }
        });
    }
    for (const path of ["reference/index.html", "001-pool/pool.html", "zh/index.html"]) {
        test(
            `on a phone each table of ${path} can be seen whole`,
            async (page) => {
                await load(page, url(path));
                const cut = await page.evaluate(() =>
                    [...document.querySelectorAll(".some")].map(
                        (each) => each.scrollWidth - each.clientWidth,
                    ),
                );
                ensure("there are none", cut.length > 0);
                equal("pixels cut", Math.max(...cut), 0);
            },
            {size: phone},
        );
    }
    for (const theme of ["light", "dark"]) {
        for (const [path, last] of [
            ["index.html", "main"],
            ["002-scheduling/delayed.html", source],
            ["watch.html", source],
            ["schedule.html", source],
            ["source.html", ".source-browser a"],
            ["reference/index.html", "main"],
            ["reference/pool.html", "main"],
            ["zh/watch.html", source],
            ["zh/schedule.html", source],
            ["zh/001-pool/execute.html", source],
        ]) {
            test(
                `${path} is accessible, ${theme}`,
                async (page) => {
                    await openFilled(page, url(path));
                    await page.waitForSelector(last);
                    await page.evaluate(axe);
                    const found = await page.evaluate(async () =>
                        (await globalThis.axe.run({preload: false})).violations.map(
                            (each) =>
                                `${each.id}: ${each.nodes
                                    .slice(0, 3)
                                    .map((node) => node.target)
                                    .join(", ")}`,
                        ),
                    );
                    equal("violations", found, []);
                },
                {theme},
            );
        }
    }
};
