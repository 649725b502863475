package migrate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	tables "github.com/hotpb/hotpb/go/schema/clickhouse"
)

// Options say what a plan may do.
type Options struct {
	DropColumns bool              // drop the columns that the schema no longer has
	Convert     map[string]string // column: expression for its values in the new type
	Folder      string            // the server's format_schema_path, for messages
	Schema      string            // the schema's file, for messages; "" for the built-in one
}

// planner builds a plan.
type planner struct {
	Plan
	Options
	names
	x    *clickhouse.Export
	want []tables.Column
	live *live
}

// New plans what makes the server's tables those of the export. A plan without steps means that they are.
func New(ctx context.Context, s *Server, x *clickhouse.Export, target Ref, id int, o Options) (*Plan, error) {
	p := &planner{Options: o, names: names{target.Database, target.Table, x.Source}, x: x}
	var err error
	if p.want, err = wanted(ctx, s, x); err != nil {
		return nil, err
	}
	if p.live, err = look(ctx, s, &p.names); err != nil {
		return nil, err
	}
	p.Plan = Plan{ID: id, Table: target, Before: hashOf(p.live.columns), Wire: strings.TrimPrefix(x.Source, target.Table+"_")}
	retyped, err := p.alter()
	if err != nil {
		return nil, err
	}
	if err := p.replace(retyped); err != nil {
		return nil, err
	}
	if p.createsQueue() {
		p.unread = readsSchema(ctx, s, x, o)
	}
	return &p.Plan, nil
}

func (p *planner) step(why, sql, undo string) {
	p.Steps = append(p.Steps, Step{Why: why, SQL: sql, Undo: undo})
}

func (p *planner) createsQueue() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return strings.Contains(s.SQL, "ENGINE = Kafka") })
}

// alter plans what changes the target in place, and returns the columns that need another table.
func (p *planner) alter() (retyped []tables.Column, err error) {
	target := p.target()
	if len(p.live.columns) == 0 {
		p.step("create the table, which a rollback keeps", p.x.Tables.Target, "")
		return nil, nil
	}
	after := " FIRST"
	for _, c := range p.want {
		have := p.live.column(c.Name)
		name := identifier(c.Name)
		alter := func(why, change, undo string) {
			p.step(why, "ALTER TABLE "+target+" "+change, "ALTER TABLE "+target+" "+undo)
		}
		switch {
		case have == nil:
			alter("add column "+c.Name, "ADD COLUMN IF NOT EXISTS "+c.String()+after, "DROP COLUMN IF EXISTS "+name)
		case have.Kind == "ALIAS" || have.Kind == "MATERIALIZED":
			return nil, fmt.Errorf("column %s of %s is %s, so flows cannot fill it: drop it, or name the schema's column differently",
				c.Name, target, have.Kind)
		case have.Type != c.Type:
			retyped = append(retyped, c)
		default:
			if c.Codec != "" && c.Codec != have.Codec {
				undo := "MODIFY COLUMN " + name + " REMOVE CODEC"
				if have.Codec != "" {
					undo = "MODIFY COLUMN " + name + " " + have.Codec
				}
				alter("compress column "+c.Name+" otherwise", "MODIFY COLUMN "+name+" "+c.Codec, undo)
			}
			if c.Comment != "" && c.Comment != have.Comment {
				alter("comment on column "+c.Name, "COMMENT COLUMN "+name+" "+literal(c.Comment), "COMMENT COLUMN "+name+" "+literal(have.Comment))
			}
		}
		after = " AFTER " + name
	}
	return retyped, p.drop()
}

// drop plans what becomes of columns that the schema does not have.
func (p *planner) drop() error {
	for _, c := range p.live.columns {
		wanted := slices.ContainsFunc(p.want, func(w tables.Column) bool { return w.Name == c.Name })
		switch {
		case wanted:
		case !p.DropColumns:
			p.Notes = append(p.Notes, "column "+c.Name+" is not in the schema, and stays (--drop-columns drops it)")
		case c.Key != 0:
			return fmt.Errorf("column %s is part of the table's key and cannot be dropped", c.Name)
		case len(p.live.others) > 0:
			return fmt.Errorf("column %s cannot be dropped while %s may still fill it: once that queue has read its topic, drop it and its view",
				c.Name, p.live.others[0])
		default:
			declared := tables.Column{Name: c.Name, Type: c.Type, Codec: c.Codec, Comment: c.Comment}
			p.step("drop column "+c.Name+" with its values, which a rollback does not restore",
				"ALTER TABLE "+p.target()+" DROP COLUMN IF EXISTS "+identifier(c.Name),
				"ALTER TABLE "+p.target()+" ADD COLUMN IF NOT EXISTS "+declared.String())
		}
	}
	return nil
}

