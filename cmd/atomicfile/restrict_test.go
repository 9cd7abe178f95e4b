package atomicfile

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"contend/golden"
)

// A restricted file is for this user alone; one that replaces another has its permissions, and says
// that it replaces it.
func TestRestrict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recording")
	for _, want := range []os.FileMode{alone, 0o640} {
		f := golden.Must(Create(context.Background(), path))(t)
		golden.Equal(t, f.Replaces(), want != alone, "replaces")
		golden.OK(t, f.Restrict())
		golden.OK(t, f.Commit())
		golden.Equal(t, golden.Must(os.Stat(path))(t).Mode().Perm(), want, "permissions")
		golden.OK(t, os.Chmod(path, 0o640))
	}
}
