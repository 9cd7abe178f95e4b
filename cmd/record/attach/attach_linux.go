package attach

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"contend/cmd/record/foreign"
)

// Find inspects a process and returns it if it is a HotSpot JVM that may be attached to. It
// does not touch the process. The error is an *Error.
func Find(pid int) (*Process, error) {
	p := &Process{PID: pid, root: procPath(pid, "root"), tmp: "/tmp"}
	if err := numbered(pid); err != nil {
		return nil, err
	}
	held, _ := os.FindProcess(pid) // no other gets the number unnoticed
	defer held.Release()
	now, state, err := look(pid)
	if err != nil {
		return nil, p.fail("does not run", elsewhere)
	}
	p.identity = now
	maps, err := beginning(procPath(pid, "maps"), maxMaps)
	p.commandLine()
	changed := p.changed()
	switch {
	case errors.Is(held.Signal(syscall.Signal(0)), os.ErrProcessDone):
		return nil, p.fail("does not run", elsewhere)
	case changed:
		return nil, p.fail(differs, again)
	case !now.one:
		return nil, p.fail(mixed, "start it with -javaagent: see 'contend record --help'")
	case errors.Is(err, os.ErrPermission) && p.identity.user.UID != os.Geteuid():
		return nil, p.fail(
			fmt.Sprintf("belongs to another user (%d)", p.identity.user.UID),
			"run contend as that user or as root",
		)
	case bytes.Contains(maps, []byte("/libj9vm")):
		return nil, p.fail(
			"is an OpenJ9 JVM, which has no HotSpot attach socket",
			"record javacores: kill -QUIT PID a few times, and give contend the files",
		)
	case !bytes.Contains(maps, []byte("/libjvm.so")):
		return nil, p.fail(
			"is not a Java process",
			"--perf records a native program; 'contend record --list' shows the JVMs here",
		)
	case strings.HasPrefix(state, "T"):
		return nil, p.fail("is stopped", fmt.Sprintf("kill -CONT %d lets it run", pid))
	}
	return p, nil
}

// look reads the identity of a process, and its state.
func look(pid int) (i identity, state string, err error) {
	status, err := os.ReadFile(procPath(pid, "status"))
	if err != nil {
		return i, "", err
	}
	i.inner = pid
	state = i.read(status)
	i.began = began(pid)
	if own := of("self", "user"); own == "" || own != of(strconv.Itoa(pid), "user") {
		i.user.Caps = 0 // they are those over another namespace
	} else if mounts := of(strconv.Itoa(pid), "mnt"); mounts != "" {
		i.user.Apart = mounts != of("self", "mnt")
	}
	return i, state, nil
}

// of returns the namespace of a kind of a process, "" if unknown.
func of(process, kind string) string {
	path, _ := os.Readlink("/proc/" + process + "/ns/" + kind)
	return path
}

// numbered returns an error if the process numbers in /proc belong to another namespace
// than this process's.
func numbered(pid int) error {
	if namespace() == "" {
		return (&Process{PID: pid}).fail(
			"may be another one: /proc is of another PID namespace than contend",
			"mount -t proc proc /proc, in a mount namespace of contend's own, or run it where /proc is from",
		)
	}
	return nil
}

// User returns the user for whom a process runs; it need not be a JVM. The error is an
// *Error.
func User(pid int) (foreign.User, error) {
	if err := numbered(pid); err != nil {
		return foreign.User{}, err
	}
	now, state, err := look(pid)
	if err != nil || ended(state) {
		return foreign.User{}, (&Process{PID: pid}).fail("does not run", "'ps -e' lists them")
	}
	if !now.one {
		return foreign.User{}, (&Process{PID: pid}).fail(mixed, "run it as one user, as 'sudo PROGRAM' does")
	}
	return now.user, nil
}

const mixed = "has the rights of two users or groups, as a set-user-ID program"

// changed reports whether the number belongs to another process now, or the process has
// other rights.
func (p *Process) changed() bool {
	now, _, err := look(p.PID)
	now.quits = now.quits && p.identity.quits // as it starts it gets a handler; another program has lost it
	return p.identity.began != 0 && (err != nil || now != p.identity)
}

