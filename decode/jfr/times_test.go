package jfr

import (
	"bytes"
	"math"
	"testing"
	"time"

	"contend/golden"
)

// A program may set a threshold without a space; the JDK's own settings have
// one.
func TestThresholdsWithAndWithoutSpace(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"20 ms": 20 * time.Millisecond, "10ms": 10 * time.Millisecond, "10000000 ns": 10 * time.Millisecond, "0 ns": 0,
		"1  s": time.Second, "2m": 2 * time.Minute, "infinity": 0, "": 0, "7": 0, "9999999999999 d": math.MaxInt64,
	} {
		if got := nanoseconds(text); got != int64(want) {
			t.Errorf("%q: %v, want %v", text, time.Duration(got), want)
		}
	}
}

// The time a sleep asked for is in the unit that the recording tells.
func TestSleepsHaveTheirUnit(t *testing.T) {
	for name, want := range map[string]int64{"truth-8threads.jfr": 20e6, "truth-8threads-jdk25.jfr": 20} {
		data := load(t, ours+"/"+name)
		r := golden.Must(NewReader(bytes.NewReader(data), name, Options{}))(t)
		if got := r.timespan(20, r.meta.units[slotTime]); got != want {
			t.Errorf("%s: 20 %s are %d ns, want %d", name, r.meta.units[slotTime], got, want)
		}
	}
	r := started(t)
	if got, want := r.timespan(1000, "TICKS"), r.head.nanos(1000); got != want {
		t.Errorf("1000 ticks are %d, want %d", got, want)
	}
}
