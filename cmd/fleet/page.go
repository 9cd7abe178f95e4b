package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"contend/report/facts/sql"
	"contend/report/look"
	"contend/report/text"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"look": look.Sheet}).Parse(pageText))

// section is an answer on the page.
type section struct {
	Name, Title string
	Head        []column
	Rows        [][]shown
	More        string
}

type column struct {
	Text string
	Name bool
}

// shown is a value on the page; a ratio also has a bar.
type shown struct {
	Text string
	Name bool
	Bar  string // width in per cent, "" for none
}

// pageRows is how many rows a section shows unless --top says otherwise.
const pageRows = 25

// page writes all answers as one page.
func (o *options) page(out io.Writer, e *engine) error {
	var sections []section
	for _, name := range sql.Names {
		if name == sql.Metadata && o.metadata == "" {
			continue
		}
		a, err := e.ask(name)
		if err != nil {
			return err
		}
		sections = append(sections, a.section(max(o.top, pageRows)))
	}
	recordings, err := e.recordings()
	if err != nil {
		return err
	}
	return o.write(out, func(w, _ io.Writer) error {
		return pageTemplate.Execute(w, map[string]any{"Head": recordings, "Sections": sections})
	})
}

// recordings says in a line what the page is of.
func (e *engine) recordings() (string, error) {
	var all, failed, waiting, running int64
	row := e.db.QueryRow("SELECT COUNT(*), COUNT(error), COALESCE(CAST(SUM(wait_ns) AS BIGINT), 0), COALESCE(CAST(SUM(running_ns) AS BIGINT), 0) FROM recordings WHERE unit = 'ns' OR unit IS NULL")
	if err := row.Scan(&all, &failed, &waiting, &running); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s (%d unreadable): %s waited for locks in %s of running time", text.Amount(all, "recording"), failed, text.Duration(waiting), text.Duration(running)), nil
}

func (a *answer) section(top int) section {
	g := a.grid(top)
	s := section{Name: a.query, Title: g.Title}
	order := a.order()
	for _, i := range order {
		s.Head = append(s.Head, column{g.Head[len(s.Head)], isName(a.columns[i])})
	}
	greatest := 0.0
	for _, row := range first(a.rows, top) {
		for i, c := range a.columns {
			if v, ok := row[i].(float64); ok && c == "pressure" {
				greatest = max(greatest, v)
			}
		}
	}
	for _, row := range first(a.rows, top) {
		var line []shown
		for _, i := range order {
			one := shown{Text: text.Sanitize(cell(a.columns[i], row[i]).Text), Name: isName(a.columns[i])}
			if v, ok := row[i].(float64); ok && a.columns[i] == "pressure" && greatest > 0 {
				one.Bar = fmt.Sprintf("%.1f", 100*v/greatest)
			}
			line = append(line, one)
		}
		s.Rows = append(s.Rows, line)
	}
	if more := len(a.rows) - len(s.Rows); more > 0 {
		s.More = text.Amount(int64(more), "row")
	}
	return s
}
