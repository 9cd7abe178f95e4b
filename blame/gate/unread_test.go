package gate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// Every warning says whether a rule may be broken by what it tells of: a new code is decided here
// before a gate can pass over it.
func TestEveryWarningIsWeighed(t *testing.T) {
	file := golden.Must(parser.ParseFile(token.NewFileSet(), "../../format/codes.go", nil, 0))(t)
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			code := golden.Must(strconv.Unquote(v.(*ast.BasicLit).Value))(t)
			if _, weighed := hiding[code]; !weighed {
				t.Errorf("no rule weighs the warning %s", code)
			}
			n++
		}
		return true
	})
	golden.Equal(t, len(hiding), n, "codes")
}

// A rule does not pass if the input lacks what could break it.
func TestWhatIsNotReadLeavesRulesUndecided(t *testing.T) {
	for code, of := range hiding {
		for _, text := range []string{
			"no deadlock",
			"csp(*) < 99%",
			"blame(app.*) < 9%",
			"max(*) < 1h",
			"no finding(*)",
		} {
			r := golden.Must(Parse(text))(t)
			run := NewRun(r)
			run.Stats.Warnings = []format.Warning{{Code: code, Text: "lacks"}}
			run.Trace = &analysis.Trace{}
			golden.Equal(t, unread(&r, nil, run).Reason != "", of&r.about() != 0, code, text)
		}
	}
}
