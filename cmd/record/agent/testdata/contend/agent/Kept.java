package contend.agent;

import contend.agent.probes.Probe;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Collections;

/**
 * Prints whether a lock that a thread used fourth is found at once, before the locks of threads are forgotten and after
 * that.
 */
final class Kept {
  public static void main(String[] args) throws Exception {
    Probe.begin(Collections.singleton("java.lang.Object"), 0, 1000);
    Object[] locks = {new Object(), new Object(), new Object(), new Object()};
    for (Object l : locks) {
      use(l);
    }
    boolean before = isFirst(locks[3]);
    Probe.tidy();
    use(locks[3]);
    System.out.println(before + " " + isFirst(locks[3]));
  }

  private static void use(Object lock) {
    Probe.acquired(lock, 1);
    Probe.released(lock, 1);
  }

  private static boolean isFirst(Object lock) throws Exception {
    Object slot = Arrays.stream((Object[]) get(Probe.class, null, "slots")).filter(s -> s != null).findFirst().get();
    for (String name : new String[] {"a", "b", "c"}) {
      if (get(slot.getClass(), slot, name) == lock) {
        return true;
      }
    }
    return false;
  }

  private static Object get(Class<?> of, Object o, String name) throws Exception {
    Field f = of.getDeclaredField(name);
    f.setAccessible(true);
    return f.get(o);
  }
}
