//go:build acceptance && linux

package acceptance

import (
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// Live exporters on loopback, the collector, a broker, ClickHouse: what goes in comes out, counted by exporter and in
// all.
func TestWhatLiveExportersSendIsInClickHouse(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("exporters may look at loopback as root only")
	}
	b := startBroker(t, "")
	c := startCollector(t, "--kafka-brokers="+b.Address(), "--kafka-partitions=3", "--schema=../flows.yaml")
	taps := map[string]*tap{}
	for i, name := range []string{
		"softflowd v5", "softflowd v9", "softflowd IPFIX", "pmacctd sFlow", "pmacctd v9", "pmacctd IPFIX",
	} {
		taps[name] = newTap(t, netip.AddrFrom4([4]byte{127, 0, 2, byte(i + 1)}).String(), c.listen)
	}
	softflowds := map[string]*softflowd{}
	for name, version := range map[string]int{"softflowd v5": 5, "softflowd v9": 9, "softflowd IPFIX": 10} {
		softflowds[name] = startSoftflowd(t, taps[name], version)
	}
	sflow := taps["pmacctd sFlow"]
	probes := []string{
		"plugins: sfprobe\nsfprobe_receiver: " + sflow.receiver().String() + "\nsfprobe_agentip: " + sflow.address.String() +
			"\nsampling_rate: 2\n",
		"plugins: nfprobe\nnfprobe_version: 9\nnfprobe_receiver: " + taps["pmacctd v9"].receiver().String() +
			"\nnfprobe_timeouts: expint=1:maxlife=3\n",
		"plugins: nfprobe\nnfprobe_version: 10\nnfprobe_receiver: " + taps["pmacctd IPFIX"].receiver().String() +
			"\nnfprobe_timeouts: expint=1:maxlife=3\n",
	}
	stops := []func(){}
	for _, configuration := range probes {
		p := startPmacctd(t, configuration)
		stops = append(stops, func() { stopPmacctd(t, p) })
	}
	time.Sleep(time.Second) // they open loopback
	traffic(t, 3000)
	accounts := map[string]account{}
	for name, s := range softflowds {
		accounts[name] = s.account(t)
	}
	for _, stop := range stops {
		stop()
	}
	time.Sleep(500 * time.Millisecond)

	want, datagrams := map[netip.Addr]truth.Sum{}, uint64(0)
	for name, p := range taps {
		sum := p.truth(t)
		want[p.address] = sum
		datagrams += uint64(p.datagrams())
		t.Logf("%s (%v): %d datagrams, of which goflow2 makes %d flows, %d bytes, %d packets",
			name, p.address, p.datagrams(), sum.Flows, sum.Bytes, sum.Packets)
		if sum.Flows < 100 {
			t.Errorf("%s: too few to tell anything", name)
		}
		if a, ok := accounts[name]; ok {
			equal(t, name+": packets that it says it has seen, and records exported", account{sum.Packets, sum.Flows}, a)
		}
	}
	m := c.settled(datagrams, 20*time.Second)
	equal(t, "dropped", m.Drops(), "none")
	c.stop()

	l := repositoryLayout(t, "../flows.yaml")
	got := readTopic(t, b.Address(), l.Topic("flows"), l)
	t.Logf("topic %s: %d records", l.Topic("flows"), got.records)
	compare(t, "topic", got.exporters, want)
	compare(t, "ClickHouse", sums(t, query(t, []readBy{{"../flows.yaml", got}}, sumsOf)[0]), want)
}

// compare compares by exporter, and in all.
func compare(t *testing.T, where string, got, want map[netip.Addr]truth.Sum) {
	t.Helper()
	equal(t, where+": exporters", len(got), len(want))
	var gotAll, wantAll truth.Sum
	for address := range want {
		equal(t, where+": "+address.String(), got[address], want[address])
		wantAll.Add(want[address])
	}
	for _, sum := range got {
		gotAll.Add(sum)
	}
	equal(t, where+": all", gotAll, wantAll)
}
