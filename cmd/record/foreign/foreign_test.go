//go:build linux

package foreign

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/cmd/atomicfile"
	"contend/golden"

	"golang.org/x/sys/unix"
)

// nobody owns the directories of these tests, which root makes.
var nobody = User{UID: 65534, GID: 65534}

// theirs makes a directory of another user where this is root, else of this user.
func theirs(t *testing.T) (*Dir, string) {
	t.Helper()
	u, path := Self(), t.TempDir()
	if u.UID == 0 {
		u = nobody
		golden.OK(t, errors.Join(os.Chown(path, u.UID, u.GID), os.Chmod(filepath.Dir(path), 0o755)))
	}
	d := golden.Must(OpenPath(path, u))(t)
	t.Cleanup(func() { d.Close() })
	return d, path
}

// secret makes a file that only this user may read.
func secret(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	golden.OK(t, os.WriteFile(path, []byte("secret"), 0o600))
	return path
}

func untouched(t *testing.T, path string) {
	t.Helper()
	info := golden.Must(os.Stat(path))(t)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "secret" || atomicfile.Owner(info) != os.Geteuid() || info.Mode() != 0o600 {
		t.Errorf("%s: %q of user %d, %v, %v", path, text, atomicfile.Owner(info), info.Mode(), err)
	}
}

// A name that is taken is not made, by whatever it is taken, and what no regular file is
// is not opened: a pipe would let nobody go on.
func TestPlantedNames(t *testing.T) {
	d, path := theirs(t)
	target := secret(t)
	plant := map[string]func(at string) error{
		"link":     func(at string) error { return os.Symlink(target, at) },
		"dangling": func(at string) error { return os.Symlink(target+".new", at) },
		"within":   func(at string) error { return os.Symlink("file", at) },
		"hardlink": func(at string) error { return os.Link(target, at) },
		"pipe":     func(at string) error { return unix.Mkfifo(at, 0o666) },
		"folder":   func(at string) error { return os.Mkdir(at, 0o777) },
	}
	golden.OK(t, os.WriteFile(filepath.Join(path, "file"), nil, 0o666))
	for name, make := range plant {
		golden.OK(t, make(filepath.Join(path, name)))
		if f, err := d.Create(name, []byte("ours")); !errors.Is(err, fs.ErrExist) || f != nil {
			t.Errorf("%s: made, %v", name, err)
		}
		if name == "hardlink" && os.Geteuid() != 0 {
			continue // it is one's own file
		}
		if f, err := d.Open(name); err == nil {
			t.Errorf("%s: opened %s", name, f.Name())
		}
	}
	if _, err := os.Lstat(target + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link was followed: %v", err)
	}
	untouched(t, target)
}

// Where users beside that of the process and root may exchange names nothing is made, and
// neither is it where they may on the way there.
func TestSharedDirectories(t *testing.T) {
	d, path := theirs(t)
	golden.OK(
		t,
		errors.Join(
			os.Mkdir(filepath.Join(path, "way"), 0o755),
			os.Mkdir(filepath.Join(path, "way", "tmp"), 0o755),
			os.Symlink("way/tmp", filepath.Join(path, "link")),
		),
	)
	for _, name := range []string{"", "way", "way/tmp", "link"} {
		golden.OK(t, os.Lchown(filepath.Join(path, name), d.User.UID, d.User.GID))
	}
	set := func(name string, mode fs.FileMode) { golden.OK(t, os.Chmod(filepath.Join(path, name), mode)) }
	n := 0
	for _, c := range []struct {
		name string
		mode fs.FileMode
		safe bool
	}{
		{"way/tmp", 0o777, false},
		{"way/tmp", 0o775, false},
		{"way/tmp", 0o777 | fs.ModeSticky, true},
		{"way", 0o777, false},
		{"way", 0o777 | fs.ModeSticky, true},
		{"", 0o722, false},
		{"", 0o755, true},
	} {
		set(c.name, c.mode)
		for _, way := range []string{"/way/tmp", "/link"} {
			in := golden.Must(Open(path, way, d.User))(t)
			n++
			_, made := in.Create(fmt.Sprint(n), nil)
			_, again := in.Mkdir(fmt.Sprint("d", n))
			var shared *SharedError
			if c.safe != (made == nil) || c.safe != (again == nil) ||
				!c.safe &&
					(!errors.As(made, &shared) || shared.Mode&^fs.ModeDir != c.mode || !errors.As(again, &shared)) {
				t.Errorf("%s by %s, %v: %v, %v", c.name, way, c.mode, made, again)
			}
			in.Close()
		}
		set(c.name, 0o755)
	}
	if os.Geteuid() != 0 {
		return // only root gives directories away
	}
	golden.OK(t, os.Lchown(filepath.Join(path, "link"), 12345, 12345))
	in := golden.Must(Open(path, "/link", d.User))(t)
	defer in.Close()
	if _, err := in.Create("file", nil); err == nil {
		t.Error("it is where the link of another user leads")
	}
}

