package attach

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Lacks reports whether the process runs on a runtime that was linked without a
// module; false where that is not to be learnt, as on macOS.
func (p *Process) Lacks(module string) bool {
	proc := fmt.Sprintf("/proc/%d/", p.PID)
	program, err := os.Readlink(proc + "exe")
	if err != nil {
		return false
	}
	release, err := os.ReadFile(filepath.Join(proc+"root", program, "../../release"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(release)) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "MODULES="); ok {
			return !slices.Contains(strings.Fields(strings.Trim(list, `"`)), module)
		}
	}
	return false
}

// VirtualThreads reports whether virtual threads run in the process, or did:
// the JVM has a thread of this name for them, from JDK 21 on. It is false where
// that is not to be learnt, as on macOS.
func (p *Process) VirtualThreads() bool {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/comm", p.PID))
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(text), "VirtualThread-u") {
			return true
		}
	}
	return false
}
