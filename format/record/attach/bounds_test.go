//go:build linux

package attach

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"contend/format/record/foreign"
)

// What another user's process says has an end, also where it gives it none.
func TestWhatAProcessSaysIsBounded(t *testing.T) {
	if got := len(beginning("/dev/zero")); got != maxMemory {
		t.Errorf("%d bytes of its arguments", got)
	}
	p := &Process{PID: os.Getpid(), user: foreign.User{UID: os.Geteuid(), GID: os.Getegid()}, tmp: t.TempDir()}
	l, err := net.Listen("unix", filepath.Join(p.tmp, p.socket()))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		for err == nil {
			_, err = conn.Write([]byte("0\nmore\n"))
		}
	}()
	answer, err := p.Command(time.Minute, "jcmd", "help")
	if err != nil || len(answer) != maxAnswer-len("0\n") {
		t.Errorf("%d bytes, %v", len(answer), err)
	}
}
