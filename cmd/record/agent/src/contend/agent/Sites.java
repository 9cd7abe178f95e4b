package contend.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where rewritten code acquires locks, numbered from 1. Classes are rewritten in the threads that load them. */
final class Sites {
  private final Map<StackTraceElement, Integer> numbers = new HashMap<>();
  private final List<StackTraceElement> all = new ArrayList<>();

  synchronized int number(String type, String method, String file, int line) {
    StackTraceElement at = new StackTraceElement(type, method, file, line);
    Integer n = numbers.get(at);
    if (n == null) {
      all.add(at);
      numbers.put(at, n = all.size());
    }
    return n;
  }

  synchronized StackTraceElement at(int number) {
    return number > 0 && number <= all.size() ? all.get(number - 1) : null;
  }

  /** The number of a frame, if locks are acquired there; else 0. */
  synchronized int of(StackTraceElement frame) {
    Integer n = numbers.get(new StackTraceElement(frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber()));
    return n == null ? 0 : n;
  }
}
