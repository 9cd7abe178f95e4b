package screen

import (
	"fmt"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// freeLock is a trace in which a lock is free while its threads wait, with
// warnings.
func freeLock(expected float64, codes ...string) *document.Analyze {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	a.Locks[0].Owners = []document.Owner{
		{
			Site:       "[handoff]",
			WaitNs:     1e9,
			Share:      1,
			Provenance: document.Provenance{InferredNs: 1e9, RightNs: int64(1e9 * expected)},
		},
	}
	a.Locks[0].Provenance = a.Locks[0].Owners[0].Provenance
	for _, code := range codes {
		a.Coverage.Warnings = append(a.Coverage.Warnings, document.Warning{Code: code, Text: code})
	}
	return a
}

// heldLock is one in which somebody has the lock while others wait.
func heldLock(expected float64) *document.Analyze {
	a := freeLock(expected)
	a.Locks[0].Owners[0].Site = "Shop.pay:3"
	return a
}

// That a lock is taken too often is said where the evidence is for it.
func TestAdviceIsAsSureAsItsEvidence(t *testing.T) {
	recorders := heldLock(0.9)
	recorders.Locks[0].Class = "jdk.jfr.internal.PlatformRecorder"
	byDefault := heldLock(0.9) // the owner is said to be where all wait: nothing is seen of it
	byDefault.Locks[0].Waiting[0].Site = byDefault.Locks[0].Owners[0].Site
	instant := freeLock(0.9)
	instant.Coverage.Unit = "threads"
	dumped := heldLock(0.5)
	dumped.Coverage.Calibration = &document.Calibration{Dumps: 1871}
	noOwner := heldLock(0.9)
	noOwner.Coverage.Unit, noOwner.Locks[0].Owners[0].Site = "threads", unknownOwner
	for name, c := range map[string]struct {
		a    *document.Analyze
		want string
	}{
		"has dumps":          {dumped, "enough: its thread dumps show too little, record for longer"},
		"is a dump":          {noOwner, "-> Its owner is not known: take the dump of all threads"},
		"known well":         {freeLock(0.9), "-> It is taken too often"},
		"known badly":        {freeLock(0.5), "-> It may be taken too often"},
		"short waits hidden": {freeLock(0.9, "threshold"), "-> It may be taken too often"},
		"no processor free":  {freeLock(0.9, "saturated"), "-> No processor was idle: run fewer threads"},
		"one instant":        {instant, "-> At this instant no thread holds it"},
		"held, known well":   {heldLock(0.9), "-> Do less in Shop.pay:3 while it holds"},
		"held, known badly":  {heldLock(0.5), "-> Which section holds it longest is not known well enough: record"},
		"where all wait":     {byDefault, "-> Which section holds it longest is not known well enough: record"},
		"the recorder's":     {recorders, "-> It is the flight recorder's own"},
	} {
		golden.Holds(golden.Labelled(t, name), strings.Join(strings.Fields(shown(t, c.a, Options{})), " "), c.want)
	}
}

// What perf recorded has no thread dumps, in a contend trace made of it neither.
func TestAdviceForNativeProgramsIsAboutPerf(t *testing.T) {
	for code, want := range map[string]string{"spinning": "record for longer",
		"threshold": "record with thread dumps"} {
		a := freeLock(0.9, code)
		a.Locks[0].Owners[0].Site = "[unknown owner]"
		golden.Holds(golden.Labelled(t, code), shown(t, a, Options{}), "-> Its owner is not known: "+want)
	}
}

// Callers of a part of the waiting are not named as those of all of it.
func TestCallersOfAPartAreNotNamed(t *testing.T) {
	log := func(parts ...document.Callers) document.Owner {
		o := document.Owner{Site: "Log.line:1", WaitNs: 100, Callers: parts}
		return o
	}
	both := document.Callers{Sites: []string{"Web.handle:5", "Web.get:7"}, WaitNs: 50}
	other := document.Callers{Sites: []string{"Web.handle:5", "Web.put:9"}, WaitNs: 45}
	for _, c := range []struct {
		owner document.Owner
		want  string
	}{
		{log(both, other), "Web.handle:5"},
		{log(both), ""},
		{log(document.Callers{Sites: both.Sites, WaitNs: 85}), "Web.handle:5 Web.get:7"},
		{log(), ""},
	} {
		golden.Equal(t, strings.Join(usual(&c.owner), " "), c.want)
	}
}

// Where virtual threads may have waited for longer than all that is seen, the
// answer does not say that all is well.
func TestHiddenVirtualThreadsComeFirst(t *testing.T) {
	a := freeLock(0.9)
	w := document.Warning{
		Code:   "virtual-threads",
		Text:   "of 40 virtual threads no waits are recorded",
		Hint:   "'contend jfc --exact' makes them",
		Hidden: 5e9,
	}
	a.Coverage.Warnings, a.NotCounted = append(a.Coverage.Warnings, w), []document.Warning{w}
	text := shown(t, a, Options{})
	golden.Holds(t, text, "-> Most waiting may not be recorded", "next: contend jfc --exact")
}

// Where the biggest holder has a lock for less than half of the waiting, the next
// ones stand beside it.
func TestOneHolderOfManyIsNoAnswer(t *testing.T) {
	owner := func(site string, ns int64) document.Owner {
		return document.Owner{
			Site:       site,
			WaitNs:     ns,
			Provenance: document.Provenance{InferredNs: ns, RightNs: ns * 6 / 10},
		}
	}
	a := service(3, "Cart", func(i int) string { return fmt.Sprintf("Shop.checkout:%d", i) })
	for i := range a.Locks {
		a.Locks[i].Waiting = append(a.Locks[i].Waiting, document.Site{Site: "Shop.refund:9"})
	}
	a.Locks[0].Owners = []document.Owner{
		owner("Shop.pay:1", 4e8),
		owner("[handoff]", 5e7),
		owner("Shop.ship:2", 3e8),
		owner("Shop.refund:3", 2e8),
	}
	a.NotCounted = []document.Warning{{Code: "hidden", Text: strings.Repeat("much of it ", 30)}}
	golden.Holds(t, shown(t, a, Options{}), "30 % Shop.ship:2 (inferred, 60 %)", "-> No single holder")
}

// An owner that is wrong more often than twice of three times is not named, and gets no
// advice: together they are not known.
func TestAnUnlikelyOwnerIsNotNamed(t *testing.T) {
	owner := func(site string, ns, right int64) document.Owner {
		return document.Owner{
			Site:       site,
			WaitNs:     ns,
			Provenance: document.Provenance{InferredNs: ns, RightNs: right},
		}
	}
	a := service(1, "Cart", func(int) string { return "Shop.checkout:0" })
	a.Locks[0].Owners = []document.Owner{
		owner("Shop.pay:1", 5e8, 17e7),
		owner("Shop.ship:2", 3e8, 9e7),
		owner("Shop.refund:3", 2e8, 7e7),
	}
	text := shown(t, a, Options{})
	golden.Holds(
		t,
		text,
		"80 % not known from the trace\n",
		"20 % Shop.refund:3 (inferred, 35 %)",
		"-> Its owner is not known: record with thread dumps",
	)
	golden.Lacks(t, text, "Shop.pay", "Shop.ship")
}

// Where nobody is seen taking a lock, its holder shows as all that is called inside: the
// method that is in all of it, and was seen with the lock itself, is who to blame.
func TestAllThatOneMethodCallsIsOneHolder(t *testing.T) {
	owner := func(ns int64, site string, callers ...string) document.Owner {
		return document.Owner{
			Site:       site,
			WaitNs:     ns,
			Provenance: document.Provenance{SampledNs: ns},
			Callers:    []document.Callers{{Sites: callers, WaitNs: ns}},
		}
	}
	for itself, want := range map[int64]string{
		1e8: "-> What Catalog.refresh:35 calls holds it longest: do less there",
		1e7: "-> What Catalog.fetch:36 calls holds it longest: do less there",
	} {
		a := service(1, "Catalog", func(int) string { return "Catalog.get:34" })
		a.Locks[0].Owners = []document.Owner{
			owner(4e8, "Catalog.fetch:36", "Catalog.refresh:39", "Main.run:1"),
			owner(4e8, "Clock.burn:8", "Catalog.fetch:37", "Catalog.refresh:39", "Main.run:1"),
			owner(itself, "Catalog.refresh:35", "Main.run:1"),
			owner(1e8-itself, "Catalog.get:34", "Main.run:2"),
		}
		golden.Holds(t, strings.Join(strings.Fields(shown(t, a, Options{})), " "), want)
	}
}

// One dump tells who had a lock at an instant, which is no reason to mend that.
func TestOneDumpIsOneInstant(t *testing.T) {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	a.Coverage.Unit = "threads"
	a.Coverage.Warnings = []document.Warning{{Code: "single-dump", Text: "one thread dump counts threads"}}
	golden.Holds(t, shown(t, a, Options{}), "-> At this instant Shop.checkout:12 holds it", "doubt: one thread dump")
}

// Of two locks of one class a finding says by where they are taken which it means.
func TestTheOtherLockIsNamedAsAmongTheLocks(t *testing.T) {
	a := service(2, "Cart", func(i int) string { return fmt.Sprintf("Shop.step:%d", i) })
	f := document.Finding{
		Kind:       document.KindBlockedHolding,
		Class:      "Cart",
		Lock:       a.Locks[0].Lock,
		LockSite:   "Shop.step:0",
		Owner:      "Shop.step:0",
		Root:       a.Locks[1].Lock,
		Share:      0.5,
		Confidence: document.HighConfidence,
	}
	a.Findings = []document.Finding{f}
	for root, want := range map[string]string{a.Locks[1].Lock: "waiting for Cart at Shop.step:1 while holding Cart",
		"Cart@99": "waiting for another Cart while", "Till@1": "waiting for Till while"} {
		a.Findings[0].Root = root
		golden.Holds(golden.Labelled(t, root), strings.Join(strings.Fields(shown(t, a, Options{})), " "), want)
	}
}

// What to mend first where an owner waits for another lock has a name, and an owner.
func TestTheEndOfAChainIsNamed(t *testing.T) {
	a := service(2, "Cart", func(i int) string { return fmt.Sprintf("Shop.step:%d", i) })
	a.Locks[1].Class = "Till"
	a.Findings = []document.Finding{{
		Kind:       document.KindBlockedHolding,
		Class:      "Cart",
		Lock:       a.Locks[0].Lock,
		Owner:      "Shop.step:0",
		Root:       a.Locks[1].Lock,
		Share:      0.5,
		Confidence: document.HighConfidence,
		Remedy:     "Mend the lock at the end of the chain first; then",
	}}
	for owner, want := range map[string]string{"Shop.pay:3": "-> Fix Till first; Shop.pay:3 holds it longest",
		"[handoff]": "-> Fix Till first, at the end of the chain"} {
		a.Locks[1].Owners[0].Site = owner
		golden.Holds(golden.Labelled(t, owner), shown(t, a, Options{}), want+"\n")
	}
	golden.Holds(t, shown(t, a, Options{Full: true}), "-> Mend the lock at the end of the chain first; then")
	a.Locks[1].Class, a.Locks[1].Owners[0].Site = "Cart", "Shop.step:1"
	golden.Holds(
		t,
		strings.Join(strings.Fields(shown(t, a, Options{})), " "),
		"-> Fix Cart at Shop.step:1 first, at the end of the chain",
	)
	a.Locks[1].Class, a.Locks[1].Lock = "", "a lock the dump does not name"
	a.Findings[0].Root = a.Locks[1].Lock
	if text := strings.Join(strings.Fields(shown(t, a, Options{})), " "); !strings.Contains(
		text,
		"waiting for a lock the dump does not name while",
	) ||
		strings.Contains(text, "Fix first") ||
		!strings.Contains(text, "0.5 a lock the dump does not name at Shop.step:1") {
		t.Errorf("a lock without a class:\n%s", text)
	}
}

// Of two dumps nothing tells how near an average is.
func TestAnAverageOfTooFewSamplesIsDoubtful(t *testing.T) {
	a := heldLock(0.9)
	a.Locks[0].Uncertainty = &document.Uncertainty{}
	golden.Holds(t, shown(t, a, Options{}), "1.00 s ± ?, 1 wait")
	a = freeLock(0.9)
	a.Locks[0].Uncertainty = &document.Uncertainty{}
	golden.Holds(t, shown(t, a, Options{}), "-> It may be taken too often")
}

// Mostly is more than half.
func TestMostlyIsMoreThanHalf(t *testing.T) {
	for want, p := range map[string]document.Provenance{
		"recorded":              {SampledNs: 95, InferredNs: 5},
		"mostly inferred, 50 %": {InferredNs: 60, ExactNs: 40, RightNs: 70},
		"partly inferred, 80 %": {InferredNs: 35, SampledNs: 34, UnknownNs: 31, RightNs: 62},
	} {
		golden.Equal(t, known(p), want)
	}
}

// The first line says that a part of the input is missing: its average is of what was read, and bounds nothing.
func TestTheFirstLineSaysWhatIsMissing(t *testing.T) {
	for code, want := range map[string]bool{
		format.CodeLostData:  true,
		format.CodeTruncated: true,
		format.CodeEpoch:     false,
	} {
		var out strings.Builder
		golden.OK(t, Write(&out, freeLock(0.9, code), Options{}))
		said := strings.Contains(strings.ReplaceAll(out.String(), "\n", " "), "in the part that was read")
		golden.Equal(t, said && !strings.Contains(out.String(), "at least"), want, code)
	}
}
