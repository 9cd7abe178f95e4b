package compare

import "math"

// Two runs of one program differ by more than one run shows of itself: a run is warmed up once,
// and has one machine to itself. The variance between runs is estimated as the moderated t test
// does (Smyth, 2004): a few runs give few degrees of freedom, but the ratio of the variance
// between runs to that within each is much the same for the rows of a table, and for programs.

// The ratio that single runs are held against, and the degrees of freedom that it stands for. It
// was measured on equal runs of programs, see the README of cmd.
const (
	usualRatio = 2.0
	usualDF    = 12
)

// Between is how much more runs vary than each run shows.
type Between struct{ ratio float64 }

// Usual is what is assumed without several runs.
var Usual = Between{usualRatio}

// rowsDF is the part of the degrees of freedom of rows that counts: the rows of a table vary
// together.
const rowsDF = 0.5

// betweenOf learns the ratio from the rows with several runs, beside what is usual.
func betweenOf(rows []Row) Between {
	sum, df, most := usualRatio*usualDF, float64(usualDF), 0.0
	for i := range rows {
		most = max(most, rows[i].Base.Waiting.Value, rows[i].New.Waiting.Value)
	}
	for i := range rows {
		for _, r := range []*Rate{&rows[i].Base.Waiting, &rows[i].New.Waiting} {
			if r.Traces < minTraces || r.Within <= 0 || math.IsInf(r.Within, 1) || r.Value*minorRow < most {
				continue
			}
			n := rowsDF * float64(r.Traces-1)
			sum, df = sum+n*min(r.Spread*r.Spread/(r.Within*r.Within), maxRatio), df+n
		}
	}
	return Between{max(sum/df, 1)}
}

// Rows below a part of the largest tell little of the ratio, and one row does not decide it.
const (
	minorRow = 20
	maxRatio = 10
)

// Compared returns two rates with the errors that their difference has: those between runs, and
// that of owners that may be wrong.
func (b Between) Compared(one, other Rate) (Rate, Rate) {
	x, y := b.run(&one, &other), b.run(&other, &one)
	return x.withWrong(), y.withWrong()
}

// run returns a rate with the error between runs. A side with few runs varies at least as much as
// each run of the other does.
func (b Between) run(r, other *Rate) Rate {
	out := *r
	if r.Traces == 0 {
		return out
	}
	variance, df := b.variance(r)
	if r.Traces < minTraces && other.Traces >= minTraces {
		if v, d := b.variance(other); v > variance || math.IsInf(variance, 1) {
			variance, df = v, d
		}
	}
	se := math.Sqrt(variance / float64(r.Traces))
	if math.IsInf(r.SE, 1) || se > r.SE {
		out.SE, out.DF = se, df
	}
	return out
}

// variance returns that of a single run, and its degrees of freedom; infinite if unknown.
func (b Between) variance(r *Rate) (v, df float64) {
	within, known := b.ratio*r.Within*r.Within, !math.IsInf(r.Within, 1)
	switch {
	case r.Traces < minTraces && !known:
		return math.Inf(1), 1
	case r.Traces < minTraces:
		return within, usualDF
	case !known:
		return r.Spread * r.Spread, float64(r.Traces - 1)
	}
	df = float64(r.Traces - 1)
	return (usualDF*within + df*r.Spread*r.Spread) / (usualDF + df), usualDF + df
}

// withWrong adds the error of inferred owners: the waiting that may be others' lies anywhere
// between none and all of it, on either side.
func (r Rate) withWrong() Rate {
	r.SE = math.Hypot(r.SE, r.Wrong/math.Sqrt(3))
	return r
}
