import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What are the pools of Executors made of?
 *
 *     java docs/claims/Kinds.java fixed|cached|scheduled CORE MAXIMUM KEEP-ALIVE-MS QUEUE
 *
 * The sizes are asked for 3 threads, where one can be said.
 *
 * Exit status: 0 if it is made so.
 */
public final class Kinds {
    private Kinds() {}

    private static ThreadPoolExecutor made(String kind) {
        switch (kind) {
        case "fixed":
            return (ThreadPoolExecutor) Executors.newFixedThreadPool(3);
        case "cached":
            return (ThreadPoolExecutor) Executors.newCachedThreadPool();
        default:
            return (ThreadPoolExecutor) Executors.newScheduledThreadPool(3);
        }
    }

    public static void main(String[] arguments) {
        ThreadPoolExecutor pool = made(arguments[0]);
        String found = pool.getCorePoolSize() + " " + pool.getMaximumPoolSize() + " "
                + pool.getKeepAliveTime(TimeUnit.MILLISECONDS) + " "
                + pool.getQueue().getClass().getSimpleName();
        String wanted = String.join(" ", arguments).substring(arguments[0].length() + 1);
        System.out.println(arguments[0] + ": " + found);
        System.exit(found.equals(wanted) ? 0 : 1);
    }
}
