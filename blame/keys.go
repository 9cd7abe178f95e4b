package blame

import (
	"contend/analysis"
	"contend/analysis/durations"
	"contend/format"
)

// Key is one dimension of a pivot.
type Key uint8

// The keys. A group is a thread name with its numbers removed; a method is
// the innermost frame that is not the lock or the runtime itself.
const (
	ByClass Key = iota
	ByLock
	ByCreated
	ByOwnerSite
	ByOwnerCallers
	ByOwnerDoing
	ByOwnerBlockedOn
	ByOwnerLine
	ByOwnerStack
	ByOwnerMethod
	ByOwnerThread
	ByOwnerGroup
	ByOwnerTask
	ByOwnerRegion
	ByOwnerOperation
	ByRootLock
	ByWaiterSite
	ByWaiterLine
	ByWaiterStack
	ByWaiterMethod
	ByWaiterThread
	ByWaiterGroup
	ByTask
	ByRegion
	ByWaiterOperation
	ByMode
	ByInput
	ByChain
	ByProvenance
)

// keys is the one list of keys. A new key is a constant above, a row here, and an explanation of its
// words below. The arguments of --by, help texts, errors and completions are made from this table.
// Errors and completions show the keys in this order.
var keys = [...]keyRow{
	ByClass:          {name: "class", side: ofLock, kind: classKey, asked: Pivots | Lengths},
	ByLock:           {name: "lock", side: ofLock, kind: lockKey, asked: Pivots | Lengths},
	ByCreated:        {name: "created", side: ofLock, kind: createdKey, asked: Pivots | Lengths, help: bySite},
	ByOwnerSite:      {name: "owner-site", side: owner, kind: siteKey, asked: Pivots, help: bySite},
	ByOwnerCallers:   {name: "owner-callers", side: owner, kind: callersKey, asked: Pivots, help: bySite},
	ByOwnerDoing:     {name: "owner-doing", side: owner, kind: doingKey, asked: Pivots, help: bySite},
	ByOwnerBlockedOn: {name: "owner-blocked-on", side: owner, kind: blockedOnKey, asked: Pivots, help: bySite},
	ByOwnerLine:      {name: "owner-line", side: owner, kind: lineKey, asked: Pivots, help: bySite},
	ByOwnerStack:     {name: "owner-stack", side: owner, kind: stackKey, asked: Pivots},
	ByOwnerMethod:    {name: "owner-method", side: owner, kind: methodKey, asked: Pivots},
	ByOwnerThread:    {name: "owner-thread", side: owner, kind: threadKey, asked: Pivots},
	ByOwnerGroup:     {name: "owner-group", side: owner, kind: groupKey, asked: Pivots},
	ByOwnerTask: {
		name:  "owner-task",
		side:  owner,
		kind:  annotation(format.TaskClass),
		asked: Pivots,
		help:  ownerAnnotations,
	},
	ByOwnerRegion: {
		name:  "owner-region",
		side:  owner,
		kind:  annotation(format.RegionClass),
		asked: Pivots,
		help:  ownerAnnotations,
	},
	ByOwnerOperation:  {name: "owner-operation", side: owner, kind: operationKey, asked: Pivots, help: byOperation},
	ByRootLock:        {name: "root-lock", side: ofLock, kind: rootLockKey, asked: Pivots, help: bySite},
	ByWaiterSite:      {name: "waiter-site", kind: lineKey, asked: Pivots | Lengths, help: bySite},
	ByWaiterLine:      {name: "waiter-line", kind: lineKey, asked: Pivots | Lengths, help: bySite},
	ByWaiterStack:     {name: "waiter-stack", kind: stackKey, asked: Pivots},
	ByWaiterMethod:    {name: "waiter-method", kind: methodKey, asked: Pivots | Lengths},
	ByWaiterThread:    {name: "waiter-thread", kind: threadKey, asked: Pivots | Lengths},
	ByWaiterGroup:     {name: "waiter-group", kind: groupKey, asked: Pivots | Lengths},
	ByTask:            {name: "task", kind: annotation(format.TaskClass), asked: Pivots, help: waiterAnnotations},
	ByRegion:          {name: "region", kind: annotation(format.RegionClass), asked: Pivots, help: waiterAnnotations},
	ByWaiterOperation: {name: "waiter-operation", kind: operationKey, asked: Pivots, help: byOperation},
	ByMode:            {name: "mode", kind: modeKey, asked: Lengths},
	ByInput:           {name: durations.InputKey, kind: inputKey, asked: Pivots | Lengths, help: ofInputs},
	ByChain:           {name: "chain", kind: chainKey}, // for 'contend chains'
	ByProvenance:      {name: "provenance", side: ofLock, kind: provenanceKey},
}

