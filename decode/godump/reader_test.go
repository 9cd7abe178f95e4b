package godump

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	return golden.Must(os.ReadFile("../../testdata/" + name))(t)
}

// seen is what dumps tell.
type seen struct {
	threads map[format.ThreadID]string
	locks   map[format.ObjectID]format.Event
	ticks   []format.Event
	waiters map[string]int // by lock: hash or name
	stats   format.Stats
}

func read(t testing.TB, data []byte) *seen {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), "test", nil, 0)
	if (r == nil) == (err == nil) {
		t.Fatalf("reader %v and error %v", r, err)
	}
	s := &seen{map[format.ThreadID]string{}, map[format.ObjectID]format.Event{}, nil, map[string]int{}, format.Stats{}}
	if err != nil {
		if !errors.Is(err, format.ErrNotMine) {
			t.Fatal(err)
		}
		return s
	}
	for {
		var ev format.Event
		if err := r.Read(&ev); err != nil {
			if !errors.Is(err, io.EOF) || r.Read(&ev) != err {
				t.Fatal(err)
			}
			s.stats = r.Stats()
			return s
		}
		switch ev.Kind {
		case format.KindThread:
			s.threads[ev.Thread] = ev.Name
		case format.KindObject:
			s.locks[ev.Object] = ev
		case format.KindTick:
			s.ticks = append(s.ticks, ev)
		case format.KindContention:
			s.waiters[s.locks[ev.Object].Class] += len(ev.Waiters)
			if len(ev.Owners) != 1 || ev.Owners[0].Thread != format.NoThread {
				t.Errorf("owners %v", ev.Owners)
			}
		}
	}
}

// Goroutines and waiters, against an independent count of lines.
func TestCountsEqualTheText(t *testing.T) {
	for _, name := range []string{"go126-debug2-dump.txt", "go126-sigquit-dump.txt"} {
		data := load(t, name)
		count := func(pattern string) int { return len(regexp.MustCompile(pattern).FindAll(data, -1)) }
		s := read(t, data)
		if want := count(`(?m)^goroutine \d+ `); len(s.threads) != want || len(s.ticks) != 1 ||
			int(s.ticks[0].Live) != want ||
			s.stats.Events != int64(want) {
			t.Errorf("%s: %d goroutines, want %d: %v", name, len(s.threads), want, s.ticks)
		}
		if want := count(`(?m)^main\.\(\*ledger\)\.post\(`); s.waiters["sync.Mutex"] != want || want == 0 {
			t.Errorf("%s: %v wait, want %d", name, s.waiters, want)
		}
		if want := count(`(?m)^main\.(lookup|refresh)\(`); s.waiters["sync.RWMutex"] != want || want == 0 {
			t.Errorf("%s: %v wait, want %d", name, s.waiters, want)
		}
		mutexes := 0
		for _, l := range s.locks {
			if l.Class == "sync.Mutex" {
				mutexes++
				if !bytes.Contains(data, []byte("lockSlow(0x")) || l.Hash == 0 {
					t.Errorf("%s: %+v has no address", name, l)
				}
			}
		}
		golden.Equal(t, mutexes, 2, name, "mutexes")
	}
}

// With the runtime's frames all waiters of a read-write lock name it, each by
// another of its semaphores; without, the address of the writers is that of the only one.
func TestAReadWriteLockIsOne(t *testing.T) {
	for _, name := range []string{"go126-sigquit-dump.txt", "go126-debug2-dump.txt"} {
		s := read(t, load(t, name))
		locks := 0
		for _, l := range s.locks {
			if l.Class == "sync.RWMutex" {
				locks++
			}
		}
		golden.Equal(t, locks, 1, name, "read-write locks, want 1", s.locks)
	}
}

// Several dumps of a process, with a log between or nothing at all: a
// goroutine keeps its id, and a lock its own.
func TestSeveralDumps(t *testing.T) {
	one := load(t, "go126-debug2-dump.txt")
	alone := read(t, one)
	for _, between := range []string{"\n", "\n2026/11/21 12:00:00 still stuck\n\n"} {
		s := read(t, bytes.Join([][]byte{one, one, one}, []byte(between)))
		if len(s.ticks) != 3 || len(s.threads) != len(alone.threads) || len(s.locks) != len(alone.locks) ||
			s.waiters["sync.Mutex"] != 3*alone.waiters["sync.Mutex"] {
			t.Errorf(
				"%q between: %d ticks, %d goroutines, %d locks, %v",
				between,
				len(s.ticks),
				len(s.threads),
				len(s.locks),
				s.waiters,
			)
		}
	}
}

func TestBegins(t *testing.T) {
	for text, want := range map[string]bool{
		"SIGQUIT: quit\nPC=0x1 m=0\n\ngoroutine 1 [running]:\n": true,
		"goroutine 7 gp=0x1 m=nil [sleep]:\nmain.main()\n":      true,
		"\"main\" #1 prio=5\n":                                  false,
		"a goroutine 1 [running]":                               false,
		"goroutine profile: total 3\n":                          false,
		"":                                                      false,
	} {
		golden.Equal(t, slices.ContainsFunc(strings.Split(text, "\n"), Begins), want, text, !want)
	}
}

// However much of a dump there is, what is whole is read.
func TestEveryPrefix(t *testing.T) {
	data, last := load(t, "go126-debug2-dump.txt"), 0
	for n := 0; n <= len(data); n += 5 {
		s := read(t, data[:n])
		if damaged := hasCode(s.stats.Warnings, "truncated"); len(s.ticks) > 0 && !damaged && data[n-1] != '\n' {
			t.Errorf("%d bytes: cut within a line, not said: %v", n, s.stats.Warnings)
		}
		golden.AtLeast(t, len(s.threads), last-1, n, "bytes", "goroutines, fewer had", last)
		last = max(last, len(s.threads))
	}
	golden.Equal(t, last, strings.Count(string(data), "\ngoroutine ")+1, "goroutines")
}

func hasCode(list []format.Warning, code string) bool {
	return slices.ContainsFunc(list, func(w format.Warning) bool { return w.Code == code })
}
