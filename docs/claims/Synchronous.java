import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;

/**
 * How many elements can a SynchronousQueue have?
 *
 *     java docs/claims/Synchronous.java synchronous|one
 *
 * "one": a queue with room for one beside it, to see the difference.
 *
 * Exit status: 0 if none: nobody waits to take, and so nothing can be put in.
 */
public final class Synchronous {
    private Synchronous() {}

    public static void main(String[] arguments) {
        BlockingQueue<Integer> queue = arguments[0].equals("one") ? new ArrayBlockingQueue<>(1)
                : new SynchronousQueue<>();
        boolean accepted = queue.offer(1);
        System.out.println(queue.getClass().getSimpleName() + " has room for "
                + queue.remainingCapacity() + " and " + queue.size() + " in it; the offer was "
                + (accepted ? "accepted" : "refused"));
        System.exit(!accepted && queue.isEmpty() ? 0 : 1);
    }
}
