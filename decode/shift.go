package decode

import "contend/format"

// shift keeps the ids of several inputs apart, and small: those of each input
// are moved behind the largest of the ones before.
type shift struct {
	thread, topThread format.ThreadID
	object, topObject format.ObjectID
	stack, topStack   format.StackID

	threads, objects, stacks dense // of the current input
}

// advance begins the next input.
func (s *shift) advance() {
	s.thread, s.object, s.stack = s.topThread, s.topObject, s.topStack
	s.threads, s.objects, s.stacks = dense{}, dense{}, dense{}
}

func (s *shift) apply(ev *format.Event) {
	ev.Thread = s.threadID(ev.Thread)
	ev.Owner = s.threadID(ev.Owner)
	ev.Woken = s.threadID(ev.Woken)
	ev.Stack = s.stackID(ev.Stack)
	if ev.Object != format.NoObject {
		if ev.Object > identical {
			ev.Object = format.ObjectID(s.objects.id(uint32(ev.Object)))
		}
		ev.Object += s.object
		s.topObject = max(s.topObject, ev.Object)
	}
	s.parties(ev.Owners)
	s.parties(ev.Waiters)
}

func (s *shift) parties(list []format.Party) {
	thread, stack := s.topThread, s.topStack
	for i := range list {
		p := &list[i]
		if uint32(p.Thread)-1 < identical && uint32(p.Stack)-1 < identical { // nearly all
			p.Thread += s.thread
			p.Stack += s.stack
		} else {
			p.Thread, p.Stack = s.threadID(p.Thread), s.stackID(p.Stack)
		}
		thread, stack = max(thread, p.Thread), max(stack, p.Stack)
	}
	s.topThread, s.topStack = max(s.topThread, thread), max(s.topStack, stack)
}

func (s *shift) threadID(id format.ThreadID) format.ThreadID {
	if id > identical {
		id = format.ThreadID(s.threads.id(uint32(id)))
	}
	if id != format.NoThread {
		id += s.thread
		s.topThread = max(s.topThread, id)
	}
	return id
}

func (s *shift) stackID(id format.StackID) format.StackID {
	if id > identical {
		id = format.StackID(s.stacks.id(uint32(id)))
	}
	if id != format.NoStack {
		id += s.stack
		s.topStack = max(s.topStack, id)
	}
	return id
}
