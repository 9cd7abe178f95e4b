package perf

import (
	"bytes"
	"slices"
	"testing"

	"contend/format"
)

func TestPythonFunctionsAreNamedByTheirModules(t *testing.T) {
	for name, want := range map[string]string{
		"py::recount:/home/me/shop/stock.py":                               "stock recount stock.py",
		"py::Thread.join:/usr/lib/python3.12/threading.py":                 "python3.12.threading Thread.join threading.py",
		"py::get:/usr/lib/python3.12/concurrent/futures/__init__.py":       "python3.12.concurrent.futures get __init__.py",
		"py::send:/venv/lib/python3.13/site-packages/requests/sessions.py": "requests.sessions send sessions.py",
		"py::_find_and_load:<frozen importlib._bootstrap>":                 "python.importlib._bootstrap _find_and_load ",
		"py::main.<locals>.<lambda>:app.py":                                "app main.<locals>.<lambda> app.py",
		"py::<module>:<string>":                                            "<string> <module> <string>",
		"std::mutex::lock":                                                 "",
		"py::":                                                             "",
	} {
		f, ok := pythonFrame(name)
		if got := f.Class + " " + f.Method + " " + f.File; ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Who recorded Python's functions is not told to record them.
func TestPythonWithoutItsFunctionsIsHinted(t *testing.T) {
	lines := []string{"2 1 waits 10 0 0 0 gil", "4 2 waits 10 0 0 0 gil", "3 7 wake 10 1 0 0 drop", "3 7.1 ret 1", "2 7.2 ret 0", "4 7.3 ret 0"}
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
	chain := "\t 1 __lll_lock_wait (libc.so.6)\n\t 2 method_vectorcall (libpython3.12.so.1.0)\n\t 3 py::Handler.acquire:/usr/lib/python3.12/logging/__init__.py (perf-1.map)\n\t 4 py::reserve:/src/shop.py (perf-1.map)\n"
	text := bytes.ReplaceAll(script("2 1 wait 10 2 0 0 mutex", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.51 ret 0"), []byte(chains["mutex"]), []byte(chain))
	if got := lockNames(t, text); !slices.Equal(got, []string{"futex of shop.reserve at 0x10"}) {
		t.Errorf("called %q", got)
	}
	text = bytes.ReplaceAll(text, []byte("\t 4 py::reserve:/src/shop.py (perf-1.map)\n"), nil)
	if got := lockNames(t, text); !slices.Equal(got, []string{"futex of python3.12.logging.Handler.acquire at 0x10"}) {
		t.Errorf("where the chain ends early: called %q", got)
	}
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
	if !slices.Equal(got, []string{"futex at 0x10"}) {
		t.Errorf("called %q", got)
	}
}
