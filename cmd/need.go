package cmd

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"contend/format"
)

// What an exact trace needs until it is answered, in bytes: so much whatever is in
// it, so much for each activity of a thread, waits among them, for what else tells
// of owners, and for each lock.
const (
	needBase     = 128 << 20
	needActivity = 16
	needOther    = 48 // a tenure or a release
	needLock     = 1 << 10
)

// demand is how much memory a trace that is being read will need.
type demand struct {
	waits, activities, others, locks int64

	have    int64 // bytes there are; 0 where nobody knows
	files   []string
	several bool // so that what is read of one tells nothing of the rest
	said    bool
}

func newDemand(files []string) demand {
	d := demand{files: files, have: memory("/"), several: len(files) != 1}
	if !d.several {
		info, err := os.Stat(files[0])
		d.several = err == nil && info.IsDir()
	}
	return d
}

// meet counts an event: those of an exact trace are kept.
func (d *demand) meet(k format.Kind) {
	switch k {
	case format.KindWait:
		d.waits++
	case format.KindActivity:
		d.activities++
	case format.KindTenure, format.KindRelease:
		d.others++
	case format.KindObject:
		d.locks++
	}
}

// bytes returns what is needed if a share of the input was read so far.
func (d *demand) bytes(read float64) int64 {
	kept := float64(needActivity*(d.waits+d.activities) + needOther*d.others + needLock*d.locks)
	return needBase + int64(kept/max(read, 0.01))
}

// early is the share of an input before which it says little of the rest, unless
// what was read of it is too much already.
const early = 0.02

// warn says so, once, when a trace will need more memory than there is.
func (d *demand) warn(e *env, read, total int64) {
	if d.said || d.have <= 0 {
		return
	}
	if d.have < needBase {
		d.say(e, fmt.Sprintf("any recording needs about %s MB", megabytes(needBase)))
		return
	}
	share := 1.0
	if !d.several && total > 0 && read < total {
		share = float64(read) / float64(total)
	}
	if d.bytes(1) <= d.have && (share < early || d.bytes(share) <= d.have) {
		return
	}
	about := func(n int64) string { return count(int64(float64(n) / max(share, 0.01))) }
	d.say(e, fmt.Sprintf("%s: some %s waits, %s other events of threads and %s locks need about %s MB",
		strings.Join(d.files, ", "), about(d.waits), about(d.activities+d.others), about(d.locks), megabytes(d.bytes(share))))
}

// say warns of what is needed.
func (d *demand) say(e *env, needed string) {
	d.said = true
	e.warn(fmt.Sprintf("%s, and there are %s MB", needed, megabytes(d.have)))
	e.hint("if it fails, give it more memory, or record less: a part of the time, or a higher threshold ('contend jfc --help')")
}

// count writes a number to two digits or so.
func count(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f million", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f thousand", float64(n)/1e3)
	}
	return strconv.FormatInt(n, 10)
}

// memory returns how much memory the program may use: that of GOMEMLIMIT, of the
// control group it runs in, or of the machine, whichever is least; 0 where none of
// them is told.
func memory(root string) (least int64) {
	least = math.MaxInt64
	take := func(n int64) {
		if n > 0 {
			least = min(least, n)
		}
	}
	take(debug.SetMemoryLimit(-1))
	for _, file := range groupLimits(root) {
		take(number(file))
	}
	take(field(root, "proc/meminfo", "MemTotal:") << 10)
	take(addressSpace(root))
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// addressSpace returns how much memory a limit of addresses (ulimit -v) leaves, with
// what is in use; 0 where there is none. Go takes a gigabyte of addresses before it
// uses any.
func addressSpace(root string) int64 {
	limit := field(root, "proc/self/limits", "Max address space")
	if limit == 0 {
		return 0
	}
	taken := field(root, "proc/self/status", "VmSize:") - field(root, "proc/self/status", "VmRSS:")
	return max(limit-taken<<10, 1)
}

// field returns the number that follows a name at the beginning of a line of a file;
// 0 where there is none.
func field(root, file, name string) int64 {
	for line := range strings.Lines(textOf(filepath.Join(root, file))) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			n, _ := strconv.ParseInt(first, 10, 64)
			return n
		}
	}
	return 0
}

// groupLimits lists the files that limit the control groups the program is in, of
// both versions, from its own outwards.
func groupLimits(root string) (files []string) {
	for line := range strings.Lines(textOf(filepath.Join(root, "proc/self/cgroup"))) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		top, file := "sys/fs/cgroup", "memory.max"
		if part[1] == "memory" {
			top, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if part[1] != "" {
			continue
		}
		for dir := filepath.Clean("/" + part[2]); ; dir = filepath.Dir(dir) {
			files = append(files, filepath.Join(root, top, dir, file))
			if dir == "/" {
				break
			}
		}
	}
	return files
}

// number reads a file that holds a number; 0 where it holds none.
func number(file string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(textOf(file)), 10, 64)
	return n
}

// textOf returns what is in a small file; nothing where there is none.
func textOf(file string) string {
	text, _ := os.ReadFile(file)
	return string(text)
}
