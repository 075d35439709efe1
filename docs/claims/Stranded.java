import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * JDK-8358601: a task that is scheduled while its pool shuts down may be accepted and then neither
 * run nor cancelled, so that get never returns.
 *
 *     java docs/claims/Stranded.java [busy]
 *
 * The pool has no worker yet. Somebody who is about to say that it has ended, in tryTerminate, has
 * found the queue empty and nobody at work. Another puts a task into the queue, looks at the state,
 * which is SHUTDOWN still and so allows the task, and goes to start a worker; by then the pool has
 * ended, no worker is to be had, and nobody hears of it.
 *
 * Nothing is left to chance. The JDK calls three methods on these ways that may be overridden, and
 * each of them waits for the others:
 *
 *   schedule              shutdown                       purge
 *   isShutdown: no
 *                         takes the main lock, SHUTDOWN
 *                         getContinue...Policy
 *                                                        tryTerminate: the queue is empty, nobody
 *                                                        is at work; waits for the main lock
 *   adds the task
 *   it may run: isPeriodic
 *                         the queue has a task: leaves
 *                         the pool as it is, and the lock
 *                                                        takes the lock; the pool has ended
 *   no worker may start
 *
 * Shutdown and schedule alone get there too, if seldom: `make bench-peers WORK=race PEER=jdk`. With
 * "busy" the pool has a worker that runs another task all the while, and keeps it from ending: then
 * none is stranded.
 *
 * Exit status: 0 if the task was stranded.
 */
public final class Stranded {
    private Stranded() {}

    private static final int PATIENCE = 5; // seconds; a JDK that is mended may go another way

    private static void await(CountDownLatch latch) {
        try {
            latch.await(PATIENCE, TimeUnit.SECONDS);
        } catch (InterruptedException nobodyInterrupts) {
            throw new AssertionError(nobodyInterrupts);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(PATIENCE));
        } catch (InterruptedException nobodyInterrupts) {
            throw new AssertionError(nobodyInterrupts);
        }
    }

    private static final class Pool extends ScheduledThreadPoolExecutor {
        private final Thread scheduler = Thread.currentThread();
        private final Thread ender = new Thread(this::shutdown);
        private final Thread purger = new Thread(this::purge);
        private final CountDownLatch shuttingDown = new CountDownLatch(1);
        private final CountDownLatch added = new CountDownLatch(1);
        private boolean racing; // the scheduler's

        Pool() {
            super(1);
        }

        private boolean isRacing() {
            return Thread.currentThread() == scheduler && racing;
        }

        Future<?> race() {
            racing = true;
            return schedule(() -> {}, 0, TimeUnit.NANOSECONDS);
        }

        @Override
        public boolean isShutdown() {
            boolean answer = super.isShutdown();
            if (isRacing() && ender.getState() == Thread.State.NEW) {
                ender.start();
                await(shuttingDown);
                purger.start();
                while (purger.isAlive() && purger.getState() != Thread.State.WAITING)
                    Thread.onSpinWait();
            }
            return answer;
        }

        @Override
        public boolean getContinueExistingPeriodicTasksAfterShutdownPolicy() {
            if (Thread.currentThread() == ender) {
                shuttingDown.countDown();
                await(added);
            }
            return super.getContinueExistingPeriodicTasksAfterShutdownPolicy();
        }

        private void holdForPurger() {
            if (isRacing()) {
                added.countDown();
                join(purger);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        protected <V> RunnableScheduledFuture<V> decorateTask(Runnable command,
                RunnableScheduledFuture<V> task) {
            Class<?>[] types = {RunnableScheduledFuture.class};
            return (RunnableScheduledFuture<V>) Proxy.newProxyInstance(
                    Stranded.class.getClassLoader(), types, (proxy, method, arguments) -> {
                        if (method.getName().equals("isPeriodic"))
                            holdForPurger();
                        return method.invoke(task, arguments);
                    });
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Pool pool = new Pool();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch raced = new CountDownLatch(1);
        if (arguments.length > 0) {
            pool.execute(() -> {
                begun.countDown();
                await(raced);
            });
            await(begun);
        }
        Future<?> future = pool.race();
        raced.countDown();
        pool.awaitTermination(PATIENCE, TimeUnit.SECONDS);
        boolean stranded = pool.isTerminated() && !future.isDone();
        System.out.println("JDK " + System.getProperty("java.version") + ": the pool has "
                + (pool.isTerminated() ? "" : "not ") + "ended, "
                + pool.getQueue().size() + " in its queue, and the task is "
                + (future.isDone() ? "done" : "not done"));
        System.exit(stranded ? 0 : 1);
    }
}
