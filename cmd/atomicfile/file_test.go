//go:build linux

package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"contend/golden"
)

// put writes a file as commands do.
func put(begin func(string) (*File, error), path string, content []byte) (*File, error) {
	f, err := begin(path)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(content); err != nil {
		return f, errors.Join(err, f.Discard())
	}
	return f, f.Commit()
}

// create is Create without an end.
func create(path string) (*File, error) { return Create(context.Background(), path) }

func holds(t *testing.T, path, want string, mode fs.FileMode) {
	t.Helper()
	text, err := os.ReadFile(path)
	info, again := os.Lstat(path)
	if err != nil || again != nil || string(text) != want || info.Mode() != mode {
		t.Errorf("%s: %q, want %q; %v, want %v; %v", path, text, want, info, mode, err)
	}
	if all, _ := os.ReadDir(filepath.Dir(path)); strings.HasPrefix(all[0].Name(), ".") {
		t.Errorf("left beside it: %s", all[0].Name())
	}
}

// The file that is replaced keeps its permissions, its name and the links to it.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	file, link, dangling := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	golden.OK(
		t,
		errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link), os.Symlink("new", dangling)),
	)
	f := golden.Must(create(file))(t)
	golden.Must(f.Write([]byte("fragment")))(t)
	if text, _ := os.ReadFile(file); string(text) != "old" {
		t.Errorf("%q before it is whole", text)
	}
	if err := f.Discard(); err != nil {
		t.Error(err)
	}
	holds(t, file, "old", 0o600)
	for path, at := range map[string]string{link: file, dangling: filepath.Join(dir, "new"), file: file} {
		if _, err := put(create, path, []byte(path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if text, err := os.ReadFile(at); err != nil || string(text) != path {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%v, %v: no link any more", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	long := filepath.Join(dir, strings.Repeat("ü", 127)+"x")
	if _, err := put(create, long, nil); err != nil {
		t.Errorf("a name of 255 bytes: %v", err)
	}
	if _, err := create(dir); !errors.Is(err, errDir) {
		t.Errorf("a directory: %v", err)
	}
}

// Until it is whole no name leads to a file, so that a process that is killed leaves none;
// where the file system makes no such file, another name does.
func TestUntilItIsWhole(t *testing.T) {
	for _, begin := range []func(string) (*File, error){create, New} {
		path := filepath.Join(t.TempDir(), "file")
		f := golden.Must(begin(path))(t)
		defer f.Close()
		golden.Must(f.Write([]byte("whole")))(t)
		if left, _ := os.ReadDir(filepath.Dir(path)); f.temp == "" && len(left) > 0 {
			t.Errorf("%v is there before it is whole", left)
		}
		kept := golden.Must(f.Keep())(t)
		golden.OK(t, os.Rename(path, path+".was"))
		if text, err := io.ReadAll(kept); err != nil || string(text) != "whole" {
			t.Errorf("%q, %v", text, err)
		}
	}
	f := golden.Must(create(filepath.Join(t.TempDir(), "file")))(t)
	golden.Must(f.Write([]byte("part")))(t)
	path := golden.Must(f.Leave())(t)
	if text, err := os.ReadFile(path); err != nil || string(text) != "part" || filepath.Base(path) != "file.part" {
		t.Errorf("%s: %q, %v", path, text, err)
	}
}

// What a process that was killed left beside a file goes when that is written again; what
// another process writes just now stays, and so does what another user put there.
func TestLeftBesideIt(t *testing.T) {
	for _, begin := range []func(string) (*File, error){create, named} {
		dir := t.TempDir()
		path, hidden := filepath.Join(dir, "file"), filepath.Join(dir, ".file.part")
		write := func(text string) {
			golden.OK(
				t,
				errors.Join(
					os.WriteFile(path, nil, 0o600),
					os.WriteFile(hidden, nil, 0o600),
					os.Chtimes(hidden, time.Unix(1e9, 0), time.Unix(1e9, 0)),
				),
			)
			if os.Geteuid() == 0 && text == "foreign" {
				golden.OK(t, os.Chown(hidden, 12345, 12345))
			}
			if _, err := put(begin, path, []byte(text)); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != text {
				t.Errorf("%q, %v, want %q", got, err, text)
			}
		}
		write("stale")
		if _, err := os.Lstat(hidden); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what nobody writes is there: %v", err)
		}
		golden.OK(t, os.WriteFile(hidden, nil, 0o600))
		writing := golden.Must(os.Open(hidden))(t)
		defer writing.Close()
		if !Lock(writing) {
			t.Skip("no file is locked here")
		}
		write("written")
		if info, err := os.Lstat(hidden); err != nil || !info.Mode().IsRegular() {
			t.Errorf("what another process writes is gone: %v", err)
		}
		golden.OK(t, os.Remove(hidden))
		write("foreign")
		if _, err := os.Lstat(hidden); (err == nil) != (os.Geteuid() == 0) {
			t.Errorf("what another user has there: %v", err)
		}
	}
}

// In a directory where others exchange names, what they put in the place of a file does not
// get its name unseen, and stays as it is.
func TestExchangedNames(t *testing.T) {
	for _, begin := range []func(string) (*File, error){create, New, named} {
		dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
		golden.OK(t, errors.Join(os.Chmod(dir, 0o777|fs.ModeSticky), os.WriteFile(other, []byte("other"), 0o600)))
		f := golden.Must(begin(filepath.Join(dir, "file")))(t)
		if f.temp == "" {
			golden.OK(t, f.hide(f.takeName))
		}
		golden.OK(t, errors.Join(os.Remove(filepath.Join(dir, f.temp)), os.Symlink(other, filepath.Join(dir, f.temp))))
		if err := f.Commit(); !errors.Is(err, errChanged) {
			t.Errorf("%v", err)
		}
		holds(t, other, "other", 0o600)
	}
	dir := t.TempDir()
	golden.OK(t, os.Chmod(dir, 0o777))
	if _, err := named(filepath.Join(dir, "file")); !errors.Is(err, errShared) {
		t.Errorf("%v", err)
	}
}

// named begins a file as on a file system where each has a name.
func named(path string) (*File, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f := &File{path: path, dir: dir}
	return f, f.named()
}

// What is no file is written to as it is, and so is an open file by its descriptor.
func TestInPlace(t *testing.T) {
	if _, err := put(create, os.DevNull, []byte("gone")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%v, %v", info, err)
	}
	if _, err := put(create, "/dev/full", []byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("/dev/full: %v", err)
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	golden.OK(t, syscall.Mkfifo(pipe, 0o600))
	got := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe)
		got <- string(text)
	}()
	if _, err := put(create, pipe, []byte("through")); err != nil || <-got != "through" {
		t.Errorf("a pipe: %v", err)
	}
	file := golden.Must(os.Create(filepath.Join(dir, "stdout")))(t)
	defer file.Close()
	link := filepath.Join(dir, "out")
	golden.OK(t, os.Symlink(fmt.Sprint("/proc/self/fd/", file.Fd()), link))
	for range 2 {
		if _, err := put(create, link, []byte("a")); err != nil {
			t.Error(err)
		}
	}
	if text, err := io.ReadAll(file); err != nil || string(text) != "aa" {
		t.Errorf("%q, %v", text, err)
	}
}

// A name that the program chose replaces nothing and leads nowhere.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(t.TempDir(), "secret")
	path := filepath.Join(dir, "a.bin")
	golden.OK(
		t,
		errors.Join(
			os.WriteFile(target, []byte("secret"), 0o600),
			os.Symlink(target, path),
			os.WriteFile(filepath.Join(dir, "a-2.bin"), []byte("mine"), 0o600),
		),
	)
	f, err := put(New, path, []byte("whole"))
	if err != nil || f.Path() != filepath.Join(dir, "a-3.bin") {
		t.Fatalf("%v, %v", f, err)
	}
	if text, err := os.ReadFile(f.Path()); err != nil || string(text) != "whole" {
		t.Errorf("%q, %v", text, err)
	}
	if text, _ := os.ReadFile(target); string(text) != "secret" {
		t.Errorf("the link was followed: %q", text)
	}
	in := golden.Must(Open(filepath.Dir(path)))(t)
	defer in.Close()
	if err := Write(in, path, strings.NewReader("kept")); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(target); string(text) != "secret" {
		t.Errorf("the link was followed: %q", text)
	}
	holds(t, path, "kept", 0o600)
}

