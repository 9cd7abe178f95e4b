package golden

import (
	"contend/format"
	"contend/format/simulate"

	"pgregory.net/rapid"
)

// RandomProgram draws a program, a random one more often than each of the scenarios.
func RandomProgram(t *rapid.T) simulate.Config {
	names, _ := simulate.Scenarios()
	return simulate.Config{
		Scenario: rapid.SampledFrom(append(names, "random", "random")).Draw(t, "scenario"),
		Threads:  rapid.IntRange(1, 9).Draw(t, "threads"),
		Locks:    rapid.IntRange(1, 5).Draw(t, "locks"),
		Duration: rapid.Int64Range(1e6, 200e6).Draw(t, "duration"),
		Period:   rapid.Int64Range(1e5, 1e7).Draw(t, "period"),
		Handoff:  rapid.Int64Range(0, 5000).Draw(t, "handoff"),
		Seed:     rapid.Uint64().Draw(t, "seed"),
	}
}

// RandomTrace runs a random program, for laws that hold on any trace, and returns the trace
// of the exact or of the sampling recorder.
func RandomTrace(t *rapid.T) *format.List {
	var exact, sampled format.List
	if _, err := simulate.Run(RandomProgram(t), &exact, &sampled); err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "sampled") {
		return &sampled
	}
	return &exact
}
