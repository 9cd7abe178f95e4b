package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// findings writes the findings, the gravest first. Only the first may take more lines than there is
// room for.
func (s *screen) findings(room int) (lines []line) {
	for i := range s.doc.Deadlocks {
		one := s.deadlock(&s.doc.Deadlocks[i])
		if i > 0 && len(lines)+len(one)+len(s.moreDeadlocks(s.doc.Deadlocks[i+1:])) > room {
			lines = append(lines, s.moreDeadlocks(s.doc.Deadlocks[i:])...)
			break
		}
		lines = append(lines, one...)
	}
	for _, w := range s.doc.Coverage.Warnings {
		if w.Code == format.CodeLikelyDeadlock {
			lines = append(lines, hanging("", s.opts.Width, alarm, prose("LIKELY DEADLOCK: "+w.Text)...)...)
		}
	}
	shown := 0
	left := 0
	head := 0
	for _, f := range distinct(s.doc.Findings) {
		if f.Kind == document.KindDeadlock {
			continue
		}
		if shown == 0 {
			if len(lines) > 0 {
				lines = append(lines, line{})
			}
			head = len(lines)
			lines = append(lines, line{"Findings, by their part of all waiting for locks", plain})
		}
		one := s.finding(&f)
		if shown > 0 &&
			(left > 0 || len(lines)+len(one) > min(room, s.most(findingLines)) || !s.opts.Full &&
				shown+len(s.doc.Deadlocks) >= maxFindings) {
			left++
			continue
		}
		shown++
		lines = append(lines, one...)
	}
	if left > 0 {
		all := fmt.Sprintf("%s (%d smaller: --full shows all)", lines[head].text, left)
		lines = slices.Replace(lines, head, head+1, s.say("", all)...)
	}
	return lines
}

// distinct merges findings about several locks of one class with the same owner.
func distinct(list []document.Finding) (out []document.Finding) {
	at := map[[3]string]int{}
	for _, f := range list {
		key := [3]string{f.Kind.String(), f.Class, f.Owner}
		if i, ok := at[key]; ok && f.Owner != "" {
			out[i].Locks = max(out[i].Locks, 1) + max(f.Locks, 1)
			out[i].WaitNs += f.WaitNs
			out[i].Share += f.Share
			continue
		}
		at[key] = len(out)
		out = append(out, f)
	}
	return out
}

// finding writes a finding as one sentence, with its remedy.
func (s *screen) finding(f *document.Finding) []line {
	lock := s.names.Class(f.Class)
	if f.LockSite != "" && f.LockSite != f.Owner {
		lock += " at " + s.names.Name(f.LockSite)
	}
	if f.Locks > 1 {
		lock += fmt.Sprintf(" (%d locks)", f.Locks)
	}
	other := ""
	if f.Root != "" {
		other = s.otherLock(f)
	}
	title := f.Titled(lock, other)
	if f.Evidence != "" {
		title += " (" + f.Evidence + ")"
	}
	parts := append(s.subject(f, lock), prose("is "+title)...)
	if f.Kind == document.KindPolling {
		parts = append(append(prose(f.Title+" at"), s.names.Name(f.Site)), prose("("+f.Evidence+")")...)
	}
	lines := s.fill(fmt.Sprintf("%4s  ", percent(int64(f.Share*1e6), 1e6)), strong, parts...)
	remedy := f.Remedy
	if !s.opts.Full {
		remedy = cmp.Or(s.endOfChain(f), f.Fix())
	}
	if f.Confidence != document.HighConfidence {
		remedy += " (confidence: " + string(f.Confidence) + ")"
	}
	return append(lines, s.say("      -> ", remedy)...)
}

// endOfChain returns the advice about an owner that waits for another lock: to fix that lock, and
// its main owner.
func (s *screen) endOfChain(f *document.Finding) string {
	i := slices.IndexFunc(s.doc.Locks, func(l document.Lock) bool { return l.Lock == f.Root })
	if f.Kind != document.KindBlockedHolding || i < 0 || s.doc.Locks[i].Class == "" {
		return ""
	}
	l, name := &s.doc.Locks[i], s.otherLock(f)
	w := l.Awaited()
	for _, o := range l.Owners {
		if site := s.names.Name(o.Site); document.Placed(o.Site) && s.proven(&w, o.Site) &&
			!strings.HasSuffix(name, " at "+site) {
			return "Fix " + name + " first; " + site + " holds it longest"
		}
	}
	return "Fix " + name + " first, at the end of the chain"
}

// otherLock names the lock that the owner of a finding's lock waits for. If both are of one class,
// it adds the acquisition site.
func (s *screen) otherLock(f *document.Finding) string {
	class, _, _ := strings.Cut(f.Root, "@")
	name := s.names.Class(class)
	if i := slices.IndexFunc(s.doc.Locks, func(l document.Lock) bool { return l.Lock == f.Root }); i >= 0 {
		l := &s.doc.Locks[i]
		if name = s.names.Class(cmp.Or(l.Class, class)); l.Class == f.Class && document.Placed(l.Site) &&
			l.Site != f.LockSite {
			return name + " at " + s.names.Name(l.Site)
		}
	}
	if name == s.names.Class(f.Class) {
		return "another " + name
	}
	return name
}

// subject returns the subject of a finding: the acquisition site, the waiting thread, or the lock.
func (s *screen) subject(f *document.Finding, lock string) []string {
	switch {
	case f.Owner != "":
		return []string{s.names.Name(f.Owner)}
	case f.Thread != "":
		return append(prose("thread"), s.whole(f.Thread, shortName)+",", "for", lock+",")
	case f.Lock == "":
		return []string{s.names.Name(f.Site)}
	case f.Kind == document.KindStarvation && f.Site != "":
		return []string{s.names.Class(f.Class), "at", s.names.Name(f.Site)}
	}
	return prose(lock)
}

