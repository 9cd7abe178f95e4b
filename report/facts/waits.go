package facts

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/facts"
)

// Waits are the rows of who waited for whom. Where all stacks differ they are a million,
// of a dozen names each: they are kept as what they are made of, in their order, and each
// is made when its turn comes.
type Waits struct {
	of        *facts.Collector // nil where there are none
	recording string
	timed     bool
	order     []cellAt
	texts     [][]string // by place in facts.By, and by id; "" for what was not asked for yet
	chains    map[[2]uint32]string
}

// cellAt is the place of what a row is made of.
type cellAt struct{ row, cell int32 }

func newWaits(recording string, c *facts.Collector, timed bool) Waits {
	w := Waits{of: c, recording: recording, timed: timed, texts: make([][]string, len(facts.By)), chains: map[[2]uint32]string{}}
	n := 0
	for i := range c.Rows {
		n += len(c.Rows[i].Cells)
	}
	w.order = make([]cellAt, 0, n)
	for i := range c.Rows {
		for j := range c.Rows[i].Cells {
			w.order = append(w.order, cellAt{int32(i), int32(j)})
		}
	}
	slices.SortFunc(w.order, w.compare)
	return w
}

// Len returns how many there are.
func (w *Waits) Len() int { return len(w.order) }

// All goes through them; a row is good until the next.
func (w *Waits) All() iter.Seq[*Wait] {
	return func(yield func(*Wait) bool) {
		for _, at := range w.order {
			row := w.row(at)
			if !yield(&row) {
				return
			}
		}
	}
}

func (w *Waits) cell(at cellAt) *facts.Cell { return &w.of.Rows[at.row].Cells[at.cell] }

// compare orders rows as they are written: by interval, those of long waits first.
func (w *Waits) compare(a, b cellAt) int {
	x, y := w.cell(a), w.cell(b)
	if c := cmp.Or(cmp.Compare(w.at(x), w.at(y)), cmp.Compare(y.Ns, x.Ns)); c != 0 {
		return c
	}
	for _, k := range [...]blame.Key{blame.ByClass, blame.ByWaiterStack, blame.ByOwnerStack} {
		if c := cmp.Compare(w.name(a, k), w.name(b, k)); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.cell, b.cell))
}

func (w *Waits) at(c *facts.Cell) Instant { return at(c.Bin, w.of.IntervalNs, w.timed) }

// places are those of keys in facts.By.
var places = func() map[blame.Key]int {
	at := map[blame.Key]int{}
	for i, k := range facts.By {
		at[k] = i
	}
	return at
}()

// name returns the name that a row has for a key.
func (w *Waits) name(at cellAt, k blame.Key) string {
	r, place := &w.of.Rows[at.row], places[k]
	id := w.of.IDs(r)[place]
	if blame.Pseudo(id) && k == blame.ByOwnerStack {
		return "[" + pseudo(w.of.OwnerKind(r)) + "]"
	}
	for len(w.texts[place]) <= int(id) {
		w.texts[place] = append(w.texts[place], "")
	}
	text := &w.texts[place][id]
	if *text == "" {
		*text = w.of.Text(place, id)
		switch k {
		case blame.ByClass, blame.ByWaiterMethod, blame.ByOwnerMethod:
			*text = blame.StableName(*text)
		}
	}
	return *text
}

// chain returns from where the owner of a row took the lock.
func (w *Waits) chain(at cellAt) string {
	ids := w.of.IDs(&w.of.Rows[at.row])
	of := [2]uint32{ids[places[blame.ByOwnerSite]], ids[places[blame.ByOwnerCallers]]}
	text, ok := w.chains[of]
	if !ok {
		text = chain(w.name(at, blame.ByOwnerSite), w.name(at, blame.ByOwnerCallers))
		w.chains[of] = text
	}
	return text
}

func (w *Waits) row(at cellAt) Wait {
	r, cell := &w.of.Rows[at.row], w.cell(at)
	out := Wait{Recording: w.recording, Interval: w.at(cell), Class: w.name(at, blame.ByClass), Kind: r.Kind.String(),
		WaiterMethod: w.name(at, blame.ByWaiterMethod), WaiterGroup: w.name(at, blame.ByWaiterGroup), WaiterStack: w.name(at, blame.ByWaiterStack),
		OwnerKind: "thread", Provenance: r.Known.String(), WaitNs: cell.Ns, Waits: cell.Waits, WallNs: cell.WallNs}
	if kind := w.of.OwnerKind(r); kind != analysis.OwnerThread {
		out.OwnerKind = pseudo(kind)
		name := "[" + out.OwnerKind + "]"
		out.OwnerMethod, out.OwnerGroup, out.OwnerChain, out.OwnerStack = name, name, name, name
		return out
	}
	out.OwnerMethod, out.OwnerGroup = w.name(at, blame.ByOwnerMethod), w.name(at, blame.ByOwnerGroup)
	out.OwnerChain, out.OwnerStack = w.chain(at), w.name(at, blame.ByOwnerStack)
	return out
}

// pseudo names an owner that is no thread. The number that a deadlock has in one
// recording means nothing in another.
func pseudo(kind analysis.OwnerKind) string {
	return strings.TrimSuffix(strings.Trim(analysis.PseudoOwner(kind, 0), "[]"), " #0")
}
