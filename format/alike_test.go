package format_test

import (
	"fmt"
	"testing"

	"contend/format"
	"contend/golden"
)

// Warnings of one kind are one with their number; others stay as they are.
func TestMergeAlike(t *testing.T) {
	var list []format.Warning
	var names []string
	for i := range 24 {
		names = append(names, fmt.Sprintf("day/r%02d.jfr", i))
		list = append(list, format.Warning{
			Code:   format.CodeOverlap,
			Text:   fmt.Sprintf("%s is part of day/all.jfr: %d.5 ms are counted once", names[i], i),
			Hidden: 2,
		})
	}
	list = append(list, format.Warning{
		Code: format.CodeThreshold,
		Text: "r",
	}, format.Warning{Code: format.CodeThreshold, Text: "s"})
	got := format.MergeAlike(list, append(names, "day/all.jfr"))
	golden.Equal(t, len(got), 3, got)
	golden.Equal(t, got[0].Text, list[0].Text+" (and 23 more like this)", "text")
	golden.Equal(t, got[0].Hidden, 48, "hidden")
	golden.Equal(t, len(format.MergeAlike(list[:2], names)), 2, "two")
}