// deadlock writes each thread with the lock it holds and its acquisition site, the lock it waits for
// and the site of the wait, and the owner of that lock.
func (s *screen) deadlock(d *document.Deadlock) []line {
	if d.Found != "" {
		return hanging("", s.opts.Width, alarm, prose("DEADLOCK: "+d.Found)...)
	}
	title := fmt.Sprintf("DEADLOCK #%d: %s wait for each other", d.Number, s.threads(int64(len(d.Cycle))))
	if len(d.Cycle) == 1 {
		title = fmt.Sprintf("DEADLOCK #%d: 1 %s waits for itself", d.Number, s.thread)
	}
	if n := len(d.Queued); n > 0 {
		title += fmt.Sprintf(", %d more behind them", n)
		if n <= maxMembers {
			title += " (" + s.whole(strings.Join(d.Queued, ", "), shortNames) + ")"
		}
	}
	lines := hanging("", s.opts.Width, alarm, prose(title)...)
	for i := range d.Cycle {
		m, holder := &d.Cycle[i], d.Cycle[(i+1)%len(d.Cycle)].Thread
		if i == maxMembers && !s.opts.Full {
			lines = append(lines, s.say("  ", fmt.Sprintf("and %d more (--full shows all)", len(d.Cycle)-i))...)
			break
		}
		parts := []string{s.whole(m.Thread, shortName)}
		switch {
		case m.Took != "":
			parts = append(parts, "took", s.names.Address(m.Holds), s.taken(m)+",")
		case m.Holds != "":
			parts = append(
				append(parts, "holds", s.names.Address(m.Holds)),
				prose("(acquired at an unknown place),")...)
		}
		parts = append(
			parts,
			"waits at",
			s.place(m.Stack),
			"for",
			s.names.Address(m.Lock)+",",
			"held by",
			s.whole(holder, shortName),
		)
		lines = append(lines, hanging("  ", s.opts.Width, plain, parts...)...)
		if s.opts.Full {
			lines = append(lines, s.stack("      ", m.Stack)...)
		}
	}
	if s.opts.Full && len(d.Queued) > 0 {
		lines = append(lines, s.say("  behind: ", strings.Join(d.Queued, ", "))...)
	}
	for _, f := range s.doc.Findings {
		if f.Deadlock == d.Number {
			lines = append(lines, s.say("  -> ", f.Fix())...)
		}
	}
	return lines
}

// taken writes the site at which a thread of a deadlock acquired the lock it holds. A dump has one
// line for each frame. If the thread now waits in that frame, the acquisition was at another line.
func (s *screen) taken(m *document.Member) string {
	at := s.names.Name(m.Took)
	if method := analysis.WithoutLine(at); at == s.place(m.Stack) && method != at {
		return text.OwnerAt(method, true) + " at line " + at[len(method)+1:] + " or before"
	}
	return "at " + at
}

// moreDeadlocks names the threads of deadlocks that do not fit.
func (s *screen) moreDeadlocks(rest []document.Deadlock) []line {
	if len(rest) == 0 {
		return nil
	}
	said := fmt.Sprintf("and %s: ", text.Amount(int64(len(rest)), "more deadlock"))
	for i := range rest[:min(len(rest), maxMembers)] {
		d := &rest[i]
		var names []string
		for _, m := range d.Cycle {
			names = append(names, m.Thread)
		}
		said += s.whole(strings.Join(names, ", "), shortNames)
		if n := len(d.Queued); n > 0 {
			said += fmt.Sprintf(" (%d behind them)", n)
		}
		said += "; "
	}
	return s.fill("", alarm, prose(said+"--full shows all")...)
}

// place returns the innermost frame of the program in a stack.
func (s *screen) place(st document.Stack) string {
	f, ok := analysis.AppFrame(st.Frames())
	if !ok {
		return "an unknown place"
	}
	return s.names.Name(analysis.StackText([]format.Frame{f}))
}

// stacks writes the whole stacks of owners, innermost frame first.
func (s *screen) stacks() (lines []line) {
	if !s.opts.Full || s.opts.OwnerStacks == nil || s.counts && len(s.opts.OwnerStacks.Rows) == 0 {
		return nil
	}
	omitted, omittedNs := s.opts.OwnerStacks.Omitted()
	for i := range s.opts.OwnerStacks.Rows {
		r := &s.opts.OwnerStacks.Rows[i]
		what := "held " + s.names.Class(r.Keys[1])
		if how := known(r.Provenance); how != "" {
			what += " (" + how + ")"
		}
		if len(r.Stack) == 0 {
			what += ": " + s.owner(r.Keys[0])
		}
		lines = append(
			lines,
			s.fill(fmt.Sprintf("%4s  ", percent(r.ThreadNs, s.doc.Total.WaitNs)), strong, prose(what)...)...)
		lines = append(lines, s.stack("        ", r.Stack)...)
	}
	if n := omitted; n > 0 {
		lines = append(
			lines,
			s.say(
				"      ",
				fmt.Sprintf(
					"and %s with %s (--top 0 shows all)",
					text.Amount(int64(n), "more stack"),
					s.amount(omittedNs),
				),
			)...)
	}
	return lines
}

// stack writes one frame a line, with full names.
func (s *screen) stack(indent string, st document.Stack) (lines []line) {
	for _, f := range st.Frames() {
		lines = append(lines, line{indent + text.Sanitize(analysis.StackText([]format.Frame{f})), plain})
	}
	return lines
}