// Meanings explains the words of the keys, as the last part of a help text.
const Meanings = `

The keys after owner- and waiter-, about the owner of the lock and the waiter:
  stack       the call chain
  method      its innermost frame that is not the lock or the runtime itself
  line        its innermost line in the program's own code (see --app)
  site        the line of own code that took the lock, or waits for it
  callers     the lines of own code around that
  thread      the thread
  group       the thread's name with its numbers removed
  doing       its activity: asleep, in file I/O, blocked on a lock of some class
  blocked-on  the lock it was blocked on
  operation   the outermost frame, written Class.method, that --operation matches,
              or the part that the first group of REGEXP matches
  task        the runtime/trace task that a Go program was in; region is the same
              for regions. Without owner- they are the waiter's
Of the lock:
  created     the line of own code that made it or, if that is unknown, the line
              where a thread first acquires it
  root-lock   the last lock in the chain of waits that begins with it
And input names the trace if there are several, see 'contend convert'.`

// keyRow is one key.
type keyRow struct {
	name  string
	side  side
	kind  keyKind
	asked Use   // the uses of the key
	help  topic // its place in help texts
}

// Use is a purpose of keys.
type Use uint8

// The uses. Lengths have no keys of owners, because a wait has one length but may have many owners.
const (
	Pivots  Use = 1 << iota // sums of waiting
	Lengths                 // distributions of single waits
)

// side is the subject of a key.
type side uint8

const (
	waiter side = iota
	ofLock      // of the lock waited for, or of one that its owners wait for
	owner       // which may be a pseudo owner
)

// topic orders the keys in help texts: keys with an explanation come last.
type topic uint8

const (
	general topic = iota
	bySite
	byOperation
	waiterAnnotations
	ownerAnnotations
	ofInputs
)

// subject is the input of a key: a waiter with the lock it waits for, or an owner of that lock.
type subject struct {
	thread  format.ThreadID
	stack   format.StackID
	lock    format.ObjectID
	last    format.ObjectID // of the chain of waits that begins with lock
	blocked format.ObjectID // of an owner: the lock it waits for in turn, NoObject for none
	did     format.Activity // of an owner: its recorded activity
	mode    format.Mode
	share   *analysis.Share // its path through the wait-for graph
}

// keyKind finds the id of a key in a trace, and writes an id.
type keyKind struct {
	id    func(r *Resolver, s *subject) uint32
	text  func(r *Resolver, id uint32) string
	stack bool // ids are those of stacks
	names Named
}

// Named is the kind of the texts of a key, which decides how they are shortened.
type Named uint8

// The kinds. A place is a method, with or without a line; callers are places, innermost first.
const (
	NamedOther Named = iota
	NamedLock
	NamedClass
	NamedPlace
	NamedCallers
	NamedDoing
)

