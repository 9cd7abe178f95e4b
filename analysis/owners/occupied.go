package owners

import (
	"slices"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// Who takes a lock again without having waited leaves no trace, nor does who has it and no
// processor. So the model calls a lock free that a thread loops over while all others wait for
// it. Samples of running threads tell: in those rounds that show a section, somebody had the
// lock, and in the others, of those that show a thread that uses it, perhaps nobody. Who has no
// processor is not sampled, so that it is held for longer, if anything. Where all its users wait
// or sleep, no round tells anything.
//
// A method that takes a lock does other things, too, and a sample of it need not show its section.
// Such samples bound nothing, but where they, too, show somebody oftener than the model has it, the
// model is not believed.

// occupied is what tells how long a lock is held at least while somebody waits for it.
type occupied struct {
	rounds, held float64 // of samples that show its users; those that show a section
	perhaps      float64 // those that show a method that takes the lock, in its section or not
	asked, ready float64 // instants; those at which one of its users neither waits nor sleeps
}

// instants is at how many it is asked what the users of a lock do.
const instants = 128

// occupied looks at a lock; what it finds is empty where samples do not tell who has it.
func (b *builder) occupied() (o occupied) {
	if !b.bounded() || b.kin.fair || b.kin.locks > 1 || !slices.ContainsFunc(b.kin.witnesses.list, (*witness).takes) {
		return o
	}
	users := b.s.usedBy()
	b.addHidden(users)
	if b.countRounds(&o, users); o.rounds >= renewal.Trust {
		b.askUsers(&o, users)
	}
	return o
}

// usedBy returns the threads that got a lock after waiting.
func (s *section) usedBy() map[format.ThreadID]bool {
	users := map[format.ThreadID]bool{}
	var met recent
	for i := range s.acquired {
		if t := s.acquired[i].thread; !met.meets(uint32(t)) {
			users[t] = true
		}
	}
	return users
}

// shows reports whether samples of a part tell that somebody has the lock.
func (p *witness) shows() bool { return p.alone || p.hidden }

// takes reports whether samples of a part may be of a section.
func (p *witness) takes() bool { return p.shows() || p.site >= 0 }

// addHidden adds the threads that are sampled in sections before which nobody was recorded
// to wait.
func (b *builder) addHidden(users map[format.ThreadID]bool) {
	if !slices.ContainsFunc(b.kin.witnesses.list, func(p *witness) bool { return p.hidden }) {
		return
	}
	for _, z := range b.s.busy {
		for r := range b.runs(z.start, z.end) {
			if p := b.kin.witnesses.at(r.Stack); p != nil && p.hidden {
				users[r.Thread()] = true
			}
		}
	}
}

// countRounds counts the rounds of samples while somebody waits.
func (b *builder) countRounds(o *occupied, users map[format.ThreadID]bool) {
	for _, z := range b.s.busy {
		began, user, held, perhaps := z.start, false, false, false
		end := func() {
			if user {
				o.rounds++
			}
			if user && held {
				o.held++
			}
			if user && perhaps {
				o.perhaps++
			}
			user, held, perhaps = false, false, false
		}
		for r := range b.runs(z.start, z.end) {
			if b.kin.witnesses.unclear(r.posture()) {
				continue
			}
			if r.Start-began > sameRound {
				end()
				began = r.Start
			}
			if users[r.Thread()] {
				p := b.kin.witnesses.at(r.Stack)
				user, held, perhaps = true, held || p != nil && p.shows(), perhaps || p != nil && p.takes()
			}
		}
		end()
	}
}

// askUsers asks what the users do, at instants evenly spread over the time in which
// somebody waits.
func (b *builder) askUsers(o *occupied, users map[format.ThreadID]bool) {
	step := b.s.busyTime()/instants + 1
	next := step / 2
	for _, z := range b.s.busy {
		for ; next < z.end-z.start; next += step {
			o.asked++
			for t := range users {
				if b.ev.ready(t, z.start+next) {
					o.ready++
					break
				}
			}
		}
		next -= z.end - z.start
	}
}

// ready reports whether a thread is known to live at an instant, and neither waits then nor
// sleeps.
func (ev *evidence) ready(t format.ThreadID, at int64) bool {
	list := ev.Of(t)
	n := ev.before(list, at+1)
	if n == 0 || n == list.Len() {
		return false
	}
	for n--; n >= 0; n-- {
		i := list.at(n)
		if ev.IsWait(i) || ev.Other(i).What().Idle() {
			_, end := ev.Span(i)
			return end <= at
		}
	}
	return true
}

// spare returns how much of what the model has for free stays so, given its share of all and
// how many rounds show that somebody had the lock. What few rounds show is doubted as a first
// guess is.
func (o *occupied) spare(free, held float64) float64 {
	if o.rounds < renewal.Trust || free == 0 {
		return 1
	}
	held = (held + renewal.Trust*(1-free)) / (o.rounds + renewal.Trust) * o.ready / max(o.asked, 1)
	return min((1-held)/free, 1)
}
