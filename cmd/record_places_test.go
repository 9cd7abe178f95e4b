//go:build unix

package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"contend/analysis"
	"contend/cmd/record/attach"
	"contend/golden"
	"contend/report/document"
)

// A runtime that was linked without what a recorder needs says so; the agent
// needs two modules.
func TestRecordSmallRuntimes(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: linking runtimes takes seconds")
	}
	for jdk, jvm := range jvms() {
		jlink, err := exec.LookPath(filepath.Join(filepath.Dir(resolved(jvm)), "jlink"))
		if err != nil {
			t.Logf("%s has no jlink", jvm)
			continue
		}
		for _, c := range []struct {
			modules string
			says    map[string]string // by --with; "" is a recording
		}{
			{"java.base", map[string]string{"agent": "has no java.instrument", "jfr": "no flight recorder: its " +
				"runtime has no jdk.jfr", "both": "no flight recorder"}},
			{"java.base,java.instrument", map[string]string{"agent": "has no java.management"}},
			{"java.base,java.instrument,java.management", map[string]string{"agent": "", "both": "no flight recorder"}},
			{"java.base,jdk.jfr", map[string]string{"jfr": "", "both": "has no java.instrument"}},
		} {
			if jdk != "default" && strings.Contains(c.modules, "java.instrument") {
				continue // which modules the agent needs, one JDK says for all
			}
			t.Run(jdk+" "+c.modules, func(t *testing.T) {
				t.Parallel()
				runtime := filepath.Join(t.TempDir(), "runtime")
				if out, err := exec.Command(jlink, "--add-modules", c.modules, "--output",
					runtime).CombinedOutput(); err != nil {
					t.Skipf("jlink: %v %s", err, out)
				}
				pid := strconv.Itoa(java(t, filepath.Join(runtime, "bin", "java"), nil).Process.Pid)
				for with, want := range c.says {
					record := recordOf
					if want == "" {
						record = recordSlow
					}
					code, out, msg := record(
						t,
						"--with",
						with,
						"--duration",
						"2s",
						"-o",
						filepath.Join(t.TempDir(), "x.bin"),
						pid,
					)
					if want == "" {
						if code != exitOK || !strings.Contains(out, "Busy.slow") {
							t.Errorf("--with %s: exit %d, %q\n%s", with, code, out, msg)
						}
					} else if code != exitFailed || out != "" || !strings.Contains(msg, want) ||
						!strings.Contains(msg, "hint: --with ") {
						t.Errorf("--with %s: exit %d, %q\n%s", with, code, out, msg)
					}
				}
			})
		}
	}
}

// resolved follows the links of a program on the path.
func resolved(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		return program
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// A JVM with a process number, a root and a folder for temporary files of its
// own, as in a container, is recorded from outside.
func TestRecordInNamespaces(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	flags := []string{"--mount", "--pid", "--fork", "--kill-child", "--mount-proc"}
	if out, err := exec.Command("unshare", append(flags, "mount", "-t", "tmpfs", "none",
		"/tmp")...).CombinedOutput(); err != nil {
		t.Skipf("only root makes namespaces, where the kernel lets it: %v %s", err, out)
	}
	dir := classes(t)
	script := fmt.Sprintf(
		`mount -t tmpfs none /mnt && cp -r '%[1]s' /mnt/classes && mount -t tmpfs none /tmp && mkdir -p '%[1]s' && cp /mnt/classes/* '%[1]s' && exec java "$@"`,
		dir,
	)
	outer := java(t, "unshare", nil, append(flags, "sh", "-c", script, "sh")...).Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", outer, outer))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil || pid == 0 {
		t.Fatalf("%q, %v", children, err)
	}
	golden.OK(t, syscall.Kill(pid, 0))
	for _, with := range []string{"agent", "jfr", "both"} {
		code, out, msg := recordSlow(
			t,
			"--with",
			with,
			"--duration",
			"2s",
			"-o",
			filepath.Join(t.TempDir(), "x.bin"),
			strconv.Itoa(pid),
		)
		if code != 0 || !strings.Contains(out, "Busy.slow") {
			t.Errorf("--with %s: exit %d\n%s\n%s", with, code, out, msg)
		}
	}
	tmp := filepath.Join("/proc", strconv.Itoa(pid), "root/tmp")
	folder := justTheJar(t, tmp, pid)
	golden.Must(
		golden.Must(attach.Find(pid))(
			t,
		).Command(t.Context(), "jcmd", "JFR.start name="+filepath.Base(folder)+" duration=600s"),
	)(
		t,
	) // as one that was killed
	recorded(t, pid, "--with", "jfr")
	answer, err := golden.Must(attach.Find(pid))(t).Command(t.Context(), "jcmd", "JFR.check")
	if err != nil || justTheJar(t, tmp, pid) != folder || strings.Contains(string(answer), "name=contend-") {
		t.Errorf("%v\n%s", err, answer)
	}
}

