package document

import "contend/blame"

// Chains is the document of `contend chains`.
type Chains struct {
	Schema   string   `json:"schema"`
	Chains   []Chain  `json:"chains"`
	Omitted  Omitted  `json:"omitted"`
	Total    Waiting  `json:"total"`
	Coverage Coverage `json:"coverage"`
}

// Chain is everything that was waited along one signature.
type Chain struct {
	Signature  string     `json:"signature"` // the names of the steps, "->" between them: equal in every trace
	Steps      []Step     `json:"steps"`
	Hops       int        `json:"hops"` // locks on the way
	blame.Sum
	Provenance Provenance `json:"provenance"` // how the leaf is known
}

// Step is one part of a signature.
type Step struct {
	Role string `json:"role"` // waiter (a group of threads), lock (a class), owner (a method), leaf (a method or pseudo owner)
	Name string `json:"name"`
}

// NewChains builds the document; top limits the chains, 0 means all.
func NewChains(t *blame.Table, cov Coverage, top int) *Chains {
	d := &Chains{Schema: "contend.chains/1", Chains: []Chain{}, Coverage: cov,
		Total: Waiting{t.Total.Waits, t.Total.ThreadNs, t.Total.WallNs}}
	shown := limit(t.Rows, top)
	for i := range shown {
		c := &shown[i]
		steps, hops := t.Chain(c)
		out := Chain{Signature: c.Keys[0], Hops: hops, Sum: c.Sum, Provenance: NewProvenance(c.ByProvenance)}
		for _, s := range steps {
			out.Steps = append(out.Steps, Step{blame.Roles[s.Role], s.Name})
		}
		d.Chains = append(d.Chains, out)
	}
	for _, c := range t.Rows[len(shown):] {
		d.Omitted.Chains++
		d.Omitted.ThreadNs += c.ThreadNs
	}
	return d
}
