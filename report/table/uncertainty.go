package table

import (
	"fmt"
	"math"

	"contend/report/document"
)

// addUncertainty puts the column of 95 % intervals behind the first one, when the
// rows rest on samples; of returns that of a row.
func (g *Grid) addUncertainty(of func(row int) *document.Uncertainty) {
	shortest, longest := int64(math.MaxInt64), int64(0)
	for i := range g.Rows {
		if d := of(i); d != nil {
			shortest, longest = min(shortest, d.BlockNs), max(longest, d.BlockNs)
		}
	}
	if longest == 0 {
		return
	}
	insert := func(list []Cell, c Cell) []Cell { return append([]Cell{list[0], c}, list[1:]...) }
	for i := range g.Rows {
		g.Rows[i] = insert(g.Rows[i], uncertaintyCell(of(i)))
	}
	g.Head = append([]string{g.Head[0], "+/-"}, g.Head[1:]...)
	g.Left = append([]bool{false, false}, g.Left[1:]...)
	g.Notes = append(g.Notes, fmt.Sprintf("+/- is a 95 %% interval, from a bootstrap over blocks of %s", blocks([2]int64{shortest, longest})))
}

func uncertaintyCell(d *document.Uncertainty) Cell {
	if d == nil || d.PlusMinusNs == nil {
		return Cell{"?", ""}
	}
	return Time(*d.PlusMinusNs)
}
