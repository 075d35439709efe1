/*
 * The keyboard: each key is a row of the table below, which is also what the help shows. A page
 * with a program of its own adds rows: glasspool.keys.add("ArrowRight", "one step", function).
 *
 * Keys do nothing while one types into a field or a dialog is open.
 */
"use strict";

glasspool.keys = (() => {
    const chinese = glasspool.chinese();
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
        const title = chinese ? "键盘" : "Keyboard";
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

    add("/", chinese ? "搜索" : "search", glasspool.search.open);
    if (document.querySelector("figure.snippet")) {
        add("n", chinese ? "下一段代码" : "next snippet", glasspool.follow.next);
        add("p", chinese ? "上一段代码" : "snippet before", glasspool.follow.previous);
    }
    add("]", chinese ? "下一页" : "next page", () => go("next"));
    add("[", chinese ? "上一页" : "page before", () => go("prev"));
    add("m", chinese ? "目录" : "contents", () => toggleMenu());
    add("t", chinese ? "深色或浅色" : "dark or light", glasspool.switchTheme);
    add("Escape", chinese ? "关闭" : "close what is open", leave, "Esc");
    add("?", chinese ? "本帮助" : "this list", help);

    addEventListener("keydown", (event) => {
        const typing = event.target.closest?.("input, textarea, select, dialog");
        if (typing || event.ctrlKey || event.metaKey || event.altKey) {
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
