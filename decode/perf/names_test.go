package perf

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

func TestLinesOfEvents(t *testing.T) {
	for line, want := range map[string]sample{
		"        worker-1 31956 [001]  1354.022351: syscalls:sys_enter_futex: uaddr: 0x10": {
			comm:  []byte("worker-1"),
			pid:   none,
			tid:   31956,
			cpu:   1,
			time:  1354_022_351_000,
			event: []byte("syscalls:sys_enter_futex"),
			args:  []byte("uaddr: 0x10"),
		},
		"wk 0  3637/3675  [001] 22618.038517994:       sched:sched_switch: prev_comm=wk 0": {
			comm:  []byte("wk 0"),
			pid:   3637,
			tid:   3675,
			cpu:   1,
			time:  22618_038_517_994,
			event: []byte("sched:sched_switch"),
			args:  []byte("prev_comm=wk 0"),
		},
		"t 7 1.160000: 250000 cycles:u: 2b9a spin (t)": {
			comm:  []byte("t"),
			pid:   none,
			tid:   7,
			cpu:   none,
			time:  1_160_000_000,
			event: []byte("cycles:u"),
			args:  []byte("2b9a spin (t)"),
		},
		// with the flags of ftrace
		"kworker/0:1 9 [000] d.h3. 1.000001: sched:sched_waking: comm=a": {
			comm:  []byte("kworker/0:1"),
			pid:   none,
			tid:   9,
			cpu:   0,
			time:  1_000_001_000,
			event: []byte("sched:sched_waking"),
			args:  []byte("comm=a"),
		},
		"t 28036 [000] 22800.966883: PERF_RECORD_COMM exec: t:28036/28036": {
			comm:  []byte("t"),
			pid:   none,
			tid:   28036,
			cpu:   0,
			time:  22800_966_883_000,
			event: []byte("PERF_RECORD_COMM"),
			args:  []byte("exec: t:28036/28036"),
		},
		":-1    -1/-1    [001] 2.000000: sched:sched_switch: a": {
			comm:  []byte(":-1"),
			pid:   none,
			tid:   none,
			cpu:   1,
			time:  2_000_000_000,
			event: []byte("sched:sched_switch"),
			args:  []byte("a"),
		},
		"a: b: 1.5: c 12 [000] 2.000000: x:y: z": {
			comm:  []byte("a: b: 1.5: c"),
			pid:   none,
			tid:   12,
			cpu:   0,
			time:  2_000_000_000,
			event: []byte("x:y"),
			args:  []byte("z"),
		},
	} {
		var s sample
		if !s.parse([]byte(line)) {
			t.Errorf("%q is no event", line)
			continue
		}
		if string(s.comm) != string(want.comm) || s.pid != want.pid || s.tid != want.tid || s.cpu != want.cpu ||
			s.time != want.time ||
			string(s.event) != string(want.event) ||
			string(s.args) != string(want.args) {
			t.Errorf("%q: %+v", line, s)
		}
	}
	for _, line := range []string{"", "\t8612b futex_wait+0x2b (inlined)", "  t.cc:12", "# arch : x86_64",
		"t 7 [000] 1.16: x:y: z", "t [000] 1.160000: x:y: z",
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
		golden.Equal(t, Is([]byte(text)), want, text, !want)
	}
	if !IsData([]byte("PERFILE2\x00")) || IsData([]byte("PERFILE")) {
		t.Error("perf.data is known by its first bytes")
	}
}

func TestFramesAreShownAsTheirLanguageWritesThem(t *testing.T) {
	const rustLock = "std::sys::sync::mutex::futex::Mutex::lock_contended"
	for fn, want := range map[string]string{
		"_ZN4bank7Account7depositEi":                            "bank::Account::deposit",
		"bank::Account::deposit(int) const":                     "bank::Account::deposit",
		"_ZN4core3ptr13drop_in_place17h0123456789abcdefE":       "core::ptr::drop_in_place",
		rustLock + "::h0a1b2c3d4e5f6071":                        rustLock,
		"_RNvNtCs1234_7mycrate3foo3bar":                         "mycrate::foo::bar",
		"main()::<lambda()>":                                    "main()::<lambda()>",
		"Functor::operator()(int)":                              "Functor::operator()",
		"operator()":                                            "operator()",
		"py::reserve:/srv/shop.py":                              "py::reserve:/srv/shop.py",
		"[unknown]":                                             "[unknown]",
		"<std::sys::sync::mutex::futex::Mutex>::lock_contended": rustLock,
		"<shop::Table<alloc::string::String>>::get":             "shop::Table<alloc::string::String>::get",
		"<shop::Order as core::ops::drop::Drop>::drop":          "<shop::Order as core::ops::drop::Drop>::drop",
		"<&T>::get": "<&T>::get",
		"<":         "<",
		"<a":        "<a",
	} {
		golden.Equal(t, plainName(fn), want, fn, "is shown as")
	}
}

