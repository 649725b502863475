package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// arrowCommand calls a program of its own, because Arrow is large.
type arrowCommand struct{ source }

const (
	arrowProgram = "hotpb-schema-arrow"
	arrowInstall = "install it: go install -C go/schema/arrow ./cmd/hotpb-schema-arrow in a clone of the repository, " +
		"and put Go's bin folder on the PATH"
)

// Run writes the schema as text. A wrong schema file is reported before the program is looked for.
func (c *arrowCommand) Run(std *console.Streams) error {
	if _, _, err := c.read(); err != nil {
		return err
	}
	path, err := exec.LookPath(arrowProgram)
	if err != nil {
		return fault.In(arrowProgram, "it is not on the PATH, and writes Arrow schemas", arrowInstall)
	}
	var arguments []string
	for _, list := range []struct {
		flag   string
		values []string
	}{{"--on=", c.On}, {"--off=", c.Off}, {"--on-group=", c.OnGroup}, {"--off-group=", c.OffGroup}} {
		for _, value := range list.values {
			arguments = append(arguments, list.flag+value)
		}
	}
	var out, stderr bytes.Buffer
	command := exec.Command(path, append(arguments, "--", c.File)...)
	command.Stdout, command.Stderr = &out, &stderr
	if err := command.Run(); err != nil {
		return c.refused(path, err, stderr.String())
	}
	return write(std, "arrow", out.String())
}

// refused is the error in the first line that the program wrote: FILE:LINE: CAUSE.
func (c *arrowCommand) refused(path string, err error, output string) error {
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	rest, ok := strings.CutPrefix(line, c.File+":")
	if !ok {
		return fault.In(path, fmt.Sprintf("%v: %s", err, line), arrowInstall)
	}
	wrong := &fault.Error{File: c.File, Offset: fault.NoOffset, Cause: strings.TrimSpace(rest)}
	if number, cause, ok := strings.Cut(rest, ": "); ok {
		if n, err := strconv.Atoi(number); err == nil {
			wrong.Line, wrong.Cause = n, cause
		}
	}
	return wrong
}
