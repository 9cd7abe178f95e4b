package whatif

// event is a step of a thread, or a hand-over of a lock, that is due.
type event struct {
	at  int64
	seq uint32 // order within an instant: the class below, then the order of push
	id  int32  // of a thread; of a lock, its complement
}

// The classes of events of one instant: a lock is released before it is acquired, and granted
// to a waiter before a thread that arrives then.
const (
	releasing uint32 = iota << 30
	granting
	arriving
)

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// queue holds the events that are due, the next one first. It is a heap that does not allocate
// once it has reached its size.
type queue struct {
	due    []event
	taken  bool // the first was popped: the next push takes its place
	seq    uint32
	length int64
}

// newQueue returns an empty queue for n threads and locks; events at length ns or later are
// dropped.
func newQueue(n int, length int64) *queue { return &queue{due: make([]event, 0, n), length: length} }

// push adds an event and returns its seq, which identifies it.
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

// pop returns the next event; false if there is none.
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
