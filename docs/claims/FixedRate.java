import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * At a fixed rate, with many workers: the third run takes longer than the period. When does the
 * fourth begin?
 *
 *     java docs/claims/FixedRate.java MILLISECONDS
 *
 * The period is 20 ms; MILLISECONDS is what the third run takes.
 *
 * Exit status: 0 if the fourth begins more than a period after the third: it was late, and waited.
 */
public final class FixedRate {
    private FixedRate() {}

    private static final int PERIOD = 20;

    private static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException interrupted) {
            // by shutdownNow
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(4);
        long[] begins = new long[4];
        int[] runs = new int[1]; // runs never overlap, and each sees the one before
        CountDownLatch four = new CountDownLatch(4);
        pool.scheduleAtFixedRate(() -> {
            int run = runs[0]++;
            if (run < begins.length)
                begins[run] = System.nanoTime();
            if (run == 2)
                sleep(Long.parseLong(arguments[0]));
            four.countDown();
        }, 0, PERIOD, TimeUnit.MILLISECONDS);
        four.await();
        pool.shutdownNow();
        long between = (begins[3] - begins[2]) / 1_000_000;
        System.out.println("the fourth run began " + between + " ms after the third");
        System.exit(between >= 3 * PERIOD ? 0 : 1);
    }
}
