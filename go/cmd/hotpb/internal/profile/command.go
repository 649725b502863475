// Package profile counts messages and their records, for the generators' options hot= and cold=.
package profile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/input"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Command is `hotpb profile`.
type Command struct {
	schemas.Flags `embed:""`
	Input         input.Flags `embed:""`
	Delimited     bool        `help:"The files are streams, each message after its length."`
	Hot           float64     `help:"A wide message becomes hot when it has this percentage of all records." default:"10"`
	Files         []string    `arg:"" help:"Messages, one in each file; - is standard input."`
}

// mostHot is how many wide messages are worth straight code: with five of them in turn a table is as fast (DESIGN.md).
const mostHot = 4

// Help explains the output.
func (*Command) Help() string {
	return "Writes a row for each message type that the messages can contain: how many there are, how many records (fields, by wire type) " +
		"they have, and their tier in the plan. The last line is the option for the generators: hot= names wide messages with many of " +
		"the records, at most four; cold= names messages of straight code that are in no file."
}

// Profile has the counts.
type Profile struct {
	root    *plan.Message
	seen    map[*plan.Message]*count
	records int
}

type count struct{ messages, records int }

// New returns a profile of messages of type root.
func New(schema *schemas.Schema, root string) (*Profile, error) {
	all, err := plan.FromDescriptorSet(schema.Set, nil)
	if err != nil {
		return nil, err
	}
	p := &Profile{seen: map[*plan.Message]*count{}}
	for _, m := range all.Messages {
		if m.Name == root {
			p.root = m
			p.reach(m)
			return p, nil
		}
	}
	return nil, fmt.Errorf("the plan has no message %s", root)
}

// Add counts a message and the messages in it.
func (p *Profile) Add(b []byte) error { return p.message(p.root, *wire.NewDecoder(b)) }

// Row has the counts of a message type.
type Row struct {
	Message  string  `json:"message"`
	Messages int     `json:"messages"`
	Records  int     `json:"records"`
	Percent  float64 `json:"percent"`
	Fields   int     `json:"fields"`
	Tier     string  `json:"tier"`
	Advice   string  `json:"advice,omitempty"` // hot or cold
}

// Report is the result.
type Report struct {
	Rows    []Row  `json:"rows"`
	Options string `json:"options"` // of the generators; may be empty
}

// Run reads all files and writes the table.
func (c *Command) Run(std *console.Streams) error {
	if len(c.Schema) == 0 {
		return fault.Usage("profile needs a schema", "name one with --schema")
	}
	schema, err := c.Load()
	if err != nil {
		return err
	}
	root, err := c.Root(schema)
	if err != nil {
		return err
	}
	p, err := New(schema, string(root.FullName()))
	if err != nil {
		return fault.In(strings.Join(c.Schema, ", "), err.Error(), "")
	}
	bar := progress.Start(std.Err, "profile")
	defer bar.Stop()
	for _, name := range c.Files {
		if err := c.read(std, p, name, bar); err != nil {
			return err
		}
	}
	if err := p.Report(c.Hot).write(std); err != nil {
		return fault.IO("standard output", err)
	}
	return nil
}

// reach adds a count for each message type that can be in one of this type.
func (p *Profile) reach(root *plan.Message) {
	p.seen[root] = new(count)
	for open := []*plan.Message{root}; len(open) > 0; {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		for _, f := range m.Fields {
			if f.Message != nil && p.seen[f.Message] == nil {
				p.seen[f.Message] = new(count)
				open = append(open, f.Message)
			}
		}
	}
}

func (c *Command) read(std *console.Streams, p *Profile, file string, bar *progress.Bar) error {
	name := input.Name(file)
	r, err := c.Input.Open(file, std.In)
	if err != nil {
		return err
	}
	defer r.Close()
	if !c.Delimited {
		content, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := p.Add(content); err != nil {
			return fault.Wire(name, 0, err)
		}
		return nil
	}
	stream := wire.NewDelimitedReader(r, wire.Options{})
	for {
		message, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return inFile(name, 0, err)
		}
		if err := p.Add(message); err != nil {
			return fault.Wire(name, stream.Offset(), err)
		}
		bar.At(stream.Offset())
	}
}

// inFile keeps errors that name their file.
func inFile(name string, base int64, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return fault.Wire(name, base, err)
}

// message counts a message and the messages in it. Decoders limit the depth.
func (p *Profile) message(m *plan.Message, d wire.Decoder) error {
	seen := p.seen[m]
	seen.messages++
	for d.More() {
		number, kind, err := d.DecodeTag()
		if err != nil {
			return err
		}
		seen.records++
		p.records++
		var nested wire.Decoder
		field := fieldOf(m, number)
		switch {
		case field == nil || field.Message == nil || int(kind) != field.WireType:
			_, err = d.Skip()
		case kind == wire.StartGroup:
			if nested, err = d.Group(); err == nil {
				err = p.message(field.Message, nested)
			}
		default:
			if nested, err = d.Nested(); err == nil {
				err = p.message(field.Message, nested)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func fieldOf(m *plan.Message, number uint32) *plan.Field {
	i, found := slices.BinarySearchFunc(m.Fields, int32(number), func(f *plan.Field, number int32) int { return cmp.Compare(f.Number, number) })
	if !found {
		return nil
	}
	return m.Fields[i]
}

func isWellKnown(m *plan.Message) bool { return strings.HasPrefix(m.Name, "google.protobuf.") }

// Report lists the message types, the one with the most records first, and derives the options.
func (p *Profile) Report(leastHot float64) *Report {
	var types []*plan.Message
	for m := range p.seen {
		if !m.MapEntry {
			types = append(types, m)
		}
	}
	slices.SortFunc(types, func(a, b *plan.Message) int {
		return cmp.Or(cmp.Compare(p.seen[b].records, p.seen[a].records), strings.Compare(a.Name, b.Name))
	})
	r := &Report{Rows: []Row{}}
	var hot, cold []string
	for _, m := range types {
		seen := p.seen[m]
		row := Row{Message: m.Name, Messages: seen.messages, Records: seen.records, Fields: len(m.Fields), Tier: fmt.Sprint(m.Tier)}
		if p.records > 0 {
			row.Percent = 100 * float64(seen.records) / float64(p.records)
		}
		switch {
		case isWellKnown(m) && !isWellKnown(p.root): // the runtime has its code
		case m.Tier == plan.ByTable && row.Percent >= leastHot && len(hot) < mostHot:
			row.Advice, hot = "hot", append(hot, m.Name)
		case m.Tier == plan.Straight && seen.messages == 0:
			row.Advice, cold = "cold", append(cold, m.Name)
		}
		r.Rows = append(r.Rows, row)
	}
	var options []string
	if len(hot) > 0 {
		options = append(options, "hot="+strings.Join(hot, "+"))
	}
	if len(cold) > 0 {
		slices.Sort(cold)
		options = append(options, "cold="+strings.Join(cold, "+"))
	}
	r.Options = strings.Join(options, ",")
	return r
}

func (r *Report) write(std *console.Streams) error {
	if std.JSON {
		return std.WriteJSON(r)
	}
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "message\tmessages\trecords\tshare\tfields\ttier\t")
	for _, m := range r.Rows {
		fmt.Fprintf(table, "%s\t%d\t%d\t%.1f%%\t%d\t%s\t%s\n", m.Message, m.Messages, m.Records, m.Percent, m.Fields, m.Tier, m.Advice)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&out, "\noptions: %s\n", cmp.Or(r.Options, "none"))
	_, err := out.WriteTo(std.Out)
	return err
}
