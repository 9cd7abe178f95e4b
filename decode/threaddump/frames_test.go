package threaddump

import (
	"testing"

	"contend/format"
)

func TestUnusualFrames(t *testing.T) {
	for text, want := range map[string]format.Frame{
		"AppTest.waits (for it) and goes on(AppTest.kt:12)":                                  {Class: "AppTest", Method: "waits (for it) and goes on", File: "AppTest.kt", Line: 12},
		"app//a.B.f(x)$lambda$0(B.kt)":                                                       {Class: "a.B", Method: "f(x)$lambda$0", File: "B.kt"},
		"java.base@17/java.lang.Thread.sleep(Native Method)":                                 {Class: "java.lang.Thread", Method: "sleep", Line: -1},
		"com.acme.Gen$$FastClass/1234567890.call(Unknown Source)":                            {Class: "com.acme.Gen$$FastClass", Method: "call"},
		"app//com.acme.Gen/0x00000007c0061000.call(Gen.java:3)":                              {Class: "com.acme.Gen", Method: "call", File: "Gen.java", Line: 3},
		"java.lang.invoke.LambdaForm$MH+0x00007fa778083800/2086996804.invoke(LambdaForm$MH)": {Class: "java.lang.invoke.LambdaForm$MH", Method: "invoke", File: "LambdaForm$MH"},
		"a.B.f": {Class: "a.B", Method: "f"},
	} {
		if got, ok := newNames().frame(text, dotted); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// Hidden classes have the same name in each run, as recordings write them too.
func TestHiddenClasses(t *testing.T) {
	for name, want := range map[string]string{
		"java/lang/invoke/LambdaForm$MH+0x00007fa778083800.2086996804": "java.lang.invoke.LambdaForm$MH",
		"java/lang/invoke/LambdaForm$MH+0x00007fa778083800/2086996804": "java.lang.invoke.LambdaForm$MH",
		"App$$Lambda+0x00007fa778083800":                               "App$$Lambda",
		"[Lcom/acme/Gen+0x00007fa778083800;":                           "com.acme.Gen[]",
		"java/lang/Thread":                                             "java.lang.Thread",
	} {
		if got := JavaName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
