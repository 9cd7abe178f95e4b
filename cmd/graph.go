package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"contend/blame/waitgraph"
	"contend/report/document"
	"contend/report/graph"
	"contend/report/graph/layout"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type graphOptions struct {
	trace     traceOptions
	out       outputOptions
	file      string
	by        string
	operation string
	root      bool
	matrix    bool
}

// drawings are the formats of a graph besides those of tables.
var drawings = map[string]func(io.Writer, *document.Graph) error{
	"dot": graph.DOT, "mermaid": graph.Mermaid, "svg": graph.SVG,
}

func newGraph(e *env) *cobra.Command {
	var o graphOptions
	c := &cobra.Command{
		Use:   "graph [TRACE ...]",
		Short: "draw who blocked whom",
		Long: `Draw a graph whose edges lead from who waited to who held the lock meanwhile.
Nodes are methods (the innermost frame that is not the lock or the runtime
itself), threads, groups (thread names with their numbers removed), or
operations: the outermost frame, written Class.method, that --operation
matches; what its first group matched, if it has one, is the name.

Strongly connected components are marked as cycles, and as knots when no edge
leaves them: who gets in waits for its members only.`,
		Example: `  contend graph --top 20 recording.jfr -o blocked.svg
  contend graph --format dot recording.jfr | dot -Tpdf > blocked.pdf
  contend graph --operation 'Service\.(\w+)' --matrix recording.jfr`,
		RunE: func(c *cobra.Command, args []string) error {
			o.trace.paths = args
			o.out.bySuffix(c, o.file)
			if o.operation != "" && !c.Flags().Changed("by") {
				o.by = waitgraph.Nodes[waitgraph.Operations]
			}
			return runGraph(e, &o)
		},
	}
	o.trace.bind(c)
	o.out.bind(c, 20)
	f := c.Flags()
	f.Lookup("format").Usage += ", dot, mermaid, svg; the suffix of FILE chooses as well"
	f.Lookup("top").Usage = "show the `N` heaviest edges, of a matrix rows and columns, and say what is left out; 0 shows all"
	f.StringVarP(&o.file, "output", "o", "", outputUsage)
	f.StringVar(&o.by, "by", waitgraph.Nodes[waitgraph.Methods], "make nodes of each `KIND`: "+strings.Join(waitgraph.Nodes[:], ", "))
	f.StringVar(&o.operation, "operation", "", "name operations by the frames that match `REGEXP`")
	f.BoolVar(&o.root, "root", false, "lead edges to the end of each chain of waits instead of the lock's direct owner")
	f.BoolVar(&o.matrix, "matrix", false, "print a table of waiters by owners")
	return c
}

// network checks the flags that make nodes.
func (o *graphOptions) network() (n waitgraph.Options, err error) {
	kind := slices.Index(waitgraph.Nodes[:], o.by)
	if kind < 0 {
		return n, usageError{fmt.Errorf("--by: there is no kind of node %q", o.by), "choose from " + strings.Join(waitgraph.Nodes[:], ", ")}
	}
	n = waitgraph.Options{Nodes: waitgraph.Node(kind), Root: o.root}
	if n.Frames, err = operationFrames(o.operation, n.Nodes == waitgraph.Operations); err != nil {
		return n, err
	}
	if _, drawn := drawings[o.out.format]; drawn && o.matrix {
		return n, usageError{fmt.Errorf("--matrix: is no drawing"), "choose from " + strings.Join(formats, ", ")}
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
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--operation: %w", err), "a literal dollar sign is written \\$"}
	}
	return re, nil
}

func runGraph(e *env, o *graphOptions) error {
	if err := o.out.check(slices.Sorted(maps.Keys(drawings))...); err != nil {
		return err
	}
	options, err := o.network()
	if err != nil {
		return err
	}
	b := waitgraph.New(options)
	res, err := o.trace.run(e, b)
	if err != nil {
		return err
	}
	file, closeFile, err := e.create(o.file, false)
	if err != nil {
		return err
	}
	cov, g := document.NewCoverage(res.stats, res.trace), b.Graph()
	out := bufio.NewWriter(file)
	style, asJSON := o.out.style(e)
	draw := drawings[o.out.format]
	switch {
	case asJSON:
		err = document.Write(out, document.NewGraph(g, o.by, cov, o.out.top))
	case draw != nil:
		if err = draw(out, document.NewGraph(g, o.by, cov, o.out.top)); errors.Is(err, layout.ErrTooMany) {
			err = usageError{fmt.Errorf("--top: %w", err), "choose fewer, or --format dot"}
		}
	case o.matrix:
		err = table.Matrix(out, document.NewGraph(g, o.by, cov, 0), o.out.top, style)
	default:
		err = table.Graph(out, document.NewGraph(g, o.by, cov, o.out.top), style)
	}
	return errors.Join(answered(out, err, res), closeFile())
}
