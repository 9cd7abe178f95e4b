package document

import "contend/blame/gate"

// Check is the document of `contend check`.
type Check struct {
	Schema   string      `json:"schema"`
	Status   string      `json:"status"` // pass, undecided when no rule fails and some are, or fail
	Allowed  bool        `json:"allowUndecided"`
	Rules    []CheckRule `json:"rules"`
	Inputs   []SideTrace `json:"inputs"`
	Baseline []SideTrace `json:"baseline"`
}

// CheckRule is one rule.
type CheckRule struct {
	Rule     string         `json:"rule"`
	Status   string         `json:"status"`           // pass, fail, undecided: the trace cannot decide it
	Reason   string         `json:"reason,omitempty"` // why it is undecided
	Hint     string         `json:"hint,omitempty"`   // a remedy for it
	Unit     string         `json:"unit"`             // ratio (of running time), ns, count, threads (on average)
	Subjects []CheckSubject `json:"subjects"`
}

// CheckSubject is one subject of a rule. A value fails from limit + noise on.
type CheckSubject struct {
	Name   string  `json:"name"`
	Status string  `json:"status"`
	Value  float64 `json:"value"`
	// Half of the 95 % interval; absent if unknown, 0 of a value without any doubt.
	PlusMinus *float64 `json:"plusMinus,omitempty"`
	Limit     float64  `json:"limit"`
	Base      *float64 `json:"base,omitempty"`  // of a change over the baseline
	Noise     *float64 `json:"noise,omitempty"` // the variation of such a change
	Range     *Shares  `json:"range,omitempty"` // of a share of the running time that is known in a range
}

// NewCheck builds the document.
func NewCheck(results []gate.Result, allowed bool, inputs, baseline []SideTrace) *Check {
	c := &Check{
		Schema:   "contend.check/2",
		Status:   string(gate.Worst(results)),
		Allowed:  allowed,
		Rules:    []CheckRule{},
		Inputs:   inputs,
		Baseline: baseline,
	}
	if c.Baseline == nil {
		c.Baseline = []SideTrace{}
	}
	for i := range results {
		r := &results[i]
		rule := CheckRule{
			Rule:     r.Rule,
			Status:   string(r.Status),
			Reason:   r.Doubt.Reason,
			Hint:     r.Doubt.Hint,
			Unit:     string(r.Unit),
			Subjects: []CheckSubject{},
		}
		if r.Status != gate.Undecided {
			rule.Reason, rule.Hint = "", ""
		}
		for _, s := range r.Subjects {
			out := CheckSubject{
				Name:      s.Name,
				Status:    string(s.Status),
				Value:     s.Value,
				PlusMinus: finite(s.Half),
				Limit:     s.Limit,
			}
			if r.Relative {
				out.Base, out.Noise = &s.Base, &s.Noise
			}
			if s.Range != nil {
				out.Range = &Shares{s.Range.Low, s.Range.High}
			}
			rule.Subjects = append(rule.Subjects, out)
		}
		c.Rules = append(c.Rules, rule)
	}
	return c
}
