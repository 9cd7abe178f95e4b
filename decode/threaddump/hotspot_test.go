package threaddump

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// Whoever parses the dumps of a JVM keeps what they repeat: each is what it would be
// alone, and costs no copy of a line it has met.
func TestDumpsOfOneJVMRepeatTheirLines(t *testing.T) {
	series := golden.Must(os.ReadFile("../../testdata/truth-series-8dumps-jdk17.txt"))(t)
	const begins = "Full thread dump "
	texts := strings.Split(string(series), begins)[1:]
	h := NewHotSpot()
	for i, text := range texts {
		text = begins + text
		if got, want := h.Parse(text), NewHotSpot().Parse(text); !reflect.DeepEqual(got, want) || len(got.Threads) == 0 {
			t.Errorf("dump %d: %+v, alone %+v", i, got, want)
		}
		again := testing.AllocsPerRun(3, func() { h.Parse(text) })
		alone := testing.AllocsPerRun(3, func() { NewHotSpot().Parse(text) })
		if again > alone/2 {
			t.Errorf("dump %d: %v allocations, %v of a dump alone", i, again, alone)
		}
	}
}

// The lock of a class that is being initialised is called by that class, and whoever runs the
// initialiser has it.
func TestInitialisationIsNamedByTheClass(t *testing.T) {
	const dump = `2026-11-23 13:00:00
Full thread dump OpenJDK 64-Bit Server VM (25+36-LTS mixed mode, sharing):

"main" #1 prio=5 tid=0x1 nid=11 waiting on condition  [0x1]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
	at java.lang.Thread.sleep(Native Method)
	at shop.Catalog.<clinit>(Catalog.java:9)
	at shop.Main.main(Main.java:5)

"http-1" #2 prio=5 tid=0x2 nid=12 waiting on condition  [0x2]
   java.lang.Thread.State: RUNNABLE
	at shop.Main.ask(Main.java:15)
	- waiting on the Class initialization monitor for shop.Catalog

`
	h := NewHotSpot()
	d := h.Parse(dump)
	want := LockRef{Class: format.Initialisation + "shop.Catalog", Name: format.Initialisation + "shop.Catalog"}
	if got := d.Threads[1]; got.Wait != Blocked || got.For != want {
		t.Errorf("%+v", got)
	}
	if held := d.Threads[0].Held; len(held) != 1 || held[0] != want {
		t.Errorf("held: %+v", held)
	}
}
