import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whom does Condition.signal wake: anybody, or the one who has waited longest?
 *
 *     java docs/claims/SignalOrder.java [again]
 *
 * Eight threads begin to wait one after the other; then each signal is given when the one before
 * has woken somebody. With "again" the first of them is interrupted and waits anew, and so stands
 * last in line: what counts is who waits longest, not who came first.
 *
 * Exit status: 0 if they woke in the order in which they came.
 */
public final class SignalOrder {
    private SignalOrder() {}

    private static final int THREADS = 8;
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Condition signalled = lock.newCondition();
    private static final List<Integer> woken = new ArrayList<>();
    private static int signals;
    private static int waiting;

    private static void await(int number) {
        lock.lock();
        try {
            while (true) {
                waiting++;
                try {
                    signalled.await();
                    break;
                } catch (InterruptedException interrupted) {
                    waiting--;
                }
            }
            woken.add(number);
        } finally {
            lock.unlock();
        }
    }

    private static int waiters() {
        lock.lock();
        try {
            return lock.getWaitQueueLength(signalled);
        } finally {
            lock.unlock();
        }
    }

    private static void signal() {
        lock.lock();
        try {
            signalled.signal();
            signals++;
        } finally {
            lock.unlock();
        }
    }

    private static boolean isAnswered() {
        lock.lock();
        try {
            return woken.size() == signals;
        } finally {
            lock.unlock();
        }
    }

    private static int waits() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        List<Integer> arrival = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> await(number));
            threads[i].start();
            arrival.add(number);
            while (waiters() < i + 1)
                Thread.yield();
        }
        if (arguments.length > 0) {
            threads[0].interrupt();
            while (threads[0].isInterrupted() || waiters() < THREADS || !isBackInLine(threads[0]))
                Thread.yield();
        }
        for (int i = 0; i < THREADS; i++) {
            signal();
            while (!isAnswered())
                Thread.yield();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("they came as " + arrival + " and woke as " + woken);
        System.exit(woken.equals(arrival) ? 0 : 1);
    }

    /** It has waited twice when its interrupt was taken. */
    private static boolean isBackInLine(Thread thread) {
        return thread.getState() == Thread.State.WAITING && waits() == THREADS;
    }
}
