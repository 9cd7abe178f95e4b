package cmd

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"contend/analysis"
	"contend/blame/locks"
	"contend/golden"
	"contend/report/document"
	"contend/report/table"
)

// A law is what holds of the waiting in every recording, whoever sums it: what it wants
// to see of an analysis, and what must be true when that has ended.
type law struct {
	name  string
	wants []analysis.Visitor
	holds func(t *testing.T, p *pass)
}

// pass is one analysis of a recording, at which all laws look: to read and to analyze one
// takes longer than to sum what is found, and each command does it again.
type pass struct {
	*result
	path    string
	turn    int // of this recording, where they take turns
	want    *document.Analyze
	sums    *locks.Collector
	written int // documents so far
}

func TestTotalsAreOneNumber(t *testing.T) {
	t.Parallel()
	whole := varied(t)
	for i, path := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			laws := []law{locksSum(), blamesSum(t, i), pressureSums(i)}
			if at := slices.Index(whole, path); at >= 0 {
				laws = append(laws, chainsSum(), lengthsSum(t, at))
				if !testing.Short() {
					laws = append(laws, keysKeepTheTotal(t), graphsSum(t, at), drawingsSum(at), flamesSum(t, at), profilesSum(t))
				}
			}
			p := passOver(t, path, i, laws)
			for _, l := range laws {
				t.Run(l.name, func(t *testing.T) { l.holds(t, p) })
			}
		})
	}
}

// passOver analyzes a recording.
func passOver(t *testing.T, path string, turn int, laws []law) *pass {
	t.Helper()
	p := &pass{path: path, turn: turn, want: analyzed(t, path), sums: locks.New(true)}
	visitors := []analysis.Visitor{p.sums}
	for _, l := range laws {
		visitors = append(visitors, l.wants...)
	}
	var err error
	if p.result, err = (&traceOptions{paths: []string{path}}).run(&env{msg: io.Discard}, visitors...); err != nil {
		t.Fatal(err)
	}
	return p
}

// says returns a document as its command writes it. The command itself is asked in turn,
// for one document in eight over the recordings: it says the very same.
func (p *pass) says(t *testing.T, doc any, command ...string) string {
	t.Helper()
	var text bytes.Buffer
	golden.OK(t, document.Write(&text, doc))
	if p.written++; (p.written+p.turn)%8 == 0 {
		if a := jsonOf(append(command, p.path)...); a.code != exitOK || !bytes.Equal(a.text, text.Bytes()) {
			t.Errorf("%q: exit %d: %s%.2000s\nand in one pass with others\n%.2000s", command, a.code, a.said, a.text, &text)
		}
	}
	return text.String()
}

// inForm returns an answer in a form of its command.
func inForm[D any](t *testing.T, all outputs[D], form string, answer D) string {
	t.Helper()
	var text bytes.Buffer
	golden.OK(t, all[slices.Index(all.names(), form)].write(&text, answer, table.Options{}))
	return text.String()
}
