package owners

import (
	"contend/analysis/owners/renewal"
	"contend/format"
)

// learnt is what models of inputs before hold, by call site: where to begin to
// learn of locks of the same class that are entered there in the next. A long
// recording may be of many JVMs that run one program, each to be learnt of for
// itself; most of what they do is what the ones before did.
type learnt map[classSite]learntSite

type classSite struct {
	class uint32
	stack format.StackID
}

// learntSite is a site of a model, by its number there.
type learntSite struct {
	of     *renewal.Learnt
	number int
}

// add takes in what was learnt of locks of a class, which are entered at some call
// sites; nil is nothing.
func (l learnt) add(class uint32, sites []format.StackID, of *renewal.Learnt) {
	if of == nil {
		return
	}
	for i, st := range sites {
		l[classSite{class, st}] = learntSite{of, i}
	}
}

// before returns what was learnt before of such locks: by the model that knows the
// call site that takes them most often.
func (l learnt) before(class uint32, sites []format.StackID, often renewal.Mix) *renewal.Before {
	out, most := &renewal.Before{Sites: make([]int, len(sites))}, -1.0
	for i, st := range sites {
		if often[i] > most {
			out.Learnt, most = l[classSite{class, st}].of, often[i]
		}
	}
	if out.Learnt == nil {
		return nil
	}
	for i, st := range sites {
		out.Sites[i] = -1
		if at := l[classSite{class, st}]; at.of == out.Learnt {
			out.Sites[i] = at.number
		}
	}
	return out
}
