// Package cube sums slices into tables by keys and by bins of time: the one from which
// every view of a page is made (New), the rows that an export writes, and the sums by
// interval of a gate (Over).
package cube

import (
	"regexp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Dim is one dimension of a row, besides time.
type Dim uint8

// The dimensions. Class, method and site follow from lock and stack.
const (
	Lock Dim = iota
	WaiterGroup
	WaiterStack
	OwnerGroup // of the direct owner
	OwnerStack
	OwnerDoing
	BlockedOn // the lock the direct owner waited for itself
	RootGroup // of the owner at the end of the chain
	RootStack
	RootDoing
	RootLock   // the last of the chain
	Provenance // how the direct owner is known
	Dims
)

// dimension is what documents call a dimension, and the key of blame that it is.
type dimension struct {
	name string
	key  blame.Key
	root bool // of the charge to the end of the chain
}

// dims is the one list of a page's dimensions.
var dims = [Dims]dimension{
	Lock:        {"lock", blame.ByLock, false},
	WaiterGroup: {"waiterGroup", blame.ByWaiterGroup, false},
	WaiterStack: {"waiterStack", blame.ByWaiterStack, false},
	OwnerGroup:  {"ownerGroup", blame.ByOwnerGroup, false},
	OwnerStack:  {"ownerStack", blame.ByOwnerStack, false},
	OwnerDoing:  {"ownerDoing", blame.ByOwnerDoing, false},
	BlockedOn:   {"blockedOn", blame.ByOwnerBlockedOn, false},
	RootGroup:   {"rootGroup", blame.ByOwnerGroup, true},
	RootStack:   {"rootStack", blame.ByOwnerStack, true},
	RootDoing:   {"rootDoing", blame.ByOwnerDoing, true},
	RootLock:    {"rootLock", blame.ByRootLock, true},
	Provenance:  {name: "provenance"},
}

// Names are the dimensions as documents write them.
func Names() (names [Dims]string) {
	for d := range dims {
		names[d] = dims[d].name
	}
	return names
}

// Key tells rows apart: an id for each dimension, in the numbers of the trace, see
// Cube.Text. Of a table by other keys the first are those, in order; the provenance is in
// its place.
type Key [Dims]uint32

// Other is the id of what was merged to keep the table small.
const Other = uint32(blame.Other)

// Cell is what a row waited in one bin of time.
type Cell struct {
	Bin   int32
	Waits int32 // that begin in the bin, and in this row
	Ns    int64 // thread-time
}

// Row is one combination of ids. Cells come in order of time.
type Row struct {
	Key   Key
	Ns    int64 // thread-time, the sum of the cells
	Waits int64
	Cells []Cell
	walls []analysis.Union // of Clock: the union of the waits of each cell
	Lock  format.ObjectID  // the first that was waited for

	id int32 // stays as it is when rows before this one go
}

// WallNs returns the length of the union of a cell's waits.
func (r *Row) WallNs(cell int) int64 { return r.walls[cell].Len() }

// Limits bound a cube. What does not fit is merged, never dropped: bins of
// time into longer ones, and the smallest rows into rows of Other.
type Limits struct{ Bins, Rows, Cells int }

// Cube is a visitor that fills the table, and then the table. All rows sum to
// all waiting, to the nanosecond.
type Cube struct {
	Start     int64 // the trace's first instant
	BinNs     int64
	RunningNs []int64 // running thread-time of each bin
	Rows      []Row
	OtherNs   int64 // thread-time of rows that Other stands in
	Total     Row   // of Clock: all rows together
	End       int64 // of what was added last in time

	places []Place // of waits for no locks, see WithResources
	placed map[Place]uint32
	dims   []dimension
	merges bool // rows may be merged
	clock  bool
	limits Limits
	keys   blame.Resolver
	sym    *analysis.Symbols
	index  index
	cells  int

	charged [2]charged       // to the direct owner, and to the end of the chain
	met     map[shared]int32 // the rows, by id, of what was met since the table was last made smaller
	kinds   blame.Kinds
}

// charged numbers what waiters and the owners that are charged have for the
// dimensions of such owners.
type charged struct {
	dims []Dim // none where there is none of these
	rows *blame.Rows
}

// shared is what a waiter and a share have, as numbers of charged, and how the
// owner is known.
type shared struct {
	direct, root int32
	known        analysis.Word
}

// firstBinNs is how long bins are at first: they double as the trace goes on.
const firstBinNs = 1e6

// New returns an empty cube of a page. Limits below 2 are taken as 2.
func New(l Limits) *Cube {
	c := &Cube{BinNs: firstBinNs, merges: true, dims: dims[:Provenance]}
	return c.limit(Limits{max(l.Bins, 2), max(l.Rows, 2), max(l.Cells, 2)})
}

// Over returns an empty table by some keys of direct owners, whose rows are never merged.
// Bins become longer than binNs where there are too many, or too many cells.
func Over(by []blame.Key, binNs int64, l Limits) *Cube {
	c := &Cube{BinNs: max(binNs, 1)}
	for _, k := range by {
		c.dims = append(c.dims, dimension{key: k})
	}
	return c.limit(l)
}

func (c *Cube) limit(l Limits) *Cube {
	c.limits, c.index, c.met = l, newIndex(), map[shared]int32{}
	direct := []blame.Key{}
	for i := range c.charged {
		of, by := &c.charged[i], []blame.Key{}
		for d, one := range c.dims {
			if one.root == (i == 1) {
				of.dims, by = append(of.dims, Dim(d)), append(by, one.key)
			}
		}
		if of.rows = blame.NewRows(&c.keys, by); i == 0 {
			direct = by
		}
	}
	c.kinds = blame.KindsBy(&c.keys, direct)
	return c
}

// Clock makes bins those of the clock, which are the same in all recordings, and takes the
// wall-time of cells. It comes before Begin.
func (c *Cube) Clock() *Cube {
	c.clock = true
	return c
}

// App says what the program's own code is, see blame.Resolver.App.
func (c *Cube) App(own *regexp.Regexp) *Cube {
	c.keys.App(own)
	return c
}

// Begin implements analysis.Visitor.
func (c *Cube) Begin(sym *analysis.Symbols, start int64) {
	c.keys.Begin(sym)
	if c.sym, c.Start, c.End = sym, start, start; c.clock {
		c.Start -= (start%c.BinNs + c.BinNs) % c.BinNs
	}
}

// Running implements analysis.RunningVisitor.
func (c *Cube) Running(from, to, ns int64) {
	c.pieces(from, to, ns, func(bin int, _, _, part int64) {
		for len(c.RunningNs) <= bin {
			c.RunningNs = append(c.RunningNs, 0)
		}
		c.RunningNs[bin] += part
	})
}

// Slice implements analysis.Visitor.
func (c *Cube) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		w := &s.Waiters[i]
		c.addShares(s, w, 1)
		if len(s.Shares) == 0 && w.First { // a wait of length zero
			nobody := blame.Charge{Owner: analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}}
			c.add(c.row(s.Lock, w, nobody, nobody), s, 0, 1, true)
		}
	}
	c.makeRoom()
}

