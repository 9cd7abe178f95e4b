package jfr

import (
	"slices"
	"strconv"
	"strings"

	"contend/format"
)

func setting(r *Reader, v *values, ev *format.Event) bool {
	p := r.symbols.chunk.meta.programs[v[slotID]]
	if p == nil {
		return false
	}
	name, value := r.symbols.text(v[slotName]), r.symbols.text(v[slotValue])
	if ns, _ := strconv.ParseInt(value, 10, 64); name == "lock" && ns > 0 { // async-profiler's, for parks as well
		name, value = "threshold", strconv.FormatInt(ns, 10)+" ns"
	}
	r.virtualSetting(p.spec.name, name, value)
	if !kept[name] || ofVirtual[p.spec.name] {
		return false
	}
	waits := slices.Contains(hidesWaits[:], p.spec.name)
	if name == "enabled" && waits {
		r.evidence.recorded[p.spec.name] = r.evidence.recorded[p.spec.name] || value == "true"
	}
	key := p.class.name + "#" + name
	if r.evidence.settings[key] == value {
		return false
	}
	r.evidence.settings[key] = value
	ev.Kind = format.KindSetting
	ev.Name = key
	ev.Value = value
	if name == "threshold" && waits {
		ev.Weight = nanoseconds(value)
	}
	return true
}

// kept are the settings that decide what a recording shows.
var kept = map[string]bool{"threshold": true, "enabled": true, "period": true, "stackTrace": true}

// ofVirtual are the events whose settings only matter for unobserved waits.
var ofVirtual = map[string]bool{"VirtualThreadStart": true, "VirtualThreadEnd": true}

// hidesWaits are the events whose threshold hides waits for locks; the threshold of other
// events hides evidence only.
var hidesWaits = [...]string{"JavaMonitorEnter", "ThreadPark"}

// idleEvents are the events of idle time. All idle time is recorded if each of them is
// enabled without a threshold.
var idleEvents = [...]string{"ThreadPark", "JavaMonitorWait", "ThreadSleep"}

// reportIdle reports how much of its idle time a JVM recorded.
func (r *Reader) reportIdle() {
	how := format.IdleEnded
	for _, name := range idleEvents {
		if threshold, set := r.settingOf(name, "threshold"); !set || nanoseconds(threshold) > 0 {
			how = format.IdleLong
		}
		if on, _ := r.settingOf(name, "enabled"); on != "true" {
			how = format.IdleLong
		}
	}
	r.symbols.queue.Push(format.Event{Kind: format.KindSetting, Name: format.SettingIdle, Value: how})
}

// settingOf returns a setting of an event of the JDK.
func (r *Reader) settingOf(event, name string) (value string, set bool) {
	for _, p := range prefixes {
		if value, set = r.evidence.settings[p+event+"#"+name]; set {
			break
		}
	}
	return value, set
}

// unrecorded warns of waits that the settings disable, so that their absence means nothing.
func (r *Reader) unrecorded() []format.Warning {
	var events []string
	for _, name := range hidesWaits {
		if on, set := r.evidence.recorded[name]; set && !on {
			events = append(events, "jdk."+name)
		}
	}
	text := "waits were not recorded: the settings disable " + strings.Join(events, " and ")
	switch {
	case len(r.evidence.recorded) == 0 && !r.evidence.waitSeen:
		text = "it is unknown whether waits were recorded: there is no wait event, and no setting of " +
			"jdk.JavaMonitorEnter or jdk.ThreadPark"
	case len(events) == 0:
		return nil
	}
	how := "'contend jfc' prints settings that record all"
	if r.symbols.chunk.meta != nil && r.symbols.chunk.meta.sampler {
		how = "async-profiler records them with -e lock"
	}
	return []format.Warning{{Code: format.CodeNotRecorded, Text: text, Hint: how}}
}
