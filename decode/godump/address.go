package godump

import (
	"strings"

	"contend/decode/gonames"
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

// address returns the address of the lock a goroutine waits for, 0 if the dump does not
// show it. The lock's own methods have it as receiver, unless they are inlined. An RWMutex
// and the Mutex at its begin have the same address.
func (g *goroutine) address() (addr uint64) {
	offset := uint64(0) // of the semaphore; 0 before it is found
	for i, f := range g.frames {
		if !gonames.OfLocks(f.Class) {
			break
		}
		arg := g.args[i]
		if o, ok := semaphores[f.Class+"."+f.Method]; ok {
			if offset = g.offset(i+1, o); arg != 0 {
				addr = arg - offset
			}
		}
		if arg != 0 && strings.Contains(f.Method, "Mutex).") {
			return arg
		}
	}
	if addr == 0 && offset != 0 {
		addr = g.behindSemaphore(offset)
	}
	return addr
}

// offset returns where in the lock the semaphore lies that the caller waits on. Until Go
// 1.19 the two semaphores of an RWMutex looked like a Mutex's.
func (g *goroutine) offset(caller int, offset uint64) uint64 {
	if caller < len(g.frames) && g.frames[caller].Class == "sync" {
		switch g.frames[caller].Method {
		case "(*RWMutex).RLock":
			return 12
		case "(*RWMutex).Lock":
			return 8
		}
	}
	return offset
}

// behindSemaphore finds the semaphore if only the runtime's function shows its address.
func (g *goroutine) behindSemaphore(offset uint64) uint64 {
	for i, f := range g.frames {
		if f.Class == "runtime" && f.Method == "semacquire1" && g.args[i] > offset {
			return g.args[i] - offset
		}
	}
	return 0
}