// Root removes nothing of a third user's, also where it may: another process may live by it.
func TestNothingOfAThirdUserIsRemoved(t *testing.T) {
	d, path := theirs(t)
	names := map[string]func(at string) error{
		"file": func(at string) error { return os.WriteFile(at, nil, 0o666) },
		"link": func(at string) error { return os.Symlink("file", at) },
	}
	for name, make := range names {
		for _, uid := range []int{d.User.UID, 12345} {
			at := filepath.Join(path, name)
			golden.OK(t, make(at))
			if os.Geteuid() == 0 {
				golden.OK(
					t,
					errors.Join(os.Lchown(at, uid, uid), os.Lchown(path, 0, 0), os.Chmod(path, 0o777|fs.ModeSticky)),
				)
			} else if uid != d.User.UID {
				t.Skip("only root gives files away")
			}
			err := d.Remove(name)
			if _, stays := os.Lstat(at); (err == nil) != (uid == d.User.UID) || (stays == nil) != (uid != d.User.UID) {
				t.Errorf("%s of %d: %v, %v", name, uid, err, stays)
			}
			golden.OK(t, os.RemoveAll(at))
		}
	}
}

// What is removed is the directory that was made: another one that has its name by now stays,
// with what is in it, and so does a file.
func TestAnotherDirectoryOfTheNameStays(t *testing.T) {
	for _, exchange := range []bool{false, true} {
		d, path := theirs(t)
		sub := golden.Must(d.Mkdir("sub"))(t)
		defer sub.Close()
		f := golden.Must(sub.Create("file", nil))(t)
		f.Close()
		other := filepath.Join(path, "other")
		golden.OK(t, errors.Join(os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, "thesis"), nil, 0o644)))
		if exchange {
			golden.OK(
				t,
				unix.Renameat2(unix.AT_FDCWD, other, unix.AT_FDCWD, filepath.Join(path, "sub"), unix.RENAME_EXCHANGE),
			)
			other = filepath.Join(path, "sub")
		}
		golden.OK(t, sub.Remove("file"))
		if err := d.Rmdir("sub", sub); (err != nil) != exchange {
			t.Errorf("exchanged %v: %v", exchange, err)
		}
		if _, err := os.Stat(filepath.Join(other, "thesis")); err != nil {
			t.Errorf("exchanged %v: %v", exchange, err)
		}
	}
	d, path := theirs(t)
	golden.OK(t, os.WriteFile(filepath.Join(path, "file"), nil, 0o644))
	golden.OK(t, os.Mkdir(filepath.Join(path, "folder"), 0o755))
	if unlink(d.self, "file", directory) == nil || unlink(d.self, "folder", 0) == nil {
		t.Error("a file is removed as a directory, or one as a file")
	}
}

// What is at the name of a socket is judged, and then connected to, without its name: no link
// leads to another user's, and only of the user's own it is said that nobody listens.
func TestSocketsAreConnectedToAsTheyWereSeen(t *testing.T) {
	d, path := theirs(t)
	listen := func(name string, uid int) *net.UnixListener {
		at := filepath.Join(path, name)
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at})
		golden.OK(t, errors.Join(err, os.Lchown(at, uid, -1), os.Chmod(at, 0o777)))
		l.SetUnlinkOnClose(false)
		return l
	}
	stale := listen("stale", d.User.UID)
	stale.Close()
	defer listen("other", os.Geteuid()).Close()
	golden.OK(t, os.Symlink("other", filepath.Join(path, "link")))
	for name, refuses := range map[string]bool{"stale": true, "other": false, "link": false} {
		conn, err := d.Dial(name, 1)
		if err == nil || conn != nil || errors.Is(err, unix.ECONNREFUSED) != refuses {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What the user has there is found among any number of names of others, and a part of it where
// that is too much.
func TestList(t *testing.T) {
	defer func(usual time.Duration) { patience = usual }(patience)
	patience = time.Minute
	d, path := theirs(t)
	for n := range most + 300 {
		at := filepath.Join(path, fmt.Sprintf("x%05d", n))
		golden.OK(t, os.Symlink("x", at))
	}
	golden.OK(
		t,
		errors.Join(
			os.Mkdir(filepath.Join(path, "x"), 0o700),
			os.Chown(filepath.Join(path, "x"), d.User.UID, d.User.GID),
		),
	)
	if list := d.List("x*"); os.Geteuid() == 0 && (len(list) != 1 || list[0].Name() != "x") {
		t.Errorf("%d names of the user", len(list))
	}
	self := golden.Must(OpenPath(path, Self()))(t)
	defer self.Close()
	if list := self.List("x*"); len(list) < most || len(list) > most+256 ||
		!slices.IsSortedFunc(list, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) }) {
		t.Errorf("%d names", len(list))
	}
	if list := d.List("[x"); len(list) != 0 {
		t.Errorf("%d names match", len(list))
	}
}

