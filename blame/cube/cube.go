// Package cube sums slices into one table from which every view of a trace can
// be made: what a page shows, a server answers and an export writes are sums
// of its rows.
package cube

import (
	"regexp"

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

// dims is the one list of dimensions: what documents call them, and the key of
// blame that each is.
var dims = [Dims]struct {
	name string
	key  blame.Key
	root bool // of the charge to the end of the chain
}{
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

// Key tells rows apart: an id for each dimension, in the numbers of the trace,
// see Cube.Text.
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

	id int32 // stays as it is when rows before this one go
}

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
	dims []Dim
	rows *blame.Rows
}

// shared is what a waiter and a share have, as numbers of charged, and how the
// owner is known.
type shared struct {
	direct, root int
	known        analysis.Word
}

// firstBinNs is how long bins are at first: they double as the trace goes on.
const firstBinNs = 1e6

// New returns an empty cube. Limits below 2 are taken as 2.
func New(l Limits) *Cube {
	c := &Cube{BinNs: firstBinNs, limits: Limits{max(l.Bins, 2), max(l.Rows, 2), max(l.Cells, 2)}, index: newIndex(), met: map[shared]int32{}}
	for i := range c.charged {
		of, by := &c.charged[i], []blame.Key{}
		for d := range Provenance {
			if dims[d].root == (i == 1) {
				of.dims, by = append(of.dims, d), append(by, dims[d].key)
			}
		}
		of.rows = blame.NewRows(&c.keys, by)
	}
	c.kinds = blame.KindsBy(&c.keys, []blame.Key{dims[WaiterGroup].key, dims[WaiterStack].key})
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
	c.sym, c.Start = sym, start
}

// Running implements analysis.RunningVisitor.
func (c *Cube) Running(from, to, ns int64) {
	c.pieces(from, to, ns, func(bin int, part int64) {
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
	like := shared{c.charged[0].rows.Of(lock, w, &owner), c.charged[1].rows.Of(lock, w, &last), owner.Owner.Prov.Word()}
	id, ok := c.met[like]
	if !ok {
		id = c.Rows[c.find(c.key(like))].id
		c.met[like] = id
	}
	return int(c.index.at[id])
}

func (c *Cube) key(of shared) (key Key) {
	key[Provenance] = uint32(of.known)
	for i, number := range [...]int{of.direct, of.root} {
		ids := c.charged[i].rows.IDs(number)
		for j, d := range c.charged[i].dims {
			key[d] = ids[j]
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
	c.pieces(s.Start, s.End, ns, func(bin int, part int64) {
		c.addCell(&c.Rows[row], Cell{int32(bin), waits, n * part})
		waits = 0
	})
}

// pieces calls f for each bin of a stretch with its part of ns. Parts sum to
// ns; a stretch of no length has one.
func (c *Cube) pieces(from, to, ns int64, f func(bin int, part int64)) {
	for (max(to-1, from)-c.Start)/c.BinNs >= int64(c.limits.Bins) {
		c.coarsen()
	}
	for lo := from; ; {
		bin := (lo - c.Start) / c.BinNs
		hi := min(c.Start+(bin+1)*c.BinNs, to)
		if hi <= lo {
			f(int(bin), ns)
			return
		}
		f(int(bin), analysis.Spread(ns, from, to, lo, hi))
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

// addCell adds to a row. Slices come in order of time but for their length, so
// the cell is the last one or near it.
func (c *Cube) addCell(r *Row, cell Cell) {
	r.Ns += cell.Ns
	r.Waits += int64(cell.Waits)
	i := len(r.Cells)
	for i > 0 && r.Cells[i-1].Bin > cell.Bin {
		i--
	}
	if i > 0 && r.Cells[i-1].Bin == cell.Bin {
		r.Cells[i-1].Ns += cell.Ns
		r.Cells[i-1].Waits += cell.Waits
		return
	}
	c.cells++
	r.Cells = append(r.Cells, Cell{})
	copy(r.Cells[i+1:], r.Cells[i:])
	r.Cells[i] = cell
}

// Finish brings the cube within its limits; nothing can be added to it any
// more.
func (c *Cube) Finish() {
	c.bound(c.limits)
	for i := range c.Rows {
		if c.Rows[i].Key.merged() {
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
	return c.keys.Text(dims[d].key, id)
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
