// Package clickhouse generates the tables with which ClickHouse reads the messages of a schema from Kafka:
//
//	tables, err := clickhouse.TablesFor(plan, clickhouse.Options{Table: "flows", Brokers: "kafka:9092", Topic: "flows", Group: "flows"})
//
// The schema may choose the type of a column in the target table, if the usual one does not fit:
// schema.ClickHouseType.
package clickhouse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Options configure how a plan's messages get from Kafka into a table of ClickHouse.
type Options struct {
	Database string // "" for the current one
	Table    string // the target table
	Source   string // prefix of the other tables' names: Source_queue, Source_view, Source_errors; Table if empty
	Engine   string // of the target table, "MergeTree" if empty
	OrderBy  string // an expression, "tuple()" if empty
	Clauses  string // clauses after ORDER BY: PARTITION BY, TTL, SETTINGS

	Brokers   string // kafka_broker_list
	Topic     string // kafka_topic_list
	Group     string // kafka_group_name
	Format    string // "Protobuf" (the default) for length-prefixed messages (AppendDelimited), or "ProtobufSingle"
	Schema    string // file with the text of Proto in format_schema_path; default: the plan's file name
	Consumers int    // kafka_num_consumers, if not 0
}

// Tables are the statements that create the tables, in the order of execution. The queue begins to read with the first
// view on it, so the first is the one that keeps the rows.
type Tables struct {
	Target string // has the rows
	Queue  string // reads the topic
	View   string // from the queue to the target
	Errors string // messages that could not be read

	Name    string   // of the target, quoted, with its database
	Schema  string   // the queue's kafka_schema: file and message
	Columns []Column // of the target
}

// String returns all statements, with semicolons.
func (t *Tables) String() string {
	return strings.Join([]string{t.Target, t.Queue, t.View, t.Errors}, ";\n\n") + ";\n"
}

