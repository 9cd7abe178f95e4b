package whatif

// event is a thread or a lock that is due.
type event struct {
	at  int64
	seq uint32 // among those of one instant: the turn, and then the order in which they were asked for
	id  int32  // of a thread; of a lock its complement
}

// The turns of an instant: a lock is free before it is taken, and who waits has it
// before who comes then.
const (
	giving uint32 = iota << 30
	granting
	coming
)

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// daysEach is into how many days time is cut for each thread or lock. It is about
// speed and changes no order.
const daysEach = 8

// queue has the events that are due, the next one first: a heap of those of this
// day, and lists of those of later ones, where of many threads most are at any
// time. It is a calendar (Brown 1988) whose days do not come again, and allocates
// nothing for an event.
type queue struct {
	today []event
	taken bool // the first of today is no longer in it: the next one to come takes its place
	seq   uint32
	width int64
	day   int64
	first []int32 // by day: where the first of its events is, counted from 1
	later []later
	spare int32 // where the first of those is that holds nothing
}

// later is an event of another day, and where the next one of that day is.
type later struct {
	event
	next int32
}

// newQueue returns an empty queue for so many threads and locks; what is not due
// within length nanoseconds never is.
func newQueue(n int, length int64) *queue {
	return &queue{width: length/int64(daysEach*n) + 1, first: make([]int32, daysEach*n)}
}

// push adds an event, and returns by what it is known.
func (q *queue) push(at int64, turn uint32, id int32) uint32 {
	q.seq = (q.seq + 1) % granting
	e := event{at, turn | q.seq, id}
	switch day := at / q.width; {
	case day >= int64(len(q.first)):
	case day <= q.day && q.taken:
		q.taken = false
		q.today[0] = e
		q.down()
	case day <= q.day:
		q.up(e)
	default:
		own := q.spare
		if own == 0 {
			q.later = append(q.later, later{})
			own = int32(len(q.later))
		}
		slot := &q.later[own-1]
		q.spare = slot.next
		*slot, q.first[day] = later{e, q.first[day]}, own
	}
	return e.seq
}

// pop returns the next event; ok is false when nothing is due any more.
func (q *queue) pop() (e event, ok bool) {
	if q.taken {
		q.taken = false
		n := len(q.today) - 1
		q.today[0], q.today = q.today[n], q.today[:n]
		q.down()
	}
	for len(q.today) == 0 {
		if q.day++; q.day >= int64(len(q.first)) {
			return e, false
		}
		for own := q.first[q.day]; own > 0; {
			slot := &q.later[own-1]
			q.up(slot.event)
			own, slot.next, q.spare = slot.next, q.spare, own
		}
	}
	q.taken = true
	return q.today[0], true
}

// up adds an event to those of today.
func (q *queue) up(e event) {
	q.today = append(q.today, e)
	i := len(q.today) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&q.today[parent]) {
			break
		}
		q.today[i] = q.today[parent]
		i = parent
	}
	q.today[i] = e
}

// down moves the first event of today to its place.
func (q *queue) down() {
	n := len(q.today)
	if n == 0 {
		return
	}
	e := q.today[0]
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && q.today[child+1].before(&q.today[child]) {
			child++
		}
		if !q.today[child].before(&e) {
			break
		}
		q.today[i] = q.today[child]
		i = child
	}
	q.today[i] = e
}
