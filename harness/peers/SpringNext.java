/*
 * What Spring's CronSequenceGenerator says: reads lines "expression TAB zone TAB seconds since
 * 1970" and prints for each the seconds of the next match, the offset from UTC at the time that was
 * given and at the match; or "never" when it gives up, or "refused" when it does not take the
 * expression, both with the reason behind a tab.
 */
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Date;
import java.util.TimeZone;

import org.springframework.scheduling.support.CronSequenceGenerator;

final class SpringNext {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] columns = line.split("\t");
            out.println(answer(columns[0], TimeZone.getTimeZone(columns[1]),
                    Long.parseLong(columns[2])));
        }
        out.flush();
    }

    private static String answer(String expression, TimeZone zone, long seconds) {
        CronSequenceGenerator generator;
        try {
            generator = new CronSequenceGenerator(expression, zone);
        } catch (IllegalArgumentException refused) {
            return "refused\t" + refused.getMessage();
        }
        try {
            long match = generator.next(new Date(seconds * 1000)).getTime() / 1000;
            return match + "\t" + offset(zone, seconds) + "\t" + offset(zone, match);
        } catch (IllegalArgumentException gaveUp) {
            return "never\t" + gaveUp.getMessage();
        }
    }

    private static int offset(TimeZone zone, long seconds) {
        return zone.getOffset(seconds * 1000) / 1000;
    }
}
