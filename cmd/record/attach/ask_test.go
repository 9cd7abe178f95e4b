//go:build linux

package attach

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/cmd/atomicfile"
	"contend/cmd/record/foreign"
	"contend/golden"
)

// asked is this process as one of another user's where this is root, which works in work
// and keeps temporary files in tmp.
func asked(t *testing.T) (p *Process, work, tmp string) {
	t.Helper()
	u := foreign.Self()
	if u.UID == 0 {
		u = foreign.User{UID: 65534, GID: 65534}
	}
	dir := t.TempDir()
	golden.OK(t, os.Chmod(filepath.Dir(dir), 0o755))
	work, tmp = filepath.Join(dir, "work"), filepath.Join(dir, "tmp")
	for _, d := range []string{work, tmp} {
		golden.OK(t, errors.Join(os.Mkdir(d, 0o755), os.Chown(d, u.UID, u.GID)))
	}
	t.Chdir(work)
	return &Process{PID: os.Getpid(), identity: identity{inner: 7, user: u}, tmp: tmp}, work, tmp
}

// left makes the request, and returns the directory in which it is.
func left(t *testing.T, p *Process) (string, error) {
	t.Helper()
	all, done := p.places()
	defer done()
	at, err := p.leave(all)
	if err != nil {
		return "", err
	}
	for _, a := range all {
		if a.dir == at {
			name := filepath.Join(a.path, p.request())
			info, err := os.Lstat(name)
			if err != nil || !info.Mode().IsRegular() || atomicfile.Owner(info) != p.identity.user.UID {
				t.Errorf("%v, %v", info, err)
			}
			return a.path, os.Remove(name)
		}
	}
	return "", errors.New("nowhere")
}

// The request goes where the JVM looks for it, and a link or a file in its place is no
// request: what a tool left that died is replaced, what one has just made is waited for.
func TestTheRequestIsLeft(t *testing.T) {
	p, work, tmp := asked(t)
	name := filepath.Join(work, p.request())
	if at, err := left(t, p); err != nil || at != p.working() {
		t.Errorf("%s, %v", at, err)
	}
	target := filepath.Join(t.TempDir(), "secret")
	golden.OK(
		t,
		errors.Join(
			os.WriteFile(target, nil, 0o600),
			os.Symlink(target, name),
			os.Lchown(name, p.identity.user.UID, p.identity.user.GID),
		),
	)
	old := time.Unix(1e9, 0)
	if at, err := left(t, p); !errors.Is(err, errAsked) {
		t.Errorf("%s, %v", at, err)
	}
	user := p.identity.user
	golden.OK(t, errors.Join(os.Remove(name), os.WriteFile(name, nil, 0o600), os.Chown(name, user.UID, user.GID)))
	if at, err := left(t, p); !errors.Is(err, errAsked) {
		t.Errorf("%s, %v", at, err)
	}
	golden.OK(t, os.Chtimes(name, old, old))
	if at, err := left(t, p); err != nil || at != p.working() {
		t.Errorf("%s, %v", at, err)
	}
	if info, err := os.Stat(target); err != nil || atomicfile.Owner(info) != os.Geteuid() {
		t.Errorf("%v, %v", info, err)
	}
	golden.OK(t, os.Chmod(work, 0o555))
	if at, err := left(t, p); err != nil || at != tmp {
		t.Errorf("%s, %v", at, err)
	}
	golden.OK(t, os.Chmod(work, 0o755))
	golden.OK(
		t,
		errors.Join(os.WriteFile(name, nil, 0o600), os.Chown(name, user.UID, user.GID), os.Chtimes(name, old, old)),
	)
	p.Tidy()
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dead tool's request is still there: %v", err)
	}
}

// What another user put where the JVM makes its socket, and cannot be removed, is named,
// and whose it is.
func TestWhatIsInTheWayIsNamed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be two other users")
	}
	p, work, tmp := asked(t)
	const mallory = 12345
	for _, c := range []struct{ dir, name string }{{tmp, p.socket()}, {tmp, p.socket() + ".tmp"}, {work, p.request()}} {
		path := filepath.Join(c.dir, c.name)
		golden.OK(
			t,
			errors.Join(
				os.MkdirAll(filepath.Join(path, "full"), 0o755),
				os.Chown(path, mallory, mallory),
				os.Chmod(c.dir, fs.ModeSticky|0o777),
				os.Chown(c.dir, 0, 0),
			),
		)
		opened := golden.Must(p.Open(tmp))(t)
		done, err := p.ask(opened)
		done()
		opened.Close()
		var said *Error
		if !errors.As(err, &said) || !strings.Contains(said.What, "a directory of user 12345 is at ") ||
			!strings.HasSuffix(said.What, "/"+c.name) ||
			!strings.Contains(said.Hint, "rm -r ") {
			t.Errorf("%s: %v", c.name, err)
		}
		golden.OK(t, os.RemoveAll(path))
	}
	// So it is where nothing would be made, as in another user's directory.
	golden.OK(
		t,
		errors.Join(
			os.Chmod(work, 0o755),
			os.Chown(work, mallory, mallory),
			os.WriteFile(filepath.Join(work, p.request()), nil, 0o600),
			os.Chown(filepath.Join(work, p.request()), mallory, mallory),
		),
	)
	if at, err := left(t, p); err == nil || !strings.Contains(err.Error(), "a file of user 12345 is at ") {
		t.Errorf("%s, %v", at, err)
	}
}
