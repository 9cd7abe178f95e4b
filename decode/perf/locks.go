package perf

import (
	"fmt"
	"slices"

	"contend/decode/rules"
	"contend/format"
	"contend/format/natives"
)

// lock is an address at which threads wait: a lock, or a candidate until the rules have
// classified a wait.
type lock struct {
	id      format.ObjectID // NoObject until a wait is one for a lock
	addr    uint64
	waiters []*thread // longest first
	last    wake      // the last one here
	gil     bool      // of CPython's interpreter, which is made of a mutex and a condition
	parks   bool      // its waiters wait elsewhere; it has no address
}

// wake is a call that wakes waiters of a lock.
type wake struct {
	at     int64
	addr   uint64
	by     format.ThreadID
	unlock format.StackID
	mode   format.Mode
	left   int64 // how many it may yet wake
	woke   int64 // and has
	pi     bool  // it does not return how many it woke
}

// sharedMemory stands for the process of addresses that several processes share.
const sharedMemory = -1

// lock returns the lock at an address. Some locks have several words at which threads wait:
// a read-write lock of glibc two adjacent ones, an interpreter's lock its mutex and its
// condition.
func (p *process) lock(addr uint64, res *rules.Result) *lock {
	if res.Verdict != rules.Lock {
		return p.lockAt(addr)
	}
	switch res.Kind {
	case format.KindReadWriteLock:
		return p.joined(addr, p.lockAt(addr&^7))
	case format.KindGIL:
		if p.gil == nil {
			p.gil = &lock{addr: addr, gil: true}
		}
		return p.joined(addr, p.gil)
	}
	return p.lockAt(addr)
}

// siteOf names a lock by the function that acquires it.
type siteOf struct{ class, method string }

// parkers are the locks whose waiters wait at addresses of their own: a lock is then
// identified by the function that acquires it.
var parkers = map[string]bool{
	"parking_lot::Mutex":      true,
	"parking_lot::RwLock":     true,
	"absl::Mutex":             true,
	"folly::DistributedMutex": true,
	"PyMutex":                 true,
}

// parked returns the lock that a site acquires.
func (p *process) parked(addr uint64, u *use) *lock {
	site := siteOf{u.class, u.at.Method}
	l := p.sites[site]
	if l == nil {
		l = &lock{parks: true}
		p.sites[site] = l
	}
	return p.joined(addr, l)
}

// joined adds an address to a lock.
func (p *process) joined(addr uint64, l *lock) *lock {
	p.locks[addr] = l
	return l
}

func (p *process) lockAt(addr uint64) *lock {
	l := p.locks[addr]
	if l == nil {
		l = &lock{addr: addr}
		p.locks[addr] = l
	}
	return l
}

// leave removes a thread from the waiters.
func (l *lock) leave(t *thread) {
	if l == nil {
		return
	}
	if i := slices.Index(l.waiters, t); i >= 0 {
		l.waiters = slices.Delete(l.waiters, i, i+1)
	}
}

// forget drops an address that was not a lock's when no thread waits there.
func (p *process) forget(l *lock) {
	if l != nil && len(l.waiters) == 0 && l.id == format.NoObject && p.locks[l.addr] == l {
		delete(p.locks, l.addr)
	}
}

// pending returns the wake that may have ended a wait, nil for none. A thread that acquires
// an interpreter's lock may have been woken at its mutex, by a thread that did not
// own it.
func (w *wait) pending() *wake {
	l := w.lock
	if l == nil || l.last.at < w.start || !l.gil && !l.last.reaches(w) {
		return nil
	}
	return &l.last
}

// reaches reports whether a wake may yet end a wait.
func (k *wake) reaches(w *wait) bool {
	return k.left > 0 && k.addr == w.addr && w.woken == format.NoTime && w.start <= k.at
}

// by sets which wake ends a wait; nil if not known.
func (w *wait) by(k *wake) {
	if k == nil {
		return
	}
	k.left--
	k.woke++
	w.woken = max(k.at, w.start)
	w.waker = k.by
	w.unlock = k.unlock
	w.mode = k.mode
}

