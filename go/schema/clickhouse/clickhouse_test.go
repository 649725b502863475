package clickhouse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/clickhouse"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
)

const flowTables = "CREATE TABLE IF NOT EXISTS `net`.`flows` (\n" +
	"  `kind` LowCardinality(String),\n" +
	"  `received` DateTime('UTC'),\n" +
	"  `src_addr` IPv6,\n" +
	"  `bytes` UInt64 COMMENT 'Bytes on the wire.',\n" +
	"  `as_path` Array(UInt32),\n" +
	"  `offsets` Array(Int32),\n" +
	"  `took` Int64,\n" +
	"  `forwarded` Nullable(Bool),\n" +
	"  `exporter` String,\n" +
	"  `counts` Map(String, UInt64),\n" +
	"  `tcp_port` Nullable(UInt32),\n" +
	"  `rate` Float32\n" +
	")\nENGINE = MergeTree\nORDER BY received\nTTL received + INTERVAL 15 DAY;\n\n" +
	"CREATE TABLE IF NOT EXISTS `net`.`flows_queue` (\n" +
	"  `kind` Int32,\n" +
	"  `received` Int64,\n" +
	"  `src_addr` IPv6,\n" +
	"  `bytes` UInt64,\n" +
	"  `as_path` Array(UInt32),\n" +
	"  `offsets` Array(Int32),\n" +
	"  `took` Tuple(`seconds` Int64, `nanos` Int32),\n" +
	"  `forwarded` Nullable(Bool),\n" +
	"  `exporter` String,\n" +
	"  `counts` Map(String, UInt64),\n" +
	"  `tcp_port` Nullable(UInt32),\n" +
	"  `rate` Float32\n" +
	")\nENGINE = Kafka\nSETTINGS\n" +
	"  kafka_broker_list = 'kafka:9092',\n" +
	"  kafka_topic_list = 'flows',\n" +
	"  kafka_group_name = 'clickhouse',\n" +
	"  kafka_format = 'Protobuf',\n" +
	"  kafka_schema = 'flows.v1.FlowMessage.proto:FlowMessage',\n" +
	"  kafka_handle_error_mode = 'stream';\n\n" +
	"CREATE MATERIALIZED VIEW IF NOT EXISTS `net`.`flows_view` TO `net`.`flows`\nAS SELECT\n" +
	"  transform(`kind`, CAST([0, 5, -1], 'Array(Int32)'), ['KIND_UNKNOWN', 'KIND_SFLOW', 'KIND_OTHER'], toString(`kind`)) AS `kind`,\n" +
	"  toDateTime(`received`, 'UTC') AS `received`,\n" +
	"  `src_addr` AS `src_addr`,\n" +
	"  `bytes` AS `bytes`,\n" +
	"  `as_path` AS `as_path`,\n" +
	"  `offsets` AS `offsets`,\n" +
	"  tupleElement(`took`, 'seconds') * 1000000000 + tupleElement(`took`, 'nanos') AS `took`,\n" +
	"  `forwarded` AS `forwarded`,\n" +
	"  `exporter` AS `exporter`,\n" +
	"  `counts` AS `counts`,\n" +
	"  `tcp_port` AS `tcp_port`,\n" +
	"  `rate` AS `rate`\n" +
	"FROM `net`.`flows_queue`\nWHERE empty(_error);\n\n" +
	"CREATE MATERIALIZED VIEW IF NOT EXISTS `net`.`flows_errors`\nENGINE = MergeTree\nORDER BY (topic, partition, offset)\nAS SELECT\n" +
	"  _topic AS topic,\n  _partition AS partition,\n  _offset AS offset,\n  _raw_message AS raw,\n  _error AS error\n" +
	"FROM `net`.`flows_queue`\nWHERE notEmpty(_error);\n"

