package attach

import (
	"strings"
	"testing"
)

func TestMainOfACommandLine(t *testing.T) {
	for line, want := range map[string]string{
		"java -Xmx1g -cp a.jar:b.jar org.example.Main --port 80": "org.example.Main",
		"/opt/jdk/bin/java -jar /srv/shop-1.2.jar 4711":          "shop-1.2",
		"java -p mods -m shop/org.example.Main":                  "org.example.Main",
		"java @options Main":                                     "Main",
		"jcmd 4711 Thread.print":                                 "jcmd",
		"/opt/ide/bin/ide project":                               "ide",
		"":                                                       "",
	} {
		if got := mainOf(strings.Split(line, " ")); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