// A link that another user made leads nowhere, but for root's.
func TestALinkOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make one")
	}
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	golden.OK(
		t,
		errors.Join(
			os.WriteFile(target, []byte("old"), 0o644),
			os.Symlink(target, link),
			os.Lchown(link, 12345, 12345),
		),
	)
	if _, err := create(link); !errors.Is(err, errLink) {
		t.Errorf("%v", err)
	}
	holds(t, target, "old", 0o644)
	folder, there := filepath.Join(dir, "folder"), t.TempDir()
	golden.OK(t, errors.Join(os.Symlink(there, folder), os.Lchown(folder, 12345, 12345)))
	for _, path := range []string{folder, folder + "/", folder + "/.", folder + "/new", folder + "/../x"} {
		if _, err := Open(path); !errors.Is(err, errLink) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, begin := range []func(string) (*File, error){create, New} {
		if _, err := begin(folder + "/file"); !errors.Is(err, errLink) {
			t.Errorf("a file where the link leads: %v", err)
		}
	}
	if all, err := os.ReadDir(there); err != nil || len(all) > 0 {
		t.Errorf("%v was made where a link leads, %v", all, err)
	}
}

// A directory that the user names is found as the system finds it, and made where there is none.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	golden.OK(
		t,
		errors.Join(
			os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755),
			os.Symlink("../a/b", filepath.Join(dir, "a", "link")),
			os.Symlink(filepath.Join(dir, "a"), filepath.Join(dir, "far")),
			os.Symlink("loop", filepath.Join(dir, "loop")),
			os.Symlink(filepath.Join(dir, "again"), filepath.Join(dir, "again")),
			os.WriteFile(filepath.Join(dir, "file"), nil, 0o600),
		),
	)
	t.Chdir(filepath.Join(dir, "a"))
	for path, want := range map[string]string{dir + "/a/b": "a/b", "b": "a/b", ".": "a", "..": ".", "link": "a/b",
		"link/..": "a", "../far/b/": "a/b", dir + "/far/link": "a/b", "new/er": "a/new/er", "/": "/"} {
		root, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if want != "/" {
			want = filepath.Join(dir, want)
		}
		got, err := root.Stat(".")
		if there, again := os.Stat(want); err != nil || again != nil || !os.SameFile(got, there) {
			t.Errorf("%s: not %s, %v, %v", path, want, err, again)
		}
		root.Close()
	}
	for _, path := range []string{"../loop", "../again", "../file", "../file/x"} {
		if _, err := Open(path); err == nil {
			t.Errorf("%q is a directory", path)
		}
	}
}

