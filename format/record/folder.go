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
	"strings"
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
}

// ours matches names of folders, of which the key of the process that was recorded is a part, and
// its namespace one of that.
var ours = regexp.MustCompile(`^contend-([0-9]+-([0-9]*))-[A-Z2-7]{16}$`)

// attempts is how often a folder is made that another recorder looks into before it is locked.
const attempts = 4

// newFolder takes the folder of a process in a directory, or makes one: the first, or one more
// where other recorders have those that there are. In those of recordings that are over it removes
// what is left, once end has ended what goes by their names, and all those of processes that are
// gone. There may be any number of them, each slow to end: it gives up when patience or ctx does.
// It closes the directory where it fails.
func newFolder(ctx context.Context, parent *foreign.Dir, theirs, key string, end func(name string) error) (_ *folder, err error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	f := &folder{parent: parent, theirs: theirs}
	for _, info := range parent.List("contend-*") {
		if err = ctx.Err(); err == nil {
			err = f.visit(ctx, info.Name(), key, end)
		}
		if err != nil {
			break
		}
	}
	if err == nil && f.here == nil {
		err = f.make("contend-" + key + "-")
	}
	if err == nil {
		err = f.addJar()
	}
	if err != nil {
		return nil, errors.Join(err, f.here.Close(), parent.Close())
	}
	return f, nil
}

// visit tidies one of the folders, and takes it if it is the first that can be taken. One that a
// recorder in another namespace made, as within a container, may be of this process, which has
// another number there: what was recorded by its name ends, and it stays.
func (f *folder) visit(ctx context.Context, name, key string, end func(name string) error) error {
	of := ours.FindStringSubmatch(name)
	if of == nil {
		return nil
	}
	gone, elsewhere := attach.Gone(of[1]), !strings.HasSuffix(key, "-"+of[2])
	if of[1] != key && !gone && !elsewhere {
		return nil
	}
	left, err := f.parent.Sub(name)
	if err != nil { // it is another user's, or others may look into it
		return nil
	}
	switch {
	case !left.Lock(): // another recorder's
	case gone:
		bounded(ctx, func() { removeAll(f.parent, name, left) })
	default:
		if err = end(name); err != nil || elsewhere {
			break
		}
		bounded(ctx, func() {
			removeFiles(left, data)
			removeRepositories(left, false)
		})
		if f.here == nil && hasOurJar(left) && f.parent.Held(name, left) {
			f.name, f.here = name, left
			return nil
		}
	}
	left.Close()
	return err
}

// make makes a folder whose name begins so.
func (f *folder) make(prefix string) (err error) {
	for range attempts {
		f.name = prefix + rand.Text()[:16]
		if f.here, err = f.parent.Mkdir(f.name); err != nil {
			return err
		}
		if f.here.Lock() && f.parent.Held(f.name, f.here) {
			return nil
		}
		f.here.Close()
	}
	return errors.New("other recorders take what is made there")
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

// addJar puts the agent's jar there, unless it is, also where no agent is loaded: its sticky bit
// keeps systemd-tmpfiles from removing what is old, and with it the folder's name.
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

// data and jars match the files that recorders make in a folder, chunks those of the JVM's flight
// recorder, which has a directory for them. Nothing else is removed: what has the name of one may be
// another's by a mount.
var (
	data   = regexp.MustCompile(`^(lease-[A-Z2-7]{8}|trace\.bin|settings\.jfc|flight\.jfr)$`)
	jars   = regexp.MustCompile(`^agent-[0-9a-f]{16}\.jar$`)
	chunks = regexp.MustCompile(`^[0-9]{4}(_[0-9]+){5,6}\.jfr$`)
)

func removeFiles(d *foreign.Dir, names *regexp.Regexp) {
	for _, info := range d.List("*") {
		if names.MatchString(info.Name()) {
			_ = d.Remove(info.Name())
		}
	}
}

// removeRepositories removes the directories of a flight recorder that are empty, and where its
// process is over those that have nothing but chunks in them: else another recording may use these.
func removeRepositories(d *foreign.Dir, over bool) {
	if over {
		_ = d.Remove(homeName)
	}
	for _, info := range d.List("[0-9]*_[0-9]*") {
		r, err := d.Sub(info.Name())
		if err != nil {
			continue
		}
		if over {
			removeFiles(r, chunks)
		}
		_ = d.Rmdir(info.Name(), r)
		r.Close()
	}
}

// removeAll removes a folder with what recorders made in it.
func removeAll(parent *foreign.Dir, name string, dir *foreign.Dir) {
	removeFiles(dir, data)
	removeFiles(dir, jars)
	removeRepositories(dir, true)
	_ = parent.Rmdir(name, dir)
}

// removal is how long the end of a recording waits for that of its files.
const removal = 5 * time.Second

// end removes the files of a recording, and all of the folder of a process that is gone: one that is
// over may have a parent that has not heard of it yet.
func (f *folder) end(over bool) {
	ctx, stop := context.WithTimeout(context.Background(), removal)
	defer stop()
	bounded(ctx, func() {
		if of := ours.FindStringSubmatch(f.name); of != nil && attach.Gone(of[1]) {
			removeAll(f.parent, f.name, f.here)
		} else {
			removeFiles(f.here, data)
			removeRepositories(f.here, over)
		}
	})
	f.close()
}

func (f *folder) close() {
	f.here.Close()
	f.parent.Close()
}
