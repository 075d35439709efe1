import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * How many constructors has a class of the scheduled pool?
 *
 *     java docs/claims/Constructors.java pool|task NUMBER
 *
 * "pool": ScheduledThreadPoolExecutor. "task": its ScheduledFutureTask.
 *
 * Exit status: 0 if there are so many.
 */
public final class Constructors {
    private Constructors() {}

    public static void main(String[] arguments) throws ClassNotFoundException {
        Class<?> pool = ScheduledThreadPoolExecutor.class;
        Class<?> asked = arguments[0].equals("pool") ? pool
                : Class.forName(pool.getName() + "$ScheduledFutureTask");
        int count = asked.getDeclaredConstructors().length;
        System.out.println(asked.getSimpleName() + " has " + count + " constructors");
        System.exit(count == Integer.parseInt(arguments[1]) ? 0 : 1);
    }
}