// A pipe that nobody reads is given up with the context, and one of another user is not written to.
func TestAPipeThatNobodyReads(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	golden.OK(t, syscall.Mkfifo(pipe, 0o600))
	ctx, end := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, end)
	if _, err := Create(ctx, pipe); !errors.Is(err, errUnread) {
		t.Errorf("%v", err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a pipe away")
	}
	golden.OK(t, os.Chown(pipe, 12345, 12345))
	if _, err := Create(ctx, pipe); !errors.Is(err, errPipe) {
		t.Errorf("of another user: %v", err)
	}
}

// No name leads to what is scratch, where the file system has files without one.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f := golden.Must(Scratch())(t)
	defer f.Close()
	golden.Must(f.Write([]byte("text")))(t)
	if way, err := os.Readlink(Descriptor(f)); err != nil || unnamedIn(dir) && strings.Contains(way, "contend-") {
		t.Errorf("it had a name: %s, %v", way, err)
	}
}

// unnamedIn reports whether a directory takes files without a name.
func unnamedIn(path string) bool {
	dir, err := os.OpenRoot(path)
	if err != nil {
		return false
	}
	defer dir.Close()
	f := unnamed(dir, alone)
	if f != nil {
		f.Close()
	}
	return f != nil
}

// A directory that is open stays the one that is written to, whatever has its name by now.
func TestADirectoryThatIsReplaced(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "dir"), t.TempDir()
	golden.OK(t, os.Mkdir(dir, 0o755))
	in := golden.Must(Open(dir))(t)
	defer in.Close()
	golden.OK(t, errors.Join(os.Rename(dir, dir+"-was"), os.Symlink(other, dir)))
	newIn := func(path string) (*File, error) { return NewIn(in, path) }
	if _, err := put(newIn, filepath.Join(dir, "new"), []byte("new")); err != nil {
		t.Error(err)
	}
	if err := Write(in, filepath.Join(dir, "written"), strings.NewReader("written")); err != nil {
		t.Error(err)
	}
	if all, _ := os.ReadDir(other); len(all) > 0 {
		t.Errorf("%v was written where a link leads", all)
	}
	holds(t, filepath.Join(dir+"-was", "new"), "new", 0o600)
	holds(t, filepath.Join(dir+"-was", "written"), "written", 0o600)
}

// A pipe that became a link, or another pipe, after it was looked at leads nowhere.
func TestAPipeThatIsReplaced(t *testing.T) {
	dir := t.TempDir()
	seen, other, link := filepath.Join(dir, "seen"), filepath.Join(dir, "other"), filepath.Join(dir, "link")
	golden.OK(t, errors.Join(syscall.Mkfifo(seen, 0o600), syscall.Mkfifo(other, 0o600), os.Symlink(other, link)))
	info := golden.Must(os.Lstat(seen))(t)
	reader := golden.Must(os.OpenFile(other, os.O_RDWR, 0))(t)
	defer reader.Close()
	for path, want := range map[string]error{link: syscall.ELOOP, other: fs.ErrExist} {
		if _, err := inPlace(t.Context(), path, info); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A socket may become a pipe after it was looked at: to open it would wait for a reader.
func TestNothingIsWrittenToASocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	listening := golden.Must(net.Listen("unix", path))(t)
	defer listening.Close()
	if _, err := Create(t.Context(), path); !errors.Is(err, errSocket) {
		t.Error(err)
	}
}

// A disk that is full leaves the file that was there, and nothing beside it.
func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("only root mounts a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	path := filepath.Join(dir, "file")
	old := strings.Repeat("o", 600<<10)
	golden.OK(t, os.WriteFile(path, []byte(old), 0o644))
	for _, begin := range []func(string) (*File, error){create, New} {
		if _, err := put(begin, path, bytes.Repeat([]byte("n"), 600<<10)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%v", err)
		}
		holds(t, path, old, 0o644)
	}
	if _, err := put(create, path, []byte("small")); err != nil {
		t.Error(err)
	}
	holds(t, path, "small", 0o644)
}
