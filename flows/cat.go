package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/hotpb/hotpb/flows/internal/layout"
	"github.com/hotpb/hotpb/flows/internal/output"
)

type catCommand struct {
	schemaOptions
	Files []string `arg:"" help:"Files of length-prefixed flows; - is standard input." placeholder:"FILE"`
}

// Run prints the flows.
func (c *catCommand) Run(w io.Writer) error {
	l, err := c.layout()
	if err != nil {
		return err
	}
	for _, name := range c.Files {
		if err := cat(l, name, w); err != nil {
			return err
		}
	}
	return nil
}

func cat(l *layout.Layout, name string, w io.Writer) error {
	from := os.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	_, err := output.Cat(l, from, w)
	var system syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.As(err, &system): // in reading, or in writing
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s: %w (is it a file of --output=file, or a part of one?)", name, err)
}
