//go:build acceptance

package acceptance

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/load"
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
	c := &collector{t: t, listen: listen, http: freeTCP(t), log: filepath.Join(t.TempDir(), "collector.log")}
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

func freeTCP(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
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

// metrics are the samples of a moment by their name with labels.
type metrics map[string]float64

func (c *collector) metrics() metrics {
	c.t.Helper()
	answer, err := http.Get("http://" + c.http + "/metrics")
	must(c.t, err)
	defer func() { _ = answer.Body.Close() }()
	m := metrics{}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if name, value, ok := cutLast(lines.Text()); ok && !strings.HasPrefix(name, "#") {
			v, err := strconv.ParseFloat(value, 64)
			must(c.t, err)
			m[name] = v
		}
	}
	if m["flows_start_time_seconds"] == 0 {
		c.t.Fatalf("/metrics has no flows_start_time_seconds: %v", m)
	}
	return m
}

func cutLast(line string) (before, after string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

// sum adds all samples of a name up.
func (m metrics) sum(name string) (all uint64) {
	for sample, v := range m {
		if strings.HasPrefix(sample, name+"{") || sample == name {
			all += uint64(v)
		}
	}
	return all
}

func (m metrics) dropped(reason string) uint64 {
	return uint64(m[fmt.Sprintf("flows_dropped_total{reason=%q}", reason)])
}

func (m metrics) decoded() uint64   { return m.sum("flows_decoded_total") }
func (m metrics) delivered() uint64 { return m.sum("flows_delivered_total") }

// flowsDropped are those that were decoded and not delivered.
func (m metrics) flowsDropped() (all uint64) {
	for _, reason := range []string{
		"queue_full", "too_large", "unauthorized", "unknown_topic", "output_failed", "output_timeout", "shutdown",
	} {
		all += m.dropped(reason)
	}
	return all
}

// drops are all that were counted, to be printed.
func (m metrics) drops() (text string) {
	for sample, v := range m {
		if reason, ok := strings.CutPrefix(sample, "flows_dropped_total{reason="); ok && v > 0 {
			text += fmt.Sprintf(" %s=%.0f", strings.Trim(reason, `"}`), v)
		}
	}
	if text == "" {
		return "none"
	}
	return text[1:]
}

// settled waits until the collector has received so many datagrams, those that the kernel had no room for included, and every flow
// of them is either delivered or counted as dropped. It gives the metrics of then.
func (c *collector) settled(datagrams uint64, wait time.Duration) (m metrics) {
	c.t.Helper()
	for end := time.Now().Add(wait); ; time.Sleep(50 * time.Millisecond) {
		m = c.metrics()
		if m.sum("flows_datagrams_total")+m.dropped("socket") == datagrams && m.delivered()+m.flowsDropped() == m.decoded() {
			return m
		}
		if time.Now().After(end) {
			c.t.Fatalf("after %v, of %d datagrams %d have come and %d were dropped by the kernel; of %d flows %d are delivered and %d dropped",
				wait, datagrams, m.sum("flows_datagrams_total"), m.dropped("socket"), m.decoded(), m.delivered(), m.flowsDropped())
		}
	}
}
