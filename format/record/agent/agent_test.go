package agent

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/golden"

	"github.com/google/go-cmp/cmp"
)

const jarFile = "contend-agent.jar"

func sources(t *testing.T) (files []string, sum string) {
	t.Helper()
	files, err := filepath.Glob("src/contend/agent/*.java")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	slices.Sort(files)
	h := sha256.New()
	for _, f := range files {
		text := golden.Must(os.ReadFile(f))(t)
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(f), len(text), text)
	}
	return files, hex.EncodeToString(h.Sum(nil))
}

// build compiles the sources and packs them, without times and in order, so
// that equal classes give equal bytes.
func build(t *testing.T, javac string) []byte {
	t.Helper()
	files, sum := sources(t)
	dir := t.TempDir()
	out, err := exec.Command(javac, append([]string{"-Xlint:-options", "-g:none", "--release", "8", "-d", dir}, files...)...).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", javac, err, out)
	}
	classes, err := filepath.Glob(filepath.Join(dir, "contend/agent/*.class"))
	if err != nil || len(classes) == 0 {
		t.Fatalf("no classes: %v", err)
	}
	slices.Sort(classes)
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	add := func(name string, data []byte) { // what is known beforehand needs no word behind it
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.BestCompression)
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = w.Close()
		}
		var raw io.Writer
		if err == nil {
			raw, err = z.CreateRaw(&zip.FileHeader{
				Name:               name,
				Method:             zip.Deflate,
				CRC32:              crc32.ChecksumIEEE(data),
				CompressedSize64:   uint64(packed.Len()),
				UncompressedSize64: uint64(len(data)),
			})
		}
		if err == nil {
			_, err = raw.Write(packed.Bytes())
		}
		golden.OK(t, err)
	}
	add(
		"META-INF/MANIFEST.MF",
		[]byte(
			"Manifest-Version: 1.0\r\nPremain-Class: contend.agent.Stub\r\nAgent-Class: contend.agent.Stub\r\nSources-SHA256: "+sum[:32]+"\r\n\r\n",
		),
	)
	for _, c := range classes {
		data := golden.Must(os.ReadFile(c))(t)
		add("contend/agent/"+filepath.Base(c), data)
	}
	golden.OK(t, z.Close())
	return jar.Bytes()
}

// compilers are the JDKs here, the default one first.
func compilers() []string {
	var out []string
	if path, err := exec.LookPath("javac"); err == nil {
		out = append(out, path)
	}
	others, _ := filepath.Glob("/usr/lib/jvm/*25*/bin/javac")
	return append(out, others...)
}

// Every JDK here builds the jar that is in the repository, to the byte.
func TestTheJarIsItsSources(t *testing.T) {
	javacs := compilers()
	if len(javacs) == 0 || !golden.IsThorough() && !golden.Update() {
		t.Skip("no javac here, or CONTEND_THOROUGH is not set: TestTheJarNamesItsSources holds the sources' sum alone")
	}
	kept := Jar
	for i, javac := range javacs {
		jar := build(t, javac)
		if golden.Update() && i == 0 {
			golden.OK(t, os.WriteFile(jarFile, jar, 0o644))
			kept = jar
			continue
		}
		if diff := cmp.Diff(entries(t, kept), entries(t, jar)); diff != "" {
			t.Errorf("%s builds other classes than %s holds: run go generate\n%s", javac, jarFile, diff)
		}
	}
}

// entries returns the sum of each file in a jar: Go's own releases may pack
// equal files differently.
func entries(t *testing.T, jar []byte) map[string]string {
	t.Helper()
	z := golden.Must(zip.NewReader(bytes.NewReader(jar), int64(len(jar))))(t)
	out := map[string]string{}
	for _, f := range z.File {
		r := golden.Must(f.Open())(t)
		h := sha256.New()
		golden.Must(io.Copy(h, r))(t)
		out[f.Name] = hex.EncodeToString(h.Sum(nil))
	}
	return out
}

func TestTheJarNamesItsSources(t *testing.T) {
	if golden.Update() {
		t.Skip("the jar is being rebuilt")
	}
	_, sum := sources(t)
	z := golden.Must(zip.NewReader(bytes.NewReader(Jar), int64(len(Jar))))(t)
	f := golden.Must(z.Open("META-INF/MANIFEST.MF"))(t)
	text := golden.Must(io.ReadAll(f))(t)
	if !strings.Contains(string(text), "Sources-SHA256: "+sum[:32]+"\r\n") {
		t.Errorf("%s was built from other sources: run go generate\n%s", jarFile, text)
	}
}

func TestTheJarIsSmall(t *testing.T) {
	if len(Jar) > 56<<10 {
		t.Errorf("the agent takes %d bytes", len(Jar))
	}
}
