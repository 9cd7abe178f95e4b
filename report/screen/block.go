package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// small is the part of all waiting below which nothing is worth a reader's first
// look, unless it is the biggest.
const small = 0.01

// ranked are the things that most threads wait for, each with its owners and its waiters, in
// so many lines unless the first takes more.
func (s *screen) ranked(room int) (lines []line) {
	if len(s.waits) == 0 || s.trapped() && !s.Full {
		return nil // the deadlocks say it all
	}
	lines = append(lines, line{"Waits, by " + s.thread + "s waiting", plain})
	shown := 0
	for i := range min(len(s.waits), cmp.Or(s.Top, s.most(mostWaits))) {
		w := &s.waits[i]
		if i > 0 && !s.Full && s.Top == 0 && float64(w.WaitNs) < small*float64(s.waitNs) {
			break
		}
		one := s.block(w, i == 0)
		tooLong := len(lines)+len(one)+len(s.rest(s.waits[i+1:], 0)) > room && s.Top == 0
		if tooLong && (i > 0 || len(s.Deadlocks) > 0) {
			break
		}
		lines = append(lines, one...)
		shown++
	}
	if shown == 0 {
		return nil
	}
	return append(lines, s.rest(s.waits[shown:], room-len(lines))...)
}

// rest says how much waiting there is for what is not shown, and names the biggest of it as
// far as a second line goes, where there is one.
func (s *screen) rest(list []document.Wait, room int) []line {
	if len(list) == 0 {
		return nil
	}
	things, ns, locks := 0, int64(0), true
	var names []string
	for i := range list {
		w := &list[i]
		things, ns, locks = things+max(w.Locks, 1), ns+w.WaitNs, locks && w.Of == nil
		if w.Kind != document.Others && float64(w.WaitNs) >= notable*float64(s.waitNs) {
			names = append(names, s.size(w.WaitNs)+" "+strings.Join(s.name(w), " "))
		}
	}
	what := fmt.Sprintf("for %s more (--top N shows them)", text.Number(int64(things)))
	if locks {
		what = fmt.Sprintf("for %s (--top N shows them)", text.Amount(int64(things), "more lock"))
	}
	first := fmt.Sprintf("%4s  ", s.size(ns))
	if len(names) == 0 || room < 2 {
		return fill(first, s.Width, plain, prose(what)...)
	}
	return append(fill(first, s.Width, plain, prose(what+":")...), fillList(strings.Repeat(" ", len(first)), s.Width, names, s.Full)...)
}

// notable is the part of all waiting from which on something is named in any case
// where there is room.
const notable = 0.05

// size is how much waiting there is, as threads that wait on average where time is known.
func (s *screen) size(ns int64) string {
	if s.counts {
		return s.measure.Short(ns)
	}
	return average(float64(ns) / float64(max(s.ElapsedNs, 1)))
}

// trapped reports whether nobody waits but in deadlocks.
func (s *screen) trapped() bool {
	ns := int64(0)
	for i := range s.Findings {
		if s.Findings[i].Deadlock > 0 {
			ns += s.Findings[i].WaitNs
		}
	}
	return ns > 0 && ns >= s.Total.WaitNs
}

// unowned is what to look for where threads wait for what has no owner, by its kind.
var unowned = map[string]string{
	"pool":      "Its users are not recorded: return objects sooner, or enlarge it",
	"queue":     "The other side is not recorded: look for slow producers, or consumers",
	"latch":     "What opens it is not recorded: look for slow threads that must reach it",
	"result":    "The task is not recorded: look at what computes the result",
	"condition": "The notifier is not recorded: look for what makes the condition true",
	"resource":  "Its users are not recorded: look for slow users or producers",
}

