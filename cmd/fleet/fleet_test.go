package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contend/cmd"
	"contend/report/document/facts"
)

// The planted regression: since version 3 a method's sections are longer; and
// the planted host, where those of another one are.
const (
	slowVersion, slowMethod = "3", "serve2"
	oddHost                 = "h4"
)

// planted exports recordings of a fleet in which something is wrong, and returns
// the folder.
func planted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	seed := 0
	for version := 1; version <= 3; version++ {
		for host := range 8 {
			for range 2 {
				seed++
				args := []string{"--seed", fmt.Sprint(seed)}
				if fmt.Sprint(version) == slowVersion {
					args = append(args, "--slow", slowMethod, "--slow-by", "150")
				} else if fmt.Sprintf("h%d", host) == oddHost {
					args = append(args, "--slow", "serve1", "--slow-by", "300")
				}
				name := filepath.Join(
					dir,
					"in",
					"shop",
					fmt.Sprint(version),
					fmt.Sprintf("h%d", host),
					fmt.Sprintf("%03d.bin", seed),
				)
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				contend(
					t,
					append(
						[]string{"simulate", "--scenario", "shards", "--exact", "--duration", "2s", "-o", name},
						args...)...)
			}
		}
	}
	broken := filepath.Join(dir, "in", "shop", "3", "h1", "broken.jfr")
	if err := os.WriteFile(broken, []byte("no recording"), 0o644); err != nil {
		t.Fatal(err)
	}
	facts := filepath.Join(dir, "it's facts")
	contend(
		t,
		"export",
		filepath.Join(dir, "in"),
		"-o",
		facts,
		"--labels",
		"{service}/{version}/{host}/*.*",
		"--interval",
		"1s",
		"--max-unreadable",
		"5%",
	)
	return facts
}

// contend runs a command of contend.
func contend(t *testing.T, args ...string) {
	t.Helper()
	var out, msg bytes.Buffer
	if code := cmd.Main(args, nil, &out, &msg); code != 0 {
		t.Fatalf("%q: exit %d: %s", args, code, msg.String())
	}
}

// rowsOf asks a query of the tables in a folder. A metadata file may be "".
func rowsOf(t *testing.T, query, dir, metadata string) (rows []map[string]any) {
	t.Helper()
	e, err := open(dir, metadata)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	a, err := e.ask(query)
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range a.rows {
		row := map[string]any{}
		for i, v := range values {
			row[a.columns[i]] = v
		}
		rows = append(rows, row)
	}
	return rows
}

// The queries find what was planted, and nothing else first.
func TestQueriesFindWhatIsWrong(t *testing.T) {
	dir := planted(t)
	since := rowsOf(t, "since", dir, "")
	if top := since[0]; top["version"] != slowVersion || !strings.Contains(top["owner_chain"].(string), slowMethod) {
		t.Errorf("since: %v", top)
	}
	releases := rowsOf(t, "releases", dir, "")
	if len(releases) != 3 || releases[2]["version"] != slowVersion || releases[2]["pressure_change"].(float64) < 0.02 ||
		math.Abs(releases[1]["pressure_change"].(float64)) > 0.02 {
		t.Errorf("releases: %v", releases)
	}
	odd := 0
	for _, r := range rowsOf(t, "hosts", dir, "") {
		if d, _ := r["deviations"].(float64); math.Abs(d) > 5 {
			odd++
			if r["host"] != oddHost || r["version"] == slowVersion {
				t.Errorf("hosts: %v", r)
			}
		}
	}
	if odd != 2 { // in versions 1 and 2
		t.Errorf("%d odd hosts", odd)
	}
	unreadable := rowsOf(t, "unreadable", dir, "")
	if len(unreadable) != 1 || !strings.HasSuffix(unreadable[0]["recording"].(string), "broken.jfr") ||
		unreadable[0]["error"] == "" {
		t.Errorf("unreadable: %v", unreadable)
	}
}

// A table of the user's own groups the hosts.
func TestMetadataGroupsHosts(t *testing.T) {
	dir := planted(t)
	meta := filepath.Join(t.TempDir(), "metadata.csv")
	if err := os.WriteFile(meta, []byte("host,name,value\nh0,zone,a\nh1,zone,b\nh2,zone,b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	zones := rowsOf(t, "metadata", dir, meta)
	if len(zones) != 2 || zones[0]["recordings"].(int64)+zones[1]["recordings"].(int64) != 18 {
		t.Errorf("zones: %v", zones)
	}
}

// clickhouse asks all questions through the npm package chdb.
const clickhouse = `
const { Session } = require("chdb"), [dir, views, queries] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const s = new Session(dir);
for (const v of views) s.query(v);
console.log(JSON.stringify(queries.map(q => JSON.parse(s.query(q, "JSONCompact")).data)));
s.close();`

// ClickHouse answers every question as DuckDB does. CONTEND_CHDB names a folder
// in which 'npm install chdb' was run.
func TestClickHouseAgrees(t *testing.T) {
	modules := os.Getenv("CONTEND_CHDB")
	if modules == "" {
		t.Skip("CONTEND_CHDB names no folder where npm has installed chdb")
	}
	dir := planted(t)
	meta := filepath.Join(dir, "metadata.csv")
	if err := os.WriteFile(meta, []byte("host,name,value\nh0,zone,a\nh1,zone,b\nh4,zone,b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(facts.FindDialect("clickhouse").Views(dir), "-- CREATE", "CREATE")
	var queries []string
	for _, name := range facts.Questions {
		queries = append(queries, facts.Query(name))
	}
	in, _ := json.Marshal(
		[]any{t.TempDir(), strings.Split(strings.TrimSuffix(strings.TrimSpace(text), ";"), ";\n"), queries},
	)
	c := exec.Command("node", "-e", clickhouse)
	c.Dir, c.Stdin = modules, bytes.NewReader(in)
	var msg bytes.Buffer
	c.Stderr = &msg
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, msg.String())
	}
	var answers [][][]any
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v: %.300s", err, out)
	}
	e, err := open(dir, meta)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	for i, name := range facts.Questions {
		a, err := e.ask(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.rows) == 0 || len(a.rows) != len(answers[i]) {
			t.Errorf("%s: %d rows, ClickHouse has %d", name, len(a.rows), len(answers[i]))
			continue
		}
		for r, row := range a.rows {
			for k, v := range row {
				if !same(v, answers[i][r][k]) {
					t.Errorf("%s, row %d: %s is %v, ClickHouse says %v", name, r, a.columns[k], v, answers[i][r][k])
				}
			}
		}
	}
}

// same compares values of two engines: one writes whole numbers as text, sums of
// fractions differ in their last digits.
func same(v, other any) bool {
	if s, ok := other.(string); ok {
		return fmt.Sprint(v) == s
	}
	f, ok := other.(float64)
	if !ok {
		return v == other
	}
	switch v := v.(type) {
	case int64:
		return float64(v) == f
	case float64:
		return math.Abs(v-f) <= 1e-9*max(1, math.Abs(f))
	}
	return false
}