// TablesFor generates the statements that fill a table from Kafka. The queue reads each column with a type that
// accepts all its values, because ClickHouse drops a whole message for one value that it refuses. The view
// converts:
//
//	column                  queue                  target
//	integer, float, bool    the same               the same
//	string, bytes           String                 String
//	enum                    Int32                  LowCardinality(String), numbers without a name as digits
//	IP                      IPv6                   IPv6
//	MAC                     UInt64                 UInt64 (MACNumToString shows it)
//	timestamp               the number             DateTime('UTC'), DateTime64(3, 6 or 9, 'UTC')
//	duration                the number             the number, in its unit
//	well-known, the same    Tuple(seconds, nanos)  DateTime64(9, 'UTC'), Int64 of nanoseconds
//	message, group          Tuple(…)               Tuple(…)
//	repeated, map           Array(…), Map(…, …)    Array(…), Map(…, …)
//	explicit presence       Nullable(…)            Nullable(…), messages apart
//
// Column.ClickHouse replaces the target's type, and may add a codec: "UInt16 CODEC(T64, ZSTD(1))". ClickHouse then
// converts what the view would otherwise have written. A column that such a type makes not Nullable reads as zero when
// it is absent. An integer that does not fit a narrower type is zero (NULL if the type is Nullable), not cut.
//
// A plan that ClickHouse has no type or name for is an error: messages that contain themselves, messages without
// columns, names that differ only in case, and names of the columns that every queue has.
func TablesFor(p *schema.Plan, o Options) (*Tables, error) {
	root := p.Root()
	if root == "" {
		return nil, problem("", "the plan was not created by Compile")
	}
	// The names.
	var wrong problems
	if o.Table == "" {
		wrong.add(root, "the target table has no name")
	}
	inner := root
	if p.Package() != "" {
		inner = strings.TrimPrefix(inner, p.Package()+".")
	}
	if strings.Contains(inner, ".") {
		wrong.add(root, "ClickHouse cannot find a message inside another one")
	}
	// The columns: of the target table, of the queue, and the expressions between them.
	d := declarer{plan: p, wrong: &wrong, columns: map[string][]schema.Column{}, within: map[string]bool{}}
	all := d.message(root, false, root)
	var target, queue, view []string
	var columns []Column
	for _, c := range all {
		if slices.Contains(virtualColumns, strings.ToLower(c.Name)) {
			wrong.add(root+"."+c.Name, "every table that reads from Kafka has a column with this name")
		}
		name := identifier(c.Name)
		column := Column{Name: c.Name, Type: c.target, Codec: c.codec, Comment: c.Comment}
		columns = append(columns, column)
		target = append(target, column.String())
		queue = append(queue, name+" "+c.queue)
		view = append(view, c.expression(name)+" AS "+name)
	}
	if len(wrong) > 0 {
		return nil, wrong.err()
	}
	// The statements.
	table := func(name string) string {
		if o.Database != "" {
			return identifier(o.Database) + "." + identifier(name)
		}
		return identifier(name)
	}
	source := either(o.Source, o.Table)
	t := &Tables{Name: table(o.Table), Schema: either(o.Schema, root+".proto") + ":" + inner, Columns: columns}
	t.Target = fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (\n  %s\n)\nENGINE = %s\nORDER BY %s",
		t.Name, strings.Join(target, ",\n  "), either(o.Engine, "MergeTree"), either(o.OrderBy, "tuple()"))
	if o.Clauses != "" {
		t.Target += "\n" + o.Clauses
	}
	settings := []string{
		"kafka_broker_list = " + literal(o.Brokers),
		"kafka_topic_list = " + literal(o.Topic),
		"kafka_group_name = " + literal(o.Group),
		"kafka_format = " + literal(either(o.Format, "Protobuf")),
		"kafka_schema = " + literal(t.Schema),
		"kafka_handle_error_mode = 'stream'",
	}
	if o.Consumers > 0 {
		settings = append(settings, fmt.Sprintf("kafka_num_consumers = %d", o.Consumers))
	}
	t.Queue = fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (\n  %s\n)\nENGINE = Kafka\nSETTINGS\n  %s",
		table(source+"_queue"), strings.Join(queue, ",\n  "), strings.Join(settings, ",\n  "))
	t.Errors = fmt.Sprintf("CREATE MATERIALIZED VIEW IF NOT EXISTS %s\nENGINE = MergeTree\nORDER BY (topic, partition, offset)\nAS SELECT\n"+
		"  _topic AS topic,\n  _partition AS partition,\n  _offset AS offset,\n  _raw_message AS raw,\n  _error AS error\n"+
		"FROM %s\nWHERE notEmpty(_error)", table(source+"_errors"), table(source+"_queue"))
	t.View = fmt.Sprintf("CREATE MATERIALIZED VIEW IF NOT EXISTS %s TO %s\nAS SELECT\n  %s\nFROM %s\nWHERE empty(_error)",
		table(source+"_view"), t.Name, strings.Join(view, ",\n  "), table(source+"_queue"))
	return t, nil
}

// virtualColumns are the columns that ClickHouse adds to a queue.
var virtualColumns = []string{"_topic", "_key", "_offset", "_timestamp", "_timestamp_ms", "_partition", "_raw_message", "_error"}

