package godump

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"contend/decode/unwrap"
	"contend/format"
	"contend/golden"
)

// blocked is a goroutine that waits for the Mutex at 0xc000100000; extra is
// what stands between the frames of sync and of main.
func blocked(id, extra string) string {
	return "goroutine " + id + " [sync.Mutex.Lock]:\n" +
		"sync.(*Mutex).lockSlow(0xc000100000)\n\t/usr/local/go/src/sync/mutex.go:149 +0x15d\n" +
		"sync.(*Mutex).Lock(...)\n\t/usr/local/go/src/sync/mutex.go:46\n" + extra +
		"main.post(0x1)\n\t/src/main.go:9 +0x33\ncreated by main.main in goroutine 1\n\t/src/main.go:12 +0x33\n"
}

const raceReport = `==================
WARNING: DATA RACE
Write at 0x00c0000140a8 by goroutine 8:
  main.main.func1()
      /src/main.go:9 +0x33

Previous write at 0x00c0000140a8 by goroutine 7:
  main.main.func1()
      /src/main.go:9 +0x33

Goroutine 8 (running) created at:
  main.main()
      /src/main.go:9 +0x11
==================
`

const crashedThread = `
-----

SIGQUIT: quit
PC=0x480b03 m=1 sigcode=0

goroutine 0 gp=0xc0000025a0 m=1 mp=0xc000fe008 [idle]:
runtime.futex(0x563a40, 0x80)
	/usr/local/go/src/runtime/sys_linux_amd64.s:570 +0x23 fp=0x7e9e70 sp=0x7e9e68 pc=0x480b03

goroutine 2 gp=0xc0000025a0 m=1 mp=0xc000fe008 [running]:
main.spin()
	/src/main.go:30 +0x23 fp=0x7e9e70 sp=0x7e9e68 pc=0x480b03
rax    0xfffffffffffffffc
rflags 0x246
`

// What the runtime prints beside plain goroutines neither ends a dump nor
// begins another.
func TestOneDumpIsOne(t *testing.T) {
	two, three := blocked("2", ""), blocked("3", "")
	for name, text := range map[string]string{
		"plain": two + "\n" + three,
		"named by //line": blocked("2", "main.parse()\n\tyaccpar:153 +0x1\nmain.render(...)\n\t/src/a "+
			"b.templ:7\n") + "\n" + three,
		"frames of C": blocked("2", "non-Go function\n\tpc=0x7f00\nns::f(int)\n\t/src/f.cpp:4 "+
			"pc=0x7f01\n") + "\n" + three,
		"ancestors": two + "[originating from goroutine 1]:\nmain.main(...)\n\t/src/main.go:31 " +
			"+0x78\n\n" + three,
		"rules in a log": "-----\nSIGQUIT: quit\n\n" + two + "\n" + three + "\n-----\n\n",
		"a race before":  raceReport + two + "\n" + three,
		"a race behind":  two + "\n" + three + raceReport,
		"threads of the system": "SIGQUIT: quit\n\n" + two + "\n" + three + "\nrax    0x0\n" + crashedThread +
			crashedThread,
		"lines that end as on Windows": strings.ReplaceAll(raceReport+two+"\n"+three+crashedThread, "\n", "\r\n"),
		"a stack being scanned":        strings.Replace(two, "Lock]", "Lock (scan)]", 1) + "\n" + three,
	} {
		s := read(t, []byte(text))
		if len(s.ticks) != 1 || s.ticks[0].Live != 2 || s.waiters["sync.Mutex"] != 2 || len(s.locks) != 1 ||
			hasCode(s.stats.Warnings, "lost-data") ||
			hasCode(s.stats.Warnings, "truncated") {
			t.Errorf("%s: %d waiters, ticks %v, warnings %v", name, s.waiters["sync.Mutex"], s.ticks, s.stats.Warnings)
		}
	}
}

