package profile

import (
	"errors"
	"io"
	"strings"
	"testing"

	"contend/format"
)

// Whatever comes first, each stack has an id of its own: the lock that was
// waited for keeps the stack it was waited for in, the one created that which
// created it.
func TestStacksOfBothAgents(t *testing.T) {
	const waited = "contention detected on [0] java.lang.Object Sync.enter:2,  Sync.run:3,\n"
	const created = "creating lock 1: App.<clinit>(App.java:3), 1=5,\n"
	for _, text := range []string{waited + created, created + waited, waited + created + "new " + waited} {
		r := NewCounts(strings.NewReader(text), "test")
		frames, stacks := map[format.StackID]string{}, map[string]string{}
		var ev format.Event
		for {
			err := r.Read(&ev)
			if errors.Is(err, io.EOF) {
				break
			}
			switch {
			case err != nil:
				t.Fatal(err)
			case ev.Kind == format.KindStack:
				frames[ev.Stack] = ev.Frames[0].Method
			case ev.Kind == format.KindObject:
				stacks[ev.Name] = frames[ev.Stack]
			case ev.Kind == format.KindContention && ev.Waiters[0].Stack != format.NoStack:
				stacks["waits"] = frames[ev.Waiters[0].Stack]
			}
		}
		if len(frames) != 2 || stacks["lock 1"] != "<clinit>" || stacks["waits"] != "enter" {
			t.Errorf("%q: stacks %v, of locks and waits %v", text, frames, stacks)
		}
	}
}
