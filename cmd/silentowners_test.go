package cmd

import (
	"strings"
	"testing"
)

// namedFrom is the share of a lock's waiting from which the screen names a site.
const namedFrom = .35

// A lock that is held long by a thread that seldom or never waits for it: its holder is
// named or nobody is. The threads that wait are victims, and get no advice.
func TestSilentOwnersAreNamedOrNobody(t *testing.T) {
	t.Parallel()
	const reentrant = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
	for _, c := range []struct{ name, class, holder, victim string }{
		{"batch-jdk17-profile.jfr", reentrant, "Z.batch", "Z.user"},
		{"lat2-jdk17-jfc.jfr", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"lat2-jdk17-profile.jfr", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"lat2-jdk17-record.trace", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"lat2-jdk25-exact.jfr", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"shop-jdk17-record.trace", "java.lang.Object", "Shop.audit", "Shop.buy"},
		{"stamped-jdk17.jfr", "java.util.concurrent.locks.StampedLock", "Sit.sLongWrite", "Sit.sRead"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "../testdata/owners/" + c.name + ".gz"
			l := logged{Class: c.class, Sites: []string{c.holder, c.victim}}
			a := l.answer(ask[owned](t, "blame", "--by", "class,owner-stack", path))
			if a.total == 0 {
				t.Fatalf("no waiting for %s", c.class)
			}
			t.Logf("%v, hand-off %.2f, others %.2f", a.by, a.handoff/a.total, a.unknown/a.total)
			for site, ns := range a.by {
				if site != c.holder && ns > a.by[c.holder] && ns >= namedFrom*a.total {
					t.Errorf("%s is said to hold it for %.0f %% of the waiting, %s for %.0f %%", site, 100*ns/a.total, c.holder, 100*a.by[c.holder]/a.total)
				}
			}
			for line := range strings.Lines(run(t, "analyze", path)) {
				if advice, ok := strings.CutPrefix(strings.TrimSpace(line), "-> "); ok && strings.Contains(advice, c.victim) {
					t.Errorf("advice about who waits: %s", advice)
				}
			}
		})
	}
}
