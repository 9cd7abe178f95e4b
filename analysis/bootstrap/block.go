package bootstrap

import "math"

// blockLength chooses the length of the bootstrap's blocks, in cells, for a series of
// deviations from the mean. It is the rule of Politis and White (Econometric Reviews 2004,
// corrected by Patton, Politis and White, 2009) for the circular block bootstrap:
//
//  1. find the lag m after which the autocorrelation is insignificant for K lags in a row;
//  2. estimate the spectral density at 0, g, and its curvature, G, from the first 2m lags,
//     under a flat-top window;
//  3. b = (2 G² / (4/3 g²))^(1/3) n^(1/3), at maxLag 3√n and n/3.
func blockLength(z []float64) int {
	n := len(z)
	if n < 9 {
		return 1
	}
	limit := int(math.Ceil(min(3*math.Sqrt(float64(n)), float64(n)/3)))
	run := max(5, int(math.Sqrt(math.Log10(float64(n)))))
	maxLag := min(2*limit+run, n-1)
	variance := autocovariance(z, 0)
	if variance <= 0 {
		return 1
	}
	window := min(2*max(lastSignificant(z, variance, run, maxLag), 1), maxLag)
	g, curve := variance, 0.0
	for k := 1; k <= window; k++ {
		w, cov := flatTop(float64(k)/float64(window)), autocovariance(z, k)
		g += 2 * w * cov
		curve += 2 * w * float64(k) * cov
	}
	if g <= 0 {
		return 1 // deviations cancel out: blocks would only hide it
	}
	b := math.Cbrt(2 * curve * curve / (4.0 / 3 * g * g) * float64(n))
	return min(max(int(math.Ceil(b)), 1), limit)
}

// lastSignificant returns the smallest lag after which run autocorrelations in a row are
// within two standard errors of 0; lags go up to maxLag. For most series it is one of the
// first lags, and the others are not computed.
func lastSignificant(z []float64, variance float64, run, maxLag int) int {
	n := float64(len(z))
	bound := 2 * math.Sqrt(math.Log10(n)/n) * variance
	quiet := 0
	for k := 1; k <= maxLag; k++ {
		if math.Abs(autocovariance(z, k)) >= bound {
			quiet = 0
			continue
		}
		if quiet++; quiet == run {
			return k - run
		}
	}
	return maxLag - quiet
}

// flatTop is 1 up to half of the window and falls to 0 at its end.
func flatTop(t float64) float64 {
	if t <= 0.5 {
		return 1
	}
	return 2 * (1 - t)
}

// autocovariance returns the autocovariance at a lag of a series with mean 0.
func autocovariance(z []float64, lag int) float64 {
	sum := 0.0
	for i, before := range z[:len(z)-lag] {
		sum += z[lag+i] * before
	}
	return sum / float64(len(z))
}
