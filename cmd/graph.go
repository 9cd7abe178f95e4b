package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
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
	by        string
	operation string
	own       ownOption
	root      bool
	matrix    bool
}

func newGraph(e *env) *cobra.Command {
	var o graphOptions
	c := newCommand("graph", func(c *cobra.Command, _ []string) error {
		if o.operation != "" && !c.Flags().Changed("by") {
			o.by = blame.Nodes[blame.NodeOperations]
		}
		return runGraph(e, &o)
	})
	o.trace.bind(c)
	o.out.bind(c, graphOutputs)
	f := c.Flags()
	f.Lookup("top").Usage = "show the `N` heaviest edges, of a matrix rows and columns, and say what is left out; 0 shows all, of a matrix 512"
	f.StringVar(&o.by, "by", blame.Nodes[blame.NodeSites], "make nodes of each `KIND`: "+strings.Join(blame.Nodes[:], ", "))
	offer(c, "by", blame.Nodes[:]...)
	f.StringVar(&o.operation, "operation", "", "name operations by the frames that match `REGEXP`")
	o.own.bind(c)
	f.BoolVar(&o.root, "root", false, "lead edges to the end of each chain of waits instead of the lock's direct owner")
	f.BoolVar(&o.matrix, "matrix", false, "print a table of waiters by owners")
	return c
}

// network checks the flags that make nodes.
func (o *graphOptions) network() (n blame.GraphOptions, err error) {
	kind := slices.Index(blame.Nodes[:], o.by)
	if kind < 0 {
		return n, usageError{fmt.Errorf("--by: there is no kind of node %q", o.by), "choose from " + strings.Join(blame.Nodes[:], ", ")}
	}
	n = blame.GraphOptions{Nodes: blame.Node(kind), Root: o.root}
	if n.App, err = o.own.get(); err != nil {
		return n, err
	}
	if n.Frames, err = operationFrames(o.operation, n.Nodes == blame.NodeOperations); err != nil {
		return n, err
	}
	if o.matrix && o.out.drawn() {
		tables := slices.DeleteFunc(graphOutputs.names(), graphOutputs.draws)
		return n, usageError{fmt.Errorf("--matrix: is no drawing"), "choose from " + strings.Join(tables, ", ")}
	}
	return n, nil
}

// operationFrames compiles --operation, which must be there exactly when needed.
func operationFrames(text string, needed bool) (*regexp.Regexp, error) {
	switch {
	case text == "" && needed:
		return nil, usageError{errors.New("--operation: says what an operation is, and is missing"), `--operation 'Service\.(\w+)' makes one of each method of Service`}
	case text != "" && !needed:
		return nil, usageError{errors.New("--operation: nothing is summed by operation"), "say so with --by"}
	case text == "":
		return nil, nil
	}
	return pattern("operation", text)
}

func runGraph(e *env, o *graphOptions) error {
	if err := o.out.check(); err != nil {
		return err
	}
	options, err := o.network()
	if err != nil {
		return err
	}
	b := blame.NewGraph(options)
	res, err := o.trace.run(e, b)
	if err != nil {
		return err
	}
	e.noMatch("operation", o.operation, options.Frames, frameNames(res.trace.Symbols))
	top := o.out.top
	if o.matrix && o.out.format != "json" {
		top = 0 // its rows and columns are cut, not the edges
	}
	a := &graphAnswer{doc: document.NewGraph(b.Graph(), o.by, res.coverage(), top), matrix: o.matrix, top: o.out.top}
	return cmp.Or(write(e, &o.out, graphOutputs, a), res.verdict())
}

// graphAnswer is the document, and how a table shows it.
type graphAnswer struct {
	doc    *document.Graph
	matrix bool
	top    int // of the rows and columns of a matrix
}

func writeGraph(w io.Writer, a *graphAnswer, how table.Options) error {
	if a.matrix {
		return table.Matrix(w, a.doc, a.top, how)
	}
	return table.Graph(w, a.doc, how)
}

// drawGraphPage draws a graph, which may be too large to read.
func drawGraphPage(w io.Writer, a *graphAnswer, _ table.Options) error {
	err := graph.HTML(w, a.doc)
	if errors.Is(err, graph.ErrTooMany) {
		return usageError{fmt.Errorf("--top: %w", err), "choose fewer, or --format dot"}
	}
	return err
}
