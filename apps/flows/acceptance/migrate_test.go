//go:build acceptance && linux

package acceptance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// schemas writes a schema, and a later one: a column more, ports in two bytes, the protocol as text.
func schemas(t *testing.T) (before, after string) {
	t.Helper()
	text, err := os.ReadFile("../flows.yaml")
	must(t, err)
	folder := t.TempDir()
	change := func(name string, pairs ...string) string {
		changed := string(text)
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(changed, pairs[i]) {
				t.Fatalf("%q is not in flows.yaml", pairs[i])
			}
			changed = strings.Replace(changed, pairs[i], pairs[i+1], 1)
		}
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, []byte(changed), 0o644))
		return path
	}
	const port, proto = "from: [7, 180, 182], clickhouse: UInt16}", "type: uint32, from: 4, clickhouse: UInt8}"
	before = change("before.yaml", port, "from: [7, 180, 182]}", proto, "type: uint32, from: 4}")
	after = change("after.yaml", port, `from: [7, 180, 182], clickhouse: "UInt16 CODEC(T64, ZSTD(1))"}`,
		proto, "type: uint32, from: 4, clickhouse: LowCardinality(String)}",
		"columns:\n", "columns:\n  - {name: collector, number: 100, type: string, utf8: true, constant: zrh-1, clickhouse: LowCardinality(String)}\n")
	return before, after
}

func columnType(t *testing.T, s *standIn, database, column string) string {
	t.Helper()
	return s.text(t, fmt.Sprintf("SELECT any(type) FROM system.columns WHERE database = '%s' AND table = 'flows' AND name = '%s'", database, column))
}

// Tables change while topics are full: a column more, and two of another type, through a new table. Each flow is in the
// table once, before and after, and after a rollback.
func TestTablesMigrateAndNoFlowIsLost(t *testing.T) {
	t.Parallel()
	before, after := schemas(t)
	b, s := startBroker(t, ""), startClickHouse(t)
	s.exec(t, "CREATE DATABASE net")
	hashes := map[string]string{before: repositoryLayout(t, before).Hash, after: repositoryLayout(t, after).Hash}
	total := map[string]uint64{}
	produce := func(schema string, during time.Duration) {
		t.Helper()
		createTopic(t, b.Address(), "flows-"+hashes[schema])
		c := startCollector(t, "--kafka-brokers="+b.Address(), "--kafka-partitions=3", "--schema="+schema)
		sender := newSender(t, c.listen)
		send(t, sender, 200, during, nil)
		m := c.settled(sender.Sums().Datagrams, 20*time.Second)
		c.stop()
		equal(t, "dropped", m.Drops(), "none")
		total[schema] += sender.Sums().Flows
	}
	apply := func(schema string, more ...string) string {
		t.Helper()
		return s.mustMigrate(t, "net", append([]string{"apply", "--yes", "--schema=" + schema, "--kafka-brokers=" + b.Address()}, more...)...)
	}
	all := func() uint64 { return total[before] + total[after] }
	// sums are those of so many times what produce sends: it sends the same each time.
	var once []uint64
	sums := func(subject string, times uint64) {
		t.Helper()
		rows := rowsOf[struct{ X []uint64 }](t, s, "SELECT [count(), sum(bytes), sum(packets), sum(src_port), "+
			"sum(cityHash64(src_addr, dst_addr)), sum(toUInt32(toString(proto)))] AS X FROM net.flows")
		if once == nil {
			once = rows[0].X
		}
		var want []uint64
		for _, n := range once {
			want = append(want, n*times)
		}
		equal(t, "sums "+subject, fmt.Sprint(rows[0].X), fmt.Sprint(want))
	}

	if out, err := s.migrate(s.URL, "net", "apply", "--yes", "--schema="+before); err == nil || !strings.Contains(out, "flows schema --proto --schema=") {
		t.Errorf("the server has no .proto file, and the command says %v\n%s", err, out)
	}
	s.putSchema(t, before)
	apply(before)
	produce(before, time.Second)
	s.pump(t, "net", hashes[before], all())
	sums("of the first flows", 1)
	produce(before, time.Second) // in the topic while the tables change

	s.putSchema(t, after)
	plan := s.mustMigrate(t, "net", "plan", "--schema="+after)
	for _, want := range []string{"add column collector", "proto LowCardinality(String), src_port UInt16", "pause flows_" + hashes[before] + "_queue"} {
		if !strings.Contains(plan, want) {
			t.Errorf("no %q in the plan:\n%s", want, plan)
		}
	}
	t.Log(apply(after))
	s.unpump(t, hashes[before])
	equal(t, "type of src_port", columnType(t, s, "net", "src_port"), "UInt16")
	equal(t, "type of proto", columnType(t, s, "net", "proto"), "LowCardinality(String)")
	if plan := s.mustMigrate(t, "net", "plan", "--schema="+after, "--kafka-brokers="+b.Address()); !strings.Contains(plan, "Nothing to do") {
		t.Errorf("something is left to do:\n%s", plan)
	}

	s.pump(t, "net", hashes[before], all())
	sums("after the migration", 2)
	produce(after, time.Second)
	s.pump(t, "net", hashes[after], all())
	sums("of both topics", 3)
	equal(t, "flows with the new column", s.text(t, "SELECT count() FROM net.flows WHERE collector = 'zrh-1'"), fmt.Sprint(total[after]))
	equal(t, "protocols that are no text", s.text(t, "SELECT countIf(toUInt32OrNull(toString(proto)) IS NULL) FROM net.flows"), "0")

	t.Log(s.mustMigrate(t, "net", "rollback", "2", "--yes"))
	equal(t, "type of src_port", columnType(t, s, "net", "src_port"), "UInt32")
	equal(t, "type of proto", columnType(t, s, "net", "proto"), "UInt32")
	equal(t, "type of the column that was added", columnType(t, s, "net", "collector"), "")
	sums("after the rollback, with the flows that came after the migration", 3)
	if plan := s.mustMigrate(t, "net", "plan", "--schema="+before, "--kafka-brokers="+b.Address()); !strings.Contains(plan, "Nothing to do") {
		t.Errorf("something is left to do:\n%s", plan)
	}
	produce(before, time.Second)
	s.pump(t, "net", hashes[before], all())
	sums("at the end", 4)
	equal(t, "states in flows_migrations", s.text(t, "SELECT arrayStringConcat(groupArray(s), ' ') FROM (SELECT argMax(state, event) AS s "+
		"FROM net.flows_migrations GROUP BY id ORDER BY id)"), "done undone")
}

