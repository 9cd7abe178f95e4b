package document

import "contend/analysis"

// Provenance says how the owners of so much waiting are known. Exact and sampled ones are
// recorded.
type Provenance struct {
	ExactNs    int64 `json:"exactNs"`
	SampledNs  int64 `json:"sampledNs"`
	InferredNs int64 `json:"inferredNs"`
	UnknownNs  int64 `json:"unknownNs"`
	RightNs    int64 `json:"expectedRightNs"` // recorded owners, and inferred ones by their probability
}

// NewProvenance names the parts of a sum.
func NewProvenance(p analysis.Known) Provenance {
	return Provenance{
		ExactNs:    p[analysis.ByTenure],
		SampledNs:  p[analysis.BySample],
		InferredNs: p[analysis.ByInference],
		UnknownNs:  p[analysis.ByNothing],
		RightNs:    p.Right(),
	}
}

// merge adds that of more waiting.
func (p *Provenance) merge(o Provenance) {
	p.ExactNs += o.ExactNs
	p.SampledNs += o.SampledNs
	p.InferredNs += o.InferredNs
	p.UnknownNs += o.UnknownNs
	p.RightNs += o.RightNs
}

// RecordedNs returns the waiting whose owner is recorded.
func (p Provenance) RecordedNs() int64 { return p.ExactNs + p.SampledNs }

// Right returns the expected accuracy of inferred owners; ok is false if there are none.
func (p Provenance) Right() (share float64, ok bool) {
	if p.InferredNs == 0 {
		return 0, false
	}
	return float64(p.RightNs-p.RecordedNs()) / float64(p.InferredNs), true
}

// ProvenancePart is the part of some waiting with one provenance.
type ProvenancePart struct {
	Name string
	Ns   int64
}

// Parts returns the parts, best first.
func (p Provenance) Parts() []ProvenancePart {
	return []ProvenancePart{{"recorded", p.RecordedNs()}, {"inferred", p.InferredNs}, {"unknown", p.UnknownNs}}
}
