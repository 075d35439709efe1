/*
 * The filter of the report (html.c puts this into the page).
 *
 * A scenario is shown if it fits all four fields; a family, if it has a scenario that is shown. A
 * link to a scenario that is hidden at the moment clears the filter. On paper all notes are open.
 */
"use strict";

(function () {
    const form = document.querySelector(".filter");
    const field = form.elements;
    const scenarios = [...document.querySelectorAll("article")].map(function (article) {
        return {
            article: article,
            family: article.id.split("/")[0],
            seen: article.dataset.seen.split(" "),
            failed: article.classList.contains("failed"),
            text: (article.id + " " + article.textContent).toLowerCase(),
        };
    });

    function fits(scenario) {
        const words = field.text.value.toLowerCase().split(/\s+/);

        return (!field.failed.checked || scenario.failed) &&
            (!field.family.value || scenario.family === field.family.value) &&
            (!field.grade.value || scenario.seen.includes(field.grade.value)) &&
            words.every((word) => scenario.text.includes(word));
    }

    function apply() {
        let shown = 0;

        for (const scenario of scenarios) {
            scenario.article.hidden = !fits(scenario);
            shown += !scenario.article.hidden;
        }
        for (const family of document.querySelectorAll(".family"))
            family.hidden = !family.querySelector("article:not([hidden])");
        form.querySelector("output").value = shown + " of " + scenarios.length + " shown";
    }

    function showTarget() {
        const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));

        if (target && target.hidden) {
            form.reset();
            apply();
            target.scrollIntoView();
        }
    }

    function searchKey(event) {
        if (event.key !== "/" || event.target.matches("input, select"))
            return;
        event.preventDefault();
        field.text.focus();
    }

    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("reset", () => setTimeout(apply));
    form.addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("keydown", searchKey);
    window.addEventListener("hashchange", showTarget);
    window.addEventListener("beforeprint", function () {
        document.querySelectorAll("details").forEach((details) => (details.open = true));
    });
    apply();
})();