// What is made is the user's alone, and is still what is read when its name is given away.
func TestMadeForAnother(t *testing.T) {
	d, path := theirs(t)
	sub := golden.Must(d.Mkdir("sub"))(t)
	defer sub.Close()
	f := golden.Must(sub.Create("file", []byte("ours")))(t)
	defer f.Close()
	for name, mode := range map[string]fs.FileMode{"sub": fs.ModeDir | 0o700, "sub/file": 0o600} {
		if info, err := os.Stat(filepath.Join(path, name)); err != nil || info.Mode() != mode ||
			atomicfile.Owner(info) != d.User.UID {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	golden.OK(t, os.Rename(filepath.Join(path, "sub"), filepath.Join(path, "gone")))
	if _, err := sub.Create("more", nil); err != nil || d.Held("sub", sub) {
		t.Errorf("held %v, %v", d.Held("sub", sub), err)
	}
	if text, err := io.ReadAll(io.NewSectionReader(f, 0, 9)); err != nil || string(text) != "ours" {
		t.Errorf("%q, %v", text, err)
	}
}

// Root does in a directory of another user's only what that user may: a mount that makes
// it a directory of root's changes nothing.
func TestRootHasTheUsersRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has more rights than the user")
	}
	path := t.TempDir()
	golden.OK(t, os.Chmod(path, 0o755))
	d := golden.Must(OpenPath(path, nobody))(t)
	defer d.Close()
	_, made := d.Create("file", nil)
	_, again := d.Mkdir("sub")
	if left, _ := os.ReadDir(path); !errors.Is(made, fs.ErrPermission) || !errors.Is(again, fs.ErrPermission) ||
		len(left) > 0 {
		t.Errorf("%v is there: %v, %v", left, made, again)
	}
	if os.Geteuid() != 0 {
		t.Error("this thread is no longer root's")
	}
}

// So it does where the user is root, and may do less: as in a container without capabilities.
func TestRootHasTheCapabilitiesOfTheUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has capabilities")
	}
	path := secret(t)
	golden.OK(t, os.Chown(path, nobody.UID, nobody.GID))
	for caps, may := range map[uint64]bool{0: false, 1 << unix.CAP_DAC_OVERRIDE: true, ^uint64(0): true} {
		err := User{Caps: caps}.Do(func() error { _, err := os.ReadFile(path); return err })
		if (err == nil) != may {
			t.Errorf("with %x: %v", caps, err)
		}
	}
	if own, err := capabilities(nil); err != nil || own&(1<<unix.CAP_DAC_OVERRIDE) == 0 {
		t.Errorf("this thread has %x, %v", own, err)
	}
}

// What is no regular file is not opened at all, whenever it takes the name of one: what a device does
// then is done.
func TestNoDeviceIsOpened(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes devices")
	}
	path := t.TempDir()
	file, device := filepath.Join(path, "file"), filepath.Join(path, "device")
	const none = 240<<8 | 1 // of a number that no driver has: whoever opens it is told so
	golden.OK(t, os.WriteFile(file, nil, 0o600))
	if err := unix.Mknod(device, unix.S_IFCHR|0o666, none); err != nil {
		t.Skip(err)
	}
	d := golden.Must(OpenPath(path, Self()))(t)
	defer d.Close()
	stop := exchanging(file, device)
	defer stop()
	kinds, opened := 0, 0
	for begun := time.Now(); time.Since(begun) < time.Second; {
		f, err := d.Open("file")
		switch {
		case err == nil:
			opened++
			f.Close()
		case errors.Is(err, errKind):
			kinds++
		default:
			t.Fatal(err)
		}
	}
	t.Logf("%d files, %d devices", opened, kinds)
}

// A lease, by which any user holds up the opening of a file, is not waited for.
func TestNoLeaseIsWaitedFor(t *testing.T) {
	d, path := theirs(t)
	at := filepath.Join(path, "file")
	f := golden.Must(os.Create(at))(t)
	defer f.Close()
	golden.OK(t, os.Chown(at, d.User.UID, d.User.GID))
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip(err)
	}
	if _, err := d.Open("file"); !errors.Is(err, unix.EAGAIN) {
		t.Errorf("%v", err)
	}
}

// exchanging has two names change what they stand for, until stop is called.
func exchanging(a, b string) (stop func()) {
	over, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
	}()
	return func() { close(over); <-ended }
}

