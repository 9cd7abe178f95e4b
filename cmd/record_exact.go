package cmd

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/cmd/record"
	"contend/decode"
	"contend/format"
	"contend/report/text"
)

// checkExact returns an error if --exact makes no sense with the other flags.
func (o *recordOptions) checkExact(means record.Means) error {
	switch {
	case !o.exact:
		return nil
	case !means.Agent:
		return usageError{errors.New("--exact: the agent records who holds locks"), "choose --with agent or both"}
	case o.always.used():
		return usageError{errors.New("--exact rewrites classes, which is not for every recording of a series"),
			"record once"}
	}
	return nil
}

// reportRewritten prints what the agent rewrites while it records, a batch of classes at a time, and what it
// leaves alone and why. It reads the agent's trace to its end.
func (e *env) reportRewritten(samples io.Reader) {
	src, err := decode.Samples(samples)
	if err != nil { // the recording's own reader will say so
		return
	}
	defer src.Close()
	var locks, left []string
	batches := 0
	for {
		var ev format.Event
		if err := src.Read(&ev); err != nil {
			e.sayLeft(left) // since the last batch
			return
		}
		if ev.Kind != format.KindSetting {
			continue
		}
		switch class, leftAlone := strings.CutPrefix(ev.Name, format.SettingLeft); {
		case leftAlone:
			left = append(left, class+": "+ev.Value)
		case ev.Name == format.SettingFollowed:
			locks = append(locks, ev.Value)
		case ev.Name == format.SettingRewritten:
			e.sayRewritten(locks, ev.Value, batches)
			e.sayLeft(left)
			locks, left = nil, nil
			batches++
		case ev.Name == format.SettingRefused:
			e.warn(text.Sanitize("not exact: " + ev.Value + ": other threads release it than acquire it"))
		}
	}
}

// sayRewritten prints for which locks a batch of classes is rewritten; before is the number of batches before it.
func (e *env) sayRewritten(locks []string, classes string, before int) {
	of := text.Sanitize(strings.Join(locks, ", "))
	switch {
	case len(locks) == 0:
		e.say("contend: exact: no lock was contended so far, so nothing is rewritten; contend goes on looking")
	case before == 0:
		e.say(fmt.Sprintf("contend: exact: %s classes are rewritten, which acquire %s, until the recording ends",
			classes, of))
	default:
		e.say(fmt.Sprintf(
			"contend: exact: %s more classes are rewritten, which acquire %s: contended by now",
			classes,
			of,
		))
	}
}

// sayLeft prints the classes that were left alone.
func (e *env) sayLeft(left []string) {
	for _, class := range left {
		e.say(text.Sanitize("contend: exact: left alone: " + class))
	}
}

// reportExact prints how right the inference would have been.
func (e *env) reportExact(r *record.Recording) error {
	if share, ok, err := agreement(r); err != nil {
		return err
	} else if ok {
		e.say(fmt.Sprintf("contend: exact: inferred owners agree with %.0f %% of the recorded: that is how far to "+
			"trust a recording "+
			"without --exact of this program", 100*share))
	}
	return nil
}

// agreement returns which share of the waiting with recorded owners the inference would have given to the
// same methods, class by class. ok is false if there is none, or no flight recording to infer from.
func agreement(r *record.Recording) (share float64, ok bool, err error) {
	if r.Flight == nil {
		return 0, false, nil
	}
	recorded, known, err := ownersByClass(r, false)
	if err != nil {
		return 0, false, err
	}
	inferred, _, err := ownersByClass(r, true)
	if err != nil {
		return 0, false, err
	}
	agreed, all := 0.0, 0.0
	for class := range known {
		of, like := recorded[class], inferred[class]
		total := totalOf(of)
		all += total
		agreed += total * (1 - distance(of, like))
	}
	return agreed / all, all > 0, nil
}

// anew reads a file from its begin, however far it has been read.
func anew(r *io.SectionReader) *io.SectionReader { return io.NewSectionReader(r, 0, r.Size()) }

// leastKnown is the share of the waiting for the locks of a class whose owners must be recorded for the inference to
// be judged by them.
const leastKnown = 0.9

// ownersByClass returns the waiting by class of lock and by the method in which the owner acquired it,
// and which classes have recorded owners.
func ownersByClass(r *record.Recording, infer bool) (by map[string]map[string]float64, known map[string]bool,
	err error) {
	src, err := decode.Recording(anew(r.Flight), anew(r.Samples), decode.Options{Inferred: infer})
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	keys, err := blame.ParseKeys("class,owner-site", blame.Pivots)
	if err != nil {
		return nil, nil, err
	}
	pivot := blame.New(keys, false)
	if _, err := pass.Run(src, analysis.Filter{From: format.NoTime, To: format.NoTime}, pivot); err != nil {
		return nil, nil, err
	}
	by, known = map[string]map[string]float64{}, map[string]bool{}
	byHolds, all := map[string]int64{}, map[string]int64{}
	for _, row := range pivot.Table().Rows {
		class, site := row.Keys[0], row.Keys[1]
		if by[class] == nil {
			by[class] = map[string]float64{}
		}
		site, _, _ = strings.Cut(strings.TrimPrefix(site, "in "), ":")
		by[class][site] += float64(row.Sum.ThreadNs)
		byHolds[class] += row.Sum.ByProvenance[analysis.ByTenure]
		all[class] += row.Sum.ThreadNs
	}
	for class, ns := range byHolds {
		if float64(ns) >= leastKnown*float64(all[class]) && ns > 0 {
			known[class] = true
		}
	}
	return by, known, nil
}

// distance returns the total variation distance between two distributions, in [0, 1].
func distance(a, b map[string]float64) float64 {
	of, to := max(totalOf(a), 1), max(totalOf(b), 1)
	d := 0.0
	for k, v := range a {
		d += math.Abs(v/of - b[k]/to)
	}
	for k, v := range b {
		if _, both := a[k]; !both {
			d += v / to
		}
	}
	return d / 2
}

func totalOf(of map[string]float64) (s float64) {
	for _, v := range of {
		s += v
	}
	return s
}
