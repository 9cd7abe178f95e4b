package threaddump

import "slices"

// processes separates the dumps of processes: each JVM numbers its threads from one on, and
// the operating system gives them other numbers.
type processes struct {
	threads []numbered // by process
	current int
	mixed   bool // a dump is of a process before the last one
}

// numbered are the threads of a process by their Java id: the native one.
type numbered map[int64]int64

// addDump takes the next dump, and reports whether its process is a new one.
func (p *processes) addDump(d *Dump) (next bool) {
	if len(p.threads) == 0 {
		p.threads = append(p.threads, numbered{})
	} else if p.threads[p.current].agree(d) < 0 {
		at := slices.IndexFunc(p.threads, func(n numbered) bool { return n.agree(d) > 0 })
		if next = at < 0; next {
			p.threads, at = append(p.threads, numbered{}), len(p.threads)
		}
		p.mixed, p.current = p.mixed || !next, at
	}
	for i := range d.Threads {
		if t := &d.Threads[i]; t.JavaID != 0 && t.NativeID != 0 {
			p.threads[p.current][t.JavaID] = t.NativeID
		}
	}
	return next
}

// agree is how many more threads of a dump have the number they had than have not.
func (n numbered) agree(d *Dump) (same int) {
	for i := range d.Threads {
		t := &d.Threads[i]
		switch native := n[t.JavaID]; {
		case native == 0 || t.NativeID == 0:
		case native == t.NativeID:
			same++
		default:
			same--
		}
	}
	return same
}
