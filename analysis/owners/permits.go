package owners

import (
	"slices"

	"contend/format"
)

// Of several permits that are out at a time each has an owner of its own. Who waited for
// one has it from then on, until its last activity inside ends. Of whom none is seen it
// has it until it is seen elsewhere, but no longer than until others have all of them:
// those who were seen inside, or who waited and got one since.

// permits are those that are out at an instant.
type permits struct {
	most int      // so many there are
	out  []permit // to those who waited, by time
	in   []anchor // who is seen inside
}

// permit is had by a thread that waited for it.
type permit struct {
	anchor       // from when it got it until it is seen elsewhere, with the stack it waited with
	seen   int64 // until when it is seen inside
}

// together charges those who have permits; false where one is out at a time.
func (b *builder) together() bool {
	all, seen := permits{most: b.s.out()}, b.s.seen
	if all.most == 1 {
		return false
	}
	for i := range b.s.acquired {
		a := &b.s.acquired[i]
		for ; len(seen) > 0 && seen[0].start < a.time; seen = seen[1:] {
			all.enter(seen[0])
		}
		b.returned(&all, a.time)
		all.out = append(all.out, permit{anchor{a.time, b.left(a.thread, a.time, maxTime), a.thread, b.ev.wait(a).Stack, Estimated, none}, a.time})
	}
	for _, a := range seen {
		all.enter(a)
	}
	for _, p := range all.out {
		b.had(p, p.end)
	}
	for _, a := range b.s.seen {
		b.emit(b.got(a), a.end, a)
	}
	return true
}

// enter notes that a thread is seen inside. Where that is as many as there are permits,
// nobody else has one.
func (all *permits) enter(a anchor) {
	all.in = entered(all.in, a)
	for i := range all.out {
		p := &all.out[i]
		switch {
		case p.thread == a.thread:
			p.seen = a.end
		case len(all.in) >= all.most && !slices.ContainsFunc(all.in, func(in anchor) bool { return in.thread == p.thread }):
			p.end = min(p.end, a.start)
		}
	}
}

// entered returns who is inside once another one is, each thread once.
func entered(in []anchor, a anchor) []anchor {
	in = slices.DeleteFunc(in, func(o anchor) bool { return o.end <= a.start || o.thread == a.thread })
	return append(in, a)
}

// returned charges the permits that are back when somebody who waited gets one: if
// none is known to be, the one that has been out for longest is.
func (b *builder) returned(all *permits, at int64) {
	all.out = slices.DeleteFunc(all.out, func(p permit) bool {
		if p.end <= at {
			b.had(p, p.end)
		}
		return p.end <= at
	})
	if len(all.out) < all.most {
		return
	}
	if n := slices.IndexFunc(all.out, func(p permit) bool { return p.seen <= at }); n >= 0 {
		b.had(all.out[n], at)
		all.out = slices.Delete(all.out, n, n+1)
	}
}

// had charges a permit that was had until then, unless what is seen inside tells until
// when it was.
func (b *builder) had(p permit, end int64) {
	if p.seen == p.start && p.stack != format.NoStack {
		b.suspect(0, 0, halfway)
		b.emit(p.start, end, p.anchor)
	}
}

// got returns since when a thread has had the permit it was seen to have: since it waited
// for it, if that was promptly before.
func (b *builder) got(a anchor) int64 {
	for k := b.s.after(a.start+1) - 1; k >= 0 && b.s.acquired[k].time > a.start-(a.end-a.start)/promptPart; k-- {
		if b.s.acquired[k].thread == a.thread {
			return b.s.acquired[k].time
		}
	}
	return a.start
}

// out returns how many permits are out at a time, as far as activities inside of
// different threads overlap, but for the tolerance.
func (s *section) out() int {
	var in []anchor
	counts := map[int]int{}
	for _, a := range s.seen {
		in = entered(in, a)
		counts[len(in)]++
	}
	most, more := 1, 0
	for n := range counts {
		most = max(most, n)
	}
	for ; most > 1; most-- {
		if more += counts[most]; float64(more) > tolerance*float64(len(s.seen)) {
			break
		}
	}
	return most
}
