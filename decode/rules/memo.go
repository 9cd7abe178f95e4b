package rules

import "contend/format"

// Memo is a table that remembers what it said of waits. Stacks are told apart by their
// ids, which one decoder gives.
type Memo struct {
	table *Table
	said  map[question]Result
}

// question is what a table is asked.
type question struct {
	class string
	stack format.StackID
}

// NewMemo returns a Memo of a table, or of the default one.
func NewMemo(t *Table) Memo { return Memo{OrDefault(t), map[question]Result{}} }

// Classify says what a wait on an object of a class is, with a stack of which the id and
// the frames are given.
func (m *Memo) Classify(class string, stack format.StackID, frames []format.Frame) Result {
	q := question{class, stack}
	res, ok := m.said[q]
	if !ok {
		res = m.table.Classify(class, frames)
		m.said[q] = res
	}
	return res
}
