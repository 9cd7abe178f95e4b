package whatif

// event is a thread or a lock that is due. Events of one instant come in the
// order in which they were asked for.
type event struct {
	at  int64
	seq uint32
	id  int32 // of a thread; of a lock its complement
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// daysEach is into how many days time is cut for each thread or lock.
const daysEach = 8

// queue has the event of each thread and lock, the next one first: a heap of
// those of this day, and lists of those of later ones, where of many threads most
// are at any time. It is a calendar (Brown 1988) whose days do not come again, and
// allocates nothing for an event.
type queue struct {
	today []event
	taken bool // the first of today is no longer in it: the next one to come takes its place
	seq   uint32
	width int64
	day   int64
	first []int32 // by day: a thread or lock due on it, counted from 1
	later []event // by thread, and then by lock
	next  []int32 // the same: another one that is due on the same day
	locks int32   // where those of locks begin
}

// newQueue returns an empty queue for so many threads and locks; what is not due
// within length nanoseconds never is.
func newQueue(threads, locks int, length int64) *queue {
	n := threads + locks
	return &queue{width: length/int64(daysEach*n) + 1, first: make([]int32, daysEach*n), later: make([]event, n), next: make([]int32, n), locks: int32(threads)}
}

func (q *queue) push(at int64, id int32) {
	q.seq++
	e := event{at, q.seq, id}
	switch day := at / q.width; {
	case day >= int64(len(q.first)):
	case day <= q.day && q.taken:
		q.taken = false
		q.today[0] = e
		q.down()
	case day <= q.day:
		q.up(e)
	default:
		own := id
		if id < 0 {
			own = q.locks + ^id
		}
		q.later[own], q.next[own], q.first[day] = e, q.first[day], own+1
	}
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
		for own := q.first[q.day]; own > 0; own = q.next[own-1] {
			q.up(q.later[own-1])
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
