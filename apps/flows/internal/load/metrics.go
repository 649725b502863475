//go:build linux

package load

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Metrics are the samples of the collector's /metrics at one moment, by their name with labels.
type Metrics map[string]float64

// Scrape reads the metrics of the collector whose page is at an address.
func Scrape(address string) (Metrics, error) {
	answer, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	m, lines := Metrics{}, bufio.NewScanner(answer.Body)
	for lines.Scan() {
		line := lines.Text()
		i := strings.LastIndexByte(line, ' ')
		if i < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if m[line[:i]], err = strconv.ParseFloat(line[i+1:], 64); err != nil {
			return nil, fmt.Errorf("/metrics: %q: %w", line, err)
		}
	}
	if m["flows_start_time_seconds"] == 0 {
		return nil, fmt.Errorf("%s serves /metrics, but it is not a collector", address)
	}
	return m, lines.Err()
}

// Sum adds up all samples of a name.
func (m Metrics) Sum(name string) (all uint64) {
	for sample, v := range m {
		if strings.HasPrefix(sample, name+"{") || sample == name {
			all += uint64(v)
		}
	}
	return all
}

// dropped returns the reason of a loss that a sample counts.
func dropped(sample string) (reason string, ok bool) {
	name, labels, _ := strings.Cut(sample, "{")
	if strings.HasPrefix(name, "flows_exporter_") || !strings.HasPrefix(labels, `reason="`) {
		return "", false
	}
	return strings.TrimSuffix(strings.TrimPrefix(labels, `reason="`), `"}`), true
}

// Dropped returns what was lost for a reason.
func (m Metrics) Dropped(reason string) (all uint64) {
	for sample, v := range m {
		if r, ok := dropped(sample); ok && r == reason {
			all += uint64(v)
		}
	}
	return all
}

// Received returns how many datagrams the collector has read or the kernel had no room for.
func (m Metrics) Received() uint64 { return m.Sum("flows_datagrams_total") + m.Dropped("socket") }

// Decoded returns how many flows were in the datagrams that it has read.
func (m Metrics) Decoded() uint64 { return m.Sum("flows_decoded_total") }

// Delivered returns how many flows the output has acknowledged.
func (m Metrics) Delivered() uint64 { return m.Sum("flows_delivered_total") }

// FlowsDropped returns how many flows were decoded and will not be delivered.
func (m Metrics) FlowsDropped() (all uint64) {
	return m.Sum("flows_dropped_total")
}

// Drops formats all losses for printing.
func (m Metrics) Drops() (text string) {
	for sample, v := range m {
		if reason, ok := dropped(sample); ok && v > 0 {
			text += fmt.Sprintf(" %s=%.0f", reason, v)
		}
	}
	if text == "" {
		return "none"
	}
	return text[1:]
}
