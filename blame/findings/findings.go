package findings

import (
	"cmp"
	"fmt"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/locks"
	"contend/format"
)

// The thresholds of findings. Below them a finding would be true but useless: a lock may be
// held asleep if no thread waits for it.
const (
	MinShare   = 0.05 // of all waiting
	MinWaiting = 0.01 // threads waiting on average because of it
	MinKnown   = 0.5  // of the waiting it names, the part whose owner is expected to be right
)

// Finding is one problem.
type Finding struct {
	Kind  Kind
	Title string // see Titled
	Lock  string // that threads wait for
	Class string // of that lock
	// of that class and site with this finding, if several; Lock is the one with most waiting
	Locks    int
	LockSite string // the place by which a reader knows it
	Owner    string // the site that acquired it
	// of BlockedHolding: the lock at the end of most chains of waits
	Root         string
	Site         string // of findings without an owner: the site of the waiters
	Thread       string // of Starvation: the starved thread
	Evidence     string // in words; "" if kind and owner say it
	Deadlock     int    // its number among deadlocks, from 1
	Threads      int    // in a deadlock and behind it
	WaitNs       int64
	Share        float64 // of all waiting of its kind, see detected
	Confidence   Confidence
	ByProvenance analysis.Known
	Remedy       string // see Fix
}

// Kind is a class of problems.
type Kind uint8

// The kinds, gravest first.
const (
	Deadlock Kind = iota
	LockOrder
	AsleepHolding
	FileHolding
	SocketHolding
	IOHolding
	BlockedHolding
	DescheduledHolding
	Convoy
	Starvation
	HotStripe
	ReadMostly
	PausedHolding
	PoolExhausted
	NotifyStorm
	Polling
)

