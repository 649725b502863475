package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/clickhouse"
	"github.com/hotpb/hotpb/go/schema/lock"
)

type schemaCommands struct {
	Show       showCommand       `cmd:"" help:"Show the columns."`
	Proto      protoCommand      `cmd:"" help:"Write the .proto text."`
	Clickhouse clickhouseCommand `cmd:"" help:"Write the statements that create ClickHouse's tables."`
	Arrow      arrowCommand      `cmd:"" help:"Write the Arrow schema."`
	Hash       hashCommand       `cmd:"" help:"Write the wire hash, or the full one."`
	Lock       lockCommand       `cmd:"" help:"Record the schema in its lock, unless a change is not allowed."`
	Check      checkCommand      `cmd:"" help:"Compare the schema with its lock."`
}

type showCommand struct{ source }

// Run writes a table of the columns, also of those that are off.
func (c *showCommand) Run(std *console.Streams) error {
	_, plan, err := c.read()
	if err != nil {
		return err
	}
	all := shown(plan)
	if std.JSON {
		return std.WriteJSON(map[string]any{"messages": all})
	}
	table := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	for i, m := range all {
		if i > 0 {
			fmt.Fprintln(table)
		}
		fmt.Fprintf(table, "%s\n", m.Message)
		for _, c := range m.Columns {
			notes := c.Traits
			if c.SwitchedOff {
				notes = strings.TrimSpace("off " + notes)
			}
			fmt.Fprintf(table, "  %d\t%s\t%s\t%s\n", c.Number, c.Name, c.Type, notes)
		}
	}
	return table.Flush()
}

type shownMessage struct {
	Message string        `json:"message"`
	Columns []shownColumn `json:"columns"`
}

