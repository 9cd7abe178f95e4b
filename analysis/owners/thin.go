package owners

// leastPart is the part of a stretch, one in so many, that is charged alone. The
// model knows sums, and little of single stretches; but each piece costs the same
// all the way to the reports, and half of them would be shorter than a
// microsecond.
const leastPart = 32

// dues are what parts of earlier stretches of a lock are still to be charged, in
// ns by call site, since they were too short then.
type dues struct {
	own, free   [1]int64
	met, others []int64
}

// thin makes few parts of a stretch: its first owner's, by call site what was met
// and what others had after it, and free time. What is too short the longest part
// has, until it is long enough with what was put off before. Room tells how long
// the first owner may have had it, which was seen elsewhere then.
func (d *dues) thin(own int64, met, others []int64, free int64, room func() int64) (ownNow, freeNow int64) {
	d.met, d.others = withRoom(d.met, len(met)), withRoom(d.others, len(others))
	first, rest := [1]int64{own}, [1]int64{free}
	parts := [...][]int64{met, others, rest[:], first[:]}
	due := [...][]int64{d.met, d.others, d.free[:], d.own[:]}
	var sums [len(parts)]int64
	length, longest := int64(0), 0
	for i := range parts {
		sums[i] = sum(parts[i])
		length += sums[i]
		if sums[i] > sums[longest] && (i < len(parts)-1 || room() >= length) {
			longest = i
		}
	}
	if sums[longest] == 0 {
		return own, free
	}
	to := greatest(parts[longest])
	for i := range parts {
		if i == longest || sums[i] == 0 {
			continue
		}
		part := parts[i]
		if (sums[i]+sum(due[i]))*leastPart < length {
			putOff(part, due[i], to)
			continue
		}
		most := *to / 2 // the rest later
		if i == len(parts)-1 && d.own[0] > 0 {
			most = max(min(most, room()-own), 0)
		}
		pay(part, due[i], to, most)
	}
	return first[0], rest[0]
}

// putOff gives a part to the longest one.
func putOff(part, due []int64, longest *int64) {
	for s, ns := range part {
		due[s], *longest, part[s] = due[s]+ns, *longest+ns, 0
	}
}

// pay charges what was put off, instead of so much of the longest part at most.
func pay(part, due []int64, longest *int64, most int64) {
	for s := range part {
		ns := min(due[s], most)
		most -= ns
		due[s], *longest, part[s] = due[s]-ns, *longest-ns, part[s]+ns
	}
}

// copy makes them those of others.
func (d *dues) copy(from *dues) {
	*d = dues{from.own, from.free, append(d.met[:0], from.met...), append(d.others[:0], from.others...)}
}

// withRoom makes a list at least so long.
func withRoom(list []int64, n int) []int64 {
	for len(list) < n {
		list = append(list, 0)
	}
	return list
}

// greatest returns the place of the greatest of a list.
func greatest(list []int64) *int64 {
	at := &list[0]
	for i := range list {
		if list[i] > *at {
			at = &list[i]
		}
	}
	return at
}
