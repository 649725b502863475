//go:build linux

package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Process is a program that runs beside this one.
type Process struct {
	command *exec.Cmd
	output  string // file
	ended   chan struct{}
	err     error // set when it has ended
}

// StartProcess starts a program, which ends with this one at the latest. Its output is appended to a file.
func StartProcess(output string, command ...string) (*Process, error) {
	file, err := os.OpenFile(output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the program has its own
	p := &Process{command: exec.Command(command[0], command[1:]...), output: output, ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = file, file
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", command[0], err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// Pid returns the process id.
func (p *Process) Pid() int { return p.command.Process.Pid }

// Running reports whether it has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) error { return p.command.Process.Signal(s) }

// Kill ends it at once, and all that it has started. It may have ended before.
func (p *Process) Kill() {
	_ = syscall.Kill(-p.Pid(), syscall.SIGKILL)
	<-p.ended
}

// Stop asks it to end and waits. After some time it kills it, which is an error, as is any other end that is not
// the program's own.
func (p *Process) Stop(wait time.Duration) error {
	if !p.Running() {
		return p.failed(errors.New("it ended before it was asked to"))
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.ended:
		if p.err != nil {
			return p.failed(p.err)
		}
		return nil
	case <-time.After(wait):
		p.Kill()
		return p.failed(fmt.Errorf("it did not end within %v", wait))
	}
}

func (p *Process) failed(err error) error {
	return fmt.Errorf("%s: %w; its output:\n%s", p.command.Args[0], err, p.Tail())
}

// Tail returns the end of its output.
func (p *Process) Tail() string {
	text, _ := os.ReadFile(p.output)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-20):], []byte("\n")))
}

// ticks are the units per second in which /proc counts processor time: the kernel's interface has no other on
// Linux.
const ticks = 100

// Wait waits until it ends, which must be with success, and returns the processor time that it has used.
func (p *Process) Wait(ctx context.Context) (time.Duration, error) {
	select {
	case <-ctx.Done():
		p.Kill()
		return 0, ctx.Err()
	case <-p.ended:
	}
	if p.err != nil {
		return 0, p.failed(p.err)
	}
	state := p.command.ProcessState
	return state.UserTime() + state.SystemTime(), nil
}

// CPU returns the processor time that it has used so far.
func (p *Process) CPU() (time.Duration, error) { return CPU(p.Pid()) }

// CPU returns the processor time that a process has used so far.
func CPU(pid int) (time.Duration, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	user, err1 := strconv.ParseUint(fields[11], 10, 64)
	system, err2 := strconv.ParseUint(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / ticks), errors.Join(err1, err2)
}

// Memory returns its resident memory in bytes.
func (p *Process) Memory() (uint64, error) {
	fields, err := stat(p.Pid())
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseUint(fields[21], 10, 64)
	return pages * uint64(os.Getpagesize()), err
}

// stat returns the fields of /proc/PID/stat after the name, which may contain any character.
func stat(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	_, after, _ := bytes.Cut(text, []byte(") "))
	fields := bytes.Fields(after)
	if len(fields) < 22 {
		return nil, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	var all []string
	for _, f := range fields {
		all = append(all, string(f))
	}
	return all, nil
}
