package document

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"contend/golden"
)

// The schema that ships names every key of every document and no other, also of values that
// are seldom there: renaming, adding or dropping a key of a Go type needs the same in the
// schema. The page that explains the documents names them too. TestDocuments of cmd holds
// documents to the types of the schema.
func TestSchemaAndReadmeNameEveryKey(t *testing.T) {
	var schema struct {
		Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	golden.OK(t, json.Unmarshal(golden.Must(os.ReadFile("schema.json"))(t), &schema))
	got, want, words := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for name, def := range schema.Defs {
		for key := range def.Properties {
			got[name+" "+key] = true
		}
	}
	for _, d := range []any{Analyze{}, Blame{}, CSP{}, Chains{}, Check{}, Diff{}, Graph{}, Hist{}, Threads{},
		Verify{}, WhatIf{}, Why{}} {
		addKeys(want, reflect.TypeOf(d))
	}
	golden.Same(t, got, want, "schema.json differs from the types (-types +schema)")
	page := golden.Must(os.ReadFile("../README.md"))(t)
	for _, w := range strings.FieldsFunc(string(page),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w] = true
	}
	for key := range want {
		if _, name, _ := strings.Cut(key, " "); !words[name] {
			t.Errorf("report/README.md does not name %s", key)
		}
	}
}

// addKeys adds the keys of a type, and of those it is made of, each behind the name of its type.
func addKeys(all map[string]bool, t reflect.Type) {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Pointer, reflect.Slice:
		addKeys(all, t.Elem())
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key := t.Name() + " " + name; name != "-" && !f.Anonymous && f.IsExported() && !all[key] {
				all[key] = true
				addKeys(all, f.Type)
			}
		}
	}
}
