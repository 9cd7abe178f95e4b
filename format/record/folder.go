package record

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"

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

// ours matches names of folders, of which the process that was recorded is a part.
var ours = regexp.MustCompile(`^contend-([0-9]{1,10})-[A-Z2-7]{16}$`)

// attempts is how often a folder is made that another recorder removes before it
// is locked.
const attempts = 4

func newFolder(p *attach.Process) (*folder, error) {
	parent, err := p.Open(p.Temp())
	if err != nil {
		return nil, err
	}
	f := &folder{parent: parent, theirs: p.Temp()}
	for range attempts {
		f.name = fmt.Sprintf("contend-%d-%s", p.PID, rand.Text()[:16])
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

// tidy removes what recorders left there that were killed: folders of this process, whose
// flight recordings end ends first, and of processes that are gone.
func (f *folder) tidy(p *attach.Process, end func(name string)) {
	for _, name := range f.parent.Names("contend-*") {
		of := ours.FindStringSubmatch(name)
		if of == nil || name == f.name {
			continue
		}
		pid, err := strconv.Atoi(of[1])
		if err != nil || pid != p.PID && (&attach.Process{PID: pid}).Alive() {
			continue
		}
		left, err := f.parent.Sub(name)
		if err != nil {
			continue // it is another user's
		}
		if left.Lock() {
			if pid == p.PID {
				end(name)
			}
			_ = f.parent.RemoveAll(name)
		}
		left.Close()
	}
	p.Tidy()
}

// add makes a file and keeps it open: what is read later is this file, whatever
// its name has come to mean.
func (f *folder) add(name string, content []byte) (*os.File, error) {
	return f.here.Create(name, content)
}

func (f *folder) path(name string) string { return f.theirs + "/" + f.name + "/" + name }

func (f *folder) remove() {
	_ = f.parent.RemoveAll(f.name)
	f.here.Close()
	f.parent.Close()
}
