import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * How long does a scheduled pool keep an idle worker beyond the core, if nobody says?
 *
 *     java docs/claims/KeepAlive.java [MILLISECONDS]
 *
 * 0 up to JDK 8, 10 ms from 9 on (JDK-8065320). With an argument it is set before it is looked at.
 *
 * Exit status: 0 if it is as the version of the JDK lets one expect.
 */
public final class KeepAlive {
    private KeepAlive() {}

    public static void main(String[] arguments) {
        boolean old = System.getProperty("java.specification.version").startsWith("1.");
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(0);
        if (arguments.length > 0)
            pool.setKeepAliveTime(Long.parseLong(arguments[0]), TimeUnit.MILLISECONDS);
        long nanos = pool.getKeepAliveTime(TimeUnit.NANOSECONDS);
        System.out.println("JDK " + System.getProperty("java.version") + ": " + nanos + " ns");
        System.exit(nanos == (old ? 0 : 10_000_000) ? 0 : 1);
    }
}
