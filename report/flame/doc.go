// Package flame draws profiles as flame graphs: one page for a browser, a
// picture, and the text forms other tools read. It computes nothing but
// places and colours.
package flame
