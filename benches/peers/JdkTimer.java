import java.util.Map;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * java.util.Timer: one thread, milliseconds. It cannot be asked how many tasks it holds, and what
 * is cancelled stays until it is due, or until purge() has looked at all of them: so nothing is
 * said of cancelling.
 */
final class JdkTimer {
    private JdkTimer() {}

    private static final SplittableRandom random = new SplittableRandom(1);
    private static final AtomicLong ran = new AtomicLong(); // by one thread

    private static TimerTask task() {
        return new TimerTask() {
            @Override
            public void run() {
                ran.lazySet(ran.get() + 1);
            }
        };
    }

    private static long await(long from, long count) throws InterruptedException {
        for (int i = 0; ran.get() - from < count && i < 100_000; i++)
            LockSupport.parkNanos(100_000);
        return ran.get() - from;
    }

    private static String scheduleZero(Map<String, Long> request) throws Exception {
        Timer timer = new Timer(true);
        long from = ran.get();
        long started = System.nanoTime();
        for (long i = 0; i < request.get("count"); i++)
            timer.schedule(task(), 0);
        long done = await(from, request.get("count"));
        long nanos = System.nanoTime() - started;
        timer.cancel();
        return "done=" + done + " nanos=" + nanos;
    }

    private static Timer kept;

    private static long done;

    private static long scheduleBatch(int count) {
        long[] delays = Contender.farDelays(random, count);
        TimerTask[] tasks = new TimerTask[count];
        long started = System.nanoTime();
        for (int i = 0; i < count; i++)
            kept.schedule(tasks[i] = task(), delays[i] / 1_000_000);
        long nanos = System.nanoTime() - started;
        for (TimerTask task : tasks)
            task.cancel();
        done += kept.purge();
        return nanos;
    }

    private static String schedule(Map<String, Long> request) {
        if (kept == null) {
            kept = new Timer(true);
            for (long i = 0; i < request.get("pending"); i++)
                kept.schedule(task(), Contender.farDelay(random) / 1_000_000);
        }
        done = 0;
        return Contender.batches(request, JdkTimer::scheduleBatch) + " done=" + done;
    }

    private static String bytes(Map<String, Long> request) throws Exception {
        int count = request.get("count").intValue();
        Timer timer = new Timer(true);
        TimerTask[] tasks = new TimerTask[count];
        long before = Contender.bytesInUse();
        for (int i = 0; i < count; i++)
            timer.schedule(tasks[i] = task(), Contender.farDelay(random) / 1_000_000);
        double bytes = Contender.bytesInUse() - before;
        for (TimerTask task : tasks)
            task.cancel();
        int done = timer.purge();
        timer.cancel();
        return "done=" + done + " bytes=" + bytes / count;
    }

    private static String lateness(Map<String, Long> request) throws Exception {
        int count = request.get("count").intValue();
        Timer timer = new Timer(true);
        long[] lateness = new long[count];
        long from = ran.get();
        long start = System.nanoTime() + 10_000_000;
        for (int i = 0; i < count; i++) {
            int index = i;
            long due = start + i * request.get("gap");
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    lateness[index] = System.nanoTime() - due;
                    ran.lazySet(ran.get() + 1);
                }
            }, Math.max(0, (due - System.nanoTime() + 999_999) / 1_000_000));
        }
        long done = await(from, count);
        timer.cancel();
        return Contender.lateness(lateness, done);
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Contender.Work> works = new TreeMap<>();
        works.put("schedule0", JdkTimer::scheduleZero);
        works.put("schedule", JdkTimer::schedule);
        works.put("bytes", JdkTimer::bytes);
        works.put("lateness", JdkTimer::lateness);
        Contender.contend(arguments, works);
    }
}
