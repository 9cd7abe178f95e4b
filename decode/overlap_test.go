package decode

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

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
		data := golden.Must(os.ReadFile(filepath.Join("../testdata", name+".jfr")))(t)
		return data
	}
	write := func(name string, parts ...[]byte) string {
		path := filepath.Join(dir, name)
		golden.OK(t, os.WriteFile(path, bytes.Join(parts, nil), 0o600))
		return path
	}
	a, b, c := chunk("truth-8threads"), chunk("phases"), chunk("xalan-8threads")
	all := write("abc.jfr", a, b, c)
	ab, bc, only := write("ab.jfr", a, b), write("bc.jfr", b, c), write("a.jfr", a)
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
		{[]string{dir}, "is part of "},
	} {
		gotWaits, gotNs, said := waitsOf(t, nil, g.paths...)
		if gotWaits != waits || gotNs != ns {
			t.Errorf("%q: %d waits of %d ns, want %d of %d", g.paths, gotWaits, gotNs, waits, ns)
		}
		if !strings.Contains(said, g.said) {
			t.Errorf("%q: %q, want %q", g.paths, said, g.said)
		}
	}
	if twice, _, said := waitsOf(t, []string{"x", "y"}, all, all); twice != 2*waits || said != "" {
		t.Errorf("told apart: %d waits, want %d, %q", twice, 2*waits, said)
	}
}
