/*
 * The tests of the site, one file for each thing that it can do; this one runs them.
 *
 *     node docs/site/test/all.mjs SITE STAGE
 *
 * A test is a function that throws. If it takes a page it gets one of its own, and fails as well if
 * that has logged an error, thrown one, or asked for anything that is not a file. There is a
 * browser for each core, up to four, with what it remembers of its own; each takes the next test
 * when it is done with one.
 */
import {createRequire} from "node:module";
import {mkdtempSync, rmSync} from "node:fs";
import {availableParallelism, tmpdir} from "node:os";
import {join, resolve} from "node:path";
import {editions} from "./editions.mjs";
import {pages} from "./pages.mjs";
import {reference} from "./reference.mjs";
import {source} from "./source.mjs";
import {player} from "./player.mjs";
import {scheduler} from "./scheduler.mjs";
import {validity} from "./validity.mjs";

const site = resolve(process.argv[2]);
const stage = resolve(process.argv[3]);
const require = createRequire(join(stage, "here.js"));
const {chromium} = require("playwright-core");
const axe = require("axe-core").source;
const limit = 20000; /* milliseconds of one test */
const most = 4; /* browsers */

const tests = [];
const test = (name, body, options = {}) => tests.push({name, body, options});
const site_url = (path) => `file://${site}/${path}`;
const tools = {test, site, axe, url: site_url};

await pages(tools);
await source(tools);
await player(tools);
await scheduler(tools);
await reference(tools);
await editions(tools);
await validity(tools);

const open = (directory) =>
    chromium.launchPersistentContext(directory, {
        executablePath: "/usr/bin/chromium",
        headless: true,
        args: [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ],
    });

/* What a page should not do. */
const watch = (page, wrong) => {
    page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
            wrong.push(`console: ${message.text()}`);
        }
    });
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("requestfailed", (request) => {
        const why = request.failure().errorText;
        /* A page that is left while it loads a script gives that up. */
        if (why !== "net::ERR_ABORTED") {
            wrong.push(`not there: ${request.url()}, ${why}`);
        }
    });
    page.on("request", (request) => {
        if (!/^(file|data):/.test(request.url())) {
            wrong.push(`asked the network: ${request.url()}`);
        }
    });
};

const told = (error) => error.message.split("\n").slice(0, 6).join(" / ");

const runWithout = (body) => {
    try {
        body();
        return [];
    } catch (error) {
        return [told(error)];
    }
};

const runOn = async (context, {body, options}) => {
    const page = await context.newPage();
    const wrong = [];
    watch(page, wrong);
    await page.setViewportSize(options.size || {width: 1600, height: 1000});
    await page.emulateMedia({colorScheme: options.theme || "light", reducedMotion: "reduce"});
    page.setDefaultTimeout(limit / 2);
    try {
        await Promise.race([
            body(page),
            new Promise((_, reject) => {
                setTimeout(() => reject(new Error("took too long")), limit).unref();
            }),
        ]);
        return wrong;
    } catch (error) {
        return [told(error), ...wrong];
    } finally {
        await page.close();
    }
};

const only = process.env.TEST;
const chosen = tests.filter(({name}) => !only || name.includes(only));
let passed = 0;
let failed = 0;

const report = ({name}, wrong) => {
    if (wrong.length === 0) {
        passed++;
    } else {
        failed++;
        console.log(`FAILED  ${name}\n        ${[...new Set(wrong)].join("\n        ")}`);
    }
};

const browse = async () => {
    const directory = mkdtempSync(join(tmpdir(), "glasspool-site-"));
    const context = await open(directory);
    for (let each = chosen.shift(); each; each = chosen.shift()) {
        report(each, each.body.length ? await runOn(context, each) : runWithout(each.body));
    }
    await context.close();
    rmSync(directory, {recursive: true, force: true});
};

const browsers = Math.min(availableParallelism(), most, chosen.length);
await Promise.all(Array.from({length: browsers}, browse));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