// A program that crashed is started again, and logs on.
func TestDumpBehindThreadsOfTheSystem(t *testing.T) {
	one := blocked("2", "") + crashedThread
	for _, between := range []string{"\nstarted again\n\n", "\n-----\nstarted again\n\n"} {
		if s := read(t, []byte(one+between+one)); len(s.ticks) != 2 || s.waiters["sync.Mutex"] != 2 {
			t.Errorf("%q between: %v waiters, ticks %v", between, s.waiters, s.ticks)
		}
	}
}

// A goroutine whose stack the collector looks at runs all the same.
func TestScannedGoroutineRuns(t *testing.T) {
	s := read(t, []byte("goroutine 1 [runnable (scan)]:\nmain.main()\n\t/src/main.go:9 +0x33\n"))
	if len(s.ticks) != 1 || s.ticks[0].IdleThreads != 0 {
		t.Errorf("ticks %v", s.ticks)
	}
}

// The name that a //line comment gives is told as it is.
func TestFilesOfOtherNames(t *testing.T) {
	d := dumps{
		lines: unwrap.NewLines(strings.NewReader(blocked("2", "main.parse()\n\t/src/yaccpar:153 +0x1\n")), 4096, 0, 0),
	}
	if list := golden.Must(d.next())(t); len(list) != 1 || list[0].frames[2].File != "yaccpar" {
		t.Errorf("%+v", list)
	}
}

// Where a dump was pasted, the tabs before files may be lost.
func TestFilesWithoutTabs(t *testing.T) {
	data := load(t, "go126-debug2-dump.txt")
	want := read(t, data)
	for _, indent := range []string{"", "    "} {
		got := read(t, bytes.ReplaceAll(data, []byte("\n\t"), []byte("\n"+indent)))
		if len(got.threads) != len(want.threads) || !maps.Equal(got.waiters, want.waiters) ||
			len(got.stats.Warnings) != len(want.stats.Warnings) {
			t.Errorf("%q: %d goroutines, %v wait: %v", indent, len(got.threads), got.waiters, got.stats.Warnings)
		}
	}
}

// A deadlock that the runtime, or a library, reports is said.
func TestReportedDeadlocks(t *testing.T) {
	for head, want := range map[string]string{
		"fatal error: all goroutines are asleep - deadlock!\n\n": "the Go runtime ended the " +
			"program: all goroutines are asleep",
		"POTENTIAL DEADLOCK:\nPrevious place where the lock was grabbed\n\nHere\n\n": "go-deadlock reports a " +
			"potential deadlock",
		"": "",
	} {
		s, said := read(t, []byte(head+blocked("2", ""))), ""
		for _, w := range s.stats.Warnings {
			if w.Code == format.CodeDeadlock {
				said = w.Text
			}
		}
		if !strings.HasPrefix(said, want) || (said == "") != (want == "") {
			t.Errorf("%q says %q", head, said)
		}
	}
}

// Until Go 1.19 an RWMutex waited with the function that Mutex has, each side
// for a semaphore of its own. All who wait for it name one lock.
func TestReadWriteLockOfOlderGo(t *testing.T) {
	const text = `goroutine 7 [semacquire]:
sync.runtime_SemacquireMutex(0xc00001c0ac, 0x0, 0x0)
	/usr/local/go/src/runtime/sema.go:71 +0x47
sync.(*RWMutex).RLock(...)
	/usr/local/go/src/sync/rwmutex.go:50
main.lookup()
	/src/main.go:9 +0x33

goroutine 8 [semacquire]:
sync.runtime_SemacquireMutex(0xc00001c0a8, 0x0, 0x0)
	/usr/local/go/src/runtime/sema.go:71 +0x47
sync.(*RWMutex).Lock(...)
	/usr/local/go/src/sync/rwmutex.go:103
main.refresh()
	/src/main.go:12 +0x33

goroutine 9 [semacquire]:
sync.runtime_SemacquireMutex(0xc00001c0a4, 0x0, 0x1)
	/usr/local/go/src/runtime/sema.go:71 +0x47
sync.(*Mutex).lockSlow(...)
	/usr/local/go/src/sync/mutex.go:138
sync.(*Mutex).Lock(...)
	/usr/local/go/src/sync/mutex.go:81
sync.(*RWMutex).Lock(0xc00001c0a0)
	/usr/local/go/src/sync/rwmutex.go:98 +0x97
main.refresh()
	/src/main.go:12 +0x33
`
	s := read(t, []byte(text))
	if len(s.locks) != 1 || s.waiters["sync.RWMutex"] != 3 || s.locks[1].Hash != 0xc00001c0a0 {
		t.Errorf("%v wait for %v, want 3 for one at c00001c0a0", s.waiters, s.locks)
	}
}

