// Package text writes durations, counts, measures and names for all renderings: safe for
// terminals, and short enough for their place. It lays nothing out.
package text
