package jfr

import (
	"strings"
	"testing"

	"contend/format"
)

// set books a setting of an event, and returns what is delivered of it.
func (r *Reader) set(t *testing.T, event, name, value string) (ev format.Event, told bool) {
	t.Helper()
	for id, p := range r.meta.programs {
		if p.spec.name == event {
			text := func(s string) int64 { return int64(r.grow(append([]byte{stringUTF8, byte(len(s))}, s...)...)) }
			v := values{slotID: id, slotName: text(name), slotValue: text(value)}
			told = setting(r, &v, &ev)
			return ev, told
		}
	}
	t.Fatal("no event ", event)
	return ev, false
}

// No waits where none were recorded is no answer.
func TestSettingsThatRecordNoWaits(t *testing.T) {
	r := started(t)
	clear(r.recorded)
	for _, c := range []struct{ event, value, want string }{
		{"ThreadSleep", "false", "nothing says that waits were recorded"},
		{"ThreadPark", "false", "disable jdk.ThreadPark;"},
		{"JavaMonitorEnter", "false", "disable jdk.JavaMonitorEnter and jdk.ThreadPark;"},
		{"JavaMonitorEnter", "true", "disable jdk.ThreadPark;"},
		{"JavaMonitorEnter", "false", "disable jdk.ThreadPark;"}, // later: it was recorded before
		{"ThreadPark", "true", ""},
	} {
		r.set(t, c.event, "enabled", c.value)
		said := ""
		for _, w := range r.Stats().Warnings {
			said += w.Text
		}
		if !strings.Contains(said, c.want) || (said == "") != (c.want == "") {
			t.Errorf("%s %s: %q, want %q", c.event, c.value, said, c.want)
		}
	}
}

// What async-profiler did not record, no setting of the JDK would have.
func TestAdviceForAsyncProfiler(t *testing.T) {
	r := started(t)
	clear(r.recorded)
	for _, want := range []string{"'contend jfc' prints", "async-profiler records them with -e lock"} {
		r.set(t, "JavaMonitorEnter", "enabled", "false")
		s := r.Stats()
		if w := s.Warnings; len(w) != 1 || !strings.Contains(w[0].Text, want) || strings.HasSuffix(s.Format, format.OfAsyncProfiler) != r.meta.sampler {
			t.Errorf("%s: %v, want %q", s.Format, w, want)
		}
		r.meta.sampler = true
	}
}

// async-profiler calls its threshold "lock", in nanoseconds; 0 leaves out none.
func TestThresholdOfAsyncProfiler(t *testing.T) {
	r := started(t)
	if ev, told := r.set(t, "JavaMonitorEnter", "lock", "0"); told {
		t.Errorf("%+v", ev)
	}
	if ev, told := r.set(t, "JavaMonitorEnter", "lock", "10000"); !told || ev.Name != "jdk.JavaMonitorEnter#threshold" || ev.Value != "10000 ns" || ev.Weight != 10000 {
		t.Errorf("%v %+v", told, ev)
	}
}
