package jfrprint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

const printed = `jdk.JavaMonitorEnter {
  startTime = 03:04:57.339 (2026-11-21)
  duration = 4.21 ms
  monitorClass = Shop$Lock (classLoader = app)
  previousOwner = "worker-1" (javaThreadId = 16)
  address = 0x7F6BBC0035A0
  eventThread = "worker-0" (javaThreadId = 15)
  stackTrace = [
    Shop.buy(Shop$Log, Random) line: 15
    java.lang.Thread.run() line: 840
    ...
  ]
}

jdk.ThreadPark {
  startTime = 03:04:57.400 (2026-11-21)
  duration = 2,5 s
  parkedClass = java.util.concurrent.locks.ReentrantLock$NonfairSync (classLoader = bootstrap)
  timeout = N/A
  address = 0x41B
  eventThread = "worker-1" (javaThreadId = 16)
  stackTrace = [
    jdk.internal.misc.Unsafe.park(boolean, long)
    Shop.sell() line: 20
  ]
}
`

const document1 = `{
  "recording": {
    "events": [{
      "type": "jdk.JavaMonitorEnter",
      "values": {
        "startTime": "2026-11-21T03:04:57.339Z",
        "duration": "PT0.00421S",
        "eventThread": {"osName": "worker-0", "osThreadId": 2, "javaName": "worker-0", "javaThreadId": 15, "group": null},
        "stackTrace": {"truncated": false, "frames": [{"method": {"type": {"name": "Shop"}, "name": "buy"}, "lineNumber": 15}]},
        "monitorClass": {"name": "Shop$Lock"},
        "previousOwner": {"osName": "worker-1", "osThreadId": 3, "javaName": "worker-1", "javaThreadId": 16, "group": null},
        "address": 140101000000000
      }
    }]
  }
}`

func shown(t *testing.T, text string) string {
	t.Helper()
	r := NewReader(bufio.NewReader(strings.NewReader(text)), "x", nil)
	threads, locks := map[format.ThreadID]string{0: "?"}, map[format.ObjectID]string{}
	var out strings.Builder
	for {
		var ev format.Event
		if err := r.Read(&ev); errors.Is(err, io.EOF) {
			return out.String()
		} else if err != nil {
			t.Fatal(err)
		}
		switch ev.Kind {
		case format.KindThread:
			threads[ev.Thread] = ev.Name
		case format.KindObject:
			locks[ev.Object] = ev.Class
		case format.KindActivity:
			fmt.Fprintf(&out, "%s: %s\n", threads[ev.Thread], ev.Activity)
		case format.KindWait:
			lock, owner, waiter := locks[ev.Object], threads[ev.Owner], threads[ev.Thread]
			fmt.Fprintf(&out, "%s: %s <- %s %d ns\n", lock, owner, waiter, ev.End-ev.Time)
		}
	}
}

// What jfr print writes has the waits, and the owner before each.
func TestPrintedRecordings(t *testing.T) {
	const enter = "Shop$Lock: worker-1 <- worker-0 4210000 ns\n"
	golden.Equal(t, shown(t, printed), enter+"java.util.concurrent.locks.ReentrantLock$NonfairSync: ? <- worker-1 "+
		"2500000000 ns\n")
	golden.Equal(t, shown(t, document1), enter)
	for _, text := range []string{printed, document1} {
		if !Is([]byte(text)) {
			t.Errorf("%.40q is none", text)
		}
	}
	if Is([]byte("{\n  \"recording\": 1\n}")) || Is([]byte("jdk.JavaMonitorEnter took long {\n")) {
		t.Error("other text is taken for one")
	}
}

// Cut anywhere, such a text gives the events before the cut.
func TestEveryPrefix(t *testing.T) {
	for _, text := range []string{printed, document1} {
		whole := shown(t, text)
		for n := range len(text) {
			if got := shown(t, text[:n]); !strings.HasPrefix(whole, got) {
				t.Fatalf("%d bytes show %q", n, got)
			}
		}
	}
}

// A virtual thread without a name has its number, and one that is pinned is there without a wait.
func TestPinnedVirtualThread(t *testing.T) {
	golden.Equal(t, shown(t, `jdk.VirtualThreadPinned {
  startTime = 12:01:02.123 (2026-01-05)
  duration = 51.2 ms
  eventThread = "" (javaThreadId = 40, virtual)
  stackTrace = [
    shop.Till.ring(int) line: 41
  ]
}
`), "virtual thread 40: seen\n")
}
