package cmd

import (
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// testdata/pools/Borrowers.java logs how long its methods had connections of a pool of four while
// others waited for one. Recorded waits and sleeps show it but for short queries, and so do four dumps:
//
//	java -cp CLASSES Borrowers hikari 4 12 1500 30 borrowers-hikari-jdk17.truth.json
//
// contend converted the flight recording, and jcmd took the dumps. The main thread, which once had a
// connection and never waited for one, is no holder.
func TestHoldersOfPoolsAsTheyLogThemselves(t *testing.T) {
	t.Parallel()
	for name, share := range map[string]float64{
		"borrowers-hikari-jdk17.bin":   0.8,
		"borrowers-dbcp2-dumps.txt.gz": 0.6,
	} {
		path := "../testdata/pools/" + name
		var log struct {
			EmptyNs int64
			HeldNs  map[string]int64
		}
		readTruth(t, strings.TrimSuffix(strings.TrimSuffix(path, ".bin"), ".txt.gz")+".truth.json", &log)
		holders := ask[document.Analyze](t, "analyze", path).Resources[0].Holders
		for method, doing := range map[string]string{"report": "asleep", "remote": "in socket I/O"} {
			had, want := 0.0, float64(log.HeldNs[method])/float64(log.EmptyNs)
			for _, h := range holders {
				if strings.HasPrefix(h.Site, "Borrowers."+method+":") {
					had += h.Threads
					golden.Equal(t, h.Doing, doing, name, h.Site)
				}
			}
			golden.Within(t, had, share*want, want/share, name, method)
		}
		for _, h := range holders {
			golden.Lacks(golden.Labelled(t, name), h.Site, "Borrowers.main", "Borrowers.open", "Borrowers.loop")
		}
	}
}

// Threads in a method of a pool's object have it, however they got it.
func TestHoldersAreShownByMethodsOfTheObject(t *testing.T) {
	for _, r := range ask[document.Analyze](t, "analyze", "../testdata/documents/dumps.txt").Resources {
		golden.Same(t, r.Holders, []document.Holder{{
			Site:    "com.acme.Report.run:12",
			Doing:   "in socket I/O",
			Threads: 1,
			Shown:   true,
		}})
	}
}
