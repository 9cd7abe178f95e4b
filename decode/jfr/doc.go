// Package jfr reads flight recordings of JDK 9 and later and of other tools that write the
// same format. It streams: a few chunks are in memory at a time, and goroutines prepare
// chunks ahead of the requested events. The layout of every event comes from the
// recording's own metadata; events without relevance for threads and locks are skipped by
// their size. It refuses the older format of JDK 7 and 8.
//
// Files:
//
//	doc.go          this page
//	reader.go       Reader, and what it is made of
//	events.go       the events that are read, and their handlers
//	feed.go         chunks and batches in order, read ahead or not
//	advance.go      the next batch, the next chunk
//	ahead.go        reading chunks ahead on several goroutines
//	split.go        cutting the input into chunks
//	input.go        the window on the input
//	header.go       the head of a chunk, and its clock
//	clock.go        evidence for the clock in checkpoints
//	window.go       the bounds of times in a chunk
//	chunk.go        one chunk: its events, its damage
//	batch.go        a run of decoded events
//	metadata.go     the types as the recording describes them
//	layout.go       how to pass over constants
//	program.go      types compiled to programs
//	run.go          running a program
//	wire.go         the cursor over the bytes of a chunk
//	pool.go         constants by key
//	resolve.go      keys of a chunk to ids of the recording
//	threads.go      threads and their groups
//	stacks.go       stacks and frames
//	names.go        names and classes of locks
//	virtual.go      virtual threads
//	jvms.go         recordings of several JVMs in one file
//	overlap.go      chunks that several files have
//	dumps.go        thread dumps in a recording
//	dumptime.go     the instant of a thread dump
//	dumpidle.go     idle time between thread dumps
//	agentsamples.go samples of the agent beside a recording
//	unparks.go      which thread ended a park
//	traced.go       method traces: releases, and parks of virtual threads
//	settings.go     settings, and the events that they switch off
//	unobserved.go   what a recording shows only in part
//	flaws.go        contradictions in metadata
//	repeats.go      contradictions in constants
package jfr
