import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/**
 * Which state has a FutureTask while its callable runs: NEW, or COMPLETING?
 *
 *     java docs/claims/FutureStates.java running|returned
 *
 * isDone is "anything but NEW", and cancel succeeds in NEW alone. So they tell the two apart, from
 * outside. With "returned" they are asked when the callable has returned.
 *
 * Exit status: 0 if it is NEW.
 */
public final class FutureStates {
    private FutureStates() {}

    public static void main(String[] arguments) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        FutureTask<Integer> task = new FutureTask<>(() -> {
            begun.countDown();
            asked.await();
            return 1;
        });
        Thread runner = new Thread(task);
        runner.start();
        begun.await();
        if (arguments[0].equals("returned")) {
            asked.countDown();
            runner.join();
        }
        boolean done = task.isDone();
        boolean cancelled = task.cancel(false);
        asked.countDown();
        runner.join();
        System.out.println("while it was " + arguments[0] + " it was " + (done ? "" : "not ")
                + "done and could " + (cancelled ? "" : "not ") + "be cancelled");
        System.exit(!done && cancelled ? 0 : 1);
    }
}
