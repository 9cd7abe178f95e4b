//go:build linux || darwin

package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Key is the number of the process and its namespace.
func (p *Process) Key() string { return fmt.Sprintf("%d-%s", p.PID, namespace()) }

// Gone reports whether no process has the number of a key any more; false for another
// namespace, which is not visible.
func Gone(key string) bool {
	number, of, _ := strings.Cut(key, "-")
	pid, err := strconv.Atoi(number)
	return err == nil && of != "" && of == namespace() && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// maxArgument bounds each argument for the attach listener, in bytes.
const maxArgument = 1024

// maxAnswer bounds the bytes read of an answer, which may have no end: answers to the
// commands sent here are short.
const maxAnswer = 1 << 20

// Command runs a command of the attach listener, such as "load" or "jcmd", and returns its
// output. It waits until ctx is done at the latest. The error is an *Error if the JVM
// cannot be reached or refuses.
func (p *Process) Command(ctx context.Context, name string, args ...string) ([]byte, error) {
	if len(args) > 3 {
		return nil, fmt.Errorf("%s: %d arguments, at most 3", name, len(args))
	}
	for _, a := range args {
		if len(a) > maxArgument || strings.ContainsRune(a, 0) {
			return nil, fmt.Errorf("%s: an argument of %d bytes, at most %d", name, len(a), maxArgument)
		}
	}
	conn, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	request := "1\x00" + name + "\x00" + strings.Join(args, "\x00") + strings.Repeat("\x00", 3-max(len(args), 1)+1)
	if _, err := io.WriteString(conn, request); err != nil {
		return nil, p.fail("does not take the command: "+cause(err), "")
	}
	answer, err := io.ReadAll(io.LimitReader(conn, maxAnswer))
	if err != nil && len(answer) == 0 {
		return nil, p.fail("does not answer: "+cause(err), "it may be stopped, or too busy")
	}
	return p.status(name, answer)
}

// status splits the listener's own verdict, the first line, from the answer.
func (p *Process) status(name string, answer []byte) ([]byte, error) {
	if len(answer) == 0 {
		return nil, p.fail("gave no answer", "it may have ended meanwhile")
	}
	line, rest, _ := bytes.Cut(answer, []byte("\n"))
	if code, err := strconv.Atoi(strings.TrimSpace(string(line))); err != nil || code != 0 {
		return nil, p.fail(fmt.Sprintf("refuses %s: %s", name, oneLine(answer)), "")
	}
	return rest, nil
}

// Load loads a Java agent; runs reports whether it has begun. Some JVMs answer 0 also if
// they forbid agents, or run none yet: the text and runs show it.
func (p *Process) Load(ctx context.Context, jar, options string, runs func() bool) error {
	if strings.Contains(jar, "=") {
		return fmt.Errorf("%s: the path of an agent must not hold '='", jar)
	}
	answer, err := p.load(ctx, jar+"="+options, runs)
	text, code := oneLine(answer), returned(answer)
	if err != nil {
		text = err.Error()
		code = text
	}
	for _, module := range []string{"java.instrument", "java.management"} {
		if code != "" && code != "0" && p.Lacks(module) {
			return p.fail("cannot run the agent: its runtime has no "+module, "--with jfr needs none")
		}
	}
	for _, r := range refusals {
		if strings.Contains(text, r.says) {
			return p.fail(r.what, r.hint)
		}
	}
	switch {
	case err != nil:
		return err
	case code != "0" && code != "":
		return p.fail("does not load the agent: "+text, "--with jfr needs none")
	case !runs():
		return p.fail("answers that the agent is loaded, but it does not run", "--with jfr needs none")
	}
	return nil
}

// returned returns the code that an agent returned, "" if the JVM does not say.
func returned(answer []byte) string {
	return strings.TrimSpace(strings.TrimPrefix(oneLine(answer), "return code:"))
}

// startup bounds how long a JVM takes until it runs its program: on a very busy machine,
// seconds.
const startup = 20 * time.Second

// load sends the command, again while the JVM is seen to be starting only by what it
// answers: it has no class loader for agents yet, says that it is too early, or (JDK 17)
// answers 0 and does nothing.
func (p *Process) load(ctx context.Context, agent string, runs func() bool) ([]byte, error) {
	for begun := time.Now(); ; sleep(ctx, 200*time.Millisecond) {
		answer, err := p.Command(ctx, "load", "instrument", "false", agent)
		early := err != nil && strings.Contains(err.Error(), "NullPointerException") ||
			strings.Contains(string(answer), "only permitted in the live phase")
		if code := returned(answer); err == nil && (code == "0" || code == "") {
			early = !runs()
		}
		if !early || ctx.Err() != nil || time.Since(begun) > startup {
			return answer, err
		}
	}
}

// refusals are the answers of JVMs that load no agent.
var refusals = []struct{ says, what, hint string }{
	{
		"Dynamic agent loading is not enabled",
		"forbids agents (-XX:-EnableDynamicAgentLoading)",
		"--with jfr needs none; or start it with -javaagent, see 'contend record --help'",
	},
	{
		"return code: 102",
		"cannot start the agent: its own error output says why",
		"java.management may be missing in its runtime; --with jfr needs no agent",
	},
	{"instrument", "cannot load agents: its runtime has no java.instrument", "--with jfr needs none"},
}

// connect reaches the listener: it tries the socket first, and requests one by a signal
// only if none answers.
func (p *Process) connect(ctx context.Context) (net.Conn, error) {
	p.settle(ctx)
	tmp, err := p.Open(p.tmp)
	if err != nil {
		return nil, p.fail("has no "+p.tmp+" that can be opened: "+cause(err), "")
	}
	defer tmp.Close()
	conn, err := p.dial(tmp)
	if err == nil {
		return conn, nil
	}
	if errors.Is(err, os.ErrPermission) {
		return nil, p.fail("belongs to another user", "run contend as that user or as root")
	}
	if !errors.Is(err, syscall.EAGAIN) { // else it listens, to too many at once
		if err := p.mayBeSignalled(); err != nil {
			return nil, err
		}
		done, err := p.ask(tmp)
		defer done()
		if err != nil {
			return nil, err
		}
	}
	var last error
	for wait := 20 * time.Millisecond; wait < 3*time.Second && ctx.Err() == nil; wait = wait * 3 / 2 {
		sleep(ctx, wait)
		conn, err := p.dial(tmp)
		if err == nil {
			return conn, nil
		}
		last = err
	}
	if ctx.Err() != nil {
		return nil, p.fail("opens no attach socket: "+cause(ctx.Err()), "")
	}
	if err := p.blocked(tmp); err != nil { // it appeared after the first check
		return nil, err
	}
	return nil, p.fail(
		"opened no attach socket: "+cause(last),
		"it may have written a thread dump to its output instead",
	)
}

func (p *Process) mayBeSignalled() error {
	const hint = "start it with -javaagent: see 'contend record --help'"
	if slices.Contains(p.args, "-XX:+DisableAttachMechanism") {
		return p.fail("does not let itself be attached to (-XX:+DisableAttachMechanism)", hint)
	}
	if !p.identity.quits {
		return p.fail("has no attach socket, and would die of the signal that asks for one (-Xrs)", hint)
	}
	return nil
}

// settle waits while the JVM starts: it would not survive the signal that requests a
// socket, or would remove a socket that it has just made; and a command before its program
// runs may leave it with broken classes.
func (p *Process) settle(ctx context.Context) {
	for ctx.Err() == nil && p.starting() && !slices.Contains(p.args, "-Xrs") {
		sleep(ctx, 20*time.Millisecond)
		now, err := Find(p.PID)
		if err != nil {
			return
		}
		p.identity.quits = now.identity.quits
	}
}

// sleep waits, at most until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func cause(err error) string {
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		return "it takes too long"
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	return err.Error()
}

func oneLine(text []byte) string {
	return strings.Join(strings.Fields(string(text)), " ")
}
