package format

// text returns the string field f; nil for other fields.
func (e *Event) text(f fieldCode) *string {
	switch f {
	case fName:
		return &e.Name
	case fGroup:
		return &e.Group
	case fClass:
		return &e.Class
	case fValue:
		return &e.Value
	}
	return nil
}

// number returns the unsigned field f.
func (e *Event) number(f fieldCode) uint64 {
	switch f {
	case fThread:
		return uint64(e.Thread)
	case fOwner, fNotifier:
		return uint64(e.Owner)
	case fWoken:
		return uint64(e.Woken)
	case fObject:
		return uint64(e.Object)
	case fStack:
		return uint64(e.Stack)
	case fMode:
		return uint64(e.Mode)
	case fLockKind:
		return uint64(e.LockKind)
	case fActivity:
		return uint64(e.Activity)
	case fLive:
		return uint64(e.Live)
	case fIdle:
		return uint64(e.IdleThreads)
	case fHash:
		return e.Hash
	case fFailed:
		return bit(e.Failed)
	case fResource:
		return bit(e.Resource)
	}
	return e.Count
}

// bit returns the number that stands for a boolean.
func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// setNumber sets the unsigned field f; false if v is out of its range.
func (e *Event) setNumber(f fieldCode, v uint64) bool {
	small := v <= 1<<32-1
	switch f {
	case fThread:
		e.Thread = ThreadID(v)
	case fOwner, fNotifier:
		e.Owner = ThreadID(v)
	case fWoken:
		e.Woken = ThreadID(v)
	case fObject:
		e.Object = ObjectID(v)
	case fStack:
		e.Stack = StackID(v)
	case fMode:
		e.Mode, small = Mode(v), v < uint64(len(modeNames))
	case fLockKind:
		e.LockKind, small = LockKind(v), v < uint64(len(lockKindNames))
	case fActivity:
		e.Activity, small = Activity(v), v < uint64(len(activityNames))
	case fLive:
		e.Live = uint32(v)
	case fIdle:
		e.IdleThreads = uint32(v)
	case fHash:
		e.Hash, small = v, true
	case fFailed:
		e.Failed, small = v == 1, v <= 1
	case fResource:
		e.Resource, small = v == 1, v <= 1
	case fCount, fWaits:
		e.Count, small = v, true
	}
	return small
}