// kinds is the list of findings. A new detector is a new row and, if it finds other waiting than
// that for locks, a case in detected. The title follows "is" after the owner's site, or else the
// site or the lock; {lock} and {this} stand for the lock that threads wait for, {other} for the
// one that its owner waits for. The remedy is a sentence of two parts: the fix, and its details
// or alternatives.
var kinds = [...]struct {
	name   string
	doing  blame.Doing // the activity of owners that is the evidence; blame.DoingUnknown if it is another
	title  string
	remedy [2]string
	basis  string // evidence and test, for the documents
}{
	Deadlock: {"deadlock", blame.DoingUnknown, "deadlock",
		[2]string{"Take these locks in one order everywhere", ", or hold only one of them at a time."},
		"waits that make a circle"},
	LockOrder: {
		"lock-order",
		blame.DoingUnknown,
		"waiting for {other} while holding {this}, and elsewhere it is the other way round",
		[2]string{"Take these locks in one order everywhere", ": as it is, a deadlock is a matter of time."},
		"each of two locks was held while the other was waited for, at different times, by recorded holds or dumps " +
			"(in dumps, which know locks by " +
			"address, only for locks of two classes)",
	},
	AsleepHolding: {"sleep-while-holding", blame.Asleep, "asleep while holding {lock}",
		[2]string{
			"Release the lock before sleeping",
			", or wait on a condition of the lock, which releases it meanwhile.",
		},
		"a sleep that was recorded, or the stack of the owner"},
	FileHolding: {"file-while-holding", blame.File, "in file I/O while holding {lock}",
		[2]string{"Read before taking the lock and write after releasing it",
			": collect what is to be written, and write it in one thread or in batches."},
		"file I/O that was recorded, or the stack of the owner"},
	SocketHolding: {"socket-while-holding", blame.Socket, "in socket I/O while holding {lock}",
		[2]string{
			"Do the round trip outside of the lock",
			", or give each thread a connection of its own from a pool.",
		},
		"socket I/O that was recorded, or the stack of the owner"},
	IOHolding: {"io-while-holding", blame.IO, "in I/O while holding {lock}",
		[2]string{"Move the I/O out of the critical section", ": copy what it needs under the lock."},
		"the stack of the owner, which does not say of which kind"},
	BlockedHolding: {"blocked-while-holding", blame.Blocked, "waiting for {other} while holding {this}",
		[2]string{"Fix the lock at the end of the chain first",
			"; then take the inner lock before the outer one is held, or not inside of it."},
		"the owner waits for another lock meanwhile"},
	DescheduledHolding: {"descheduled-while-holding", blame.Ready, "without a processor while holding {lock}",
		[2]string{
			"Run fewer threads than there are processors",
			", or hold the lock for so short a time that few are stopped in it.",
		},
		"the kernel had stopped the owner, ready to run (recordings of perf)"},
	Convoy: {
		"convoy",
		blame.DoingUnknown,
		"queued for though it is mostly free: handing it over takes so long that the queue stays",
		[2]string{
			"Take it less often",
			", or let arriving threads take it at once: a lock that is not fair, or a spin before sleep.",
		},
		"Blasgen et al. (1979): the queue goes on though threads that did not wait would ask less of the lock than " +
			"all its time, for longer than queues of " +
			"that load do by chance (Borel and Tanner; Chernoff). Free time counts of fair locks and of recorded or " +
			"sampled owners: elsewhere barging is not " +
			"seen",
	},
	Starvation: {"starvation", blame.DoingUnknown, "passed over by others that came later",
		[2]string{"Take it less often or for less time where the others come from", ", or use a fair lock here."},
		"bounded bypass (Burns et al. 1982): one of several threads or sites is passed by later comers, once and " +
			"more each wait beyond what it passes others, " +
			"and waits longer than they do; neither by chance (Student, Welch)"},
	HotStripe: {"hot-stripe", blame.DoingUnknown, "the hot one of several that are alike",
		[2]string{
			"Spread what it guards more evenly",
			", by another hash or more stripes, or take the hot entry out of it.",
		},
		"one of three or more locks of a class that are waited for at one site in the same time has more waiting " +
			"than all others, in more windows of time than " +
			"chance gives it (binomial)"},
	ReadMostly: {"read-mostly", blame.DoingUnknown, "exclusive, and readers wait for readers",
		[2]string{
			"Let readers share it",
			": a concurrent collection, a read-write lock, or a copy that is replaced when it changes.",
		},
		"owner and waiter are in methods of the JDK's synchronized collections that only read; a trace does not " +
			"show which of a program's own sections do"},
	PausedHolding: {
		"paused-while-holding",
		blame.DoingUnknown,
		"waited for while a garbage collection has stopped its owner",
		[2]string{
			"Make the pauses shorter first",
			", with another collector or a larger heap; allocate less while holding the lock.",
		},
		"pauses of the garbage collector that were recorded",
	},
	PoolExhausted: {"pool-exhausted", blame.DoingUnknown, "waiting for a pool that has nothing left",
		[2]string{"Return its objects sooner", ", or enlarge it if what is behind it can serve more."},
		"threads wait for an object of a known pool: there is none. Share of waiting for locks and resources"},
	NotifyStorm: {"notify-storm", blame.DoingUnknown, "waking all who wait there, mostly in vain",
		[2]string{"Wake one with notify where any of them will do",
			", or give each kind of waiter a condition of its own, or use a queue of java.util.concurrent."},
		"of threads that one thread's notification woke together most wait again at the same place, as soon as the " +
			"next of them usually has the monitor; that " +
			"they were woken together: no thread that waited with them slept on, and they come closer to each other " +
			"than to the next notification, not by chance " +
			"(Hoeffding). Of Object.wait alone. Share of all waiting, also for resources and for the monitor to " +
			"come back"},
	Polling: {"polling", blame.DoingUnknown, "spinning or polling",
		[2]string{"Use a lock that parks its waiters",
			", or declare the place a lock's with --lock-rules, so that it counts as waiting."},
		"threads sleep or run at one place, by samples, recorded sleeps or dumps; some of them in compareAndSet or " +
			"onSpinWait, or never all at once, as " +
			"another thread must be elsewhere to release them, and not by chance (Poisson). Share of waiting and " +
			"polling"},
}

// detectors find the kinds that rest on more than the activity of owners.
var detectors = [...]func(*Evidence, *Trace) []Finding{
	convoys,
	starved,
	hotStripes,
	readMostly,
	pausedHolding,
	exhaustedPools,
	storms,
	polls,
}

// String returns the name of a kind in JSON.
func (k Kind) String() string { return kinds[k].name }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(name []byte) error {
	at := slices.Index(Kinds(), string(name))
	*k = Kind(max(at, 0))
	if at < 0 {
		return fmt.Errorf("no finding is called %q", name)
	}
	return nil
}

// Kinds returns the names of all kinds.
func Kinds() (names []string) {
	for k := range kinds {
		names = append(names, kinds[k].name)
	}
	return names
}

// Title returns the title of a kind.
func (k Kind) Title() string { return k.Titled("", "", "") }

// Basis returns the evidence and test of a kind.
func (k Kind) Basis() string { return kinds[k].basis }

// Trace is what findings need besides the overview and the evidence.
type Trace struct {
	Symbols   *analysis.Symbols
	Deadlocks []analysis.Deadlock
	ElapsedNs int64 // 0 if the trace has no time: only shares decide
	ByClass   bool  // by class instead of by lock

	// Holders returns who had the objects of a pool for which threads waited with a stack; nil if that is not
	// collected.
	Holders func(waiting []format.Frame) []locks.Holder
}

