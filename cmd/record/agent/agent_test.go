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
	"io/fs"
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
	probes, again := filepath.Glob("src/contend/agent/probes/*.java")
	if err != nil || again != nil || len(files) == 0 || len(probes) == 0 {
		t.Fatalf("no sources: %v, %v", err, again)
	}
	files = append(files, probes...)
	slices.Sort(files)
	h := sha256.New()
	for _, f := range append(slices.Clone(files), licenceFile) {
		text := golden.Must(os.ReadFile(f))(t)
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(f), len(text), text)
	}
	return files, hex.EncodeToString(h.Sum(nil))
}

// The library that reads and writes class files goes into the jar under a name of the agent's own, so
// that it meets no other copy of it. Both names have the same length: no offset in a class file changes.
const (
	asmVersion  = "9.4"
	asmName     = "org/objectweb/asm"
	asmOwn      = "contend/agent/asm"
	licenceFile = "asm-LICENSE.txt"
)

// asm writes the classes of the library, renamed, to a folder; without its jars here it skips the test.
func asm(t *testing.T, dir string) {
	t.Helper()
	for _, part := range []string{"asm", "asm-tree"} {
		jar := fmt.Sprintf("/usr/share/java/%s-%s.jar", part, asmVersion)
		z, err := zip.OpenReader(jar)
		if err != nil {
			t.Skipf("no %s: Debian has it in libasm-java", jar)
		}
		for _, f := range z.File {
			if !strings.HasPrefix(f.Name, asmName) || !strings.HasSuffix(f.Name, ".class") {
				continue
			}
			r := golden.Must(f.Open())(t)
			code := golden.Must(io.ReadAll(r))(t)
			code = bytes.ReplaceAll(code, []byte(asmName), []byte(asmOwn))
			code = bytes.ReplaceAll(code, []byte(dotted(asmName)), []byte(dotted(asmOwn)))
			file := filepath.Join(dir, strings.Replace(f.Name, asmName, asmOwn, 1))
			golden.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
			golden.OK(t, os.WriteFile(file, code, 0o644))
		}
		z.Close()
	}
}

func dotted(name string) string { return strings.ReplaceAll(name, "/", ".") }

// build compiles the sources and packs them, without times and in order, so
// that equal classes give equal bytes.
func build(t *testing.T, javac string) []byte {
	t.Helper()
	files, sum := sources(t)
	dir := t.TempDir()
	asm(t, dir)
	out, err := exec.Command(javac, append([]string{
		"-Xlint:-options",
		"-g:none",
		"--release",
		"8",
		"-cp",
		dir,
		"-d",
		dir,
	}, files...)...).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", javac, err, out)
	}
	var classes []string
	golden.OK(t, filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".class") {
			classes = append(classes, file)
		}
		return err
	}))
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
			"Manifest-Version: 1.0\r\nPremain-Class: contend.agent.Stub\r\nAgent-Class: contend.agent.Stub\r\n"+
				"Can-Retransform-Classes: true\r\nSources-SHA256: "+sum[:32]+"\r\n\r\n",
		),
	)
	add("META-INF/"+licenceFile, golden.Must(os.ReadFile(licenceFile))(t))
	for _, c := range classes {
		data := golden.Must(os.ReadFile(c))(t)
		name := golden.Must(filepath.Rel(dir, c))(t)
		add(filepath.ToSlash(name), data)
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
	if golden.Update() {
		javacs = javacs[:1]
	}
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
	if len(Jar) > 288<<10 {
		t.Errorf("the agent takes %d bytes", len(Jar))
	}
}
