package agent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// beside compiles a class that uses those of the agent, and returns the class path.
func beside(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	jar := filepath.Join(dir, jarFile)
	if err := os.WriteFile(jar, Jar, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("javac", "-cp", jar, "-d", dir, "testdata/contend/agent/"+name+".java").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return jar + string(os.PathListSeparator) + dir
}

// A thread that has started since the agent last looked is named before it is
// shown to own a lock.
func TestANewOwnerHasItsName(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("javac"); err != nil || os.Getenv("CONTEND_THOROUGH") == "" {
		t.Skip("no JDK here, or CONTEND_THOROUGH is not set, as .ci/run sets it")
	}
	out, err := exec.Command("java", "-cp", beside(t, "Fresh"), "contend.agent.Fresh").CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "false true true" {
		t.Errorf("known before, when it owns, and in the trace: %s, want false true true (%v)", got, err)
	}
}

// Threads and locks come and go, more of them than an agent remembers: what it
// holds does not grow with them. 1000 rounds, 100,000 of each, take a minute.
func TestTheAgentsMemoryIsBounded(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("javac"); err != nil || os.Getenv("CONTEND_THOROUGH") == "" {
		t.Skip("no JDK here, or CONTEND_THOROUGH is not set, as .ci/run sets it")
	}
	path := beside(t, "Bound")
	rounds := "360" // 36,000 locks: 16,384 are remembered
	if given := os.Getenv("CONTEND_ROUNDS"); given != "" {
		rounds = given
	}
	out, err := exec.Command("java", "-Xmx48m", "-XX:+UseSerialGC", "-cp", path, "contend.agent.Bound", rounds).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var half, end int
	if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &half, &end); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s rounds: %d bytes half way, %d at the end", rounds, half, end)
	const most = 16 << 20 // with the JVM's own
	if end > half+3<<20 || end > most {
		t.Errorf("%d bytes half way, %d at the end", half, end)
	}
}