// replace plans the rest: a new table for retyped columns, and queue and view.
func (p *planner) replace(retyped []tables.Column) error {
	own, stale, err := p.pipeline()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Convert)) {
		if !slices.ContainsFunc(retyped, func(c tables.Column) bool { return c.Name == name }) {
			return fmt.Errorf("no column %s changes its type: there is nothing to convert", name)
		}
	}
	var paused []string
	var swap []Step
	if len(retyped) > 0 {
		if swap, err = p.retype(retyped); err != nil {
			return err
		}
		paused = p.live.others
		if own && !stale {
			paused = append(slices.Clone(paused), p.queue())
		}
	}
	for _, queue := range paused {
		p.step("pause "+queue+": its consumer group keeps the place in the topic",
			"DETACH TABLE IF EXISTS "+p.quoted(queue)+" PERMANENTLY", "ATTACH TABLE IF NOT EXISTS "+p.quoted(queue))
	}
	if stale || !own {
		p.stop()
	}
	p.Steps = append(p.Steps, swap...)
	if stale || !own {
		p.start()
	}
	for _, queue := range paused {
		p.step("go on with "+queue, "ATTACH TABLE IF NOT EXISTS "+p.quoted(queue), "DETACH TABLE IF EXISTS "+p.quoted(queue)+" PERMANENTLY")
	}
	return nil
}

var plainMergeTree = regexp.MustCompile(`^(Replicated|Shared)?MergeTree$`)

// anyTypesCodec matches the codecs that all types can have.
var anyTypesCodec = regexp.MustCompile(`^CODEC\((NONE|LZ4|LZ4HC|ZSTD)(\(\d+\))?\)$`)

var lastMark = regexp.MustCompile(` ?\(flows migration \d+\)$`)

// retype plans the new table, and the checks that its columns can have the values. It returns the steps that put it in
// the target's place while nothing fills the target.
func (p *planner) retype(retyped []tables.Column) ([]Step, error) {
	table, next := Ref{p.database, p.table}, Ref{p.database, fmt.Sprintf("%s_migration_%d", p.table, p.ID)}
	target := p.live.tables[p.table]
	if !plainMergeTree.MatchString(target.Engine) {
		return nil, fmt.Errorf("%s has the engine %s: columns change their type only in a MergeTree whose merges keep all rows",
			p.target(), target.Engine)
	}
	mark := strings.TrimSpace(lastMark.ReplaceAllString(target.Comment, "") + fmt.Sprintf(" (flows migration %d)", p.ID))
	like := &Like{From: table, To: next, Columns: map[string]string{}, Mark: mark}
	copied := &Copy{From: table, To: next, Convert: map[string]string{}}
	restore := Copy{From: table, To: next, Convert: map[string]string{}}
	var all []string
	for _, c := range retyped {
		have := p.live.column(c.Name)
		if c.Comment == "" {
			c.Comment = have.Comment
		}
		if c.Codec == "" && anyTypesCodec.MatchString(have.Codec) {
			c.Codec = have.Codec
		}
		if have.Partition != 0 && !(strings.HasPrefix(have.Type, "DateTime") && strings.HasPrefix(c.Type, "DateTime")) {
			return nil, fmt.Errorf("column %s is part of the partition key: as %s it may have other partitions, and rows are copied by partition",
				c.Name, c.Type)
		}
		declared := c
		if have.Kind == "DEFAULT" {
			declared.Type += " DEFAULT " + have.Default
		}
		like.Columns[c.Name] = declared.String()
		convert := p.Convert[c.Name]
		if convert == "" {
			convert = cast(c.Name, c.Type)
		}
		copied.Convert[c.Name] = convert
		restore.Convert[c.Name] = cast(c.Name, have.Type)
		all = append(all, convert)
	}
	if len(p.live.others) > 0 {
		p.Notes = append(p.Notes, "queues of older topics fill the table further on; ClickHouse converts their values, and cuts numbers that do not fit")
	}
	p.Checks = append(p.Checks, Step{
		Why: "check that all values can be converted",
		SQL: "SELECT sum(ignore(" + strings.Join(all, ", ") + ")) FROM " + p.target() + " FORMAT Null",
	})
	p.Steps = append(p.Steps, Step{Why: "create a table with the new types: " + typesOf(retyped), Like: like})
	return []Step{
		{Why: "copy the rows", Copy: copied},
		{Why: "exchange the tables; the old one stays as " + next.String(), Exchange: &Exchange{table, next, mark, restore}},
	}, nil
}

