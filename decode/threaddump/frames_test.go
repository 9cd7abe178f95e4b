package threaddump

import (
	"testing"

	"contend/format"
)

func TestUnusualFrames(t *testing.T) {
	for text, want := range map[string]format.Frame{
		"AppTest.waits (for it) and goes on(AppTest.kt:12)":       {Class: "AppTest", Method: "waits (for it) and goes on", File: "AppTest.kt", Line: 12},
		"app//a.B.f(x)$lambda$0(B.kt)":                            {Class: "a.B", Method: "f(x)$lambda$0", File: "B.kt"},
		"java.base@17/java.lang.Thread.sleep(Native Method)":      {Class: "java.lang.Thread", Method: "sleep", Line: -1},
		"com.acme.Gen$$FastClass/1234567890.call(Unknown Source)": {Class: "com.acme.Gen$$FastClass", Method: "call"},
		"app//com.acme.Gen/0x00000007c0061000.call(Gen.java:3)":   {Class: "com.acme.Gen", Method: "call", File: "Gen.java", Line: 3},
		"a.B.f": {Class: "a.B", Method: "f"},
	} {
		if got, ok := newNames().frame(text, dotted); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}
