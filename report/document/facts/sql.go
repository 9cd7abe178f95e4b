package facts

import (
	"embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

//go:embed queries/*.sql
var files embed.FS

// Questions are the names of the queries, the same for all engines, in the order of printing.
var Questions = []string{"causes", "releases", "since", "hosts", "hours", "percentiles", "unreadable", "metadata"}

// Query returns a question without a semicolon, "" for a name that is none.
func Query(name string) string {
	if !slices.Contains(Questions, name) {
		return ""
	}
	text, err := files.ReadFile("queries/" + name + ".sql")
	if err != nil { // it is linked in
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// Dialect has an engine's statements for the tables.
type Dialect struct {
	Name string
	head string
	view func(table, folder string) string
	meta string // how to make the table of the question metadata, which is the user's own; %s is its file
}

// Dialects are the engines. Those of duckdb and clickhouse are run by the tests.
var Dialects = []Dialect{
	{"duckdb", "", duckdb, "-- CREATE OR REPLACE VIEW metadata AS SELECT host, name, value FROM read_csv(%s);\n"},
	{
		"clickhouse",
		"SET join_use_nulls = 1;\n",
		clickhouse,
		"-- CREATE OR REPLACE VIEW metadata AS SELECT host, name, value FROM file(%s, CSVWithNames);\n",
	},
	{"trino", "-- In a catalog of the Hive connector with hive.recursive-directories=true.\n", trino, ""},
	{
		"spark",
		"SET spark.sql.session.timeZone = UTC;\n",
		spark,
		"-- CREATE OR REPLACE TEMPORARY VIEW metadata USING csv OPTIONS (path %s, header 'true');\n",
	},
	{"bigquery", "-- In a default data set; the folder is a gs:// address.\n", bigquery, ""},
}

// FindDialect returns a dialect by its name, nil for none.
func FindDialect(name string) *Dialect {
	i := slices.IndexFunc(Dialects, func(d Dialect) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &Dialects[i]
}

// Views returns the statements that make the tables of a folder known.
func (d *Dialect) Views(folder string) string {
	var b strings.Builder
	b.WriteString(d.head)
	for _, table := range Tables {
		b.WriteString(d.view(table, strings.TrimSuffix(folder, "/")) + ";\n")
	}
	if d.meta != "" {
		fmt.Fprintf(&b, d.meta, quote(strings.TrimSuffix(folder, "/")+"/metadata.csv"))
	}
	return b.String()
}

// Script returns the views and all questions.
func (d *Dialect) Script(folder string) string {
	var b strings.Builder
	b.WriteString(d.Views(folder))
	for _, name := range Questions {
		b.WriteString("\n-- " + name + "\n" + Query(name) + ";\n")
	}
	return b.String()
}

// quote writes a text as SQL does.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// instants are the columns of a table that hold times.
func instants(table string) (names []string) {
	for _, c := range columns(table) {
		if c.sql == "TIMESTAMP" {
			names = append(names, c.name)
		}
	}
	return names
}

// duckdb shows times in the session's zone unless the view strips it.
func duckdb(table, folder string) string {
	star := "*"
	if names := instants(table); len(names) > 0 {
		for i, n := range names {
			names[i] = n + " AT TIME ZONE 'UTC' AS " + n
		}
		star += " REPLACE (" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf(
		"CREATE OR REPLACE VIEW %s AS SELECT %s FROM read_parquet(%s, hive_partitioning = true, union_by_name = true)",
		table,
		star,
		quote(folder+"/"+table+"/**/*.parquet"),
	)
}

func clickhouse(table, folder string) string {
	return fmt.Sprintf(
		"CREATE OR REPLACE VIEW %s AS SELECT * FROM file(%s, Parquet)",
		table,
		quote(folder+"/"+table+"/**.parquet"),
	)
}

func trino(table, folder string) string {
	var list []string
	for _, c := range columns(table) {
		list = append(list, c.name+" "+c.sql)
	}
	return fmt.Sprintf(
		"CREATE TABLE IF NOT EXISTS %s (%s) WITH (format = 'PARQUET', external_location = %s)",
		table,
		strings.Join(list, ", "),
		quote(folder+"/"+table),
	)
}

func spark(table, folder string) string {
	return fmt.Sprintf(
		"CREATE OR REPLACE TEMPORARY VIEW %s USING parquet OPTIONS (path %s)",
		table,
		quote(folder+"/"+table),
	)
}

func bigquery(table, folder string) string {
	return fmt.Sprintf(
		"CREATE OR REPLACE EXTERNAL TABLE %s OPTIONS (format = 'PARQUET', uris = [%s])",
		table,
		quote(folder+"/"+table+"/*"),
	)
}

// column is one of a table, with its type in standard SQL.
type column struct{ name, sql string }

// rows are the types of the tables' rows.
var rows = map[string]any{
	RecordingsTable: Recording{},
	IntervalsTable:  Interval{},
	LocksTable:      Lock{},
	LengthsTable:    Length{},
	WaitsTable:      Wait{},
}

func columns(table string) (list []column) {
	t := reflect.TypeOf(rows[table])
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		sql := map[reflect.Kind]string{reflect.String: "VARCHAR", reflect.Int64: "BIGINT",
			reflect.Bool: "BOOLEAN"}[f.Type.Kind()]
		if f.Type == reflect.TypeFor[Instant]() {
			sql = "TIMESTAMP"
		}
		list = append(list, column{name, sql})
	}
	return list
}
