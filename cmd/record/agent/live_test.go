//go:build unix

package agent

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/cmd/record/attach"
	"contend/golden"
)

// In a program that runs, the classes that acquire the contended locks are rewritten, and are as before when the
// lease is gone, or has not been touched for long because the recorder was killed. A class that cannot
// be rewritten stays as it is, and is reported.
func TestARunningProgramIsRewrittenAndTakenBack(t *testing.T) {
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no JDK here")
	}
	p := &liveProgram{dir: t.TempDir()}
	large := filepath.Join(p.dir, "Large.java")
	golden.OK(t, os.WriteFile(large, []byte(largeSource()), 0o644))
	golden.OK(t, os.WriteFile(filepath.Join(p.dir, jarFile), Jar, 0o644))
	sources, err := filepath.Glob("testdata/shapes/*.java")
	golden.OK(t, err)
	jar := filepath.Join(p.dir, jarFile)
	args := append([]string{"-nowarn", "-cp", jar, "-d", p.dir, large}, sources...)
	out, err := exec.Command(javac, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, java := range javas() {
		p.start(t, java)
		p.expect(t, "runs")

		lease, file := p.record(t, "first")
		p.saysSoon(t, "rewritten") // at once, or when the lock has been seen contended
		_, refused := p.record(t, "second")
		if golden.IsThorough() {
			p.follows(t, file, "shapes.Live$Late")
		}
		time.Sleep(300 * time.Millisecond) // of waiting
		golden.OK(t, os.Remove(lease))
		p.saysSoon(t, "as it was")
		tr := readExact(t, file)
		if why := tr.left["shapes.Large"]; !strings.Contains(why, "MethodTooLarge") || len(tr.left) != 1 {
			t.Errorf("%s: left alone: %v", java, tr.left)
		}
		if len(tr.waits["shapes.Shapes$Box"]) == 0 || len(tr.holds) == 0 {
			t.Errorf("%s: %d waits, holds of %d locks", java, len(tr.waits["shapes.Shapes$Box"]), len(tr.holds))
		}
		tr.testExclusion(t)
		if len(readExact(t, refused).holds) > 0 {
			t.Errorf("%s: a second recording followed locks beside the first", java)
		}

		lease, _ = p.record(t, "third")
		p.saysSoon(t, "rewritten")             // at once, or when the lock has been seen contended
		killed := time.Now().Add(-time.Minute) // since then nobody has touched it
		golden.OK(t, os.Chtimes(lease, killed, killed))
		p.saysSoon(t, "as it was")

		golden.OK(t, p.in.Close())
		p.expect(t, "done")
		golden.OK(t, p.cmd.Wait())
	}
}

// largeSource is a class whose method has as much code as one may, so that nothing can be inserted.
func largeSource() string {
	return "package shapes;\nfinal class Large {\n  static int increments() {\n" +
		"    Shapes.Box box = Live.Work.box;\n    int x = box.n;\n    if (x < 0) {\n" +
		strings.Repeat("    x = x * 31 + 7;\n", 6200) + strings.Repeat("    synchronized (box) { box.n++; }\n", 400) +
		"    }\n    synchronized (box) { box.n++; }\n    return 1;\n  }\n}\n"
}

// liveProgram is a JVM that runs shapes.Live.
type liveProgram struct {
	dir string
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func (p *liveProgram) start(t *testing.T, java string) {
	t.Helper()
	p.cmd = exec.Command(java, "-Xverify:all", "-cp", p.dir, "shapes.Live")
	p.cmd.Stderr = os.Stderr
	p.in = golden.Must(p.cmd.StdinPipe())(t)
	p.out = bufio.NewScanner(golden.Must(p.cmd.StdoutPipe())(t))
	golden.OK(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
}

func (p *liveProgram) read() string {
	for p.out.Scan() {
		if line := p.out.Text(); !strings.Contains(line, "warning") { // of the JVM
			return line
		}
	}
	return "its end"
}

func (p *liveProgram) expect(t *testing.T, want string) {
	t.Helper()
	if got := p.read(); got != want {
		t.Fatalf("the program says %q, want %q", got, want)
	}
}

func (p *liveProgram) saysSoon(t *testing.T, want string) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		fmt.Fprintln(p.in)
		switch got := p.read(); {
		case got == want:
			return
		case time.Since(begun) > time.Minute || got == "its end":
			t.Fatalf("the program still says %q, want %q", got, want)
		}
	}
}

// follows has the program contend for another lock, and waits until that is followed.
func (p *liveProgram) follows(t *testing.T, file, class string) {
	t.Helper()
	before := time.Now().UnixNano()
	fmt.Fprintln(p.in, "late")
	p.expect(t, "rewritten")
	for begun := time.Now(); len(readExact(t, file).waits[class]) == 0; time.Sleep(200 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("%s is contended, and not followed", class)
		}
	}
	tr := readExact(t, file)
	if since := tr.since[class]; since <= before || tr.waits[class][0].Time < since-int64(time.Second) {
		t.Errorf("%s: followed since %d, contended since %d, its first wait at %d",
			class, since, before, tr.waits[class][0].Time)
	}
	if since := tr.since["shapes.Shapes$Box"]; since != 0 {
		t.Errorf("the lock that was contended before is followed since %d, want 0", since)
	}
}

// record begins a recording, and returns once its trace has begun: the classes are rewritten then, or the
// recording was refused.
func (p *liveProgram) record(t *testing.T, name string) (lease, file string) {
	t.Helper()
	lease, file = filepath.Join(p.dir, name+".lease"), filepath.Join(p.dir, name+".bin")
	golden.OK(t, os.WriteFile(lease, nil, 0o644))
	golden.OK(t, os.WriteFile(file, nil, 0o644))
	o := Options{Jar: filepath.Join(p.dir, jarFile), File: file, Lease: lease, Exact: time.Second}
	size := func() int64 { return golden.Must(os.Stat(file))(t).Size() }
	jvm := golden.Must(attach.Find(p.cmd.Process.Pid))(t)
	golden.OK(t, jvm.Load(t.Context(), o.Jar, o.String(), func() bool { return size() > 0 }))
	const header = 12
	for begun := time.Now(); size() <= header; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("%s: nothing is recorded", name)
		}
	}
	return lease, file
}
