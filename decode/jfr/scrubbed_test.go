package jfr

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// environments are the events that tell what else a machine runs, and with which
// variables: secrets among them.
var environments = []string{"jdk.InitialEnvironmentVariable", "jdk.SystemProcess"}

// No recording that is committed tells of the machine it was made on.
func TestRecordingsAreScrubbed(t *testing.T) {
	recordings := 0
	err := filepath.WalkDir(ours, func(path string, _ fs.DirEntry, err error) error {
		if name := strings.TrimSuffix(path, ".gz"); err != nil || !strings.HasSuffix(name, ".jfr") {
			return err
		}
		recordings++
		found := eventsOf(t, path)
		if len(found) == 0 {
			t.Errorf("%s holds no events", path)
		}
		for _, name := range environments {
			if found[name] > 0 {
				t.Errorf("%s holds %d events of %s: scrub it", path, found[name], name)
			}
		}
		return nil
	})
	if err != nil || recordings < 30 {
		t.Fatalf("%d recordings: %v", recordings, err)
	}
}

// eventsOf counts the events of a recording by their class, wanted or not.
func eventsOf(t *testing.T, path string) map[string]int {
	t.Helper()
	data := load(t, path)
	count := map[string]int{}
	s := splitter{input: input{in: bytes.NewReader(data)}, name: path, specs: wanted(), metas: map[string]*metadata{}}
	for {
		var c chunk
		if err := s.next(&c); errors.Is(err, io.EOF) {
			return count
		} else if err != nil || c.meta == nil {
			t.Fatalf("%s: no metadata: %v", path, err)
		}
		for at := headerSize; at < len(c.buf); {
			cur := c.cursor(at)
			at += int(cur.integer("size", 4))
			if cl := c.meta.classes[cur.long("type")]; cl != nil {
				count[cl.name]++
			}
		}
	}
}
