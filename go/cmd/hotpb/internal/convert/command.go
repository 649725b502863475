// Package convert turns messages from one form into another, by their schema: through google.golang.org/protobuf.
package convert

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/input"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
)

// Command is `hotpb convert`.
type Command struct {
	schemas.Flags `embed:""`
	Input         input.Flags `embed:""`
	From          string      `help:"The input: ${enum}. auto goes by the file's name (.json, .txtpb, .textproto, .hex), else binary." enum:"auto,binary,delimited,json,text,hex,base64" default:"auto"`
	To            string      `help:"The output: ${enum}. auto goes by the name of --out, else json." enum:"auto,binary,delimited,json,text,hex,base64" default:"auto"`
	Compress      string      `help:"How the output is compressed: ${enum}." enum:"none,gzip,snappy,snappy-framed,zstd" default:"none"`
	Out           string      `short:"o" help:"The output file; - is standard output." default:"-" placeholder:"FILE"`
	Partial       bool        `help:"Let required fields be absent."`
	Names         bool        `help:"Write JSON with the names of the .proto, not in lowerCamelCase."`
	Pretty        bool        `help:"Write JSON on several lines."`
	Deterministic bool        `help:"Write map entries in the order of their keys." default:"true" negatable:""`
	File          string      `arg:"" help:"The file; - is standard input."`
}

// Help is the text of --help after the flags.
func (*Command) Help() string {
	return "binary and text hold one message; delimited is a stream, each message after its length; json, hex and base64 hold one " +
		"message or many, hex and base64 one on each line. Unknown fields are lost in JSON and text: inspect shows them."
}

// Run reads all messages and writes them.
func (c *Command) Run(std *console.Streams) (err error) {
	if len(c.Schema) == 0 {
		return fault.Usage("convert needs a schema", "name one with --schema (inspect works without)")
	}
	schema, err := c.Load()
	if err != nil {
		return err
	}
	root, err := c.Root(schema)
	if err != nil {
		return err
	}
	from, to := c.forms(std.JSON)
	r, err := c.Input.Open(c.File, std.In)
	if err != nil {
		return err
	}
	defer r.Close()
	bar := progress.Start(std.Err, "convert")
	defer bar.Stop()
	if info, err := os.Stat(c.File); err == nil && c.Input.Decompress == "none" {
		bar.Of(info.Size())
	}
	reader := newReader(from, input.Name(c.File), r, schema.Types, c.Partial)
	target, err := c.create(std.Out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close(err == nil)) }()
	writer := c.writer(to, target, schema.Types)
	for {
		m := dynamicpb.NewMessage(root)
		offset, err := reader.next(m)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		bar.At(offset)
		if err := writer.write(m); err != nil {
			return err
		}
	}
}

// forms are those of input and output, by the files' names where they are not said.
func (c *Command) forms(json bool) (from, to string) {
	if from = c.From; from == "auto" {
		from = byName(c.File, "binary")
	}
	switch to = c.To; {
	case to == "auto" && json:
		to = "json"
	case to == "auto":
		fallback := "json"
		if c.Out != "-" {
			fallback = "binary"
		}
		to = byName(c.Out, fallback)
	}
	return from, to
}

func byName(file, fallback string) string {
	name := strings.ToLower(file)
	for _, end := range []string{".gz", ".zst", ".sz", ".snappy"} {
		name = strings.TrimSuffix(name, end)
	}
	switch filepath.Ext(name) {
	case ".json", ".jsonl", ".ndjson":
		return "json"
	case ".txtpb", ".textproto", ".textpb", ".pbtxt", ".prototxt":
		return "text"
	case ".hex":
		return "hex"
	case ".b64", ".base64":
		return "base64"
	}
	return fallback
}

// target is the output. A file gets its name when all has been written.
type target struct {
	io.Writer
	buffer     *bufio.Writer
	compressed io.WriteCloser
	file       *os.File // nil for standard output
	name       string
}

func (c *Command) create(stdout io.Writer) (*target, error) {
	t := &target{name: c.Out}
	out := stdout
	if c.Out != "-" {
		if info, err := os.Stat(c.Out); err == nil && info.IsDir() {
			return nil, fault.In(c.Out, "is a directory", "name a file with --out")
		}
		file, err := os.CreateTemp(filepath.Dir(c.Out), "."+filepath.Base(c.Out)+".*")
		if err != nil {
			return nil, fault.IO(c.Out, err)
		}
		t.file, out = file, file
	}
	t.buffer = bufio.NewWriterSize(out, 64<<10)
	var err error
	if t.compressed, err = input.Compress(c.Compress, t.buffer); err != nil {
		return nil, fault.In(c.Out, err.Error(), "")
	}
	t.Writer = t.compressed
	return t, nil
}

// close ends the output. A file that is not whole is removed.
func (t *target) close(whole bool) error {
	err := errors.Join(t.compressed.Close(), t.buffer.Flush())
	if t.file != nil {
		if err = errors.Join(err, t.file.Chmod(0o644), t.file.Close()); err == nil && whole {
			err = os.Rename(t.file.Name(), t.name)
		} else {
			os.Remove(t.file.Name())
		}
	}
	if err != nil && whole {
		name := t.name
		if name == "-" {
			name = "standard output"
		}
		return fault.IO(name, err)
	}
	return nil
}