// QueueChanged implements analysis.QueueVisitor.
func (c *Cube) QueueChanged(m *analysis.QueueChange) { c.kinds.Change(m) }

// QueueSlice implements analysis.QueueVisitor.
func (c *Cube) QueueSlice(s *analysis.Slice, _ int) {
	for _, k := range c.kinds.Of(s.Lock) {
		c.addShares(s, &k.Waiter, int64(k.Len()))
	}
	c.makeRoom()
}

// addShares adds the shares of so many waiters that are alike.
func (c *Cube) addShares(s *analysis.Slice, w *analysis.Waiter, n int64) {
	for j := range s.Shares {
		sh := &s.Shares[j]
		c.add(c.row(s.Lock, w, blame.ChargeOf(s.Lock, sh, false), blame.ChargeOf(s.Lock, sh, true)), s, sh.Ns, n, w.First && j == 0)
	}
}

// makeRoom makes the table smaller where it has become too large.
func (c *Cube) makeRoom() {
	if len(c.Rows) > 2*c.limits.Rows || c.cells > 2*c.limits.Cells {
		c.shrink()
	}
}

// row returns the row of a waiter and one of its owners, making it if need be.
func (c *Cube) row(lock format.ObjectID, w *analysis.Waiter, owner, last blame.Charge) int {
	like := c.shared(lock, w, &owner, &last)
	id, ok := c.met[like]
	if !ok {
		at := c.find(c.key(like))
		if id = c.Rows[at].id; len(c.Rows[at].Cells) == 0 {
			c.Rows[at].Lock = lock
		}
		c.met[like] = id
	}
	return int(c.index.at[id])
}

func (c *Cube) shared(lock format.ObjectID, w *analysis.Waiter, owner, last *blame.Charge) shared {
	like := shared{direct: int32(c.charged[0].rows.Of(lock, w, owner)), known: owner.Owner.Prov.Word()}
	if len(c.charged[1].dims) > 0 {
		like.root = int32(c.charged[1].rows.Of(lock, w, last))
	}
	return like
}

func (c *Cube) key(of shared) (key Key) {
	key[Provenance] = uint32(of.known)
	for i, number := range [...]int32{of.direct, of.root} {
		for j, d := range c.charged[i].dims {
			key[d] = c.charged[i].rows.IDs(int(number))[j]
		}
	}
	return key
}

// forget drops the numbers of rows, which have others when some were merged.
func (c *Cube) forget() {
	clear(c.met)
	for i := range c.charged {
		c.charged[i].rows.Forget()
	}
}

