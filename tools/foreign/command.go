package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// command is a program to run, with what it cost.
type command struct {
	dir         string
	environment []string
	limit       time.Duration

	seconds float64 // of CPU
	peak    float64 // MB, of the largest process
}

var errTime = errors.New("not done in time")

// run returns the program's output, standard output and error together.
func (c *command) run(name string, arguments ...string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), c.limit)
	defer stop()
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.environment...)
	// What it started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if state := cmd.ProcessState; state != nil {
		c.seconds += (state.UserTime() + state.SystemTime()).Seconds()
		if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
			c.peak = max(c.peak, float64(usage.Maxrss)/1024)
		}
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %s, %v", errTime, name, c.limit)
	}
	return output.String(), err
}

// firstLines are those of a compiler's output that say what is wrong.
func firstLines(output string, count int) string {
	var lines []string
	for _, line := range strings.Split(output, "\n") {
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			if len(line) > 300 {
				line = line[:300] + "…"
			}
			lines = append(lines, "    "+line)
		}
		if len(lines) == count {
			break
		}
	}
	return strings.Join(lines, "\n")
}
