package gosym

import (
	"testing"

	"contend/format"
)

func TestSplit(t *testing.T) {
	for name, want := range map[string][2]string{
		"main.main":                               {"main", "main"},
		"net/http.(*conn).serve":                  {"net/http", "(*conn).serve"},
		"example.org/a.b/c.Do.func1":              {"example.org/a.b/c", "Do.func1"},
		"main.Map[go.shape.int,a/b.T].Put":        {"main", "Map[go.shape.int,a/b.T].Put"},
		"internal/runtime/syscall/linux.Syscall6": {"internal/runtime/syscall/linux", "Syscall6"},
		"memmove": {"", "memmove"},
		"a\xff.b": {"a\uFFFD", "b"},
		"":        {"", ""},
	} {
		if pkg, fn := Split(name); pkg != want[0] || fn != want[1] {
			t.Errorf("%q: %q and %q", name, pkg, fn)
		}
	}
}

func TestStart(t *testing.T) {
	frame := func(names ...string) (list []format.Frame) {
		for _, n := range names {
			pkg, fn := Split(n)
			list = append(list, format.Frame{Class: pkg, Method: fn})
		}
		return list
	}
	for _, c := range []struct {
		frames []format.Frame
		want   string
		sure   bool
	}{
		{frame("sync.(*Mutex).Lock", "main.work", "main.main.func1"), "main.main.func1", true},
		{frame("main.work", "sync.(*WaitGroup).Go.func1", "runtime.goexit"), "main.work", true},
		{frame("sync.(*WaitGroup).Go.func1"), "sync.(*WaitGroup).Go.func1", false},
		{frame("runtime.gopark", "runtime.bgsweep"), "runtime.bgsweep", false},
		{nil, "goroutine", false},
	} {
		if name, sure := Start(c.frames); name != c.want || sure != c.sure {
			t.Errorf("%v: %q, %v", c.frames, name, sure)
		}
	}
}
