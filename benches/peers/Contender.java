import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;

/**
 * What the contenders in Java share: contender.h and rounds.c once more. Protocol, payload, count
 * and clock are the same; the comments there hold here.
 */
final class Contender {
    private Contender() {}

    interface Work {
        String round(Map<String, Long> request) throws Exception;
    }

    interface Producer {
        void produce(long count) throws Exception;
    }

    /** A worker with its tally. */
    static final class Counting extends Thread {
        private static final VarHandle RUNS;
        private long p0, p1, p2, p3, p4, p5, p6; // a cache line of its own
        private volatile long runs; // written by its thread alone
        private long q0, q1, q2, q3, q4, q5, q6;

        static {
            try {
                RUNS = MethodHandles.lookup().findVarHandle(Counting.class, "runs", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        Counting(Runnable run) {
            super(run);
            setDaemon(true);
        }

        void count() {
            RUNS.setRelease(this, (long) RUNS.get(this) + 1);
        }

        static void countRun() {
            ((Counting) Thread.currentThread()).count();
        }
    }

    /** Makes the workers of one round, and adds up what they have run. */
    static final class Tallies implements ThreadFactory {
        private final List<Counting> threads = new ArrayList<>();

        @Override
        public synchronized Thread newThread(Runnable run) {
            Counting thread = new Counting(run);
            threads.add(thread);
            return thread;
        }

        synchronized long sum() {
            long sum = 0;
            for (Counting thread : threads)
                sum += (long) Counting.RUNS.getAcquire(thread);
            return sum;
        }

        long await(long count) {
            long seen = sum();
            long grown = System.nanoTime();
            while (seen < count && System.nanoTime() - grown < 3_000_000_000L) {
                LockSupport.parkNanos(100_000);
                long now = sum();
                if (now != seen)
                    grown = System.nanoTime();
                seen = now;
            }
            return seen;
        }
    }

    /** Between one hour ahead and two. */
    static long farDelay(SplittableRandom random) {
        return 3_600_000_000_000L + random.nextLong(3_600_000_000_000L);
    }

    static long[] farDelays(SplittableRandom random, int count) {
        long[] delays = new long[count];
        for (int i = 0; i < count; i++)
            delays[i] = farDelay(random);
        return delays;
    }

    /** Moves `count` of the handles, drawn at random, to the end. */
    static <T> void drawVictims(SplittableRandom random, T[] handles, int count) {
        for (int i = 0; i < count; i++) {
            int last = handles.length - 1 - i;
            int drawn = random.nextInt(last + 1);
            T handle = handles[drawn];
            handles[drawn] = handles[last];
            handles[last] = handle;
        }
    }

    /** Batches as in rounds.c; each gives its time. */
    static String batches(Map<String, Long> request, IntToLongFunction batch) {
        long most = request.get("pending") / 10 + 1;
        long nanos = 0;
        for (long left = request.get("count"); left > 0; left -= most)
            nanos += batch.applyAsLong((int) Math.min(most, left));
        return "nanos=" + nanos;
    }

    /** The producers, all at once, until what they have produced has run. */
    static String execute(Map<String, Long> request, Tallies tallies, Producer producer)
            throws Exception {
        int producers = request.get("producers").intValue();
        long count = request.get("count");
        CountDownLatch ready = new CountDownLatch(producers);
        CountDownLatch start = new CountDownLatch(1);
        Thread[] threads = new Thread[producers];
        boolean[] failed = new boolean[producers];
        for (int i = 0; i < producers; i++) {
            int index = i;
            long share = count / producers + (i < count % producers ? 1 : 0);
            threads[i] = new Thread(() -> {
                try {
                    ready.countDown();
                    start.await();
                    producer.produce(share);
                } catch (Exception e) {
                    failed[index] = true;
                }
            });
            threads[i].start();
        }
        ready.await();
        long started = System.nanoTime();
        start.countDown();
        for (Thread thread : threads)
            thread.join();
        long done = tallies.await(count);
        long nanos = System.nanoTime() - started;
        for (boolean each : failed)
            if (each)
                throw new IllegalStateException("a task was refused");
        return "done=" + done + " nanos=" + nanos;
    }

    static String lateness(long[] lateness, long done) {
        Arrays.sort(lateness);
        int last = lateness.length - 1;
        return "done=" + done + " p50=" + lateness[last / 2]
                + " p99=" + lateness[(int) (last * 99L / 100)]
                + " p999=" + lateness[(int) (last * 999L / 1000)];
    }

    /** What is in use when all garbage is gone. */
    static long bytesInUse() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Thread.sleep(20);
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private static Map<String, Long> parse(String[] words) {
        Map<String, Long> request = new TreeMap<>();
        request.putAll(Map.of("producers", 1L, "workers", 2L, "count", 1L, "pending", 0L,
                "gap", 500_000L));
        for (int i = 1; i < words.length; i++) {
            String[] parts = words[i].split("=");
            request.put(parts[0], Long.parseLong(parts[1]));
        }
        return request;
    }

    /** With -Dworks=NAME there is only this work. */
    static void contend(String[] arguments, Map<String, Work> works) throws IOException {
        String only = System.getProperty("works");
        if (only != null)
            works.keySet().retainAll(List.of(only));
        if (arguments.length > 0) {
            works.keySet().forEach(System.out::println);
            return;
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            String[] words = line.trim().split("\\s+");
            Work work = works.get(words[0]);
            try {
                System.out.println(work == null ? "error unknown work"
                        : words[0] + " " + work.round(parse(words)));
            } catch (Exception e) {
                System.out.println("error " + e);
            }
            System.out.flush();
        }
        System.exit(0);
    }
}
