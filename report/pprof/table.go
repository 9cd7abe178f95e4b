package pprof

import (
	"encoding/binary"
	"slices"

	"contend/analysis"
	"contend/format"

	"github.com/google/pprof/profile"
)

// table gives frames their functions and locations in a profile.
type table struct {
	sym       *analysis.Symbols
	p         *profile.Profile
	functions map[functionKey]*profile.Function
	locations map[format.Frame]*profile.Location
}

type functionKey struct{ name, file string }

func (t *table) stack(locs []*profile.Location, id format.StackID) []*profile.Location {
	frames := t.sym.Frames(id)
	if len(frames) == 0 {
		return append(locs, t.location(format.Frame{Method: analysis.UnknownStack}))
	}
	for _, f := range frames {
		locs = append(locs, t.location(f))
	}
	return locs
}

func (t *table) owner(locs []*profile.Location, o analysis.Owner) []*profile.Location {
	if o.Kind != analysis.OwnerThread {
		return append(locs, t.location(format.Frame{Method: analysis.PseudoOwner(o.Kind, o.Cycle)}))
	}
	return t.stack(locs, o.Stack)
}

// lock adds a frame that names a lock between those who wait and who holds it.
func (t *table) lock(locs []*profile.Location, id format.ObjectID) []*profile.Location {
	return append(locs, t.location(format.Frame{Method: "lock " + t.sym.LockName(id)}))
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

// paths numbers the chains of hops met, from 1; 0 is the empty one.
type paths struct {
	ids  map[string]int32
	list [][]analysis.Hop
	key  []byte
}

func (p *paths) id(path []analysis.Hop) int32 {
	if len(path) == 0 {
		return 0
	}
	p.key = p.key[:0]
	for _, h := range path {
		p.key = binary.AppendUvarint(binary.AppendUvarint(p.key, uint64(h.Stack)), uint64(h.Lock)) // who it was does not show in the stack
	}
	if id, ok := p.ids[string(p.key)]; ok {
		return id
	}
	if p.ids == nil {
		p.ids = map[string]int32{}
	}
	p.list = append(p.list, slices.Clone(path))
	id := int32(len(p.list))
	p.ids[string(p.key)] = id
	return id
}

func (p *paths) hops(id int32) []analysis.Hop {
	if id == 0 {
		return nil
	}
	return p.list[id-1]
}
