package blame

import "slices"

// numbering numbers combinations of ids, all of one length, in order of their first use. There may be
// a million of them: one takes its ids and some six bytes, and has no pointer for the garbage
// collector.
type numbering struct {
	width int
	count int
	last  int      // the last result
	ids   []uint32 // of all combinations, one after the other
	table []int32  // by hash: number, counting from 1; 0 is free
}

// combination returns a combination.
func (n *numbering) combination(number int) []uint32 {
	return n.ids[number*n.width : (number+1)*n.width : (number+1)*n.width]
}

// numberOf returns the number of a combination, a new one if it has none.
func (n *numbering) numberOf(ids []uint32) int {
	if n.last < n.count && slices.Equal(n.combination(n.last), ids) {
		return n.last // most slices equal the last one
	}
	if 4*(n.count+1) > 3*len(n.table) {
		n.grow()
	}
	at := n.find(ids)
	if n.table[at] == 0 {
		n.ids = append(n.ids, ids...)
		n.count++
		n.table[at] = int32(n.count)
	}
	n.last = int(n.table[at]) - 1
	return n.last
}

// number returns the number of a combination; -1 where it has none.
func (n *numbering) number(ids []uint32) int {
	if n.count == 0 {
		return -1
	}
	return int(n.table[n.find(ids)]) - 1
}

// find returns the place of a combination in the table, or of the free one where
// it belongs.
func (n *numbering) find(ids []uint32) int {
	h := uint64(len(ids))
	for _, id := range ids { // as MurmurHash does at its end
		h = (h ^ uint64(id)) * 0xff51afd7ed558ccd
		h ^= h >> 33
	}
	mask := len(n.table) - 1
	at := int(uint32(h)) & mask
	for n.table[at] != 0 && !slices.Equal(n.combination(int(n.table[at])-1), ids) {
		at = (at + 1) & mask
	}
	return at
}

func (n *numbering) grow() {
	n.table = make([]int32, max(2*len(n.table), 16))
	for i := range n.count {
		n.table[n.find(n.combination(i))] = int32(i + 1)
	}
}

// forget drops all combinations.
func (n *numbering) forget() {
	clear(n.table)
	n.ids, n.count = n.ids[:0], 0
}
