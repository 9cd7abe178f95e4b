package agent

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/decode"
	"contend/format"
	"contend/golden"
)

// Rewritten classes pass the verifier and do what they did, in all shapes in which locks are acquired; of each kind
// of lock waits and holds are recorded, and no hold of an exclusive lock overlaps another one.
func TestAllShapesOfLockingAreRecorded(t *testing.T) {
	golden.Thorough(t)
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no JDK here")
	}
	dir := t.TempDir()
	jar, trace := filepath.Join(dir, jarFile), filepath.Join(dir, "trace.bin")
	golden.OK(t, os.WriteFile(jar, Jar, 0o644))
	if out, err := exec.Command("javac", "-d", dir, "testdata/shapes/Shapes.java").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, java := range javas() {
		out, err := exec.Command(java, "-Xverify:remote",
			"-javaagent:"+jar+"=exact,file="+trace, "-cp", dir, "shapes.Shapes", "1500").CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "done" {
			t.Fatalf("%s: %v: %s", java, err, out)
		}
		classes, waited := map[format.ObjectID]string{}, map[string]int{}
		holds := map[format.ObjectID][]format.Event{}
		src := golden.Must(decode.Open([]string{trace}, nil, decode.Options{}))(t)
		for {
			var ev format.Event
			if err := src.Read(&ev); err != nil {
				break
			}
			switch ev.Kind {
			case format.KindObject:
				classes[ev.Object] = ev.Class
			case format.KindWait:
				waited[classes[ev.Object]]++
			case format.KindTenure:
				if ev.Mode == format.Exclusive {
					holds[ev.Object] = append(holds[ev.Object], ev)
				}
			case format.KindSetting:
				if class, left := strings.CutPrefix(ev.Name, format.SettingLeft); left {
					t.Errorf("%s: %s was left alone: %s", java, class, ev.Value)
				}
			}
		}
		src.Close()
		for _, class := range []string{
			"shapes.Shapes$Box", "java.lang.Class", "java.util.concurrent.locks.ReentrantLock$NonfairSync",
			"java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync", "java.util.concurrent.locks.StampedLock",
			"java.util.concurrent.Semaphore$NonfairSync",
		} {
			if waited[class] == 0 {
				t.Errorf("%s: nobody waited for %s, but for %v", java, class, slices.Sorted(maps.Keys(waited)))
			}
		}
		for lock, list := range holds {
			slices.SortFunc(list, func(a, b format.Event) int { return int(a.Time - b.Time) })
			for i := 1; i < len(list); i++ {
				if list[i].Time < list[i-1].End {
					t.Fatalf("%s: %s: held by thread %d until %d, and by thread %d from %d on", java, classes[lock],
						list[i-1].Thread, list[i-1].End, list[i].Thread, list[i].Time)
				}
			}
		}
	}
}

// javas are the JVMs here.
func javas() []string {
	others, _ := filepath.Glob("/usr/lib/jvm/*25*/bin/java")
	return append([]string{"java"}, others...)
}
