package godump

import "testing"

// Until Go 1.19 an RWMutex waited with the function that Mutex has, each side
// for a semaphore of its own. All who wait for it name one lock.
func TestReadWriteLockOfOlderGo(t *testing.T) {
	const text = `goroutine 7 [semacquire]:
sync.runtime_SemacquireMutex(0xc00001c0ac, 0x0, 0x0)
	/usr/local/go/src/runtime/sema.go:71 +0x47
sync.(*RWMutex).RLock(...)
	/usr/local/go/src/sync/rwmutex.go:50
main.lookup()
	/src/main.go:9 +0x33

goroutine 8 [semacquire]:
sync.runtime_SemacquireMutex(0xc00001c0a8, 0x0, 0x0)
	/usr/local/go/src/runtime/sema.go:71 +0x47
sync.(*RWMutex).Lock(...)
	/usr/local/go/src/sync/rwmutex.go:103
main.refresh()
	/src/main.go:12 +0x33

goroutine 9 [semacquire]:
sync.runtime_SemacquireMutex(0xc00001c0a4, 0x0, 0x1)
	/usr/local/go/src/runtime/sema.go:71 +0x47
sync.(*Mutex).lockSlow(...)
	/usr/local/go/src/sync/mutex.go:138
sync.(*Mutex).Lock(...)
	/usr/local/go/src/sync/mutex.go:81
sync.(*RWMutex).Lock(0xc00001c0a0)
	/usr/local/go/src/sync/rwmutex.go:98 +0x97
main.refresh()
	/src/main.go:12 +0x33
`
	s := read(t, []byte(text))
	if len(s.locks) != 1 || s.waiters["sync.RWMutex"] != 3 || s.locks[1].Hash != 0xc00001c0a0 {
		t.Errorf("%v wait for %v, want 3 for one at c00001c0a0", s.waiters, s.locks)
	}
}
