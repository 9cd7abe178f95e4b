package cmd

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(inProcess{m}, map[string]func(){
		"contend": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// inProcess runs the tests, most of which call Main, hundreds of times in all:
// a heap kept as small as a command's own would take half of the time to
// collect. Tests that measure memory run commands as processes of their own,
// with ownGC.
type inProcess struct{ *testing.M }

func (m inProcess) Run() int {
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", "400")
		debug.SetGCPercent(400)
	}
	dir, err := os.MkdirTemp("", "contend")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	sharedDir = dir
	return m.M.Run()
}

// ownGC is the environment in which contend itself says how much garbage it
// leaves.
func ownGC() []string { return append(os.Environ(), "GOGC=") }

func TestScripts(t *testing.T) {
	data, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir, files := "testdata/script", []string(nil)
	if testing.Short() { // each command is a process of its own: slow under the race detector
		dir, files = "", []string{"testdata/script/badinput.txtar", "testdata/script/damage.txtar", "testdata/script/usage.txtar"}
	}
	testscript.Run(t, testscript.Params{
		Dir:   dir,
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", data)
			env.Setenv("GOGC", os.Getenv("GOGC")) // as in this process
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code": code, "cut": cut, "append": appendTo, "flip": flip, "tail": tail, "gzip": pack,
		},
	})
}
