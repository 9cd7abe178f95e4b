package screen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// tail writes the uncounted waits, the accuracy of the rest, and the next command.
func (s *screen) tail() (lines []line) {
	lines = s.idle()
	uncounted := s.uncounted()
	for i, w := range uncounted {
		note := s.say("not counted: ", s.brief(w))
		if !s.opts.Full && (s.short || len(lines)+len(note) > noteLines) {
			lines = append(
				lines,
				s.say(
					"",
					fmt.Sprintf(
						"not counted: %s (--full shows all)",
						text.Amount(int64(len(uncounted)-i), "more thing"),
					),
				)...)
			break
		}
		lines = append(lines, note...)
	}
	lines = append(lines, s.executors()...)
	for _, w := range s.doc.Coverage.Warnings {
		if doubts[w.Code] && !s.opts.Full && s.doc.Total.WaitNs > 0 && !s.trapped() {
			lines = append(lines, s.say("doubt: ", w.Text)...)
		}
	}
	lines = append(lines, s.sureness()...)
	if s.opts.Full {
		for _, w := range s.doc.Coverage.Warnings {
			if slices.ContainsFunc(uncounted, w.Equal) {
				continue
			}
			lines = append(lines, s.say("note: ", w.String())...)
		}
	}
	return append(lines, s.next()...)
}

// doubts are the codes of warnings that cast doubt on a number of the screen.
var doubts = map[string]bool{
	format.CodeMixed: true, format.CodeWildTimes: true, format.CodeOverflow: true,
	format.CodeSingleDump: true, format.CodeNotOneInstant: true,
	format.CodeUnlistedLocks: true, format.CodeAbsentOwners: true,
}

// uncounted returns the warnings about waits that the totals omit. If nothing could be read, it
// leaves out those about settings.
func (s *screen) uncounted() []document.Warning {
	if !s.unread() {
		return s.doc.NotCounted
	}
	return slices.DeleteFunc(
		slices.Clone(s.doc.NotCounted),
		func(w document.Warning) bool { return w.Code == format.CodeNotRecorded },
	)
}

// unread reports whether an input is damaged so much that nothing of it could be read.
func (s *screen) unread() bool {
	return s.nothing() &&
		slices.ContainsFunc(s.doc.NotCounted, func(w document.Warning) bool { return damages[w.Code] })
}

// damages are the codes of warnings about input that could not be read.
var damages = map[string]bool{format.CodeLostData: true, format.CodeTruncated: true, format.CodeDamagedSource: true}

// nothing reports whether no event of any thread could be read.
func (s *screen) nothing() bool {
	return s.doc.Total.Waits == 0 && s.doc.ElapsedNs == 0 && s.doc.Trace.Threads == 0
}

// brief returns a warning, with its hint only with --full.
func (s *screen) brief(w document.Warning) string {
	if s.opts.Full {
		return w.String()
	}
	return w.Text
}

