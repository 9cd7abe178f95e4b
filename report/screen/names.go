package screen

import "fmt"

// frameText writes a frame as Class.method:line.
func frameText(class, method string, n int) string {
	name := method
	if class != "" {
		name = class + "." + method
	}
	if n > 0 {
		name += fmt.Sprintf(":%d", n)
	}
	return name
}
