package findings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame/locks"
	"contend/format"
)

// pool is what threads wait for, and where.
type pool struct{ what, site string }

// exhausted is when a pool had nothing left.
type exhausted struct {
	ns, waits int64
	threads   map[format.ThreadID]struct{}
	when      analysis.Union // some thread waited for it
}

// poolPackages are the libraries whose frames show that a thread waits for an object of a
// pool, and the semaphore, for a permit.
var poolPackages = [...]string{"java.util.concurrent.Semaphore.", "com.zaxxer.hikari.", "org.apache.commons.pool", "org.apache.commons.dbcp", "org.apache.tomcat.dbcp.",
	"org.apache.tomcat.jdbc.pool.", "com.mchange.v2.resourcepool.", "com.alibaba.druid.pool.", "org.vibur.objectpool.",
	"org.apache.http.impl.conn.", "org.apache.http.pool.", "org.apache.hc.core5.pool."}

// NonLockWait implements analysis.NonLockVisitor.
func (v *Evidence) NonLockWait(a *analysis.NonLockWait) {
	if !a.Resource {
		return
	}
	v.beside += a.Ns
	key := v.pool(a.Stack)
	if key.what == "" {
		return
	}
	p := v.pools[key]
	if p == nil {
		p = &exhausted{threads: map[format.ThreadID]struct{}{}}
		v.pools[key] = p
	}
	p.ns, p.waits = p.ns+a.Ns, p.waits+a.Waits
	p.threads[a.Thread] = struct{}{}
	p.when.Add(a.From, a.To)
}

// pool returns the pool that a stack waits for; none where it is no pool's.
func (v *Evidence) pool(id format.StackID) pool {
	s := v.stack(id)
	if s.pooled || id == format.NoStack {
		return s.pool
	}
	s.pooled = true
	for _, f := range v.sym.Frames(id) {
		name := analysis.MethodName(f)
		if slices.ContainsFunc(poolPackages[:], func(p string) bool { return strings.HasPrefix(name, p) }) {
			_, site, _ := locks.Place(v.sym.Frames(id))
			s.pool = pool{name, site} // the outermost method of the pool says what was asked of it
		}
	}
	return s.pool
}

// exhaustedPools finds pools without free objects or permits. A wait for one means that,
// because a thread that finds a free one takes it. Waits for resources count beside those for
// locks.
func exhaustedPools(v *Evidence, t *Trace) (out []Finding) {
	for _, key := range slices.SortedFunc(maps.Keys(v.pools), func(a, b pool) int { return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.site, b.site)) }) {
		p := v.pools[key]
		f := Finding{Kind: PoolExhausted, Class: key.what, Site: key.site, WaitNs: p.ns, Threads: len(p.threads), Confidence: High}
		f.Evidence = fmt.Sprintf("%s of %s", format.Some(int(p.waits), "wait", "waits"), format.Some(len(p.threads), "thread", "threads"))
		if ns := p.when.Len(); ns > 0 { // 0 where only samples tell
			f.Evidence += fmt.Sprintf(": nothing was left for %s", format.Duration(ns))
			if t.ElapsedNs > 0 {
				f.Evidence += fmt.Sprintf(", %s of the time", percent(ns, t.ElapsedNs))
			}
		}
		out = append(out, f)
	}
	return out
}
