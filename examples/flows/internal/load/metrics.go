//go:build linux

package load

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Metrics are the samples of the collector's /metrics of a moment, by their name with labels.
type Metrics map[string]float64

// Scrape asks the collector whose pages are at an address.
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
		return nil, fmt.Errorf("/metrics of %s is not that of a collector", address)
	}
	return m, lines.Err()
}

// Sum adds all samples of a name up.
func (m Metrics) Sum(name string) (all uint64) {
	for sample, v := range m {
		if strings.HasPrefix(sample, name+"{") || sample == name {
			all += uint64(v)
		}
	}
	return all
}

// dropped is what all losses begin with.
const dropped = `flows_dropped_total{reason="`

// Dropped is what was lost for a reason.
func (m Metrics) Dropped(reason string) (all uint64) {
	for sample, v := range m {
		if strings.HasPrefix(sample, dropped+reason+`"`) {
			all += uint64(v)
		}
	}
	return all
}

// Received is how many datagrams the collector has read, and the kernel had no room for.
func (m Metrics) Received() uint64 { return m.Sum("flows_datagrams_total") + m.Dropped("socket") }

// Decoded is how many flows were in what it has read.
func (m Metrics) Decoded() uint64 { return m.Sum("flows_decoded_total") }

// Delivered is how many flows the output has acknowledged.
func (m Metrics) Delivered() uint64 { return m.Sum("flows_delivered_total") }

// FlowsDropped is how many were decoded and will not be delivered.
func (m Metrics) FlowsDropped() (all uint64) {
	for sample, v := range m {
		if strings.HasPrefix(sample, dropped) && strings.HasSuffix(sample, `unit="flows"}`) {
			all += uint64(v)
		}
	}
	return all
}

// Drops are all losses, to be printed.
func (m Metrics) Drops() (text string) {
	for sample, v := range m {
		if reason, ok := strings.CutPrefix(sample, dropped); ok && v > 0 {
			reason, _, _ = strings.Cut(reason, `"`)
			text += fmt.Sprintf(" %s=%.0f", reason, v)
		}
	}
	if text == "" {
		return "none"
	}
	return text[1:]
}
