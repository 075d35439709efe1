import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * java.util.Timer: a task that throws takes all others along, those that wait and those to come.
 *
 *     java docs/claims/TimerFailure.java [caught]
 *
 * With "caught" the task catches its own exception, and all is well.
 *
 * Exit status: 0 if the others were lost.
 */
public final class TimerFailure {
    private TimerFailure() {}

    private static TimerTask task(Runnable run) {
        return new TimerTask() {
            @Override
            public void run() {
                run.run();
            }
        };
    }

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    private static void failAndCatch() {
        try {
            fail();
        } catch (IllegalStateException caught) {
            // as if nothing had happened
        }
    }

    private static boolean isUsable(Timer timer) {
        try {
            timer.schedule(task(() -> {}), 0);
            return true;
        } catch (IllegalStateException cancelled) {
            return false;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler((thread, exception) -> {});
        Timer timer = new Timer(true);
        CountDownLatch other = new CountDownLatch(1);
        timer.schedule(task(other::countDown), 100);
        timer.schedule(task(arguments.length > 0 ? TimerFailure::failAndCatch
                : TimerFailure::fail), 1);
        boolean ran = other.await(1, TimeUnit.SECONDS);
        boolean usable = isUsable(timer);
        System.out.println("after a failure the other task " + (ran ? "ran" : "did not run")
                + ", a new one was " + (usable ? "accepted" : "refused"));
        System.exit(!ran && !usable ? 0 : 1);
    }
}
