package findings

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/blame/locks"
	"contend/decode"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

const ms = int64(1e6)

// script is a trace in the making; times in ms.
type script struct {
	t      *testing.T
	list   format.List
	stacks format.StackID
}

func newScript(t *testing.T, threads, locks int) *script {
	s := &script{t: t}
	s.write(format.Event{Kind: format.KindRecording, Time: 0, End: 10000 * ms})
	for i := range threads {
		s.write(format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprintf("worker-%d", i)})
	}
	for i := range locks {
		s.write(format.Event{Kind: format.KindObject, Object: format.ObjectID(i + 1), Class: "Ledger", Hash: uint64(i + 1)})
	}
	return s
}

func (s *script) write(ev format.Event) {
	s.t.Helper()
	if err := s.list.Write(&ev); err != nil {
		s.t.Fatal(err)
	}
}

// stack returns a stack, written Class.method innermost first.
func (s *script) stack(frames ...string) format.StackID {
	s.stacks++
	ev := format.Event{Kind: format.KindStack, Stack: s.stacks}
	for _, f := range frames {
		dot := strings.LastIndexByte(f, '.')
		ev.Frames = append(ev.Frames, format.Frame{Class: f[:dot], Method: f[dot+1:], Line: 1})
	}
	s.write(ev)
	return s.stacks
}

// wait lets a thread wait for a lock, and then have it.
func (s *script) wait(thread, lock int, stack format.StackID, from, to, until int64) {
	t, l := format.ThreadID(thread), format.ObjectID(lock)
	s.write(format.Event{Kind: format.KindWait, Thread: t, Object: l, Time: from * ms, End: to * ms, Stack: stack})
	s.write(format.Event{Kind: format.KindTenure, Thread: t, Object: l, Time: to * ms, End: until * ms, Stack: stack})
}

// simulated returns what is found in a program of the simulator.
func simulated(t *testing.T, c simulate.Config) []Finding {
	t.Helper()
	l := &format.List{}
	golden.Must(simulate.Run(c, l, nil))(t)
	return find(t, l, c.Duration)
}

// find returns what is found in a trace, written and read again as users' are.
func find(t *testing.T, l *format.List, elapsed int64) []Finding {
	t.Helper()
	var file bytes.Buffer
	w, err := format.NewWriter(&file, format.WriterOptions{})
	golden.OK(t, err)
	for i := range l.Events {
		golden.OK(t, w.Write(&l.Events[i]))
	}
	golden.OK(t, w.Close())
	tr := golden.Must(decode.Open([]string{decode.Stdin}, &file, decode.Options{}))(t)
	defer tr.Close()
	return inTrace(t, tr, elapsed)
}

// inRecording returns what is found in a recording of testdata.
func inRecording(t *testing.T, name string) []Finding {
	t.Helper()
	tr := golden.Must(decode.Open([]string{filepath.Join("../../testdata", name)}, nil, decode.Options{}))(t)
	defer tr.Close()
	return inTrace(t, tr, 0)
}

// inTrace returns what is found in a trace; an elapsed time of 0 is its own.
func inTrace(t *testing.T, tr *decode.Trace, elapsed int64) []Finding {
	t.Helper()
	c, v := locks.NewOverview(locks.Options{}), NewEvidence()
	res := golden.Must(analysis.Run(tr, analysis.Filter{From: format.NoTime, To: format.NoTime}, c, v))(t)
	if elapsed == 0 && tr.Stats().Unit == format.UnitTime {
		elapsed = res.ElapsedNs
	}
	return Find(c, c.Locks(), v, Trace{Symbols: res.Symbols, Deadlocks: res.Deadlocks, ElapsedNs: elapsed})
}

// kindsOf returns the kinds of some findings, each as often as it is found.
func kindsOf(list []Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, f.Kind.String())
	}
	return strings.Join(out, " ")
}

// setOf returns the kinds of some findings, in their order, each once.
func setOf(list []Finding) string {
	var kinds []Kind
	for _, f := range list {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	var out []string
	for _, k := range slices.Compact(kinds) {
		out = append(out, k.String())
	}
	return strings.Join(out, " ")
}
