package whatif

// event is a thread or a lock that is due. Events of one instant come in the
// order in which they were asked for.
type event struct {
	at   int64
	seq  uint64
	id   int32
	lock bool
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// queue is a heap of events, the next one first. It holds one event for each
// thread and lock at most, without an allocation for each, as container/heap
// would need.
type queue struct {
	heap []event
	seq  uint64
}

func (q *queue) push(e event) {
	q.seq++
	e.seq = q.seq
	q.heap = append(q.heap, e)
	i := len(q.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !q.heap[i].before(&q.heap[up]) {
			return
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *queue) pop() event {
	first, n := q.heap[0], len(q.heap)-1
	q.heap[0] = q.heap[n]
	q.heap = q.heap[:n]
	for i := 0; ; {
		down := 2*i + 1
		if down >= n {
			return first
		}
		if down+1 < n && q.heap[down+1].before(&q.heap[down]) {
			down++
		}
		if !q.heap[down].before(&q.heap[i]) {
			return first
		}
		q.heap[i], q.heap[down] = q.heap[down], q.heap[i]
		i = down
	}
}
