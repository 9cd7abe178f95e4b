//go:build unix

package decode

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// fewFiles lets the test have no more than so many files open.
func fewFiles(t *testing.T, most uint64) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Skip("no limit can be set here: ", err)
	}
	low := old
	low.Cur = most
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Skip("no limit can be set here: ", err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) })
}

// A folder may hold more inputs of any kind than files can be open.
func TestMoreInputsThanOpenFiles(t *testing.T) {
	const files, most = 300, 64
	dump := func(i int) []byte {
		at := time.Unix(1_800_000_000+int64(i), 0).UTC().Format(time.DateTime)
		return []byte(
			at + "\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n\"waiter\" #20 prio=5 tid=0x1 " +
				"nid=0x2 waiting for monitor entry [0x1]\n   java.lang.Thread.State: BLOCKED (on object monitor)\n" +
				"\tat App.a(App.java:1)\n\t- waiting to lock <0x1f> (a App$Lock)\n\n",
		)
	}
	trace := func(i int) []byte {
		return nativeTrace(
			t,
			&format.Event{
				Kind:    format.KindContention,
				Time:    int64(i + 1),
				Weight:  1,
				Object:  1,
				Waiters: []format.Party{{Thread: 1}},
			},
		)
	}
	for name, data := range map[string]func(i int) []byte{"thread dumps": dump, "traces": trace} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i := range files { // the latest has the name that comes first
				golden.OK(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d", files-i)), data(i), 0o600))
			}
			before := runtime.NumGoroutine()
			fewFiles(t, most)
			tr, err := Open([]string{dir}, nil, Options{})
			golden.OK(t, err)
			contended, last := 0, int64(0)
			var ev format.Event
			for err = tr.Read(&ev); err == nil; err = tr.Read(&ev) {
				if ev.Kind != format.KindContention {
					continue
				}
				contended++
				if ev.Time <= last {
					t.Fatalf("%d comes after %d", ev.Time, last)
				}
				last = ev.Time
			}
			if st := tr.Stats(); !errors.Is(err, io.EOF) || contended != files || st.BytesRead != st.BytesTotal ||
				st.BytesRead < files*32 {
				t.Errorf("%v after %d instants of %d, %d bytes", err, contended, files, st.BytesRead)
			}
			golden.AtMost(t, golden.WaitForGoroutines(before), before, "before")
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A named pipe nobody writes to is given up; one with a writer is read.
func TestNamedPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	_, err := openPatiently(path, time.Millisecond)
	positioned(t, err)
	var fe *format.Error
	if !errors.Is(err, errNoWriter) || !errors.As(err, &fe) || fe.Hint == "" {
		t.Error(err)
	}

	go func() {
		// The reader that was given up may still be opening: it is not kept waiting for.
		if w, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			defer w.Close()
			_, _ = w.WriteString(sample)
			<-t.Context().Done()
		}
	}()
	f := golden.Must(openPatiently(path, time.Minute))(t)
	defer f.Close()
	got := make([]byte, len(sample))
	if _, err := io.ReadFull(f, got); err != nil || string(got) != sample {
		t.Errorf("%q, %v", got, err)
	}
}
