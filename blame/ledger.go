package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// ledger holds what threads waited, and for whom, to be summed later, thread by thread:
// threads times owners are then as many additions, but no rows. What a crowd is charged is
// written once for all who are in it, and of each of them from where to where.
type ledger struct {
	books   []book // of crowds, behind that of all who wait alone
	of      map[format.ObjectID]int32
	stays   []entry
	charges []chargeOf
	place   map[chargeOf]int32 // in charges
	size    int                // of books and stays
}

// book is what those who wait together were charged, one after the other.
type book struct {
	lines  []posting
	there  analysis.Crowd[entry]
	beside beside
}

type posting struct {
	charge, owner int32
	ns            int64
}

// entry is what one thread waited in one wait: some lines of a book.
type entry struct {
	waiter   int32  // in the numbers of who waits
	wait     uint32 // in those of WaitCounter
	book     int32
	from, to int32
}

func newLedger() ledger {
	return ledger{books: make([]book, 1), of: map[format.ObjectID]int32{}, place: map[chargeOf]int32{}}
}

// bookOf returns the book of the crowd of a lock.
func (l *ledger) bookOf(lock format.ObjectID) (*book, int32) {
	at, ok := l.of[lock]
	if !ok {
		at = int32(len(l.books))
		l.of[lock] = at
		l.books = append(l.books, book{})
	}
	return &l.books[at], at
}

// write adds a line to a book.
func (l *ledger) write(b *book, c chargeOf, ns int64) {
	at, ok := l.place[c]
	if !ok {
		at = int32(len(l.charges))
		l.place[c] = at
		l.charges = append(l.charges, c)
	}
	b.lines = append(b.lines, posting{at, int32(c.owner), ns})
	l.size++
}

// alone notes what somebody was charged alone.
func (l *ledger) alone(waiter int, wait uint32, c chargeOf, ns int64) {
	b := &l.books[0]
	l.write(b, c, ns)
	l.stays = append(l.stays, entry{int32(waiter), wait, 0, int32(len(b.lines)) - 1, int32(len(b.lines))})
	l.size++
}

// join notes that somebody is in the crowd of a lock from now on.
func (l *ledger) join(m *analysis.Move, waiter int, wait uint32) {
	b, at := l.bookOf(m.Lock)
	b.there.Join(m.Number, entry{int32(waiter), wait, at, int32(len(b.lines)), 0})
}

// leave notes that somebody is there no longer; false of one who is told alone.
func (l *ledger) leave(m *analysis.Move) bool {
	b, _ := l.bookOf(m.Lock)
	if b.beside.take(m.Number) {
		return false
	}
	if m.Twice {
		b.beside.set(m.Number)
	}
	l.stay(b, *b.there.Of(m.Number))
	b.there.Leave(m.Number)
	return true
}

// setBeside notes that one in a crowd is told alone.
func (l *ledger) setBeside(m *analysis.Move) {
	b, _ := l.bookOf(m.Lock)
	b.beside.set(m.Number)
}

func (l *ledger) stay(b *book, s entry) {
	if s.to = int32(len(b.lines)); s.to > s.from {
		l.stays = append(l.stays, s)
		l.size++
	}
}

// gather ends all stays at what is written now, and puts them in the order of who waits,
// and of time.
func (l *ledger) gather() {
	for i := range l.books {
		b := &l.books[i]
		there := b.there.All()
		for j := range there {
			l.stay(b, there[j])
			there[j].from = 0
		}
	}
	slices.SortStableFunc(l.stays, func(a, b entry) int { return int(a.waiter - b.waiter) })
}

// each calls f with the stays of each who waits, in turn, once they are gathered.
func (l *ledger) each(f func(waiter int, stays []entry)) {
	for rest := l.stays; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].waiter == rest[0].waiter {
			n++
		}
		f(int(rest[0].waiter), rest[:n])
		rest = rest[n:]
	}
}

// empty forgets what is written.
func (l *ledger) empty() {
	for i := range l.books {
		l.books[i].lines = l.books[i].lines[:0]
	}
	clear(l.place)
	l.charges, l.stays, l.size = l.charges[:0], l.stays[:0], 0
}

// sums are what one who waits was charged, by charge and by owner.
type sums struct {
	turn     uint32 // of who waits
	charges  []ofCharge
	owners   []ofOwner
	charged  []int32 // of this turn
	untold   []int64 // by charge, of all turns
	waitedOn []int32
}

type ofCharge struct {
	turn uint32
	ns   int64
}

type ofOwner struct {
	turn        uint32
	first, last uint32 // waits
	waits       int64
	ns          int64
	there       int // its row before; none for none
	row         int // where it belongs; none for nowhere, untoldRow for [other]
}

const (
	none      = -1
	untoldRow = -2
)

// add sums the stays of one.
func (s *sums) add(l *ledger, stays []entry, owners int) {
	s.turn++
	s.charges = longer(s.charges, len(l.charges))
	s.owners = longer(s.owners, owners)
	s.charged, s.waitedOn = s.charged[:0], s.waitedOn[:0]
	for i := range stays {
		stay := &stays[i]
		for _, line := range l.books[stay.book].lines[stay.from:stay.to] {
			c, o := &s.charges[line.charge], &s.owners[line.owner]
			if c.turn != s.turn {
				*c = ofCharge{turn: s.turn}
				s.charged = append(s.charged, line.charge)
			}
			if o.turn != s.turn {
				*o = ofOwner{turn: s.turn, first: stay.wait, there: none}
				s.waitedOn = append(s.waitedOn, line.owner)
			}
			c.ns += line.ns
			o.ns += line.ns
			if o.last != stay.wait {
				o.last = stay.wait
				o.waits++
			}
		}
	}
}

// longer returns a list of at least so many.
func longer[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	return append(list, make([]T, n-len(list))...)
}
