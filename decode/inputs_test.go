package decode

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// What is empty or foreign, cannot be opened, or not be read to its end, is left out and told,
// wherever it stands: a fleet writes thousands of files, and one of them is always broken or
// gone. Nothing but such files is an error.
func TestUnreadableFilesAmongOthers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		golden.OK(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good := write("good.txt", string(golden.Must(os.ReadFile(fixtures+"deadlock-monitors-and-juc-jdk17.txt"))(t)))
	empty, notes := write("empty.txt", ""), write("notes.txt", "buy milk\n")
	absent, gone := filepath.Join(dir, "absent.jfr"), filepath.Join(dir, "gone.txt")
	if err := os.Symlink(absent, gone); err != nil {
		t.Skip(err)
	}
	bad := []string{
		empty,
		notes,
		gone,
		write("header.txt", "Full thread dump OpenJDK (17):\n\n"),
		write("newer.bin", format.Magic+"\x63\x00\x00\x00"),
		write("torn.txt.gz", "\x1f\x8b\x08\x00 no more of it"),
		absent,
	}
	for name, paths := range map[string][]string{
		"behind": append([]string{good}, bad...), "before": append(slices.Clone(bad), good),
		"around": slices.Insert(slices.Clone(bad), 3, good), "a folder": {dir, absent},
	} {
		tr, err := Open(paths, nil, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for ev := (format.Event{}); err == nil; err = tr.Read(&ev) {
		}
		s, want := tr.Stats(), len(bad)
		if name == "a folder" {
			want-- // notes in a folder of traces are no damage
		}
		golden.Equal(t, err, io.EOF, name)
		golden.Equal(t, s.Events, 24, name)
		golden.Equal(t, len(s.Damage.Places), want, name, s.Damage)
		golden.AtLeast(t, len(tr.Skipped()), want, name, tr.Skipped())
		told := slices.DeleteFunc(
			s.Warnings,
			func(w format.Warning) bool { return !strings.Contains(w.Text, "left out") },
		)
		golden.AtLeast(t, len(told), 3, name, s.Warnings)
		tr.Close()
	}
	if _, err := Open([]string{notes, empty}, nil, Options{}); !errors.Is(err, format.ErrNotMine) {
		t.Errorf("nothing but foreign files: %v", err)
	}
	if _, err := Open([]string{absent}, nil, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// An input that fails when its turn comes ends there, and the next one follows.
func TestOneInputThatBreaksLaterStopsNothing(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	data, err := os.ReadFile(fixtures + "agent-small.bin")
	golden.OK(t, err)
	for i := range openAtOnce + 3 {
		path := filepath.Join(dir, fmt.Sprintf("%02d.bin", i))
		golden.OK(t, os.WriteFile(path, data, 0o600))
		paths = append(paths, path)
	}
	tr := golden.Must(Open(paths, nil, Options{}))(t)
	defer tr.Close()
	broken := paths[openAtOnce+1] // closed until its turn comes
	golden.OK(t, os.Remove(broken))
	inputs := 0
	var ev format.Event
	for ; err == nil; err = tr.Read(&ev) {
		if ev.Kind == format.KindSetting && ev.Name == format.SettingInput {
			inputs++
		}
	}
	s := tr.Stats()
	if !errors.Is(err, io.EOF) || inputs != len(paths) || len(s.Damage.Places) != 1 ||
		s.Damage.Places[0].Pos.File != broken {
		t.Errorf("%v after %d inputs, damage %v", err, inputs, s.Damage)
	}
}

// waitsOf counts the waits of some inputs and sums their lengths.
func waitsOf(t *testing.T, labels []string, paths ...string) (waits int, ns int64, warnings string) {
	t.Helper()
	tr := golden.Must(Open(paths, nil, Options{Labels: labels}))(t)
	defer tr.Close()
	var ev format.Event
	for {
		if err := tr.Read(&ev); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == format.KindWait {
			waits++
			ns += ev.End - ev.Time
		}
	}
	st := tr.Stats()
	if !st.Damage.Whole() {
		t.Errorf("%q: damaged", paths)
	}
	for _, w := range st.Warnings {
		if w.Code == "overlap" {
			warnings += w.Text + "\n"
		}
	}
	return waits, ns, warnings
}

// Each chunk counts once, however the files that hold it overlap: one in the
// other, in part, packed, the same twice; but not where labels tell them apart.
func TestOverlappingRecordings(t *testing.T) {
	dir := t.TempDir()
	chunk := func(name string) []byte {
		return golden.Must(os.ReadFile(filepath.Join("../testdata", name+".jfr")))(t)
	}
	write := func(name string, parts ...[]byte) string {
		path := filepath.Join(dir, name)
		golden.OK(t, os.WriteFile(path, bytes.Join(parts, nil), 0o600))
		return path
	}
	a, b, c := chunk("truth-8threads"), chunk("phases"), chunk("xalan-8threads")
	all := write("abc.jfr", a, b, c)
	ab, bc, only := write("ab.jfr", a, b), write("bc.jfr", b, c), write("a.jfr", a)
	onlyB, onlyC := write("b.jfr", b), write("c.jfr", c)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(append(append([]byte{}, a...), b...))
	z.Close()
	gz := write("ab.jfr.gz", packed.Bytes())

	waits, ns, said := waitsOf(t, nil, all)
	if waits == 0 || said != "" {
		t.Fatal(waits, said)
	}
	for _, g := range []struct {
		paths []string
		said  string
	}{
		{[]string{all, ab}, "ab.jfr is part of "},
		{[]string{ab, all}, "ab.jfr is part of "},
		{[]string{only, ab, all}, "a.jfr is part of "},
		{[]string{ab, bc}, "bc.jfr repeats 1 of the 2 chunks of "},
		{[]string{bc, ab}, "ab.jfr repeats 1 of the 2 chunks of "},
		{[]string{gz, bc}, "bc.jfr repeats 1 of the 2 chunks of "},
		{[]string{gz, all, bc}, "ab.jfr.gz is part of "},
		{[]string{all, all}, "abc.jfr is given twice"},
		{[]string{only, onlyB, all}, "b.jfr is part of "},
		{[]string{only, onlyB, all}, "a.jfr is part of "},
		{[]string{ab, onlyC, bc}, "bc.jfr is part of " + ab + " and " + onlyC},
		{[]string{dir}, "is part of "},
	} {
		gotWaits, gotNs, said := waitsOf(t, nil, g.paths...)
		golden.Equal(t, gotWaits, waits, g.paths)
		golden.Equal(t, gotNs, ns, g.paths)
		golden.Holds(golden.Labelled(t, g.paths), said, g.said)
	}
	more, _, _ := waitsOf(t, nil, "../testdata/notify-jdk25.jfr")
	got, _, said := waitsOf(t, nil, only, write("cd.jfr", c, chunk("notify-jdk25")), all)
	golden.Equal(t, got, waits+more)
	golden.Holds(t, said, only+" is part of "+all, "abc.jfr repeats 1 of the 2 chunks of ")
	if twice, _, said := waitsOf(t, []string{"x", "y"}, all, all); twice != 2*waits || said != "" {
		t.Errorf("told apart: %d waits, want %d, %q", twice, 2*waits, said)
	}
}
