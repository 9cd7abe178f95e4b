package perf

import (
	"bytes"
	"fmt"
	"strings"

	"contend/format"
)

// kernelWait is a thread that waits for a lock of the kernel.
type kernelWait struct {
	lock  *lock
	start int64
	stack format.StackID
	mode  format.Mode
}

// inKernel stands for the process of kernel addresses.
const inKernel = -2

// contentionBegin reads lock:contention_begin: 0xffff88810739a298 (flags=SPIN|WRITE). A mutex
// begins again when it stops spinning and sleeps; both are one wait.
func (r *Reader) contentionBegin(s *sample) {
	addr, rest, ok := hexadecimal(s.args)
	if !ok {
		r.seen.unreadable++
		return
	}
	t := r.running(s)
	if t.contended(addr) >= 0 {
		return
	}
	_, flags, _ := bytes.Cut(rest, []byte("flags="))
	flags, _, _ = bytes.Cut(flags, []byte(")"))
	k := kernelWait{lock: r.process(inKernel).lockAt(addr), start: s.time, stack: r.stack(false)}
	if bytes.Contains(flags, []byte("READ")) {
		k.mode = format.Shared
	}
	if k.lock.id == format.NoObject {
		r.announceKernel(k.lock, kernelClass(flags), k.stack)
	}
	t.kernel = append(t.kernel, k)
}

// contentionEnd takes lock:contention_end: 0xffff88810739a298 (ret=0).
func (r *Reader) contentionEnd(s *sample) {
	addr, rest, ok := hexadecimal(s.args)
	if !ok {
		r.seen.unreadable++
		return
	}
	t := r.running(s)
	i := t.contended(addr)
	if i < 0 {
		r.seen.unbegun++
		return
	}
	_, ret, _ := bytes.Cut(rest, []byte("ret="))
	r.seen.kernel++
	r.kernelWait(t, i, s.time, len(ret) > 0 && ret[0] == '-')
}

// contended returns the index of the wait of a thread for a lock, -1 for none.
func (t *thread) contended(addr uint64) int {
	for i := len(t.kernel) - 1; i >= 0; i-- {
		if t.kernel[i].lock.addr == addr {
			return i
		}
	}
	return -1
}

// kernelWait delivers a wait.
func (r *Reader) kernelWait(t *thread, i int, end int64, failed bool) {
	k := t.kernel[i]
	t.kernel = append(t.kernel[:i], t.kernel[i+1:]...)
	if end >= k.start {
		r.Push(
			format.Event{
				Kind:   format.KindWait,
				Thread: t.id,
				Object: k.lock.id,
				Mode:   k.mode,
				Stack:  k.stack,
				Time:   k.start,
				End:    end,
				Failed: failed,
			},
		)
	}
}

// running returns the thread of an event. Each CPU has an idle thread.
func (r *Reader) running(s *sample) *thread {
	if s.tid != idleTask {
		return r.thread(s)
	}
	t := r.threadOf(-2 - max(s.cpu, 0))
	if !t.named {
		t.named = true
		r.Push(
			format.Event{
				Kind:   format.KindThread,
				Thread: t.id,
				Name:   fmt.Sprintf("swapper/%d", max(s.cpu, 0)),
				Group:  "swapper",
			},
		)
	}
	return t
}

// kernelClass names the kind of a lock by the flags of its contention, as perf
// lock does.
func kernelClass(flags []byte) string {
	has := func(flag string) bool { return bytes.Contains(flags, []byte(flag)) }
	switch spin, rw := has("SPIN"), has("READ") || has("WRITE"); {
	case has("MUTEX"):
		return "kernel:mutex"
	case has("PERCPU"):
		return "kernel:percpu-rwsem"
	case has("RT") && rw:
		return "kernel:rt-rwlock"
	case has("RT"):
		return "kernel:rt-mutex"
	case spin && rw:
		return "kernel:rwlock"
	case spin:
		return "kernel:spinlock"
	case rw:
		return "kernel:rwsem"
	}
	return "kernel:semaphore"
}

// known are locks of the kernel by the prefixes of the functions that acquire them.
var known = []struct{ class, caller, name string }{
	{"kernel:rwsem", "do_user_addr_fault", "mmap_lock"},
	{"kernel:rwsem", "exc_page_fault", "mmap_lock"},
	{"kernel:rwsem", "lock_mm_and_find_vma", "mmap_lock"},
	{"kernel:rwsem", "mmap_read_lock", "mmap_lock"},
	{"kernel:rwsem", "mmap_write_lock", "mmap_lock"},
	{"kernel:rwsem", "vm_mmap_pgoff", "mmap_lock"},
	{"kernel:rwsem", "vm_munmap", "mmap_lock"},
	{"kernel:rwsem", "do_mprotect_pkey", "mmap_lock"},
	{"kernel:rwsem", "do_madvise", "mmap_lock"},
	{"kernel:rwsem", "madvise_lock", "mmap_lock"},
	{"kernel:rwsem", "mm_populate", "mmap_lock"},
	{"kernel:rwsem", "brk", "mmap_lock"},
	{"kernel:rwsem", "x64_sys_brk", "mmap_lock"},
	{"kernel:rwsem", "dup_mmap", "mmap_lock"},
	{"kernel:rwsem", "exit_mmap", "mmap_lock"},
	{"kernel:rwsem", "do_exit", "mmap_lock"},
	{"kernel:spinlock", "folio_lruvec_lock", "lru_lock"},
	{"kernel:spinlock", "pte_offset_map_lock", "page table lock"},
	{"kernel:spinlock", "raw_spin_rq_lock", "run queue lock"},
	{"kernel:spinlock", "try_to_wake_up", "run queue lock"},
	{"kernel:spinlock", "schedule", "run queue lock"},
	{"kernel:spinlock", "futex_", "futex hash bucket"},
	{"kernel:spinlock", "rmqueue", "zone lock"},
	{"kernel:spinlock", "free_pcppages_bulk", "zone lock"},
	{"kernel:spinlock", "get_partial_node", "slab list lock"},
	{"kernel:spinlock", "d_alloc", "dentry lock"},
	{"kernel:spinlock", "lockref_get", "dentry lock"},
}

// announceKernel gives a lock its id and name: the name of a known lock, or the function
// that acquires it.
func (r *Reader) announceKernel(l *lock, class string, stack format.StackID) {
	r.locks++
	l.id = r.locks
	name := fmt.Sprintf("%s at %#x", class, l.addr)
	if u := &r.stacks.byID[stack].use; u.site {
		name = fmt.Sprintf("%s of %s at %#x", class, u.at.Method, l.addr)
		for _, k := range known {
			if k.class == class && strings.HasPrefix(strings.TrimLeft(u.at.Method, "_"), k.caller) {
				name = fmt.Sprintf("%s at %#x", k.name, l.addr)
				break
			}
		}
	}
	r.Push(
		format.Event{
			Kind:     format.KindObject,
			Object:   l.id,
			Class:    class,
			LockKind: format.KindKernelLock,
			Name:     name,
			Hash:     l.addr,
		},
	)
}
