/*
 * Prose and source side by side, on a page of the delayed queue: what is lit is what the snippet
 * names and what the file in the repository has there. Then the drawer of a phone, search, keys,
 * and the switch between dark and light.
 */
import {readFileSync} from "node:fs";
import {called, ensure, equal, openFilled, toSnippet} from "./common.mjs";

const book = "002-scheduling/delayed.html";
const shown = (page) => page.getAttribute("#source", "data-shown");

const placeOf = (page, number) =>
    page.evaluate((n) => {
        const {path, first, last} = document.querySelectorAll("figure.snippet")[n].dataset;
        return `${path}:${first}-${last}`;
    }, number);

/* The lit lines: their texts, and whether the first is in view. */
const lit = (page) =>
    page.evaluate(() => {
        const rows = [...document.querySelectorAll("#source-text .lit")];
        const box = document.getElementById("source-text").getBoundingClientRect();
        const top = rows[0]?.getBoundingClientRect().top;
        return {
            texts: rows.map((row) => row.textContent.replace(/\n$/, "")),
            visible: top >= box.top - 1 && top < box.bottom,
        };
    });

export const source = ({test, site, url}) => {
    for (const number of [0, 3, 7]) {
        test(`the pane follows snippet ${number}`, async (page) => {
            await openFilled(page, url(book));
            await toSnippet(page, number);
            const place = await placeOf(page, number);
            await page.waitForSelector(`#source[data-shown="${place}"]`);
            const [, path, first, last] = /^(.*):(\d+)-(\d+)$/.exec(place);
            const wanted = readFileSync(path, "utf8")
                .split("\n")
                .slice(first - 1, last);
            const now = await lit(page);
            equal("lit", now.texts, wanted);
            ensure("the lit lines are not in view", now.visible);
        });
    }

    test("the pane follows back and forth", async (page) => {
        await openFilled(page, url(book));
        for (const number of [5, 1, 6]) {
            await toSnippet(page, number);
            await page.waitForSelector(`#source[data-shown="${await placeOf(page, number)}"]`);
        }
    });

    test("n and p walk from snippet to snippet", async (page) => {
        await openFilled(page, url(book));
        await page.waitForSelector("#source[data-shown]");
        const first = await shown(page);
        await page.keyboard.press("n");
        await page.waitForFunction(
            (before) => document.getElementById("source").dataset.shown !== before,
            first,
        );
        await page.keyboard.press("p");
        await page.waitForSelector(`#source[data-shown="${first}"]`);
    });

    test("an invariant leads to where it is stated", async (page) => {
        await page.goto(url(book));
        await page.click("article a.invariant");
        const name = await page.textContent("article a.invariant");
        await page.waitForFunction(
            (text) => document.querySelector("#source-text .lit")?.textContent.includes(text),
            name,
        );
    });

    test("a folded snippet opens", async (page) => {
        await page.goto(url(book));
        const code = page.locator("figure.snippet.long").first().locator("pre");
        ensure("it is open already", !(await code.isVisible()));
        await page.locator("figure.snippet.long .fold").first().click();
        ensure("it stays folded", await code.isVisible());
    });

    test(
        "on a phone the source is a drawer",
        async (page) => {
            await page.goto(url(book));
            ensure("it is open already", !(await page.isVisible("#source")));
            await page.locator("figure.snippet a.where").first().click();
            await page.waitForSelector("#source.open .lit");
            await page.keyboard.press("Escape");
            await page.waitForSelector("#source", {state: "hidden"});
        },
        {size: {width: 360, height: 740}},
    );

    test(
        "the contents open on a phone",
        async (page) => {
            await page.goto(url(book));
            await page.click("#menu");
            await page.waitForSelector("#nav.open a", {state: "visible"});
            await page.keyboard.press("Escape");
            await page.waitForSelector("#nav a", {state: "hidden"});
        },
        {size: {width: 360, height: 740}},
    );

    test("search finds an invariant, and Enter goes there", async (page) => {
        await page.goto(url("index.html"));
        await page.keyboard.press("/");
        await page.fill("dialog.search input", "[DELAYED-3]");
        await page.waitForSelector(".results a");
        equal("first", await page.textContent(".results b"), "[DELAYED-3]");
        await page.keyboard.press("Enter");
        await page.waitForSelector("#source .lit");
    });

    test("search keeps the cells of a table apart", async (page) => {
        const index = called(site, "search.js");
        for (const path of ["claims.html", "zh/002-scheduling/delayed.html"]) {
            await page.goto(url(path));
            const pairs = await page.evaluate(() =>
                [...document.querySelectorAll("article td + td")].map((cell) => [
                    cell.previousElementSibling.textContent,
                    cell.textContent,
                ]),
            );
            const told = pairs.filter(([one, other]) => one && other);
            const text = index
                .filter((section) => section[0] === path)
                .map((section) => section[3])
                .join(" ");
            ensure(`${path} has no tables`, told.length > 0);
            equal(
                `glued together in ${path}`,
                told.map((pair) => pair.join("")).filter((pair) => text.includes(pair)),
                [],
            );
        }
    });

    test("search finds a section, and says if there is none", async (page) => {
        await page.goto(url("index.html"));
        await page.click("#find");
        await page.fill("dialog.search input", "leader");
        await page.waitForSelector(".results a");
        ensure("too few", (await page.locator(".results a").count()) > 3);
        await page.fill("dialog.search input", "qqqqqq");
        await page.waitForSelector(".results .none");
    });

    test("dark and light", async (page) => {
        await page.goto(url("index.html"));
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const before = await paper();
        await page.click("#theme");
        const after = await paper();
        ensure("nothing has changed", before !== after);
        await page.goto(url(book));
        equal("on the next page", await paper(), after);
        await page.click("#theme");
        equal("and back", await paper(), before);
    });

    test("the keyboard's list", async (page) => {
        await page.goto(url(book));
        await page.keyboard.press("?");
        await page.waitForSelector("dialog.keys dt");
    });
};
