package foreign

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"contend/cmd/atomicfile"

	"golang.org/x/sys/unix"
)

// Do runs f with no more rights than the user's: otherwise this process could be led to
// files that the user may not touch. The thread whose rights changed ends with its
// goroutine.
func (u User) Do(f func() error) error {
	own, err := capabilities(nil)
	if err != nil {
		return err
	}
	if (os.Geteuid() != 0 || u.UID == 0) && own&^u.Caps == 0 {
		return f()
	}
	done := make(chan error)
	go u.onThread(f, done)
	return <-done
}

// onThread runs f on a thread whose rights are the user's. It is not the main thread: that one
// never ends, and /proc shows its user as the user of the whole process.
func (u User) onThread(f func() error, done chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == os.Getpid() {
		inner := make(chan error)
		go u.onThread(f, inner) // while this goroutine keeps the main thread
		err := <-inner
		runtime.UnlockOSThread()
		done <- err
		return
	}
	var err error
	if os.Geteuid() == 0 {
		err = u.become()
	}
	if err == nil {
		_, err = capabilities(&u.Caps)
	}
	if err == nil {
		err = f()
	}
	done <- err
}

// Start starts a command with the rights of the user and with only some of root's
// capabilities, if this is root. A user that is root has no other ones either: it may have
// given up what root may do, or its children may be of other users. The rights change in
// setpriv of util-linux, not in the child that os/exec makes: this process waits for that
// child to execute something, and the user could stop it for ever before.
func (u User) Start(c *exec.Cmd, keep ...uintptr) error {
	if os.Geteuid() != 0 {
		return c.Start()
	}
	own, err := capabilities(nil)
	if err != nil {
		return err
	}
	path, err := exec.LookPath("setpriv")
	if err != nil {
		return fmt.Errorf("setpriv of util-linux is needed to give up root's rights: %w", err)
	}
	caps := "-all"
	for _, one := range keep {
		if own>>one&1 == 1 {
			caps += fmt.Sprintf(",+cap_%d", one)
		}
	}
	to := []string{
		path,
		"--reuid",
		strconv.Itoa(u.UID),
		"--regid",
		strconv.Itoa(u.GID),
		"--clear-groups",
		"--inh-caps",
		caps,
		"--ambient-caps",
		caps,
		"--pdeathsig",
		"KILL",
	}
	if u.UID == 0 {
		to = append(to, "--securebits", "+noroot")
	}
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // some of contend's parent may be open
	c.Path, c.Args = path, slices.Concat(to, []string{c.Path}, c.Args[1:])
	return c.Start()
}

// capabilities are those in effect in this thread; where some are given, no others stay so.
func capabilities(keep *uint64) (uint64, error) {
	head, sets := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
	err := unix.Capget(&head, &sets[0])
	if err == nil && keep != nil {
		sets[0].Effective &= uint32(*keep)
		sets[1].Effective &= uint32(*keep >> 32)
		err = unix.Capset(&head, &sets[0])
	}
	return uint64(sets[0].Effective) | uint64(sets[1].Effective)<<32, err
}

// become changes the effective user and group of this thread, and drops all other groups.
// The real and the saved user stay root: the user can neither trace nor signal the thread.
func (u User) become() error {
	const keep = ^uintptr(0)
	for _, call := range [...][4]uintptr{
		{unix.SYS_SETGROUPS},
		{unix.SYS_SETRESGID, keep, uintptr(u.GID), keep},
		{unix.SYS_SETRESUID, keep, uintptr(u.UID), keep},
	} {
		if _, _, no := syscall.RawSyscall(call[0], call[1], call[2], call[3]); no != 0 {
			return fmt.Errorf("changing to user %d: %w", u.UID, no)
		}
	}
	if os.Geteuid() != u.UID || os.Getegid() != u.GID { // a call of 32-bit systems takes 16 bits
		return fmt.Errorf("changing to user %d: %w", u.UID, syscall.EINVAL)
	}
	return nil
}

// Open opens a directory that a process with this root calls path: links in it, absolute
// ones too, lead nowhere but beneath the root, and ".." leads where the way came from. The
// root itself may be a link of /proc. Nothing is made there where others may exchange what is
// on the way. Whoever owns the root of a process, as the root of its container does, has the
// process in hand anyway.
func Open(root, path string, u User) (d *Dir, err error) {
	fd, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: root, Err: err}
	}
	top := os.NewFile(uintptr(fd), "/")
	defer top.Close()
	info, err := top.Stat()
	if err != nil {
		return nil, err
	}
	owner := atomicfile.Owner(info)
	var shared error
	way := &atomicfile.Way{Look: func(at *os.File, info fs.FileInfo) error {
		if shared == nil {
			shared = exclusive(at.Name(), info, u.UID, owner)
		}
		return nil
	}}
	err = u.Do(func() error {
		at, err := way.Walk(top, path)
		if err != nil {
			return err
		}
		defer at.Close()
		if d, err = OpenPath(atomicfile.Descriptor(at), u); err == nil {
			d.shared = shared
		}
		return err
	})
	return d, err
}

// look opens a name as a path only, a link itself: this has no effect on the file, and
// identifies it by its descriptor.
func (d *Dir) look(name string) (*os.File, error) {
	fd, err := unix.Openat(int(d.self.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// open opens a regular file, unless its user has a lease on it, for which the kernel would
// wait.
func (d *Dir) open(name string) (*os.File, error) {
	seen, err := d.look(name)
	if err != nil {
		return nil, err
	}
	defer seen.Close()
	info, err := seen.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: name, Err: errKind}
	}
	if err != nil {
		return nil, err
	}
	return os.OpenFile(atomicfile.Descriptor(seen), os.O_RDONLY|nonBlock, 0)
}

// Dial connects to a socket on which a process of the user listens, as that user: a JVM
// checks its client. The error is a syscall.ECONNREFUSED if the socket is the user's, and
// no process listens.
func (d *Dir) Dial(name string, pid int) (conn net.Conn, err error) {
	err = d.User.Do(func() error {
		socket, err := d.look(name)
		if err != nil {
			return err
		}
		defer socket.Close()
		if err := d.owns(socket, os.ModeSocket); err != nil {
			return err
		}
		if conn, err = net.Dial("unix", atomicfile.Descriptor(socket)); err != nil {
			return err
		}
		if err = d.listens(conn, pid); err != nil {
			conn.Close()
			conn = nil
		}
		return err
	})
	return conn, err
}

// listens returns an error unless a process of the user listens on the other end.
func (d *Dir) listens(conn net.Conn, pid int) error {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	if int(peer.Uid) != d.User.UID || int(peer.Pid) != pid {
		return fmt.Errorf("process %d of user %d listens there", peer.Pid, peer.Uid)
	}
	return nil
}