func typesOf(columns []tables.Column) string {
	var list []string
	for _, c := range columns {
		list = append(list, c.Name+" "+c.Type)
	}
	return strings.Join(list, ", ")
}

// cast converts a column, and fails for a value that the type does not have.
func cast(column, to string) string {
	return "accurateCast(" + identifier(column) + ", " + literal(to) + ")"
}

func conversions(convert map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(convert)) {
		list = append(list, convert[name]+" AS "+identifier(name))
	}
	return strings.Join(list, ", ")
}

// pipeline reports whether the schema's queue and view exist, and whether they differ from what the schema says.
func (p *planner) pipeline() (own, stale bool, err error) {
	queue, hasQueue := p.live.tables[p.queue()]
	view, hasView := p.live.tables[p.view()]
	_, hasErrors := p.live.tables[p.errors()]
	_, queueMark := marked(p.x.Tables.Queue)
	_, viewMark := marked(p.x.Tables.View)
	if hasQueue && strings.Contains(queue.Create, "[HIDDEN]") {
		return true, false, errors.New(p.queue() + " has a secret that ClickHouse does not show, so it cannot be created again: " +
			"put the secret into the server's configuration (named_collections, or <kafka>), and drop the queue")
	}
	own = hasQueue && hasView && hasErrors
	return own, own && (queue.Comment != queueMark || view.Comment != viewMark), nil
}

// stop plans that nothing reads the topic any more. A table that keeps nothing takes the queue's place, because the
// views need a table to be created on: when the queue comes back, it has all its views from the first row on.
func (p *planner) stop() {
	queue, hasQueue := p.live.tables[p.queue()]
	view, hasView := p.live.tables[p.view()]
	name := p.quoted(p.queue())
	if hasQueue {
		p.step("stop reading the topic: the consumer group keeps the place in it", "DROP TABLE IF EXISTS "+name+" SYNC", ifNotExists(queue.Create))
	}
	p.step("put a table that keeps nothing in the queue's place", p.standIn(), "DROP TABLE IF EXISTS "+name+" SYNC")
	if hasView {
		p.step("drop the view", "DROP TABLE IF EXISTS "+p.quoted(p.view())+" SYNC", ifNotExists(view.Create))
	}
}

// start plans that the topic is read.
func (p *planner) start() {
	name, view := p.quoted(p.queue()), p.quoted(p.view())
	createView, _ := marked(p.x.Tables.View)
	createQueue, _ := marked(p.x.Tables.Queue)
	p.step("create the view", createView, "DROP TABLE IF EXISTS "+view+" SYNC")
	if _, has := p.live.tables[p.errors()]; !has {
		p.step("create the table of messages that cannot be read", p.x.Tables.Errors, "")
	}
	p.step("drop the table in the queue's place", "DROP TABLE IF EXISTS "+name+" SYNC", p.standIn())
	p.step("read the topic "+p.x.Topic, createQueue, "DROP TABLE IF EXISTS "+name+" SYNC")
}

var queueColumns = regexp.MustCompile(`(?s)^(CREATE TABLE IF NOT EXISTS .*?\(\n.*?)\n\)\nENGINE = Kafka\n`)

// virtualColumns are the columns of a queue that the views use.
const virtualColumns = ",\n  `_topic` LowCardinality(String),\n  `_partition` UInt64,\n  `_offset` UInt64,\n" +
	"  `_raw_message` String,\n  `_error` String\n)"

// standIn is the table in the queue's place, with the queue's columns.
func (p *planner) standIn() string {
	return queueColumns.FindStringSubmatch(p.x.Tables.Queue)[1] + virtualColumns + "\nENGINE = Null"
}
