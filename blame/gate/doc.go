// Package gate checks traces against rules about lock contention, for a build that must not
// get worse. Its measures come from other packages: pressure and blame from compare, durations of
// waits from locks, findings from findings, and the highest interval from the sums of cube.
package gate