func TestClickHouseTablesOfAFlowAreThese(t *testing.T) {
	// Labels contain themselves.
	plan := schematest.Compile(t, schematest.Flows("flows.v1"), schema.Off("labels", "by_id", "other_port", "at"))
	tables, err := clickhouse.TablesFor(plan, clickhouse.Options{
		Database: "net", Table: "flows", OrderBy: "received", Clauses: "TTL received + INTERVAL 15 DAY",
		Brokers: "kafka:9092", Topic: "flows", Group: "clickhouse",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := tables.String(); got != flowTables {
		t.Error(got)
	}
}

func TestWhatClickHouseHasNoTypeForIsRefused(t *testing.T) {
	s := schema.New("Outer.M", schema.Package("p"))
	n := s.NewMessage("N")
	n.Nested("n", 1, n)
	s.Nested("n", 1, n)
	s.Nested("empty", 2, s.NewMessage("Empty"))
	s.Bool("same", 3)
	s.Bool("Same", 4)
	s.Bool("_error", 5)
	_, err := clickhouse.TablesFor(schematest.Compile(t, s), clickhouse.Options{})
	for _, want := range []string{
		"p.Outer.M: the target table has no name",
		"p.Outer.M: ClickHouse cannot find a message inside another one",
		"p.Outer.M.n.n: p.N contains itself, which no type of ClickHouse can",
		"p.Outer.M.empty: p.Empty has no columns",
		"p.Outer.M._error: every table that reads from Kafka has a column with this name",
		"p.Outer.M.Same: ClickHouse does not distinguish the name from same",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}

func TestSchemasThatClickHouseWouldSpellOutForEverAreRefused(t *testing.T) {
	if _, err := clickhouse.TablesFor(schematest.Compile(t, schematest.Doubling(5)), clickhouse.Options{Table: "t"}); err != nil {
		t.Error(err)
	}
	if _, err := clickhouse.TablesFor(schematest.Compile(t, schematest.Doubling(60)), clickhouse.Options{Table: "t"}); err == nil || !strings.Contains(err.Error(), "with nested messages there are more than 10000 columns") {
		t.Error(err)
	}
}

func TestViewsWithMillionsOfNamesAreRefused(t *testing.T) {
	s := schema.New("M")
	values := make([]schema.EnumValue, 2_000)
	for i := range values {
		values[i] = schema.EnumValue{Name: fmt.Sprint("V", i), Number: int32(i)}
	}
	e := s.NewEnum("E", values...)
	for i := range 501 {
		s.Enum(fmt.Sprint("e", i), uint32(i+1), e)
	}
	_, err := clickhouse.TablesFor(schematest.Compile(t, s), clickhouse.Options{Table: "t"})
	if err == nil || !strings.Contains(err.Error(), "M.e500: the enums of all columns have more than 1000000 values") {
		t.Error(err)
	}
	if _, err := clickhouse.TablesFor(schematest.Compile(t, s, schema.Off("e500")), clickhouse.Options{Table: "t"}); err != nil {
		t.Error(err)
	}
}

// A column's expression names its parents, so deep chains are long texts.
func TestMessagesNestedDeeperThanReadersGoAreNoClickHouseType(t *testing.T) {
	chain := func(levels int) error {
		s := schema.New("M")
		m := s.Message
		for i := range levels {
			inner := s.NewMessage(fmt.Sprint("M", i))
			m.Timestamp("at", 1, schema.Seconds)
			m.Nested("inner", 2, inner)
			m = inner
		}
		m.Timestamp("at", 1, schema.Seconds)
		_, err := clickhouse.TablesFor(schematest.Compile(t, s), clickhouse.Options{Table: "t"})
		return err
	}
	if err := chain(100); err != nil {
		t.Error(err)
	}
	if err := chain(101); err == nil || !strings.Contains(err.Error(), "messages are nested more than 100 deep") {
		t.Error(err)
	}
}

func TestNoColumnHasTheNameOfOneOfTheQueues(t *testing.T) {
	for _, name := range []string{"_topic", "_key", "_offset", "_timestamp", "_timestamp_ms", "_partition", "_raw_message", "_error", "_Error"} {
		s := schema.New("M")
		s.Bytes(name, 1)
		_, err := clickhouse.TablesFor(schematest.Compile(t, s), clickhouse.Options{Table: "t"})
		if err == nil || !strings.Contains(err.Error(), "M."+name+": every table that reads from Kafka has a column with this name") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A target type that takes no NULL is filled with zero where the column is absent; the queue must not offer it NULL.
func TestTheQueueIsNullableOnlyWhereTheTargetIs(t *testing.T) {
	s := schema.New("M")
	s.String("plain", 1, schema.Optional)
	s.String("low", 2, schema.Optional, schema.ClickHouseType("LowCardinality(String)"))
	s.String("both", 3, schema.Optional, schema.ClickHouseType("LowCardinality(Nullable(String))"))
	tables, err := clickhouse.TablesFor(schematest.Compile(t, s), clickhouse.Options{Table: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"`plain` Nullable(String),\n", "`low` String,\n", "`both` Nullable(String)\n"} {
		if !strings.Contains(tables.Queue, want) {
			t.Errorf("%q is not in %s", want, tables.Queue)
		}
	}
	for _, want := range []string{"`plain` Nullable(String),\n", "`low` LowCardinality(String),\n", "`both` LowCardinality(Nullable(String))\n"} {
		if !strings.Contains(tables.Target, want) {
			t.Errorf("%q is not in %s", want, tables.Target)
		}
	}
}

// A topic that comes after another fills the same table, which may lack a column that the new one has.
func TestTopicsMayFillOneTableOfClickHouse(t *testing.T) {
	s := schema.New("FlowMessage")
	s.Uint64("bytes", 1, schema.Comment("Bytes."))
	tables, err := clickhouse.TablesFor(schematest.Compile(t, s), clickhouse.Options{Table: "flows", Source: "flows_2", Topic: "flows-2"})
	if err != nil {
		t.Fatal(err)
	}
	for statement, names := range map[string][]string{
		tables.Target: {"`flows` ("}, tables.Queue: {"`flows_2_queue` ("}, tables.Errors: {"`flows_2_errors`\n", "`flows_2_queue`\n"},
		tables.View: {"`flows_2_view` TO `flows`\n", "`flows_2_queue`\n"},
	} {
		for _, name := range names {
			if !strings.Contains(statement, name) {
				t.Errorf("no %q in\n%s", name, statement)
			}
		}
	}
	if len(tables.Columns) != 1 || tables.Columns[0].String() != "`bytes` UInt64 COMMENT 'Bytes.'" {
		t.Errorf("%q", tables.Columns)
	}
}

func TestTheSchemaChoosesTypeAndCodec(t *testing.T) {
	s := schema.New("Row")
	s.Uint32("port", 1, schema.ClickHouseType("UInt16 CODEC(T64, ZSTD(1))"), schema.Comment("a 'port'"))
	s.String("name", 2, schema.ClickHouseType("LowCardinality(String)"))
	tables, err := clickhouse.TablesFor(schematest.Compile(t, s), clickhouse.Options{Table: "rows"})
	if err != nil {
		t.Fatal(err)
	}
	want := []clickhouse.Column{
		{Name: "port", Type: "UInt16", Codec: "CODEC(T64, ZSTD(1))", Comment: "a 'port'"},
		{Name: "name", Type: "LowCardinality(String)"},
	}
	if !slices.Equal(tables.Columns, want) {
		t.Errorf("%+v", tables.Columns)
	}
	if got := tables.Columns[0].String(); got != "`port` UInt16 COMMENT 'a \\'port\\'' CODEC(T64, ZSTD(1))" {
		t.Error(got)
	}
	if !strings.Contains(tables.View, "accurateCastOrDefault(`port`, 'UInt16') AS `port`,\n  `name` AS `name`\n") {
		t.Error(tables.View)
	}
}
