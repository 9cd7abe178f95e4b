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

// A lock that nothing names is called as those are that have a name.
func TestLocksWithoutCallChainsAreCalledByTheirAddress(t *testing.T) {
	_, events := readAll(t, script("2 1 wait 10 2", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.51 ret 0"))
	for i := range events {
		if ev := &events[i]; ev.Kind == format.KindObject && ev.Name != "futex at 0x10" {
			t.Errorf("called %q", ev.Name)
		}
	}
}
