package cube

import (
	"math"
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Cell is the waiting of a row in one bin of time.
type Cell struct {
	Bin   int32
	Waits int32 // that begin in the bin, counted in the row of their first share
	Ns    int64 // thread-time
}

// Row is the waiting of one combination of ids. Cells are in order of time.
type Row struct {
	Key   Key
	Ns    int64 // thread-time, the sum of the cells
	Waits int64
	Cells []Cell
	walls []analysis.Union // of Clock: the union of the waits of each cell
	Lock  format.ObjectID  // the first that was waited for
}

// WallNs returns the length of the union of a cell's waits.
func (r *Row) WallNs(cell int) int64 { return r.walls[cell].Len() }

// Limits bound a cube. Nothing is dropped: bins are merged into longer ones, and the smallest
// rows into rows of Other.
type Limits struct{ Bins, Rows, Cells int }

// Cube is a visitor that fills the table, and then the table. The rows sum to
// all waiting, to the nanosecond.
type Cube struct {
	Start     int64 // the trace's first instant
	BinNs     int64
	RunningNs blame.ByID[int64] // running thread-time of each bin
	Rows      []Row
	OtherNs   int64 // thread-time of merged rows
	Total     Row   // of Clock: all rows together
	End       int64 // the latest instant that was added

	blame.Charges
	columns []blame.Column
	clock   bool
	limits  Limits
	cells   int

	keys     blame.Resolver
	sym      *analysis.Symbols
	met      *blame.Rows       // combinations since rows were merged last
	numbered blame.ByID[int32] // by number of a combination: its row, counting from 1
	index    map[Key]int32     // the same by key, of all rows; nil where they are never merged

	places []Place // of waits for no locks, see WithResources
	ids    map[Place]uint32
	placed blame.PerStack // the ids of places
}

// firstBinNs is the initial length of bins, which doubles as the trace goes on.
const firstBinNs = 1e6

// New returns an empty cube of a page. Limits below 2 are taken as 2.
func New(l Limits) *Cube {
	c := &Cube{BinNs: firstBinNs, columns: dims[:], index: map[Key]int32{}, ids: map[Place]uint32{}}
	return c.limit(Limits{max(l.Bins, 2), max(l.Rows, 2), max(l.Cells, 2)})
}

// Over returns an empty table by some columns, whose rows are never merged. Bins become longer
// than binNs where there are too many of them, or too many cells.
func Over(columns []blame.Column, binNs int64, l Limits) *Cube {
	return (&Cube{BinNs: max(binNs, 1), columns: columns}).limit(l)
}

func (c *Cube) limit(l Limits) *Cube {
	c.limits = l
	c.met = blame.NewRows(&c.keys, c.columns)
	c.Charges = blame.NewCharges(c.met, c.charge)
	return c
}

// Clock aligns bins to the clock, so that they are the same in all recordings, and measures
// the wall-time of cells. Call it before Begin.
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

// Intervals implements analysis.RunningVisitor.
func (c *Cube) Intervals() (from, length int64) { return c.Start, c.BinNs }

// Ticks implements analysis.RunningVisitor.
func (c *Cube) Ticks(int64, int64) {}

// Running implements analysis.RunningVisitor.
func (c *Cube) Running(from, to, ns int64) {
	c.pieces(from, to, ns, func(bin int, _, _, part int64) {
		*c.RunningNs.Entry(bin) += part
	})
}

// charge adds a charge to the row of a combination of ids.
func (c *Cube) charge(number int, to blame.Charge) {
	row, begins := c.row(number, to.Slice.Lock), int32(min(to.Begins, math.MaxInt32))
	c.pieces(to.Slice.Start, to.Slice.End, to.Ns, func(bin int, lo, hi, part int64) {
		cell := Cell{int32(bin), begins, int64(to.N) * part}
		at := c.addCell(&c.Rows[row], cell)
		if begins = 0; !c.clock {
			return
		}
		piece := *to.Slice
		piece.Start, piece.End = lo, hi
		// A later slice may reach into a later piece.
		piece.Sample.InOrder = to.Slice.Sample.InOrder && lo == to.Slice.Start
		c.Rows[row].walls[at].AddSlice(&piece)
		c.Total.walls[c.addCell(&c.Total, cell)].AddSlice(&piece)
	})
	c.makeRoom()
}

// makeRoom merges if the table has grown to twice its limits.
func (c *Cube) makeRoom() {
	if c.index != nil && len(c.Rows) > 2*c.limits.Rows || c.cells/2 > c.limits.Cells {
		c.shrink()
	}
}

// row returns the row of a combination of ids, making it if need be.
func (c *Cube) row(number int, lock format.ObjectID) int {
	row := c.numbered.Entry(number)
	if *row == 0 {
		var key Key
		copy(key[:], c.met.IDs(number))
		at := c.find(key)
		if len(c.Rows[at].Cells) == 0 {
			c.Rows[at].Lock = lock
		}
		*row = int32(at + 1)
	}
	return int(*row) - 1
}

// find returns the place of the row with a key, making it if need be. Where rows are never
// merged, each key is asked for once.
func (c *Cube) find(key Key) int {
	at, ok := c.index[key]
	if !ok {
		at = int32(len(c.Rows))
		c.Rows = append(c.Rows, Row{Key: key})
		if c.index != nil {
			c.index[key] = at
		}
	}
	return int(at)
}

// Finish brings the cube within its limits. Nothing can be added afterwards.
func (c *Cube) Finish() {
	c.bound(c.limits)
	for i := range c.Rows {
		if c.index != nil && c.Rows[i].Key.merged() {
			c.OtherNs += c.Rows[i].Ns
		}
	}
}

// Text names an id of a dimension. The id of a stack also has frames, unless it is a pseudo
// owner or Other.
func (c *Cube) Text(d Dim, id uint32) (text string, frames []format.Frame) {
	switch {
	case id == Other:
		return blame.OtherText, nil
	}
	if p, ok := c.Resource(id); ok && (d == Lock || d == RootLock) {
		return p.What + " at " + p.Site, nil
	}
	return c.keys.Text(c.columns[d].Key, id)
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
