//go:build unix

package record

import (
	"context"
	"fmt"
	"testing"

	"contend/format/record/attach"
	"contend/golden"
)

// A process may leave any number of folders whose recordings are slow to end: none is
// waited for when the user has given up.
func TestTidyingEndsWithItsContext(t *testing.T) {
	f := folderIn(t)
	defer f.remove()
	p := &attach.Process{} // of no number
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for _, end := range []string{"A", "B", "C"} {
		left := golden.Must(f.parent.Mkdir(fmt.Sprintf("contend-0-AAAAAAAAAAAAAAA%s", end)))(t)
		left.Close()
	}
	asked := 0
	f.tidy(ctx, p, func(string) { asked++; stop() })
	if left := len(f.parent.Names("contend-*-A*")); asked != 1 || left < 2 {
		t.Errorf("%d were ended, %d are left", asked, left)
	}
	f.tidy(t.Context(), p, func(string) { asked++ })
	if left := len(f.parent.Names("contend-*-A*")); left != 0 {
		t.Errorf("%d are left", left)
	}
}
