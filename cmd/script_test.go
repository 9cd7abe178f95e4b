package cmd

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"contend/golden"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(inProcess{m}, map[string]func(){
		"contend": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// inProcess runs the tests, most of which call Main, hundreds of times in all.
// Tests that measure memory run commands as processes of their own, with ownGC.
type inProcess struct{ *testing.M }

func (m inProcess) Run() int {
	for _, name := range []string{"COLUMNS", "NO_COLOR", "TERM", "CONTEND_TRACE"} { // of who runs the tests
		os.Unsetenv(name)
	}
	// Many wait for a JVM, a browser or a recording of some seconds, and others can
	// run meanwhile. A flag of the command line comes later, and stays.
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	golden.RaiseGOGC()
	dir, err := os.MkdirTemp("", "contend")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	sharedDir = dir
	defer func() {
		for _, stop := range atTheEnd {
			stop()
		}
	}()
	return m.M.Run()
}

// ownGC is the environment in which contend itself says how much garbage it
// leaves.
func ownGC() []string { return append(os.Environ(), "GOGC=") }

// build returns a folder with contend as it is built for users. This program would
// do as well, and begins three times as slowly: the schemas, browsers and
// generators of its tests come with it, and scripts begin it hundreds of times.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir+string(os.PathSeparator),
		"contend").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

func TestScripts(t *testing.T) {
	t.Parallel()
	data := golden.Must(filepath.Abs("../testdata"))(t)
	dir, files, path := "testdata/script", []string(nil), os.Getenv("PATH")
	if testing.Short() { // each command is a process of its own: slow under the race detector
		dir, files = "", []string{
			"testdata/script/badinput.txtar",
			"testdata/script/damage.txtar",
			"testdata/script/usage.txtar",
		}
	} else {
		path = build(t) + string(filepath.ListSeparator) + path
	}
	testscript.Run(t, testscript.Params{
		Dir:   dir,
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", data)
			env.Setenv("PATH", path)
			env.Setenv("GOGC", os.Getenv("GOGC")) // as in this process
			if !golden.IsThorough() {
				env.Setenv(
					"GOMAXPROCS",
					"1",
				) // hundreds of commands take a sixth less so; what runs beside each other is tested in this process
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": code, "cut": cut, "append": appendTo, "flip": flip, "tail": tail, "gzip": pack,
		},
	})
}

// code runs contend and requires an exit code: code 2 analyze --top -1.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("contend", args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// cut writes the first bytes of a file: cut FROM TO N.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[0]))[:n], 0o644))
}

// appendTo joins files: append TO FROM ...
func appendTo(ts *testscript.TestScript, _ bool, args []string) {
	var all []byte
	for _, from := range args[1:] {
		all = append(all, ts.ReadFile(from)...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), all, 0o644))
}

// flip inverts a byte of a file: flip FROM TO OFFSET.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	at, err := strconv.Atoi(args[2])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[0]))
	data[at] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

// tail writes a file and N bytes of text behind it: tail TO FROM N.
func tail(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	const line = "nothing happened today\n"
	text := append([]byte(ts.ReadFile(args[1])), bytes.Repeat([]byte(line), n/len(line))...)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o644))
}

// pack compresses a file: gzip TO FROM.
func pack(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(ts.ReadFile(args[1])))
	ts.Check(errors.Join(err, z.Close()))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}
