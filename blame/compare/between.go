package compare

import "math"

// Two runs of one program differ by more than one run shows of itself: a run is warmed up once,
// and has one machine to itself. The variance between runs is estimated as the moderated t test
// does (Smyth, 2004): a few runs give few degrees of freedom, but the ratio of the variance
// between runs to that within each is much the same for both sides of a row, for the rows of a
// table, and for programs. So each row's own ratio counts beside that of the table, unless it is quite
// another, and this beside what is usual.

// The ratio that single runs are held against, and the degrees of freedom that it stands for. It
// was measured on equal runs of programs, see the README of cmd.
const (
	usualRatio = 3.0
	usualDF    = 12
)

// Between is how much more runs vary than each run shows.
type Between struct{ ratio float64 }

// Usual is what is assumed without several runs.
var Usual = Between{usualRatio}

// rowsDF is the part of the degrees of freedom of rows that counts: the rows of a table vary
// together.
const rowsDF = 0.5

// Rows below a part of the largest tell little of the ratio, and one row does not decide it.
const (
	minorRow = 20
	maxRatio = 10
)

// betweenOf learns the ratio from the rows with several runs, beside what is usual.
func betweenOf(rows []Row) Between {
	sum := usualRatio * usualDF
	df := float64(usualDF)
	most := 0.0
	for i := range rows {
		most = max(most, rows[i].Base.Waiting.Value, rows[i].New.Waiting.Value)
	}
	for i := range rows {
		for _, r := range []*Rate{&rows[i].Base.Waiting, &rows[i].New.Waiting} {
			if ratio, n := r.ratio(); r.Value*minorRow >= most {
				sum, df = sum+rowsDF*n*min(ratio, maxRatio), df+rowsDF*n
			}
		}
	}
	return Between{max(sum/df, 1)}
}

// ratio returns that of the variance between runs to the variance within each, with its degrees of
// freedom, which are 0 if it is not known.
func (r *Rate) ratio() (ratio, df float64) {
	if r.Traces < 2 || r.Within <= 0 || math.IsInf(r.Within, 1) {
		return 0, 0
	}
	return r.Spread * r.Spread / (r.Within * r.Within), float64(r.Traces - 1)
}

// outlier is how many times the ratio of the table the ratio of a row is that differs from it: with three
// runs of each side, chance makes one of a hundred rows exceed it.
const outlier = 6

// Compared returns two rates with the errors that their difference has: those between runs, and
// that of owners that may be wrong.
func (b Between) Compared(one, other Rate) (Rate, Rate) {
	sum, df := 0.0, 0.0
	for _, r := range []*Rate{&one, &other} {
		ratio, n := r.ratio()
		sum, df = sum+n*ratio, df+n
	}
	if sum <= outlier*b.ratio*df || df < minTraces-1 { // else the row's own runs alone count
		sum, df = sum+b.ratio*usualDF, df+usualDF
	}
	runs := math.Sqrt(max(sum/df, 1))
	return one.between(&other, runs, df).withWrong(), other.between(&one, runs, df).withWrong()
}

// between returns a rate with the error between runs, which vary so many times as much as each run
// shows. A row without waiting on one side shows no variation there: it is that of the other side. Where
// runs do not show how much they vary within, their disagreement counts alone.
func (r Rate) between(other *Rate, runs, df float64) Rate {
	within, n := r.Within, math.Sqrt(float64(max(r.Traces, 1)))
	if r.WaitNs == 0 {
		within = max(within, other.Within)
	}
	switch {
	case !math.IsInf(within, 1):
		r.SE, r.DF = runs*within/n, df
	case r.Traces >= minTraces:
		r.SE, r.DF = r.Spread/n, float64(r.Traces-1)
	case other.Traces >= minTraces:
		r.SE, r.DF = other.Spread/n, float64(other.Traces-1)
	default:
		r.SE, r.DF = math.Inf(1), 1
	}
	return r
}

// withWrong adds the error of inferred owners: the waiting that may be others' lies anywhere
// between none and all of it, on either side.
func (r Rate) withWrong() Rate {
	r.SE = math.Hypot(r.SE, r.Wrong/math.Sqrt(3))
	return r
}
