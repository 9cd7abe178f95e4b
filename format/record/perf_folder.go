package record

import (
	"context"
	"fmt"
	"os"

	"contend/format/record/foreign"
)

// PerfFolder is a folder for perf's own file, which perf alone would write through a link that
// another user put there: nobody else can look into it, or exchange it.
type PerfFolder struct{ folder *folder }

const (
	perfData   = "perf.data"
	perfPrefix = ".contend-perf-"
)

// NewPerfFolder makes one in a directory, and removes those that killed recorders left there.
func NewPerfFolder(ctx context.Context, in string) (*PerfFolder, error) {
	parent, err := foreign.Own(in)
	if err != nil {
		return nil, err
	}
	f, err := makeFolder(parent, in, perfPrefix)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, removal)
	defer stop()
	f.unlocked(ctx, perfPrefix+"*", func(name string, left *foreign.Dir) bool {
		removePerf(parent, name, left)
		return false
	})
	return &PerfFolder{f}, nil
}

// removePerf removes a folder with all that is in it: perf has a home there.
func removePerf(parent *foreign.Dir, name string, dir *foreign.Dir) {
	if parent.Held(name, dir) {
		_ = parent.Root().RemoveAll(name)
	}
}

// File is a path by which perf, which Linux alone has, finds its file, whatever has the name
// of the folder by now.
func (p *PerfFolder) File() string { return opened(p.folder.here.File()) + "/" + perfData }

func opened(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// Keep moves perf's file out of the folder into its directory.
func (p *PerfFolder) Keep() error {
	return p.folder.parent.Root().Rename(p.folder.name+"/"+perfData, perfData)
}

// Close removes the folder.
func (p *PerfFolder) Close() {
	removePerf(p.folder.parent, p.folder.name, p.folder.here)
	p.folder.close()
}
