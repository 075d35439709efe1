import java.util.Arrays;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Are the tasks in the queue of a scheduled pool sorted by their delays?
 *
 *     java docs/claims/Sorted.java [COUNT]
 *
 * Schedules the first COUNT (10) of ten tasks, and looks at the queue's array. The first is the
 * earliest. The others are in the order of a heap, which is sorted by chance only, as with two.
 *
 * Exit status: 0 if the first is the earliest and the whole is not sorted.
 */
public final class Sorted {
    private Sorted() {}

    public static void main(String[] arguments) {
        int[] hours = {35, 28, 60, 25, 20, 50, 45, 30, 55, 10};
        int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : hours.length;
        ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(0);
        for (int i = 0; i < count; i++) {
            pool.schedule(() -> {}, hours[i], TimeUnit.HOURS);
        }
        long[] delays = Arrays.stream(pool.getQueue().toArray())
                .mapToLong(task -> (((Delayed) task).getDelay(TimeUnit.MINUTES) + 30) / 60)
                .toArray();
        pool.shutdownNow();
        long[] sorted = delays.clone();
        Arrays.sort(sorted);
        System.out.println("in the array: " + Arrays.toString(delays));
        System.exit(delays[0] == sorted[0] && !Arrays.equals(delays, sorted) ? 0 : 1);
    }
}