// One directory is locked once, until it is closed.
func TestLock(t *testing.T) {
	d, path := theirs(t)
	other := golden.Must(OpenPath(path, d.User))(t)
	defer other.Close()
	if !d.Lock() || other.Lock() {
		t.Error("two have it")
	}
	d.Close()
	if !other.Lock() {
		t.Error("nobody has it, and it cannot be had")
	}
}

// A link in the root of another process is followed within it, as that process does.
func TestOpenBeneathTheRootOfAProcess(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes mount namespaces")
	}
	dir := t.TempDir()
	inside, up := filepath.Join(dir, "inside"), filepath.Join(dir, "up")
	for _, d := range []string{inside, up} {
		golden.OK(t, os.Mkdir(d, 0o777))
	}
	script := fmt.Sprintf(
		`mount -t tmpfs none '%[1]s' && mount -t tmpfs none '%[2]s' && ln -s '%[1]s' '%[2]s/tmp' && ln -s '../../../../../../../../../../%[1]s' '%[2]s/dots' && ln -s /proc/1/root'%[1]s' '%[2]s/magic' && echo && exec sleep 600`,
		inside,
		up,
	)
	c := exec.Command("unshare", "--mount", "sh", "-c", script)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	if n, _ := out.Read(make([]byte, 1)); n == 0 {
		t.Skip("the kernel lets nobody make mount namespaces here")
	}
	root := fmt.Sprintf("/proc/%d/root", c.Process.Pid)
	for _, name := range []string{"tmp", "dots", "magic"} {
		d, err := Open(root, filepath.Join(up, name), Self())
		if err != nil {
			if name != "magic" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		f := golden.Must(d.Create(name+".made", nil))(t)
		f.Close()
		d.Close()
		if _, err := os.Stat(filepath.Join(root, inside, name+".made")); err != nil {
			t.Errorf("it is not where the process would make it: %v", err)
		}
	}
	if left, err := os.ReadDir(inside); err != nil || len(left) > 0 {
		t.Errorf("outside of the root is %v, %v", left, err)
	}
}

// While another user exchanges names, root makes and opens files there, and neither
// changes nor opens what only root may.
func TestExchangedNames(t *testing.T) {
	d, path := theirs(t)
	target := secret(t)
	golden.OK(t, os.Symlink(target, filepath.Join(path, "evil")))
	stop := exchanging(filepath.Join(path, "evil"), filepath.Join(path, "file"))
	made, opened := 0, 0
	for begun := time.Now(); time.Since(begun) < time.Second && made < 20_000; {
		f, err := d.Create("file", []byte("ours"))
		if err == nil {
			made++
			f.Close()
		}
		if f, err := d.Open("file"); err == nil {
			opened++
			if text, _ := io.ReadAll(f); !slices.Contains([]string{"", "ours"}, string(text)) {
				t.Errorf("read %q", text)
			}
			f.Close()
		}
		_ = d.Remove("file")
		if _, err := d.Lstat("evil"); errors.Is(err, fs.ErrNotExist) {
			_ = os.Symlink(target, filepath.Join(path, "evil"))
		}
	}
	stop()
	untouched(t, target)
	if made == 0 || opened == 0 {
		t.Errorf("%d made, %d opened: nothing was tried", made, opened)
	}
}

// What is renamed anywhere while a path is looked up is no reason to give up.
func TestOpenWhileOthersRename(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		golden.OK(t, os.MkdirAll(filepath.Join(dir, name, "c"), 0o755))
	}
	done := make(chan struct{})
	var renaming sync.WaitGroup
	renaming.Go(func() {
		from, to := filepath.Join(dir, "b"), filepath.Join(dir, "d")
		for {
			select {
			case <-done:
				return
			default:
				_ = os.Rename(from, to)
				from, to = to, from
			}
		}
	})
	defer renaming.Wait()
	defer close(done)
	for _, path := range []string{"", "/", "/a/c/../..", "/a/c"} { // what is left where the kernel never has an answer
		d, err := Open(dir, path, Self())
		if err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		d.Close()
	}
	path := strings.Repeat("/a/c/../..", 50)
	for range golden.Depth(200, 2000, 20_000) {
		d := golden.Must(Open(dir, path, Self()))(t)
		d.Close()
	}
}

// The process keeps its user: /proc shows the main thread's, which never has another one's
// rights.
func TestTheMainThreadKeepsItsRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take the rights of another user")
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			golden.OK(t, nobody.Do(func() error { time.Sleep(time.Millisecond); return nil }))
		})
	}
	all.Wait()
	status := golden.Must(os.ReadFile("/proc/self/status"))(t)
	golden.Holds(t, string(status), "\nUid:\t0\t0\t0\t0\n")
}
