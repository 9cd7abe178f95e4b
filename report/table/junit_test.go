package table

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"contend/report/document"
)

// What is written is XML, whatever a trace calls its locks, and counts its own
// failures.
func TestWhatIsWrittenParses(t *testing.T) {
	nasty := "a\x00b\x1b[2J<c>&\"]]>\xff\n"
	c := &document.Check{Rules: []document.CheckRule{
		{Rule: "csp(*) < 5%", Status: "fail", Subjects: []document.CheckSubject{{Name: nasty, Status: "fail"}, {Name: "fine", Status: "pass"}, {Name: "second", Status: "fail"}}},
		{Rule: nasty, Status: "undecided", Subjects: []document.CheckSubject{{Name: "x", Status: "undecided"}}},
		{Rule: "no deadlock", Status: "pass"},
	}}
	var b strings.Builder
	if err := JUnit(&b, c, Options{}); err != nil {
		t.Fatal(err)
	}
	var doc suites
	if err := xml.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatalf("%v:\n%s", err, b.String())
	}
	s := doc.Suite
	if s.Tests != 3 || s.Failures != 1 || s.Errors != 1 || len(s.Cases) != 3 {
		t.Errorf("%+v", s)
	}
	f := s.Cases[0].Failure
	if f == nil || !strings.Contains(f.Text, "second") || strings.Contains(f.Text, "fine") || !strings.HasPrefix(f.Message, "a?b?[2J<c>&") {
		t.Errorf("%+v", f)
	}
	if s.Cases[1].Error == nil || s.Cases[2].Failure != nil || s.Cases[2].Error != nil {
		t.Errorf("%+v", s.Cases)
	}
}

// full is a writer that fails.
type full struct{ after int }

func (w *full) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	c := &document.Check{Rules: []document.CheckRule{{Rule: "no deadlock", Status: "pass"}}}
	for after := range 200 {
		if err := JUnit(&full{after}, c, Options{}); err == nil {
			t.Fatalf("written to a disk of %d bytes", after)
		}
	}
}
