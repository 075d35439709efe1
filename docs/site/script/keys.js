/*
 * The keyboard: each key is a row of the table below, which is also what the help shows. A page
 * with a program of its own adds rows: glasspool.keys.add("ArrowRight", "one step", function).
 *
 * Keys do nothing while one types into a field or a dialog is open, and the space bar presses the
 * button that has the focus.
 */
"use strict";

glasspool.keys = (() => {
    const rows = [];
    let dialog = null;
    const menu = document.getElementById("menu");
    const nav = document.getElementById("nav");

    const add = (key, label, action, shown = key) => rows.push({key, label, action, shown});

    const toggleMenu = (open = !nav.classList.contains("open")) => {
        nav.classList.toggle("open", open);
        menu.setAttribute("aria-expanded", String(open));
        if (open) {
            nav.querySelector("a")?.focus();
        }
    };

    const go = (relation) => document.querySelector(`a[rel="${relation}"]`)?.click();

    const help = () => {
        dialog?.remove();
        const title = glasspool.say("keyboard");
        dialog = glasspool.element(
            "dialog",
            {class: "keys", "aria-label": title},
            glasspool.element("h2", {}, title),
            glasspool.element(
                "dl",
                {},
                ...rows.flatMap((row) => [
                    glasspool.element("dt", {}, glasspool.element("kbd", {}, row.shown)),
                    glasspool.element("dd", {}, row.label),
                ]),
            ),
        );
        dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
        document.body.append(dialog);
        dialog.showModal();
    };

    const leave = () => {
        if (nav.classList.contains("open")) {
            toggleMenu(false);
            menu.focus();
        } else {
            glasspool.pane.close();
        }
    };

    add("/", glasspool.say("key-search"), glasspool.search.open);
    if (document.querySelector("figure.snippet")) {
        add("n", glasspool.say("key-next-snippet"), glasspool.follow.next);
        add("p", glasspool.say("key-previous-snippet"), glasspool.follow.previous);
    }
    add("]", glasspool.say("key-next-page"), () => go("next"));
    add("[", glasspool.say("key-previous-page"), () => go("prev"));
    add("m", glasspool.say("key-contents"), () => toggleMenu());
    add("t", glasspool.say("key-theme"), glasspool.switchTheme);
    add("Escape", glasspool.say("key-close"), leave, "Esc");
    add("?", glasspool.say("key-help"), help);

    addEventListener("keydown", (event) => {
        const typing = event.target.closest?.("input, textarea, select, dialog");
        const pressing = event.key === " " && event.target.closest?.("button, summary");
        if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const row = rows.find((each) => each.key === event.key);
        if (row) {
            event.preventDefault();
            row.action(event);
        }
    });
    menu.addEventListener("click", () => toggleMenu());
    nav.addEventListener("click", (event) => {
        if (event.target.closest("a")) {
            toggleMenu(false);
        }
    });
    document.getElementById("help").addEventListener("click", help);
    return {add};
})();
