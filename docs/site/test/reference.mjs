/*
 * The reference in the site: each name that docs/manual lists has its entry, the index leads to
 * every page, names in the prose lead to their entries, entries to the source, and the search knows
 * them.
 */
import {readFileSync} from "node:fs";
import {dirname, join, normalize} from "node:path";
import {ensure, equal, files} from "./common.mjs";

const prose = "002-scheduling/delayed.html";

const read = (site, path) => readFileSync(join(site, path), "utf8");
const idsOf = (html) => new Set([...html.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1]));

/* names(): [name, page, anchor] of all that the reference explains */
const names = () =>
    readFileSync("build/reference/names", "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split("\t"));

/* The links of class api of a page: {name, target}, by section. */
const apiLinks = (html, path) =>
    html.split(/<h[1-6]\s/).map((section) =>
        [
            ...section.matchAll(
                /<a\s+href="([^"]*)"\s+class="api"[^>]*>\s*<code>([^<]*)<\/code>/g,
            ),
        ].map(([, href, code]) => ({
            name: code.replace(/\(.*/, ""),
            target: normalize(join(dirname(path), href)),
        })),
    );

export const reference = ({test, site, url}) => {
    const all = names();
    const where = new Map(
        all.map(([name, page, anchor]) => [
            name,
            `reference/${page.replace(/\.md$/, ".html")}#${anchor}`,
        ]),
    );

    test("each name of the reference has its entry", () => {
        ensure("too few", all.length > 250);
        const ids = new Map();
        const lost = all.filter(([, page, anchor]) => {
            const html = `reference/${page.replace(/\.md$/, ".html")}`;
            ids.set(html, ids.get(html) || idsOf(read(site, html)));
            return !ids.get(html).has(anchor);
        });
        equal("without an entry", lost, []);
    });

    for (const index of ["index.html", "zh/index.html"]) {
        test(`${index} leads to all pages of the reference`, async (page) => {
            await page.goto(url(index));
            const linked = await page.evaluate(() =>
                [...document.querySelectorAll(".reference-list a")].map((link) =>
                    link.href.replace(/.*\/reference\//, "reference/"),
                ),
            );
            const there = files(site, ".html").filter((path) => path.startsWith("reference/"));
            equal("pages", linked.sort(), there.sort());
            await page.click('#nav a[href$="reference/index.html"]');
            await page.waitForSelector("h1");
            equal("title", await page.textContent("h1"), "Reference");
        });
    }

    test("names in the prose lead to their entries, once in a section", () => {
        let count = 0;
        for (const path of files(site, ".html")) {
            for (const section of apiLinks(read(site, path), path)) {
                for (const {name, target} of section) {
                    equal(`${path}: ${name}`, target, where.get(name));
                    count++;
                }
                const said = section.map((each) => each.name);
                equal(`${path}: said twice`, said.length, new Set(said).size);
            }
        }
        ensure(`only ${count}`, count > 500);
    });

    for (const path of [prose, `zh/${prose}`]) {
        test(`${path}: a name, its entry, its source`, async (page) => {
            await page.goto(url(path));
            const link = page.locator("article a.api").first();
            const name = (await link.textContent()).replace(/\(.*/, "");
            await link.click();
            await page.waitForSelector(".defined");
            const [, anchor] = where.get(name).split("#");
            equal("address", new URL(page.url()).hash, `#${anchor}`);
            const place = `:is(#${anchor}, p:has(#${anchor}) + h3) + .defined a`;
            await page.locator(place).first().click();
            await page.waitForFunction(
                (wanted) =>
                    document.querySelector("#source-text .lit")?.textContent.includes(wanted),
                name,
            );
        });
    }

    for (const start of ["index.html", "zh/index.html"]) {
        test(`from ${start} the search finds an entry`, async (page) => {
            await page.goto(url(start));
            await page.keyboard.press("/");
            await page.fill("dialog.search input", "gp_pool_free");
            await page.waitForSelector(".results a");
            const first = await page.getAttribute(".results a", "href");
            ensure(`first is ${first}`, first.endsWith(where.get("gp_pool_free")));
        });
    }
};
