package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/blame"
	"contend/report/document"
	"contend/report/graph"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type graphOptions struct {
	trace     traceOptions
	out       outputOptions
	by        choice
	operation expression
	own       expression
	root      bool
}

func newGraph(e *env) *cobra.Command {
	var o graphOptions
	c := newCommand("graph", func(c *cobra.Command, _ []string) error {
		if o.operation.text != "" && !c.Flags().Changed("by") {
			must(o.by.Set(blame.Nodes[blame.NodeOperations]))
		}
		return runGraph(e, &o)
	})
	o.trace.bind(c)
	o.out.bind(c, graphOutputs)
	f := c.Flags()
	f.Lookup("top").Usage = "show the `N` heaviest edges, of a matrix rows and columns, and say what is left out; 0 " +
		"shows all, of a matrix 512"
	o.by.bind(
		c,
		"by",
		"there is no kind of node",
		"make nodes of each `KIND`: "+strings.Join(blame.Nodes[:], ", "),
		blame.Nodes[:],
		int(blame.NodeSites),
	)
	o.operation.bind(c, "operation", "name operations by the frames that match `REGEXP`")
	o.own.bindApp(c)
	f.BoolVar(&o.root, "root", false, "lead edges to the end of each chain of waits instead of the lock's direct owner")
	f.BoolVar(&o.out.how.Matrix, "matrix", false, "print a table of waiters by owners")
	return c
}

// network checks the flags that make nodes.
func (o *graphOptions) network() (n blame.GraphOptions, err error) {
	n = blame.GraphOptions{Nodes: blame.Node(o.by.at), Root: o.root, App: o.own.re, Frames: o.operation.re}
	if err = checkOperation(&o.operation, n.Nodes == blame.NodeOperations); err != nil {
		return n, err
	}
	if o.out.how.Matrix && o.out.drawn() {
		tables := slices.DeleteFunc(graphOutputs.names(), graphOutputs.draws)
		return n, usageError{errors.New("--matrix: is not a drawing"), "choose from " + strings.Join(tables, ", ")}
	}
	return n, nil
}

// checkOperation refuses --operation where it is not needed, and where it is missing.
func checkOperation(operation *expression, needed bool) error {
	switch {
	case operation.re == nil && needed:
		return usageError{
			errors.New("--operation: says what an operation is, and is missing"),
			`--operation 'Service\.(\w+)' makes one of each method of Service`,
		}
	case operation.re != nil && !needed:
		return usageError{errors.New("--operation: nothing is summed by operation"), "say so with --by"}
	}
	return nil
}

func runGraph(e *env, o *graphOptions) error {
	options, err := o.network()
	if err != nil {
		return err
	}
	b := blame.NewGraph(options)
	res, err := o.trace.run(e, b)
	if err != nil {
		return err
	}
	e.noMatch(&o.operation, frameNames(res.trace.Symbols))
	top := o.out.top
	if o.out.how.Matrix && o.out.format != "json" {
		top = 0 // its rows and columns are cut, not the edges
	}
	doc := document.NewGraph(b.Graph(), o.by.String(), res.coverage(), top)
	return cmp.Or(write(e, &o.out, graphOutputs, doc), res.verdict())
}

// drawGraphPage draws a graph, and refuses one that is too large to read.
func drawGraphPage(w io.Writer, d *document.Graph, _ table.Options) error {
	err := graph.HTML(w, d)
	if errors.Is(err, graph.ErrTooMany) {
		return usageError{fmt.Errorf("--top: %w", err), "choose fewer, or --format dot"}
	}
	return err
}
