package migrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

const schemaText = `message: M
columns:
  - {name: at, number: 1, type: timestamp(millis), from: 258}
  - {name: port, number: 2, type: uint32, from: 7, clickhouse: "UInt16 CODEC(T64)", comment: a port}
  - {name: name, number: 3, type: string}
`

// fake is a server with given tables. It answers what a plan asks, keeps the migrations, and records the other
// statements.
type fake struct {
	columns []liveColumn
	tables  []liveTable
	refuse  string
	did     []string
	rows    []row
}

func (f *fake) answer(statement string) (any, error) {
	answerRow := func(v any) []any { return []any{v} }
	switch {
	case f.refuse != "" && strings.HasPrefix(statement, f.refuse):
		return nil, errors.New("Code: 1. DB::Exception: refused")
	case strings.HasPrefix(statement, "DESCRIBE TABLE null("):
		return []any{
			described{Name: "at", Type: "DateTime64(3, 'UTC')"}, described{Name: "port", Type: "UInt16", Codec: "T64"}, described{Name: "name", Type: "String"},
		}, nil
	case strings.HasPrefix(statement, "DESCRIBE TABLE format("):
		return []any{described{Name: "at"}, described{Name: "port"}, described{Name: "name"}}, nil
	case strings.Contains(statement, "FROM system.columns"):
		return list(f.columns), nil
	case strings.Contains(statement, "formatQuery"):
		return answerRow(map[string]string{"Create": "CREATE TABLE db.t\n(\n    `at` DateTime64(3, 'UTC'),\n    `port` UInt32,\n    `name` String,\n" +
			"    INDEX i port TYPE minmax\n)\nENGINE = MergeTree\nORDER BY at\nCOMMENT 'ours'"}), nil
	case strings.Contains(statement, "name = 't_migrations'"):
		if f.rows == nil {
			return nil, nil
		}
		return answerRow(map[string]string{"Comment": ""}), nil
	case strings.Contains(statement, "AS Comment FROM system.tables"):
		return nil, nil
	case strings.Contains(statement, "startsWith(name"):
		return list(f.tables), nil
	case strings.Contains(statement, "argMax(state"):
		last := map[int]*row{}
		var ids []int
		for _, r := range f.rows {
			if last[r.ID] == nil {
				last[r.ID] = &row{ID: r.ID, Plan: r.Plan}
				ids = append([]int{r.ID}, ids...)
			}
			last[r.ID].Event, last[r.ID].State, last[r.ID].Steps = r.Event, r.State, r.Steps
		}
		var all []any
		for _, id := range ids {
			all = append(all, last[id])
		}
		return all, nil
	case strings.Contains(statement, "_partition_id AS ID"):
		return nil, nil
	case strings.HasPrefix(statement, "INSERT INTO `db`.`t_migrations`"):
		_, text, _ := strings.Cut(statement, "\n")
		var r row
		err := json.Unmarshal([]byte(text), &r)
		f.rows = append(f.rows, r)
		return nil, err
	case strings.Contains(statement, "`t_migrations`"):
		f.rows = []row{}
		return nil, nil
	}
	f.did = append(f.did, statement)
	return nil, nil
}

func list[T any](all []T) (rows []any) {
	for _, v := range all {
		rows = append(rows, v)
	}
	return rows
}

func (f *fake) start(t *testing.T) *Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		statement, _ := io.ReadAll(r.Body)
		answer, err := f.answer(string(statement))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		rows, _ := answer.([]any)
		for _, row := range rows {
			_ = json.NewEncoder(w).Encode(row)
		}
	}))
	t.Cleanup(server.Close)
	return &Server{URL: server.URL, Database: "db"}
}

var target = Ref{"db", "t"}