// announce gives a lock its id and name, the site that acquires it.
func (r *Reader) announce(l *lock, w *wait) {
	if l.id != format.NoObject {
		return
	}
	r.locks++
	l.id = r.locks
	if r.seen.mutexes++; l.gil {
		r.seen.gils++
	}
	u := &r.stacks.byID[w.stack].use
	class := u.class
	if class == "" || w.stack == format.NoStack {
		class = "futex"
	}
	name := fmt.Sprintf("%s at %#x", class, l.addr)
	switch {
	case l.parks:
		r.seen.parks++
		name = fmt.Sprintf("%s of %s", class, u.at.Method)
	case class == natives.GIL:
		name = "Python's global interpreter lock"
	case w.stack != format.NoStack && u.site:
		name = fmt.Sprintf("%s of %s at %#x", class, siteName(u.by), l.addr)
	}
	r.Push(
		format.Event{
			Kind:     format.KindObject,
			Object:   l.id,
			Class:    class,
			LockKind: w.result.Kind,
			Name:     name,
			Hash:     l.addr,
		},
	)
}

// wake takes a call that wakes up to n waiters of an address.
func (r *Reader) wake(t *thread, at int64, addr uint64, private bool, n int64) {
	l := r.known(t, addr, private)
	if l == nil { // no thread has waited there
		return
	}
	if t.held.open && t.held.wait.lock == l {
		r.settle(t)
	}
	k := wake{at: at, addr: addr, by: t.id, left: max(n, 0)}
	if l.id != format.NoObject || len(l.waiters) > 0 {
		k.unlock = r.stack(true)
		k.mode = r.modeOf(t, l, k.unlock)
	}
	if l.gil && !r.stacks.byID[k.unlock].use.drops { // its mutex alone
		return
	}
	l.last, t.waking = k, l
}

// known returns the lock at an address, nil if no thread has waited there.
func (r *Reader) known(t *thread, addr uint64, private bool) *lock {
	if !private {
		if l := r.process(sharedMemory).locks[addr]; l != nil {
			return l
		}
	}
	return t.process.locks[addr]
}

// modeOf returns the mode in which a thread held the lock it releases: by its stack, else
// as it acquired it.
func (r *Reader) modeOf(t *thread, l *lock, stack format.StackID) format.Mode {
	if u := &r.stacks.byID[stack].use; u.hasMode {
		return u.mode
	}
	if t.had == l {
		return t.mode
	}
	return format.Exclusive
}

// woke reads the result of a wake, the number of woken threads. If their wake-ups are not
// recorded, the longest waiters are taken. A wake of no thread is a release, too.
func (r *Reader) woke(t *thread, l *lock, n int64) {
	k := &l.last
	if k.by != t.id || k.pi && k.woke == 0 { // another wake came between, or the waiter returns later
		return
	}
	for _, w := range l.waiters {
		if k.woke < n && k.reaches(&w.cur) {
			w.cur.by(k)
		}
	}
	if k.left = 0; n == 0 && k.woke == 0 && l.id != format.NoObject {
		r.Push(
			format.Event{
				Kind:   format.KindRelease,
				Thread: k.by,
				Object: l.id,
				Mode:   k.mode,
				Stack:  k.unlock,
				Time:   k.at,
			},
		)
	}
}

// move is a call that moves waiters from one address to another: from a condition to its
// mutex, which they have to acquire next.
type move struct {
	from, to *lock
	addr     uint64 // of to
	most     int64
	wake     int64 // how many are woken first
	counts   bool  // its result counts the moved ones, too
}

// requeue takes a requeue call.
func (r *Reader) requeue(t *thread, f *futex) {
	from := r.known(t, f.addr, f.private)
	if from == nil {
		return
	}
	p := t.process
	if !f.private {
		p = r.process(sharedMemory)
	}
	t.moving = move{from, p.lockAt(f.addr2), f.addr2, int64(int32(f.val2)), int64(int32(f.val)), f.op != futexRequeue}
}

// moved moves the waiters, which from then on wait for a lock.
func (r *Reader) moved(m move, at int64, n int64) {
	n -= m.wake
	if !m.counts {
		n = m.most
	}
	for _, w := range append([]*thread(nil), m.from.waiters...) {
		if n <= 0 {
			break
		}
		if w.cur.woken != format.NoTime || w.cur.lock != m.from {
			continue
		}
		n--
		idle := w.cur
		m.from.leave(w)
		if idle.result.Verdict != rules.Lock {
			r.idle(w, &idle, at)
			w.cur.start = at
			w.cur.asked = at
			w.cur.again = false
		}
		w.cur.addr = m.addr
		w.cur.lock = m.to
		w.cur.result = rules.Result{Verdict: rules.Lock, Kind: format.KindMutex}
		m.to.waiters = append(m.to.waiters, w)
	}
}
