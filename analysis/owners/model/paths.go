package model

import "contend/format"

// path identifies a stack by its methods. Lines are left out, since they move between
// recordings, and successive calls of one method count once.
type path struct {
	method []uint64 // by level, innermost first: a hash of the method
	suffix []uint64 // by level: a hash of the method and all its callers
	frame  []int    // by level: its place in the stack, the outermost of a recursion
}

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func hashed(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

func methodOf(f *format.Frame) uint64 { return hashed(hashed(hashSeed, f.Class)*hashPrime, f.Method) }

// set makes it the path of a stack from frame number at outwards.
func (p *path) set(frames []format.Frame, at int) {
	p.method, p.suffix, p.frame = p.method[:0], p.suffix[:0], p.frame[:0]
	for i := at; i < len(frames); i++ {
		m := methodOf(&frames[i])
		if n := len(p.method); n > 0 && p.method[n-1] == m {
			p.frame[n-1] = i
			continue
		}
		p.method, p.frame = append(p.method, m), append(p.frame, i)
	}
	p.suffix = append(p.suffix, p.method...)
	h := uint64(hashSeed)
	for i := len(p.method) - 1; i >= 0; i-- {
		h = (h ^ p.method[i]) * hashPrime
		h ^= h >> 29
		p.suffix[i] = h
	}
}

// anchored returns the number of the frame that acquires the lock: the innermost one of a
// synchronized section, else the innermost one outside of the lock's implementation.
func (c *Class) anchored(stack format.StackID) (frames []format.Frame, at int, ok bool) {
	frames = c.program.Frames(stack)
	if !c.Block {
		at = len(frames) - len(c.program.Application(stack))
	}
	return frames, at, at < len(frames)
}
