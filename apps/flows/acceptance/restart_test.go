//go:build acceptance && linux

package acceptance

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/load"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// The collector is killed while flows come, and started again. It has to learn the templates again; data that come
// before them wait. What is lost is what came while it was away, and what it had not handed over: no more than a
// chunk's time before.
func TestACollectorThatIsKilledLosesWhatItHadNotHandedOver(t *testing.T) {
	folder := t.TempDir()
	b := startBroker(t, "")
	l := repositoryLayout(t, "../flows.yaml")
	for name, arguments := range map[string][]string{
		"Kafka": {"--kafka-brokers=" + b.Address(), "--kafka-partitions=3"},
		"file":  {"--output=file", "--file-folder=" + folder},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCollector(t, append(arguments, "--schema=../flows.yaml", "--chunk-time=200ms")...)
			s := newSender(t, c.listen, flow.NetFlow9, flow.IPFIX)
			var before load.Metrics
			var away time.Duration
			const during = 14 * time.Second
			send(t, s, 1000, during, func() {
				time.Sleep(3 * time.Second)
				before = c.metrics()
				c.process.Kill()
				at := time.Now()
				time.Sleep(time.Second)
				c.start()
				away = time.Since(at)
			})
			after := c.idle(30 * time.Second)
			c.stop()
			templates, waited := after.Sum("flows_templates_total"), after.Sum("flows_released_total")
			t.Logf("%d templates learnt again, %d data sets waited for them", templates, waited)
			if templates == 0 || waited == 0 {
				t.Error("it was meant to learn them, and to keep what came before them")
			}
			var got *held
			if name == "Kafka" {
				got = readTopic(t, b.Address(), l.Topic("flows"), l)
				equal(t, "records that are there twice", got.repeated, 0)
			} else {
				got = readFiles(t, folder, l)
			}
			all := s.Sums().Flows
			lost := all - got.all.Flows
			t.Logf("sent %d flows, %d of them are there, %d are lost; acknowledged before %d, after %d",
				all, got.all.Flows, lost, before.Delivered(), after.Delivered())
			equal(t, "dropped after", after.Drops(), "none")
			// It comes at an even pace; a second more than it was away, for its chunks and for what differs.
			limit := uint64(float64(all) * float64(away+time.Second) / float64(during))
			t.Logf("it was away for %v: no more than %d flows may be lost", away.Round(time.Millisecond), limit)
			if got.all.Flows > all || lost > limit {
				t.Errorf("lost %d flows", lost)
			}
			if lost == 0 {
				t.Error("nothing is lost, so it was never away")
			}
			if got.all.Flows < before.Delivered()+after.Delivered() {
				t.Errorf("of %d flows acknowledged only %d are there", before.Delivered()+after.Delivered(), got.all.Flows)
			}
		})
	}
}

// readFiles reads the files of a folder; all of them have to be finished and whole.
func readFiles(t *testing.T, folder string, l *layout.Layout) *held {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	h := &held{exporters: map[netip.Addr]truth.Sum{}}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".pb") {
			t.Errorf("%s is not finished", e.Name())
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		must(t, err)
		h.bytes = append(h.bytes, content...)
	}
	t.Logf("%d files", len(entries))
	h.sum(t, l)
	return h
}
