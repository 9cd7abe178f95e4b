package document

import "contend/blame/whatif"

// WhatIf is the document of `contend whatif`.
type WhatIf struct {
	Schema      string      `json:"schema"`
	Rows        []WhatIfRow `json:"rows"`
	Method      string      `json:"method"`           // how rows were found: replay, bounds
	Misfit      *Misfit     `json:"misfit,omitempty"` // nil without a replay
	WaitNs      int64       `json:"waitNs"`           // of the trace
	Assumptions []string    `json:"assumptions"`
	Coverage    Coverage    `json:"coverage"`
}

// WhatIfRow is the predicted effect of one change.
type WhatIfRow struct {
	Change     string   `json:"change"` // shrink, remove-lock, split, readers
	Section    string   `json:"section"`
	Class      string   `json:"class"`
	Shrink     float64  `json:"shrink"`  // the part of the section that is removed; 0 for other changes
	Stripes    int      `json:"stripes"` // of split; else 0
	Throughput Range    `json:"throughput"`
	Likely     *float64 `json:"likely"` // the most likely throughput, in its range; null without a replay
	WaitNs     TimeEnds `json:"waitNs"`
	Ceiling    *float64 `json:"ceiling"`  // of the throughput; null where the trace has no holds
	Deadlock   bool     `json:"deadlock"` // in the replay threads deadlock
}

// Misfit is the relative deviation of the replay of the unchanged trace from the trace.
type Misfit struct {
	Waiting    float64 `json:"waiting"`    // of the time that all threads wait
	Throughput float64 `json:"throughput"` // of the number of acquisitions
}

// Range are the ends of a range of factors.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// TimeEnds are the ends of a range of times.
type TimeEnds struct {
	Low  int64 `json:"low"`
	High int64 `json:"high"`
}

// NewWhatIf builds the document.
func NewWhatIf(r *whatif.Result, cov Coverage) *WhatIf {
	d := &WhatIf{
		Schema:      "contend.whatif/1",
		Rows:        []WhatIfRow{},
		Method:      "bounds",
		WaitNs:      r.WaitNs,
		Assumptions: r.Assumptions,
		Coverage:    cov,
	}
	if r.Replayed {
		misfit := Misfit(r.Misfit)
		d.Method, d.Misfit = "replay", &misfit
	}
	for _, row := range r.Rows {
		var ceiling *float64
		if row.Ceiling > 0 {
			ceiling = &row.Ceiling
		}
		var likely *float64
		if middle := row.Throughput.Middle(); r.Replayed && row.Throughput.High >= row.Throughput.Low {
			likely = &middle
		}
		d.Rows = append(d.Rows, WhatIfRow{
			Change:     whatif.Actions[row.Change.Action],
			Section:    row.Change.Section,
			Class:      row.Change.Class,
			Shrink:     row.Change.By,
			Stripes:    row.Change.Stripes,
			Throughput: Range(row.Throughput),
			Likely:     likely,
			WaitNs:     TimeEnds{int64(row.WaitNs.Low), int64(row.WaitNs.High)},
			Ceiling:    ceiling,
			Deadlock:   row.Deadlocks,
		})
	}
	return d
}
