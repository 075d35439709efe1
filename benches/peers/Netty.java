import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;

/** Netty's HashedWheelTimer, as it comes: ticks of 100 ms, 512 of them. */
final class Netty {
    private Netty() {}

    private static final SplittableRandom random = new SplittableRandom(1);
    private static final TimerTask nothing = timeout -> {};
    private static HashedWheelTimer kept;
    private static Timeout[] handles;
    private static long done;

    private static Timeout add(HashedWheelTimer timer, long delay) {
        return timer.newTimeout(nothing, delay, TimeUnit.NANOSECONDS);
    }

    private static void keep(Map<String, Long> request) {
        if (kept != null)
            return;
        kept = new HashedWheelTimer();
        handles = new Timeout[request.get("pending").intValue()];
        for (int i = 0; i < handles.length; i++)
            handles[i] = add(kept, Contender.farDelay(random));
    }

    private static long addBatch(int count) {
        long[] delays = Contender.farDelays(random, count);
        Timeout[] timeouts = new Timeout[count];
        long before = kept.pendingTimeouts();
        long started = System.nanoTime();
        for (int i = 0; i < count; i++)
            timeouts[i] = add(kept, delays[i]);
        long nanos = System.nanoTime() - started;
        done += kept.pendingTimeouts() - before;
        for (Timeout timeout : timeouts)
            timeout.cancel();
        awaitPending(before);
        return nanos;
    }

    /** The worker takes away what was cancelled, at its next ticks. */
    private static void awaitPending(long pending) {
        for (int i = 0; kept.pendingTimeouts() != pending && i < 3000; i++)
            LockSupport.parkNanos(1_000_000);
    }

    private static long cancelBatch(int count) {
        int first = handles.length - count;
        Contender.drawVictims(random, handles, count);
        long before = kept.pendingTimeouts();
        int cancelled = 0;
        long started = System.nanoTime();
        for (int i = first; i < handles.length; i++)
            cancelled += handles[i].cancel() ? 1 : 0;
        long nanos = System.nanoTime() - started;
        awaitPending(before - count);
        done += cancelled; // pendingTimeouts() is sometimes one off
        for (int i = first; i < handles.length; i++)
            handles[i] = add(kept, Contender.farDelay(random));
        return nanos;
    }

    private static String batches(Map<String, Long> request, IntToLongFunction batch) {
        keep(request);
        done = 0;
        return Contender.batches(request, batch) + " done=" + done;
    }

    private static String bytes(Map<String, Long> request) throws Exception {
        int count = request.get("count").intValue();
        HashedWheelTimer timer = new HashedWheelTimer();
        Timeout[] timeouts = new Timeout[count];
        timer.start();
        long before = Contender.bytesInUse();
        for (int i = 0; i < count; i++)
            timeouts[i] = add(timer, Contender.farDelay(random));
        double bytes = Contender.bytesInUse() - before;
        long done = timer.pendingTimeouts();
        boolean held = timeouts[0].cancel();
        timer.stop();
        return "done=" + (held ? done : 0) + " bytes=" + bytes / count;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Contender.Work> works = new TreeMap<>();
        works.put("wheel-add", request -> batches(request, Netty::addBatch));
        works.put("wheel-cancel", request -> batches(request, Netty::cancelBatch));
        works.put("wheel-bytes", Netty::bytes);
        Contender.contend(arguments, works);
    }
}
