package decode

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/format"
)

// An empty or foreign file among others is left out and told; nothing but
// such files is an error.
func TestForeignFilesAmongOthers(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
	if _, err := Open([]string{good, filepath.Join(dir, "absent.txt")}, nil, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
