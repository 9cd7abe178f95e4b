package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// ranked returns the locks and places with most waiting, each with its owners and its waiters. Only the lock
// and the place with most waiting may take more lines than there is room for.
func (s *screen) ranked(room int) (lines []line) {
	if len(s.waits) == 0 || s.trapped() && !s.opts.Full {
		return nil // the lines of the deadlocks cover it
	}
	by := s.thread + "s waiting"
	if s.measure.Sums() {
		by = "waiting time"
	}
	lines = append(lines, line{"Waits, by " + by, plain})
	shown := 0
	for i := range min(len(s.waits), cmp.Or(s.opts.Top, s.most(maxWaits))) {
		w := &s.waits[i]
		if i > max(s.topLock, 0) && !s.opts.Full && s.opts.Top == 0 && below(w.WaitNs, small, s.waitNs) {
			break
		}
		one := s.block(w, i == 0 || i == s.largest())
		tooLong := len(lines)+len(one)+len(s.rest(s.waits[i+1:], 0)) > room && s.opts.Top == 0
		if tooLong && (i > max(s.topLock, s.largest()) || len(s.doc.Deadlocks) > 0) {
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

// rest returns the waiting for locks and places that are left out. A second line, if there is room,
// names the largest of them.
func (s *screen) rest(list []document.Awaited, room int) []line {
	if len(list) == 0 {
		return nil
	}
	things := 0
	ns := int64(0)
	locks := true
	var names []string
	for i := range list {
		w := &list[i]
		things += max(w.Locks, 1)
		ns += w.WaitNs
		locks = locks && w.Of == nil
		if w.Kind != document.Others && !below(w.WaitNs, notable, s.waitNs) {
			names = append(names, s.size(w.WaitNs)+" "+strings.Join(s.name(w), " "))
		}
	}
	what := fmt.Sprintf("for %s more (--top N shows them)", text.Number(int64(things)))
	if locks {
		what = fmt.Sprintf("for %s (--top N shows them)", text.Amount(int64(things), "more lock"))
	}
	first := fmt.Sprintf("%4s  ", s.size(ns))
	if len(names) == 0 || room < 2 || s.short {
		return s.say(first, what)
	}
	return append(s.say(first, what+":"), s.list(strings.Repeat(" ", len(first)), names)...)
}

// size writes an amount of waiting; with known times, as threads that wait on average.
func (s *screen) size(ns int64) string {
	if s.counts {
		return s.measure.Short(ns)
	}
	return average(float64(ns) / float64(max(s.doc.ElapsedNs, 1)))
}

// trapped reports whether all waiting is in deadlocks.
func (s *screen) trapped() bool {
	ns := int64(0)
	for i := range s.doc.Findings {
		if s.doc.Findings[i].Deadlock > 0 {
			ns += s.doc.Findings[i].WaitNs
		}
	}
	return ns > 0 && ns >= s.doc.Total.WaitNs
}

// unowned is the advice about resources, which have no owner, by kind: with unrecorded and with
// recorded threads that end the waits.
var unowned = map[string]struct{ unrecorded, recorded string }{
	"pool": {
		"Its users are not recorded: thread dumps, or contend jfc's settings, show them",
		"Return objects sooner there, or enlarge it",
	},
	"semaphore": {
		"Its users are not recorded: look for what keeps its permits, or add more",
		"Release permits sooner there, or add more",
	},
	"queue": {
		"The other side is not recorded: look for slow producers, or consumers",
		"Make the other side faster, or add more of it",
	},
	"latch": {
		"What opens it is not recorded: look for slow threads that must reach it",
		"Find out why the thread that all others wait for is late",
	},
	"result": {
		"The task is not recorded: look at what computes the result",
		"Look at what computes the result there",
	},
	"condition": {
		"The notifier is not recorded: look for what makes the condition true",
		"Look at what makes the condition true so late there",
	},
	"resource": {"Its users are not recorded: look for slow users or producers", "Look at what takes so long there"},
}

// users returns the sites that ended the waits at a place, if they are known for half of the waits.
func (s *screen) users(r *document.Resource) []line {
	var parts []string
	known := int64(0)
	for _, u := range r.Users {
		known += u.WaitNs
		name := s.names.Name(u.Site)
		if u.Site == "" {
			name = s.whole(u.Group, shortName) + " " + s.thread + "s"
		}
		parts = append(parts, percent(u.WaitNs, r.WaitNs)+" "+name)
	}
	if 2*known <= r.WaitNs {
		return nil
	}
	return s.list("      released by  ", parts)
}

// poolHolders returns the sites whose threads had the objects of a pool, or ran the tasks, while others
// waited: those with most of them, and for the first place of a screen more.
func (s *screen) poolHolders(r *document.Resource, first bool) (lines []line) {
	most := 1
	if first && !s.short {
		most = maxOwners
	}
	head := "      held by  "
	if r.Kind == "result" {
		head = "      run by   "
	}
	for i := range r.Holders[:min(len(r.Holders), s.most(most))] {
		h := &r.Holders[i]
		if i > 0 && !s.opts.Full && h.Threads < notable*r.Holders[0].Threads {
			break
		}
		parts := []string{fmt.Sprintf("%s %s:", average(h.Threads), s.thread+"s"), s.names.Name(h.Site)}
		if i > 0 {
			parts[0] = average(h.Threads) + ":"
		}
		if h.Doing != "" {
			parts[1] += ","
			parts = append(parts, h.Doing)
		}
		if !h.Shown {
			parts = append(parts, "(inferred)")
		}
		lines = append(lines, s.fill(head, plain, parts...)...)
		head = strings.Repeat(" ", len(head))
	}
	return lines
}

// block returns the lines of one lock or place. The first of each has advice, and more owners than the
// others.
func (s *screen) block(w *document.Awaited, first bool) []line {
	parts := s.name(w)
	if w.Locks > 1 {
		parts = append(parts, fmt.Sprintf("(%d locks, the biggest %s)", w.Locks, percent(w.Biggest, w.WaitNs)))
	}
	lines := s.fill(fmt.Sprintf("%4s  ", s.size(w.WaitNs)), strong, parts...)
	lines = append(lines, s.fill("      ", plain, s.numbers(w)...)...)
	lines = append(lines, s.reacquired(w)...)
	if w.Of != nil {
		users, advice := s.users(w.Of), unowned[w.Kind]
		if had := s.poolHolders(w.Of, first); had != nil {
			users = append(had, users...)
		}
		if users == nil || s.opts.Full { // the sites that end the waits are more useful than the waiters
			lines = append(lines, s.callers(w.Of, first)...)
		}
		lines = append(lines, users...)
		switch {
		case first && users == nil:
			lines = append(lines, s.say("      -> ", advice.unrecorded)...)
		case first && !s.short:
			lines = append(lines, s.say("      -> ", advice.recorded)...)
		}
		return lines
	}
	owners, enough := 1, int64(0)
	if first && !s.short {
		owners, enough = 2, w.WaitNs/2 // one owner of many would mislead
	}
	if s.opts.Full {
		owners = everything
	}
	lines = append(lines, s.holders(w, owners, enough)...)
	lines = append(lines, s.waiters(w)...)
	if first {
		lines = append(lines, s.advice(w)...)
	}
	return lines
}

// name returns the kind, the name and the acquisition site of a lock or place.
func (s *screen) name(w *document.Awaited) []string {
	if w.Of != nil {
		return append([]string{w.Kind}, s.names.Resource(w.Of.What, w.Of.Site)...)
	}
	name := w.Name
	if w.Locks > 1 {
		name, _, _ = strings.Cut(name, " (") // the address is that of the most contended lock
	}
	parts := s.names.Lock(name, w.Class, w.Site)
	if w.Class == "" {
		return parts // "a lock the dump does not name"
	}
	return append([]string{w.Kind}, parts...)
}

// numbers returns the amounts of waiting for a lock or place.
func (s *screen) numbers(w *document.Awaited) []string {
	var parts []string
	if w.Of == nil {
		parts = append(parts, percent(w.WaitNs, s.doc.Total.WaitNs)+" of lock waiting:")
	}
	if s.counts {
		return append(parts, s.amount(w.WaitNs))
	}
	sum := text.Duration(w.WaitNs)
	if u := w.Error; u != nil && u.PlusMinusNs != nil {
		sum += " ± " + text.Duration(*u.PlusMinusNs)
	} else if u != nil {
		sum += " ± ?" // too few samples
	}
	amounts := []string{sum, text.Amount(w.Waits, "wait")}
	if w.Locks <= 1 { // the number of threads that wait for any of several locks is unknown
		amounts = append(amounts, s.threads(int64(w.Waiters)))
	}
	if w.MaxNs > 0 {
		amounts = append(amounts, "longest "+text.Duration(w.MaxNs))
	}
	return append(parts, listed(amounts)...)
}

// reacquired tells of a lock whose waiting is largely estimated: threads that wait for it again after Object.wait,
// from an instant that is not recorded.
func (s *screen) reacquired(w *document.Awaited) []line {
	off := max(w.ReacquiredHighNs-w.ReacquiredNs, w.ReacquiredNs-w.ReacquiredLowNs)
	if w.ReacquiredNs == 0 || below(off, estimated, w.WaitNs) {
		return nil
	}
	return s.say(
		"      ",
		fmt.Sprintf(
			"of it %s re-acquiring after a wait (estimated, %s to %s)",
			text.Duration(w.ReacquiredNs),
			text.Duration(w.ReacquiredLowNs),
			text.Duration(w.ReacquiredHighNs),
		),
	)
}

// holders returns the owners of a lock during its waiting: n named ones, or more up to maxOwners
// until their sum is enough, and the unnamed ones between them.
func (s *screen) holders(w *document.Awaited, n int, enough int64) (lines []line) {
	first := "      held by  "
	named := 0
	sum := int64(0)
	for i := range w.Owners {
		o := &w.Owners[i]
		if named >= n && (sum >= enough || named == maxOwners) ||
			named > 0 && !s.opts.Full && below(o.WaitNs, minOwner, w.WaitNs) {
			break
		}
		if document.Placed(o.Site) {
			named++
		} else if i > 0 && !s.opts.Full && below(o.WaitNs, minOwner, w.WaitNs) {
			continue
		}
		lines = append(lines, s.holder(first+fmt.Sprintf("%4s ", percent(o.WaitNs, w.WaitNs)), o)...)
		sum += o.WaitNs
		first = strings.Repeat(" ", len(first))
	}
	return lines
}

// holder returns the lines of one owner: its acquisition site, its callers, its activity, and its
// provenance. Callers that do not fit are left out.
func (s *screen) holder(first string, o *document.Owner) []line {
	callers := usual(o)
	parts := func(n int) []string {
		parts := append(s.named(o), s.calledBy(callers[:n])...)
		if what := s.doing(o); what != "" {
			parts[len(parts)-1] += ","
			parts = append(parts, what)
		}
		if how := known(o.Provenance); how != "" && document.Placed(o.Site) {
			parts = append(parts, "("+how+")")
		} else if o.Site == handoff && 2*o.Provenance.InferredNs > o.WaitNs {
			parts = append(parts, "(estimated)")
		}
		return parts
	}
	least := 0
	if s.opts.Full {
		least = len(callers)
	}
	return asFit(least, len(callers), func(n int) []line { return s.fill(first, plain, parts(n)...) })
}

// named writes an owner: its site or, if no stack of it is known, its thread.
func (s *screen) named(o *document.Owner) []string {
	switch len(o.Threads) {
	case 0:
		return []string{text.OwnerAt(s.owner(o.Site), o.In)}
	case 1:
		return []string{s.whole(o.Threads[0].Thread, shortName) + ",", "whose stack is not known"}
	}
	return []string{s.whole(o.Threads[0].Thread, shortName), "and others,", "whose stacks are not known"}
}

// calledBy writes callers, the innermost first.
func (s *screen) calledBy(sites []string) (parts []string) {
	for _, site := range sites {
		parts = append(parts, "< "+s.names.Name(site))
	}
	return parts
}

// usual returns the call chain behind nearly all of the waiting for an owner. A caller behind a
// part of the waiting would be blamed for the rest.
func usual(o *document.Owner) (chain []string) {
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
		if best == "" || below(by[best], minCaller, o.WaitNs) {
			return chain
		}
		left = slices.DeleteFunc(
			slices.Clone(left),
			func(c document.Callers) bool { return len(c.Sites) <= len(chain) || c.Sites[len(chain)] != best },
		)
		chain = append(chain, best)
	}
}

// waiters writes the sites of waiters, as many as fit a line.
func (s *screen) waiters(w *document.Awaited) []line {
	if s.short {
		return nil
	}
	var parts []string
	for i := range w.Waiting {
		at := &w.Waiting[i]
		if !document.Placed(at.Site) && i == 0 {
			return nil
		}
		parts = append(parts, percent(at.WaitNs, w.WaitNs)+" "+s.names.Name(at.Site))
	}
	if len(parts) == 0 || len(w.Waiting) == 1 && w.Waiting[0].Site == w.Site && !s.opts.Full {
		return nil // the site is in the first line
	}
	return s.list("      waiting  ", parts)
}

// callers writes the callers of a place where threads wait, because it may be a method of a pool
// that the whole program calls. Without --full only the first resource has them.
func (s *screen) callers(r *document.Resource, foremost bool) (lines []line) {
	if !s.opts.Full && (!foremost || s.short) {
		return nil
	}
	first := "      called by  "
	for _, c := range r.Callers[:min(len(r.Callers), s.most(maxCallers))] {
		parts := append([]string{s.names.Name(c.Sites[0])}, s.calledBy(c.Sites[1:])...)
		lines = append(lines, s.fill(first+fmt.Sprintf("%4s ", percent(c.WaitNs, r.WaitNs)), plain, parts...)...)
		first = strings.Repeat(" ", len(first))
	}
	return lines
}
