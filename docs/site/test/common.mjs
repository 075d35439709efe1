/* What the tests share: files of the site, data as the pages get them, saying what was expected. */
import {readdirSync, readFileSync} from "node:fs";
import {join} from "node:path";

/* files(site, ending): paths from the top of the site */
export const files = (site, ending, below = "") =>
    readdirSync(join(site, below), {withFileTypes: true}).flatMap((entry) => {
        const path = join(below, entry.name);
        return entry.isDirectory()
            ? files(site, ending, path)
            : path.endsWith(ending)
              ? [path]
              : [];
    });

/* called(site, path): what a data script calls its function with, last */
export const called = (site, path) => {
    let given = null;
    const take = (...words) => {
        given = words[words.length - 1];
    };
    const glasspool = new Proxy({}, {get: () => take});
    new Function("glasspool", readFileSync(join(site, path), "utf8"))(glasspool);
    return given;
};

export const equal = (what, is, wanted) => {
    if (JSON.stringify(is) !== JSON.stringify(wanted)) {
        throw new Error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
    }
};

export const ensure = (what, holds) => {
    if (!holds) {
        throw new Error(what);
    }
};

/* overflow(page): by how many pixels the page is wider than the window */
export const overflow = (page) =>
    page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );

/* cutInLanes(page, id): how many pixels of the longest step are out of sight */
export const cutInLanes = (page, id) =>
    page.evaluate((name) => {
        const lanes = document.getElementById(name);
        return lanes.scrollWidth - lanes.clientWidth;
    }, id);

/* openFilled(page, address): a page grows while its cards are filled in */
export const openFilled = async (page, address) => {
    await page.goto(address);
    await page.waitForFunction(
        () => document.querySelectorAll(".watch:not([data-filled])").length === 0,
    );
};

/* toSnippet(page, number): just above the line where one reads, so that no other one is nearer */
export const toSnippet = (page, number) =>
    page.evaluate((n) => {
        const figure = document.querySelectorAll("figure.snippet")[n];
        const top = figure.getBoundingClientRect().top + scrollY - innerHeight * 0.4 + 3;
        window.scrollTo({top, behavior: "instant"});
    }, number);
