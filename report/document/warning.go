package document

import "contend/format"

// Warning is a reason to doubt a result: a stable code for machines, a text for people.
type Warning struct {
	Code string `json:"code"` // lost-data, truncated, threshold, clock, unlinked, ...
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"` // another recording that would leave no such doubt
	// upper bound of the waiting that is missing for this reason, in ns; 0 if there is none
	Hidden int64    `json:"hiddenNs,omitempty"`
	Events []string `json:"events,omitempty"` // the recorder's events that it is about, if not all
}

// NewWarnings converts warnings; the list is never null in JSON.
func NewWarnings(list []format.Warning) []Warning {
	out := make([]Warning, len(list))
	for i, w := range list {
		out[i] = Warning(w)
	}
	return out
}

// Equal reports whether two warnings say the same.
func (w Warning) Equal(o Warning) bool { return format.Warning(w).Equal(format.Warning(o)) }

// String returns the text, and the hint.
func (w Warning) String() string { return format.Warning(w).String() }