// Where other users may exchange what is in the folder for temporary files, nothing that a JVM
// loads is put there.
func TestRecordWhereOthersExchangeNames(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if out, err := exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "none",
		"/tmp").CombinedOutput(); err != nil {
		t.Skipf("only root makes namespaces, where the kernel lets it: %v %s", err, out)
	}
	dir := classes(t)
	script := fmt.Sprintf(
		`mount -t tmpfs none /mnt && cp -r '%[1]s' /mnt/classes && mount -t tmpfs -o mode=777 none /tmp && mkdir -p '%[1]s' && cp /mnt/classes/* '%[1]s' && exec java "$@"`,
		dir,
	)
	pid := strconv.Itoa(java(t, "unshare", nil, "--mount", "sh", "-c", script, "sh").Process.Pid)
	for _, with := range []string{"agent", "jfr"} {
		code, _, msg := recordOf(t, "--with", with, "--duration", "1s", "-o", filepath.Join(t.TempDir(), "x.bin"), pid)
		if code != exitFailed ||
			!strings.Contains(
				msg,
				"/tmp, of user root (0) and mode 0777, lets other users exchange what is made in it",
			) ||
			!strings.Contains(msg, "hint: chmod +t /tmp") {
			t.Errorf("--with %s: exit %d\n%s", with, code, msg)
		}
	}
	golden.OK(t, os.Chmod(filepath.Join("/proc", pid, "root/tmp"), 0o777|os.ModeSticky))
	if code, _, msg := recordOf(t, "--with", "agent", "--duration", "1s", "-o", filepath.Join(t.TempDir(), "x.bin"),
		pid); code != exitOK {
		t.Errorf("exit %d\n%s", code, msg)
	}
}

