package durations

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/format"
	"contend/golden"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

// distOf returns the distribution of some durations.
func distOf(lengths ...int64) *Distribution {
	d := &Distribution{}
	for _, ns := range lengths {
		d.Record(ns)
	}
	return d
}

// near requires a duration to three significant digits.
func near(t rapid.TB, what string, got, want int64) {
	t.Helper()
	golden.AtMost(t, float64(max(got-want, want-got)), float64(want)*1e-3, what, got, want)
}

func TestEmptyIsZeroEverywhere(t *testing.T) {
	d := distOf()
	if d.Count() != 0 || d.Min() != 0 || d.Max() != 0 || d.Mean() != 0 || d.Percentile(99) != 0 ||
		d.Corrected(1).Count() != 0 {
		t.Errorf("%+v", d)
	}
}

// A short list is exact. At least the given percentage is at or below a percentile, however
// short the list, as in HdrHistogram for Java.
func TestFewLengthsAreExact(t *testing.T) {
	d := distOf(50, 10, 40, 20, 30)
	for q, want := range map[float64]int64{0: 10, 20: 10, 20.1: 20, 40: 20, 50: 30, 60: 30, 70: 40, 80: 40, 81: 50,
		90: 50, 99.99: 50, 100: 50} {
		golden.Equal(t, d.Percentile(q), want, "p", q)
	}
	if d.Mean() != 30 || d.Min() != 10 || d.Max() != 50 {
		t.Errorf("%+v", d)
	}
}

// Percentiles, extremes and mean are those of the raw durations, whether added one by one,
// in multiples or by merging.
func TestEqualsTheRawLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 7, listMax - 1, listMax, 2*listMax + 3}).Draw(t, "n")
		scale := rapid.Float64Range(0, math.Log(float64(Longest))).Draw(t, "scale")
		raw := make([]int64, n)
		var one, left, right Distribution
		for i := range raw {
			raw[i] = max(1, int64(math.Exp(scale)*(1-float64(i*7919%n)/float64(n+1))))
			one.Record(raw[i])
			if i%3 == 0 {
				left.Record(raw[i])
			} else {
				right.RecordN(raw[i], 1)
			}
		}
		left.Merge(&right)
		slices.Sort(raw)
		for _, d := range []*Distribution{&one, &left} {
			for _, q := range []int{5000, 9000, 9900, 9990, 9999, 10000} {
				rank := (n*q + 9999) / 10000 // at or below it lie q hundredths of a per cent
				near(t, "percentile", d.Percentile(float64(q)/100), raw[rank-1])
			}
			if d.Count() != int64(n) || d.Min() != raw[0] || d.Max() != raw[n-1] {
				t.Errorf("%d lengths from %d to %d", d.Count(), d.Min(), d.Max())
			}
			sum := 0.0
			for _, ns := range raw {
				sum += float64(ns)
			}
			if off := float64(d.Mean()) - sum/float64(n); math.Abs(off) > sum/float64(n)*1e-3+1 {
				t.Errorf("mean off by %v", off)
			}
		}
	})
}

// The corrected distribution equals what the library's own rule records, in every bucket,
// for a list and for a histogram.
func TestCorrectionIsTheLibrarysRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Int64Range(0, 50_000_000), 1, 30).Draw(t, "lengths")
		expected := rapid.Int64Range(1_000, 100_000_000).Draw(t, "expected")
		want, got := hdr.New(1, Longest, digits), &Distribution{}
		for _, ns := range raw {
			golden.OK(t, want.RecordCorrectedValue(ns, expected))
			got.AddCorrected(ns, 1, expected)
		}
		if !got.histogram().Equals(want) || got.Count() != want.TotalCount() {
			t.Errorf("%d lengths, want %d", got.Count(), want.TotalCount())
		}
		if later := distOf(raw...).Corrected(expected); !later.histogram().Equals(want) {
			t.Errorf("corrected afterwards: %d lengths, want %d", later.Count(), want.TotalCount())
		}
	})
}

// Tene's own series: 100 s of 1 ms responses every 10 ms, then one stall of
// 100 s. Uncorrected, the 99.99th percentile says 1 ms.
func TestCorrectionOfAKnownSeries(t *testing.T) {
	d := &Distribution{}
	d.RecordN(1e6, 10_000)
	d.Record(100e9)
	c := d.Corrected(10e6)
	golden.Equal(t, c.Count(), 20_000, "lengths")
	near(t, "p99.99 as recorded", d.Percentile(99.99), 1e6)
	near(t, "p50 corrected", c.Percentile(50), 1e6)
	near(t, "p75 corrected", c.Percentile(75), 50e9)
	near(t, "p99.99 corrected", c.Percentile(99.99), 99_980e6)
	near(t, "max", c.Max(), 100e9)
}

