//go:build acceptance && linux

package acceptance

import (
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// collector is one that runs, and may be started again with the same arguments.
type collector struct {
	t         *testing.T
	arguments []string
	listen    netip.AddrPort
	http, log string
	process   *load.Process
}

// startCollector starts one that ends with the test.
func startCollector(t *testing.T, arguments ...string) *collector {
	t.Helper()
	listen, err := load.FreePort()
	must(t, err)
	page, err := load.FreePage()
	must(t, err)
	c := &collector{t: t, listen: listen, http: page, log: filepath.Join(t.TempDir(), "collector.log")}
	c.arguments = append([]string{program, "collect", "--listen=" + listen.String(), "--http=" + c.http}, arguments...)
	c.start()
	t.Cleanup(func() {
		c.process.Kill()
		if t.Failed() {
			t.Logf("the collector said:\n%s", c.process.Tail())
		}
	})
	return c
}

func (c *collector) start() {
	c.t.Helper()
	var err error
	c.process, err = load.StartProcess(c.log, c.arguments...)
	must(c.t, err)
	must(c.t, c.process.WaitForListener(c.listen.Port()))
}

// stop asks it to end, which it has to do by itself and with success.
func (c *collector) stop() {
	c.t.Helper()
	must(c.t, c.process.Stop(40*time.Second))
}

func (c *collector) metrics() load.Metrics {
	c.t.Helper()
	m, err := load.Scrape(c.http)
	must(c.t, err)
	return m
}

// settled waits until the collector has received so many datagrams, those that the kernel had no room for included, and
// every flow of them is either delivered or counted as dropped. It returns the metrics of that moment.
func (c *collector) settled(datagrams uint64, wait time.Duration) (m load.Metrics) {
	c.t.Helper()
	for end := time.Now().Add(wait); ; time.Sleep(50 * time.Millisecond) {
		m = c.metrics()
		if m.Received() == datagrams && m.Delivered()+m.FlowsDropped() == m.Decoded() {
			return m
		}
		if time.Now().After(end) {
			c.t.Fatalf("after %v, of %d datagrams %d have come and %d were dropped by the kernel; "+
				"of %d flows %d are delivered and %d dropped",
				wait, datagrams, m.Sum("flows_datagrams_total"), m.Dropped("socket"), m.Decoded(), m.Delivered(), m.FlowsDropped())
		}
	}
}

// idle waits until nothing comes any more, and all that has come is either delivered or counted as dropped.
func (c *collector) idle(wait time.Duration) load.Metrics {
	c.t.Helper()
	before := c.metrics()
	for end := time.Now().Add(wait); time.Now().Before(end); {
		time.Sleep(time.Second)
		m := c.metrics()
		if m.Received() == before.Received() && m.Delivered()+m.FlowsDropped() == m.Decoded() {
			return m
		}
		before = m
	}
	c.t.Fatalf("after %v, of %d flows %d are delivered and %d dropped",
		wait, before.Decoded(), before.Delivered(), before.FlowsDropped())
	return nil
}
