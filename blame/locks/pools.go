package locks

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Pool is a place where threads wait for an object of an exhausted pool.
type Pool struct {
	What string // the outermost method of the pool, which names the request
	Site string // as in Resource
	NonLockWait
	EmptyNs int64 // while some thread waited; 0 when waits were only sampled
}

// poolPackages are the libraries whose frames show that a thread waits for an object of a
// pool, and the semaphore, for a permit.
var poolPackages = [...]string{
	"java.util.concurrent.Semaphore.",
	"com.zaxxer.hikari.",
	"org.apache.commons.pool",
	"org.apache.commons.dbcp",
	"org.apache.tomcat.dbcp.",
	"org.apache.tomcat.jdbc.pool.",
	"com.mchange.v2.resourcepool.",
	"com.alibaba.druid.pool.",
	"org.vibur.objectpool.",
	"org.apache.http.impl.conn.",
	"org.apache.http.pool.",
	"org.apache.hc.core5.pool.",
}

// poolOf returns the method of a pool in which a stack waits, "" if there is none.
func poolOf(frames []format.Frame) (what string) {
	for _, f := range frames {
		name := analysis.MethodName(f)
		if slices.ContainsFunc(poolPackages[:], func(p string) bool { return strings.HasPrefix(name, p) }) {
			what = name
		}
	}
	return what
}

// Pools returns the pools that threads waited for, by name.
func (c *Resources) Pools() (out []Pool) {
	type pool struct{ what, site string }
	of := map[pool][]*resourcePart{}
	for key, p := range c.parts {
		if p.pool != nil {
			frames := c.sym.Frames(key.stack)
			_, site, _ := Place(frames)
			at := pool{poolOf(frames), site}
			of[at] = append(of[at], p)
		}
	}
	for at, parts := range of {
		one, threads, when := Pool{What: at.what, Site: at.site}, blame.ThreadSet{}, []*analysis.Union(nil)
		for _, p := range parts {
			one.WaitNs, one.Waits, when = one.WaitNs+p.ns, one.Waits+p.waits, append(when, p.pool)
			threads.Join(&p.threads)
		}
		one.Waiters, one.EmptyNs = threads.Len(), analysis.UnionOf(when).Len()
		out = append(out, one)
	}
	slices.SortFunc(
		out,
		func(a, b Pool) int { return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Site, b.Site)) },
	)
	return out
}