// With tiny intervals and huge durations, correction is fast and counts do not overflow.
func TestCorrectionOfTheExtremes(t *testing.T) {
	d := &Distribution{}
	d.AddCorrected(math.MaxInt64, math.MaxInt64, 1)
	d.AddCorrected(math.MaxInt64, 1, math.MaxInt64)
	d.AddCorrected(-5, 1, 10)
	if d.Count() != math.MaxInt64 || d.Max() != math.MaxInt64 || d.Min() != 0 {
		t.Errorf("%d lengths from %d to %d", d.Count(), d.Min(), d.Max())
	}
}

func TestLongerThanADay(t *testing.T) {
	d := distOf(3*Longest, 1)
	d.RecordN(5*Longest, listMax)
	near(t, "p99", d.Percentile(99), Longest)
	golden.Equal(t, d.Max(), 5*Longest, "longest")
}

// Up to some two thousand durations are exact, more have three digits.
func TestHowManyLengthsAreExact(t *testing.T) {
	for n, exact := range map[int]bool{1500: true, 3000: false} {
		var d Distribution
		for range n {
			d.Record(1_234_567)
		}
		d.Record(9_999_999)
		if got := d.Percentile(50); (got == 1_234_567) != exact || got/10_000 != 123 {
			t.Errorf("of %d the median is %d", n, got)
		}
	}
}

// A stamp seven months before the start of its log is absolute, one eighteen months before
// is relative.
func TestWhichStampsCountFromTheStart(t *testing.T) {
	const month, start = int64(30 * 86400e9), int64(1.7e18)
	for before, absolute := range map[int64]bool{7 * month: true, 18 * month: false} {
		l := LogReader{start: start, base: format.NoTime}
		golden.Equal(t, l.absolute(start-before) == start-before, absolute, before/month, "months before")
	}
}

// A curve has five steps to a halving, and thirty halvings at most.
func TestHowFineACurveIs(t *testing.T) {
	for n, want := range map[int64]int{1000: 10*5 + 1, 1 << 40: 30*5 + 1} {
		var d Distribution
		if d.RecordN(1000, n); len(d.Curve()) != want {
			t.Errorf("of %d lengths it has %d points, want %d", n, len(d.Curve()), want)
		}
	}
}

// A histogram has room for the durations so far, and equals one of the full range, however
// it grew.
func TestHistogramsGrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, longest := range []int64{0, 3000, 1e7, 1e10, Longest, 2 * Longest} {
		d, twice, want := &Distribution{}, &Distribution{}, hdr.New(1, Longest, digits)
		for i := range 3 * listMax {
			ns := int64(float64(longest) * math.Pow(rng.Float64(), 8) * float64(i) / (3*listMax - 1))
			d.Record(ns)
			golden.OK(t, want.RecordValue(min(ns, Longest)))
		}
		if room := d.full.HighestTrackableValue(); room >= max(4*longest, 2*listMax) || room < min(d.max, Longest) {
			t.Errorf("room for %d, the longest is %d", room, d.max)
		}
		mean, median := d.Mean(), d.Percentile(50)
		golden.Equal(t, mean, min(int64(want.Mean()), d.max), longest)
		golden.Equal(t, median, min(want.ValueAtQuantile(50), d.max), longest)
		twice.Merge(d)
		twice.Merge(d)
		if twice.Mean() != mean || twice.Percentile(50) != median || twice.Count() != 2*d.Count() {
			t.Errorf("to %d: twice the same has another mean or median", longest)
		}
		if !d.histogram().Equals(want) {
			t.Errorf("to %d: not the histogram of the same lengths", longest)
		}
	}
}

func TestBandsHoldEveryLength(t *testing.T) {
	got := distOf(0, 1, 1, 4, 10, 19, 20).Bands()
	want := []Band{{0, 1, 1}, {1, 2, 2}, {2, 5, 1}, {5, 10, 0}, {10, 20, 2}, {20, 50, 1}}
	golden.Same(t, got, want)
	many := &Distribution{}
	for i := range int64(3 * listMax) {
		many.Record(i * i * i)
	}
	sum := int64(0)
	for _, b := range many.Bands() {
		sum += b.Count
	}
	if sum != many.Count() || distOf().Bands() != nil {
		t.Errorf("%d of %d lengths in bands", sum, many.Count())
	}
	if b := distOf(math.MaxInt64, 1<<62, 100*Longest).Bands(); len(b) == 0 || b[len(b)-1].Count != 2 {
		t.Errorf("lengths of centuries: %v", b)
	}
}

func TestCurveRises(t *testing.T) {
	d := &Distribution{}
	for i := range int64(10_000) {
		d.Record(i * 31)
	}
	c := d.Curve()
	for i := 1; i < len(c); i++ {
		if c[i].Ns < c[i-1].Ns || c[i].Below <= c[i-1].Below {
			t.Fatalf("%v after %v", c[i], c[i-1])
		}
	}
	if c[0].Below != 0 || c[len(c)-1] != (Point{1, d.Max()}) || len(c) < 60 {
		t.Errorf("%d points from %v to %v", len(c), c[0], c[len(c)-1])
	}
	if distOf().Curve() != nil || len(distOf(5).Curve()) == 0 {
		t.Error("the curves of none and of one")
	}
}
