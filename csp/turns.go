package csp

// Turn is a part of a phase in which one owner caused most of the waiting.
type Turn struct {
	StartNs int64 `json:"startNs"`
	EndNs   int64 `json:"endNs"`
	WaitNs  int64 `json:"waitNs"` // for all owners, over the part
	Cause   Cause `json:"cause"`  // of most of it
}

// turnLength is the number of intervals in which another owner must cause at least half of
// the waiting before a new turn begins: a single interval may be chance.
const turnLength = 2

// turns cuts a phase where its main cause changes. The sums of an interval are added
// together, in order of time.
type turns struct {
	done  []turn
	now   turn
	next  turn // what may become the next turn
	rival string
}

// turn is a Turn in the making.
type turn struct {
	first, last int32 // intervals
	sums        map[string]int64
}

// add takes the sums of one interval.
func (t *turns) add(interval int32, sums map[string]int64) {
	culprit, current := culpritOf(sums), culpritOf(t.now.sums)
	switch {
	case t.now.sums == nil:
		t.now = newTurn(interval, sums)
	case culprit == "" || current == "" || culprit == current:
		t.now.join(&t.next)
		t.now.join(&turn{interval, interval, sums})
		t.next, t.rival = turn{}, ""
	case culprit == t.rival:
		t.next.join(&turn{interval, interval, sums})
	default:
		t.now.join(&t.next)
		t.next, t.rival = newTurn(interval, sums), culprit
	}
	if t.next.sums != nil && t.next.last-t.next.first+1 >= turnLength {
		t.done = append(t.done, t.now)
		t.now, t.next, t.rival = t.next, turn{}, ""
	}
}

// list returns the turns; nil if one owner is the main cause throughout.
func (t *turns) list(m *Meter) []Turn {
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
	var out []Turn
	for _, one := range merged {
		turn := Turn{StartNs: m.begin(one.first), EndNs: m.end(one.last), Cause: largestCauses(one.sums)[0]}
		for _, ns := range one.sums {
			turn.WaitNs += ns
		}
		out = append(out, turn)
	}
	return out
}

func newTurn(interval int32, sums map[string]int64) turn {
	t := turn{interval, interval, map[string]int64{}}
	t.join(&turn{interval, interval, sums})
	return t
}

// join adds the turn that follows.
func (t *turn) join(o *turn) {
	if o.sums == nil {
		return
	}
	t.last = max(t.last, o.last)
	for owner, ns := range o.sums {
		t.sums[owner] += ns
	}
}

// culpritOf returns the owner that caused at least half of the waiting; "" if none did.
func culpritOf(sums map[string]int64) string {
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
