import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * java.util.Timer: one thread for all tasks, so a slow one makes the others late.
 *
 *     java docs/claims/TimerSlow.java [apart]
 *
 * A task runs until another one has run, which is due meanwhile, but for a second at most. With
 * "apart" each has a timer of its own.
 *
 * Exit status: 0 if the other one did not run beside it.
 */
public final class TimerSlow {
    private TimerSlow() {}

    private static TimerTask task(Runnable run) {
        return new TimerTask() {
            @Override
            public void run() {
                run.run();
            }
        };
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            return false;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Timer timer = new Timer(true);
        Timer other = arguments.length > 0 ? new Timer(true) : timer;
        CountDownLatch ran = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        boolean[] beside = new boolean[1];
        timer.schedule(task(() -> {
            beside[0] = await(ran);
            ended.countDown();
        }), 0);
        other.schedule(task(ran::countDown), 10);
        ended.await();
        System.out.println("the other task " + (beside[0] ? "ran beside" : "waited for")
                + " the slow one");
        System.exit(beside[0] ? 1 : 0);
    }
}