func either(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func identifier(name string) string { return quote(name, '`') }

func literal(text string) string { return quote(text, '\'') }

func quote(s string, quoteMark byte) string {
	b := []byte{quoteMark}
	for _, c := range []byte(s) {
		if c == quoteMark || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return string(append(b, quoteMark))
}

// declarer builds types and expressions.
type declarer struct {
	plan    *schema.Plan
	columns map[string][]schema.Column // of the messages seen so far, the columns that are on
	wrong   *problems
	within  map[string]bool // the messages around the column
	depth   int             // of lambdas
	count   int             // number of columns, counted once for each use of their message
	values  int             // number of enum values, counted once for each use of their enum
}

// maxColumns is more than a table can have. Messages within messages can yield more in few lines: two columns of a
// message that has two columns of a message, and so on.
const maxColumns = 10_000

// maxValues keeps the view's text within some tens of megabytes: each column of an enum has all names of the enum.
const maxValues = 1_000_000

// declared is a column in ClickHouse.
type declared struct {
	*schema.Column
	queue, target string
	codec         string                // "CODEC(…)", or nothing
	convert       func(x string) string // nil if there is nothing to convert
}

func (c *declared) expression(x string) string {
	if c.convert == nil {
		return x
	}
	return c.convert(x)
}

// message builds the columns of a message, or of a map's entry.
func (d *declarer) message(name string, isEntry bool, where string) (list []declared) {
	if len(d.within) > wire.DefaultDepth { // expressions are as long as all messages around them
		d.wrong.add(where, fmt.Sprintf("messages are nested more than %d deep", wire.DefaultDepth))
		return nil
	}
	if d.within[name] {
		d.wrong.add(where, fmt.Sprintf("%s contains itself, which no type of ClickHouse can", name))
		return nil
	}
	d.within[name] = true
	defer delete(d.within, name)
	columns, met := d.columns[name]
	if !met {
		columns = d.plan.Columns(name)
		d.columns[name] = columns
	}
	if len(columns) == 0 {
		d.wrong.add(where, fmt.Sprintf("%s has no columns, and tuples and tables of ClickHouse need one", name))
	}
	names := map[string]string{}
	for i := range columns {
		c := &columns[i]
		if d.count++; d.count > maxColumns {
			if d.count == maxColumns+1 {
				d.wrong.add(where, fmt.Sprintf("with nested messages there are more than %d columns", maxColumns))
			}
			return nil
		}
		lower := strings.ToLower(c.Name)
		if earlier, ok := names[lower]; ok {
			d.wrong.add(where+"."+c.Name, fmt.Sprintf("ClickHouse does not distinguish the name from %s", earlier))
		}
		names[lower] = c.Name
		list = append(list, d.column(isEntry, c, where+"."+c.Name))
	}
	return list
}

func (d *declarer) column(inEntry bool, c *schema.Column, where string) declared {
	var t declared
	switch {
	case c.Map:
		t = d.mapType(c, where)
	case c.Repeated:
		t = d.element(c, where)
		element := t.convert
		t.queue, t.target = "Array("+t.queue+")", "Array("+t.target+")"
		if element != nil {
			x := d.variable()
			t.convert = func(list string) string { return fmt.Sprintf("arrayMap(%s -> %s, %s)", x, element(x), list) }
		}
	default:
		t = d.element(c, where)
		if nullable := c.Presence == schema.Explicit && c.Message == nil && !inEntry; nullable && (c.ClickHouse == "" || strings.Contains(c.ClickHouse, "Nullable(")) {
			t.queue = "Nullable(" + t.queue + ")"
			if inner, low := strings.CutPrefix(t.target, "LowCardinality("); low {
				t.target = "LowCardinality(Nullable(" + inner + ")"
			} else {
				t.target = "Nullable(" + t.target + ")"
			}
		}
	}
	t.Column = c
	if c.ClickHouse != "" {
		t.chosen(c)
	}
	return t
}

// variable returns a name for the argument of a lambda.
func (d *declarer) variable() string {
	d.depth++
	return fmt.Sprintf("x%d", d.depth)
}

func (d *declarer) mapType(c *schema.Column, where string) declared {
	entry := d.message(c.Message.Name, true, where)
	if len(entry) != 2 {
		return declared{}
	}
	key, value := entry[0], entry[1]
	t := declared{queue: fmt.Sprintf("Map(%s, %s)", key.queue, value.queue), target: fmt.Sprintf("Map(%s, %s)", key.target, value.target)}
	if value.convert != nil {
		k, v := d.variable(), d.variable()
		t.convert = func(m string) string {
			return fmt.Sprintf("mapApply((%s, %s) -> (%s, %s), %s)", k, v, k, value.convert(v), m)
		}
	}
	return t
}

var kinds = [...]string{
	wire.Int32: "Int32", wire.Sint32: "Int32", wire.Sfixed32: "Int32", wire.Int64: "Int64", wire.Sint64: "Int64", wire.Sfixed64: "Int64",
	wire.Uint32: "UInt32", wire.Fixed32: "UInt32", wire.Uint64: "UInt64", wire.Fixed64: "UInt64",
	wire.Float: "Float32", wire.Double: "Float64", wire.Bool: "Bool", wire.String: "String", wire.Bytes: "String",
}

// element returns the type of one value.
func (d *declarer) element(c *schema.Column, where string) (t declared) {
	switch {
	case c.Logical == schema.IP:
		return declared{queue: "IPv6", target: "IPv6"}
	case c.Kind == wire.Enum:
		return d.enum(c, where)
	case c.Kind == wire.Message || c.Kind == wire.Group:
		return d.nested(c, where)
	}
	t.queue = kinds[c.Kind]
	t.target = t.queue
	if c.Logical != schema.Timestamp {
		return t
	}
	if c.Unit == schema.Seconds {
		t.target = "DateTime('UTC')"
		t.convert = func(x string) string { return fmt.Sprintf("toDateTime(%s, 'UTC')", x) }
		return t
	}
	function, digits := "Milli", 3
	switch c.Unit {
	case schema.Micros:
		function, digits = "Micro", 6
	case schema.Nanos:
		function, digits = "Nano", 9
	}
	t.target = fmt.Sprintf("DateTime64(%d, 'UTC')", digits)
	t.convert = func(x string) string { return fmt.Sprintf("fromUnixTimestamp64%s(toInt64(%s), 'UTC')", function, x) }
	return t
}

// enum reads numbers, because a number without a name must not cost the message.
func (d *declarer) enum(c *schema.Column, where string) declared {
	if d.values += len(c.Enum.Values); d.values > maxValues {
		d.wrong.add(where, fmt.Sprintf("the enums of all columns have more than %d values", maxValues))
		return declared{}
	}
	var numbers, names []string
	known := map[int32]bool{}
	for _, v := range c.Enum.Values {
		if !known[v.Number] {
			numbers, names = append(numbers, fmt.Sprint(v.Number)), append(names, literal(v.Name))
		}
		known[v.Number] = true
	}
	return declared{queue: "Int32", target: "LowCardinality(String)", convert: func(x string) string {
		return fmt.Sprintf("transform(%s, CAST([%s], 'Array(Int32)'), [%s], toString(%s))", x, strings.Join(numbers, ", "), strings.Join(names, ", "), x)
	}}
}

func (d *declarer) nested(c *schema.Column, where string) (t declared) {
	members := d.message(c.Message.Name, false, where)
	var queue, target []string
	converts := false
	for _, m := range members {
		queue = append(queue, identifier(m.Name)+" "+m.queue)
		target = append(target, identifier(m.Name)+" "+m.target)
		converts = converts || m.convert != nil
	}
	t.queue, t.target = "Tuple("+strings.Join(queue, ", ")+")", "Tuple("+strings.Join(target, ", ")+")"
	nanos := func(x string) string {
		return fmt.Sprintf("tupleElement(%s, 'seconds') * 1000000000 + tupleElement(%s, 'nanos')", x, x)
	}
	switch {
	case c.Logical == schema.Timestamp:
		t.target = "DateTime64(9, 'UTC')"
		t.convert = func(x string) string { return fmt.Sprintf("fromUnixTimestamp64Nano(%s, 'UTC')", nanos(x)) }
	case c.Logical == schema.Duration:
		t.target, t.convert = "Int64", nanos
	case converts:
		t.convert = func(x string) string {
			var parts []string
			for _, m := range members {
				parts = append(parts, m.expression(fmt.Sprintf("tupleElement(%s, %s)", x, literal(m.Name))))
			}
			return "tuple(" + strings.Join(parts, ", ") + ")"
		}
	}
	return t
}
