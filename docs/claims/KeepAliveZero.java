import java.lang.management.ManagementFactory;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Core size 0 and keep-alive 0: the worker that waits for a task burns its processor (JDK-8065320,
 * JDK-8129861).
 *
 *     java docs/claims/KeepAliveZero.java MILLISECONDS
 *
 * The worker may not leave, since a task is queued, and its wait is over at once: so it looks, and
 * looks, and looks. MILLISECONDS is the keep-alive: 0 shows it, 10, the default since JDK 9, does
 * not.
 *
 * Exit status: 0 if the worker used much of a second of waiting: more than 30 ms, since others may
 * want the processor, too.
 */
public final class KeepAliveZero {
    private KeepAliveZero() {}

    public static void main(String[] arguments) throws Exception {
        Thread[] worker = new Thread[1];
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(0, run -> {
            worker[0] = new Thread(run);
            worker[0].setDaemon(true);
            return worker[0];
        });
        pool.setKeepAliveTime(Long.parseLong(arguments[0]), TimeUnit.MILLISECONDS);
        pool.schedule(() -> {}, 1, TimeUnit.HOURS);
        Thread.sleep(1000);
        long cpu = ManagementFactory.getThreadMXBean().getThreadCpuTime(worker[0].getId());
        System.out.println("JDK " + System.getProperty("java.version")
                + ": in a second of waiting the worker used " + cpu / 1_000_000
                + " ms of a processor");
        System.exit(cpu > 30_000_000 ? 0 : 1);
    }
}
