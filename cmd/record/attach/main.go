package attach

import (
	"path/filepath"
	"strings"
)

// withValue are the options of java whose value is the next argument.
var withValue = map[string]bool{
	"-cp":                    true,
	"-classpath":             true,
	"--class-path":           true,
	"-p":                     true,
	"--module-path":          true,
	"--add-modules":          true,
	"--add-opens":            true,
	"--add-exports":          true,
	"--add-reads":            true,
	"--limit-modules":        true,
	"--upgrade-module-path":  true,
	"--patch-module":         true,
	"--enable-native-access": true,
	"--source":               true,
}

// mainOf returns the main class, module or jar of a java command line; for another program
// with a JVM in it, the program.
func mainOf(args []string) string {
	if program := filepath.Base(args[0]); args[0] != "" && program != "java" {
		return program
	}
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-jar" || a == "-m" || a == "--module":
			if i+1 < len(args) {
				return strings.TrimSuffix(filepath.Base(args[i+1]), ".jar")
			}
		case withValue[a]:
			i++
		case !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "@"):
			return a
		}
	}
	return ""
}
