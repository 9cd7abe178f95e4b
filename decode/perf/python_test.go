package perf

import "testing"

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
