package clickhouse

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

var usual = Options{Table: "flows", Engine: "MergeTree", Days: 30, Brokers: []string{"a:1", "b:2"}, Topic: "flows", Group: "clickhouse", Folder: "/schemas"}

func TestTheScriptHasAllOfTheLayout(t *testing.T) {
	l, err := layout.Load("../../flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	script, err := Statements(l, usual)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"CREATE TABLE IF NOT EXISTS `flows` (\n  `time_received` DateTime64(3, 'UTC')",
		"ORDER BY (toStartOfFiveMinutes(`time_received`), `exporter_address`, `src_addr`, `dst_addr`)\n",
		"PARTITION BY toYYYYMMDD(`time_received`)\nTTL toDateTime(`time_received`) + INTERVAL 30 DAY;\n",
		"ALTER TABLE `flows`\n  ADD COLUMN IF NOT EXISTS `time_received` DateTime64(3, 'UTC'),\n",
		"CREATE TABLE IF NOT EXISTS `flows_" + l.Hash + "_queue` (",
		"kafka_broker_list = 'a:1,b:2'", "kafka_topic_list = 'flows-" + l.Hash + "'", "kafka_group_name = 'clickhouse-" + l.Hash + "'",
		"kafka_schema = 'flows-" + l.Hash + ".proto:FlowMessage'",
		"CREATE MATERIALIZED VIEW IF NOT EXISTS `flows_" + l.Hash + "_errors`",
		"CREATE MATERIALIZED VIEW IF NOT EXISTS `flows_" + l.Hash + "_view` TO `flows`\n",
		"--   sed -n 's/^--| //p' flows.sql > /schemas/flows-" + l.Hash + ".proto\n",
	} {
		if !strings.Contains(script, want) {
			t.Errorf("%q is not in the script", want)
		}
	}
	if t.Failed() {
		t.Log(script)
	}
	for i, part := range strings.Split(script, ";\n\n")[1:] {
		if !strings.HasPrefix(part, []string{"ALTER", "CREATE", "CREATE", "CREATE"}[i]) {
			t.Errorf("statement %d: %s", i+2, part)
		}
	}

	// What the script says about the .proto file is so.
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("the script wants sed, which is not here:", err)
	}
	sed := exec.Command("sed", "-n", "s/^--| //p")
	sed.Stdin = strings.NewReader(script)
	got, err := sed.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := l.Plan.Proto(); string(got) != want {
		t.Errorf("the file is\n%s, want\n%s", got, want)
	}
}

func TestListsAreArrays(t *testing.T) {
	l, err := layout.Parse("s.yaml", []byte("message: M\ncolumns:\n  - {name: path, number: 1, type: repeated uint32, from: 4294967295/10}\n  - {name: extended, number: 2, type: repeated uint64, from: 488}\n"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := Statements(l, usual)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"`path` Array(UInt32)", "`extended` Array(UInt64)", "ADD COLUMN IF NOT EXISTS `path` Array(UInt32)", "repeated uint32 path = 1;"} {
		if !strings.Contains(script, want) {
			t.Errorf("%q is not in\n%s", want, script)
		}
	}
}

func TestWithoutTimeThereAreNoPartitions(t *testing.T) {
	l, err := layout.Parse("s.yaml", []byte("message: M\ncolumns:\n  - {name: bytes, number: 1, type: uint64, from: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := Statements(l, usual)
	if err != nil || !strings.Contains(script, "ORDER BY tuple();\n") || strings.Contains(script, "PARTITION") {
		t.Error(script, err)
	}
	o := usual
	o.Database, o.OrderBy, o.Clauses = "net", "bytes", "SETTINGS index_granularity = 1024"
	script, err = Statements(l, o)
	if err != nil || !strings.Contains(script, "ORDER BY bytes\nSETTINGS index_granularity = 1024;\n") || !strings.Contains(script, "ALTER TABLE `net`.`flows`\n") {
		t.Error(script, err)
	}
}

func TestWhatClickHouseHasNoTypeForIsToldWithItsLine(t *testing.T) {
	l, err := layout.Parse("s.yaml", []byte("message: M\ncolumns:\n  - {name: again, number: 1, type: M}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Statements(l, usual); err == nil || !strings.Contains(err.Error(), "s.yaml: line 3: M.again: M contains itself") {
		t.Error(err)
	}
}
