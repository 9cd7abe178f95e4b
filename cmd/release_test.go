package cmd

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"contend/golden"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestVersionSaysWhatWasBuilt(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"(devel)", nil, "contend devel (commit not recorded: built with -buildvcs=false)\ngo      1.26.1 "},
		{"v1.2.3", []debug.BuildSetting{{Key: "vcs.revision", Value: commit},
			{Key: "vcs.time", Value: "2026-01-31T12:00:00Z"}}, "contend v1.2.3\ncommit  " + commit +
			" of 2026-01-31T12:00:00Z\ngo      1.26.1 "},
		{"", []debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.modified", Value: "true"}},
			"contend devel-0123456789ab+dirty\ncommit  " + commit + ", with changes that are not committed\ngo      " +
				"1.26.1 "},
	} {
		var out bytes.Buffer
		golden.OK(
			t,
			writeVersion(
				&out,
				&debug.BuildInfo{GoVersion: "go1.26.1", Main: debug.Module{Version: c.version}, Settings: c.settings},
			),
		)
		if got := out.String(); !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, "\nformat  1\n") {
			t.Errorf("%s: %q", c.version, got)
		}
	}
}

// Every word a shell offers is taken, and every word a command lists in its
// help is offered.
func TestCompletionsAreWhatCommandsTake(t *testing.T) {
	golden.ParallelUnlessShort(t)
	flags := 0
	for _, c := range newRoot(&env{out: io.Discard, msg: io.Discard}).Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			words, offered := f.Annotations[wordsNote]
			_, usage := pflag.UnquoteUsage(f)
			colon := strings.LastIndex(usage, ": ")
			list, _, _ := strings.Cut(usage[colon+1:], ";")
			sentence := func(item string) bool { return strings.Contains(item, " ") }
			if listed := strings.Split(strings.TrimSpace(list), ", "); colon >= 0 &&
				!slices.ContainsFunc(listed, sentence) &&
				len(listed) > 1 &&
				!slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(words))) {
				t.Errorf("%s --%s: help lists %q, shells offer %q", c.Name(), f.Name, listed, words)
			}
			if !offered {
				return
			}
			if flags++; len(words) < 2 {
				t.Errorf("%s --%s: offers %q", c.Name(), f.Name, words)
			}
			for _, word := range words {
				takes(t, c, f.Name, word)
			}
		})
	}
	golden.AtLeast(t, flags, 19, "flags offer words")
}

// takes fails where a command does not take a word.
func takes(t *testing.T, c *cobra.Command, flag, word string) {
	t.Helper()
	const trace = "../testdata/truth-series-8dumps-jdk17.txt"
	args := []string{c.Name(), "--" + flag, word}
	switch c.Name() {
	case "simulate":
		args = append(args, "--duration", "1ms")
	case "diff":
		args = append(args, trace, trace)
	case "check":
		args = append(args, "--rule", "no deadlock", trace)
	case "export": // its only words are of queries, which ask no recordings
	case "perf-args": // it reads no trace
	case "record":
		if flag == "call-graph" {
			args = append(args, "--perf", "99999999") // no process, likewise
			break
		}
		args = append(args, strconv.Itoa(os.Getpid())) // no JVM, which it finds out behind the flags
	case "hist":
		input := trace
		if flag == "unit" { // of logs: a trace tells its units
			input = filepath.Join(t.TempDir(), "waits.hlog")
			run(t, "hist", "../testdata/documents/exact.txt", "-o", input)
		}
		args = append(args, input)
	default:
		args = append(args, trace)
	}
	if strings.HasSuffix(word, "operation") {
		args = append(args, "--operation", "Truth")
	}
	if c.Flags().Lookup("output") != nil {
		file := "out.svg"
		if f := c.Flags().Lookup("format"); f != nil && !slices.Contains(f.Annotations[wordsNote], "svg") {
			file = "out.csv"
		}
		args = append(args, "-o", filepath.Join(t.TempDir(), file))
	}
	var msg bytes.Buffer
	if code := Main(args, nil, io.Discard, &msg); code == exitUsage {
		t.Errorf("contend %v: %s", args, msg.String())
	}
}

func TestCompletionOffers(t *testing.T) {
	for _, c := range []struct{ typed, want, unwanted string }{
		{"blame --by class,", "class,owner-method", "class,class"},
		{"blame --by own", "owner-stack", ""},
		{"graph --format ", "mermaid", "hlog"},
		{"simulate --scenario ", "reader-writer", ""},
		{"help ", "analyze", "__complete"},
		{"analyze --class ", ":4", "table"}, // a pattern: neither a file nor a word
		{"analyze --rules ", ":0", "table"}, // a file
		{"analyze ", ":0", "table"},
	} {
		var out bytes.Buffer
		words := strings.Split("__complete "+c.typed, " ")
		if code := Main(words, nil, &out, io.Discard); code != exitOK {
			t.Fatalf("%s: exit %d", c.typed, code)
		}
		var got []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		if !slices.Contains(got, c.want) || c.unwanted != "" && slices.Contains(got, c.unwanted) {
			t.Errorf("%q offers %q", c.typed, got)
		}
	}
}

// Each command has a page that groff sets without a complaint and that shows
// each flag.
func TestManualPages(t *testing.T) {
	golden.ParallelUnlessShort(t)
	folder := t.TempDir()
	run(t, "man", folder)
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not installed: pages are not set")
	}
	root := newRoot(&env{out: io.Discard, msg: io.Discard})
	for _, c := range append(root.Commands(), root) {
		if c != root && !c.IsAvailableCommand() {
			continue // help, which every page stands for
		}
		path := filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		checkFlags(t, c, string(page))
		golden.Holds(golden.Labelled(t, path), string(page),
			"\n.EX\n"+strings.SplitN(filled(c.Long, manualColumns), "\n", 2)[0])
		if groff != "" {
			var said bytes.Buffer
			set := exec.Command(groff, "-man", "-Tascii", "-P-cbou", "-ww", path)
			set.Stderr = &said
			if out, err := set.Output(); err != nil || said.Len() > 0 || !bytes.Contains(out, []byte("SYNOPSIS")) {
				t.Errorf("%s: %v %s", path, err, said.String())
			}
		}
	}
}

func checkFlags(t *testing.T, c *cobra.Command, page string) {
	t.Helper()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !strings.Contains(page, `\fB--`+f.Name+`\fP`) {
			t.Errorf("the page of %s has no --%s", c.Name(), f.Name)
		}
	})
}

// Help is prose: sentences, after what the list of commands says of each.
func TestHelpIsSentences(t *testing.T) {
	for _, c := range newRoot(&env{out: io.Discard, msg: io.Discard}).Commands() {
		if first, _ := utf8.DecodeRuneInString(c.Long); !unicode.IsUpper(first) || !strings.Contains(c.Long, ".") {
			t.Errorf("%s: %q", c.Name(), c.Long)
		}
	}
}
