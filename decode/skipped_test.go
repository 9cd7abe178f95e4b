package decode

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// An empty or foreign file among others is left out and told; nothing but
// such files is an error.
func TestForeignFilesAmongOthers(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		golden.OK(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	empty, notes, header := file("empty.txt", ""), file("notes.txt", "buy milk\n"), file("header.txt", "Full thread dump OpenJDK (17):\n\n")
	good := fixtures + "deadlock-monitors-and-juc-jdk17.txt"
	for name, paths := range map[string][]string{
		"behind": {good, empty, notes, header}, "before": {empty, notes, header, good}, "around": {notes, good, header, empty},
	} {
		tr, err := Open(paths, nil, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for ev := (format.Event{}); err == nil; err = tr.Read(&ev) {
		}
		s := tr.Stats()
		if len(s.Damage.Places) != 3 || s.Events != 24 {
			t.Errorf("%s: %d events, damage %v", name, s.Events, s.Damage)
		}
		told := 0
		for _, w := range s.Warnings {
			if strings.Contains(w.Text, "left out") {
				told++
			}
		}
		if told != 3 {
			t.Errorf("%s: %v", name, s.Warnings)
		}
		tr.Close()
	}
	if _, err := Open([]string{notes, empty}, nil, Options{}); !errors.Is(err, format.ErrNotMine) {
		t.Errorf("nothing but foreign files: %v", err)
	}
	if _, err := Open([]string{filepath.Join(dir, "absent.txt")}, nil, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// What cannot be opened, or not be read to its end, costs itself alone: a fleet
// writes thousands of files, and one of them is always broken or gone.
func TestUnreadableFilesAmongOthers(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		golden.OK(t, os.WriteFile(path, data, 0o600))
		return path
	}
	text := golden.Must(os.ReadFile(fixtures + "deadlock-monitors-and-juc-jdk17.txt"))(t)
	good := write("good.txt", text)
	newer := write("newer.bin", append([]byte(format.Magic), 99, 0, 0, 0))
	torn := write("torn.txt.gz", []byte("\x1f\x8b\x08\x00 no more of it"))
	absent, gone := filepath.Join(dir, "absent.jfr"), filepath.Join(dir, "gone.txt")
	if err := os.Symlink(absent, gone); err != nil {
		t.Skip(err)
	}
	for name, paths := range map[string][]string{"files": {newer, good, absent, torn, gone}, "a folder": {dir, absent}} {
		tr, err := Open(paths, nil, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for ev := (format.Event{}); err == nil; err = tr.Read(&ev) {
		}
		s := tr.Stats()
		if !errors.Is(err, io.EOF) || len(s.Damage.Places) != 4 || s.Events != 24 {
			t.Errorf("%s: %v, %d events, damage %v", name, err, s.Events, s.Damage)
		}
		if n := len(tr.Skipped()); n != 4 {
			t.Errorf("%s: left out %q", name, tr.Skipped())
		}
		tr.Close()
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
	if !errors.Is(err, io.EOF) || inputs != len(paths) || len(s.Damage.Places) != 1 || s.Damage.Places[0].Pos.File != broken {
		t.Errorf("%v after %d inputs, damage %v", err, inputs, s.Damage)
	}
}
