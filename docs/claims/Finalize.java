import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Is a pool shut down when nobody refers to it any more?
 *
 *     java docs/claims/Finalize.java [shutdown]
 *
 * Up to JDK 10 finalize called shutdown; from 11 on it does nothing (JDK-8190324). The pool has no
 * workers, which would refer to it, and tells when it has ended. With "shutdown" it is shut down
 * first, and so ends in all versions.
 *
 * Exit status: 0 if it is as the version of the JDK lets one expect.
 */
public final class Finalize {
    private Finalize() {}

    private static final AtomicBoolean ended = new AtomicBoolean();

    private static final class Telling extends ThreadPoolExecutor {
        Telling() {
            super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        protected void terminated() {
            ended.set(true);
        }
    }

    private static void makeOne(boolean shutDown) {
        ThreadPoolExecutor pool = new Telling();
        if (shutDown)
            pool.shutdown();
    }

    public static void main(String[] arguments) throws InterruptedException {
        String version = System.getProperty("java.specification.version");
        boolean old = version.startsWith("1.") || Integer.parseInt(version) < 11;
        makeOne(arguments.length > 0);
        for (int i = 0; i < 10 && !ended.get(); i++) {
            System.gc();
            Thread.sleep(50);
        }
        System.out.println("JDK " + System.getProperty("java.version")
                + ": a pool that was dropped " + (ended.get() ? "has ended" : "was not shut down"));
        System.exit(ended.get() == old ? 0 : 1);
    }
}
