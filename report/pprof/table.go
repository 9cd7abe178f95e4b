package pprof

import (
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/blame/stacks"
	"contend/format"

	"github.com/google/pprof/profile"
)

// table gives frames their functions and locations in a profile.
type table struct {
	p         *profile.Profile
	stable    bool // names are without what differs from run to run
	functions map[functionKey]*profile.Function
	locations map[format.Frame]*profile.Location
}

type functionKey struct{ name, file string }

func (t *table) stack(frames []stacks.Frame) []*profile.Location {
	locs := make([]*profile.Location, 0, len(frames))
	for _, f := range frames {
		if t.stable {
			f.Frame = stable(f)
		}
		locs = append(locs, t.location(f.Frame))
	}
	return locs
}

// numbered is what ends the name of a lock: where it was, or which one it was.
var numbered = regexp.MustCompile(`[@#][0-9a-f]+$`)

// stable returns a frame without what another run of the program has otherwise.
func stable(f stacks.Frame) format.Frame {
	f.Class = blame.StableName(f.Class)
	if f.Class == "" {
		f.Method = blame.StableName(f.Method)
	}
	if f.Role == stacks.Lock {
		f.Method = numbered.ReplaceAllString(f.Method, "")
	}
	return f.Frame
}

func (t *table) location(f format.Frame) *profile.Location {
	if l := t.locations[f]; l != nil {
		return l
	}
	l := &profile.Location{ID: uint64(len(t.p.Location) + 1), Mapping: t.p.Mapping[0],
		Line: []profile.Line{{Function: t.function(f), Line: int64(max(f.Line, 0))}}}
	l.Address = l.ID // viewers merge locations by address
	t.locations[f] = l
	t.p.Location = append(t.p.Location, l)
	return l
}

func (t *table) function(f format.Frame) *profile.Function {
	k := functionKey{analysis.MethodName(f), f.File}
	if fn := t.functions[k]; fn != nil {
		return fn
	}
	fn := &profile.Function{ID: uint64(len(t.p.Function) + 1), Name: k.name, SystemName: k.name, Filename: k.file}
	t.functions[k] = fn
	t.p.Function = append(t.p.Function, fn)
	return fn
}
