package snmp

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	pollsDesc   = prometheus.NewDesc("flows_snmp_polls_total", "Number of times that an exporter was asked by SNMP.", []string{"result"}, nil)
	devicesDesc = prometheus.NewDesc("flows_snmp_exporters", "Number of exporters that are asked by SNMP.", []string{"answer"}, nil)
	refusedDesc = prometheus.NewDesc("flows_snmp_refused_total", "Number of times that an exporter was not asked because there are too many.", nil, nil)
	oldestDesc  = prometheus.NewDesc("flows_snmp_oldest_answer_seconds", "Age of the oldest answer in use, in seconds.", nil, nil)
)

// Describe sends nothing, so the metrics are unchecked.
func (p *Poller) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics.
func (p *Poller) Collect(out chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, n uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter(pollsDesc, p.polls[0].Load(), "failed")
	counter(pollsDesc, p.polls[1].Load(), "answered")
	counter(refusedDesc, p.refused.Load())
	known, unknown, oldest := 0, 0, time.Duration(0)
	p.mu.Lock()
	for _, d := range p.devices {
		if d.facts.Load() != nil {
			known++
			oldest = max(oldest, time.Since(d.answered))
		} else {
			unknown++
		}
	}
	p.mu.Unlock()
	gauge(devicesDesc, float64(known), "known")
	gauge(devicesDesc, float64(unknown), "none")
	if known > 0 {
		gauge(oldestDesc, oldest.Seconds())
	}
}
