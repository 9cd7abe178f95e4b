package bootstrap

import "math"

// Student returns the quantile p, above one half, of Student's t. For 1 and 2
// degrees of freedom it is exact, for more it inverts Wallace's approximation,
// which is good to 1 % at the usual levels and errs to the safe side.
func Student(df float64, p float64) float64 {
	switch {
	case df < 2:
		return math.Tan(math.Pi * (p - 0.5))
	case df < 3:
		return (2*p - 1) / math.Sqrt(2*p*(1-p))
	}
	w := normal(p) * (8*df + 3) / (8*df + 1)
	return math.Sqrt(df * math.Expm1(w*w/df))
}

// NormalOf turns a value of Student's t, not below 0, into the normal deviate
// of equal probability (Wallace, Annals of Mathematical Statistics 1959).
func NormalOf(t, df float64) float64 {
	return (8*df + 1) / (8*df + 3) * math.Sqrt(df*math.Log1p(t*t/df))
}

// normal returns the quantile p of the normal distribution.
func normal(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// half975 is how many standard errors make half of a 95 % interval when the
// error itself is known exactly.
var half975 = normal(0.975)
