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

// documents are all that Write is given.
var documents = []any{Analyze{}, Blame{}, CSP{}, Chains{}, Check{}, Diff{}, Graph{}, Hist{}, Verify{}, WhatIf{}, Why{}}

type object = map[string]any

// The schema that ships names every key of every document, no other, and each
// with the type that is written: whoever adds, drops or renames a key of a Go
// type does so there as well.
func TestSchemaIsWhatTheTypesSay(t *testing.T) {
	text := golden.Must(os.ReadFile("schema.json"))(t)
	var schema object
	golden.OK(t, json.Unmarshal(text, &schema))
	want := object{}
	var all []any
	for _, d := range documents {
		all = append(all, describe(want, reflect.TypeOf(d)))
	}
	got := schema["$defs"].(object)
	checkSchemaNumbers(t, got)
	golden.Same(t, bare(got), want, "schema.json differs from the types (-types +schema)")
	golden.Same(t, schema["oneOf"], all, "schema.json has other documents (-types +schema)")
}

// What the documents hold is explained to people, too.
func TestReadmeNamesEveryKey(t *testing.T) {
	text := golden.Must(os.ReadFile("../README.md"))(t)
	defs := object{}
	for _, d := range documents {
		describe(defs, reflect.TypeOf(d))
	}
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(string(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w] = true
	}
	for name, def := range defs {
		keys, _ := def.(object)["properties"].(object)
		for key := range keys {
			if !words[key] {
				t.Errorf("report/README.md does not name %s of %s", key, name)
			}
		}
	}
}

// checkSchemaNumbers holds that each document says what it is: contend.csp/1.
// bare makes it the string it is to a type.
func checkSchemaNumbers(t *testing.T, defs object) {
	t.Helper()
	for _, d := range documents {
		name := reflect.TypeOf(d).Name()
		key := defs[name].(object)["properties"].(object)["schema"].(object)
		if says, _ := key["const"].(string); !strings.HasPrefix(says, "contend."+strings.ToLower(name)+"/") {
			t.Errorf("the schema of %s is %q", name, says)
		}
		delete(key, "const")
		key["type"] = "string"
	}
}

// describe returns the schema of a Go type, and adds what it refers to to defs.
func describe(defs object, t reflect.Type) any {
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Array:
		return object{"type": "array", "items": describe(defs, t.Elem()), "minItems": float64(t.Len()), "maxItems": float64(t.Len())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": describe(defs, t.Elem())}
	case reflect.Pointer:
		return describe(defs, t.Elem())
	case reflect.Slice:
		list := object{"type": "array", "items": describe(defs, t.Elem())}
		if t.Name() == "" {
			return list
		}
		defs[t.Name()] = list
	case reflect.Struct:
		if defs[t.Name()] == nil {
			defs[t.Name()] = describeStruct(defs, t)
		}
	default:
		panic("no document holds a " + t.String())
	}
	return object{"$ref": "#/$defs/" + t.Name()}
}

func describeStruct(defs object, t reflect.Type) object {
	keys, required := object{}, []any{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.Anonymous || !f.IsExported() {
			continue
		}
		kind := describe(defs, f.Type)
		maybe := options == "omitempty"
		if number := kind.(object)["type"]; number != nil && f.Type.Kind() == reflect.Pointer && !maybe {
			kind = object{"type": []any{number, "null"}}
		}
		keys[name] = kind
		if !maybe && (len(f.Index) == 1 || t.Field(f.Index[0]).Type.Kind() == reflect.Struct) { // what a pointer embeds may be absent
			required = append(required, name)
		}
	}
	return object{"type": "object", "additionalProperties": false, "required": required, "properties": keys}
}

// bare is a schema without what no Go type says.
func bare(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for k, e := range v {
			_, text := e.(string)
			_, list := e.([]any)
			if k == "description" && text || k == "enum" && list {
				continue
			}
			out[k] = bare(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = bare(v[i])
		}
		return out
	}
	return v
}
