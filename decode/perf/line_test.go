package perf

import (
	"strings"
	"testing"
)

func TestLinesOfEvents(t *testing.T) {
	for line, want := range map[string]sample{
		"        worker-1 31956 [001]  1354.022351: syscalls:sys_enter_futex: uaddr: 0x10": {comm: []byte("worker-1"), pid: none, tid: 31956, cpu: 1, time: 1354_022_351_000, event: []byte("syscalls:sys_enter_futex"), args: []byte("uaddr: 0x10")},
		"wk 0  3637/3675  [001] 22618.038517994:       sched:sched_switch: prev_comm=wk 0": {comm: []byte("wk 0"), pid: 3637, tid: 3675, cpu: 1, time: 22618_038_517_994, event: []byte("sched:sched_switch"), args: []byte("prev_comm=wk 0")},
		"t 7 1.160000: 250000 cycles:u: 2b9a spin (t)":                                     {comm: []byte("t"), pid: none, tid: 7, cpu: none, time: 1_160_000_000, event: []byte("cycles:u"), args: []byte("2b9a spin (t)")},
		"kworker/0:1 9 [000] d.h3. 1.000001: sched:sched_waking: comm=a":                   {comm: []byte("kworker/0:1"), pid: none, tid: 9, cpu: 0, time: 1_000_001_000, event: []byte("sched:sched_waking"), args: []byte("comm=a")}, // with the flags of ftrace
		"t 28036 [000] 22800.966883: PERF_RECORD_COMM exec: t:28036/28036":                 {comm: []byte("t"), pid: none, tid: 28036, cpu: 0, time: 22800_966_883_000, event: []byte("PERF_RECORD_COMM"), args: []byte("exec: t:28036/28036")},
		"a: b: 1.5: c 12 [000] 2.000000: x:y: z":                                           {comm: []byte("a: b: 1.5: c"), pid: none, tid: 12, cpu: 0, time: 2_000_000_000, event: []byte("x:y"), args: []byte("z")},
	} {
		var s sample
		if !s.parse([]byte(line)) {
			t.Errorf("%q is no event", line)
			continue
		}
		if string(s.comm) != string(want.comm) || s.pid != want.pid || s.tid != want.tid || s.cpu != want.cpu || s.time != want.time || string(s.event) != string(want.event) || string(s.args) != string(want.args) {
			t.Errorf("%q: %+v", line, s)
		}
	}
	for _, line := range []string{"", "\t8612b futex_wait+0x2b (inlined)", "  t.cc:12", "# arch : x86_64", "t 7 [000] 1.16: x:y: z", "t [000] 1.160000: x:y: z",
		"7 1.160000: x:y: z", "t 7 [000] 99999999999.000000: x:y: z", "2026-01-01 10:00:00 INFO a.b: c"} {
		var s sample
		if s.parse([]byte(line)) && string(s.comm) != "" {
			t.Errorf("%q is an event: %+v", line, s)
		}
	}
}

func TestTextsAreKnownByTheirEvents(t *testing.T) {
	for text, want := range map[string]bool{
		"# captured on : today\n#\nt 7 [000] 1.160000: sched:sched_switch: a":          true,
		"t 7 [000] 1.160000: 250000 cycles:u: 2b9a spin":                               true,
		"Warning: 3 chunks lost\nt 7 1.160000: lock:contention_begin: 0x1":             true,
		"2026-01-01 10:00:00\nFull thread dump\n\"a\" #1 prio=5":                       false,
		"goroutine 1 [running]:\nmain.main()\n":                                        false,
		"t 7 [000] 1.160000: something else: said":                                     false,
		strings.Repeat("log line\n", 100) + "t 7 1.160000: lock:contention_begin: 0x1": false,
	} {
		if Is([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	if !IsData([]byte("PERFILE2\x00")) || IsData([]byte("PERFILE")) {
		t.Error("perf.data is known by its first bytes")
	}
}

func TestFramesAreShownAsTheirLanguageWritesThem(t *testing.T) {
	for fn, want := range map[string]string{
		"_ZN4bank7Account7depositEi":                                             "bank::Account::deposit",
		"bank::Account::deposit(int) const":                                      "bank::Account::deposit",
		"_ZN4core3ptr13drop_in_place17h0123456789abcdefE":                        "core::ptr::drop_in_place",
		"std::sys::sync::mutex::futex::Mutex::lock_contended::h0a1b2c3d4e5f6071": "std::sys::sync::mutex::futex::Mutex::lock_contended",
		"_RNvNtCs1234_7mycrate3foo3bar":                                          "mycrate::foo::bar",
		"main()::<lambda()>":                                                     "main()::<lambda()>",
		"Functor::operator()(int)":                                               "Functor::operator()",
		"operator()":                                                             "operator()",
		"py::reserve:/srv/shop.py":                                               "py::reserve:/srv/shop.py",
		"[unknown]":                                                              "[unknown]",
	} {
		if got := plainName(fn); got != want {
			t.Errorf("%s is shown as %s, want %s", fn, got, want)
		}
	}
}
