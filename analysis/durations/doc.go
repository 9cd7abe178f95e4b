// Package durations holds distributions of durations: percentiles to three significant digits,
// correction for coordinated omission, and the log formats of HdrHistogram. It knows
// nothing of locks. A large distribution does not distinguish durations above a day.
package durations