// Find returns the findings: deadlocks, then lock-order inversions, then the others by share
// of the waiting. The locks are all of the overview, in rows of one or of many, those with most
// waiting first. Locks of one class and site are one subject.
func Find(c *locks.Overview, list []locks.Lock, v *Evidence, t Trace) []Finding {
	places := newLockPlaces(list)
	out := slices.Concat(deadlocks(c, t), inversions(c), detected(c, v, &t, places), whileHolding(c, list, &t, true))
	slices.SortStableFunc(out, func(a, b Finding) int {
		if (a.Kind <= LockOrder) != (b.Kind <= LockOrder) || a.Kind == Deadlock != (b.Kind == Deadlock) {
			return cmp.Compare(a.Kind, b.Kind)
		}
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.WaitNs, a.WaitNs))
	})
	sites := map[string]string{}
	for i := range list {
		if _, known := sites[list[i].Name]; !known { // the first has the most waiting of several with one name
			sites[list[i].Name] = list[i].Site
		}
	}
	for i := range out {
		f := &out[i]
		f.LockSite = sites[f.Lock]
		f.Title = f.Kind.Titled(f.Class, "", "")
		fix, details := f.Kind.remedy(f.Class)
		f.Remedy = fix + details
	}
	return out
}

// Unproven returns what would be findings if the owners were known well enough.
func Unproven(c *locks.Overview, list []locks.Lock, t Trace) []Finding {
	return whileHolding(c, list, &t, false)
}

// detected returns the findings of the detectors that matter, with their share of the waiting.
func detected(c *locks.Overview, v *Evidence, t *Trace, places lockPlaces) (out []Finding) {
	beside := v.Total(true).WaitNs
	for _, detect := range detectors {
		for _, f := range places.together(detect(v, t)) {
			all := c.TotalNs()
			switch f.Kind {
			case PoolExhausted:
				all += beside
			case Polling:
				all += f.WaitNs
			case NotifyStorm:
				all += v.requeuedNs
			}
			f.Share = analysis.Ratio(f.WaitNs, all)
			if !t.matters(&f) {
				continue
			}
			if f.Kind == NotifyStorm { // the share of all waiting, with the waits for a notification
				f.Share = analysis.Ratio(f.WaitNs, all+beside)
			}
			out = append(out, f)
		}
	}
	return out
}

// worthWhile reports whether enough threads wait because of a finding, and enough of their
// owners are known.
func (t *Trace) worthWhile(f *Finding) bool {
	return t.matters(f) && f.Known() >= MinKnown
}

// matters reports whether enough threads wait because of a finding.
func (t *Trace) matters(f *Finding) bool {
	return f.Share >= MinShare && (t.ElapsedNs <= 0 || analysis.Ratio(f.WaitNs, t.ElapsedNs) >= MinWaiting)
}

// Matters reports whether so much waiting, of all waiting, would be a finding.
func (t *Trace) Matters(waitNs, allNs int64) bool {
	return t.matters(&Finding{WaitNs: waitNs, Share: analysis.Ratio(waitNs, allNs)})
}

// percent writes a part of a whole with at most one decimal.
func percent(part, whole int64) string {
	p := 100 * analysis.Ratio(part, whole)
	if p >= 10 || p == 0 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}

// deadlocks returns the deadlocks, whatever their share: they never end.
func deadlocks(c *locks.Overview, t Trace) (out []Finding) {
	for i, d := range t.Deadlocks {
		first, trapped := d.Cycle[0], c.Trapped(i+1)
		f := Finding{
			Kind:         Deadlock,
			Deadlock:     i + 1,
			Lock:         t.Symbols.LockName(first.Lock),
			Class:        t.Symbols.ClassName(first.Lock),
			Threads:      len(d.Cycle) + len(d.Queued),
			WaitNs:       trapped.Ns(),
			ByProvenance: trapped,
		}
		f.Share, f.Confidence = analysis.Ratio(f.WaitNs, c.TotalNs()), High
		out = append(out, f)
	}
	return out
}

// inversions returns the pairs of locks taken in both orders, whatever their share: they may
// deadlock any time.
func inversions(c *locks.Overview) (out []Finding) {
	for _, v := range c.Inversions() {
		ns := v.ByProvenance.Ns()
		out = append(out, Finding{
			Kind:         LockOrder,
			Lock:         v.Lock,
			Class:        v.Class,
			Owner:        v.Owner,
			Root:         v.Other,
			WaitNs:       ns,
			Share:        analysis.Ratio(ns, c.TotalNs()),
			ByProvenance: v.ByProvenance,
			Confidence:   High,
		})
	}
	return out
}
