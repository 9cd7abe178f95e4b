package facts

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
)

// Waits are the rows of waiters and owners. If all stacks differ they are a million, of a
// dozen names each, so each row is made from its parts only when its turn comes.
type Waits struct {
	of        *cube.Cube // nil where there are none
	recording string
	timed     bool
	order     []cube.CellAt
	texts     [][]string // by place in by, and by id; "" for what was not asked for yet
	chains    map[[2]uint32]string
}

func newWaits(recording string, c *cube.Cube, timed bool) Waits {
	w := Waits{
		of:        c,
		recording: recording,
		timed:     timed,
		order:     c.ByTime(),
		texts:     make([][]string, len(by)),
		chains:    map[[2]uint32]string{},
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

// compare orders rows as they are written: by interval, those of long waits first.
func (w *Waits) compare(a, b cube.CellAt) int {
	_, x := w.of.CellOf(a)
	_, y := w.of.CellOf(b)
	if c := cmp.Or(cmp.Compare(w.instantOf(x), w.instantOf(y)), cmp.Compare(y.Ns, x.Ns)); c != 0 {
		return c
	}
	for _, k := range [...]blame.Key{blame.ByClass, blame.ByWaiterStack, blame.ByOwnerStack} {
		if c := cmp.Compare(w.name(a, k), w.name(b, k)); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Cell, b.Cell))
}

func (w *Waits) instantOf(c *cube.Cell) Instant { return instantOfBin(w.of, int(c.Bin), w.timed) }

// by are the names of a row, besides how its owner is known. They mean the same in every
// run of a program: no id and no address of one recording is in them.
var by = []blame.Key{
	blame.ByClass,
	blame.ByWaiterMethod,
	blame.ByWaiterGroup,
	blame.ByWaiterStack,
	blame.ByOwnerMethod,
	blame.ByOwnerGroup,
	blame.ByOwnerSite,
	blame.ByOwnerCallers,
	blame.ByOwnerStack,
}

// limits bound what one recording may take. A recording that passes them, which a damaged
// time alone can do, gets longer intervals.
var limits = cube.Limits{Bins: 20_000, Cells: 1_000_000}

// NewCube returns the sums of waits by intervals of the clock; an expression says what the
// program's own code is, see blame.Resolver.App.
func NewCube(intervalNs int64, app *regexp.Regexp) *cube.Cube {
	return newCube(intervalNs, limits).App(app)
}

func newCube(intervalNs int64, l cube.Limits) *cube.Cube {
	return cube.Over(blame.Columns(append(slices.Clone(by), blame.ByProvenance), false), intervalNs, l).Clock()
}

// id returns the id of a row for a key.
func (w *Waits) id(row int32, k blame.Key) uint32 { return w.of.Rows[row].Key[slices.Index(by, k)] }

// ownerKind returns what the owner of a row is.
func (w *Waits) ownerKind(row int32) analysis.OwnerKind {
	return blame.PseudoOwner(w.id(row, blame.ByOwnerStack)).Kind
}

// name returns the name that a row has for a key.
func (w *Waits) name(at cube.CellAt, k blame.Key) string {
	place, id := slices.Index(by, k), w.id(at.Row, k)
	if blame.Pseudo(id) && k == blame.ByOwnerStack {
		return "[" + pseudo(blame.PseudoOwner(id).Kind) + "]"
	}
	for len(w.texts[place]) <= int(id) {
		w.texts[place] = append(w.texts[place], "")
	}
	text := &w.texts[place][id]
	if *text == "" {
		*text, _ = w.of.Text(cube.Dim(place), id)
		switch k {
		case blame.ByClass, blame.ByWaiterMethod, blame.ByOwnerMethod:
			*text = analysis.StableName(*text)
		}
	}
	return *text
}

// chain returns from where the owner of a row took the lock.
func (w *Waits) chain(at cube.CellAt) string {
	of := [2]uint32{w.id(at.Row, blame.ByOwnerSite), w.id(at.Row, blame.ByOwnerCallers)}
	text, ok := w.chains[of]
	if !ok {
		text = chainOf(w.name(at, blame.ByOwnerSite), w.name(at, blame.ByOwnerCallers))
		w.chains[of] = text
	}
	return text
}

// chainSep separates the frames of a stack in text.
const chainSep = " < "

// chainOf joins a site and its callers and takes from each frame what another
// release, or another run, has otherwise: its line, and names drawn at random.
func chainOf(site, callers string) string {
	if callers != "" {
		site += chainSep + callers
	}
	frames := strings.Split(site, chainSep)
	for i, f := range frames {
		frames[i] = analysis.StableName(analysis.WithoutLine(f))
	}
	return strings.Join(frames, chainSep)
}

func (w *Waits) row(at cube.CellAt) Wait {
	r, cell := w.of.CellOf(at)
	out := Wait{
		Recording:    w.recording,
		Interval:     w.instantOf(cell),
		Class:        w.name(at, blame.ByClass),
		Kind:         w.of.Kind(uint32(r.Lock)).String(),
		WaiterMethod: w.name(at, blame.ByWaiterMethod),
		WaiterGroup:  w.name(at, blame.ByWaiterGroup),
		WaiterStack:  w.name(at, blame.ByWaiterStack),
		OwnerKind:    "thread",
		Provenance:   analysis.Word(r.Key[len(by)]).String(),
		WaitNs:       cell.Ns,
		Waits:        int64(cell.Waits),
		WallNs:       min(r.WallNs(int(at.Cell)), cell.Ns),
	}
	if kind := w.ownerKind(at.Row); kind != analysis.OwnerThread {
		out.OwnerKind = pseudo(kind)
		name := "[" + out.OwnerKind + "]"
		out.OwnerMethod = name
		out.OwnerGroup = name
		out.OwnerChain = name
		out.OwnerStack = name
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
