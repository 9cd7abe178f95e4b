package locks

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
)

// sums is a table of waiting by keys: the first is the lock, or its class, the second a site. Rows
// have numbers from 0.
type sums struct {
	by        []blame.Key
	rows      *blame.Rows
	ns, waits []int64          // by row
	known     []analysis.Known // by row, for owners
}

func newSums(keys *blame.Resolver, by ...blame.Key) sums {
	return sums{by: by, rows: blame.NewRows(keys, blame.Columns(by, false))}
}

// grow adds a row if it is the next one.
func (s *sums) grow(row int) {
	if row < len(s.ns) {
		return
	}
	s.ns, s.waits = append(s.ns, 0), append(s.waits, 0)
	if s.by[1] != blame.ByWaiterSite {
		s.known = append(s.known, analysis.Known{})
	}
}

// wait adds the waiting of a waiter in a slice that lists it. The first slice of a recorded wait has
// all of its waiting.
func (s *sums) wait(of *analysis.Slice, w *analysis.Waiter) {
	if !of.Sample.Taken && !w.First {
		return
	}
	i := s.rows.RowOf(of.Lock, w, blame.AnyShare)
	s.grow(i)
	if of.Sample.Taken {
		s.ns[i] += of.Length()
	} else {
		s.ns[i] += w.CutNs
	}
	s.waits[i] += of.Begins(w)
}

// owe adds the waiting of a share to a row.
func (s *sums) owe(row int, prov analysis.Provenance, ns int64) {
	s.grow(row)
	s.ns[row] += ns
	s.known[row].AddWaiting(prov, ns)
}

// id returns the id of a row for a key.
func (s *sums) id(row int32, key int) uint32 { return s.rows.IDs(int(row))[key] }

// byLock returns all rows in order of their locks; those of one lock stay in order.
func (s *sums) byLock() []int32 {
	out := make([]int32, len(s.ns))
	for i := range out {
		out[i] = int32(i)
	}
	s.sort(out, 0)
	return out
}

func (s *sums) sort(rows []int32, key int) {
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(s.id(a, key), s.id(b, key)) })
}

// upTo splits rows in order of their locks after those of a lock.
func (s *sums) upTo(rows []int32, lock uint32) (of, rest []int32) {
	n := 0
	for n < len(rows) && s.id(rows[n], 0) <= lock {
		n++
	}
	return rows[:n:n], rows[n:]
}

// group holds the rows with one id, and their sums.
type group struct {
	id           uint32
	rows         []int32
	ns, waits    int64
	byProvenance analysis.Known
}

// groups joins rows by a key, in order of the ids.
func (s *sums) groups(rows []int32, key int) (out []group) {
	rows = slices.Clone(rows)
	s.sort(rows, key)
	for _, r := range rows {
		if n := len(out); n == 0 || out[n-1].id != s.id(r, key) {
			out = append(out, group{id: s.id(r, key)})
		}
		g := &out[len(out)-1]
		g.rows = append(g.rows, r)
		g.ns += s.ns[r]
		g.waits += s.waits[r]
		if s.known != nil {
			g.byProvenance.AddAll(&s.known[r])
		}
	}
	return out
}
