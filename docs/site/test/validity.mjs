/* The HTML of every page, as tidy reads it: no error, and no warning but those about taste. */
import {spawnSync} from "node:child_process";
import {join} from "node:path";
import {equal, files} from "./common.mjs";

const taste = /trimming empty|proprietary attribute|not approved by W3C|lacks "summary"/;

export const validity = ({test, site}) => {
    for (const path of files(site, ".html")) {
        test(`${path} is valid`, () => {
            const {stderr} = spawnSync(
                "tidy",
                [
                    "-q",
                    "-e",
                    "-utf8",
                    "--gnu-emacs",
                    "no",
                    "--drop-empty-elements",
                    "no",
                    join(site, path),
                ],
                {encoding: "utf8"},
            );
            const found = stderr
                .split("\n")
                .filter((line) => /(Warning|Error):/.test(line) && !taste.test(line));
            equal("tidy", found.slice(0, 4), []);
        });
    }
};