// Where only one user runs, as in a pod whose /tmp is an emptyDir, that user says so, and is not
// root, which can change the folder.
func TestRecordInATrustedPlace(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	const nobody = 65534
	if out, err := exec.Command("unshare", "--mount", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
		"true").CombinedOutput(); err != nil {
		t.Skipf("only root makes namespaces and is somebody else: %v %s", err, out)
	}
	dir := classes(t)
	script := fmt.Sprintf(
		`mount -t tmpfs none /mnt && cp -r '%[1]s' /mnt/classes && mount -t tmpfs -o mode=777 none /tmp && mkdir -p '%[1]s' && cp /mnt/classes/* '%[1]s' && chmod -R a+rX /tmp/* && exec setpriv --reuid=65534 --regid=65534 --clear-groups java "$@"`,
		dir,
	)
	pid := strconv.Itoa(java(t, "unshare", nil, "--mount", "sh", "-c", script, "sh").Process.Pid)
	code, _, msg := recordOf(t, "--trust-tmp", "--duration", "1s", "-o", filepath.Join(t.TempDir(), "x.bin"), pid)
	if code != exitFailed || !strings.Contains(msg, "hint: chmod +t /tmp") || strings.Contains(msg, "trusted") {
		t.Errorf("as root: exit %d\n%s", code, msg)
	}
	place, err := os.MkdirTemp("", "contend-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(place) })
	program := filepath.Join(place, "contend")
	golden.OK(
		t,
		errors.Join(
			os.WriteFile(program, golden.Must(os.ReadFile("/proc/self/exe"))(t), 0o755),
			os.Chmod(place, 0o777|os.ModeSticky),
		),
	)
	record := func(args ...string) (string, error) {
		c := exec.Command(
			program,
			append([]string{"record", "--duration", "1s", "-o", filepath.Join(place, "x.bin"), pid}, args...)...)
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		c.Dir, c.Env = place, []string{"PATH=/usr/bin:/bin"}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := record(); err == nil || !strings.Contains(out, "lets other users exchange what is made in it") ||
		!strings.Contains(out, "--trust-tmp records") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := record("--trust-tmp"); err != nil ||
		strings.Count(
			out,
			"contend: warning: /tmp, of user root (0) and mode 0777, lets other users exchange what is made in it: "+
				"trusted all the same",
		) != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// A JVM whose folder for temporary files is, in its root, a link to elsewhere is recorded
// there: nothing is made where the same link leads outside.
func TestRecordBeneathALink(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root makes namespaces")
	}
	dir := classes(t)
	outside, err := os.MkdirTemp("/var/tmp", "contend-outside-") // not beneath the link itself
	golden.OK(t, err)
	t.Cleanup(func() { os.RemoveAll(outside) })
	const script = `mount -t tmpfs none /mnt && cd /mnt && cp -a /bin /lib /lib64 . 2>/dev/null
for d in usr etc proc dev bin lib lib64; do [ -L $d ] || { mkdir -p $d && mount --rbind /$d $d; }; done
mkdir -p ".$1" && ln -s "$1" tmp && mkdir -p ".$1/${2#/tmp/}" && cp "$2"/* ".$1/${2#/tmp/}" && chmod 1777 ".$1" && shift 2 && exec chroot . java "$@"`
	pid := strconv.Itoa(java(t, "unshare", nil, "--mount", "sh", "-c", script, "sh", outside, dir).Process.Pid)
	for _, with := range []string{"agent", "both"} {
		code, out, msg := recordSlow(
			t,
			"--with",
			with,
			"--duration",
			"2s",
			"-o",
			filepath.Join(t.TempDir(), "x.bin"),
			pid,
		)
		if code != exitOK || !strings.Contains(out, "Busy.slow") {
			t.Errorf("--with %s: exit %d\n%s\n%s", with, code, out, msg)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
			t.Errorf("made outside of its root: %v, %v", left, err)
		}
	}
}

// Who is not root records no JVM of somebody else, and hears why.
func TestRecordAsAnotherUser(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	p := java(t, "java", nil).Process
	dir := golden.Must(os.MkdirTemp("", "contend-user-"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	program := filepath.Join(dir, "contend") // the tests are the command under this name
	golden.OK(t, os.WriteFile(program, self, 0o755))
	golden.OK(t, os.Chmod(dir, 0o755))
	const nobody = 65534
	c := exec.Command(program, "record", "--duration", "1s", "-o", "/dev/null", strconv.Itoa(p.Pid))
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	c.Dir, c.Env = dir, []string{"PATH=/usr/bin:/bin"}
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "belongs to another user (0)") ||
		!strings.Contains(string(out), "hint: run contend as that user or as root") {
		t.Errorf("%v\n%s", err, out)
	}
	if err := p.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the process is gone: %v", err)
	}
}

// An OpenJ9 JVM, which is told by its library, is not attached to.
func TestRecordOpenJ9(t *testing.T) {
	t.Parallel()
	libraries, _ := filepath.Glob("/lib/*/libutil.so.1")
	if len(libraries) == 0 {
		t.Skip("no small library here to play OpenJ9's")
	}
	data := golden.Must(os.ReadFile(libraries[0]))(t)
	library := filepath.Join(t.TempDir(), "libj9vm29.so")
	golden.OK(t, os.WriteFile(library, data, 0o755))
	c := exec.Command("sleep", "600")
	c.Dir, c.Env = filepath.Dir(
		library,
	), []string{
		"LD_PRELOAD=./" + filepath.Base(library),
	} // of which a space would make two
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	maps := fmt.Sprintf("/proc/%d/maps", c.Process.Pid)
	if !comes(func() bool { text, _ := os.ReadFile(maps); return strings.Contains(string(text), library) }) {
		t.Fatal("its library is not loaded")
	}
	code, out, msg := recordOf(t, strconv.Itoa(c.Process.Pid))
	if code != exitFailed || out != "" || !strings.Contains(msg, "is an OpenJ9 JVM") ||
		!strings.Contains(msg, "hint: record javacores: kill -QUIT PID") {
		t.Errorf("exit %d, %q\n%s", code, out, msg)
	}
}

// Virtual threads are sampled with the owners of their monitors and locks: these are as the
// program's own log has them.
func TestRecordVirtualThreads(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	jvm := jvms()["25"]
	if jvm == "" {
		t.Skip("no JDK 25 here")
	}
	classes, dir := classes(t), t.TempDir()
	if out, err := exec.Command(filepath.Join(filepath.Dir(jvm), "javac"), "-cp", classes, "-d", dir,
		"testdata/java/Lanes.java").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, with := range []string{"agent", "both"} {
		log, trace, worst := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "x.bin"), 1.0
		pid := strconv.Itoa(program(t, jvm, nil, "-cp", dir+":"+classes, "Lanes", log).Process.Pid)
		for seconds := 4; seconds <= 32 && worst > 0.2; seconds *= 2 { // on a busy machine samples are few
			code, _, msg := recordOf(t, "--with", with, "--duration", fmt.Sprint(seconds, "s"), "-o", trace, pid)
			if code != exitOK || (with == "both") != strings.Contains(msg, "virtual threads are sampled, in ") {
				t.Fatalf("--with %s: exit %d\n%s", with, code, msg)
			}
			worst = 0
			held := strings.Fields(string(golden.Must(os.ReadFile(log))(t)))
			doc := ask[document.Analyze](t, "analyze", "--top", "0", trace)
			for class, at := range map[string]int{"Lanes$Shelf": 0,
				"java.util.concurrent.locks.ReentrantLock$NonfairSync": 2} {
				worst = max(
					worst,
					wrongShare(
						t,
						doc,
						class,
						held[at:at+2],
						[]string{
							[]string{"Lanes.count", "", "Lanes.audit"}[at],
							[]string{"Lanes.fill", "", "Lanes.pay"}[at],
						},
					),
				)
			}
			t.Logf("--with %s, %d s: %.2f", with, seconds, worst)
		}
		if worst > 0.25 {
			t.Errorf("--with %s: the owners of a lock differ from the log by %.2f of the waiting", with, worst)
		}
		if code, out := checked(t, "", "--rule", "no deadlock", trace); code != exitRules ||
			!strings.Contains(out, "undecided") {
			t.Errorf("--with %s: exit %d\n%s", with, code, out)
		}
	}
	plain := strconv.Itoa(java(t, jvm, nil).Process.Pid)
	if _, _, msg := recordOf(t, "--with", "agent", "--duration", "1s", "-o", filepath.Join(t.TempDir(), "x.bin"),
		plain); strings.Contains(
		msg,
		"virtual",
	) {
		t.Errorf("no virtual thread runs, but: %s", msg)
	}
}

// wrongShare is which part of the waiting for locks of a class is charged to places that
// differ from those where the log says they were held for so long.
func wrongShare(t *testing.T, doc *document.Analyze, class string, held, places []string) float64 {
	t.Helper()
	got, sum := map[string]float64{}, 0.0
	for _, l := range doc.Locks {
		for _, o := range l.Owners {
			if l.Class == class && o.Site != "[handoff]" {
				got[analysis.WithoutLine(o.Site)] += float64(o.WaitNs)
				sum += float64(o.WaitNs)
			}
		}
	}
	a, b := golden.Must(strconv.ParseFloat(held[0], 64))(t), golden.Must(strconv.ParseFloat(held[1], 64))(t)
	return 1 - min(got[places[0]]/sum, a/(a+b)) - min(got[places[1]]/sum, b/(a+b))
}

// A JVM that has just begun has no handler for the signal that asks for a
// socket yet. It is not taken for one that never will.
func TestRecordAtTheStart(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir := classes(t)
	c := exec.Command("java", "-Xmx64m", "-XX:+UseSerialGC", "-cp", dir, "Busy")
	golden.OK(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	if !comes(func() bool { _, err := attach.Find(c.Process.Pid); return err == nil }) {
		t.Fatal("no JVM begins")
	}
	code, _, msg := recordOf(
		t,
		"--with",
		"agent",
		"--duration",
		"1s",
		"-o",
		filepath.Join(t.TempDir(), "x.bin"),
		strconv.Itoa(c.Process.Pid),
	)
	if code != exitOK {
		t.Errorf("exit %d\n%s", code, msg)
	}
}

// So it is later, when it takes commands and carries none out yet: of the agent JDK 17
// says then that it is loaded, and of its flight recorder nothing.
func TestRecordBeforeTheProgramRuns(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if _, err := exec.LookPath("javac"); err != nil || testing.Short() {
		t.Skip("no JDK here, or -short")
	}
	dir := t.TempDir()
	if out, err := exec.Command("javac", "-d", dir, "testdata/java/Late.java").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for name, jvm := range jvms() {
		for _, with := range []string{"agent", "jfr"} {
			t.Run(name+" "+with, func(t *testing.T) {
				t.Parallel()
				pid := strconv.Itoa(
					java(t, jvm, nil, "-Xbootclasspath/a:"+dir, "-Djava.system.class.loader=Late").Process.Pid,
				)
				trace := filepath.Join(t.TempDir(), "x.bin")
				code, _, msg := recordOf(t, "--with", with, "--duration", "1s", "-o", trace, pid)
				if code != exitOK {
					t.Errorf("exit %d\n%s", code, msg)
				}
			})
		}
	}
}
