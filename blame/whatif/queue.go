package whatif

// event is a thread or a lock that is due.
type event struct {
	at  int64
	seq uint32 // among those of one instant: the turn, and then the order in which they were asked for
	id  int32  // of a thread; of a lock its complement
}

// The turns of an instant: a lock is released before it is taken, and a waiter gets it
// before a thread that arrives then.
const (
	giving uint32 = iota << 30
	granting
	coming
)

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// queue has the events that are due, the next one first: a heap, which allocates nothing
// for an event once it has been as long.
type queue struct {
	due    []event
	taken  bool // the first is no longer in it: the next one to come takes its place
	seq    uint32
	length int64
}

// newQueue returns an empty queue for so many threads and locks; what is not due
// within length nanoseconds never is.
func newQueue(n int, length int64) *queue { return &queue{due: make([]event, 0, n), length: length} }

// push adds an event, and returns by what it is known.
func (q *queue) push(at int64, turn uint32, id int32) uint32 {
	q.seq = (q.seq + 1) % granting
	e := event{at, turn | q.seq, id}
	switch {
	case at >= q.length:
	case q.taken:
		q.taken = false
		q.due[0] = e
		q.down()
	default:
		q.up(e)
	}
	return e.seq
}

// pop returns the next event; ok is false when nothing is due any more.
func (q *queue) pop() (e event, ok bool) {
	if q.taken {
		q.taken = false
		n := len(q.due) - 1
		q.due[0], q.due = q.due[n], q.due[:n]
		q.down()
	}
	if len(q.due) == 0 {
		return e, false
	}
	q.taken = true
	return q.due[0], true
}

// up adds an event.
func (q *queue) up(e event) {
	q.due = append(q.due, e)
	i := len(q.due) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&q.due[parent]) {
			break
		}
		q.due[i] = q.due[parent]
		i = parent
	}
	q.due[i] = e
}

// down moves the first event to its place.
func (q *queue) down() {
	n := len(q.due)
	if n == 0 {
		return
	}
	e := q.due[0]
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && q.due[child+1].before(&q.due[child]) {
			child++
		}
		if !q.due[child].before(&e) {
			break
		}
		q.due[i] = q.due[child]
		i = child
	}
	q.due[i] = e
}
