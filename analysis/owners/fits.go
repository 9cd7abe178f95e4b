package owners

import (
	"math"

	"contend/format"
)

// fits counts the activities at a call site that may have been inside a section:
// nobody else took the lock meanwhile, and somebody waited.
type fits struct {
	unnamed       int // the next acquisition names nobody
	named, others int // whom it names as the last owner: the thread, or another one
	before        preexisting
	soon, late    int // where it names somebody: whether it came right after
}

// count takes an activity of a thread with a waiter all along, given whom the next
// acquisition after it names.
func (f *fits) count(t, last format.ThreadID) {
	switch last {
	case format.NoThread:
		f.unnamed++
	case t:
		f.named++
	default:
		f.others++
	}
}

// follow counts whether the next acquisition came right after an activity, if it names
// its last owner, and short waits are not recorded.
func (f *fits) follow(ev *evidence, s *section, d *activity, next int64, last format.ThreadID) {
	switch {
	case last == format.NoThread || s.recorded >= nearlyAll:
	case d.promptly(next) && !ev.waitsElsewhere(last, s.lock, d.end):
		f.soon++
	default:
		f.late++
	}
}

// waitsElsewhere reports whether a thread waits for another lock until then or longer: it
// may have had this one all the time.
func (ev *evidence) waitsElsewhere(t format.ThreadID, lock format.ObjectID, at int64) bool {
	list := ev.Of(t)
	awaited, ok := ev.awaits(list, ev.before(list, at), at)
	return ok && awaited != lock
}

// notified reports whether activities at a call site are in Object.wait: who is notified
// waits for the monitor until then.
func (ev *evidence) notified(list siteList) bool {
	for i := range list.all {
		return ev.did(i) == format.ActivityWait
	}
	return false
}

// overtaken reports whether those who wait get the lock each time activities, n in all,
// end, more often than chance has it: then whom they name came in between, without a wait
// that was recorded.
func (f *fits) overtaken(s *section, n int) bool {
	return f.soon >= fewestPrompt && f.soon >= timesPrompt*f.late && exceeds(f.soon, n, s.busyShare())
}

// all returns how many speak for the call site being inside.
func (f *fits) all() int { return f.unnamed + f.named + f.before.fits() }

// byChance reports whether what a program does elsewhere, n times at a call site,
// would fit as often: it falls into the time in which somebody waits, and its thread
// happens to be the one that is named. Where short waits are not recorded hardly
// any acquisition is left to tell the two apart otherwise.
func (f *fits) byChance(s *section, n int) bool {
	named, others := f.named+f.before.named, f.others+f.before.others
	luck := 1 / float64(s.users)
	switch {
	case named == 0:
		return !exceeds(f.unnamed+f.before.promptly, n, s.busyShare())
	case others == 0:
		return !exceeds(named, n, s.busyShare()*luck)
	}
	return !exceeds(named, named+others, luck)
}

// exceeds reports whether k of n are more than a chance q makes likely: another
// chance, of which nothing is known, tells it as well.
func exceeds(k, n int, q float64) bool {
	if q >= 1 || float64(k) <= float64(n)*q {
		return false
	}
	ways := logFactorial(n) - logFactorial(k) - logFactorial(n-k)
	return math.Exp(ways+float64(k)*math.Log(q)+float64(n-k)*math.Log1p(-q)) <= 1/float64(n+1)
}

// tolerated reports whether so few of some activities break the rule that a call site
// may be inside: one may be chance where few are known.
func tolerated(breaks, of int) bool {
	return float64(breaks) <= tolerance*float64(of) || breaks == 1 && !exceeds(breaks, of, tolerance)
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// preexisting counts activities that began before anybody waited for the lock
// and ended while somebody did. Where few wait, that is how owners are met:
// they are at it already. But a thread may as well have been elsewhere.
type preexisting struct {
	named, others  int // whom the next acquisition names as the last owner: the thread, or another one
	promptly, late int // where it names nobody: whether it came right after
}

// count takes one activity of a thread, and the next acquisition after it.
func (o *preexisting) count(d *activity, t format.ThreadID, next int64, last format.ThreadID) {
	switch {
	case last == t:
		o.named++
	case last != format.NoThread:
		o.others++
	case d.promptly(next):
		o.promptly++
	default:
		o.late++
	}
}

// fits returns how many speak for the call site being inside; none unless they
// clearly outnumber the others.
func (o *preexisting) fits() (n int) {
	if o.named > o.others {
		n += o.named
	}
	if o.promptly >= fewestPrompt && o.promptly >= timesPrompt*o.late {
		n += o.promptly
	}
	return n
}
