package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"contend/report/document"
	"contend/report/table"
	"contend/report/text"
)

// schema is that of the document of every query.
const schema = "contend.fleet/1"

// json writes the answer as a document: the names of columns are the keys of the
// rows, wait_ns as waitNs.
func (a *answer) json(w io.Writer, top int) error {
	doc := struct {
		Schema string            `json:"schema"`
		Query  string            `json:"query"`
		All    int               `json:"all"` // rows, shown or not
		Rows   []json.RawMessage `json:"rows"`
	}{schema, a.query, len(a.rows), []json.RawMessage{}}
	for _, row := range first(a.rows, top) {
		text, err := a.object(row)
		if err != nil {
			return err
		}
		doc.Rows = append(doc.Rows, text)
	}
	return document.Write(w, doc)
}

// object writes a row with its keys in the order of the columns.
func (a *answer) object(row []any) (json.RawMessage, error) {
	var b strings.Builder
	for i, v := range row {
		fmt.Fprintf(&b, ",%q:", camel(a.columns[i]))
		values := json.NewEncoder(&b)
		values.SetEscapeHTML(false)
		if err := values.Encode(v); err != nil {
			return nil, err
		}
	}
	return json.RawMessage("{" + strings.TrimPrefix(b.String(), ",") + "}"), nil
}

func camel(column string) string {
	parts := strings.Split(column, "_")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}

func first[T any](rows []T, n int) []T {
	if n > 0 && n < len(rows) {
		return rows[:n]
	}
	return rows
}

// titles say what an answer is of.
var titles = map[string]string{
	"causes":      "who held locks while others waited",
	"releases":    "pressure of each version (time waited for locks / running time)",
	"since":       "since which version a call chain costs: its part of the running time",
	"hosts":       "hosts beside the others with their version (beyond 3.5 deviations is worth a look)",
	"hours":       "pressure by the hour of the day, in UTC",
	"percentiles": "how long single waits were",
	"unreadable":  "recordings of which all or part could not be read",
	"metadata":    "pressure by what is known of hosts",
}

// grid lays the answer out as contend lays out its tables: numbers first.
func (a *answer) grid(top int) *table.Grid {
	g := &table.Grid{Title: titles[a.query]}
	order := a.order()
	for _, i := range order {
		g.Head = append(g.Head, strings.ToUpper(strings.ReplaceAll(strings.TrimSuffix(a.columns[i], "_ns"), "_", " ")))
		g.Left = append(g.Left, isName(a.columns[i]))
		g.CSV = append(g.CSV, a.columns[i])
	}
	g.Flex = len(order) - 1
	for _, row := range first(a.rows, top) {
		line := make([]table.Cell, 0, len(order))
		for _, i := range order {
			line = append(line, cell(a.columns[i], row[i]))
		}
		g.Rows = append(g.Rows, line)
	}
	if more := len(a.rows) - len(g.Rows); more > 0 {
		g.Notes = append(g.Notes, "left out: "+text.Amount(int64(more), "row")+" (--top 0 shows all)")
	}
	if len(a.rows) == 0 {
		g.Notes = append(g.Notes, "none")
	}
	return g
}

// names are the columns that hold texts; the longest comes last.
var names = []string{"service", "version", "host", "name", "value", "bound", "owner_kind", "class", "recording", "warnings", "owner_chain", "error"}

func isName(column string) bool { return place(column) >= 0 }

func place(column string) int {
	for i, n := range names {
		if n == column {
			return i
		}
	}
	return -1
}

// order puts numbers before names.
func (a *answer) order() (list []int) {
	for i, c := range a.columns {
		if !isName(c) {
			list = append(list, i)
		}
	}
	for _, n := range names {
		for i, c := range a.columns {
			if c == n {
				list = append(list, i)
			}
		}
	}
	return list
}

// cell writes a value as people and as machines read it.
func cell(column string, v any) table.Cell {
	switch v := v.(type) {
	case string:
		name := table.Name(v)
		if column == "class" {
			name.Text = text.Class(v)
		}
		return name
	case int64:
		if strings.HasSuffix(column, "_ns") {
			return table.Time(v)
		}
		return table.Count(v)
	case float64:
		if strings.Contains(column, "pressure") {
			return table.Percent(v)
		}
		return table.Cell{Text: strconv.FormatFloat(v, 'f', 1, 64), Raw: strconv.FormatFloat(v, 'g', -1, 64)}
	}
	return table.Cell{Text: "-"}
}