// block is one thing that threads wait for. The first has advice, and more owners than the
// others.
func (s *screen) block(w *document.Wait, first bool) []line {
	parts := s.name(w)
	if w.Locks > 1 {
		parts = append(parts, fmt.Sprintf("(%d locks, the biggest %s)", w.Locks, percent(w.Biggest, w.WaitNs)))
	}
	lines := fill(fmt.Sprintf("%4s  ", s.size(w.WaitNs)), s.Width, strong, parts...)
	lines = append(lines, fill("      ", s.Width, plain, s.numbers(w)...)...)
	if w.Of != nil {
		lines = append(lines, s.callers(w.Of, first)...)
		if first {
			lines = append(lines, fill("      -> ", s.Width, plain, prose(unowned[w.Kind])...)...)
		}
		return lines
	}
	owners, enough := 1, int64(0)
	if first && !s.short {
		owners, enough = 2, w.WaitNs/2 // one owner of many is no answer
	}
	if s.Full {
		owners = everything
	}
	lines = append(lines, s.holders(w, owners, enough)...)
	lines = append(lines, s.waiters(w)...)
	if first {
		lines = append(lines, s.advice(w)...)
	}
	return lines
}

// name is of what kind something is that threads wait for, what it is called and where it is taken.
func (s *screen) name(w *document.Wait) []string {
	if w.Of != nil {
		return append([]string{w.Kind}, s.names.Resource(w.Of.What, w.Of.Site)...)
	}
	name := w.Lock.Lock
	if w.Locks > 1 {
		name, _, _ = strings.Cut(name, " (") // belongs to the biggest alone
	}
	parts := s.names.Lock(name, w.Class, w.Site)
	if w.Class == "" {
		return parts // "a lock the dump does not name"
	}
	return append([]string{w.Kind}, parts...)
}

// numbers is how much waiting there is for something.
func (s *screen) numbers(w *document.Wait) []string {
	var parts []string
	if w.Of == nil {
		parts = append(parts, percent(w.WaitNs, s.Total.WaitNs)+" of lock waiting:")
	}
	if s.counts {
		return append(parts, s.amount(w.WaitNs))
	}
	sum := text.Duration(w.WaitNs)
	if u := w.Uncertainty; u != nil && u.PlusMinusNs != nil {
		sum += " ± " + text.Duration(*u.PlusMinusNs)
	} else if u != nil {
		sum += " ± ?" // too few samples to tell
	}
	parts = append(parts, sum+",", text.Amount(w.Waits, "wait")+",")
	if w.Locks <= 1 { // how many threads wait for any of several is not known
		parts = append(parts, s.threads(int64(w.Waiters))+",")
	}
	if w.MaxNs > 0 {
		parts = append(parts, "longest "+text.Duration(w.MaxNs))
	}
	parts[len(parts)-1] = strings.TrimSuffix(parts[len(parts)-1], ",")
	return parts
}

// holders says who had the lock meanwhile: n of those with a name, and between
// them who has none; but nobody after mostOwners before their sum is enough.
func (s *screen) holders(w *document.Wait, n int, enough int64) (lines []line) {
	first, named, sum := "      held by  ", 0, int64(0)
	for i := range w.Owners {
		o := &w.Owners[i]
		if named >= n && (sum >= enough || named == mostOwners) || named > 0 && !s.Full && o.WaitNs*20 < w.WaitNs {
			break
		}
		if text.Placed(o.Site) {
			named++
		} else if i > 0 && !s.Full && o.WaitNs*20 < w.WaitNs {
			continue
		}
		lines = append(lines, s.holder(first+fmt.Sprintf("%4s ", percent(o.WaitNs, w.WaitNs)), o)...)
		sum += o.WaitNs
		first = strings.Repeat(" ", len(first))
	}
	return lines
}

// holder is one owner: where it took the lock, called by whom, what it was at,
// and how that is known. Callers it has no room for are left out.
func (s *screen) holder(first string, o *document.LockOwner) (lines []line) {
	callers := usual(o)
	parts := func(n int) []string {
		parts := []string{s.owner(o.Site)}
		for _, c := range callers[:n] {
			parts = append(parts, "< "+s.names.Name(c))
		}
		if what := s.doing(o); what != "" {
			parts[len(parts)-1] += ","
			parts = append(parts, what)
		}
		if how := known(o.Provenance); how != "" && text.Placed(o.Site) {
			parts = append(parts, "("+how+")")
		} else if o.Site == handoff && 2*o.Provenance.InferredNs > o.WaitNs {
			parts = append(parts, "(estimated)")
		}
		return parts
	}
	n := 0
	if s.Full {
		n = len(callers)
	}
	lines = fill(first, s.Width, plain, parts(n)...)
	for n < len(callers) {
		n++
		longer := fill(first, s.Width, plain, parts(n)...)
		if len(longer) > len(lines) {
			break
		}
		lines = longer
	}
	return lines
}

