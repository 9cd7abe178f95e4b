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

// thread resolves a thread's key.
func (r *Reader) thread(key int64) format.ThreadID {
	if key == 0 {
		return format.NoThread
	}
	if id := r.known.threads.get(key); id != 0 {
		return format.ThreadID(id)
	}
	var v values
	k := threadKey{os: key, name: fmt.Sprintf("thread-%d", key)}
	group, virtual := "", false
	if r.constant(r.meta.parts.thread, key, &v) {
		k = threadKey{v[slotID], v[slotOSID], r.text(v[slotName])}
		if k.name == "" {
			k.name = r.text(v[slotOSName])
		}
		if virtual = v[slotVirtual] != 0; virtual {
			k.os = 0 // the carrier changes
			if k.name == "" {
				k.name, group = fmt.Sprintf("virtual-%d", k.java), "virtual"
			}
		}
	}
	id := r.threadID(k, group)
	if virtual && r.ids.virtual[id] == nil {
		r.ids.virtual[id] = &virtualLife{lastPark: format.NoTime, last: format.NoTime}
	}
	if k.java != 0 {
		r.ids.byJava[k.java] = id
	}
	r.known.threads.set(key, uint32(id))
	return id
}

// threadID returns the id of a thread, and announces it when it is new or has
// another name.
func (r *Reader) threadID(k threadKey, group string) format.ThreadID {
	ids, life := &r.ids, lifeKey{k.java, k.os}
	id, ok := ids.threads[k]
	if !ok && k.java > 0 {
		id, ok = ids.alive[life]
	}
	if !ok {
		ids.last++
		id = ids.last
	}
	ids.threads[k] = id
	if k.java > 0 {
		ids.alive[life] = id
	}
	if name, told := ids.called[id]; !told || name != k.name {
		ids.called[id] = k.name
		r.queue.Push(format.Event{Kind: format.KindThread, Thread: id, Name: k.name, Group: group})
	}
	return id
}
