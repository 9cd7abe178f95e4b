package screen

import (
	"strings"
	"testing"

	"contend/report/document"
)

// freeLock is a trace in which a lock is free while its threads wait, with
// warnings.
func freeLock(expected float64, codes ...string) *document.Analyze {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	a.Locks[0].Owners = []document.LockOwner{{Site: "[handoff]", WaitNs: 1e9, Share: 1, Provenance: document.Provenance{EstimatedNs: 1e9}}}
	a.Coverage.Calibration = &document.Calibration{Provenance: []document.ExpectedProvenance{{Name: "estimated", ExpectedRight: &expected}}}
	for _, code := range codes {
		a.Coverage.Warnings = append(a.Coverage.Warnings, document.Warning{Code: code, Text: code})
	}
	return a
}

// That a lock is taken too often is said where the evidence is for it.
func TestAdviceIsAsSureAsItsEvidence(t *testing.T) {
	instant := freeLock(0.9)
	instant.Coverage.Unit = "threads"
	for name, c := range map[string]struct {
		a    *document.Analyze
		want string
	}{
		"known well":         {freeLock(0.9), "-> It is taken too often"},
		"known badly":        {freeLock(0.5), "-> It may be taken too often"},
		"short waits hidden": {freeLock(0.9, "threshold"), "-> It may be taken too often"},
		"no processor free":  {freeLock(0.9, "saturated"), "-> No processor was idle: run fewer threads"},
		"one instant":        {instant, "-> At this instant nobody has it"},
	} {
		if text := shown(t, c.a, Options{}); !strings.Contains(text, c.want) {
			t.Errorf("%s: want %q:\n%s", name, c.want, text)
		}
	}
}

// What perf recorded has no thread dumps, in a contend trace made of it neither.
func TestAdviceForNativeProgramsIsAboutPerf(t *testing.T) {
	for code, want := range map[string]string{"spinning": "record for longer", "threshold": "record with thread dumps"} {
		a := freeLock(0.9, code)
		a.Locks[0].Owners[0].Site = "[unknown owner]"
		if text := shown(t, a, Options{}); !strings.Contains(text, "-> See who holds it: "+want) {
			t.Errorf("%s: want %q:\n%s", code, want, text)
		}
	}
}

// Callers of a part of the waiting are not named as those of all of it.
func TestCallersOfAPartAreNotNamed(t *testing.T) {
	log := func(parts ...document.Callers) document.LockOwner {
		o := document.LockOwner{Site: "Log.line:1", WaitNs: 100, Callers: parts}
		return o
	}
	both := document.Callers{Sites: []string{"Web.handle:5", "Web.get:7"}, WaitNs: 50}
	other := document.Callers{Sites: []string{"Web.handle:5", "Web.put:9"}, WaitNs: 45}
	for _, c := range []struct {
		owner document.LockOwner
		want  string
	}{
		{log(both, other), "Web.handle:5"},
		{log(both), ""},
		{log(document.Callers{Sites: both.Sites, WaitNs: 85}), "Web.handle:5 Web.get:7"},
		{log(), ""},
	} {
		if got := strings.Join(usual(&c.owner), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Where virtual threads may have waited for longer than all that is seen, the
// answer does not say that all is well.
func TestHiddenVirtualThreadsComeFirst(t *testing.T) {
	a := freeLock(0.9)
	w := document.Warning{Code: "virtual-threads", Text: "of 40 virtual threads no waits are recorded ('contend jfc --exact' makes them)", HiddenNs: 5e9}
	a.Coverage.Warnings, a.NotCounted = append(a.Coverage.Warnings, w), []document.Warning{w}
	text := shown(t, a, Options{})
	if !strings.Contains(text, "-> Most waiting may not be recorded") || !strings.Contains(text, "next: contend jfc --exact") {
		t.Error(text)
	}
}
