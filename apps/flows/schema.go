package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

type schemaCommand struct {
	schemaOptions
	lockOptions
	Columns    bool `help:"Show the columns; this is the default." xor:"what"`
	Proto      bool `help:"Show the .proto text." xor:"what"`
	Clickhouse bool `help:"Show the script with which ClickHouse reads the topic; its first lines say how to apply it." xor:"what"`
	Hash       bool `help:"Show the wire hash, as it is in topics." xor:"what"`
	Topic      bool `help:"Show the topic's name." xor:"what"`
	Check      bool `help:"Show what has changed since the schema's lock; after a breaking change the exit code is 1." xor:"what"`
	WriteLock  bool `help:"Record the schema in its lock; a breaking change needs --allow-breaking." xor:"what"`

	KafkaTopic   string             `help:"Prefix of the topics' names, as for collect." default:"flows"`
	KafkaBrokers []string           `help:"Brokers, as seen from ClickHouse." default:"localhost:9092" group:"With --clickhouse"`
	Options      clickhouse.Options `embed:"" prefix:"clickhouse-" group:"With --clickhouse"`
}

// Run shows what is asked for.
func (c *schemaCommand) Run(w io.Writer) error {
	l, err := c.layout()
	if err != nil {
		return err
	}
	text := ""
	switch {
	case c.Proto:
		text, err = l.Plan.Proto()
	case c.Clickhouse:
		c.Options.Topic, c.Options.Brokers = c.KafkaTopic, c.KafkaBrokers
		text, err = clickhouse.Statements(l, c.Options)
	case c.Hash:
		text = l.Hash + "\n"
	case c.Topic:
		text = l.Topic(c.KafkaTopic) + "\n"
	case c.Check:
		return c.check(l, c.Schema, w)
	case c.WriteLock:
		return c.write(l, c.Schema, w)
	default:
		return c.columns(l, w)
	}
	if err != nil {
		return &fileError{l.Path, l.File.Locate(err)}
	}
	_, err = io.WriteString(w, text)
	return err
}

func (c *schemaCommand) columns(l *layout.Layout, w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "# %s, wire hash %s, topic %s\nNUMBER\tNAME\tTYPE\tFROM\t\n", l.Plan.Root(), l.Hash, l.Topic(c.KafkaTopic))
	row := func(column schema.Column, state string) {
		var from []string
		for _, s := range column.Sources {
			if s.Enterprise == 0 {
				from = append(from, fmt.Sprint(s.Element))
			} else {
				from = append(from, fmt.Sprintf("%d/%d", s.Enterprise, s.Element))
			}
		}
		if column.CountZero {
			from = append(from, "(zero: value)")
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", column.Number, column.Name, column.Type(), strings.Join(from, " "), state)
	}
	for _, column := range l.Plan.Columns(l.Plan.Root()) {
		row(column, "")
	}
	for _, column := range l.Plan.ColumnsOff(l.Plan.Root()) {
		row(column, "off")
	}
	return table.Flush()
}
