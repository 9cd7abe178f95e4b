package attach

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	stopped = 4 // SSTOP of <sys/proc.h>
	zombie  = 5 // SZOMB
)

// Find looks at a process and says whether it is a JVM that may be attached
// to. It does nothing to it. The error is an *Error.
func Find(pid int) (*Process, error) {
	p := &Process{PID: pid, tmp: os.TempDir()}
	p.identity.inner = pid
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || k.Proc.P_stat == zombie {
		return nil, p.fail("does not run", elsewhere)
	}
	p.identity.user.UID, p.identity.user.GID = int(k.Eproc.Ucred.Uid), int(k.Eproc.Ucred.Groups[0])
	p.identity.quits = k.Proc.P_sigcatch&(1<<(uint(syscall.SIGQUIT)-1)) != 0
	if p.identity.user.UID != os.Geteuid() {
		return nil, p.fail(fmt.Sprintf("belongs to another user (%d)", p.identity.user.UID), "run contend as that user")
	}
	program, args := commandLine(pid)
	switch {
	case filepath.Base(program) != "java":
		return nil, p.fail("is not a Java process", elsewhere)
	case k.Proc.P_stat == stopped:
		return nil, p.fail("is stopped", fmt.Sprintf("kill -CONT %d lets it run", pid))
	}
	p.Main, p.args = mainOf(args), args
	return p, nil
}

// commandLine reads what kern.procargs2 gives: the number of arguments, the
// program's path, and the arguments after some zeros.
func commandLine(pid int) (program string, args []string) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return "", nil
	}
	n := int(binary.LittleEndian.Uint32(raw))
	path, rest, _ := bytes.Cut(raw[4:], []byte{0})
	args = strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	return string(path), args[:min(max(n, 0), len(args))]
}

// starting reports whether a JVM that began lately has no handler for the signal yet:
// more of how far it is cannot be seen here.
func (p *Process) starting() bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	return err == nil && !p.identity.quits && time.Since(time.Unix(k.Proc.P_starttime.Unix())) < startup
}

// Alive reports whether the process still runs.
func (p *Process) Alive() bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	return err == nil && k.Proc.P_stat != zombie
}

// changed is not asked for: processes of this user alone are recorded here.
func (p *Process) changed() bool { return false }

// namespace there is one of here.
func namespace() string { return "0" }

// List returns this user's JVMs, by number.
func List() (out []*Process, err error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	for i := range all {
		if p, err := Find(int(all[i].Proc.P_pid)); err == nil {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *Process) int { return a.PID - b.PID })
	return out, err
}

// working is where the file goes that asks for a socket: where a process
// stands is not to be learnt here, and the JVM looks in both places.
func (p *Process) working() string { return p.tmp }
