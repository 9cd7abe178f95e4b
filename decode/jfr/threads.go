package jfr

import (
	"fmt"

	"contend/format"
)

type threadKey struct {
	java, os int64
	name     string
}

// lifeKey identifies a thread of a process independent of its name: in many servers names
// change with each request.
type lifeKey struct{ java, os int64 }

// living is a thread that lives, as it is called.
type living struct {
	id   format.ThreadID
	name string
}

// thread resolves a thread's key.
func (s *resolver) thread(key int64) format.ThreadID {
	if key == 0 {
		return format.NoThread
	}
	if id := s.known.threads.get(key); id != 0 {
		return format.ThreadID(id)
	}
	if id := s.ids.byKey[key]; id != format.NoThread && !s.held(s.chunk.meta.parts.thread, key) {
		s.known.threads.set(key, uint32(id)) // one that ended as the chunk began is named by those before
		return id
	}
	var v values
	var k threadKey
	group, virtual := "", false
	if !s.constant(s.chunk.meta.parts.thread, key, &v) {
		k = threadKey{os: key, name: fmt.Sprintf("thread-%d", key)}
	} else {
		k = threadKey{v[slotID], v[slotOSID], s.ids.words.List[s.word(v[slotName])]}
		if k.name == "" {
			k.name = s.ids.words.List[s.word(v[slotOSName])]
		}
		if nearly(k.name, s.ids.words.List[s.word(v[slotOSName])]) || k.java > 0 &&
			s.known.java.differs(k.java, s.wordOf(k.name)+1) {
			s.missing++
		}
		if virtual = v[slotVirtual] != 0; virtual {
			k.os = 0 // the carrier changes
			if k.name == "" {
				k.name, group = fmt.Sprintf("virtual-%d", k.java), "virtual"
			}
		}
	}
	id := s.threadID(k, group)
	if virtual {
		s.ids.virtual.addThread(id)
	}
	if k.java != 0 {
		s.ids.byJava[k.java] = id
	}
	s.known.threads.set(key, uint32(id))
	s.ids.byKey[key] = id
	return id
}

// lifeOf is thread for a thread that starts or ends. It may have no constant yet at the end
// of the chunk.
func (s *resolver) lifeOf(key int64) format.ThreadID {
	missing := s.missing
	id := s.thread(key)
	if !s.held(s.chunk.meta.parts.thread, key) {
		s.missing = missing
	}
	return id
}

// threadID returns the id of a thread, and announces it when it is new or has
// another name.
func (s *resolver) threadID(k threadKey, group string) format.ThreadID {
	ids, life := &s.ids, lifeKey{k.java, k.os}
	before, known := living{}, false
	if k.java > 0 {
		if before, known = ids.alive[life]; known && before.name == k.name {
			return before.id // as in the chunk before
		}
	}
	id, ok := ids.threads[k]
	if !ok {
		id, ok = before.id, known
	}
	if !ok {
		ids.last++
		id = ids.last
	}
	ids.threads[k] = id
	if k.java > 0 {
		ids.alive[life] = living{id, k.name}
	}
	if name, known := ids.called[id]; !known || name != k.name {
		ids.called[id] = k.name
		s.queue.Push(format.Event{Kind: format.KindThread, Thread: id, Name: k.name, Group: group})
	}
	return id
}
