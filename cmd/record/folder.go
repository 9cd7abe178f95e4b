package record

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"contend/cmd/record/agent"
	"contend/cmd/record/attach"
	"contend/cmd/record/foreign"
)

// folder is in the target's own directory for temporary files: both processes reach it, even if
// the target has another root, user or namespace. It belongs to the target's user, and no other
// user can read it. It is held open, because its path may disappear with the target, and its
// files must not. Its lock belongs to the recorder: an unlocked folder is left of a finished
// recording.
//
// Its name, and the agent's jar in it, stay as long as the process: they are in the class path
// of a JVM, and in commands that it may execute late. Otherwise another user could take them.
type folder struct {
	name   string
	parent *foreign.Dir
	here   *foreign.Dir
	theirs string // the path that the target uses
}

// ours matches names of folders, which contain the key of the recorded process and, in it, its
// namespace.
var ours = regexp.MustCompile(`^contend-([0-9]+-([0-9]*))-[A-Z2-7]{16}$`)

// attempts bounds how often a folder is created that another recorder visits before it is
// locked.
const attempts = 4

// newFolder reuses an unlocked folder of the process, or makes one. It also cleans up: the files
// of finished recordings, after end has stopped them, and the folders of processes that no
// longer exist. There may be any number of these, each slow to end: it gives up after patience
// or when ctx is done. It closes the directory if it fails.
func newFolder(
	ctx context.Context,
	parent *foreign.Dir,
	theirs, key string,
	end func(name string) error,
) (_ *folder, err error) {
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
	if err == nil {
		err = ctx.Err() // the last removal may still run, and would remove what is made now
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

// visit tidies one of the folders, and takes it if it is the first free one. A folder made
// by a recorder in another namespace, as in a container, may belong to this process under
// another number: its recording is ended, and the folder stays.
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
	if err != nil { // it belongs to another user, or others can read it
		return nil
	}
	switch {
	case !left.Lock(): // another recorder's
	case gone:
		bounded(ctx, func() { clean(f.parent, name, left, false) })
	default:
		if err = end(name); err != nil || elsewhere {
			break
		}
		bounded(ctx, func() { clean(f.parent, name, left, false) })
		if f.here == nil && hasOurJar(left) && f.parent.Held(name, left) {
			f.name, f.here = name, left
			return nil
		}
	}
	left.Close()
	return err
}

// make creates a folder with a random name after the prefix.
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

// create creates a file and keeps it open, so that later reads are from this file whatever
// happens to its name.
func (f *folder) create(name string, content []byte) (*os.File, error) {
	return f.here.Create(name, content)
}

// writeFile writes a small file, in place of an earlier one.
func (f *folder) writeFile(name, content string) error {
	_ = f.here.Remove(name)
	file, err := f.create(name, []byte(content))
	if err == nil {
		err = file.Close()
	}
	return err
}

// longestNote bounds the bytes of a note that are read: paths have no more.
const longestNote = 1 << 12

func (f *folder) path(name string) string { return f.theirs + "/" + f.name + "/" + name }

// held returns an error if the path given to the JVM does not lead to the folder any more.
func (f *folder) held() error {
	if !f.parent.Held(f.name, f.here) {
		return errors.New(
			"another folder took the name of the recording's: a user who owns " + f.theirs + " can do that",
		)
	}
	return nil
}

// jarName differs for each version of the agent: a JVM may have loaded several.
var jarName = func() string {
	sum := sha256.Sum256(agent.Jar)
	return fmt.Sprintf("agent-%x.jar", sum[:8])
}()

// addJar adds the agent's jar, unless it is there; even if no agent is loaded, because its
// sticky bit keeps systemd-tmpfiles from removing old files, and with them the folder's
// name.
func (f *folder) addJar() error {
	jar, err := f.create(jarName, agent.Jar)
	if errors.Is(err, fs.ErrExist) {
		return nil // newFolder has checked it
	}
	if err != nil {
		return err
	}
	_ = jar.Chmod(0o600 | fs.ModeSticky)
	return jar.Close()
}

// hasOurJar reports whether a folder has the agent's complete jar, or no file of that name:
// a killed recorder may have written a part of it.
func hasOurJar(d *foreign.Dir) bool {
	jar, err := d.Read(jarName, int64(len(agent.Jar))+1)
	return err == nil && bytes.Equal(jar, agent.Jar) || errors.Is(err, fs.ErrNotExist)
}

// bounded runs remove until ctx is done, even if removing one file takes for ever. It reports
// whether remove has returned.
func bounded(ctx context.Context, remove func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		remove()
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// data and jars match the files that recorders make in a folder, chunks those of the JVM's flight
// recorder, which has its own directory. Only these are removed: other names may lead to other
// users' files by a mount.
var (
	data   = regexp.MustCompile(`^(lease-[A-Z2-7]{8}|trace\.bin|settings\.jfc|flight\.jfr|chunk\.txt)$`)
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

// removeRepositories removes the empty directories of a flight recorder. If its process has
// ended, it first removes the chunk that is known to be of contend's recording alone. Other
// chunks stay, because the program may have recorded itself: it reports whether there are any.
func removeRepositories(d *foreign.Dir, over bool) (stay bool) {
	in, chunk := "", ""
	if over {
		note, _ := d.Read(chunkName, longestNote)
		in, chunk = path.Split(string(note))
		_ = d.Remove(homeName)
	}
	for _, info := range d.List("[0-9]*_[0-9]*") {
		r, err := d.Sub(info.Name())
		if err != nil {
			continue
		}
		if in == info.Name()+"/" && chunks.MatchString(chunk) {
			_ = r.Remove(chunk)
		}
		stay = d.Rmdir(info.Name(), r) != nil || stay
		r.Close()
	}
	return stay
}

// clean removes the files of recordings from a folder, and all of it once nothing has the
// number of its process any more. It reports whether chunks stay. over says that the process
// has ended: its parent may not have reaped it yet.
func clean(parent *foreign.Dir, name string, dir *foreign.Dir, over bool) (stay bool) {
	of := ours.FindStringSubmatch(name)
	gone := of != nil && attach.Gone(of[1])
	stay = removeRepositories(dir, over || gone)
	removeFiles(dir, data)
	if gone {
		removeFiles(dir, jars)
		_ = parent.Rmdir(name, dir)
	}
	return stay
}

// removal bounds how long the end of a recording waits for the removal of its files.
const removal = 5 * time.Second

// end cleans the folder, and returns its path if the process has ended and chunks stay there.
func (f *folder) end(over bool) (stay string) {
	ctx, stop := context.WithTimeout(context.Background(), removal)
	defer stop()
	defer f.close()
	left := false
	if bounded(ctx, func() { left = clean(f.parent, f.name, f.here, over) }) && left && over {
		stay = path.Join(f.theirs, f.name)
	}
	return stay
}

func (f *folder) close() {
	f.here.Close()
	f.parent.Close()
}
