package cmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
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

// rewrites is what an agent has reported of the classes that it rewrote.
type rewrites struct {
	locks, refused []string
	classes        string
	left           map[string]string // classes that were left alone, and why
}

func readRewrites(samples *io.SectionReader) (*rewrites, error) {
	src, err := decode.Samples(anew(samples))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	out := &rewrites{left: map[string]string{}}
	for {
		var ev format.Event
		if err := src.Read(&ev); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		if ev.Kind != format.KindSetting {
			continue
		}
		switch class, left := strings.CutPrefix(ev.Name, format.SettingLeft); {
		case left:
			out.left[class] = ev.Value
		case ev.Name == format.SettingFollowed:
			out.locks = append(out.locks, ev.Value)
		case ev.Name == format.SettingRewritten:
			out.classes = ev.Value
		case ev.Name == format.SettingRefused:
			out.refused = append(out.refused, ev.Value)
		}
	}
}

// anew reads a file from its begin, however far it has been read.
func anew(r *io.SectionReader) *io.SectionReader { return io.NewSectionReader(r, 0, r.Size()) }

// reportRewritten prints what is rewritten, and what is not and why, before the recording begins.
// It returns the latter.
func (e *env) reportRewritten(samples *io.SectionReader) (left map[string]string) {
	done, err := readRewrites(samples)
	switch {
	case err != nil: // the recording's own reader will say so
		return nil
	case len(done.locks) == 0:
		e.say("contend: exact: no lock was contended while contend looked for them, so nothing is rewritten")
	default:
		e.say(text.Sanitize(fmt.Sprintf(
			"contend: exact: %s classes are rewritten, which acquire %s, until the recording ends",
			done.classes,
			strings.Join(done.locks, ", "),
		)))
		e.sayLeft(done.left, nil)
	}
	return done.left
}

// sayLeft prints the classes that were left alone, but for those that were printed before.
func (e *env) sayLeft(left, before map[string]string) {
	for _, class := range slices.Sorted(maps.Keys(left)) {
		if before[class] == "" {
			e.say(text.Sanitize(fmt.Sprintf("contend: exact: left alone: %s: %s", class, left[class])))
		}
	}
}

// reportExact prints which classes were left alone later, which locks were not recorded, and how right the
// inference would have been.
func (e *env) reportExact(r *record.Recording, before map[string]string) error {
	done, err := readRewrites(r.Samples)
	if err != nil {
		return err
	}
	e.sayLeft(done.left, before)
	for _, class := range done.refused {
		e.warn(text.Sanitize("not exact: " + class + ": other threads release it than acquire it"))
	}
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
	for _, row := range pivot.Table().Rows {
		class, site := row.Keys[0], row.Keys[1]
		if by[class] == nil {
			by[class] = map[string]float64{}
		}
		site, _, _ = strings.Cut(strings.TrimPrefix(site, "in "), ":")
		by[class][site] += float64(row.ThreadNs)
		if row.ByProvenance[analysis.ByTenure] > 0 {
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