// Of a dump that people trimmed, the state of a goroutine and the frames that are left count.
func TestTrimmedDumps(t *testing.T) {
	const head, tail = "goroutine 133 [sync.Mutex.Lock, 3 minutes]:\n", "\ngoroutine 132 [select]:\nmain.ready()\n" +
		"\t/src/client.go:301\n"
	const frames = "sync.(*Mutex).lockSlow(0xc0001260c0)\n\t/go/src/sync/mutex.go:149\nsync.(*Mutex).Lock(...)\n" +
		"\t/go/src/sync/mutex.go:46\n"
	const own = "main.connect()\n\t/src/client.go:219\nmain.dial(...)\n\t/src/client.go:266\n"
	for name, text := range map[string]string{
		"whole":             head + frames + own,
		"frames of sync":    head + own,
		"files":             head + "sync.(*Mutex).Lock(0xc0001260c0)\nmain.connect()\nmain.dial(...)\n",
		"files of some":     head + frames + "main.connect()\nmain.dial(...)\n\t/src/client.go:266\n",
		"outer frames":      head + frames + "main.connect()\n\t/src/client.go:219\n...\n",
		"frames, by a mark": head + frames + "[...]\n" + own,
		"all frames":        head,
		"stars":             strings.ReplaceAll(head+frames+own, "(*", "(_"),
		"blanks behind":     strings.ReplaceAll(head+frames+own, "\n", "      \n"),
	} {
		s := read(t, []byte(text+tail))
		if len(s.ticks) != 1 || s.ticks[0].Live != 2 || s.waiters["sync.Mutex"] != 1 || !s.stats.Damage.Whole() {
			t.Errorf("%s: %v wait, ticks %v, %v", name, s.waiters, s.ticks, s.stats.Warnings)
		}
	}
}

// A goroutine whose first line is cut or damaged is left out, counted and said; those around it are read.
func TestDamagedHeaders(t *testing.T) {
	for _, head := range []string{"goroutine 3 [sync.Mut", "goroutine 3 sync.Mutex.Lock]:", "goroutine 3"} {
		for _, end := range []string{"", strings.SplitN(blocked("3", ""), "\n", 2)[1] + "\n" + blocked("4", "")} {
			s := read(t, []byte(blocked("2", "")+"\n"+head+"\n"+end))
			want := 1 + strings.Count(end, "goroutine 4 [")
			if len(s.ticks) != 1 || s.waiters["sync.Mutex"] != want || s.stats.Damage.Whole() ||
				!hasCode(s.stats.Warnings, "lost-data") {
				t.Errorf("%q, then %.20q: %v wait, ticks %v, %v", head, end, s.waiters, s.ticks, s.stats.Warnings)
			}
		}
	}
	text := blocked("2", "") + "\ngoroutine 3 finished its work\n\ngoroutine 4 is next [maybe\n"
	if s := read(t, []byte(text)); !s.stats.Damage.Whole() {
		t.Errorf("lines of a log are damage: %v", s.stats.Warnings)
	}
}