var (
	classKey = keyKind{
		names: NamedClass,
		id:    func(r *Resolver, s *subject) uint32 { return r.sym.Class(s.lock) },
		text:  func(r *Resolver, id uint32) string { return r.sym.Classes().Value(id) },
	}
	lockKey = keyKind{
		names: NamedLock,
		id:    func(_ *Resolver, s *subject) uint32 { return uint32(s.lock) },
		text:  func(r *Resolver, id uint32) string { return r.sym.LockName(format.ObjectID(id)) },
	}
	stackKey = keyKind{
		stack: true,
		id:    func(r *Resolver, s *subject) uint32 { return r.stacks.canonical(r.sym, s.stack) },
		text:  func(r *Resolver, id uint32) string { return analysis.StackText(r.sym.Frames(format.StackID(id))) },
	}
	rootLockKey = keyKind{
		names: NamedLock,
		id:    func(_ *Resolver, s *subject) uint32 { return uint32(s.last) },
		text:  lockKey.text,
	}
	createdKey = keyKind{
		names: NamedPlace,
		id:    func(r *Resolver, s *subject) uint32 { return r.sites.Created(s.lock) },
		text:  siteName,
	}
	siteKey = keyKind{
		names: NamedPlace,
		id:    func(r *Resolver, s *subject) uint32 { return r.sites.Owner(s.stack, s.lock) },
		text:  siteName,
	}
	callersKey = keyKind{
		names: NamedCallers,
		id:    func(r *Resolver, s *subject) uint32 { return r.sites.Callers(s.stack, s.lock) },
		text:  siteName,
	}
	lineKey = keyKind{
		names: NamedPlace,
		id:    func(r *Resolver, s *subject) uint32 { return r.sites.Waiter(s.stack) },
		text:  siteName,
	}
	blockedOnKey = keyKind{
		names: NamedLock,
		id:    func(_ *Resolver, s *subject) uint32 { return uint32(s.blocked) },
		text:  blockedOnText,
	}
	doingKey  = keyKind{names: NamedDoing, id: doingID, text: doingText}
	methodKey = keyKind{
		names: NamedPlace,
		id:    func(r *Resolver, s *subject) uint32 { return r.sym.Method(s.stack) },
		text:  methodName,
	}
	threadKey = keyKind{
		id:   func(_ *Resolver, s *subject) uint32 { return uint32(s.thread) },
		text: func(r *Resolver, id uint32) string { return r.sym.ThreadName(format.ThreadID(id)) },
	}
	groupKey = keyKind{
		id:   func(r *Resolver, s *subject) uint32 { return r.sym.Group(s.thread) },
		text: func(r *Resolver, id uint32) string { return r.sym.Groups().Value(id) },
	}
	operationKey = keyKind{
		id:   func(r *Resolver, s *subject) uint32 { return r.ops.id(r.sym, s.stack) },
		text: func(r *Resolver, id uint32) string { return r.ops.names.Value(id) },
	}
	modeKey = keyKind{
		id:   func(_ *Resolver, s *subject) uint32 { return uint32(s.mode) },
		text: func(_ *Resolver, id uint32) string { return format.Mode(id).String() },
	}
	inputKey = keyKind{
		id:   func(r *Resolver, s *subject) uint32 { return r.sym.Input(s.thread) },
		text: func(r *Resolver, id uint32) string { return r.sym.Inputs().Value(id) },
	}
	chainKey = keyKind{
		id:   func(r *Resolver, s *subject) uint32 { return r.chains.id(r.sym, s.thread, s.lock, s.share) },
		text: func(r *Resolver, id uint32) string { return r.chains.signatures.Value(id) },
	}
	provenanceKey = keyKind{
		id:   func(_ *Resolver, s *subject) uint32 { return uint32(s.share.Direct.Prov.Word()) },
		text: func(_ *Resolver, id uint32) string { return analysis.Word(id).String() },
	}
)

// annotation is the key of a task or region that a Go program names with runtime/trace. Stacks have
// annotations as frames of a class of their own.
func annotation(class string) keyKind {
	return keyKind{
		id:   func(r *Resolver, s *subject) uint32 { return r.sym.Annotation(s.stack, class) },
		text: methodName,
	}
}

func methodName(r *Resolver, id uint32) string { return r.sym.Methods().Value(id) }

func siteName(r *Resolver, id uint32) string { return r.sites.Names().Value(id) }

// doingBits hold the activity of an owner; the bits above hold the class of the lock it was blocked
// on.
const doingBits = 4

func doingID(r *Resolver, s *subject) uint32 {
	if s.blocked != format.NoObject {
		return uint32(Blocked) | r.sym.Class(s.blocked)<<doingBits
	}
	if what := RecordedDoing(s.did); what != DoingUnknown {
		return uint32(what)
	}
	return uint32(r.sites.Doing(s.stack))
}

// DoingIn returns the activity in an id of ByOwnerDoing, which is not that of a pseudo owner.
func DoingIn(id uint32) Doing { return Doing(id & (1<<doingBits - 1)) }

func doingText(r *Resolver, id uint32) string {
	if what := DoingIn(id); what != Blocked {
		return what.String()
	}
	return Blocked.String() + " on " + r.BlockedOn(id)
}

// NotBlocked is the text of ByOwnerBlockedOn for owners that waited for no lock
// themselves.
const NotBlocked = "[not blocked]"

func blockedOnText(r *Resolver, id uint32) string {
	if format.ObjectID(id) == format.NoObject {
		return NotBlocked
	}
	return lockKey.text(r, id)
}

// BlockedOn returns the class in an id of ByOwnerDoing: that of the lock the owner was blocked on.
func (r *Resolver) BlockedOn(id uint32) string { return r.sym.Classes().Value(id >> doingBits) }
