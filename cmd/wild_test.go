package cmd

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/golden"
)

const wildHead = `contend 1
thread thread=1 name="a" group="b"
thread thread=2 name="b" group="b"
object lock=1 class="c" hash=7
stack stack=1 frames="a.B":"m":"B.java":3
`

// wildTimes are traces whose times lie as far apart as numbers do: what a
// flipped bit makes of any.
var wildTimes = map[string]string{
	"exact, apart": `wait time=1 end=1000 thread=1 lock=1 stack=1
wait time=4611686018427387904 end=4611686018427388904 thread=2 lock=1 stack=1
`,
	"exact, long": `wait time=1 end=4611686018427387904 thread=1 lock=1 stack=1
wait time=4611686018427387904 end=4611686018427388904 thread=2 lock=1 stack=1
`,
	"exact, before the epoch": `thread-start time=-4611686018427387904 thread=1
wait time=-9223372036854775808 end=9223372036854775807 thread=1 lock=1 stack=1
wait time=-5 end=9223372036854775807 thread=2 lock=1 stack=1
`,
	"exact, all there is": `recording time=-9223372036854775808 end=9223372036854775807
thread-start time=-9223372036854775808 thread=1
tenure time=0 end=1 thread=1 lock=1 stack=1
wait time=0 end=1 thread=2 lock=1 stack=1
tenure time=-9223372036854775808 end=9223372036854775807 thread=1 lock=1 stack=1
`,
	"sampled, apart": `tick time=1 intended=1 live=2
contention time=1 lock=1 owners=1/1/x waiters=2/1/x
tick time=10000001 intended=10000001 live=2
contention time=10000001 lock=1 owners=1/1/x waiters=2/1/x
tick time=4611686018427387904 intended=4611686018427387904 live=2
contention time=4611686018427387904 lock=1 owners=1/1/x waiters=2/1/x
`,
	"sampled, before the epoch": `tick time=-9223372036854775808 intended=1 live=2
contention time=-9223372036854775808 lock=1 owners=1/1/x waiters=2/1/x
tick time=9223372036854775807 intended=2 live=2
contention time=9223372036854775807 lock=1 owners=1/1/x waiters=2/1/x
`,
	"sampled, heavy": `tick time=1 intended=1 weight=9223372036854775807 live=2
contention time=1 weight=9223372036854775807 lock=1 owners=1/1/x waiters=2/1/x
tick time=4611686018427387904 intended=1 weight=4611686018427387904 live=4000000000
contention time=4611686018427387904 weight=4611686018427387904 lock=1 owners=1/1/x waiters=2/1/x
`,
}

// wildCommands are those that make something for each stretch of time, or
// could. TRACE is the input.
var wildCommands = []string{
	"verify TRACE", "analyze TRACE", "analyze --format json TRACE", "analyze --from 1s --to 2s TRACE", "blame TRACE", "blame --root --by owner-thread,lock TRACE",
	"csp TRACE", "csp --format json TRACE", "csp --chart TRACE", "csp --format svg TRACE", "csp --interval 100000h TRACE", "csp --interval 1000h --metrics TRACE",
	"hist TRACE", "hist --format json TRACE", "hist -o OUT.svg TRACE", "hist -o OUT.hlog TRACE", "hist --interval 1ms -o OUT.hlog TRACE",
	"flame -o OUT.html TRACE", "flame --format folded TRACE", "chains TRACE", "graph TRACE", "graph -o OUT.html TRACE", "diff TRACE TRACE",
	"whatif TRACE", "whatif TRACE", "check --rule csp(*)_<_5% TRACE", "pprof -o OUT.pb.gz TRACE", "dump TRACE", "convert -o OUT.bin TRACE", "convert -o OUT.bin a=TRACE b=TRACE",
}

// maxWild bounds what a command may take of memory, all that a process has:
// these traces have six events.
const maxWild = 192 << 20

// Whatever the times, no command fills the memory with what lies between: it
// answers, or says which interval to choose.
func TestWildTimes(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("each command is a process of its own: slow under the race detector")
	}
	dir := t.TempDir()
	for i, name := range slices.Sorted(maps.Keys(wildTimes)) {
		text := wildTimes[name]
		path := filepath.Join(dir, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".txt")
		golden.OK(t, os.WriteFile(path, []byte(wildHead+text+"end\n"), 0o600))
		for j, command := range wildCommands {
			if (i+j)%2 != 0 { // each on half of the exact traces, and half of the sampled ones
				continue
			}
			args := strings.Fields(command)
			for i, arg := range args {
				args[i] = strings.NewReplacer("TRACE", path, "OUT", filepath.Join(dir, "out"), "_<_", " < ").Replace(arg)
			}
			wildly(t, name+": "+command, args)
		}
		code, out, _ := said("analyze", "--tables", path)
		if code != exitDamaged || !strings.Contains(out, "no clock gives") || strings.Contains(out, "WALL") && strings.Contains(out, "wall-time -") {
			t.Errorf("%s: nothing said of the times, or a negative wall-time:\n%s", name, out)
		}
	}
}

// wildly runs one command.
func wildly(t *testing.T, what string, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	var msg bytes.Buffer
	c := exec.CommandContext(ctx, "contend", args...)
	c.Stderr, c.Env = &msg, ownGC()
	most, err := peakOf(c)
	code := c.ProcessState.ExitCode()
	tooLong := code == exitUsage && strings.Contains(msg.String(), "--interval: ")
	broken := args[0] == "check" && code == exitRules // the rule
	if code != exitDamaged && !tooLong && !broken {
		t.Errorf("%s: exit %d, %v: %s", what, code, err, msg.String())
	}
	if most > maxWild {
		t.Errorf("%s: %d MiB of memory", what, most>>20)
	}
}
