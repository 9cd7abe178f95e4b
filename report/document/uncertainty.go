package document

import (
	"math"

	"contend/analysis/bootstrap"
)

// maxUncertain is how many rows of a table carry an interval: each costs a
// millisecond or two.
const maxUncertain = 1000

// Uncertainty is how far an estimate from samples may be off. Rows of exact traces
// have none.
type Uncertainty struct {
	PlusMinusNs *int64 `json:"plusMinusNs"` // half of the 95 % interval of the row's time; null when the trace is too short to tell
	BlockNs     int64  `json:"blockNs"`     // length of the blocks of the bootstrap
}

func newUncertainty(e bootstrap.Estimate) *Uncertainty {
	d := &Uncertainty{BlockNs: e.BlockNs}
	if half := finite(e.Half); half != nil && *half < math.MaxInt64/2 {
		ns := int64(math.Ceil(*half))
		d.PlusMinusNs = &ns
	}
	return d
}
