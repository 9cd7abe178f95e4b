package decode

import (
	"slices"

	"contend/format"
)

// shift keeps the ids of several inputs apart and small: those of each input follow the
// largest ones of the inputs before.
type shift struct {
	threads moved[format.ThreadID]
	objects moved[format.ObjectID]
	stacks  moved[format.StackID]
}

// moved shifts the ids of one kind. Zero means none, and stays.
type moved[ID ~uint32] struct {
	by, top ID    // by is added to each id; top is the largest result so far
	large   dense // of the current input
}

// advance begins the next input.
func (s *shift) advance() {
	s.threads.advance()
	s.objects.advance()
	s.stacks.advance()
}

func (m *moved[ID]) advance() { m.by, m.large = m.top, dense{} }

// small reports whether the ids of an event of the first input stay as they are.
func small(ev *format.Event) bool {
	ids := uint32(ev.Thread) | uint32(ev.Owner) | uint32(ev.Woken) | uint32(ev.Stack) | uint32(ev.Object)
	for _, list := range [...][]format.Party{ev.Owners, ev.Waiters} {
		for i := range list {
			ids |= uint32(list[i].Thread) | uint32(list[i].Stack)
		}
	}
	return ids < identical
}

// Small yields the events of a source that is not a Trace, with small ids. It does not
// change the events that the source keeps.
func Small(src format.Source) format.Source { return &smaller{Source: src} }

type smaller struct {
	format.Source
	shift shift
}

// Read implements format.Source.
func (s *smaller) Read(ev *format.Event) error {
	err := s.Source.Read(ev)
	if err == nil && !small(ev) {
		ev.Owners, ev.Waiters = slices.Clone(ev.Owners), slices.Clone(ev.Waiters)
		s.shift.apply(ev)
	}
	return err
}

func (s *shift) apply(ev *format.Event) {
	ev.Thread = s.threads.id(ev.Thread)
	ev.Owner = s.threads.id(ev.Owner)
	ev.Woken = s.threads.id(ev.Woken)
	ev.Stack = s.stacks.id(ev.Stack)
	ev.Object = s.objects.id(ev.Object)
	s.parties(ev.Owners)
	s.parties(ev.Waiters)
}

func (s *shift) parties(list []format.Party) {
	for i := range list {
		list[i].Thread, list[i].Stack = s.threads.id(list[i].Thread), s.stacks.id(list[i].Stack)
	}
}

func (m *moved[ID]) id(id ID) ID {
	if id == 0 {
		return 0
	}
	if id > identical {
		id = ID(m.large.id(uint32(id)))
	}
	id += m.by
	m.top = max(m.top, id)
	return id
}
