// What npm's cron-parser says: reads lines "expression TAB zone TAB seconds TAB next or prev" and
// prints for each the seconds of that match, the offset from UTC at the time that was given and at
// the match; or "never" when it gives up, or "refused" when it does not take the expression, both
// with the reason behind a tab.

const { CronExpressionParser } = require("cron-parser");
const { DateTime } = require("luxon");

function offset(millis, zone) {
    return Math.round(DateTime.fromMillis(millis, { zone }).offset * 60);
}

function answer(line) {
    const [text, zone, seconds, direction] = line.split("\t");
    const given = Number(seconds) * 1000;
    let expression;
    try {
        expression = CronExpressionParser.parse(text, { tz: zone, currentDate: new Date(given) });
    } catch (refused) {
        return "refused\t" + refused.message;
    }
    try {
        const match = (direction === "prev" ? expression.prev() : expression.next()).getTime();
        return [match / 1000, offset(given, zone), offset(match, zone)].join("\t");
    } catch (gaveUp) {
        return "never\t" + gaveUp.message;
    }
}

const lines = require("fs").readFileSync(0, "utf8").trimEnd().split("\n");
process.stdout.write(lines.map(answer).join("\n") + "\n");
