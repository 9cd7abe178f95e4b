package format_test

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// A copy of an input carries its warnings with their hints.
func TestNotesKeepTheHintsOfWarnings(t *testing.T) {
	said := format.Stats{
		Warnings: []format.Warning{
			{Code: format.CodeReaders, Text: "no owner"},
			{Code: format.CodeUnlistedOwners, Text: "not in the dump", Hint: "take it with -l", Hidden: 7},
		},
	}
	var copied format.Stats
	for _, ev := range said.Notes() {
		copied.AddNote(&ev)
	}
	golden.Equal(t, len(copied.Warnings), len(said.Warnings))
	for i, w := range said.Warnings {
		golden.Equal(t, w.Equal(copied.Warnings[i]) && w.Hint == copied.Warnings[i].Hint, true, w.Code)
	}
}
