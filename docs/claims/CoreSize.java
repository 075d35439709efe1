import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * Can the core size of a scheduled pool be changed after it was made?
 *
 *     java docs/claims/CoreSize.java pool|single
 *
 * "pool": one of Executors.newScheduledThreadPool. "single": one of
 * newSingleThreadScheduledExecutor, which hides what could be changed.
 *
 * Exit status: 0 if it can.
 */
public final class CoreSize {
    private CoreSize() {}

    public static void main(String[] arguments) {
        ScheduledExecutorService service = arguments[0].equals("pool")
                ? Executors.newScheduledThreadPool(1)
                : Executors.newSingleThreadScheduledExecutor();
        int after = 1;
        if (service instanceof ScheduledThreadPoolExecutor) {
            ScheduledThreadPoolExecutor pool = (ScheduledThreadPoolExecutor) service;
            pool.setCorePoolSize(4);
            after = pool.prestartAllCoreThreads();
        }
        System.out.println("made with 1 worker, it has " + after);
        System.exit(after == 4 ? 0 : 1);
    }
}
