/*
 * The source pane: a file with some of its lines lit.
 *
 * glasspool.pane.show({path, first, last}) loads the file, if it is another than the one shown,
 * and brings the lines into view: their first at a third of the height, or all of them in the
 * middle where they fit. On a narrow screen the pane is a drawer, and opens only when it is asked
 * to.
 *
 * Links to sources are those whose address has source.html# or, inside a listing, just #PATH:1-3.
 * They open in the pane. Without scripts, or from another page, source.html shows the same.
 */
"use strict";

glasspool.receive("source");
glasspool.receive("sourceIndex", false);

/* listing(lines): the element that shows them */
glasspool.listing = (lines) => {
    const pre = glasspool.element("pre", {class: "listing"});
    const rows = lines.map(
        (html, index) => `<span class="row" data-line="${index + 1}">${html}\n</span>`,
    );
    pre.innerHTML = rows.join("");
    return pre;
};

/* place("impl/a.c:3-7"): {path, first, last} */
glasspool.place = (text) => {
    const match = /^([^:]+)(?::(\d+)(?:-(\d+))?)?$/.exec(decodeURIComponent(text));
    return (
        match && {
            path: match[1],
            first: Number(match[2] || 0),
            last: Number(match[3] || match[2] || 0),
        }
    );
};

glasspool.pane = (() => {
    const aside = document.getElementById("source");
    const box = document.getElementById("source-text");
    const path = document.getElementById("source-path");
    const lines = document.getElementById("source-lines");
    let shown = null;
    let asked = null;

    const isDrawer = () => matchMedia("(max-width: 899px)").matches;

    const light = (first, last) => {
        for (const row of box.querySelectorAll(".lit, .wrong")) {
            row.classList.remove("lit", "wrong");
        }
        const rows = [...box.querySelectorAll(".row")].slice(first - 1, last);
        rows.forEach((row) => row.classList.add("lit"));
        return rows;
    };

    const reveal = (rows, smoothly) => {
        if (rows.length === 0) {
            box.scrollTop = 0;
            return;
        }
        const top = rows[0].offsetTop;
        const height = rows[rows.length - 1].offsetTop + rows[rows.length - 1].offsetHeight - top;
        const room = box.clientHeight;
        const above = height < room * 0.7 ? (room - height) / 2 : room * 0.12;
        box.scrollTo({
            top: Math.max(0, top - above),
            left: 0,
            behavior: smoothly && !glasspool.calm() ? "smooth" : "instant",
        });
    };

    const show = async (place) => {
        asked = place;
        const text = await glasspool.load(`source/${place.path}.js`, "source", place.path);
        if (asked !== place || !text) {
            return;
        }
        const same = shown === place.path;
        if (!same) {
            box.replaceChildren(glasspool.listing(text));
            shown = place.path;
        }
        aside.hidden = false;
        path.textContent = place.path;
        lines.textContent = place.first
            ? place.last > place.first
                ? `${place.first}–${place.last}`
                : `${place.first}`
            : "";
        const rows = place.first ? light(place.first, place.last) : light(1, 0);
        reveal(rows, same);
        aside.dataset.shown = `${place.path}:${place.first}-${place.last}`;
    };

    const open = (place) => {
        document.body.classList.add("has-source");
        aside.classList.add("open");
        return show(place);
    };

    const close = () => aside.classList.remove("open");

    document.getElementById("source-close").addEventListener("click", close);
    return {show, open, close, isDrawer, isOpen: () => aside.classList.contains("open")};
})();

/* Links to sources. */
document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) {
        return;
    }
    const href = link.getAttribute("href");
    const text = /(?:^|source\.html)#(.+)$/.exec(href);
    const isSource = href.includes("source.html#") || link.closest(".listing");
    const place = isSource && text && glasspool.place(text[1]);
    if (!place || document.getElementById("source-browser")) {
        return;
    }
    if (!/\.\w+(:|$)/.test(text[1])) {
        return;
    }
    event.preventDefault();
    document.body.classList.add("sided");
    glasspool.pane.open(place).catch(() => {
        location.href = link.href;
    });
});

/* source.html: the file that the address names, or the files below a folder. */
(() => {
    const box = document.getElementById("source-browser");
    if (!box) {
        return;
    }
    const heading = document.querySelector("article h1");

    const browse = async (folder) => {
        const index = await glasspool.load("source/index.js", "sourceIndex");
        const list = glasspool.element("ul");
        for (const path of index.paths) {
            if (folder === "" || path.startsWith(`${folder}/`)) {
                list.append(
                    glasspool.element("li", {}, glasspool.element("a", {href: `#${path}`}, path)),
                );
            }
        }
        heading.textContent = folder || glasspool.say("the-source");
        box.replaceChildren(list);
    };

    const showFile = async ({path, first, last}) => {
        const text = await glasspool.load(`source/${path}.js`, "source", path);
        heading.textContent = path;
        box.replaceChildren(glasspool.listing(text));
        const rows = [...box.querySelectorAll(".row")].slice(Math.max(first - 1, 0), last);
        rows.forEach((row) => row.classList.add("lit"));
        rows[0]?.scrollIntoView({block: "center", behavior: "instant"});
    };

    const follow = async () => {
        const place = glasspool.place(location.hash.slice(1) || "impl");
        if (!place) {
            return;
        }
        const index = await glasspool.load("source/index.js", "sourceIndex");
        const isFile = index.paths.includes(place.path) || place.path.startsWith("mutants/");
        await (isFile ? showFile(place) : browse(place.path));
    };
    addEventListener("hashchange", follow);
    follow();
})();
