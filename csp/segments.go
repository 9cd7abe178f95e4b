package csp

// Segment is a part of a phase with one main cause.
type Segment struct {
	StartNs int64
	EndNs   int64
	WaitNs  int64 // for all owners
	Cause   Cause // the main cause
}

// minSegment is the number of intervals for which another owner must be the main cause before
// a new segment begins: a single interval may be chance.
const minSegment = 2

// segments cuts a phase where its main cause changes:
//
//  1. an interval joins the current segment if both have the same main cause, or one of them none;
//  2. an interval with another main cause begins a candidate, and the next ones with that cause extend it;
//  3. a candidate of minSegment intervals becomes the current segment;
//  4. a candidate that is interrupted before joins the current segment.
type segments struct {
	done      []segment // complete
	now       segment   // the current one
	next      segment   // the candidate
	candidate string    // main cause of next
}

// segment is a Segment in the making.
type segment struct {
	first, last int32            // intervals
	sums        map[string]int64 // waiting by owner, ns
}

// addInterval adds the sums of one interval; intervals come in order of time.
func (t *segments) addInterval(interval int32, sums map[string]int64) {
	cause, current := mainCause(sums), mainCause(t.now.sums)
	switch {
	case t.now.sums == nil:
		t.now = newSegment(interval, sums)
	case cause == "" || current == "" || cause == current:
		t.now.join(&t.next)
		t.now.join(&segment{interval, interval, sums})
		t.next, t.candidate = segment{}, ""
	case cause == t.candidate:
		t.next.join(&segment{interval, interval, sums})
	default:
		t.now.join(&t.next)
		t.next, t.candidate = newSegment(interval, sums), cause
	}
	if t.next.sums != nil && t.next.last-t.next.first+1 >= minSegment {
		t.done = append(t.done, t.now)
		t.now = t.next
		t.next = segment{}
		t.candidate = ""
	}
}

// list returns the segments; nil if one owner is the main cause throughout.
func (t *segments) list(m *Meter) []Segment {
	if t.now.sums == nil || len(t.done) == 0 {
		return nil
	}
	t.now.join(&t.next)
	merged := t.done[:1]
	for _, one := range append(t.done[1:len(t.done):len(t.done)], t.now) {
		if last := &merged[len(merged)-1]; largestCauses(last.sums)[0].Owner == largestCauses(one.sums)[0].Owner {
			last.join(&one)
			continue
		}
		merged = append(merged, one)
	}
	if len(merged) == 1 {
		return nil
	}
	var out []Segment
	for _, one := range merged {
		s := Segment{StartNs: m.begin(one.first), EndNs: m.end(one.last), Cause: largestCauses(one.sums)[0]}
		for _, ns := range one.sums {
			s.WaitNs += ns
		}
		out = append(out, s)
	}
	return out
}

func newSegment(interval int32, sums map[string]int64) segment {
	t := segment{interval, interval, map[string]int64{}}
	t.join(&segment{interval, interval, sums})
	return t
}

// join adds the segment that follows.
func (t *segment) join(o *segment) {
	if o.sums == nil {
		return
	}
	t.last = max(t.last, o.last)
	for owner, ns := range o.sums {
		t.sums[owner] += ns
	}
}

// mainCause returns the owner that caused at least half of the waiting; "" for none.
func mainCause(sums map[string]int64) string {
	most, total := "", int64(0)
	for owner, ns := range sums {
		total += ns
		if most == "" || ns > sums[most] || ns == sums[most] && owner < most {
			most = owner
		}
	}
	if 2*sums[most] < total {
		return ""
	}
	return most
}