// find returns the place of a row, making it if need be.
func (c *Cube) find(key Key) int {
	if id, ok := c.index.ids[key]; ok {
		return int(c.index.at[id])
	}
	c.Rows = append(c.Rows, Row{Key: key, id: c.index.add(key, len(c.Rows))})
	return len(c.Rows) - 1
}

// add adds a share of a slice, which each of n waiters has, to a row.
func (c *Cube) add(row int, s *analysis.Slice, ns, n int64, begins bool) {
	waits := int32(0)
	if begins {
		waits = 1
	}
	c.pieces(s.Start, s.End, ns, func(bin int, lo, hi, part int64) {
		cell := Cell{int32(bin), waits, n * part}
		at := c.addCell(&c.Rows[row], cell)
		if waits = 0; !c.clock {
			return
		}
		piece := *s
		piece.Start, piece.End = lo, hi
		piece.Sample.InOrder = s.Sample.InOrder && lo == s.Start // a later slice may reach into a later piece
		c.Rows[row].walls[at].AddSlice(&piece)
		c.Total.walls[c.addCell(&c.Total, cell)].AddSlice(&piece)
	})
}

// pieces calls f for each bin of a stretch with its part of it and of ns. Parts sum to ns;
// a stretch of no length has one.
func (c *Cube) pieces(from, to, ns int64, f func(bin int, lo, hi, part int64)) {
	for (max(to-1, from)-c.Start)/c.BinNs >= int64(c.limits.Bins) {
		c.coarsen()
	}
	c.End = max(c.End, to)
	for lo := from; ; {
		bin := (lo - c.Start) / c.BinNs
		hi := min(c.Start+(bin+1)*c.BinNs, to)
		if hi <= lo {
			f(int(bin), lo, lo, ns)
			return
		}
		f(int(bin), lo, hi, analysis.Spread(ns, from, to, lo, hi))
		if hi == to {
			return
		}
		lo = hi
	}
}

// Cut calls f for each bin that a stretch lies in, with the part of it there: a
// part of length zero of a stretch that has none. What lies before the first bin
// or behind the last one is left out. It is for a cube that is finished.
func (c *Cube) Cut(from, to int64, f func(bin int32, ns int64)) {
	end := c.Start + int64(c.bins())*c.BinNs
	for lo := max(from, c.Start); lo < min(max(to, from+1), end); {
		bin := (lo - c.Start) / c.BinNs
		hi := min(c.Start+(bin+1)*c.BinNs, max(to, lo))
		f(int32(bin), hi-lo)
		lo = max(hi, lo+1)
	}
}

// addCell adds to a row, and returns the place of the cell. Slices come in order of time
// but for their length, so the cell is the last one or near it.
func (c *Cube) addCell(r *Row, cell Cell) int {
	r.Ns += cell.Ns
	r.Waits += int64(cell.Waits)
	i := len(r.Cells)
	if i > 0 && r.Cells[i-1].Bin > cell.Bin {
		i, _ = slices.BinarySearchFunc(r.Cells, cell.Bin+1, func(c Cell, bin int32) int { return int(c.Bin - bin) })
	}
	if i > 0 && r.Cells[i-1].Bin == cell.Bin {
		r.Cells[i-1].Ns += cell.Ns
		r.Cells[i-1].Waits += cell.Waits
		return i - 1
	}
	c.cells++
	r.Cells = slices.Insert(r.Cells, i, cell)
	if c.clock {
		r.walls = slices.Insert(r.walls, i, analysis.Union{})
	}
	return i
}

// Finish brings the cube within its limits; nothing can be added to it any
// more.
func (c *Cube) Finish() {
	c.bound(c.limits)
	for i := range c.Rows {
		if c.merges && c.Rows[i].Key.merged() {
			c.OtherNs += c.Rows[i].Ns
		}
	}
}

// Text names an id of a dimension; a stack also has frames, unless it is that
// of a pseudo owner or of Other.
func (c *Cube) Text(d Dim, id uint32) (text string, frames []format.Frame) {
	switch {
	case id == Other:
		return blame.OtherText, nil
	case d == Provenance:
		return analysis.Word(id).String(), nil
	}
	if p, ok := c.Resource(id); ok && (d == Lock || d == RootLock) {
		return p.What + " at " + p.Site, nil
	}
	return c.keys.Text(c.dims[d].key, id)
}

// Class names the class of a lock.
func (c *Cube) Class(lock uint32) string {
	if lock == Other {
		return blame.OtherText
	}
	return c.sym.ClassName(format.ObjectID(lock))
}

// Kind returns the kind of a lock.
func (c *Cube) Kind(lock uint32) format.LockKind {
	if lock == Other {
		return 0
	}
	return c.sym.Kind(format.ObjectID(lock))
}
