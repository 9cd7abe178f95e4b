package gonames

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

// What has a lock inside is called by its own name, and taken where the program calls it.
func TestUseOf(t *testing.T) {
	for _, c := range []struct {
		stack               []string
		class, method, from string
	}{
		{[]string{"sync.(*Mutex).Lock", "shop.order"}, "sync.Mutex", "Lock", "shop.order"},
		{[]string{"internal/sync.(*Mutex).lockSlow", "internal/sync.(*Mutex).Lock", "sync.(*Mutex).Lock",
			"sync.(*RWMutex).Lock", "shop.order"}, "sync.RWMutex", "Lock", "shop.order"},
		{[]string{"sync.(*Mutex).Lock", "sync.(*Once).doSlow", "sync.(*Once).Do", "shop.order"}, "sync.Once", "Lock",
			"shop.order"},
		{[]string{"sync.(*Mutex).Unlock", "sync.(*Once).doSlow", "sync.(*Once).Do", "shop.order"}, "sync.Once",
			"Unlock", "shop.order"},
		{[]string{"sync.(*Mutex).Lock", "sync.(*Cond).Wait", "shop.order"}, "sync.Mutex", "Lock", "shop.order"},
		{[]string{"sync.(*Mutex).Lock", "shop.load", "sync.(*Once).doSlow", "sync.(*Once).Do", "shop.order"},
			"sync.Mutex", "Lock", "shop.load"},
		{[]string{"time.Sleep", "shop.load", "sync.(*Once).doSlow", "sync.(*Once).Do", "shop.order"}, "", "",
			"time.Sleep"},
	} {
		var frames []format.Frame
		for _, name := range c.stack {
			pkg, fn := Split(name)
			frames = append(frames, format.Frame{Class: pkg, Method: fn})
		}
		if u := UseOf(frames); u.Class != c.class || u.Method != c.method || Name(u.At) != c.from {
			t.Errorf("%v: %+v", c.stack, u)
		}
	}
}
