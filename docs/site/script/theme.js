/*
 * Dark or light. The system's wish holds until the switch is pressed; then that, on all pages.
 *
 * Runs before the page is drawn, so that it does not flash. A browser that keeps nothing for
 * pages from disk throws where it is asked; then the choice holds for this page.
 */
"use strict";

(() => {
    const kept = (value) => {
        try {
            if (value) {
                localStorage.setItem("glasspool-theme", value);
            }
            return localStorage.getItem("glasspool-theme");
        } catch {
            return null;
        }
    };
    const root = document.documentElement;
    const isDark = () =>
        root.dataset.theme
            ? root.dataset.theme === "dark"
            : matchMedia("(prefers-color-scheme: dark)").matches;

    const before = kept();
    if (before) {
        root.dataset.theme = before;
    }
    glasspool.switchTheme = () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        kept(root.dataset.theme);
    };
    document.addEventListener("DOMContentLoaded", () => {
        document.getElementById("theme").addEventListener("click", glasspool.switchTheme);
    });
})();