// usual is the call chain that nearly all of the waiting for an owner goes through:
// a caller of a part of it would be blamed for the rest.
func usual(o *document.LockOwner) (chain []string) {
	left := o.Callers
	for {
		by, best := map[string]int64{}, ""
		for _, c := range left {
			if len(c.Sites) > len(chain) {
				by[c.Sites[len(chain)]] += c.WaitNs
			}
		}
		for site, ns := range by {
			if ns > by[best] || ns == by[best] && site < best {
				best = site
			}
		}
		if best == "" || by[best]*10 < o.WaitNs*nearlyAll {
			return chain
		}
		left = slices.DeleteFunc(slices.Clone(left), func(c document.Callers) bool { return len(c.Sites) <= len(chain) || c.Sites[len(chain)] != best })
		chain = append(chain, best)
	}
}

// nearlyAll is how many tenths of the waiting for an owner a caller must have
// part in to be named.
const nearlyAll = 8

// waiters says where threads wait, as far as a line holds.
func (s *screen) waiters(w *document.Wait) []line {
	if s.short {
		return nil
	}
	var parts []string
	for i := range w.Waiting {
		at := &w.Waiting[i]
		if !text.Placed(at.Site) && i == 0 {
			return nil
		}
		parts = append(parts, percent(at.WaitNs, w.WaitNs)+" "+s.names.Name(at.Site))
	}
	if len(parts) == 0 || len(w.Waiting) == 1 && w.Waiting[0].Site == w.Site && !s.Full {
		return nil // it stands above
	}
	return fillList(waitingAt, s.Width, parts, s.Full)
}

const waitingAt = "      waiting  "

// callers says who calls a place where threads wait: it may be a pool's own, which all of the
// program calls. Of the first that is shown the most frequent callers are named.
func (s *screen) callers(r *document.Resource, foremost bool) (lines []line) {
	if !s.Full && (!foremost || s.short) {
		return nil
	}
	first := "      called by  "
	for _, c := range r.Callers[:min(len(r.Callers), s.most(mostCallers))] {
		parts := []string{s.names.Name(c.Sites[0])}
		for _, site := range c.Sites[1:] {
			parts = append(parts, "< "+s.names.Name(site))
		}
		lines = append(lines, fill(first+fmt.Sprintf("%4s ", percent(c.WaitNs, r.WaitNs)), s.Width, plain, parts...)...)
		first = strings.Repeat(" ", len(first))
	}
	return lines
}

// idle says how much was left out since nobody had anything to do.
func (s *screen) idle() []line {
	t := &s.IdleTotal
	if t.Waiters == 0 || len(s.Idle) > 0 {
		return nil
	}
	what := fmt.Sprintf("%s with nothing to do (--idle lists them)", s.threads(t.WaitNs))
	if t.WaitNs == 1 {
		what = strings.Replace(what, "them", "it", 1)
	}
	if !s.counts {
		what = fmt.Sprintf("%s of idle time in %s (--idle lists it)", text.Duration(t.WaitNs), s.threads(int64(t.Waiters)))
	}
	return append(fill("not counted: ", s.Width, plain, prose(what)...), s.loop()...)
}

// loop names the longest wait in an outermost method of threads: they may have nothing to
// do there, or need an object of a pool.
func (s *screen) loop() []line {
	if s.Full || s.counts {
		return nil
	}
	var most *document.Resource
	for i := range s.Resources {
		if r := &s.Resources[i]; r.Loop && r.Waiters > 1 && r.Waits > int64(r.Waiters) && (most == nil || r.WaitNs > most.WaitNs) {
			most = r
		}
	}
	if most == nil || float64(most.WaitNs) < worthwhile*float64(s.ElapsedNs) {
		return nil
	}
	return fill("not counted: ", s.Width, plain, prose(fmt.Sprintf("%s in %s at %s in %s, an outermost method: a pool's, if not idle (--full shows it)",
		text.Duration(most.WaitNs), s.threads(int64(most.Waiters)), s.names.Name(most.What), s.names.Name(most.Site)))...)
}
