package pprof

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"contend/format"

	"github.com/google/pprof/profile"
)

// What profiles of contend have that joining relies on.
const (
	inputLabel  = "input"   // of samples: which of several inputs they are of
	viewComment = "view: "  // of profiles: what their stacks show
	mappingFile = "contend" // stands for the program; addresses in it are numbers of frames
)

// Joiner makes one profile of several, whose samples stay apart by input.
type Joiner struct {
	all         []*profile.Profile
	first, view string // what the first profile is called and shows
}

// Add reads the next profile. Its samples get the label, unless an earlier
// join gave them one. The error is a *format.Error: ErrCorrupt, ErrTruncated,
// ErrLimit, or ErrNotMine for a profile that cannot be added to those before.
func (j *Joiner) Add(r io.Reader, name, label string) error {
	p, err := read(r)
	if err != nil {
		return fail(name, err, "")
	}
	if len(j.all) == 0 {
		j.first, j.view = name, viewOf(p)
	} else if view := viewOf(p); view != j.view {
		return fail(name, fmt.Errorf("%w: it shows %s, %s shows %s", format.ErrNotMine, view, j.first, j.view), "export both with the same --view")
	} else if was, is := typesOf(j.all[0]), typesOf(p); was != is {
		return fail(name, fmt.Errorf("%w: values are %s, but %s in %s", format.ErrNotMine, is, was, j.first), "profiles of traces that measure time and of those that count do not add up")
	}
	for _, s := range p.Sample {
		if len(s.Label[inputLabel]) == 0 {
			s.Label = withInput(s.Label, label)
		}
	}
	readdress(p, func(*profile.Location) uint64 { return 0 })
	j.all = append(j.all, p)
	return nil
}

func fail(name string, err error, hint string) error {
	return &format.Error{Pos: format.Pos{File: name}, What: "profile", Err: err, Hint: hint}
}

func withInput(labels map[string][]string, label string) map[string][]string {
	if labels == nil {
		labels = map[string][]string{}
	}
	labels[inputLabel] = []string{label}
	return labels
}

// viewOf returns the view of a profile that contend wrote.
func viewOf(p *profile.Profile) string {
	for _, c := range p.Comments {
		if view, ok := strings.CutPrefix(c, viewComment); ok {
			return "the view " + view
		}
	}
	return "no view of contend's"
}

func typesOf(p *profile.Profile) string {
	names := make([]string, len(p.SampleType))
	for i, t := range p.SampleType {
		names[i] = t.Type + "/" + t.Unit
	}
	return strings.Join(names, ", ")
}

// readdress changes the addresses in a profile of contend's own. They number
// the frames of that profile, and would keep one frame of two profiles apart;
// without any, viewers would merge all locations.
func readdress(p *profile.Profile, address func(*profile.Location) uint64) {
	for _, l := range p.Location {
		if l.Mapping != nil && l.Mapping.File == mappingFile {
			l.Address = address(l)
		}
	}
}

// Write writes the joined profile. Every value is the sum of the parts';
// the duration is, too, so that rates stay those of one program.
func (j *Joiner) Write(w io.Writer) error {
	p, err := profile.Merge(j.all)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	readdress(p, func(l *profile.Location) uint64 { return l.ID })
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return p.Write(w)
}

// maxProfile bounds a profile, unpacked. What it is parsed to takes some
// thirty times as much at worst.
const maxProfile = 128 << 20

// read parses an unpacked profile.
func read(r io.Reader) (*profile.Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, format.ErrTruncated
	case err != nil:
		return nil, err
	case len(data) > maxProfile:
		return nil, fmt.Errorf("longer than %d MiB: %w", maxProfile>>20, format.ErrLimit)
	}
	if err := checkSamples(data); err != nil {
		return nil, err
	}
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", format.ErrCorrupt, err)
	}
	return p, nil
}
