import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One command, submitted twice: do the two share a state?
 *
 *     java docs/claims/SharedState.java schedule|execute
 *
 * "schedule": schedule makes a task of its own each time. One is cancelled, the other runs.
 * "execute": the command is itself a FutureTask. Whatever is put around it, that is one
 * state, and the second run returns at once.
 *
 * Exit status: 0 if they share none.
 */
public final class SharedState {
    private SharedState() {}

    private static int runsOfTwoSchedules() throws Exception {
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
        AtomicInteger runs = new AtomicInteger();
        Runnable command = runs::incrementAndGet;
        ScheduledFuture<?> first = pool.schedule(command, 1, TimeUnit.HOURS);
        ScheduledFuture<?> second = pool.schedule(command, 0, TimeUnit.SECONDS);
        ScheduledFuture<?> third = pool.schedule(command, 0, TimeUnit.SECONDS);
        first.cancel(false);
        second.get();
        third.get();
        pool.shutdownNow();
        return runs.get();
    }

    private static int runsOfTwoExecutes() throws Exception {
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1);
        AtomicInteger runs = new AtomicInteger();
        FutureTask<Integer> task = new FutureTask<>(runs::incrementAndGet);
        pool.execute(task);
        pool.execute(task);
        pool.shutdown();
        pool.awaitTermination(10, TimeUnit.SECONDS);
        return runs.get();
    }

    public static void main(String[] arguments) throws Exception {
        int runs = arguments[0].equals("schedule") ? runsOfTwoSchedules() : runsOfTwoExecutes();
        System.out.println("submitted twice, it ran " + (runs == 2 ? "twice" : "once"));
        System.exit(runs == 2 ? 0 : 1);
    }
}
