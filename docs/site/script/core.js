/*
 * What all scripts of the site share: one name, `glasspool`, and how data gets in.
 *
 * A page that was opened from disk may not read files, but it may load scripts. So all data are
 * scripts that call a function: glasspool.source(path, lines), glasspool.trace(name, trace) and
 * so on. `receive` declares such a function; `load` adds the script and promises what it will
 * call in.
 */
"use strict";

const glasspool = {
    /* The path from this page to the top of the site: "", "../". */
    root: document.currentScript.dataset.root,
    arrived: new Map(),
};

/* glasspool[kind](name, data) keeps data; of a kind without names, glasspool[kind](data). */
glasspool.receive = (kind, named = true) => {
    glasspool[kind] = (...given) => {
        glasspool.arrived.set(named ? `${kind} ${given[0]}` : kind, given[given.length - 1]);
    };
};

/* A promise of what the script at this path calls in, as this kind and name. */
glasspool.load = (path, kind, name) => {
    const key = name === undefined ? kind : `${kind} ${name}`;
    if (glasspool.arrived.has(key)) {
        return Promise.resolve(glasspool.arrived.get(key));
    }
    return new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = glasspool.root + path;
        script.addEventListener("load", () => resolve(glasspool.arrived.get(key)));
        script.addEventListener("error", () => reject(new Error(`there is no ${path}`)));
        document.head.append(script);
    });
};

/* element("button", {class: "x", onclick: f}, "text", child, ...) */
glasspool.element = (name, attributes = {}, ...children) => {
    const svg = ["svg", "g", "line", "circle", "rect", "text", "path", "polygon", "title"];
    const element = svg.includes(name)
        ? document.createElementNS("http://www.w3.org/2000/svg", name)
        : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            element.addEventListener(key.slice(2), value);
        } else if (value !== null && value !== undefined && value !== false) {
            element.setAttribute(key, value === true ? "" : value);
        }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
};

glasspool.calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
glasspool.chinese = () => document.documentElement.lang.startsWith("zh");

/* say("moment", 7): the words of docs/site/words for this key, in the language of the page. */
glasspool.say = (key, ...values) => {
    const row = glasspool.words[key];
    if (!row) {
        throw new Error(`there are no words for ${key}`);
    }
    const text = glasspool.chinese() ? row.zh : row.en;
    return text.replace(/\{(\d)\}/g, (_, number) => String(values[number]));
};

/* The same for so many of something. */
glasspool.count = (key, number, ...values) =>
    glasspool.say(number === 1 ? `${key}-1` : key, number, ...values);

/* A word of the explorer's, "deadlock", as readers call it; one that is not known as it is. */
glasspool.term = (word) => (glasspool.words[word] ? glasspool.say(word) : word);

/* told(row, "title"): what docs/site/traces or levels says, in the language of the page. */
glasspool.told = (row, key) => (glasspool.chinese() && row[`${key}.zh`]) || row[key];

/* The switch of languages leads to the same place of the same page: hash() says which. */
glasspool.keepPlace = (hash) => {
    const link = document.querySelector(".bar a[data-twin]");
    for (const event of ["pointerdown", "click"]) {
        link?.addEventListener(event, () => {
            link.hash = hash();
        });
    }
};
