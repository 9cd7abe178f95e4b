// Package gate checks traces against rules about lock contention, for a build that must not
// get worse. Its measures come from other packages: pressure and blame from compare, durations of
// waits from locks, findings from findings, and the highest interval from the sums of cube.
//
// The files:
//
//	check.go    compares what rules measure with their limits, and with a baseline
//	convoys.go  which waits are one event, and how sure their durations are
//	doc.go      this map
//	doubt.go    why a trace cannot decide a rule
//	finding.go  rules about findings
//	hidden.go   waiting that is not recorded, and what samples cannot show
//	hint.go     what to record instead, by the kind of input
//	metric.go   what rules measure
//	peak.go     the highest interval
//	rule.go     the text of rules
//	unread.go   what warnings say may be missing
package gate
