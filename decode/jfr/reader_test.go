package jfr

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/decode/threaddump"
	"contend/format"
	"contend/golden"
)

const (
	ours   = "../../testdata"
	public = "../../../shared/fixtures/public/jfr"
)

// recordings returns every recording with independent totals, ours first.
func recordings(t testing.TB) (paths []string) {
	t.Helper()
	paths, _ = filepath.Glob(ours + "/*.jfr")
	if len(paths) < 9 {
		t.Fatalf("%d recordings under %s", len(paths), ours)
	}
	others, _ := filepath.Glob(public + "/*.jfr*")
	if len(others) == 0 {
		t.Log("skipped: the public recordings are not here")
	}
	return append(paths, others...)
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	golden.OK(t, err)
	if !strings.HasSuffix(path, ".gz") {
		return data
	}
	z := golden.Must(gzip.NewReader(bytes.NewReader(data)))(t)
	if data, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return data
}

// sum is a count and nanoseconds.
type sum [2]int64

// read sums a recording by kind of event and class.
func read(t testing.TB, data []byte) (map[string]map[string]sum, format.Stats) {
	t.Helper()
	r := golden.Must(NewReader(bytes.NewReader(data), "test.jfr", Options{}))(t)
	out := map[string]map[string]sum{
		"jdk.JavaMonitorEnter":  {},
		"jdk.ThreadPark":        {},
		"jdk.JavaMonitorWait":   {},
		"jdk.JavaMonitorNotify": {},
	}
	classes, kinds := map[format.ObjectID]string{}, map[format.ObjectID]format.LockKind{}
	named := map[format.ThreadID]bool{}
	var ev format.Event
	for {
		if err := r.Read(&ev); errors.Is(err, io.EOF) {
			return out, r.Stats()
		} else if err != nil {
			t.Fatal(err)
		}
		event := ""
		switch ev.Kind {
		case format.KindObject:
			classes[ev.Object], kinds[ev.Object] = ev.Class, ev.LockKind
		case format.KindThread:
			named[ev.Thread] = true
		case format.KindWait:
			event = "jdk.ThreadPark"
			if kinds[ev.Object] == format.KindMonitor {
				event = "jdk.JavaMonitorEnter"
			}
			if !named[ev.Thread] {
				t.Fatalf("thread %d is used before it is named", ev.Thread)
			}
		case format.KindActivity:
			switch {
			case ev.Activity == format.ActivityTook: // shown by a dump
			case ev.Activity == format.ActivityWait:
				event = "jdk.JavaMonitorWait"
			case ev.Activity == format.ActivityRun && ev.Object != format.NoObject:
				event = "jdk.JavaMonitorNotify"
			case ev.Object != format.NoObject:
				event = "jdk.ThreadPark"
			}
		}
		if event != "" {
			c := classes[ev.Object]
			s := out[event][c]
			out[event][c] = sum{s[0] + 1, s[1] + ev.End - ev.Time}
		}
	}
}

// Waits for a class to be initialised are told among those of Object.wait, and read as waits
// for the lock that they are.
func TestTotalsEqualTheJDKs(t *testing.T) {
	for _, path := range recordings(t) {
		name := filepath.Base(path)
		truth, err := os.ReadFile(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".jfr") + ".totals.json")
		if err != nil {
			continue // one the JDK's tool cannot read
		}
		t.Run(name, func(t *testing.T) {
			var want map[string]struct{ ByClass map[string]sum }
			golden.OK(t, json.Unmarshal(truth, &want))
			enters, waits := want["jdk.JavaMonitorEnter"].ByClass, want["jdk.JavaMonitorWait"].ByClass
			for class, w := range waits {
				if threaddump.JavaName(class) == initLock {
					enters[class] = sum{enters[class][0] + w[0], enters[class][1] + w[1]}
					delete(waits, class)
				}
			}
			got, stats := read(t, load(t, path))
			if !stats.Damage.Whole() || stats.BytesRead != stats.BytesTotal {
				t.Errorf("%+v", stats)
			}
			for event, classes := range got {
				golden.Equal(t, len(classes), len(want[event].ByClass), event)
				for class, w := range want[event].ByClass {
					name := lockClass(threaddump.JavaName(class))
					if name == "" {
						name = "[unknown class]"
					}
					g := classes[name]
					if off := g[1] - w[1]; g[0] != w[0] || max(off, -off) > w[0] {
						t.Errorf("%s %s: %v, want %v", event, name, g, w)
					}
				}
			}
		})
	}
}

func TestChunksThatTheJDKGivesUpOn(t *testing.T) {
	path := public + "/async-profiler-3chunks-type-zero.jfr.gz"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the public recordings are not here")
	}
	got, stats := read(t, load(t, path))
	golden.AtMost(t, len(stats.Warnings), 0)
	golden.AtLeast(t, stats.Events, 10000)
	t.Log(got)
}
