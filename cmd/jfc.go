package cmd

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"

	"contend/analysis/pass"
	"contend/blame/locks"
	"contend/format"

	"github.com/spf13/cobra"
)

// settings makes a JVM record all contention, and a thread dump every 50 ms.
//
//go:embed contend.jfc
var settings []byte

type jfcOptions struct {
	out   string
	exact bool
	dumps time.Duration
	from  string
	trace traceOptions
}

func newJFC(e *env) *cobra.Command {
	var o jfcOptions
	c := newCommand("jfc", func(*cobra.Command, []string) error {
		text, err := o.settings(e)
		if err != nil {
			return err
		}
		return e.writeText(o.out, text)
	})
	c.Args = noArgs
	c.Flags().StringVarP(&o.out, "output", "o", "", outputUsage)
	c.Flags().DurationVar(&o.dumps, "dump-period", dumpPeriod, "take a thread dump every `DURATION`; 0 takes none")
	c.Flags().BoolVar(&o.exact, "exact", false, "trace the threads that release locks of java.util.concurrent (JDK 25)")
	c.Flags().
		StringVar(&o.from, "from", "", "also trace the synchronized methods that `RECORDING` shows in need of it; "+
			"implies --exact")
	return c
}

// wakers are the methods whose calls show releases of locks, and waits of virtual threads.
var wakers = []string{"unpark", "park", "parkNanos", "parkUntil"}

func (o *jfcOptions) settings(e *env) ([]byte, error) {
	var filters []string
	if o.exact || o.from != "" {
		for _, m := range wakers {
			filters = append(filters, "java.util.concurrent.locks.LockSupport::"+m)
		}
	}
	if o.from != "" {
		more, err := o.methods(e)
		if err != nil {
			return nil, err
		}
		filters = append(filters, more...)
	}
	text, err := dumpsEvery(settings, o.dumps)
	if err != nil || len(filters) == 0 {
		return text, err
	}
	return withTrace(text, filters), nil
}

// withTrace adds the trace of methods to settings.
func withTrace(settings []byte, filters []string) []byte {
	var event bytes.Buffer
	event.WriteString(`  <event name="jdk.MethodTrace">
    <setting name="enabled">true</setting>
    <setting name="stackTrace">true</setting>
    <setting name="threshold">0 ms</setting>
    <setting name="filter">`)
	_ = xml.EscapeText(&event, []byte(strings.Join(filters, ";"))) // writing to a buffer cannot fail
	event.WriteString("</setting>\n  </event>\n")
	at := bytes.LastIndex(settings, []byte("</configuration>"))
	return slices.Concat(settings[:at], event.Bytes(), settings[at:])
}

// maxTraced bounds the number of traced synchronized methods. A traced call costs nearly a
// microsecond, so small methods, such as those of the JDK, are never traced.
const maxTraced = 32

// methods returns the synchronized methods at whose entry threads waited for monitors with
// unknown owners, those with most waiting first.
func (o *jfcOptions) methods(e *env) ([]string, error) {
	o.trace.paths = []string{o.from}
	filter, err := o.trace.filter()
	if err != nil {
		return nil, err
	}
	src, _, err := o.trace.open(e)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	tap, byClass := &entries{Source: src, of: map[string][]string{}}, locks.New(true)
	if _, err := pass.Run(tap, filter, byClass); err != nil {
		return nil, err
	}
	var out []string
	for _, row := range doubtful(byClass.Rows()) {
		for _, m := range tap.of[row.Class] {
			if len(out) < maxTraced && !strings.HasPrefix(m, "java.") && !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	if len(tap.of) == 0 {
		e.warn(fmt.Sprintf("%s: no thread waited at the entry of a synchronized method", o.from))
	} else if len(out) == 0 {
		e.warn(fmt.Sprintf("%s: the owners of monitors with synchronized methods are known", o.from))
	}
	return out, nil
}

// doubtfulPart is the inverse of the part of a lock's waiting whose owners are unknown or expected
// to be wrong, above which a trace of its methods is worth the cost.
const doubtfulPart = 20

// doubtful returns the rows with many owners that are unknown or expected to be wrong, by
// their waiting.
func doubtful(rows []locks.Row) []locks.Row {
	missing := func(r locks.Row) int64 {
		return r.WaitNs - r.ByProvenance.Right()
	}
	rows = slices.DeleteFunc(
		rows,
		func(r locks.Row) bool { return missing(r)*doubtfulPart < r.WaitNs || missing(r) == 0 },
	)
	slices.SortStableFunc(rows, func(a, b locks.Row) int { return cmp.Compare(missing(b), missing(a)) })
	return rows
}

// entries collects the synchronized methods in a trace by the class of their monitor.
type entries struct {
	format.Source
	of map[string][]string
}

// Read implements format.Source.
func (t *entries) Read(ev *format.Event) error {
	err := t.Source.Read(ev)
	if class, ok := strings.CutPrefix(ev.Name, format.SettingEntry); err == nil && ok && ev.Kind == format.KindSetting {
		t.of[class] = append(t.of[class], ev.Value)
	}
	return err
}

// dumpPeriod is the time between two thread dumps of the settings.
const dumpPeriod = 50 * time.Millisecond

// dumpsEvery returns flight recorder settings that take a thread dump once a
// period, or none for 0.
func dumpsEvery(settings []byte, period time.Duration) ([]byte, error) {
	if period < 0 || period%time.Millisecond != 0 {
		return nil, usageError{
			fmt.Errorf("--dump-period: the flight recorder cannot wait for %v", period),
			"it counts in milliseconds; 0 takes no dumps",
		}
	}
	const dumps = `<event name="jdk.ThreadDump">
    <setting name="enabled">%v</setting>
    <setting name="period">%d ms</setting>`
	old, next := fmt.Sprintf(
		dumps,
		true,
		dumpPeriod.Milliseconds(),
	), fmt.Sprintf(
		dumps,
		period > 0,
		cmp.Or(period, dumpPeriod).Milliseconds(),
	)
	return bytes.Replace(settings, []byte(old), []byte(next), 1), nil
}
