package inspect

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/input"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
	"github.com/hotpb/hotpb/go/wire"
)

// Command is `hotpb inspect`.
type Command struct {
	schemas.Flags `embed:""`
	Input         input.Flags `embed:""`
	From          string      `help:"The form of the input: ${enum}." enum:"binary,hex,base64" default:"binary"`
	Delimited     bool        `help:"The input is a stream, each message after its length."`
	Sizes         bool        `help:"Show which field takes which share of the bytes."`
	Rows          int         `help:"How many rows --sizes shows; 0 for all." default:"40"`
	At            int         `help:"Show only the records that hold the byte at this offset." default:"-1" placeholder:"OFFSET"`
	Depth         int         `help:"How deep messages are opened." default:"${depth}"`
	Format        string      `help:"The output: ${enum}." enum:"text,json,html" default:"text"`
	File          string      `arg:"" help:"The file; - is standard input."`
}

// mostDepth is the largest --depth: each level needs a part of the stack.
const mostDepth = 10_000

// Help is the text of --help after the flags.
func (*Command) Help() string {
	return "Writes a line for each record: its offset, its bytes, its field and value, and after # anything unusual: over-long varints and " +
		"padded lengths, split and interleaved messages, unknown fields, values that do not fit. Without a schema it guesses. " +
		"Damage ends the message that contains it; the records around that message are shown."
}

// Run reads the file and shows it.
func (c *Command) Run(std *console.Streams) error {
	if c.Depth < 1 || c.Depth > mostDepth {
		return fault.Usage(fmt.Sprintf("--depth=%d is not between 1 and %d", c.Depth, mostDepth), "")
	}
	if c.Rows < 0 {
		return fault.Usage("--rows is negative", "0 shows all")
	}
	var root protoreflect.MessageDescriptor
	var types *dynamicpb.Types
	switch schema, err := c.Load(); {
	case err != nil:
		return err
	case schema != nil:
		if root, err = c.Root(schema); err != nil {
			return err
		}
		types = schema.Types
	case c.Message != "":
		return fault.Usage("--message needs a schema", "name one with --schema")
	}
	b, err := c.read(std.In)
	if err != nil {
		return err
	}
	return c.show(std, b, root, types)
}

// show walks the bytes.
func (c *Command) show(std *console.Streams, b []byte, root protoreflect.MessageDescriptor, types *dynamicpb.Types) error {
	format := c.Format
	if std.JSON {
		format = "json"
	}
	name := input.Name(c.File)
	if c.At >= len(b) {
		return fault.Usage(fmt.Sprintf("--at=%d is after the end of %s, which has %d bytes", c.At, name, len(b)), "")
	}
	bar := progress.Start(std.Err, "inspect")
	defer bar.Stop()
	bar.Of(int64(len(b)))
	w := &walker{b: b, types: types, maxDepth: c.Depth, at: max(-1, c.At), progress: func(i int) { bar.At(int64(i)) }}
	w.sink = c.sink(std.Out, format, name, b)
	damage := c.walk(w, name, root)
	if err := w.sink.finish(); err != nil {
		return fault.IO("standard output", err)
	}
	return damage
}

func (c *Command) read(stdin io.Reader) ([]byte, error) {
	b, err := c.Input.Read(c.File, stdin)
	if err != nil {
		return nil, err
	}
	switch c.From {
	case "hex":
		return input.Hex(input.Name(c.File), b)
	case "base64":
		return input.Base64(input.Name(c.File), b)
	}
	return b, nil
}

func (c *Command) sink(out io.Writer, format, file string, b []byte) sink {
	w := bufio.NewWriterSize(out, 64<<10)
	switch {
	case c.Sizes:
		return &sizesSink{w: w, format: format, file: file, most: c.Rows, rows: map[string]*share{}}
	case format == "json":
		return &jsonSink{w: w, file: file}
	case format == "html":
		return &htmlSink{w: w, b: b, file: file}
	}
	return &textSink{w: w, b: b, many: c.Delimited}
}

// walk shows all messages. The error says where the first damage is.
func (c *Command) walk(w *walker, name string, root protoreflect.MessageDescriptor) error {
	if !c.Delimited {
		w.message(0, len(w.b), root)
		return w.errors(name)
	}
	for i := 0; i < len(w.b); {
		message, next, err := wire.CutDelimited(w.b, i, wire.Options{})
		if err != nil {
			return errors.Join(w.errors(name), fault.Wire(name, 0, err))
		}
		if c.At < 0 || i <= c.At && c.At < next {
			w.message(next-len(message), next, root)
		}
		i = next
	}
	return w.errors(name)
}
