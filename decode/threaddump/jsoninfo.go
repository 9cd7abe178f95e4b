package threaddump

import (
	"encoding/json"
	"strings"

	"contend/format"
)

// jsonInfo is java.lang.management's ThreadInfo as tools write it in JSON.
type jsonInfo struct {
	ThreadID      number      `json:"threadId"`
	ThreadName    string      `json:"threadName"`
	ThreadState   string      `json:"threadState"`
	LockName      string      `json:"lockName"` // class@identityHash
	LockInfo      jsonLock    `json:"lockInfo"`
	OwnerID       number      `json:"lockOwnerId"` // -1 for none
	OwnerName     string      `json:"lockOwnerName"`
	Monitors      []jsonLock  `json:"lockedMonitors"`
	Synchronizers *[]jsonLock `json:"lockedSynchronizers"`
	StackTrace    jsonFrames  `json:"stackTrace"`

	BlockedBy number   `json:"blockedByThreadId"` // by Spark
	BlockedOn string   `json:"blockedByLock"`     // Lock(CLASS@hash}), or Monitor
	Holding   []string `json:"holdingLocks"`      // the same
}

// jsonFrames is a stack: an array of StackTraceElements or, by Spark, its lines in one
// string or in an array of that name.
type jsonFrames struct {
	elements []jsonElement
	lines    []string
}

// UnmarshalJSON reads all of these.
func (f *jsonFrames) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		var lines string
		err := json.Unmarshal(text, &lines)
		f.lines = strings.Split(lines, "\n")
		return err
	case '{':
		var object struct{ Elems []string }
		err := json.Unmarshal(text, &object)
		f.lines = object.Elems
		return err
	}
	return json.Unmarshal(text, &f.elements)
}

// jsonLock is a LockInfo.
type jsonLock struct {
	Class string `json:"className"`
	Hash  int32  `json:"identityHashCode"`

	Depth *number `json:"lockedStackDepth"` // the number of the frame; absent if unknown
}

// jsonElement is a StackTraceElement.
type jsonElement struct {
	Class  string `json:"className"`
	Method string `json:"methodName"`
	File   string `json:"fileName"`
	Line   int    `json:"lineNumber"` // -2 in native code, -1 when not known
}

// addInfo takes a thread. All threads of such a dump are from one instant.
func (b *jsonBuilder) addInfo(t *jsonInfo) {
	b.file.next()
	if !b.file.known(int64(t.ThreadID)) {
		return
	}
	b.instant = true
	b.file.begin(Thread{
		Name:   b.file.names.intern(t.ThreadName),
		JavaID: int64(t.ThreadID),
		State:  b.file.names.intern(t.ThreadState),
	})
	for _, e := range t.StackTrace.elements[:min(len(t.StackTrace.elements), format.MaxFrames)] {
		b.file.cur.Frames = append(b.file.cur.Frames, b.infoFrame(e))
	}
	for _, line := range t.StackTrace.lines {
		b.file.frame(line, dotted)
	}
	for _, lock := range t.Holding {
		b.file.cur.hold(b.file.names.sparkLock(lock))
	}
	for _, m := range t.Monitors {
		frame := -1
		if m.Depth != nil {
			frame = int(*m.Depth)
		}
		b.file.locks(b.file.names.infoLock(m), frame)
	}
	if t.Synchronizers != nil {
		b.file.dump.Ownables = true
		for _, s := range *t.Synchronizers {
			b.file.cur.hold(b.file.names.infoLock(s))
		}
	}
	b.waitsInfo(t)
}

// waitsInfo sets the lock that the thread waits for. Its state and frames distinguish a
// monitor from a park.
func (b *jsonBuilder) waitsInfo(t *jsonInfo) {
	ref := b.file.names.infoLock(t.LockInfo)
	if ref == (LockRef{}) {
		ref = b.file.names.hashed(t.LockName)
	}
	if ref == (LockRef{}) {
		ref, t.OwnerID = b.file.names.sparkLock(t.BlockedOn), t.BlockedBy
	}
	if ref == (LockRef{}) {
		return
	}
	b.file.waitsByState(ref)
	if t.OwnerID > 0 {
		name := b.file.names.intern(t.OwnerName)
		b.file.claims = append(b.file.claims, claim{int64(t.OwnerID), name, int64(t.OwnerID), b.file.cur.For})
	}
}

func (b *jsonBuilder) infoFrame(e jsonElement) format.Frame {
	f := format.Frame{
		Class:  b.file.names.intern(ClassName(e.Class)),
		Method: b.file.names.intern(e.Method),
		File:   b.file.names.intern(e.File),
		Line:   max(e.Line, 0),
	}
	if e.Line == -2 {
		f.File, f.Line = "", -1 // like "Native Method" in text
	}
	return f
}

// infoLock is the lock of a LockInfo, the zero ref for none.
func (n *names) infoLock(l jsonLock) LockRef {
	if l.Class == "" {
		return LockRef{}
	}
	return n.ref(l.Class, uint64(uint32(l.Hash)))
}

// sparkLock reads `Lock(a.B@350285679})`.
func (n *names) sparkLock(text string) LockRef {
	_, object, _ := strings.Cut(text, "(")
	return n.hashed(strings.TrimRight(object, "})"))
}
