//go:build !linux && !darwin

package attach

import "context"

// Find refuses: JVMs are attached to on Linux and macOS only.
func Find(pid int) (*Process, error) {
	p := &Process{PID: pid}
	return nil, p.fail("cannot be attached to from here: contend records JVMs on Linux and macOS",
		"jcmd PID JFR.start, wait, jcmd PID JFR.dump filename=$PWD/FILE, and give contend the file")
}

// List returns nothing here.
func List() ([]*Process, error) { return nil, nil }

// Command, Load and Alive have no process to work on here.
func (p *Process) Command(context.Context, string, ...string) ([]byte, error) {
	_, err := Find(p.PID)
	return nil, err
}

// Load see Command.
func (p *Process) Load(context.Context, string, string, func() bool) error {
	_, err := Find(p.PID)
	return err
}

// Key and Gone have no process to tell here.
func (p *Process) Key() string { return "" }

// Gone see Key.
func Gone(string) bool { return false }

func (p *Process) changed() bool { return false }

// Alive see Command.
func (p *Process) Alive() bool { return false }

// Tidy has nothing to remove here.
func (p *Process) Tidy() {}
