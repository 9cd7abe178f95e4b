package jfr

import (
	"fmt"

	"contend/format"
)

type threadKey struct {
	java, os int64
	name     string
}

// lifeKey tells the threads of a process, whatever they are called: names
// change, in many servers with each request.
type lifeKey struct{ java, os int64 }

// living is a thread that lives, as it is called.
type living struct {
	id   format.ThreadID
	name string
}

// thread resolves a thread's key.
func (r *Reader) thread(key int64) format.ThreadID {
	if key == 0 {
		return format.NoThread
	}
	if id := r.known.threads.get(key); id != 0 {
		return format.ThreadID(id)
	}
	var v values
	var k threadKey
	group, virtual := "", false
	if !r.constant(r.meta.parts.thread, key, &v) {
		k = threadKey{os: key, name: fmt.Sprintf("thread-%d", key)}
	} else {
		k = threadKey{v[slotID], v[slotOSID], r.ids.words.list[r.word(v[slotName])]}
		if k.name == "" {
			k.name = r.ids.words.list[r.word(v[slotOSName])]
		}
		if virtual = v[slotVirtual] != 0; virtual {
			k.os = 0 // the carrier changes
			if k.name == "" {
				k.name, group = fmt.Sprintf("virtual-%d", k.java), "virtual"
			}
		}
	}
	id := r.threadID(k, group)
	if virtual {
		r.ids.virtual.add(id)
	}
	if k.java != 0 {
		r.ids.byJava[k.java] = id
	}
	r.known.threads.set(key, uint32(id))
	return id
}

// started is thread for one that starts or ends, which may have no constant yet: it
// may do so as the chunk ends.
func (r *Reader) started(key int64) format.ThreadID {
	missing := r.missing
	id := r.thread(key)
	r.missing = missing
	return id
}

// threadID returns the id of a thread, and announces it when it is new or has
// another name.
func (r *Reader) threadID(k threadKey, group string) format.ThreadID {
	ids, life := &r.ids, lifeKey{k.java, k.os}
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
	if name, told := ids.called[id]; !told || name != k.name {
		ids.called[id] = k.name
		r.queue.Push(format.Event{Kind: format.KindThread, Thread: id, Name: k.name, Group: group})
	}
	return id
}
