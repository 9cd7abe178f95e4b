package moved

import (
	"math"
	"strings"
	"testing"

	"contend/format"
)

// linksOf returns the number of links between epochs. Each word is an epoch, each letter a
// wait for a lock. byChance is the probability of a collection between two epochs.
func linksOf(text string, byChance float64) int {
	f, at := &family{}, int64(0)
	const gap = 1000
	c := &collections{rate: -math.Log(1-byChance) / gap}
	for epoch := range strings.FieldsSeq(text) {
		for _, lock := range epoch {
			at++
			f.seen = append(f.seen, waitEnd{at: at, lock: format.ObjectID(lock)})
		}
		c.pauses = append(c.pauses, Pause{at + 1, at + 1})
		at += gap - 1
	}
	return len(f.links(c))
}

// A moving lock is distinguished from several that follow each other by how often they
// appear in one epoch, and by the probability of that by chance.
func TestWhatALockThatMovesShows(t *testing.T) {
	const four = "AAAAAAAAAA BBBBBBBBBB CCCCCCCCCC DDDDDDDDDD EEEEEEEEEF FFFFFFFFFF" // goes on to another once, without a collection
	for _, c := range []struct {
		name     string
		epochs   string
		byChance float64
		want     int
	}{
		{"six share an epoch with another", "AAAA BBBB", 0.01, 0},
		{"ten", "AAAAAA BBBBBB", 0.01, 1},
		{"four fifths are of one", "AAAAxyAAAA BBBBzwBBBB", 0.01, 1},
		{"two thirds are", "AAAAxyzuvAAAAAA BBBBwrstqBBBBBB", 0.01, 0},
		{"four of five", "AAAAAAAA BBxBB", 0.01, 1},
		{"three of four", "AAAAAAAAAA BBxB", 0.01, 0},
		{"3.5 % by chance", "AAAAAA BBBBBB", 0.035, 1},
		{"7 % by chance", "AAAAAA BBBBBB", 0.07, 0},
		{"one of four links by chance would be one in eight", four, 0.13, 4},
		{"one in five", four, 0.22, 0},
	} {
		if got := linksOf(c.epochs, c.byChance); got != c.want {
			t.Errorf("%s: %d links, want %d", c.name, got, c.want)
		}
	}
}
