package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/input"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
	"github.com/hotpb/hotpb/go/wire"
)

// Command is `hotpb lint`.
type Command struct {
	schemas.Flags `embed:""`
	Input         input.Flags `embed:""`
	Hot           bool        `help:"Apply the rules for hot paths; there are no others so far."`
	Delimited     bool        `help:"The files are streams, each message after its length."`
	Least         float64     `help:"Leave out advice that saves less than this percentage of the sample." default:"0.5"`
	Fail          bool        `help:"Exit with 1 when there is advice."`
	Files         []string    `arg:"" optional:"" help:"Messages, one in each file; - is standard input."`
}

// Help is the text of --help after the flags.
func (*Command) Help() string {
	return "Without files, the advice depends on the schema alone. With files it depends on their values, and says how many bytes it would " +
		"save there. Most of it changes the wire format: follow it in new schemas, or in new fields beside the old ones."
}

// Run writes the advice.
func (c *Command) Run(std *console.Streams) error {
	switch {
	case !c.Hot:
		return fault.Usage("lint has the rules for hot paths only", "call hotpb lint --hot")
	case len(c.Schema) == 0:
		return fault.Usage("lint needs a schema", "name one with --schema")
	case c.Least < 0:
		return fault.Usage("--least is negative", "0 shows all")
	}
	schema, err := c.Load()
	if err != nil {
		return err
	}
	l := &linter{least: c.Least}
	var messages []protoreflect.MessageDescriptor
	if len(c.Files) > 0 || c.Message != "" {
		root, err := c.Root(schema)
		if err != nil {
			return err
		}
		messages = reach(root)
		if len(c.Files) > 0 {
			if l.sample, err = c.read(std, root); err != nil {
				return err
			}
		}
	} else {
		messages = schema.Messages()
	}
	for _, m := range messages {
		if !m.IsMapEntry() {
			l.message(m)
		}
	}
	slices.SortStableFunc(l.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(b.Saves, a.Saves), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Element, b.Element))
	})
	if err := l.report(std); err != nil {
		return fault.IO("standard output", err)
	}
	if c.Fail && len(l.found) > 0 {
		return fault.In(l.found[0].File, fmt.Sprintf("there are %d pieces of advice", len(l.found)), "follow them, or leave --fail out")
	}
	return nil
}

// reach lists the messages that can be in one of this type.
func reach(root protoreflect.MessageDescriptor) []protoreflect.MessageDescriptor {
	seen := map[protoreflect.FullName]bool{root.FullName(): true}
	all := []protoreflect.MessageDescriptor{root}
	for i := 0; i < len(all); i++ {
		for j := range all[i].Fields().Len() {
			if m := all[i].Fields().Get(j).Message(); m != nil && !seen[m.FullName()] {
				seen[m.FullName()] = true
				all = append(all, m)
			}
		}
	}
	return all
}

// read counts the messages of the files.
func (c *Command) read(std *console.Streams, root protoreflect.MessageDescriptor) (*sample, error) {
	s := newSample()
	bar := progress.Start(std.Err, "lint")
	defer bar.Stop()
	for _, file := range c.Files {
		b, err := c.Input.Read(file, std.In)
		if err != nil {
			return nil, err
		}
		if err := s.file(root, b, c.Delimited, bar); err != nil {
			return nil, fault.Wire(input.Name(file), 0, err)
		}
	}
	return s, nil
}

func (s *sample) file(root protoreflect.MessageDescriptor, b []byte, delimited bool, bar *progress.Bar) error {
	for i, more := 0, true; more; {
		start, end := 0, len(b)
		more = delimited
		if delimited {
			message, next, err := wire.CutDelimited(b, i, wire.Options{})
			if err != nil {
				return err
			}
			if next == i {
				return nil
			}
			start, end, i = next-len(message), next, next
		}
		if _, err := s.message(root, b, start, end, 0, 0); err != nil {
			return err
		}
		s.messages++
		s.bytes += int64(end - start)
		bar.At(s.bytes)
	}
	return nil
}

func (l *linter) report(std *console.Streams) error {
	if std.JSON {
		out := map[string]any{"findings": append([]finding{}, l.found...)}
		if l.sample != nil {
			out["messages"], out["bytes"] = l.sample.messages, l.sample.bytes
		}
		text, err := json.Marshal(out)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.Out, "%s\n", text)
		return err
	}
	var out bytes.Buffer
	for _, f := range l.found {
		fmt.Fprint(&out, f.File)
		if f.Line > 0 {
			fmt.Fprintf(&out, ":%d", f.Line)
		}
		fmt.Fprintf(&out, ": %s: %s: %s; %s", f.Element, f.Rule, f.Cause, f.Mend)
		if f.Saves > 0 {
			fmt.Fprintf(&out, " (saves %d bytes, %.1f %%)", f.Saves, f.Percent)
		}
		fmt.Fprintln(&out)
	}
	if len(l.found) == 0 {
		fmt.Fprintln(&out, "no advice")
	}
	if l.sample != nil {
		fmt.Fprintf(&out, "%s, %s\n", plural(l.sample.messages, "message", "messages"), plural(int(l.sample.bytes), "byte", "bytes"))
	}
	_, err := io.Copy(std.Out, &out)
	return err
}
