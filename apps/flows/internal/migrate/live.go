package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	tables "github.com/hotpb/hotpb/go/schema/clickhouse"
)

// live is what the server has of the tables of an export.
type live struct {
	columns []liveColumn // of the target; none if there is no target
	tables  map[string]liveTable
	others  []string // queues of other topics that fill the target
}

type liveColumn struct {
	Name      string
	Type      string
	Codec     string
	Comment   string
	Key       uint8 // part of the sorting or partition key
	Partition uint8
	Kind      string // of the default: DEFAULT, MATERIALIZED, ALIAS or nothing
	Default   string
}

type liveTable struct {
	Name    string
	Engine  string
	Comment string
	Create  string
}

// names are the names of an export's tables.
type names struct{ database, table, source string }

func (n *names) quoted(table string) string { return Ref{n.database, table}.String() }
func (n *names) target() string             { return n.quoted(n.table) }
func (n *names) queue() string              { return n.source + "_queue" }
func (n *names) view() string               { return n.source + "_view" }
func (n *names) errors() string             { return n.source + "_errors" }

// look reads what the server has.
func look(ctx context.Context, s *Server, n *names) (*live, error) {
	columns, err := columnsOf(ctx, s, Ref{n.database, n.table})
	if err != nil {
		return nil, err
	}
	all, err := Query[liveTable](ctx, s, fmt.Sprintf("SELECT name AS Name, engine AS Engine, comment AS Comment, "+
		"create_table_query AS Create FROM system.tables WHERE database = %s AND startsWith(name, %s) ORDER BY name",
		literal(n.database), literal(n.table)))
	if err != nil {
		return nil, err
	}
	l := &live{columns: columns, tables: map[string]liveTable{}}
	queue := regexp.MustCompile("^" + regexp.QuoteMeta(n.table) + "_[0-9a-f]{16}_queue$")
	for _, t := range all {
		l.tables[t.Name] = t
		if queue.MatchString(t.Name) && t.Name != n.queue() && t.Engine == "Kafka" {
			l.others = append(l.others, t.Name)
		}
	}
	return l, nil
}

func (l *live) column(name string) *liveColumn {
	for i := range l.columns {
		if l.columns[i].Name == name {
			return &l.columns[i]
		}
	}
	return nil
}

// described is a row of DESCRIBE.
type described struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Codec string `json:"codec_expression"`
}

// wanted returns the columns of the export in ClickHouse's own spelling, in which it lists those that it has.
func wanted(ctx context.Context, s *Server, x *clickhouse.Export) ([]tables.Column, error) {
	all := append([]tables.Column(nil), x.Tables.Columns...)
	declared := make([]string, len(all))
	for i, c := range all {
		declared[i] = c.String()
	}
	spelt, err := Query[described](ctx, s, "DESCRIBE TABLE null("+literal(strings.Join(declared, ", "))+")")
	if err != nil {
		return nil, fmt.Errorf("ClickHouse does not accept the schema's columns: %w", err)
	}
	if len(spelt) != len(all) {
		return nil, fmt.Errorf("ClickHouse reads %d columns from the declaration of %d", len(spelt), len(all))
	}
	for i, d := range spelt {
		all[i].Type, all[i].Codec = d.Type, ""
		if d.Codec != "" {
			all[i].Codec = "CODEC(" + d.Codec + ")"
		}
	}
	return all, nil
}

// readsSchema returns an error unless the server has the topic's .proto file, with all columns of the queue.
func readsSchema(ctx context.Context, s *Server, x *clickhouse.Export, o Options) error {
	schema := ""
	if o.Schema != "" { // without it, the command would write the built-in schema under the name of this one
		schema = " --schema=" + o.Schema
	}
	advice := fmt.Sprintf("write it on the server: flows schema --proto%s > %s/%s", schema, o.Folder, x.File)
	fields, err := Query[described](ctx, s, "DESCRIBE TABLE format(Protobuf, '') SETTINGS format_schema = "+literal(x.Tables.Schema))
	if err != nil {
		return fmt.Errorf("ClickHouse cannot read the topic's schema; %s\n%w", advice, err)
	}
	has := map[string]bool{}
	for _, f := range fields {
		has[f.Name] = true
	}
	for _, c := range x.Tables.Columns {
		if !has[c.Name] {
			return fmt.Errorf("the server's %s has no column %s; %s, then SYSTEM DROP FORMAT SCHEMA CACHE FOR Protobuf", x.File, c.Name, advice)
		}
	}
	return nil
}

func columnsOf(ctx context.Context, s *Server, table Ref) ([]liveColumn, error) {
	return Query[liveColumn](ctx, s, "SELECT name AS Name, type AS Type, compression_codec AS Codec, comment AS Comment, "+
		"is_in_sorting_key OR is_in_partition_key AS Key, is_in_partition_key AS Partition, default_kind AS Kind, default_expression AS Default "+
		"FROM system.columns WHERE "+table.in("table")+" ORDER BY position")
}

// hashOf identifies a table's columns; "" if there are none.
func hashOf(columns []liveColumn) string {
	if len(columns) == 0 {
		return ""
	}
	h := sha256.New()
	for _, c := range columns {
		fmt.Fprintf(h, "%s %s %s\n", c.Name, c.Type, c.Codec)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// marked appends a comment to a statement that creates a table: the statement's hash, by which a later plan sees
// whether the table is still what the schema says.
func marked(statement string) (marked, mark string) {
	sum := sha256.Sum256([]byte(statement))
	mark = "flows " + hex.EncodeToString(sum[:8])
	return statement + "\nCOMMENT " + literal(mark), mark
}

// ifNotExists makes a statement of SHOW CREATE one that may be executed again.
func ifNotExists(create string) string {
	for _, kind := range []string{"CREATE TABLE ", "CREATE MATERIALIZED VIEW "} {
		if rest, is := strings.CutPrefix(create, kind); is && !strings.HasPrefix(rest, "IF NOT EXISTS ") {
			return kind + "IF NOT EXISTS " + rest
		}
	}
	return create
}
