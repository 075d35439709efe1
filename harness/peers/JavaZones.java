/*
 * What java.time knows of the zones: "version TAB tzdb's version", then per zone its offset at the
 * start of 1970 and at each of its transitions before 2100, as lines "zone TAB seconds TAB offset".
 */
import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.TreeSet;

final class JavaZones {
    private static final Instant END = Instant.parse("2100-01-01T00:00:00Z");

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new java.io.BufferedOutputStream(System.out));
        out.println("version\t" + ZoneRulesProvider.getVersions("UTC").lastEntry().getKey());
        for (String zone : new TreeSet<>(ZoneId.getAvailableZoneIds())) {
            if (!zone.startsWith("SystemV/")) {
                print(out, zone, ZoneId.of(zone).getRules());
            }
        }
        out.flush();
    }

    private static void print(PrintStream out, String zone, ZoneRules rules) {
        line(out, zone, 0, rules.getOffset(Instant.EPOCH).getTotalSeconds());
        ZoneOffsetTransition next = rules.nextTransition(Instant.EPOCH);
        while (next != null && next.getInstant().isBefore(END)) {
            line(out, zone, next.toEpochSecond(), next.getOffsetAfter().getTotalSeconds());
            next = rules.nextTransition(next.getInstant());
        }
    }

    private static void line(PrintStream out, String zone, long seconds, int offset) {
        out.println(zone + "\t" + seconds + "\t" + offset);
    }
}
