package jfr

import (
	"slices"

	"contend/format"
)

// chunkEvents is a run of events of a chunk, in order: for each wanted event the values that its
// program reads. Keys of the chunk's constants stay keys; the symbols resolve them.
type chunkEvents struct {
	words  []int64
	next   int      // of words to be read
	taken  *program // of the event read last
	events int64    // stepped over
	losses []format.Damage
	last   bool // no events of the chunk follow
}

// batchWords is the approximate number of words in a batch: 128 KB. No event depends on
// where a batch ends.
const batchWords = 1 << 14

// headWords are the words of an event before the values.
const headWords = 3

// isLoss stands in place of a program's number for lost data.
const isLoss = -1

func (b *chunkEvents) clear() {
	*b = chunkEvents{words: b.words[:0], losses: b.losses[:0]}
}

// appendEvent adds an event: the number of its program, its times, and its values.
func (b *chunkEvents) appendEvent(p *program, h *header, v *values) {
	start, n := h.timeOf(v[slotStart]), len(b.words)
	b.words = slices.Grow(b.words, headWords+len(p.takes))[:n+headWords+len(p.takes)]
	w := b.words[n:]
	w[0] = int64(p.number)
	w[1] = start
	w[2] = plus(start, max(h.nanos(v[slotDuration]), 0))
	w = w[headWords:]
	for i, s := range p.takes {
		w[i] = v[s]
	}
}

// lose adds bytes that cannot be read.
func (b *chunkEvents) lose(d format.Damage) {
	b.words = append(b.words, isLoss, int64(len(b.losses)))
	b.losses = append(b.losses, d)
}

// readHead reads the head of the next event: its program and times, or the number of a loss.
func (b *chunkEvents) readHead(m *metadata, v *values) (p *program, start, end int64) {
	w := b.words[b.next:]
	if w[0] == isLoss {
		b.next += 2
		return nil, w[1], 0
	}
	if p = m.numbered[w[0]]; p != b.taken { // else the same values are taken
		*v, b.taken = values{}, p
	}
	start = w[1]
	end = w[2]
	w = w[headWords:]
	for i, s := range p.takes {
		v[s] = w[i]
	}
	b.next += headWords + len(p.takes)
	return p, start, end
}
