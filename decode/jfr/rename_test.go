package jfr

import (
	"encoding/binary"
	"testing"

	"contend/format"
)

// addThread adds a thread to the constants of the chunk at hand.
func (r *Reader) addThread(key, os, java int64, name string) {
	data := binary.AppendUvarint([]byte{stringNull}, uint64(os))
	data = append(data, stringUTF8, byte(len(name)))
	data = binary.AppendUvarint(append(data, name...), uint64(java))
	r.pools[r.meta.parts.thread.pool].set(key, uint32(r.grow(append(data, 0)...))+1)
}

// A thread that gets another name in a later chunk stays one thread: as two,
// the first would live on to the end.
func TestRenamedThreadIsOne(t *testing.T) {
	r := started(t)
	const key, os, java = 1 << 20, 4711, 815
	var ids []format.ThreadID
	var names []string
	resolve := func(key, os, java int64, name string) {
		r.newConstants()
		r.addThread(key, os, java, name)
		ids = append(ids, r.thread(key))
	}
	r.queue = format.Queue{}
	for _, name := range []string{"worker", "GET /a", "GET /a", "worker"} {
		resolve(key, os, java, name)
	}
	for ev := (format.Event{}); r.queue.Pop(&ev); {
		names = append(names, ev.Name)
		if ev.Kind != format.KindThread || ev.Thread != ids[0] {
			t.Errorf("%+v", ev)
		}
	}
	if ids[0] != ids[1] || ids[0] != ids[2] || ids[0] != ids[3] {
		t.Errorf("ids %v of one thread", ids)
	}
	if len(names) != 3 || names[0] != "worker" || names[1] != "GET /a" || names[2] != "worker" {
		t.Errorf("names %q", names)
	}
	ids = nil
	resolve(key, os, java, "worker")
	resolve(key+1, os, java+1, "worker") // of the same name
	r.nextJVM()
	resolve(key, os, java, "another")
	if ids[0] == ids[1] || ids[0] == ids[2] || ids[1] == ids[2] {
		t.Errorf("ids %v of three threads", ids)
	}
}
