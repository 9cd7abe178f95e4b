package table

import "github.com/olekukonko/tablewriter/pkg/twwidth"

// measureAlike makes the library that pads the cells count as text.Columns
// does. It would else go by the environment: a table must not depend on the
// language of whoever prints it.
func measureAlike() { twwidth.SetOptions(twwidth.Options{}) }
