package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/hotpb/hotpb/examples/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

type schemaCommand struct {
	schemaOptions
	Columns    bool `help:"The columns; so without any of the following." xor:"what"`
	Proto      bool `help:"The .proto text." xor:"what"`
	Clickhouse bool `help:"The statements that have ClickHouse read the topic." xor:"what"`
	Hash       bool `help:"The wire hash, as topics have it." xor:"what"`
	Topic      bool `help:"The topic's name." xor:"what"`

	KafkaBrokers []string `help:"Brokers that ClickHouse reads from." default:"localhost:9092" group:"With --clickhouse"`
	KafkaTopic   string   `help:"What the topic's name begins with; with --topic, too." default:"flows" group:"With --clickhouse"`
	Database     string   `help:"ClickHouse's database; without it, the current one." group:"With --clickhouse"`
	Table        string   `help:"The table." default:"flows" group:"With --clickhouse"`
	OrderBy      string   `help:"Its ORDER BY; without it, when flows were received if there is such a column." group:"With --clickhouse"`
	Clauses      string   `help:"What else it has behind that: PARTITION BY, TTL." group:"With --clickhouse"`
	Group        string   `help:"The consumer group." default:"clickhouse" group:"With --clickhouse"`
	Consumers    int      `help:"How many consumers read." group:"With --clickhouse"`
	ProtoFile    string   `help:"The file with the .proto text in the server's format_schema_path; without it, the topic's name with .proto." group:"With --clickhouse" placeholder:"FILE"`
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
		text, err = c.clickhouse(l)
	case c.Hash:
		text = l.Hash + "\n"
	case c.Topic:
		text = l.Topic(c.KafkaTopic) + "\n"
	default:
		return c.columns(l, w)
	}
	if err != nil {
		return &fileError{l.Path, l.File.Locate(err)}
	}
	_, err = io.WriteString(w, text)
	return err
}

func (c *schemaCommand) clickhouse(l *layout.Layout) (string, error) {
	topic, file, order := l.Topic(c.KafkaTopic), c.ProtoFile, c.OrderBy
	if file == "" {
		file = topic + ".proto"
	}
	if order == "" {
		order = received(l)
	}
	tables, err := l.Plan.ClickHouse(schema.ClickHouse{
		Database: c.Database, Table: c.Table, OrderBy: order, Clauses: c.Clauses,
		Brokers: strings.Join(c.KafkaBrokers, ","), Topic: topic, Group: c.Group, Schema: file, Consumers: c.Consumers,
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("-- The queue reads the messages by %[1]s, which has to be in the server's format_schema_path first:\n"+
		"--   flows schema --proto > /var/lib/clickhouse/format_schemas/%[1]s\n\n%[2]s", file, tables), nil
}

// received is the column with the time when flows were received; empty if there is none.
func received(l *layout.Layout) string {
	for _, column := range l.Plan.Columns(l.Plan.Root()) {
		for _, source := range column.Sources {
			if source == (schema.Source{Element: layout.Received}) {
				return column.Name
			}
		}
	}
	return ""
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
