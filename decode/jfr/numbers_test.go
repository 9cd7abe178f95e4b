package jfr

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"contend/format"
	"contend/golden"
)

const us, ms = int64(1e3), int64(1e6)

// Two hundred wakings of other locks may lie between a park's own and its end; with
// three hundred it is given up.
func TestHowManyWakingsAreTried(t *testing.T) {
	for others, want := range map[int]int{200: 0, 300: -1} {
		unparks := []unpark{{at: ms, thread: 2, release: release{family: 1}}}
		for i := range others {
			unparks = append(unparks, unpark{at: 2*ms + int64(i), thread: 2, release: release{family: 2}})
		}
		golden.Equal(
			t,
			match([]endedPark{{start: 0, end: 10 * ms, thread: 1, family: 1}}, unparks, nil)[0],
			want,
			"behind",
			others,
			"others: waking",
		)
	}
}

// A place is the home of a lock that was released there five times, with no more
// than a quarter of others.
func TestWhereALockIsAtHome(t *testing.T) {
	for _, c := range []struct {
		times, others int
		home          bool
	}{{4, 0, false}, {6, 0, true}, {8, 2, true}, {7, 3, false}} {
		var parks []endedPark
		var unparks []unpark
		var found []int
		for i := range c.times + c.others {
			lock := format.ObjectID(1)
			if i >= c.times {
				lock = format.ObjectID(i + 2)
			}
			parks, unparks, found = append(
				parks,
				endedPark{lock: lock},
			), append(
				unparks,
				unpark{stack: 5},
			), append(
				found,
				i,
			)
		}
		_, home := sitesOfLocks(parks, unparks, found)[5]
		golden.Equal(t, home, c.home, c.times, "releases", c.others, "of others: at home")
	}
}

// Who parks again for the same lock within a tenth of a millisecond was too late.
func TestHowSoonOneParksAgain(t *testing.T) {
	for gap, again := range map[int64]bool{80 * us: true, 150 * us: false} {
		parks := []endedPark{
			{start: 0, end: ms, thread: 1, lock: 1},
			{start: ms + gap, end: 2 * ms, thread: 1, lock: 1},
		}
		golden.Equal(t, triedAgain(parks)[0] != 0, again, gap, "later")
	}
}

// With one wait a hundred dumps are compared, and of two hundred the last is not: it
// keeps its time.
func TestHowManyDumpsAreCompared(t *testing.T) {
	for dumps, want := range map[int]int64{100: 800*ms + 500*us, 200: 500 * us} {
		var d dumpTimes
		var queue format.Queue
		d.observe(recordedWait{800 * ms, 900 * ms, 1, 0, stateSleeps})
		for range dumps {
			d.dumps.list = append(
				d.dumps.list,
				undatedDump{
					threads: []observation{{thread: 1, state: stateSleeps}},
					locks:   []format.Event{{Kind: format.KindContention}},
				},
			)
		}
		d.advance(true, &queue)
		var ev format.Event
		told := 0
		for queue.Pop(&ev) {
			told++
		}
		golden.Equal(t, told, dumps, "dumps")
		golden.Equal(t, ev.Time, want, "the last of", dumps, "dumps is taken at")
	}
}

// A damaged recording is told of up to some sixteen times.
func TestHowManyWarningsThereAre(t *testing.T) {
	for damages, all := range map[int]bool{12: true, 20: false} {
		var r Reader
		for range damages {
			r.lost(format.Damage{Code: "damage"})
		}
		golden.Equal(t, len(r.said.Warnings) == damages, all, len(r.said.Warnings), damages)
	}
}

// The instant until which one parks is in milliseconds.
func TestUntilIsInMilliseconds(t *testing.T) {
	for end, late := range map[int64]bool{600 * ms: false, 1000 * ms: true} {
		golden.Equal(
			t,
			new(Reader).timedOut(&values{slotUntil: 1000}, &format.Event{End: end}),
			late,
			"parked until",
			end,
			"late",
		)
	}
}

// A name in Latin-1 is no UTF-8, though its bytes might be some.
func TestNamesInLatin1(t *testing.T) {
	for _, c := range []struct {
		encoding byte
		bytes    string
		want     string
		plain    bool // as it stands there
	}{
		{stringUTF8, "Bärlauch", "Bärlauch", true},
		{stringLatin1, "Barbe", "Barbe", true},
		{stringLatin1, "B\xe4rlauch", "Bärlauch", false},
		{stringLatin1, "Caf\xc3\xa9", "CafÃ©", false},
		{stringUTF8, "Caf\xe9", "Caf\uFFFD", false},
	} {
		data := append([]byte{c.encoding, byte(len(c.bytes))}, c.bytes...)
		fast := cursor{buf: data, compressed: true}
		encoding, b, _ := fast.raw()
		if plain := plain(encoding, b); plain != c.plain || plain && string(b) != c.want {
			t.Errorf("%d %q: as it is %v, %q", c.encoding, c.bytes, plain, b)
		}
		slow := cursor{buf: data, compressed: true}
		golden.Equal(t, slow.str(nil), c.want, c.encoding, c.bytes)
	}
}

func TestWideIntegers(t *testing.T) {
	for shift := range 64 {
		for _, v := range []uint64{1 << shift, 1<<shift - 1, 0xdead_beef_cafe_f00d >> shift} {
			var enc []byte
			rest := v
			for len(enc) < 8 && rest >= 0x80 {
				enc = append(enc, byte(rest)|0x80)
				rest >>= 7
			}
			enc = append(enc, byte(rest))
			for _, pad := range []int{0, 9} { // both the careful and the quick way
				c := cursor{buf: append(bytes.Clone(enc), bytes.Repeat([]byte{0xff}, pad)...), compressed: true}
				if got := c.long("v"); uint64(got) != v || c.off != len(enc) || c.err != nil {
					t.Fatalf("%x: %x, %d of %d bytes: %v", v, got, c.off, len(enc), c.err)
				}
			}
		}
	}
	c := cursor{buf: []byte{0xff, 0xff}, compressed: true}
	if c.long("v"); !errors.Is(c.err, format.ErrTruncated) {
		t.Error(c.err)
	}
}

// Integers are passed over together, of any length, as they are one by one.
func TestIntegersArePassedOver(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var buf []byte
		n := random.IntN(100)
		longest := random.IntN(64) + 1
		for range n {
			rest := random.Uint64() >> (64 - 1 - random.IntN(longest))
			for k := 0; k < 8 && rest >= 0x80; k++ {
				buf = append(buf, byte(rest)|0x80)
				rest >>= 7
			}
			buf = append(buf, byte(rest))
		}
		end := len(buf)
		for range random.IntN(20) {
			buf = append(buf, byte(random.Uint32()))
		}
		c := cursor{buf: buf, compressed: true}
		if c.skipLongs(n); c.off != end || c.err != nil {
			t.Fatalf("%d integers: %d of %d bytes: %v (%x)", n, c.off, end, c.err, buf)
		}
		cut := cursor{buf: buf[:max(end-1, 0)], compressed: true}
		if cut.skipLongs(n); n > 0 && !errors.Is(cut.err, format.ErrTruncated) {
			t.Fatalf("%d integers, cut: %d of %d bytes: %v (%x)", n, cut.off, end-1, cut.err, buf)
		}
	}
}
