package record

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"time"

	"contend/format/record/agent"
	"contend/format/record/attach"
	"contend/format/record/foreign"
)

// folder is one in the target's own place for temporary files: both processes
// reach it, also where the target has another root, user or namespace. It
// belongs to the target's user, and nobody else can look into it. It is held
// open: the way to it ends with the target, what is in it must not. Its lock is
// the recorder's: a folder that nobody has locked is that of a recording that is over.
//
// Its name, and the agent's jar in it, stay as long as the process: they are in the class path
// of a JVM, and in commands that it may carry out late. Else another user could take them.
type folder struct {
	name   string
	parent *foreign.Dir
	here   *foreign.Dir
	theirs string // as the target sees it
	used   bool   // by a recording that is over
}

// ours matches names of folders, of which the key of the process that was recorded is a part.
var ours = regexp.MustCompile(`^contend-([0-9]+-[0-9]*)-[A-Z2-7]{16}$`)

// attempts is how often a folder is made that another recorder removes before it
// is locked.
const attempts = 4

// newFolder takes the folder of a process in a directory, or makes one: the first, or one more
// where other recorders have those that there are. It closes the directory where that fails.
func newFolder(ctx context.Context, parent *foreign.Dir, theirs, key string) (*folder, error) {
	f := &folder{parent: parent, theirs: theirs}
	prefix := "contend-" + key + "-"
	f.unlocked(ctx, prefix+"*", func(name string, other *foreign.Dir) (keep bool) {
		if f.here == nil && ours.MatchString(name) && other.Private() && hasOurJar(other) && parent.Held(name, other) {
			f.name, f.here, f.used = name, other, true
			return true
		}
		return false
	})
	if f.used {
		return f, nil
	}
	return makeFolder(parent, theirs, prefix)
}

// makeFolder makes one whose name begins so in a directory, which it closes where that fails.
func makeFolder(parent *foreign.Dir, theirs, prefix string) (_ *folder, err error) {
	f := &folder{parent: parent, theirs: theirs}
	for range attempts {
		f.name = prefix + rand.Text()[:16]
		if f.here, err = parent.Mkdir(f.name); err != nil {
			break
		}
		if f.here.Lock() && parent.Held(f.name, f.here) {
			return f, nil
		}
		f.here.Close()
		err = errors.New("other recorders remove what is made there")
	}
	return nil, errors.Join(err, parent.Close())
}

// tidy removes the folders of processes that are gone, and what killed recorders left in others
// of one, once end has ended what they began. There may be any number of them, each slow
// to end: it gives up when patience or ctx does.
func (f *folder) tidy(ctx context.Context, key string, end func(name string)) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	f.unlocked(ctx, "contend-*", func(name string, left *foreign.Dir) bool {
		of := ours.FindStringSubmatch(name)
		switch {
		case of == nil:
		case of[1] == key:
			end(name)
			bounded(ctx, func() { removeFiles(left, data) })
		case attach.Gone(of[1]):
			bounded(ctx, func() { removeAll(f.parent, name, left) })
		}
		return false
	})
}

// unlocked calls left for each other folder of this user's that no process has locked, which is
// closed unless left keeps it.
func (f *folder) unlocked(ctx context.Context, pattern string, left func(name string, dir *foreign.Dir) (keep bool)) {
	for _, info := range f.parent.List(pattern) {
		if ctx.Err() != nil || info.Name() == f.name {
			continue
		}
		if other, err := f.parent.Sub(info.Name()); err == nil { // else it is another user's
			if !other.Lock() || !left(info.Name(), other) {
				other.Close()
			}
		}
	}
}

// add makes a file and keeps it open: what is read later is this file, whatever
// its name has come to mean.
func (f *folder) add(name string, content []byte) (*os.File, error) {
	return f.here.Create(name, content)
}

func (f *folder) path(name string) string { return f.theirs + "/" + f.name + "/" + name }

// held returns an error where the path that the JVM is told leads elsewhere by now.
func (f *folder) held() error {
	if !f.parent.Held(f.name, f.here) {
		return errors.New("another folder took the name of the recording's: a user who owns " + f.theirs + " can do that")
	}
	return nil
}

// jarName is another one for each version of the agent: a JVM may hold several.
var jarName = func() string {
	sum := sha256.Sum256(agent.Jar)
	return fmt.Sprintf("agent-%x.jar", sum[:8])
}()

// addJar puts the agent's jar there, unless it is. The sticky bit keeps systemd-tmpfiles from
// removing what is old, and with it the folder's name.
func (f *folder) addJar() error {
	jar, err := f.add(jarName, agent.Jar)
	if errors.Is(err, fs.ErrExist) {
		return nil // newFolder has seen it
	}
	if err != nil {
		return err
	}
	_ = jar.Chmod(0o600 | fs.ModeSticky)
	return jar.Close()
}

// hasOurJar reports whether a folder has the agent's jar, or none of its name: a recorder that was
// killed may have written a part of it.
func hasOurJar(d *foreign.Dir) bool {
	jar, err := d.Open(jarName)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer jar.Close()
	text, err := io.ReadAll(io.LimitReader(jar, int64(len(agent.Jar))+1))
	return err == nil && bytes.Equal(text, agent.Jar)
}

// bounded goes no further than ctx does, also where removing one file takes for ever.
func bounded(ctx context.Context, remove func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		remove()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// data and jars match the files that recorders make in a folder. Nothing else in it is removed: what
// has the name of one may be another's by a mount.
var (
	data = regexp.MustCompile(`^(lease-[A-Z2-7]{8}|trace\.bin|settings\.jfc|flight\.jfr|threads\.json)$`)
	jars = regexp.MustCompile(`^agent-[0-9a-f]{16}\.jar$`)
)

func removeFiles(d *foreign.Dir, names *regexp.Regexp) {
	for _, info := range d.List("*") {
		if names.MatchString(info.Name()) {
			_ = d.Remove(info.Name())
		}
	}
}

// removeAll removes a folder with what recorders made in it.
func removeAll(parent *foreign.Dir, name string, dir *foreign.Dir) {
	removeFiles(dir, data)
	removeFiles(dir, jars)
	_ = parent.Rmdir(name, dir)
}

// removal is how long the end of a recording waits for that of its files.
const removal = 5 * time.Second

// end removes the files of a recording, and all of the folder of a process that is gone.
func (f *folder) end() {
	ctx, stop := context.WithTimeout(context.Background(), removal)
	defer stop()
	bounded(ctx, func() {
		if of := ours.FindStringSubmatch(f.name); of != nil && attach.Gone(of[1]) {
			removeAll(f.parent, f.name, f.here)
		} else {
			removeFiles(f.here, data)
		}
	})
	f.close()
}

func (f *folder) close() {
	f.here.Close()
	f.parent.Close()
}
