package layout

import "slices"

// link is an arrow as the ranks see it: the box from leads to a box of a higher
// rank. Where it was turned round, it leads against the arrow.
type link struct {
	arrow, from, to int
	turned          bool
}

// acyclic returns the arrows of one part that lead from box to box, turned
// round where they would close a cycle of those before them.
func acyclic(arrows []Arrow, part []int, which int) (links []link) {
	for i, a := range arrows {
		if a.From == a.To || part[a.From] != which {
			continue
		}
		l := link{i, a.From, a.To, false}
		if reaches(links, a.To, a.From, make([]bool, len(part))) {
			l = link{i, a.To, a.From, true}
		}
		links = append(links, l)
	}
	return links
}

// reaches reports whether links lead from a box to another.
func reaches(links []link, from, to int, seen []bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	return slices.ContainsFunc(links, func(l link) bool {
		return l.from == from && !seen[l.to] && reaches(links, l.to, to, seen)
	})
}

// rank puts each box in a column right of all that lead to it, and so that
// arrows are short. The numbers of boxes of other parts say nothing.
func rank(boxes int, links []link) []int {
	ranks := make([]int, boxes)
	for changed := true; changed; { // as far left as may be
		changed = false
		for _, l := range links {
			if ranks[l.to] <= ranks[l.from] {
				ranks[l.to], changed = ranks[l.from]+1, true
			}
		}
	}
	for changed := true; changed; { // ends: each step makes the arrows shorter in sum
		changed = false
		for box := range ranks {
			for _, by := range []int{1, -1} {
				for shift(box, by, ranks, links) {
					changed = true
				}
			}
		}
	}
	return ranks
}

// shift moves a box by a column, to the right (1) or the left (-1), and with it
// those that stand in its way, if that makes the arrows shorter in sum.
func shift(box, by int, ranks []int, links []link) bool {
	moved := make([]bool, len(ranks))
	push(box, by, ranks, links, moved)
	shorter := 0
	for _, l := range links {
		switch {
		case moved[l.from] && !moved[l.to]:
			shorter += by
		case moved[l.to] && !moved[l.from]:
			shorter -= by
		}
	}
	if shorter <= 0 {
		return false
	}
	for i := range ranks {
		if moved[i] {
			ranks[i] += by
		}
	}
	return true
}

// push marks a box and those that must move with it.
func push(box, by int, ranks []int, links []link, moved []bool) {
	moved[box] = true
	for _, l := range links {
		from, to := l.from, l.to
		if by < 0 {
			from, to = to, from
		}
		if from == box && !moved[to] && ranks[l.to] == ranks[l.from]+1 {
			push(to, by, ranks, links, moved)
		}
	}
}
