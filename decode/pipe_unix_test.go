//go:build unix

package decode

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

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
