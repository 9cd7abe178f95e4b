package table

import (
	"io"
	"os"
	"strconv"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"golang.org/x/term"
)

// measureAlike makes the library that pads the cells count as text.Columns
// does. It would else go by the environment: a table must not depend on the
// language of whoever prints it.
func measureAlike() { twwidth.SetOptions(twwidth.Options{}) }

// TerminalWidth is the number of columns to write to: the terminal's, or $COLUMNS;
// 0, without limit, when the answer goes to a file or a pipe.
func TerminalWidth(out io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}
