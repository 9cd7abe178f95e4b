package record

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"contend/format/record/attach"
	"contend/format/record/foreign"
)

// folder is one in the target's own place for temporary files: both processes
// reach it, also where the target has another root, user or namespace. It
// belongs to the target's user, and nobody else can look into it. It is held
// open: the way to it ends with the target, what is in it must not. Its lock is
// the recorder's: a folder that nobody has locked was left by one that was killed.
type folder struct {
	name   string
	parent *foreign.Dir
	here   *foreign.Dir
	theirs string // as the target sees it
}

// ours matches names of folders, of which the process that was recorded is a part, by its
// number in its own namespace: a recorder within a container and one outside of it find what
// the other left.
var ours = regexp.MustCompile(`^contend-([0-9]{1,10})-[A-Z2-7]{16}$`)

// attempts is how often a folder is made that another recorder removes before it
// is locked.
const attempts = 4

func newFolder(p *attach.Process) (*folder, error) {
	parent, err := p.Open(p.Temp())
	if err != nil {
		return nil, err
	}
	return makeFolder(parent, p.Temp(), fmt.Sprintf("contend-%d-", p.Inner()))
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

// tidy removes what recorders left there: folders of this process, where end reports that
// nothing in it goes by their names any more, and of processes that are gone. There may be any
// number of them, each slow to end: it gives up when patience or ctx does.
func (f *folder) tidy(ctx context.Context, p *attach.Process, end func(name string) bool) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	f.unlocked(ctx, "contend-*", func(name string, left *foreign.Dir) {
		of := ours.FindStringSubmatch(name)
		if of == nil {
			return
		}
		pid, err := strconv.Atoi(of[1])
		if err != nil || pid != p.Inner() && (p.Inner() != p.PID || (&attach.Process{PID: pid}).Alive()) {
			return // another lives, as far as is known here
		}
		if pid == p.Inner() && (!end(name) || unopened(left)) {
			return
		}
		bounded(ctx, func() { removeOwn(left) })
		if pid == p.Inner() {
			sleep(ctx, agentLooks)
		}
		if ctx.Err() == nil {
			_ = f.parent.Rmdir(name, left)
		}
	})
	p.Tidy()
}

// unopened reports whether the JVM was told to load the agent's jar from a folder, and has not
// shown that it did. The jar's path stands in its class path all the same, maybe for something
// that is looked for days later: the folder stays as long as the JVM.
func unopened(d *foreign.Dir) bool {
	if _, err := d.Lstat(loadingName); err != nil {
		return false
	}
	trace, err := d.Lstat(traceName)
	return err != nil || trace.Size() == 0
}

// unlocked calls left for each other folder of this user's that no process has locked.
func (f *folder) unlocked(ctx context.Context, pattern string, left func(name string, dir *foreign.Dir)) {
	for _, info := range f.parent.List(pattern) {
		if ctx.Err() != nil || info.Name() == f.name {
			continue
		}
		if other, err := f.parent.Sub(info.Name()); err == nil { // else it is another user's
			if other.Lock() {
				left(info.Name(), other)
			}
			other.Close()
		}
	}
}

// add makes a file and keeps it open: what is read later is this file, whatever
// its name has come to mean.
func (f *folder) add(name string, content []byte) (*os.File, error) {
	return f.here.Create(name, content)
}

func (f *folder) path(name string) string { return f.theirs + "/" + f.name + "/" + name }

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

// removeOwn removes what recorders make in a folder, and nothing else: what has the name of one may
// be another's by a mount.
func removeOwn(d *foreign.Dir) {
	for _, name := range [...]string{jarName, traceName, leaseName, loadingName, settingsName, flightName, dumpName} {
		_ = d.Remove(name)
	}
}

// agentLooks is how long an agent takes to see that its lease is gone, with some to spare.
const agentLooks = time.Second

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// removal is how long the end of a recording waits for that of its folder.
const removal = 5 * time.Second

// remove removes what is in the folder, and the folder. That stays where its name is used yet, by
// a process that has not done what it was told: another user would make one of that name.
func (f *folder) remove(used bool) {
	ctx, stop := context.WithTimeout(context.Background(), removal)
	defer stop()
	bounded(ctx, func() { removeOwn(f.here) })
	if !used {
		_ = f.parent.Rmdir(f.name, f.here)
	}
	f.close()
}

// leave gives the folder up with the agent's jar in it, and without a lease.
func (f *folder) leave() {
	_ = f.here.Remove(leaseName)
	f.close()
}

func (f *folder) close() {
	f.here.Close()
	f.parent.Close()
}