// sureness writes the provenance of the owners, and their expected accuracy.
func (s *screen) sureness() []line {
	if s.counts || s.doc.Total.WaitNs == 0 {
		return nil
	}
	var parts []string
	for _, p := range s.doc.Coverage.Provenance.Parts() {
		if p.Ns == 0 || below(p.Ns, little, s.doc.Total.WaitNs) && !s.opts.Full {
			continue
		}
		part := p.Name + " " + percent(p.Ns, s.doc.Total.WaitNs)
		if right, ok := s.doc.Coverage.Provenance.Right(); ok && p.Name == "inferred" {
			part += fmt.Sprintf(" (%.0f %% expected right)", 100*right)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil
	}
	return s.fill("owners: ", plain, listed(parts)...)
}

// next writes the command to run next.
func (s *screen) next() []line {
	file := s.arguments()
	var parts []string
	switch {
	case len(s.doc.Deadlocks) > 0 && !s.opts.Full:
		parts = []string{"contend analyze --full " + file, "(whole stacks)"}
	case s.unread():
		parts = append(
			[]string{"contend verify " + file},
			prose("(where it is damaged)"+s.copyWhole())...)
	case s.doc.Total.WaitNs == 0 && s.opts.Part:
		parts = []string{"contend analyze " + file, "(all of it: the flags select none)"}
	case s.doc.Total.WaitNs == 0 && !s.hides() && len(s.doc.Findings)+len(s.doc.Resources) > 0:
		parts = []string{"contend analyze --full " + file, "(all that threads wait for)"}
	case s.doc.Total.WaitNs == 0, s.hidesMore():
		parts = s.record()
	case s.leads() && len(s.doc.Findings) == 0 && !s.opts.Full:
		parts = []string{"contend analyze --full " + file, "(all that threads wait for)"}
	case s.counts && len(s.doc.Locks) > 0:
		parts = []string{"contend blame --by lock,waiter-stack " + file}
	case len(s.doc.Locks) > 0:
		top := s.waits[slices.IndexFunc(s.waits, func(w document.Awaited) bool { return w.Of == nil })].Class
		parts = []string{"contend blame --class " + s.pattern(top) + " " + file, "(all its owners)"}
		if !s.opts.Full {
			parts = append(parts, "or contend analyze --full (whole stacks)")
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return s.fill(nextIs, plain, parts...)
}

const nextIs = "next: "

// pattern returns a regular expression for a class that needs no quotes.
func (s *screen) pattern(class string) string {
	name, _, _ := strings.Cut(s.names.Class(class), " ")
	return quoted(strings.NewReplacer("$", ".", "[", ".", "]", ".").Replace(name))
}

// copyWhole is the advice about a file that ends early, as a recording does while it is written.
func (s *screen) copyWhole() string {
	if s.doc.Coverage.Warned(format.CodeTruncated) {
		return "; stop the recording, then copy it whole"
	}
	return ""
}

// record returns a command for a recording with the waits that this one may lack.
func (s *screen) record() []string {
	switch {
	case s.unseenVirtual() > 0:
		return []string{
			"contend jfc --exact > all.jfc,",
			"then record with -XX:StartFlightRecording=settings=all.jfc",
			"(JDK 25 records waits of virtual threads for locks of java.util.concurrent)",
			"or " + dumpToFile,
			"(from JDK 24 on shows those for monitors, too)",
		}
	case s.doc.Coverage.Warned(format.CodeUnlistedThreads):
		return append([]string{dumpToFile}, prose("(has virtual threads, from JDK 24 on with their locks)")...)
	case strings.HasSuffix(s.doc.Trace.Format, format.OfAsyncProfiler) && s.hides():
		return prose("record it with async-profiler's -e lock -o jfr, or with contend record PID")
	case strings.HasPrefix(s.doc.Trace.Format, "jfr") && s.hides():
		return []string{
			"contend jfc > all.jfc,",
			"then record with -XX:StartFlightRecording=settings=all.jfc",
			"(records every wait)",
		}
	case s.native():
		return prose(
			"record it while the program is under load (contend record --perf PID; contend perf-args prints how)",
		)
	case s.names.Paths:
		return prose("record runtime/trace while the program is under load")
	}
	if strings.HasPrefix(s.doc.Trace.Format, "contend") && !s.unitIsThreads {
		return prose("record it while the program is under load, or for longer")
	}
	return prose(
		"take it while the program is under load; contend record PID records a JVM, with --perf a native program",
	)
}

// dumpToFile is the command for a dump with virtual threads.
const dumpToFile = "jcmd PID Thread.dump_to_file $PWD/dump.txt"

// hides reports whether another recording of the same program would show more waits.
func (s *screen) hides() bool {
	return s.unseenVirtual() > 0 || slices.ContainsFunc(s.doc.NotCounted, func(w document.Warning) bool {
		return w.Code == format.CodeNotRecorded || w.Code == format.CodeThreshold
	})
}

// arguments returns the inputs as arguments for a shell.
func (s *screen) arguments() string { return arguments(s.doc.Trace.Inputs, &s.opts) }

func arguments(inputs []string, o *Options) string {
	var names []string
	for _, n := range inputs {
		names = append(names, quoted(n))
	}
	if len(names) > 2 && !o.Full {
		return "TRACE ..."
	}
	for i, n := range names {
		if n == "-" || !o.Full && text.Columns(n) > o.Width-len(nextIs) {
			names[i] = "TRACE" // a shortened name is useless, and a pipe cannot be read again
		}
	}
	return strings.Join(names, " ")
}

var unquoted = regexp.MustCompile(`^[\w./:=@%+,-]+$`)

// quoted quotes an argument for a shell.
func quoted(s string) string {
	if unquoted.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// unranked writes, with --full, the places of waits that may be idle: those of one thread, and those
// in the outermost method of a thread. The places of idle threads follow.
func (s *screen) unranked() (lines []line) {
	list := func(title string, rows []document.Resource, most int, wanted func(*document.Resource) bool) {
		before := len(lines)
		for i := range rows[:min(len(rows), most)] {
			if r := &rows[i]; wanted(r) {
				if len(lines) == before {
					lines = append(lines, line{title, plain})
				}
				w := document.AwaitedPlace(r)
				lines = append(lines, s.block(&w, false)...)
			}
		}
	}
	if s.opts.Full {
		list(
			"Waits that may be idleness: of one "+s.thread+", in its outermost method, or for most of the time",
			s.doc.Resources,
			everything,
			func(r *document.Resource) bool { return r.MayBeIdle(s.doc.ElapsedNs) },
		)
	}
	list(
		"Idle: waits of "+s.thread+"s with nothing to do",
		s.doc.Idle,
		s.most(maxResources),
		func(*document.Resource) bool { return true },
	)
	return lines
}

// elsewhere returns the average number of threads that wait for resources if it exceeds that of
// threads that wait for locks, else 0.
func (s *screen) elsewhere() float64 {
	ns := s.waitNs - s.doc.Total.WaitNs
	if ns <= s.doc.Total.WaitNs || below(ns, worthwhile, s.doc.ElapsedNs) {
		return 0
	}
	return float64(ns) / float64(max(s.doc.ElapsedNs, 1))
}

// leads reports whether most threads wait for resources. Findings, which are about locks, come later
// then.
func (s *screen) leads() bool {
	return len(s.waits) > 0 && s.waits[s.largest()].Of != nil && len(s.doc.Deadlocks) == 0
}

// idle writes the waiting of idle threads, which the totals omit.
func (s *screen) idle() []line {
	t := &s.doc.IdleTotal
	if t.Waiters == 0 || len(s.doc.Idle) > 0 {
		return nil
	}
	what := fmt.Sprintf("%s with nothing to do (--idle lists them)", s.threads(t.WaitNs))
	if t.WaitNs == 1 {
		what = strings.Replace(what, "them", "it", 1)
	}
	if !s.counts {
		what = fmt.Sprintf(
			"%s of idle time in %s (--idle lists it)",
			text.Duration(t.WaitNs),
			s.threads(int64(t.Waiters)),
		)
	}
	return append(s.say("not counted: ", what), s.loop()...)
}

// loop names the largest waiting in an outermost method of threads. They may be idle there, or wait
// for an object of a pool.
func (s *screen) loop() []line {
	if s.opts.Full || s.counts {
		return nil
	}
	var most *document.Resource
	for i := range s.doc.Resources {
		if r := &s.doc.Resources[i]; r.Loop && r.Waiters > 1 && r.Waits > int64(r.Waiters) &&
			(most == nil || r.WaitNs > most.WaitNs) {
			most = r
		}
	}
	if most == nil || below(most.WaitNs, worthwhile, s.doc.ElapsedNs) {
		return nil
	}
	return fill(
		"not counted: ",
		s.opts.Width,
		plain,
		prose(fmt.Sprintf(
			"%s in %s at %s in %s, an outermost method: a pool's, if not idle (--full shows it)",
			text.Duration(
				most.WaitNs,
			),
			s.threads(int64(most.Waiters)),
			s.names.Name(most.What),
			s.names.Name(most.Site),
		))...)
}

// Executors are shown if all of their workers are busy for this part of the time: tasks may wait then.
const saturated = 0.25

// executors returns what the workers of the busiest executors do, for whom tasks wait in a queue.
func (s *screen) executors() (lines []line) {
	for i := range s.doc.Executors {
		e := &s.doc.Executors[i]
		if e.AllBusy < saturated || len(e.Doing) == 0 || i > 0 && !s.opts.Full {
			break
		}
		when := percent(int64(e.AllBusy*1e6), 1e6) + " of the time:"
		if e.Instants > 0 {
			instants := text.Amount(int64(e.Instants), "instant")
			when = fmt.Sprintf("at %.0f of %s:", e.AllBusy*float64(e.Instants), instants)
		}
		pool := s.whole(e.Pool, shortName)
		parts := []string{"all", text.Number(int64(e.Workers)), pool, s.thread + "s", "were", "busy"}
		parts = append(parts, prose(when)...)
		for j := range e.Doing[:min(len(e.Doing), s.most(2))] {
			h := &e.Doing[j]
			at := average(h.Threads) + " " + s.names.Name(h.Site)
			if h.Doing != "" {
				at += ", " + h.Doing
			}
			if j > 0 {
				parts[len(parts)-1] += ";"
			}
			parts = append(parts, prose(at)...)
		}
		lines = append(lines, s.fill("workers: ", plain, parts...)...)
	}
	return lines
}
