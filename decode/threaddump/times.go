package threaddump

import (
	"strings"
	"time"

	"contend/format"
)

// layouts are the time formats of dumps. Few have a zone; the others are taken as UTC,
// which shifts all dumps of a process equally.
var layouts = []string{
	time.RFC3339Nano,
	"2006-01-02 15:04:05.000",
	"2006-01-02 15:04:05,000",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04:05.000",
	"2006-01-02T15:04:05",
	"2006/01/02 at 15:04:05.000",
	"2006/01/02 at 15:04:05",
	"Mon Jan _2 15:04:05 2006",
}

// timeIn reads the time a line begins with. Times before 1970 or after 2262
// are none.
func timeIn(line string) (ns int64, ok bool) {
	line = strings.TrimSpace(line)
	for _, layout := range layouts {
		text := line
		if layout != time.RFC3339Nano {
			text = line[:min(len(line), len(layout))]
		}
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 1970 && t.Year() < 2262 {
			return t.UnixNano(), true
		}
	}
	return format.NoTime, false
}

// timeBefore reads the time from the lines before a dump, the nearest first.
func timeBefore(before []string) int64 {
	for i := len(before) - 1; i >= 0; i-- {
		if t, ok := timeIn(before[i]); ok {
			return t
		}
	}
	return format.NoTime
}

// clock makes the times of dumps finer than a second: by the uptime of the process, which
// newer JVMs print in hundredths, else by spreading the dumps of one second over it.
type clock struct {
	time, uptime int64 // of the dump that shows the start of the process
}

// slack is how much the two times of a dump may disagree: beyond it another
// process is meant.
const slack = int64(2 * time.Second)

// byUptime sets the time of a dump from how long the process has run, as
// counted from an earlier dump; false when it cannot.
func (c *clock) byUptime(d *Dump) bool {
	if d.Uptime == 0 || d.Time == format.NoTime || d.Time%int64(time.Second) != 0 {
		return false
	}
	at := c.time + d.Uptime - c.uptime
	if c.uptime == 0 || at < d.Time-slack || at > d.Time+slack {
		c.time, c.uptime = d.Time, d.Uptime
		return true
	}
	d.Time = at
	return true
}

// spread distributes dumps of one second over it, in their order.
func spread(run []*Dump) {
	for i, d := range run {
		d.Time += int64(i) * int64(time.Second) / int64(len(run))
	}
}

// sameSecond reports whether two dumps have the same time with a resolution of a second.
func sameSecond(a, b *Dump) bool {
	return a.Time == b.Time && a.Time != format.NoTime && a.Time%int64(time.Second) == 0 && a.Uptime == 0 &&
		b.Uptime == 0
}
