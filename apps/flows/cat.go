package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"syscall"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/output"
)

type catCommand struct {
	schemaOptions
	Files []string `arg:"" help:"Files of length-prefixed flows; - is standard input." placeholder:"FILE"`
}

// Run prints the flows.
func (c *catCommand) Run(w io.Writer, log *slog.Logger) error {
	l, err := c.layout()
	if err != nil {
		return err
	}
	for _, name := range c.Files {
		if hash := hashIn(name); hash != "" && hash != l.Hash {
			log.Warn("the file was written with another schema, and columns may be missing or wrong: name its schema with --schema",
				"file", name, "wire_hash", hash, "schema", l.Path, "its_wire_hash", l.Hash)
		}
		if err := cat(l, name, w); err != nil {
			return err
		}
	}
	return nil
}

var nameWithHash = regexp.MustCompile(`-([0-9a-f]{16})-[0-9]{8}T[0-9]{6}[^/]*$`)

// hashIn returns the wire hash in the name of a file of --output=file; "" if it has none.
func hashIn(name string) string {
	if found := nameWithHash.FindStringSubmatch(name); found != nil {
		return found[1]
	}
	return ""
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
