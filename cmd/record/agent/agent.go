// Package agent carries the Java agent that samples lock contention inside a
// JVM and writes a contend trace. Its sources are beside it; go generate builds
// the jar, to the same bytes with JDK 17 and 25, and a test holds the two
// together.
package agent

import (
	_ "embed"
	"strconv"
	"strings"
	"time"
)

// Jar is the agent, for JDK 8 and later.
//
//go:generate go test -run TestTheJarIsItsSources -update
//go:embed contend-agent.jar
var Jar []byte

// Options of an agent.
type Options struct {
	Jar   string // where the agent's own code is, as the JVM sees it; "" means the jar that was loaded
	File  string // path of the trace; the file must exist if Lease is given
	Lease string // a file: the recording ends when it is gone, or has not been touched for 30 s; "" for none
	Rate  string // samples a second at most, a decimal number

	Overhead string // the share of the processor time that samples may cost, a decimal number

	Exact    time.Duration // look for contended locks for so long, then record who holds them; 0: do not
	Evidence bool          // waits are recorded otherwise: samples only show owners
}

// String returns the options in the agent's syntax. No value may contain a comma.
func (o Options) String() string {
	var out []string
	for _, kv := range [...][2]string{
		{"jar", o.Jar},
		{"file", o.File},
		{"lease", o.Lease},
		{"rate", o.Rate},
		{"overhead", o.Overhead},
	} {
		if kv[1] != "" {
			out = append(out, kv[0]+"="+kv[1])
		}
	}
	if o.Exact > 0 {
		out = append(out, "exact="+strconv.FormatFloat(o.Exact.Seconds(), 'g', -1, 64))
	}
	if o.Evidence {
		out = append(out, "evidence=1")
	}
	return strings.Join(out, ",")
}
