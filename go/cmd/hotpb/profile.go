package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// profileCommand counts what messages are made of, for the generators' options hot= and cold=.
type profileCommand struct {
	Set       string   `help:"The descriptor set (protoc --include_imports --descriptor_set_out)." required:"" placeholder:"FILE"`
	Message   string   `help:"The full name of the messages' type." required:"" placeholder:"NAME"`
	Delimited bool     `help:"The files are streams, each message after its length."`
	Hot       float64  `help:"A wide message is worth straight code from this percentage of all records on." default:"10"`
	Files     []string `arg:"" help:"Messages, one in each file; - is standard input."`
}

// mostHot is how many wide messages are worth straight code: with five of them in turn a table is as fast (DESIGN.md).
const mostHot = 4

// Help says what to do with the output.
func (*profileCommand) Help() string {
	return "Writes a row for each message type that the messages reach: how many came, with how many records (fields, by wire type), " +
		"and the tier that the plan gives it. The last line is the option for the generators: hot= names wide messages with many of " +
		"the records, at most four; cold= names messages of straight code that never came."
}

// profile is what has been seen.
type profile struct {
	messages map[string]*plan.Message
	seen     map[*plan.Message]*count
	records  int
}

type count struct{ messages, records int }

// Run reads all files and writes the table.
func (c *profileCommand) Run(w io.Writer) error {
	set, err := os.ReadFile(c.Set)
	if err != nil {
		return err
	}
	schema, err := plan.FromDescriptorSet(set, nil)
	if err != nil {
		return &fileError{c.Set, err}
	}
	p := &profile{messages: map[string]*plan.Message{}, seen: map[*plan.Message]*count{}}
	for _, m := range schema.Messages {
		p.messages[m.Name] = m
	}
	root := p.messages[c.Message]
	if root == nil {
		return &fileError{c.Set, fmt.Errorf("it has no message %s", c.Message)}
	}
	p.reach(root)
	for _, name := range c.Files {
		if err := c.read(p, root, name); err != nil {
			return &fileError{name, err}
		}
	}
	return c.report(w, p)
}

// reach makes a row for each message type that can be in one of this type.
func (p *profile) reach(root *plan.Message) {
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

func (c *profileCommand) read(p *profile, root *plan.Message, name string) error {
	file := os.Stdin
	if name != "-" {
		var err error
		if file, err = os.Open(name); err != nil {
			return err
		}
		defer file.Close()
	}
	if !c.Delimited {
		content, err := io.ReadAll(file)
		if err != nil {
			return err
		}
		return p.message(root, *wire.NewDecoder(content))
	}
	stream := wire.NewDelimitedReader(file, wire.Options{})
	for {
		start := stream.Offset()
		message, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.message(root, *wire.NewDecoder(message))
		}
		if err != nil {
			return fmt.Errorf("in the message at byte %d: %w", start, err)
		}
	}
}

// message counts a message and what is in it. Decoders limit the depth.
func (p *profile) message(m *plan.Message, d wire.Decoder) error {
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

// report writes the rows, the largest first, and the option.
func (c *profileCommand) report(w io.Writer, p *profile) error {
	var rows []*plan.Message
	for m := range p.seen {
		if !m.MapEntry {
			rows = append(rows, m)
		}
	}
	slices.SortFunc(rows, func(a, b *plan.Message) int {
		return cmp.Or(cmp.Compare(p.seen[b].records, p.seen[a].records), strings.Compare(a.Name, b.Name))
	})
	var hot, cold []string
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "message\tmessages\trecords\tshare\tfields\ttier\t")
	for _, m := range rows {
		seen := p.seen[m]
		share := 0.0
		if p.records > 0 {
			share = 100 * float64(seen.records) / float64(p.records)
		}
		advice := ""
		switch {
		case m.Tier == plan.ByTable && share >= c.Hot && len(hot) < mostHot:
			advice, hot = "hot", append(hot, m.Name)
		case m.Tier == plan.Straight && seen.messages == 0:
			advice, cold = "cold", append(cold, m.Name)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%.1f%%\t%d\t%s\t%s\n", m.Name, seen.messages, seen.records, share, len(m.Fields), m.Tier, advice)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var options []string
	if len(hot) > 0 {
		options = append(options, "hot="+strings.Join(hot, "+"))
	}
	if len(cold) > 0 {
		slices.Sort(cold)
		options = append(options, "cold="+strings.Join(cold, "+"))
	}
	_, err := fmt.Fprintf(w, "\noptions: %s\n", cmp.Or(strings.Join(options, ","), "none"))
	return err
}
