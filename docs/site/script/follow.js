/*
 * Prose and source scroll together.
 *
 * There is a line across the window, at two fifths of its height, where one reads. The snippet
 * that is at that line, or was the last to pass it, is the active one: the pane shows its lines.
 * The pane moves only when another one becomes active, so that a reader who scrolls in it is left
 * alone.
 *
 * Also here: folding snippets, and the contents, in which the page is in view and the section
 * marked.
 */
"use strict";

glasspool.follow = (() => {
    const snippets = [...document.querySelectorAll("figure.snippet")];
    const nav = document.getElementById("nav");
    const headings = [...document.querySelectorAll("article h2[id]")];
    let active = null;
    let waiting = false;

    const place = (figure) => ({
        path: figure.dataset.path,
        first: Number(figure.dataset.first),
        last: Number(figure.dataset.last),
    });

    const activate = (figure) => {
        if (active === figure) {
            return;
        }
        active?.classList.remove("active");
        active = figure;
        active.classList.add("active");
        glasspool.pane.show(place(figure));
    };

    const atLine = (elements, line) => {
        let found = null;
        for (const element of elements) {
            if (element.getBoundingClientRect().top > line) {
                break;
            }
            found = element;
        }
        return found;
    };

    /* Near the end of the page the line moves down, so that the last snippets are reached, too. */
    const readingLine = () => {
        const left = document.documentElement.scrollHeight - innerHeight - scrollY;
        return (
            innerHeight *
            (left < innerHeight * 0.5 ? 0.9 - 0.5 * (left / (innerHeight * 0.5)) : 0.4)
        );
    };

    const look = () => {
        waiting = false;
        const line = readingLine();
        if (snippets.length > 0) {
            activate(atLine(snippets, line) || snippets[0]);
        }
        const heading = atLine(headings, line);
        for (const link of document.querySelectorAll("#nav .sections a")) {
            const hash = decodeURIComponent(link.hash);
            link.classList.toggle("here", heading && hash === `#${heading.id}`);
        }
    };

    const lookSoon = () => {
        if (!waiting) {
            waiting = true;
            requestAnimationFrame(look);
        }
    };

    const step = (by) => {
        const to = snippets[snippets.indexOf(active) + by];
        if (to) {
            const top = to.getBoundingClientRect().top + scrollY - innerHeight * 0.35;
            scrollTo({top, behavior: glasspool.calm() ? "instant" : "smooth"});
            to.querySelector("a.where").focus({preventScroll: true});
        }
    };

    const addFold = (figure) => {
        const texts = [glasspool.say("show-here"), glasspool.say("fold")];
        const button = glasspool.element(
            "button",
            {
                type: "button",
                class: "fold",
                "aria-expanded": "false",
                onclick: () => {
                    const open = figure.classList.toggle("open");
                    button.textContent = texts[open ? 1 : 0];
                    button.setAttribute("aria-expanded", String(open));
                },
            },
            texts[0],
        );
        figure.querySelector("figcaption").append(button);
    };

    for (const figure of snippets.filter((each) => each.classList.contains("long"))) {
        addFold(figure);
    }
    for (const pre of document.querySelectorAll(".snippet pre")) {
        pre.tabIndex = 0;
    }
    if (snippets.length > 0 && !glasspool.pane.isDrawer()) {
        document.body.classList.add("has-source");
    }
    if (snippets.length > 0) {
        /* Both editions have the same snippets. */
        glasspool.keepPlace(() => (scrollY > innerHeight / 2 ? active.id : ""));
    }
    const here = nav.querySelector("[aria-current]");
    if (here && here.offsetTop > nav.clientHeight / 2) {
        nav.scrollTop = here.offsetTop - nav.clientHeight / 3;
    }
    addEventListener("scroll", lookSoon, {passive: true});
    addEventListener("resize", () => {
        if (snippets.length > 0 && !glasspool.pane.isDrawer()) {
            document.body.classList.add("has-source");
        }
        lookSoon();
    });
    look();
    return {next: () => step(1), previous: () => step(-1), active: () => active};
})();