func TestPythonFunctionsAreNamedByTheirModules(t *testing.T) {
	for name, want := range map[string]string{
		"py::recount:/home/me/shop/stock.py": "stock recount stock.py",
		"py::Thread.join:/usr/lib/python3.12/threading.py": "python3.12.threading Thread.join " +
			"threading.py",
		"py::get:/usr/lib/python3.12/concurrent/futures/__init__.py": "python3.12.concurrent.futures get " +
			"__init__.py",
		"py::send:/venv/lib/python3.13/site-packages/requests/sessions.py": "requests.sessions send sessions.py",
		"py::_find_and_load:<frozen importlib._bootstrap>": "python.importlib._bootstrap " +
			"_find_and_load ",
		"py::main.<locals>.<lambda>:app.py": "app main.<locals>.<lambda> app.py",
		"py::<module>:<string>":             "<string> <module> <string>",
		"std::mutex::lock":                  "",
		"py::":                              "",
	} {
		f, ok := pythonFrame(name)
		if got := f.Class + " " + f.Method + " " + f.File; ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Who recorded Python's functions is not told to record them.
func TestPythonWithoutItsFunctionsIsHinted(t *testing.T) {
	lines := []string{
		"2 1 waits 10 0 0 0 gil",
		"4 2 waits 10 0 0 0 gil",
		"3 7 wake 10 1 0 0 drop",
		"3 7.1 ret 1",
		"2 7.2 ret 0",
		"4 7.3 ret 0",
	}
	hinted := func(text []byte) bool {
		r, _ := readAll(t, text)
		return slices.ContainsFunc(r.Stats().Warnings, func(w format.Warning) bool { return w.Code == "python" })
	}
	text := script(lines...)
	if !hinted(text) {
		t.Error("functions of the interpreter alone: no hint")
	}
	if hinted(bytes.ReplaceAll(text, []byte("run (app)"), []byte("py::main:/src/shop.py (perf-1.map)"))) {
		t.Error("functions of Python show, and the hint says that they do not")
	}
}

// That the interpreter takes a lock, or a module of Python's own, tells none of
// them: the program does.
func TestLocksAreCalledByTheProgram(t *testing.T) {
	chain := "\t 1 __lll_lock_wait (libc.so.6)\n\t 2 method_vectorcall (libpython3.12.so.1.0)\n\t 3 " +
		"py::Handler.acquire:/usr/lib/python3.12/logging/__init__.py (perf-1.map)\n\t 4 py::reserve:/src/shop.py " +
		"(perf-1.map)\n"
	text := bytes.ReplaceAll(
		script("2 1 wait 10 2 0 0 mutex", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.51 ret 0"),
		[]byte(chains["mutex"]),
		[]byte(chain),
	)
	golden.Same(t, lockNames(t, text), []string{"futex of shop.reserve at 0x10"}, "called")
	text = bytes.ReplaceAll(text, []byte("\t 4 py::reserve:/src/shop.py (perf-1.map)\n"), nil)
	golden.Same(
		t,
		lockNames(t, text),
		[]string{"futex of python3.12.logging.Handler.acquire at 0x10"},
		"where the chain ends early: called",
	)
}

func lockNames(t *testing.T, text []byte) (names []string) {
	t.Helper()
	_, events := readAll(t, text)
	for i := range events {
		if events[i].Kind == format.KindObject {
			names = append(names, events[i].Name)
		}
	}
	return names
}

// A lock that nothing names is called as those are that have a name.
func TestLocksWithoutCallChainsAreCalledByTheirAddress(t *testing.T) {
	got := lockNames(t, script("2 1 wait 10 2", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.51 ret 0"))
	golden.Same(t, got, []string{"futex at 0x10"}, "called")
}

// fixture returns a text that perf script printed of our own programs.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../shared/fixtures/perf/" + name)
	if err != nil {
		t.Skip("the shared fixtures are not here")
	}
	return data
}

// readAll reads a text to its end.
func readAll(t testing.TB, data []byte) (*Reader, []format.Event) {
	t.Helper()
	r := NewReader(bytes.NewReader(data), "test", nil)
	var list format.List
	var ev format.Event
	err := r.Read(&ev)
	for ; err == nil; err = r.Read(&ev) {
		_ = list.Write(&ev)
	}
	if !errors.Is(err, io.EOF) || r.Read(&ev) != err {
		t.Fatalf("ended with %v, then %v", err, r.Read(&ev))
	}
	return r, list.Events
}

// sum adds up what there is of a kind: how many, and how long together.
func sum(events []format.Event, kind format.Kind, of func(*format.Event) bool) (n int, ns int64) {
	for i := range events {
		if ev := &events[i]; ev.Kind == kind && (of == nil || of(ev)) {
			n++
			ns += max(ev.End-ev.Time, 0)
		}
	}
	return n, ns
}

// The sums are those a few lines of awk make of the entries and exits of
// FUTEX_WAIT at the mutex's address: 159 calls of together 239.056 ms, two of
// which are tries of one acquire.
func TestWaitsOfAMutexAreCounted(t *testing.T) {
	r, events := readAll(t, fixture(t, "perf-futex-sched-pthread.txt"))
	n, ns := sum(events, format.KindWait, nil)
	golden.Within(t, n, 157, 159)
	golden.Within(t, ns, 237e6, 241e6)
	woken, _ := sum(
		events,
		format.KindRelease,
		func(ev *format.Event) bool { return ev.Thread != format.NoThread && ev.Woken != format.NoThread },
	)
	golden.AtLeast(t, woken, 157, "releases tell who gave the lock back to whom")
	if s := r.Stats(); s.Events != 1443 || !s.Damage.Whole() || s.BytesRead != s.BytesTotal {
		t.Errorf("%+v", s)
	}
}
