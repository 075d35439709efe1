import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntToLongFunction;

/** java.util.concurrent: ThreadPoolExecutor and ScheduledThreadPoolExecutor. */
final class Jdk {
    private Jdk() {}

    private static final SplittableRandom random = new SplittableRandom(1);

    private static ThreadPoolExecutor pool(Map<String, Long> request, Contender.Tallies tallies) {
        int workers = request.get("workers").intValue();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(workers, workers, 0, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), tallies);
        pool.prestartAllCoreThreads();
        return pool;
    }

    private static ScheduledThreadPoolExecutor scheduled(Map<String, Long> request,
            Contender.Tallies tallies) {
        ScheduledThreadPoolExecutor pool =
                new ScheduledThreadPoolExecutor(request.get("workers").intValue(), tallies);
        pool.setRemoveOnCancelPolicy(true);
        pool.prestartAllCoreThreads();
        return pool;
    }

    private static void close(ThreadPoolExecutor pool) throws InterruptedException {
        pool.shutdownNow();
        pool.awaitTermination(10, TimeUnit.SECONDS);
    }

    private static String execute(Map<String, Long> request) throws Exception {
        Contender.Tallies tallies = new Contender.Tallies();
        ThreadPoolExecutor pool = pool(request, tallies);
        String answer = Contender.execute(request, tallies, count -> {
            for (long i = 0; i < count; i++)
                pool.execute(Contender.Counting::countRun);
        });
        close(pool);
        return answer;
    }

    private static String submit(Map<String, Long> request) throws Exception {
        Contender.Tallies tallies = new Contender.Tallies();
        ThreadPoolExecutor pool = pool(request, tallies);
        String answer = Contender.execute(request, tallies, count -> {
            for (long i = 0; i < count; i++)
                pool.submit(Contender.Counting::countRun).get();
        });
        close(pool);
        return answer;
    }

    private static String scheduleZero(Map<String, Long> request) throws Exception {
        Contender.Tallies tallies = new Contender.Tallies();
        ScheduledThreadPoolExecutor pool = scheduled(request, tallies);
        String answer = Contender.execute(request, tallies, count -> {
            for (long i = 0; i < count; i++)
                pool.schedule(Contender.Counting::countRun, 0, TimeUnit.NANOSECONDS);
        });
        close(pool);
        return answer;
    }

    // A pool that is kept, with tasks that are due in an hour or later.

    private static ScheduledThreadPoolExecutor kept;
    private static ScheduledFuture<?>[] handles;
    private static long done;

    private static ScheduledFuture<?> later(ScheduledThreadPoolExecutor pool, long delay) {
        return pool.schedule(Contender.Counting::countRun, delay, TimeUnit.NANOSECONDS);
    }

    private static ScheduledFuture<?>[] fill(ScheduledThreadPoolExecutor pool, int count) {
        ScheduledFuture<?>[] futures = new ScheduledFuture<?>[count];
        for (int i = 0; i < count; i++)
            futures[i] = later(pool, Contender.farDelay(random));
        return futures;
    }

    private static void keep(Map<String, Long> request) {
        if (kept != null)
            return;
        kept = scheduled(request, new Contender.Tallies());
        handles = fill(kept, request.get("pending").intValue());
    }

    private static long scheduleBatch(int count) {
        long[] delays = Contender.farDelays(random, count);
        ScheduledFuture<?>[] futures = new ScheduledFuture<?>[count];
        int before = kept.getQueue().size();
        long started = System.nanoTime();
        for (int i = 0; i < count; i++)
            futures[i] = later(kept, delays[i]);
        long nanos = System.nanoTime() - started;
        done += kept.getQueue().size() - before;
        for (ScheduledFuture<?> future : futures)
            future.cancel(false);
        return nanos;
    }

    private static long cancelBatch(int count) {
        int first = handles.length - count;
        Contender.drawVictims(random, handles, count);
        int before = kept.getQueue().size();
        long started = System.nanoTime();
        for (int i = first; i < handles.length; i++)
            handles[i].cancel(false);
        long nanos = System.nanoTime() - started;
        done += before - kept.getQueue().size();
        for (int i = first; i < handles.length; i++)
            handles[i] = later(kept, Contender.farDelay(random));
        return nanos;
    }

    private static String batches(Map<String, Long> request, IntToLongFunction batch) {
        keep(request);
        done = 0;
        return Contender.batches(request, batch) + " done=" + done;
    }

    private static String bytes(Map<String, Long> request) throws Exception {
        int count = request.get("count").intValue();
        ScheduledThreadPoolExecutor pool = scheduled(request, new Contender.Tallies());
        ScheduledFuture<?>[] futures = new ScheduledFuture<?>[count];
        long before = Contender.bytesInUse();
        for (int i = 0; i < count; i++)
            futures[i] = later(pool, Contender.farDelay(random));
        double bytes = Contender.bytesInUse() - before;
        int done = pool.getQueue().size();
        boolean held = futures[0].cancel(false); // the handles are in use up to here
        close(pool);
        return "done=" + (held ? done : 0) + " bytes=" + bytes / count;
    }

    private static String lateness(Map<String, Long> request) throws Exception {
        int count = request.get("count").intValue();
        Contender.Tallies tallies = new Contender.Tallies();
        ScheduledThreadPoolExecutor pool = scheduled(request, tallies);
        long[] lateness = new long[count];
        long start = System.nanoTime() + 10_000_000;
        for (int i = 0; i < count; i++) {
            int index = i;
            long due = start + i * request.get("gap");
            pool.schedule(() -> {
                lateness[index] = System.nanoTime() - due;
                Contender.Counting.countRun();
            }, due - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        long done = tallies.await(count);
        close(pool);
        return Contender.lateness(lateness, done);
    }

    // JDK-8358601.

    private static volatile ScheduledThreadPoolExecutor raced;

    /** Up to 256 turns that the compiler cannot leave out. */
    private static final class Spin {
        private volatile int turns;

        void some(SplittableRandom random) {
            for (turns = random.nextInt(256); turns > 0;)
                turns = turns - 1;
        }
    }

    private static void await(AtomicLong number, long wanted) {
        for (long turns = 0; number.get() < wanted; turns++)
            if (turns > 10_000)
                Thread.yield();
    }

    private static Future<?> scheduleRaced(ScheduledThreadPoolExecutor pool) {
        try {
            return pool.schedule(() -> {}, 0, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    private static String race(Map<String, Long> request) throws Exception {
        long count = request.get("count");
        AtomicLong arrived = new AtomicLong();
        AtomicLong left = new AtomicLong();
        Thread other = new Thread(() -> {
            SplittableRandom turns = new SplittableRandom(2);
            Spin spin = new Spin();
            for (long pair = 1; pair <= count; pair++) {
                arrived.incrementAndGet();
                await(arrived, 2 * pair);
                spin.some(turns);
                raced.shutdown();
                left.incrementAndGet();
            }
        });
        other.start();
        SplittableRandom turns = new SplittableRandom(3);
        Spin spin = new Spin();
        long stranded = 0;
        for (long pair = 1; pair <= count; pair++) {
            raced = new ScheduledThreadPoolExecutor(1);
            arrived.incrementAndGet();
            await(arrived, 2 * pair);
            spin.some(turns);
            Future<?> future = scheduleRaced(raced);
            await(left, pair);
            raced.awaitTermination(5, TimeUnit.SECONDS);
            if (future != null && !future.isDone())
                stranded++;
        }
        other.join();
        return "done=" + count + " stranded=" + stranded;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Contender.Work> works = new TreeMap<>();
        works.put("execute", Jdk::execute);
        works.put("submit", Jdk::submit);
        works.put("schedule0", Jdk::scheduleZero);
        works.put("schedule", request -> batches(request, Jdk::scheduleBatch));
        works.put("cancel", request -> batches(request, Jdk::cancelBatch));
        works.put("bytes", Jdk::bytes);
        works.put("lateness", Jdk::lateness);
        works.put("race", Jdk::race);
        Contender.contend(arguments, works);
    }
}
