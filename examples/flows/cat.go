package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/examples/flows/internal/layout"
	"github.com/hotpb/hotpb/examples/flows/internal/output"
)

type catCommand struct {
	schemaOptions
	Files []string `arg:"" help:"Files of flows, each behind its length; - is standard input." placeholder:"FILE"`
}

// The limits of what is read at once.
const (
	catFlow  = 16 << 20 // a message is no longer
	catChunk = 64 << 10
)

// Run prints the flows.
func (c *catCommand) Run(log *slog.Logger, w io.Writer) error {
	l, err := c.layout()
	if err != nil {
		return err
	}
	out := output.NewJSON(w, output.NewQueue(1<<20), &count.Counters{}, log)
	for _, name := range c.Files {
		if err = c.file(name, l, out); err != nil {
			break
		}
	}
	return errors.Join(err, out.Close(context.Background()))
}

func (c *catCommand) file(name string, l *layout.Layout, out output.Output) error {
	from := os.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	r := bufio.NewReaderSize(from, 256<<10)
	chunk := flow.Chunk{Layout: l}
	put := func() (err error) {
		if chunk.Flows > 0 {
			err = out.Put(context.Background(), chunk)
		}
		chunk = flow.Chunk{Layout: l}
		return err
	}
	for at := int64(0); ; {
		size, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return put()
		}
		before := len(chunk.Bytes)
		if err == nil && size > catFlow {
			err = fmt.Errorf("a flow of %d bytes: this is no file of flows", size)
		}
		if err == nil {
			chunk.Bytes = binary.AppendUvarint(chunk.Bytes, size)
			head := len(chunk.Bytes)
			chunk.Bytes = append(chunk.Bytes, make([]byte, size)...)
			_, err = io.ReadFull(r, chunk.Bytes[head:])
		}
		if err != nil {
			chunk.Bytes = chunk.Bytes[:before]
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("the file ends in the middle of a flow")
			}
			return errors.Join(put(), fmt.Errorf("%s: at byte %d: %w", name, at, err))
		}
		at += int64(len(chunk.Bytes) - before)
		if chunk.Flows++; len(chunk.Bytes) >= catChunk {
			if err := put(); err != nil {
				return err
			}
		}
	}
}