func export(t *testing.T) *clickhouse.Export {
	t.Helper()
	l, err := layout.Parse("s.yaml", []byte(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	x, err := clickhouse.New(l, clickhouse.Options{Database: "db", Table: "t", Engine: "MergeTree", Topic: "flows", Group: "g", Brokers: []string{"b:1"}})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// current are the tables of a server on which nothing is to be done.
func current(x *clickhouse.Export) *fake {
	_, queue := marked(x.Tables.Queue)
	_, view := marked(x.Tables.View)
	return &fake{
		columns: []liveColumn{
			{Name: "at", Type: "DateTime64(3, 'UTC')", Key: 1},
			{Name: "port", Type: "UInt16", Codec: "CODEC(T64)", Comment: "a port"},
			{Name: "name", Type: "String"},
		},
		tables: []liveTable{
			{Name: "t", Engine: "MergeTree"},
			{Name: x.Source + "_queue", Engine: "Kafka", Comment: queue, Create: "CREATE TABLE db." + x.Source + "_queue (…) ENGINE = Kafka"},
			{Name: x.Source + "_view", Engine: "MaterializedView", Comment: view, Create: "CREATE MATERIALIZED VIEW db." + x.Source + "_view …"},
			{Name: x.Source + "_errors", Engine: "MaterializedView"},
		},
	}
}

func (f *fake) plan(t *testing.T, x *clickhouse.Export, o Options) (*Plan, error) {
	t.Helper()
	return New(context.Background(), f.start(t), x, target, 7, o)
}

func TestNothingToDo(t *testing.T) {
	x := export(t)
	p, err := current(x).plan(t, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Text(true); text != "Nothing to do: `db`.`t` is as the schema says.\n" {
		t.Error(text)
	}
}

// lines are the beginnings of statements, in the order of a plan.
func lines(p *Plan) (all []string) {
	for i := range p.Steps {
		line, _, _ := strings.Cut(p.Steps[i].text(), "\n")
		all = append(all, line)
	}
	return all
}

// inOrder fails unless each part is in a line of its own, in this order, and nothing else is there.
func inOrder(t *testing.T, got []string, parts ...string) {
	t.Helper()
	if len(got) != len(parts) {
		t.Errorf("%d lines, not %d", len(got), len(parts))
	}
	for i, part := range parts {
		if i < len(got) && !strings.Contains(got[i], part) {
			t.Errorf("line %d is %q, without %q", i+1, got[i], part)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(got, "\n"))
	}
}

// The queue comes last: when it begins to read, all views are there.
func TestTheFirstMigrationCreatesTheQueueLast(t *testing.T) {
	x := export(t)
	p, err := (&fake{}).plan(t, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inOrder(t, lines(p), "CREATE TABLE IF NOT EXISTS `db`.`t` (", "_queue` (", "_view` TO `db`.`t`", "_errors`", "DROP TABLE IF EXISTS", "_queue` (")
	if !strings.HasSuffix(p.Steps[1].SQL, "ENGINE = Null") || !strings.Contains(p.Steps[5].SQL, "ENGINE = Kafka") {
		t.Error(p.Text(true))
	}
	if p.Steps[0].Undo != "" {
		t.Error("a rollback drops the flows")
	}
}

func TestColumnsAreAddedAndCommented(t *testing.T) {
	x := export(t)
	f := current(x)
	f.columns = []liveColumn{f.columns[0], {Name: "port", Type: "UInt16", Codec: "CODEC(LZ4)", Comment: "old"}, {Name: "gone", Type: "UInt8"}}
	p, err := f.plan(t, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inOrder(t, lines(p), "MODIFY COLUMN `port` CODEC(T64)", "COMMENT COLUMN `port` 'a port'", "ADD COLUMN IF NOT EXISTS `name` String AFTER `port`")
	for i, undo := range []string{"MODIFY COLUMN `port` CODEC(LZ4)", "COMMENT COLUMN `port` 'old'", "DROP COLUMN IF EXISTS `name`"} {
		if !strings.Contains(p.Steps[i].Undo, undo) {
			t.Errorf("%s is taken back by %s", p.Steps[i].SQL, p.Steps[i].Undo)
		}
	}
	if !strings.Contains(p.Text(false), "Note: column gone is not in the schema, and stays") {
		t.Error(p.Text(false))
	}
	p, err = f.plan(t, x, Options{DropColumns: true})
	if err != nil || !strings.Contains(p.Text(false), "DROP COLUMN IF EXISTS `gone`") {
		t.Error(err, p.Text(false))
	}
	f.tables = append(f.tables, liveTable{Name: "t_0123456789abcdef_queue", Engine: "Kafka"})
	if _, err = f.plan(t, x, Options{DropColumns: true}); err == nil || !strings.Contains(err.Error(), "t_0123456789abcdef_queue may still fill it") {
		t.Error(err)
	}
}

func retypes(x *clickhouse.Export) *fake {
	f := current(x)
	f.columns[1] = liveColumn{Name: "port", Type: "UInt32", Codec: "CODEC(Delta(4))", Comment: "a port", Kind: "DEFAULT", Default: "80"}
	f.tables[0].Comment = "ours (flows migration 3)"
	f.tables = append(f.tables, liveTable{Name: "t_0123456789abcdef_queue", Engine: "Kafka"})
	return f
}

func TestARetypedColumnGetsANewTableWhileNothingFillsIt(t *testing.T) {
	x := export(t)
	p, err := retypes(x).plan(t, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inOrder(t, lines(p), "CREATE TABLE `db`.`t_migration_7` AS `db`.`t`",
		"DETACH TABLE IF EXISTS `db`.`t_0123456789abcdef_queue` PERMANENTLY", "DETACH TABLE IF EXISTS `db`.`"+x.Source+"_queue` PERMANENTLY",
		"INSERT INTO `db`.`t_migration_7` SELECT * REPLACE (accurateCast(`port`, 'UInt16') AS `port`) FROM `db`.`t`",
		"EXCHANGE TABLES", "ATTACH TABLE IF NOT EXISTS `db`.`t_0123456789abcdef_queue`", "ATTACH TABLE IF NOT EXISTS `db`.`"+x.Source+"_queue`")
	like := p.Steps[0].Like
	if got := like.Columns["port"]; got != "`port` UInt16 DEFAULT 80 COMMENT 'a port' CODEC(T64)" {
		t.Error(got)
	}
	if like.Mark != "ours (flows migration 7)" {
		t.Error(like.Mark)
	}
	if restore := p.Steps[4].Exchange.Back; restore.From != target || restore.Convert["port"] != "accurateCast(`port`, 'UInt32')" {
		t.Errorf("%+v", restore)
	}
}

func TestPlansThatCannotBeAreRefused(t *testing.T) {
	x := export(t)
	for want, change := range map[string]func(f *fake, o *Options){
		"keep all rows":               func(f *fake, _ *Options) { f.tables[0].Engine = "ReplacingMergeTree" },
		"there is nothing to convert": func(_ *fake, o *Options) { o.Convert = map[string]string{"name": "1"} },
		"is MATERIALIZED":             func(f *fake, _ *Options) { f.columns[1].Kind = "MATERIALIZED" },
		"part of the table's key": func(f *fake, o *Options) {
			o.DropColumns, f.columns = true, append(f.columns, liveColumn{Name: "x", Key: 1})
		},
		"part of the partition key": func(f *fake, _ *Options) { f.columns[1].Partition = 1 },
		"has a secret":              func(f *fake, _ *Options) { f.tables[1].Create = "… kafka_sasl_password = '[HIDDEN]'" },
	} {
		f, o := retypes(x), Options{}
		change(f, &o)
		if _, err := f.plan(t, x, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %q", err, want)
		}
	}
}

func TestAChangedViewIsReplacedWhileTheQueueIsAway(t *testing.T) {
	x := export(t)
	f := current(x)
	f.tables[2].Comment = "flows of before"
	p, err := f.plan(t, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inOrder(t, lines(p), "DROP TABLE IF EXISTS `db`.`"+x.Source+"_queue` SYNC", "CREATE TABLE IF NOT EXISTS `db`.`"+x.Source+"_queue`",
		"DROP TABLE IF EXISTS `db`.`"+x.Source+"_view` SYNC", "CREATE MATERIALIZED VIEW IF NOT EXISTS", "DROP TABLE IF EXISTS `db`.`"+x.Source+"_queue` SYNC",
		"CREATE TABLE IF NOT EXISTS `db`.`"+x.Source+"_queue`")
	if undo := p.Steps[0].Undo; !strings.HasPrefix(undo, "CREATE TABLE IF NOT EXISTS db."+x.Source+"_queue") {
		t.Error(undo)
	}
}

func (f *fake) history(t *testing.T, said *strings.Builder) *History {
	t.Helper()
	return &History{Server: f.start(t), Target: target, Say: func(text string) { fmt.Fprintln(said, text) }}
}

func TestAMigrationStopsAndGoesOnAndIsTakenBack(t *testing.T) {
	x, ctx := export(t), context.Background()
	f := retypes(x)
	var said strings.Builder
	h := f.history(t, &said)
	p, err := New(ctx, h.Server, x, target, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.refuse = "EXCHANGE"
	err = h.Apply(ctx, p)
	if err == nil || !strings.Contains(err.Error(), "migration 1 stopped at step 5 of 7, exchange the tables") || !strings.Contains(err.Error(), "refused") {
		t.Fatal(err)
	}
	if message := f.rows[len(f.rows)-1].Message; !strings.Contains(message, "refused") {
		t.Error(message)
	}
	created := ""
	for _, statement := range f.did {
		if strings.HasPrefix(statement, "CREATE TABLE IF NOT EXISTS `db`.`t_migration_1`") {
			created = statement
		}
	}
	if want := "\n`port` UInt16 DEFAULT 80 COMMENT 'a port' CODEC(T64),\n    `name` String,\n    INDEX i port TYPE minmax\n)\nENGINE = MergeTree\n" +
		"ORDER BY at\nCOMMENT 'ours (flows migration 1)'"; !strings.HasSuffix(created, want) {
		t.Errorf("%s\nends not in%s", created, want)
	}

	f.refuse, f.did = "", nil
	last, next, err := h.Last(ctx)
	if err != nil || last == nil || last.State != Running || last.Finished != 4 || next != 2 {
		t.Fatalf("%+v %d %v", last, next, err)
	}
	if err := h.Continue(ctx, last); err != nil {
		t.Fatal(err)
	}
	inOrder(t, f.did, "EXCHANGE", "ATTACH", "ATTACH")
	if last, _, err = h.Last(ctx); err != nil || last.State != Done {
		t.Fatalf("%+v %v", last, err)
	}

	f.did = nil
	if err := h.Rollback(ctx, last); err != nil {
		t.Fatal(err)
	}
	inOrder(t, f.did, "DETACH", "DETACH", "ATTACH", "ATTACH", "DROP TABLE IF EXISTS `db`.`t_migration_1`")
	if last, next, err = h.Last(ctx); err != nil || last != nil || next != 2 {
		t.Fatalf("%+v %d %v", last, next, err)
	}
}

func TestAColumnsOwnTTLIsNotLost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"Create":"CREATE TABLE db.t\n(\n    `+"`port`"+` UInt32 TTL at + toIntervalDay(1)\n)\nENGINE = MergeTree"}`)
	}))
	defer server.Close()
	l := Like{From: target, To: Ref{"db", "new"}, Columns: map[string]string{"port": "`port` UInt16"}}
	if err := (&Server{URL: server.URL}).like(context.Background(), &l); err == nil || !strings.Contains(err.Error(), "TTL of its own") {
		t.Error(err)
	}
}

// What can be found out before is found out before anything has changed.
func TestNothingChangesBeforeTheChecks(t *testing.T) {
	x, ctx := export(t), context.Background()
	for refuse, want := range map[string]string{"SELECT sum(ignore(": "--convert", "DESCRIBE TABLE format(": "flows schema --proto --schema=my.yaml > /f/flows-"} {
		f := retypes(x)
		f.tables[2].Comment = "flows of before"
		f.refuse = refuse
		var said strings.Builder
		h := f.history(t, &said)
		p, err := New(ctx, h.Server, x, target, 1, Options{Folder: "/f", Schema: "my.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Apply(ctx, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %q", err, want)
		}
		if len(f.did) > 0 || len(f.rows) > 0 {
			t.Errorf("%q, and %d rows", f.did, len(f.rows))
		}
	}
}
