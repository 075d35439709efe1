import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * JDK-8358601: a task that is scheduled while its pool shuts down may be accepted and then neither
 * run nor cancelled, so that get never returns.
 *
 *     java docs/claims/Stranded.java [prestarted]
 *
 * The pool has no worker yet. One thread shuts it down: it finds the queue empty and nobody at
 * work, and is about to say that the pool has ended. Another puts a task into the queue, looks at
 * the state, which is SHUTDOWN still and so allows the task, and goes to start a worker; by then
 * the pool has ended, no worker is to be had, and nobody hears of it.
 *
 * The two meet first, and then each goes on after a few turns more or less. The window is made
 * wider by one delay: the task, which the JDK asks whether it is periodic right after it has looked
 * at the state, takes its time to answer.
 *
 * Rounds are tried until a task is stranded, for four minutes at most: one minute was not always
 * enough. With "prestarted" the pool has a worker, which keeps it from ending while the queue has a
 * task: then no round strands one.
 *
 * Exit status: 0 if a task was stranded.
 */
public final class Stranded {
    private Stranded() {}

    private static final class Slow<V> implements RunnableScheduledFuture<V> {
        private final RunnableScheduledFuture<V> task;
        private final Pool pool;

        Slow(RunnableScheduledFuture<V> task, Pool pool) {
            this.task = task;
            this.pool = pool;
        }

        @Override
        public boolean isPeriodic() {
            for (int i = 0; i < 20_000 && pool.isBeingScheduled() && !pool.isTerminated(); i++)
                sink = i;
            return task.isPeriodic();
        }

        @Override
        public void run() {
            task.run();
        }

        @Override
        public boolean cancel(boolean interrupt) {
            return task.cancel(interrupt);
        }

        @Override
        public boolean isCancelled() {
            return task.isCancelled();
        }

        @Override
        public boolean isDone() {
            return task.isDone();
        }

        @Override
        public V get() throws InterruptedException, ExecutionException {
            return task.get();
        }

        @Override
        public V get(long timeout, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            return task.get(timeout, unit);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return task.getDelay(unit);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS),
                    other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    private static final class Pool extends ScheduledThreadPoolExecutor {
        private final Thread scheduler = Thread.currentThread();

        Pool() {
            super(1);
        }

        boolean isBeingScheduled() {
            return Thread.currentThread() == scheduler;
        }

        @Override
        protected <V> RunnableScheduledFuture<V> decorateTask(Runnable command,
                RunnableScheduledFuture<V> task) {
            return new Slow<>(task, this);
        }
    }

    private static volatile int sink;
    private static volatile Pool raced;
    private static final AtomicInteger arrived = new AtomicInteger();
    private static final AtomicInteger left = new AtomicInteger();

    private static void spin(int turns) {
        for (int i = 0; i < turns; i++)
            sink = i;
    }

    private static void await(AtomicInteger number, int wanted) {
        for (int i = 0; number.get() < wanted; i++)
            if (i > 10_000)
                Thread.yield();
    }

    private static void meet(int round) {
        arrived.incrementAndGet();
        await(arrived, 2 * round);
    }

    private static void shutDown() {
        for (int round = 1;; round++) {
            meet(round);
            spin(round % 17 * 20);
            raced.shutdown();
            left.incrementAndGet();
        }
    }

    private static boolean strands(int round, boolean prestarted) throws InterruptedException {
        Pool pool = new Pool();
        if (prestarted)
            pool.prestartCoreThread();
        raced = pool;
        Future<?> future = null;
        meet(round);
        spin(round % 101 * 8);
        try {
            future = pool.schedule(() -> {}, 0, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException refused) {
            // that is an answer
        }
        await(left, round);
        pool.awaitTermination(5, TimeUnit.SECONDS);
        return pool.isTerminated() && future != null && !future.isDone();
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean prestarted = arguments.length > 0;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(prestarted ? 3 : 240);
        Thread other = new Thread(Stranded::shutDown);
        other.setDaemon(true);
        other.start();
        int rounds = 0;
        boolean stranded = false;
        while (!stranded && System.nanoTime() < end)
            stranded = strands(++rounds, prestarted);
        System.out.println("JDK " + System.getProperty("java.version") + ": "
                + (stranded ? "a task was stranded" : "no task was stranded") + " in " + rounds
                + " rounds");
        System.exit(stranded ? 0 : 1);
    }
}
