/*
 * The search: over the sections of all pages, those of the reference among them, the invariants,
 * and the functions of the library.
 *
 * The index is a script that is loaded when the search is opened for the first time. A word of
 * the query has to be in the title or in the text; a title counts more, and a page of the
 * reader's own language more than others. That is a walk through a few hundred kilobytes: faster
 * than a key can be pressed, and it works for Chinese, which has no spaces between words.
 */
"use strict";

glasspool.receive("searchIndex", false);

glasspool.search = (() => {
    const most = 40;
    let entries = null;
    let dialog = null;
    let input = null;
    let list = null;

    /* The reference is for readers of both languages. */
    const isReadersOwn = (page) =>
        page.startsWith("reference/") || page.startsWith("zh/") === glasspool.chinese();

    /* "pool.h: the thread pool" is called pool.h. */
    const nameOf = (page, title) =>
        page.startsWith("reference/") ? title.replace(/:.*/, "") : title;

    const pageEntries = (sections) => {
        const titles = new Map(
            sections.filter((each) => !each[1]).map((each) => [each[0], each[2]]),
        );
        return sections.map(([page, id, title, text]) => ({
            title,
            of: id ? nameOf(page, titles.get(page)) : "",
            text,
            href: glasspool.root + page + (id ? `#${id}` : ""),
            weight: isReadersOwn(page) ? 2 : 0,
        }));
    };

    const sourceEntries = (index) => [
        ...index.invariants.map(([name, path, first, last, text]) => ({
            title: `[${name}]`,
            of: `${glasspool.say("invariant")}, ${path}`,
            text,
            href: `${glasspool.root}source.html#${path}:${first}-${last}`,
            weight: 1,
        })),
        ...index.functions.map(([name, path, line]) => ({
            title: name,
            of: `${glasspool.say("function")}, ${path}:${line}`,
            text: "",
            href: `${glasspool.root}source.html#${path}:${line}`,
            weight: 1,
        })),
    ];

    const load = async () => {
        if (!entries) {
            const sections = await glasspool.load("search.js", "searchIndex");
            const index = await glasspool.load("source/index.js", "sourceIndex");
            entries = [...pageEntries(sections), ...sourceEntries(index)];
        }
    };

    const score = (entry, wanted) => {
        const title = entry.title.toLowerCase();
        const text = entry.text.toLowerCase();
        let sum = entry.weight;
        for (const word of wanted) {
            if (title.split(", ").includes(word)) {
                sum += 40;
            } else if (title.startsWith(word)) {
                sum += 14;
            } else if (title.includes(word)) {
                sum += 9;
            } else if (text.includes(word)) {
                sum += 2;
            } else {
                return 0;
            }
        }
        return sum;
    };

    const find = (query) => {
        const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
        if (wanted.length === 0 || !entries) {
            return [];
        }
        return entries
            .map((entry) => ({entry, score: score(entry, wanted), wanted}))
            .filter((each) => each.score > 0)
            .sort((a, b) => b.score - a.score)
            .slice(0, most);
    };

    const excerpt = (text, wanted) => {
        const at = Math.max(0, text.toLowerCase().indexOf(wanted[0]));
        const from = at > 60 ? text.indexOf(" ", at - 50) + 1 || at - 50 : 0;
        const part = (from > 0 ? "… " : "") + text.slice(from, from + 220);
        const paragraph = glasspool.element("p");
        const pattern = wanted
            .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
            .join("|");
        for (const piece of part.split(new RegExp(`(${pattern})`, "i"))) {
            const hit = wanted.includes(piece.toLowerCase());
            paragraph.append(hit ? glasspool.element("mark", {}, piece) : piece);
        }
        return paragraph;
    };

    const show = () => {
        const found = find(input.value);
        const items = found.map(({entry, wanted}, index) =>
            glasspool.element(
                "li",
                {},
                glasspool.element(
                    "a",
                    {
                        href: entry.href,
                        "aria-selected": index === 0 ? "true" : null,
                        onclick: () => dialog.close(),
                    },
                    glasspool.element("b", {}, entry.title),
                    glasspool.element("span", {class: "of"}, entry.of),
                    entry.text ? excerpt(entry.text, wanted) : null,
                ),
            ),
        );
        if (items.length === 0 && input.value.trim()) {
            items.push(glasspool.element("li", {class: "none"}, glasspool.say("search-none")));
        }
        list.replaceChildren(...items);
    };

    const move = (by) => {
        const links = [...list.querySelectorAll("a")];
        const at = links.findIndex((link) => link.hasAttribute("aria-selected"));
        const to = links[Math.min(Math.max(at + by, 0), links.length - 1)];
        links[at]?.removeAttribute("aria-selected");
        to?.setAttribute("aria-selected", "true");
        to?.scrollIntoView({block: "nearest"});
    };

    const press = (event) => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            move(event.key === "ArrowDown" ? 1 : -1);
        } else if (event.key === "Enter") {
            event.preventDefault();
            list.querySelector("a[aria-selected]")?.click();
        }
    };

    const make = () => {
        input = glasspool.element("input", {
            type: "search",
            "aria-label": glasspool.say("search-label"),
            placeholder: glasspool.say("search-label"),
            autocomplete: "off",
            spellcheck: "false",
            oninput: show,
            onkeydown: press,
        });
        list = glasspool.element("ul", {class: "results", "aria-live": "polite"});
        dialog = glasspool.element(
            "dialog",
            {class: "search", "aria-label": glasspool.say("search-label")},
            glasspool.element("div", {class: "search-box"}, input),
            list,
        );
        dialog.addEventListener("click", (event) => {
            if (event.target === dialog) {
                dialog.close();
            }
        });
        document.body.append(dialog);
    };

    const open = async () => {
        if (!dialog) {
            make();
        }
        dialog.showModal();
        input.select();
        await load();
        show();
    };

    document.getElementById("find").addEventListener("click", open);
    return {open};
})();
