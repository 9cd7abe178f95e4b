package attach

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Lacks reports whether the process runs on a runtime that was linked without a module;
// false if unknown, as on macOS.
func (p *Process) Lacks(module string) bool {
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
	if err != nil {
		return false
	}
	dir, err := p.Open(filepath.Join(program, "../.."))
	if err != nil {
		return false
	}
	defer dir.Close()
	release, _ := dir.Read("release", 64<<10)
	for line := range strings.Lines(string(release)) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "MODULES="); ok {
			return !slices.Contains(strings.Fields(strings.Trim(list, `"`)), module)
		}
	}
	return false
}
