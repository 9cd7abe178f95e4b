package perf

import (
	"path"
	"strings"

	"contend/format"
)

// pythonPrefix begins the names that an interpreter gives to perf for Python functions
// (python3 -X perf): py::Thread.join:/usr/lib/python3.12/threading.py.
const pythonPrefix = "py::"

// pythonFrame makes the frame of such a function: its module is the class, as Python writes
// it. A module of Python's library begins with the version: python3.12.threading.
func pythonFrame(name string) (f format.Frame, ok bool) {
	rest, ok := strings.CutPrefix(name, pythonPrefix)
	if !ok {
		return f, false
	}
	fn, file, ok := strings.Cut(rest, ":")
	if !ok || fn == "" {
		return f, false
	}
	if frozen, ok := strings.CutPrefix(strings.TrimSuffix(file, ">"), "<frozen "); ok {
		return format.Frame{Class: "python." + frozen, Method: fn}, true
	}
	return format.Frame{Class: moduleOf(file), Method: fn, File: path.Base(file)}, true
}

// moduleOf names the module of a file.
func moduleOf(file string) string {
	module := strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__")
	_, library, ok := strings.Cut(module, "/lib/python3")
	if !ok {
		return path.Base(module)
	}
	for _, packages := range [...]string{"/site-packages/", "/dist-packages/"} {
		if _, others, ok := strings.Cut(library, packages); ok {
			return strings.ReplaceAll(others, "/", ".")
		}
	}
	return "python3" + strings.ReplaceAll(library, "/", ".")
}

// pythonLibrary reports whether a function is of a module of Python's own.
func pythonLibrary(f format.Frame) bool {
	return strings.HasPrefix(f.Class, "python.") || strings.HasPrefix(f.Class, "python3.")
}