type shownColumn struct {
	Number      int32  `json:"number"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	Traits      string `json:"traits,omitempty"`
	SwitchedOff bool   `json:"off,omitempty"`
}

// shown lists the columns of each message: those that are on, then the others.
func shown(plan *schema.Plan) []shownMessage {
	all := []shownMessage{}
	for _, name := range plan.Messages() {
		m := shownMessage{name, []shownColumn{}}
		add := func(columns []schema.Column, off bool) {
			for _, c := range columns {
				m.Columns = append(m.Columns, shownColumn{int32(c.Number), c.Name, fmt.Sprint(c.Type()), traits(&c), off})
			}
		}
		add(plan.Columns(name), false)
		add(plan.ColumnsOff(name), true)
		all = append(all, m)
	}
	return all
}

// write writes a text, or JSON that has it under a name.
func write(std *console.Streams, name, text string) error {
	if std.JSON {
		return std.WriteJSON(map[string]string{name: strings.TrimSuffix(text, "\n")})
	}
	_, err := io.WriteString(std.Out, text)
	return err
}

// traits are the properties of a column beside name, number and type.
func traits(c *schema.Column) string {
	var words []string
	switch {
	case c.Oneof != "":
		words = append(words, "oneof="+c.Oneof)
	case c.Presence == schema.Explicit && c.Message == nil:
		words = append(words, "optional")
	case c.Presence == schema.LegacyRequired:
		words = append(words, "required")
	}
	if c.Unpacked {
		words = append(words, "unpacked")
	}
	if c.Deferred {
		words = append(words, "deferred")
	}
	if c.KeepFirst {
		words = append(words, "keep=first")
	}
	if c.Group != "" {
		words = append(words, "group="+c.Group)
	}
	for _, s := range c.Sources {
		words = append(words, fmt.Sprintf("from=%d/%d", s.Enterprise, s.Element))
	}
	if c.CountZero {
		words = append(words, "zero=value")
	}
	return strings.Join(words, " ")
}

type protoCommand struct{ source }

// Run writes the text.
func (c *protoCommand) Run(std *console.Streams) error {
	file, plan, err := c.read()
	if err != nil {
		return err
	}
	text, err := plan.Proto()
	if err != nil {
		return c.export(file, err)
	}
	return write(std, "proto", text)
}

type clickhouseCommand struct {
	source
	Database string `help:"The database; without it, the current one."`
	Table    string `help:"The target table." required:""`
	Engine   string `help:"The target table's engine (MergeTree)."`
	OrderBy  string `help:"Its ORDER BY (tuple())."`
	Clauses  string `help:"The clauses that follow: PARTITION BY, TTL."`
	Brokers  string `help:"Kafka's brokers." default:"localhost:9092"`
	Topic    string `help:"The topic; without it, the table's name."`
	Group    string `help:"The consumer group." default:"clickhouse"`
	Format   string `help:"Protobuf, of length-prefixed messages, or ProtobufSingle." enum:"Protobuf,ProtobufSingle" default:"Protobuf"`
	Schema   string `help:"The file with the .proto text in the server's format_schema_path."`
	Consumer int    `help:"How many consumers." name:"consumers"`
}

// Run writes the statements.
func (c *clickhouseCommand) Run(std *console.Streams) error {
	file, plan, err := c.read()
	if err != nil {
		return err
	}
	topic := c.Topic
	if topic == "" {
		topic = c.Table
	}
	tables, err := clickhouse.TablesFor(plan, clickhouse.Options{
		Database: c.Database, Table: c.Table, Engine: c.Engine, OrderBy: c.OrderBy, Clauses: c.Clauses,
		Brokers: c.Brokers, Topic: topic, Group: c.Group, Format: c.Format, Schema: c.Schema, Consumers: c.Consumer,
	})
	if err != nil {
		return c.export(file, err)
	}
	return write(std, "statements", tables.String())
}

type hashCommand struct {
	source
	Full  bool `help:"Include the names in the hash."`
	Short bool `help:"The first 16 digits."`
	Text  bool `help:"The text that is hashed instead."`
}

// Run writes the hash.
func (c *hashCommand) Run(std *console.Streams) error {
	_, plan, err := c.read()
	if err != nil {
		return err
	}
	hash, text := plan.WireHash(), plan.WireText()
	if c.Full {
		hash, text = plan.FullHash(), plan.FullText()
	}
	switch {
	case c.Text:
		return write(std, "text", text)
	case c.Short:
		return write(std, "hash", hash[:16]+"\n")
	}
	return write(std, "hash", fmt.Sprintln(hash))
}

// locked is a schema file with its lock.
type locked struct {
	source
	Lock  string `help:"The lock; without it, FILE with .lock in place of .yaml."`
	Allow string `help:"The worst change to be let through." enum:"compatible,renaming,risky,breaking" default:"compatible"`
}

func (c *locked) path() string {
	if c.Lock != "" {
		return c.Lock
	}
	return lock.Path(c.File)
}

// errNoLock says that there is no lock yet.
var errNoLock = errors.New("there is no lock")

var lockLine = regexp.MustCompile(`^line (\d+)$`)

// inLock turns each error of a lock's text into one with file, line and mend.
func (c *locked) inLock(err error) error {
	var all []error
	for _, part := range fault.Parts(err) {
		wrong := &fault.Error{File: c.path(), Offset: fault.NoOffset, Cause: part.Error(), Mend: "take the lock from version control again"}
		var place *schema.Error
		if errors.As(part, &place) {
			wrong.Cause = place.Reason
			if m := lockLine.FindStringSubmatch(place.Where); m != nil {
				wrong.Line, _ = strconv.Atoi(m[1])
			}
		}
		all = append(all, wrong)
	}
	return errors.Join(all...)
}

// compare writes the changes and reports whether they are allowed. The error is errNoLock when there is no lock.
func (c *locked) compare(std *console.Streams) (*schema.Plan, error) {
	_, plan, err := c.read()
	if err != nil {
		return nil, err
	}
	promised, err := lock.Read(c.path())
	var place *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return plan, errNoLock
	case errors.As(err, &place):
		return plan, fault.IO(c.path(), err)
	case err != nil:
		return plan, c.inLock(err)
	}
	verdict := promised.Check(plan)
	if std.JSON {
		changes := []string{}
		for _, change := range verdict.Changes {
			changes = append(changes, change.String())
		}
		if err := std.WriteJSON(map[string]any{"changes": changes, "level": fmt.Sprint(verdict.Level())}); err != nil {
			return plan, err
		}
	} else {
		for _, change := range verdict.Changes {
			fmt.Fprintln(std.Out, change)
		}
	}
	allowed := map[string]lock.Level{
		"compatible": lock.Compatible, "renaming": lock.Renaming, "risky": lock.Risky, "breaking": lock.Breaking,
	}
	if level := verdict.Level(); level > allowed[c.Allow] {
		return plan, fault.In(c.File, fmt.Sprintf("there are %v changes from %s", level, c.path()), fmt.Sprintf("take them back, or let them through with --allow=%v", level))
	}
	return plan, nil
}

type checkCommand struct{ locked }

// Run compares the schema with its lock, and fails when a change is not allowed.
func (c *checkCommand) Run(std *console.Streams) error {
	_, err := c.compare(std)
	if errors.Is(err, errNoLock) {
		return fault.In(c.path(), "no such file or directory", "hotpb schema lock "+c.File+" writes the first one")
	}
	return err
}

type lockCommand struct{ locked }

// Run writes the lock when there is none, or when the changes from it are allowed.
func (c *lockCommand) Run(std *console.Streams) error {
	plan, err := c.compare(std)
	first := errors.Is(err, errNoLock)
	if err != nil && !first {
		return err
	}
	if err := os.WriteFile(c.path(), []byte(lock.Of(plan).String()), 0o644); err != nil {
		return fault.IO(c.path(), err)
	}
	if first && std.JSON {
		return std.WriteJSON(map[string]any{"changes": []string{}, "level": fmt.Sprint(lock.Compatible)})
	}
	return nil
}
