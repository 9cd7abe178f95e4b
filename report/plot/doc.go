// Package plot draws documents as SVG, alone or in an HTML page that needs neither
// network nor script: lengths of waits as percentile curves, and pressure as a timeline.
// It computes no statistics. gonum/plot would draw the curves but not the timeline, needs
// the same code for both axes, cuts off labels and legend at the edge, and brings eight
// modules and their fonts.
//
//	doc.go      this page
//	timeline.go pressure over time, a band for each lock
//	plot.go     percentile curves
//	overtime.go percentiles of one interval after the other
//	axes.go     pictures with two axes
package plot
