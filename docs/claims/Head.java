import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * Has a DelayQueue a head while nothing in it is due?
 *
 *     java docs/claims/Head.java MILLISECONDS
 *
 * One element, due after so long. poll does not give it out, but peek shows it.
 *
 * Exit status: 0 if it has a head that cannot be taken.
 */
public final class Head {
    private Head() {}

    private static final class Element implements Delayed {
        private final long time;

        Element(long milliseconds) {
            time = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(time - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(time, ((Element) other).time);
        }
    }

    public static void main(String[] arguments) {
        DelayQueue<Element> queue = new DelayQueue<>();
        queue.add(new Element(Long.parseLong(arguments[0])));
        boolean shown = queue.peek() != null;
        boolean taken = queue.poll() != null;
        System.out.println("peek " + (shown ? "shows" : "does not show") + " it, poll "
                + (taken ? "takes" : "does not take") + " it");
        System.exit(shown && !taken ? 0 : 1);
    }
}
