//go:build acceptance && linux

package acceptance

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema/lock"
)

// A column is added while flows come: one line of the schema file and a signal. Messages with it are of another topic,
// since they are of another layout on the wire; both are read into one table, each by its own schema, and by the
// other's, and nothing is lost in between.
func TestAColumnIsAddedWhileFlowsCome(t *testing.T) {
	text, err := os.ReadFile("../flows.yaml")
	must(t, err)
	folder := t.TempDir()
	file, older := filepath.Join(folder, "flows.yaml"), filepath.Join(folder, "older.yaml")
	for _, f := range []string{file, older} {
		must(t, os.WriteFile(f, text, 0o644))
	}
	b := startBroker(t, "")
	c := startCollector(t, "--kafka-brokers="+b.Address(), "--kafka-partitions=3", "--schema="+file)
	s := newSender(t, c.listen)
	send(t, s, 1000, 8*time.Second, func() {
		time.Sleep(4 * time.Second)
		const column = "columns:\n" +
			"  - {name: collector, number: 100, type: string, utf8: true, constant: zrh-1, clickhouse: LowCardinality(String)}\n"
		must(t, os.WriteFile(file, []byte(strings.Replace(string(text), "columns:\n", column, 1)), 0o644))
		must(t, c.process.Signal(syscall.SIGHUP))
	})
	m := c.settled(s.Sums().Datagrams, 20*time.Second)
	c.stop()
	equal(t, "reloads", m.Sum("flows_reloads_total"), 1)
	equal(t, "dropped", m.Drops(), "none")

	before, after := repositoryLayout(t, older), repositoryLayout(t, file)
	equal(t, "verdict on the change", lock.Compare(before.Plan, after.Plan).Level(), lock.Compatible)
	names := []string{before.Topic("flows"), after.Topic("flows")}
	slices.Sort(names)
	equal(t, "topics", strings.Join(topics(t, b.Address(), "flows-"), " "), strings.Join(names, " "))
	old := readTopic(t, b.Address(), before.Topic("flows"), before)
	recent := readTopic(t, b.Address(), after.Topic("flows"), after)
	t.Logf("%s: %d flows; %s: %d flows", before.Topic("flows"), old.all.Flows, after.Topic("flows"), recent.all.Flows)
	if old.all.Flows == 0 || recent.all.Flows == 0 {
		t.Error("one of them is empty")
	}
	summed := maps.Clone(old.exporters)
	for address, sum := range recent.exporters {
		sum.Add(summed[address])
		summed[address] = sum
	}
	compare(t, "both topics", summed, sent(s))

	for _, reader := range []struct {
		name string
		readBy
	}{
		{"the old topic by the new schema", readBy{file, old}},
		{"the new topic by the old schema", readBy{older, recent}},
	} {
		answer := query(t, []readBy{reader.readBy}, sumOfAll+asNumbers)[0]
		equal(t, "ClickHouse, "+reader.name, oneSum(t, answer), reader.topic.all)
	}
	const without, marked = " WHERE collector = ''", " WHERE collector = 'zrh-1'"
	answers := query(t, []readBy{{older, old}, {file, recent}},
		sumsOf, sumOfAll+without+asNumbers, sumOfAll+marked+asNumbers)
	compare(t, "ClickHouse, both topics in one table", sums(t, answers[0]), sent(s))
	equal(t, "ClickHouse, flows without the new column", oneSum(t, answers[1]), old.all)
	equal(t, "ClickHouse, flows with the new column", oneSum(t, answers[2]), recent.all)
}
