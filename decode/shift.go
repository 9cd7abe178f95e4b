package decode

import "contend/format"

// shift keeps the ids of several inputs apart, and small: those of each input
// are moved behind the largest of the ones before.
type shift struct {
	threads moved[format.ThreadID]
	objects moved[format.ObjectID]
	stacks  moved[format.StackID]
}

// moved is the ids of one kind. Zero is none, and stays.
type moved[ID ~uint32] struct {
	by, top ID    // what is added to each, and the largest given so far
	large   dense // of the current input
}

// advance begins the next input.
func (s *shift) advance() {
	s.threads.advance()
	s.objects.advance()
	s.stacks.advance()
}

func (m *moved[ID]) advance() { m.by, m.large = m.top, dense{} }

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
	if len(list) == 0 { // as of nearly all events
		return
	}
	thread, stack := s.threads.top, s.stacks.top
	for i := range list {
		p := &list[i]
		if uint32(p.Thread)-1 < identical && uint32(p.Stack)-1 < identical { // nearly all
			p.Thread += s.threads.by
			p.Stack += s.stacks.by
		} else {
			p.Thread, p.Stack = s.threads.id(p.Thread), s.stacks.id(p.Stack)
		}
		thread, stack = max(thread, p.Thread), max(stack, p.Stack)
	}
	s.threads.top, s.stacks.top = max(s.threads.top, thread), max(s.stacks.top, stack)
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
