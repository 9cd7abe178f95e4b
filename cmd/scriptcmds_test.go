package cmd

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

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