var numbers = regexp.MustCompile(`migration[ _][0-9]+`)

// Any request of a migration and of its rollback may be lost, or its answer: the same command, again, goes on.
func TestAMigrationThatStopsGoesOn(t *testing.T) {
	t.Parallel()
	before, after := schemas(t)
	s := startClickHouse(t)
	s.putSchema(t, before)
	s.putSchema(t, after)
	p := s.trouble(t)
	// Messages that could not be read stay, also after a rollback.
	const database = "net"
	state := func() string {
		t.Helper()
		return numbers.ReplaceAllString(s.text(t, "SELECT groupArray(x) FROM (SELECT concat(name, ' ', engine, ' ', comment) AS x FROM system.tables "+
			"WHERE database = '"+database+"' AND NOT startsWith(name, '.inner') AND NOT endsWith(name, '_errors') ORDER BY name)")+
			s.text(t, "SELECT groupArray(x) FROM (SELECT concat(name, ' ', type, ' ', compression_codec) AS x FROM system.columns "+
				"WHERE database = '"+database+"' AND table = 'flows' ORDER BY position)")+
			s.text(t, "SELECT tuple(count(), sum(src_port), uniqExact(time_received)) FROM "+database+".flows"), "migration N")
	}
	apply := []string{"apply", "--yes", "--schema=" + after}
	// try runs a command that makes so many requests, one of which fails, and then again.
	try := func(fail int, answer bool, all int, arguments ...string) int {
		t.Helper()
		if fail > all {
			fail = 0
		}
		p.begin(fail, answer)
		out, err := s.migrate(p.URL, database, arguments...)
		n := p.requests()
		if fail > 0 && err == nil {
			t.Fatalf("request %d is lost, and nobody says so:\n%s", fail, out)
		}
		if fail > 0 {
			p.begin(0, false)
			out, err = s.migrate(p.URL, database, arguments...)
		}
		if err != nil {
			t.Fatalf("request %d (executed: %v), then %v again: %v\n%s", fail, answer, arguments, err, out)
		}
		return n
	}
	s.exec(t, "CREATE DATABASE "+database)
	s.mustMigrate(t, database, "apply", "--yes", "--schema="+before)
	s.exec(t, "INSERT INTO "+database+".flows (time_received, src_port, proto) SELECT now() - INTERVAL number HOUR, number % 65536, 6 FROM numbers(100)")
	old, now := state(), ""
	forward, undone, number := 0, 0, 1
	for range 2 { // from the second on, the table of errors exists
		number++
		forward = try(0, false, 0, apply...)
		now = state()
		undone = try(0, false, 0, "rollback", fmt.Sprint(number), "--yes")
		if got := state(); got != old {
			t.Fatalf("after the rollback\n%s, not\n%s", got, old)
		}
	}
	t.Logf("%d requests to migrate, %d to take it back", forward, undone)
	for fail := 1; fail <= max(forward, undone); fail++ {
		answer := fail%3 > 0                // more can go wrong when it was executed
		if fail%4 == 3 && fail <= forward { // the rollback of a migration that stopped
			p.begin(fail, answer)
			if out, err := s.migrate(p.URL, database, apply...); err == nil {
				t.Fatalf("request %d is lost, and nobody says so:\n%s", fail, out)
			}
			number++
			s.mustMigrate(t, database, "rollback", fmt.Sprint(number), "--yes")
			if got := state(); got != old {
				t.Fatalf("request %d (executed: %v): after the rollback\n%s, not\n%s", fail, answer, got, old)
			}
		}
		try(fail, answer, forward, apply...)
		if got := state(); got != now {
			t.Fatalf("request %d (executed: %v): after the migration\n%s, not\n%s", fail, answer, got, now)
		}
		number++
		try(fail, answer, undone, "rollback", fmt.Sprint(number), "--yes")
		if got := state(); got != old {
			t.Fatalf("request %d (executed: %v): after the rollback\n%s, not\n%s", fail, answer, got, old)
		}
	}
}

// createTopic creates a topic that does not exist, and waits until it has leaders.
func createTopic(t *testing.T, broker, topic string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	must(t, err)
	defer client.Close()
	admin := kadm.NewClient(client)
	if _, err := admin.CreateTopic(ctx, 3, 1, nil, topic); !errors.Is(err, kerr.TopicAlreadyExists) {
		must(t, err)
	}
	for {
		if ends, err := admin.ListEndOffsets(ctx, topic); err == nil && ends.Error() == nil && len(ends[topic]) == 3 {
			return
		}
		must(t, ctx.Err())
		time.Sleep(100 * time.Millisecond)
	}
}
