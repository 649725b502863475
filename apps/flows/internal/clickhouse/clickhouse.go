// Package clickhouse generates the statements with which a ClickHouse server reads the collector's flows from
// Kafka, all of them from the schema file.
package clickhouse

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	tables "github.com/hotpb/hotpb/go/schema/clickhouse"
)

// Options name the tables and the source of their rows. The tags describe the command line.
type Options struct {
	Database string `help:"Database; by default the current one."`
	Table    string `help:"Target table; the names of the other tables and views derive from it." default:"flows"`
	Engine   string `help:"Engine of the target table." default:"MergeTree"`
	OrderBy  string `help:"ORDER BY of the target table; by default time, exporter and addresses, if the schema has them."`
	Clauses  string `help:"Clauses of the target table after ORDER BY, instead of one partition per day and the TTL."`
	Days     int    `help:"Days after which ClickHouse deletes flows; 0 keeps them." default:"30"`

	Brokers   []string `kong:"-"` // as seen from ClickHouse; an option of Kafka's
	Topic     string   `kong:"-"` // prefix of the topics' names: an option of Kafka's
	Group     string   `help:"Consumer group." default:"clickhouse"`
	Consumers int      `help:"Consumers; 0 for ClickHouse's default."`
	Folder    string   `help:"The server's format_schema_path." default:"/var/lib/clickhouse/format_schemas"`
}

// Export has the statements to apply. Each wire layout has a topic, a .proto file and the tables that read them.
// All of them fill the one target table, which gets the columns that it lacks.
type Export struct {
	Topic  string
	File   string // the name of the .proto file in the server's format_schema_path
	Proto  string // its text
	Source string // prefix of the names of queue, view and table of errors
	Tables *tables.Tables
}

// New creates the export of a layout. An error has the schema file and the line.
func New(l *layout.Layout, o Options) (*Export, error) {
	text, protoErr := l.Plan.Proto()
	topic := l.Topic(o.Topic)
	x := &Export{Topic: topic, File: topic + ".proto", Proto: text, Source: o.Table + "_" + l.Hash}
	orderBy, clauses := o.OrderBy, o.Clauses
	time := nameOf(l, layout.Received)
	if orderBy == "" {
		orderBy = order(l, time)
	}
	if clauses == "" && time != "" {
		clauses = "PARTITION BY toYYYYMMDD(" + time + ")"
		if o.Days > 0 {
			clauses += fmt.Sprintf("\nTTL toDateTime(%s) + INTERVAL %d DAY", time, o.Days)
		}
	}
	made, err := tables.TablesFor(l.Plan, tables.Options{
		Database: o.Database, Table: o.Table, Source: x.Source,
		Engine: o.Engine, OrderBy: orderBy, Clauses: clauses,
		Brokers: strings.Join(o.Brokers, ","), Topic: topic, Group: o.Group + "-" + l.Hash,
		Schema: x.File, Consumers: o.Consumers,
	})
	if err := errors.Join(protoErr, err); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Path, l.File.Locate(err))
	}
	x.Tables = made
	return x, nil
}

// Statements returns the statements for clickhouse-client, in order. They may be executed again. The queue begins to
// read with the first view on it, so the first is the one that keeps the flows.
func (x *Export) Statements() []string {
	t := x.Tables
	var add []string // of what a target that an older schema created lacks
	for _, c := range t.Columns {
		add = append(add, "\n  ADD COLUMN IF NOT EXISTS "+c.String())
	}
	return []string{t.Target, "ALTER TABLE " + t.Name + strings.Join(add, ","), t.Queue, t.View, t.Errors}
}

// protoMark begins the lines of the .proto file in a script, which ClickHouse reads as comments.
const protoMark = "--| "

// Statements returns the whole export as a script for clickhouse-client. The .proto file, which the server needs
// in its format_schema_path, is in the script's comments. The lines before it say how to extract it.
func Statements(l *layout.Layout, o Options) (string, error) {
	x, err := New(l, o)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "-- Flows from topic %s into table %s. With this script in flows.sql:\n", x.Topic, x.Tables.Name)
	fmt.Fprintf(&b, "--   sed -n 's/^--| //p' flows.sql > %s/%s\n--   clickhouse-client --multiquery < flows.sql\n\n", o.Folder, x.File)
	for line := range strings.Lines(x.Proto) {
		b.WriteString(protoMark + line)
	}
	for _, s := range x.Statements() {
		b.WriteString("\n" + s + ";\n")
	}
	return b.String(), nil
}

// order returns the columns that most queries filter by: time, exporter, source, destination.
func order(l *layout.Layout, time string) string {
	var list []string
	if time != "" {
		list = append(list, "toStartOfFiveMinutes("+time+")")
	}
	for _, elements := range [][]uint16{{layout.ExporterIPv4, layout.ExporterIPv6}, {8, 27}, {12, 28}} {
		if name := nameOf(l, elements...); name != "" {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "tuple()"
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// nameOf returns the name of the first column that is on and has one of the elements.
func nameOf(l *layout.Layout, elements ...uint16) string {
	for _, c := range l.Plan.Columns(l.Plan.Root()) {
		for _, s := range c.Sources {
			if s.Enterprise == 0 && slices.Contains(elements, s.Element) && c.Presence == schema.Implicit && !c.Repeated {
				return "`" + c.Name + "`"
			}
		}
	}
	return ""
}
