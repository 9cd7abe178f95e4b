package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// small is the part of all waiting below which a lock is not worth a reader's
// first look, unless it is the biggest.
const small = 0.01

// locks are the top ones, each with its owners and its waiters, in so many lines unless the
// first takes more.
func (s *screen) locks(room int) (lines []line) {
	if s.trapped() && !s.Full {
		return nil // the deadlocks say it all
	}
	if len(s.groups) > 0 {
		lines = append(lines, line{"Locks, by " + s.thread + "s waiting for them", plain})
	}
	shown := 0
	for i := range min(len(s.groups), cmp.Or(s.Top, s.most(mostLocks))) {
		g := &s.groups[i]
		if i > 0 && !s.Full && s.Top == 0 && float64(g.WaitNs) < small*float64(s.Total.WaitNs) {
			break
		}
		one := s.block(g, i == 0)
		tooLong := len(lines)+len(one)+len(s.rest(s.groups[i+1:], 0)) > room && s.Top == 0
		if tooLong && (i > 0 || len(s.Deadlocks) > 0) {
			break
		}
		lines = append(lines, one...)
		shown++
	}
	if shown == 0 {
		return nil
	}
	return append(lines, s.rest(s.groups[shown:], room-len(lines))...)
}

// rest says how much waiting there is for the locks that are not shown, and names the
// biggest of them as far as a second line goes, where there is one.
func (s *screen) rest(groups []group, room int) []line {
	if len(groups) == 0 {
		return nil
	}
	locks, ns := 0, int64(0)
	var names []string
	for i := range groups {
		g := &groups[i]
		locks, ns = locks+g.locks, ns+g.WaitNs
		if float64(g.WaitNs) >= notable*float64(s.Total.WaitNs) {
			names = append(names, percent(g.WaitNs, s.Total.WaitNs)+" "+strings.Join(s.lockName(g), " "))
		}
	}
	what := "on " + text.Amount(int64(locks), "more lock") + " (--top N shows them)"
	first := fmt.Sprintf("%4s  ", percent(ns, s.Total.WaitNs))
	if len(names) == 0 || room < 2 {
		return fill(first, s.Width, plain, prose(what)...)
	}
	return append(fill(first, s.Width, plain, prose(what+":")...), fillList(strings.Repeat(" ", len(first)), s.Width, names, s.Full)...)
}

// notable is the part of all waiting from which on a lock is named in any case
// where there is room.
const notable = 0.05

// block is one lock. The first has advice, and more owners than the others.
func (s *screen) block(g *group, first bool) []line {
	owners, enough := 1, int64(0)
	if first && !s.short {
		owners, enough = 2, g.WaitNs/2 // one owner of many is no answer
	}
	if s.Full {
		owners = everything
	}
	parts := s.lockName(g)
	if g.locks > 1 {
		parts = append(parts, fmt.Sprintf("(%d locks, the biggest %s)", g.locks, percent(g.biggest, g.WaitNs)))
	}
	lines := fill(fmt.Sprintf("%4s  ", percent(g.WaitNs, s.Total.WaitNs)), s.Width, strong, parts...)
	lines = append(lines, fill("      ", s.Width, plain, s.numbers(g)...)...)
	lines = append(lines, s.holders(g, owners, enough)...)
	lines = append(lines, s.waiters(g)...)
	if first {
		lines = append(lines, s.advice(g)...)
	}
	return lines
}

// lockName is what a lock is called, and where it is taken.
func (s *screen) lockName(g *group) []string {
	name := g.Lock.Lock
	if g.locks > 1 {
		name, _, _ = strings.Cut(name, " (") // belongs to the biggest alone
	}
	return s.names.Lock(name, g.Class, g.Site)
}

// numbers is how much waiting there is for a lock.
func (s *screen) numbers(g *group) []string {
	if s.counts {
		return []string{s.amount(g.WaitNs)}
	}
	avg := average(float64(g.WaitNs) / float64(max(s.ElapsedNs, 1)))
	if u := g.Uncertainty; u != nil && u.PlusMinusNs != nil {
		avg += " ± " + average(float64(*u.PlusMinusNs)/float64(max(s.ElapsedNs, 1)))
	} else if u != nil {
		avg += " ± ?" // too few samples to tell
	}
	parts := []string{avg, "waiting on average:", text.Duration(g.WaitNs) + ",", text.Amount(g.Waits, "wait")}
	if g.locks == 1 { // how many threads wait for any of several is not known
		parts[3] += ","
		parts = append(parts, s.threads(int64(g.Waiters)))
	}
	if g.MaxNs > 0 {
		parts[len(parts)-1] += ","
		parts = append(parts, "longest "+text.Duration(g.MaxNs))
	}
	return parts
}

// holders says who had the lock meanwhile: n of those with a name, and between
// them who has none; but nobody after mostOwners before their sum is enough.
func (s *screen) holders(g *group, n int, enough int64) (lines []line) {
	first, named, sum := "      held by  ", 0, int64(0)
	for i := range g.Owners {
		o := &g.Owners[i]
		if named >= n && (sum >= enough || named == mostOwners) || named > 0 && !s.Full && o.WaitNs*20 < g.WaitNs {
			break
		}
		if text.Placed(o.Site) {
			named++
		} else if i > 0 && !s.Full && o.WaitNs*20 < g.WaitNs {
			continue
		}
		lines = append(lines, s.holder(first+fmt.Sprintf("%4s ", percent(o.WaitNs, g.WaitNs)), o)...)
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

// doing is what an owner was at for most of the time, if it is known, or for a
// good part.
func (s *screen) doing(o *document.LockOwner) string {
	for _, d := range o.Doing {
		if d.What == "running or unknown" || d.WaitNs*5 < o.WaitNs {
			continue
		}
		what := strings.Replace(d.What, "waiting", "waiting for a condition", 1)
		if d.Class != "" {
			what = "waiting for " + s.names.Class(d.Class)
		}
		if d.WaitNs*10 < o.WaitNs*9 {
			what = percent(d.WaitNs, o.WaitNs) + " of it " + what
		}
		return what
	}
	return ""
}

// waiters says where threads wait, as far as a line holds.
func (s *screen) waiters(g *group) []line {
	if s.short {
		return nil
	}
	var parts []string
	for i := range g.Waiting {
		w := &g.Waiting[i]
		if !text.Placed(w.Site) && i == 0 {
			return nil
		}
		parts = append(parts, percent(w.WaitNs, g.WaitNs)+" "+s.names.Name(w.Site))
	}
	if len(parts) == 0 || len(g.Waiting) == 1 && g.Waiting[0].Site == g.Site && !s.Full {
		return nil // it stands above
	}
	return fillList(waitingAt, s.Width, parts, s.Full)
}

const waitingAt = "      waiting  "
