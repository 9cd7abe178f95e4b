package foreign

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"contend/format/whole"

	"golang.org/x/sys/unix"
)

// Do runs f with the rights of the user, where this is root: that could be led to touch
// what the user may not. The thread whose rights changed ends with its goroutine.
func (u User) Do(f func() error) error {
	if os.Geteuid() != 0 || u.UID == 0 {
		return f()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked
		err := u.become()
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
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
// root itself may be a link of /proc.
func Open(root, path string, u User) (d *Dir, err error) {
	top, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: root, Err: err}
	}
	w := &way{user: u, dirs: []*os.File{os.NewFile(uintptr(top), "/")}}
	defer w.up(0)
	err = u.Do(func() error {
		d, err = w.walk(path)
		return err
	})
	return d, err
}

// way is the directories that lead from a root to where a path has led so far, all open:
// nothing that is renamed meanwhile leads it elsewhere.
type way struct {
	user   User
	dirs   []*os.File
	shared error // of the first where others may exchange names
}

// maxLinks is how many links a path may lead through, as for the kernel.
const maxLinks = 40

func (w *way) walk(path string) (*Dir, error) {
	fail := func(err error) (*Dir, error) { return nil, &os.PathError{Op: "open", Path: path, Err: err} }
	if err := w.look(w.dirs[0]); err != nil {
		return fail(err)
	}
	links, rest := 0, strings.Split(path, "/")
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "..":
			w.up(max(1, len(w.dirs)-1))
			continue
		case "", ".":
			continue
		}
		to, err := w.down(name)
		if err != nil {
			return fail(err)
		}
		if to == "" {
			continue
		}
		if links++; links > maxLinks {
			return fail(syscall.ELOOP)
		}
		if to[0] == '/' {
			w.up(1)
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	d, err := At(byDescriptor(w.dirs[len(w.dirs)-1]), w.user)
	if err == nil {
		d.shared = w.shared
	}
	return d, err
}

// up leaves the first n directories.
func (w *way) up(n int) {
	for _, dir := range w.dirs[n:] {
		dir.Close()
	}
	w.dirs = w.dirs[:n]
}

// down goes to a directory, or returns where a link leads to.
func (w *way) down(name string) (to string, err error) {
	at := w.dirs[len(w.dirs)-1]
	fd, err := unix.Openat(int(at.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	f := os.NewFile(uintptr(fd), filepath.Join(at.Name(), name))
	if err := w.look(f); err != nil {
		f.Close()
		return "", err
	}
	link := make([]byte, unix.PathMax)
	if n, err := unix.Readlinkat(fd, "", link); err == nil && n > 0 {
		f.Close()
		return string(link[:n]), nil
	}
	w.dirs = append(w.dirs, f) // below what is no directory nothing is found
	return "", nil
}

// look remembers whether others may exchange what is on the way. Whoever owns the root of a
// process, as the root of its container does, has the process in hand anyway.
func (w *way) look(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	top, err := w.dirs[0].Stat()
	if err == nil && w.shared == nil {
		w.shared = exclusive(f.Name(), info, w.user.UID, whole.Owner(top))
	}
	return err
}

// Dial connects to a socket that the user listens on, as that user: a JVM looks who calls.
// The error is a syscall.ECONNREFUSED where another user made what is there.
func (d *Dir) Dial(name string, pid int) (conn net.Conn, err error) {
	err = d.Do(func() error {
		fd, err := unix.Openat(int(d.self.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		socket := os.NewFile(uintptr(fd), name)
		defer socket.Close()
		if err := d.owns(socket, os.ModeSocket); err != nil {
			return errors.Join(syscall.ECONNREFUSED, err)
		}
		if conn, err = net.Dial("unix", byDescriptor(socket)); err != nil {
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

// listens reports with an error whether a process of the user listens on the other end.
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
	if int(peer.Uid) != d.UID || int(peer.Pid) != pid {
		return fmt.Errorf("process %d of user %d listens there: %w", peer.Pid, peer.Uid, syscall.ECONNREFUSED)
	}
	return nil
}

// byDescriptor is a path of an open file that no renaming changes.
func byDescriptor(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
