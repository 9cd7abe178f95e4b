package godump

import (
	"strings"

	"contend/decode/rules"

	"github.com/maruel/panicparse/v2/stack"
)

// semaphores are the functions whose first argument is the semaphore inside a
// lock, and where in the lock it lies: sync.Mutex is {state int32, sema
// uint32}, sync.RWMutex {w Mutex, writerSem, readerSem uint32, ...}.
var semaphores = map[string]uint64{
	"sync.runtime_SemacquireMutex":          4,
	"internal/sync.runtime_SemacquireMutex": 4,
	"sync.runtime_SemacquireRWMutex":        8,
	"sync.runtime_SemacquireRWMutexR":       12,
}

// address returns the address of the lock a goroutine waits for, 0 where the
// dump does not show it. The lock's own methods have it as receiver, unless
// they are inlined; it is the same for an RWMutex and the Mutex it begins with.
func address(calls []stack.Call) (addr uint64) {
	offset, found := uint64(0), false
	for i := range calls {
		class, method := rules.SplitGo(calls[i].Func.Complete)
		if !rules.OfGoLocks(class) {
			break
		}
		arg, known := first(&calls[i].Args)
		if o, ok := semaphores[class+"."+method]; ok {
			offset, found = olderOffset(calls[i+1:], o), true
			if known {
				addr = arg - offset
			}
		}
		if known && strings.Contains(method, "Mutex).") {
			return arg
		}
	}
	if addr == 0 && found {
		addr = behindSemaphore(calls, offset)
	}
	return addr
}

// olderOffset is where the semaphore lies for which the callers wait. Until Go
// 1.19 the two of an RWMutex were waited for as that of a Mutex is.
func olderOffset(callers []stack.Call, offset uint64) uint64 {
	if len(callers) > 0 {
		switch callers[0].Func.Complete {
		case "sync.(*RWMutex).RLock":
			return 12
		case "sync.(*RWMutex).Lock":
			return 8
		}
	}
	return offset
}

// behindSemaphore finds the semaphore where only the runtime's function shows
// its address.
func behindSemaphore(calls []stack.Call, offset uint64) uint64 {
	for i := range calls {
		if calls[i].Func.Complete == "runtime.semacquire1" {
			if arg, known := first(&calls[i].Args); known && arg > offset {
				return arg - offset
			}
		}
	}
	return 0
}

// first returns the first argument of a call if the dump is sure of it.
func first(a *stack.Args) (uint64, bool) {
	if len(a.Values) == 0 || a.Values[0].IsAggregate || a.Values[0].IsInaccurate || a.Values[0].IsOffsetTooLarge || a.Values[0].Value == 0 {
		return 0, false
	}
	return a.Values[0].Value, true
}
