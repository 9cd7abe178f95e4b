package renewal

import (
	"cmp"
	"slices"
)

// A lock is free for longer the longer a woken thread takes, and the likelier others have
// it then. Who learns how long that is from stretches in which nobody else had it learns it
// from the short ones, and takes others' sections for what is left of long ones.

// afterOthers counts how long the lock was free after the last section of others, until
// who had waited got it.
func (l *learner) afterOthers(rests map[taking]*expected, wake *lattice) {
	m := l.m
	l.order = l.order[:0]
	for t := range rests {
		l.order = append(l.order, t)
	}
	slices.SortFunc(l.order, taking.compare) // sums of floats depend on it
	for _, t := range l.order {
		of, part := rests[t], 1.0
		switch t.last {
		case LastSame:
			part = m.again
		case LastOther:
			part = 1 - m.again
		}
		var before lattice
		before.convolve(&m.begins, &m.groups[t.group].mix)
		for q, n := range of.ends {
			if n == 0 || of.chance[q] <= 1e-300 {
				continue
			}
			n *= part / of.chance[q]
			for x := range q + 1 {
				wake[x] += n * m.direct[x] * before[q-x]
			}
		}
	}
}

// compare puts them in some order.
func (t taking) compare(o taking) int {
	return cmp.Or(cmp.Compare(t.last, o.last), cmp.Compare(t.group, o.group))
}
