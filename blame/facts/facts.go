// Package facts sums slices into rows that can be added to those of other
// recordings: by interval of the clock, and by what means the same in every run
// of a program. No id and no address of one recording is in them.
package facts

import (
	"regexp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Sum is what a row, or all rows together, waited in one interval.
type Sum struct {
	Ns     int64 // thread-time
	WallNs int64 // length of the union of its waits, at most Ns: of several readers each is charged a part of each instant only
	Waits  int64 // that begin in the interval and, of the rows of one wait, in the first

	wall analysis.Union
}

// Cell is a sum in one interval.
type Cell struct {
	Bin int64 // the interval, counting from the epoch
	Sum
}

// Row is one combination of names. Cells come in order of time.
type Row struct {
	ids   int32 // their number among the combinations
	Known analysis.Word
	Kind  format.LockKind // of the first of the class's locks
	Cells []Cell
}

// By are the names of a row, besides how its owner is known.
var By = []blame.Key{blame.ByClass, blame.ByWaiterMethod, blame.ByWaiterGroup, blame.ByWaiterStack, blame.ByOwnerMethod, blame.ByOwnerGroup, blame.ByOwnerSite, blame.ByOwnerCallers, blame.ByOwnerStack}

// maxBins and maxCells bound what one recording may take. A recording that
// passes them, which a damaged time alone can do, gets longer intervals.
const (
	maxBins  = 20_000
	maxCells = 1_000_000
)

// Collector is a visitor that makes the rows. They sum to all waiting, to the
// nanosecond.
type Collector struct {
	IntervalNs int64
	Rows       []Row
	Total      []Cell // of all rows
	RunningNs  map[int64]int64

	sym         *analysis.Symbols
	keys        blame.Resolver
	numbers     *blame.Rows
	kinds       blame.Kinds
	index       [][analysis.Words]int32 // by number: the row, plus one
	first, last int64                   // bins met
	any         bool
	cells       int
	maxBins     int64
	maxCells    int
}

// New returns an empty collector. An expression says what the program's own code
// is, see blame.Resolver.App.
func New(intervalNs int64, app *regexp.Regexp) *Collector {
	c := &Collector{IntervalNs: max(intervalNs, 1), RunningNs: map[int64]int64{}, maxBins: maxBins, maxCells: maxCells}
	c.keys.App(app)
	c.numbers = blame.NewRows(&c.keys, By)
	c.kinds = blame.KindsBy(&c.keys, By)
	return c
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, _ int64) { c.sym = sym; c.keys.Begin(sym) }

// IDs returns the ids of a row, in the order of By, see Text.
func (c *Collector) IDs(r *Row) []uint32 { return c.numbers.IDs(int(r.ids)) }

// Text names an id of a row; the number is its place in By.
func (c *Collector) Text(place int, id uint32) string {
	text, _ := c.keys.Text(By[place], id)
	return text
}

// Running implements analysis.RunningVisitor.
func (c *Collector) Running(from, to, ns int64) {
	c.pieces(from, to, ns, func(bin, _, _, part int64) { c.RunningNs[bin] += part })
}

// Slice implements analysis.Visitor.
func (c *Collector) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		w := &s.Waiters[i]
		for j := range s.Shares {
			sh := &s.Shares[j]
			c.add(c.row(s.Lock, w, blame.ChargeOf(s.Lock, sh, false)), s, sh.Ns, 1, w.First && j == 0)
		}
		if len(s.Shares) == 0 && w.First { // a wait of length zero
			c.add(c.row(s.Lock, w, blame.Charge{Owner: analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}}), s, 0, 1, true)
		}
	}
	c.makeRoom()
}

// QueueChanged implements analysis.QueueVisitor.
func (c *Collector) QueueChanged(m *analysis.QueueChange) { c.kinds.Change(m) }

// QueueSlice implements analysis.QueueVisitor.
func (c *Collector) QueueSlice(s *analysis.Slice, _ int) {
	sh := &s.Shares[0]
	charge := blame.ChargeOf(s.Lock, sh, false)
	for _, k := range c.kinds.Of(s.Lock) {
		c.add(c.row(s.Lock, &k.Waiter, charge), s, sh.Ns, int64(k.Len()), false)
	}
	c.makeRoom()
}

// makeRoom makes intervals longer where there are too many cells.
func (c *Collector) makeRoom() {
	for c.cells > c.maxCells && c.first < c.last {
		c.coarsen()
	}
}

// row returns the row of a waiter and one of its owners, making it if need be.
func (c *Collector) row(lock format.ObjectID, w *analysis.Waiter, owner blame.Charge) int {
	n, known := c.numbers.Of(lock, w, &owner), owner.Owner.Prov.Word()
	for len(c.index) <= n {
		c.index = append(c.index, [analysis.Words]int32{})
	}
	if c.index[n][known] == 0 {
		c.Rows = append(c.Rows, Row{ids: int32(n), Known: known, Kind: c.sym.Kind(lock)})
		c.index[n][known] = int32(len(c.Rows))
	}
	return int(c.index[n][known]) - 1
}

// add adds a share of a slice, which each of n waiters has, to a row and to the total.
func (c *Collector) add(row int, s *analysis.Slice, ns, n int64, begins bool) {
	waits := int64(0)
	if begins {
		waits = 1
	}
	c.pieces(s.Start, s.End, ns, func(bin, lo, hi, part int64) {
		piece := *s
		piece.Start, piece.End = lo, hi
		piece.Sample.InOrder = s.Sample.InOrder && lo == s.Start // a later slice may reach into a later piece
		c.cell(&c.Rows[row].Cells, bin).add(&piece, n*part, waits)
		c.cell(&c.Total, bin).add(&piece, n*part, waits)
		waits = 0
	})
}

func (s *Sum) add(piece *analysis.Slice, ns, waits int64) {
	s.Ns += ns
	s.Waits += waits
	s.wall.AddSlice(piece)
}

// cell returns the sum of a bin. Slices come in order of time but for their
// length, so it is the last one or near it.
func (c *Collector) cell(cells *[]Cell, bin int64) *Sum {
	list := *cells
	i := len(list)
	for i > 0 && list[i-1].Bin > bin {
		i--
	}
	if i > 0 && list[i-1].Bin == bin {
		return &list[i-1].Sum
	}
	c.cells++
	list = append(list, Cell{})
	copy(list[i+1:], list[i:])
	list[i] = Cell{Bin: bin}
	*cells = list
	return &list[i].Sum
}

// ownerKind is the place of a name that tells pseudo owners.
var ownerKind = slices.Index(By, blame.ByOwnerStack)

// OwnerKind returns what the owner of a row is.
func (c *Collector) OwnerKind(r *Row) analysis.OwnerKind { return blame.KindOf(c.IDs(r)[ownerKind]) }
