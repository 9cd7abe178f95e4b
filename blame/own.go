package blame

import (
	"strings"

	"contend/analysis"
	"contend/format"
)

// libraries are the classes and packages outside of a program's own code: of the platforms, of
// languages on them, and of servers, frameworks, pools and loggers. Libraries for the task of a
// program, such as a data base or a parser, are not among them. Names of Java that end in a dot are
// packages.
var libraries = [...]string{
	"java.", "javax.", "jdk.", "sun.", "com.sun.", "jakarta.",
	"kotlin.", "kotlinx.", "scala.", "groovy.", "org.codehaus.groovy.", "org.apache.groovy.", "clojure.",
	"akka.", "org.apache.pekko.", "cats.effect.", "zio.", "reactor.", "io.reactivex.", "rx.", "io.vertx.core.",
	"io.netty.",
	"org.springframework.", "io.micronaut.", "io.quarkus.", "org.jboss.", "io.undertow.", "org.xnio.",
	"org.apache.catalina.", "org.apache.coyote.", "org.apache.tomcat.", "org.eclipse.jetty.", "org.glassfish.",
	"org.hibernate.", "org.apache.ibatis.", "com.zaxxer.hikari.", "com.mchange.", "org.apache.commons.",
	"org.slf4j.", "ch.qos.logback.", "org.apache.logging.", "org.apache.log4j.", "com.lmax.disruptor.",
	"com.google.common.", "com.google.inject.", "com.fasterxml.", "com.github.benmanes.caffeine.",
	"net.bytebuddy.", "org.aspectj.", "io.grpc.", "okhttp3.", "okio.", "org.junit.", "org.testng.", "org.gradle.",
	"org.apache.maven.",
	"python.", "python3.",
	"golang.org/x/", "google.golang.org/", "go.opentelemetry.io/", "github.com/prometheus/client_golang/",
}

// goStandard are the first elements of the packages of Go's standard library,
// which have no dot, as few modules have none either.
var goStandard = set(`archive bufio bytes cmp compress container context crypto database debug embed encoding errors
	expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp
	runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// entries are the methods of a lock that acquire it.
var entries = set(`lock lockInterruptibly tryLock acquire readLock writeLock lockRead lockWrite`)

// enters reports whether a frame only acquires a lock of the program's own making: its caller shows
// more.
func enters(f format.Frame) bool { return strings.HasSuffix(f.Class, "Lock") && entries[f.Method] }

// ownByDefault reports whether a frame is of the program's own code, by its name. Generated code of
// a compiler or a virtual machine is not.
func ownByDefault(f format.Frame) bool {
	if f.Class == "" {
		return !analysis.NativeLibrary(f)
	}
	if f.Class[0] == '[' || analysis.RuntimeFrame(f) || strings.Contains(f.Class, "$$") || enters(f) {
		return false
	}
	if first, _, _ := strings.Cut(f.Class, "/"); goStandard[first] {
		return false
	}
	for _, p := range libraries {
		if strings.HasPrefix(f.Class, p) {
			return false
		}
	}
	return true
}