func procPath(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// working returns the working directory of the process.
func (p *Process) working() string { return procPath(p.PID, "cwd") }

// read reads the identity of a process from a status file; it returns the state.
func (i *identity) read(status []byte) (state string) {
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		words := strings.Fields(value)
		if len(words) == 0 {
			continue
		}
		switch key {
		case "State":
			state = words[0]
		case "Uid": // real, effective, saved, of the file system
			i.user.UID, _ = strconv.Atoi(words[min(1, len(words)-1)])
			i.one = len(slices.Compact(words)) == 1
		case "Gid":
			i.user.GID, _ = strconv.Atoi(words[min(1, len(words)-1)])
			i.one = i.one && len(slices.Compact(words)) == 1
		case "CapPrm":
			i.user.Caps, _ = strconv.ParseUint(words[0], 16, 64)
		case "NSpid": // outermost namespace first
			i.inner, _ = strconv.Atoi(words[len(words)-1])
		case "SigCgt":
			caught, _ := strconv.ParseUint(words[0], 16, 64)
			i.quits = caught&(1<<(uint(syscall.SIGQUIT)-1)) != 0
		}
	}
	return state
}

// commandLine reads the arguments, those of the environment too.
func (p *Process) commandLine() {
	text, _ := beginning(procPath(p.PID, "cmdline"), maxMemory)
	args := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	p.Main = mainOf(args)
	p.args = args
	env, _ := beginning(procPath(p.PID, "environ"), maxMemory)
	for _, v := range strings.Split(string(env), "\x00") {
		if key, value, _ := strings.Cut(v, "="); key == "JAVA_TOOL_OPTIONS" || key == "JDK_JAVA_OPTIONS" ||
			key == "_JAVA_OPTIONS" {
			p.args = append(p.args, strings.Fields(value)...)
		}
	}
}

// maxMemory bounds what is read of a process's own memory, which any process can declare
// to be its arguments: the kernel gives a new one no more than some MB of them. maxMaps bounds
// its mappings, of which it may have 65,000 with long paths.
const (
	maxMemory = 1 << 20
	maxMaps   = 16 << 20
)

// beginning reads the first bytes of a file.
func beginning(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// starting reports whether a young JVM does not run its program yet. The last of its own
// threads shows it: the one for notifications. Before JDK 14 that was the thread of
// periodic tasks; since then this may be among the first, before those of the compilers,
// and the thread for monitors before these.
func (p *Process) starting() bool {
	if age, ok := p.age(); !ok || age > startup {
		return false
	}
	own, compiles := map[string]bool{}, false
	threads, _ := filepath.Glob(procPath(p.PID, "task/*/comm"))
	for _, path := range threads {
		name, _ := os.ReadFile(path)
		own[strings.TrimSpace(string(name))] = true
		compiles = compiles || bytes.Contains(name, []byte(" CompilerT"))
	}
	runs := own["Notification Th"] || own["VM Periodic Tas"] && compiles && !own["Monitor Deflati"]
	return !p.identity.quits || !runs
}

// age returns how long the process has run.
func (p *Process) age() (age time.Duration, ok bool) {
	uptime, _ := os.ReadFile("/proc/uptime")
	up := strings.Fields(string(uptime))
	if p.identity.began == 0 || len(up) == 0 {
		return 0, false
	}
	const second = 100 // the unit of start on Linux
	now, err := strconv.ParseFloat(up[0], 64)
	return time.Duration((now - float64(p.identity.began)/second) * float64(time.Second)), err == nil
}

// began returns the start of a process, in the unit of identity.
func began(pid int) (start uint64) {
	stat, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return 0
	}
	const field = 19 // after the name
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= field {
		return 0
	}
	start, _ = strconv.ParseUint(fields[field], 10, 64)
	return start
}

func ended(state string) bool { return strings.ContainsAny(state, "ZX") }

// Alive reports whether the process still runs, and its number belongs to no other process.
func (p *Process) Alive() bool {
	now, state, err := look(p.PID)
	return err == nil && !ended(state) && (p.identity.began == 0 || now.began == p.identity.began)
}

// namespace returns the process namespace of this process, "" if /proc belongs to another
// one.
func namespace() string {
	self, err := os.Readlink("/proc/self")
	status, unread := os.ReadFile("/proc/self/status")
	_, numbers, several := strings.Cut(string(status), "\nNSpid:\t")
	if errors.Join(err, unread) != nil || self != strconv.Itoa(os.Getpid()) ||
		several && !strings.HasPrefix(numbers, self+"\n") {
		return ""
	}
	return strings.Trim(of("self", "pid"), "pid:[]")
}

// List returns the JVMs here, by number. Those of other users are left out
// unless this is root.
func List() (out []*Process, err error) {
	if err := numbered(os.Getpid()); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, err := Find(pid); err == nil {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *Process) int { return a.PID - b.PID })
	return out, err
}
