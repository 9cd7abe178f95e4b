//go:build linux

package attach

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"contend/cmd/record/foreign"
	"contend/golden"
)

// What another user's process says has an end, also where it gives it none.
func TestWhatAProcessSaysIsBounded(t *testing.T) {
	zeros, err := beginning("/dev/zero", maxMemory)
	golden.OK(t, err)
	if got := len(zeros); got != maxMemory {
		t.Errorf("%d bytes of its arguments", got)
	}
	p := &Process{PID: os.Getpid(), identity: identity{user: foreign.Self()}, tmp: t.TempDir()}
	l := golden.Must(net.Listen("unix", filepath.Join(p.tmp, p.socket())))(t)
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		for err == nil {
			_, err = conn.Write([]byte("0\nmore\n"))
		}
	}()
	answer, err := p.Command(t.Context(), "jcmd", "help")
	if err != nil || len(answer) != maxAnswer-len("0\n") {
		t.Errorf("%d bytes, %v", len(answer), err)
	}
}

// A process that does not answer is waited for no longer than the user wants, whether it
// takes the command and is silent, or has to open its socket first.
func TestWaitingForAProcessEndsWithItsContext(t *testing.T) {
	p := &Process{PID: os.Getpid(), identity: identity{user: foreign.Self()}, tmp: t.TempDir()}
	l := golden.Must(net.Listen("unix", filepath.Join(p.tmp, p.socket())))(t)
	defer l.Close()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		if conn, err := l.Accept(); err == nil {
			defer conn.Close()
			stop()
			<-t.Context().Done()
		}
	}()
	var said *Error
	if _, err := p.Command(ctx, "jcmd", "help"); !errors.As(err, &said) || ctx.Err() == nil {
		t.Errorf("%v, and the user wants an end: %v", err, ctx.Err())
	}
	if err := p.Load(ctx, "a.jar", "file=b", func() bool { return false }); !errors.As(err, &said) {
		t.Errorf("%v", err)
	}
}
