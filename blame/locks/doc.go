// Package locks sums waiting by lock or class of lock, and waiting for other things by place.
//
//	doc.go        this page
//	locks.go      the number and the duration of waits for each lock
//	overview.go   the visitor that sums by lock, owner and waiter
//	sums.go       the tables of the overview
//	lock.go       each lock with its owners and waiters
//	join.go       several locks in one row
//	stackless.go  owners that are known by their thread alone
//	site.go       the site in the name of a lock
//	names.go      locks and owners named by places
//	orders.go     pairs of locks that were acquired in both orders
//	resources.go  places where threads wait for resources
//	callers.go    the callers of such a place
//	kind.go       the kind of a resource, by the names of methods
//	pools.go      exhausted pools
//	poolusers.go  who has what a pool hands out
//	poolstacks.go stacks between acquiring and releasing
//	workers.go    what the workers of executors do
//	instants.go   threads at sampling instants, and unions of their times
package locks
