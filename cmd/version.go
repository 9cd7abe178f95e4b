package cmd

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"contend/format"

	"github.com/spf13/cobra"
)

func newVersion(e *env) *cobra.Command {
	c := newCommand("version", func(*cobra.Command, []string) error {
		info, ok := debug.ReadBuildInfo()
		if !ok {
			return errors.New("this binary has no build information; build it with 'go build' in module mode")
		}
		return writeVersion(e.out, info)
	})
	c.Args = noArgs
	return c
}

// archived is the commit of sources that 'git archive' wrote, which have no repository for
// the toolchain to ask; in a repository it is a placeholder.
//
//go:embed commit.txt
var archived string

// shortRevision is how many digits name a commit in one repository, as git
// abbreviates them in large ones.
const shortRevision = 12

// release returns the version in one line: the tag of a tagged build, else the commit, with "+dirty"
// if files differed from it.
func release(info *debug.BuildInfo) string {
	v := info.Main.Version
	set := settingsOf(info)
	if v == "" || v == "(devel)" {
		v = "devel"
		r := set["vcs.revision"]
		if r == "" {
			return v + " (commit not recorded: built with -buildvcs=false)"
		}
		v += "-" + r[:min(len(r), shortRevision)]
		if set["vcs.modified"] == "true" {
			v += "+dirty"
		}
	}
	return v
}

func settingsOf(info *debug.BuildInfo) map[string]string {
	set := make(map[string]string, len(info.Settings))
	if !strings.HasPrefix(archived, "$") {
		set["vcs.revision"] = strings.TrimSpace(archived)
	}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	return set
}

// writeVersion prints the properties of a build, one a line.
func writeVersion(w io.Writer, info *debug.BuildInfo) error {
	set := settingsOf(info)
	var b strings.Builder
	fmt.Fprintf(&b, "contend %s\n", release(info))
	if r := set["vcs.revision"]; r != "" {
		fmt.Fprintf(&b, "commit  %s", r)
		if at := set["vcs.time"]; at != "" {
			fmt.Fprintf(&b, " of %s", at)
		}
		if set["vcs.modified"] == "true" {
			b.WriteString(", with changes that are not committed")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "go      %s %s/%s\n", strings.TrimPrefix(info.GoVersion, "go"), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "format  %d\n", format.Version)
	_, err := io.WriteString(w, b.String())
	return err
}
