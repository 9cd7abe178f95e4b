//go:build unix

package attach

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"contend/cmd/record/foreign"
	"contend/golden"
)

// A JVM that is just starting may say that it has loaded the agent, or that it may not
// yet, and does nothing: it is asked again.
func TestLoadedIsWhatRuns(t *testing.T) {
	for _, early := range []string{
		"0\nreturn code: 0\n",
		"0\n",
		"0\nDynamic agent loading is only permitted in the live phase\n",
		"-1\njava.lang.NullPointerException\n",
	} {
		p := &Process{PID: os.Getpid(), identity: identity{user: foreign.Self()}, tmp: t.TempDir()}
		l, err := net.Listen("unix", filepath.Join(p.tmp, p.socket()))
		golden.OK(t, err)
		var asked atomic.Int32
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				want := "1\x00load\x00instrument\x00false\x00a.jar=file=b\x00"
				request := make([]byte, len(want))
				if _, err := io.ReadFull(conn, request); err != nil || string(request) != want {
					t.Errorf("%q: %v", request, err)
				}
				answer := early
				if asked.Add(1) == 2 {
					answer = "0\nreturn code: 0\n"
				}
				_, _ = io.WriteString(conn, answer)
				conn.Close()
			}
		}()
		err = p.Load(t.Context(), "a.jar", "file=b", func() bool { return asked.Load() == 2 })
		l.Close()
		if err != nil || asked.Load() != 2 {
			t.Errorf("%q: asked %d times, %v", strings.TrimSpace(early), asked.Load(), err)
		}
	}
}
