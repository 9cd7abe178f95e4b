// Package fleet runs the queries that 'contend export --sql' prints. It is a module of its own, since
// the engine, DuckDB, needs a C compiler and takes 50 MB.
package fleet

import (
	databasesql "database/sql"
	"errors"
	"fmt"
	"strings"

	"contend/report/document/facts"

	_ "github.com/duckdb/duckdb-go/v2"
)

// engine is DuckDB in this process, with the tables of a folder.
type engine struct{ db *databasesql.DB }

// open makes the tables known.
func open(folder, metadata string) (*engine, error) {
	db, err := databasesql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	e := &engine{db}
	if _, err := db.Exec(facts.FindDialect("duckdb").Views(folder)); err != nil {
		e.close()
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	if metadata != "" {
		text := "CREATE VIEW metadata AS SELECT host, name, value FROM read_csv('" + strings.ReplaceAll(
			metadata,
			"'",
			"''",
		) + "', header = true, all_varchar = true)"
		if _, err := db.Exec(text); err != nil {
			e.close()
			return nil, fmt.Errorf("%s: %w", metadata, err)
		}
	}
	return e, nil
}

func (e *engine) close() { e.db.Close() }

// answer is what a question gave. Values are string, int64, float64, or nil.
type answer struct {
	query   string
	columns []string
	rows    [][]any
}

// ask puts a question.
func (e *engine) ask(name string) (*answer, error) {
	rows, err := e.db.Query(facts.Query(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer rows.Close()
	a := &answer{query: name}
	if a.columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	for rows.Next() {
		row, into := make([]any, len(a.columns)), make([]any, len(a.columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		a.rows = append(a.rows, row)
	}
	return a, errors.Join(rows.Err(), a.check())
}

// check refuses what no form can write.
func (a *answer) check() error {
	for _, row := range a.rows {
		for i, v := range row {
			switch v.(type) {
			case nil, string, int64, float64:
			default:
				return fmt.Errorf("%s: %s is a %T", a.query, a.columns[i], v)
			}
		}
	}
	return nil
}
