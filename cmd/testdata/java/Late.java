import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;

/** The system's class loader of a JVM that takes long until it runs its program. */
public class Late extends URLClassLoader {
  public Late(ClassLoader parent) throws InterruptedException {
    super(new URL[0], parent);
    System.out.println("commands are taken");
    Thread.sleep(2000);
  }

  // by this name the JVM looks for it: of the classes of an agent
  void appendToClassPathForInstrumentation(String jar) throws MalformedURLException {
    addURL(new File(jar).toURI().toURL());
  }
}
