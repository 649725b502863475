package ops

import (
	"net/netip"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// metrics reads the counters when Prometheus asks.
type metrics struct {
	server *Server

	mu       sync.Mutex
	accounts map[netip.Addr]*account // of the exporters that are known
	unnamed  account                 // of all exporters that had no name when they were counted

	datagrams, bytes, flows                           *prometheus.Desc
	dropped, exDropped                                [count.Reasons]*prometheus.Desc
	delivered, encodedBytes, writtenBytes             *prometheus.Desc
	templates, options, released, passed, unusedLists *prometheus.Desc
	reloads, failures, refusals, retries, dataLoss    *prometheus.Desc
	schema, exporters                                 *prometheus.Desc
	unsampled, held, skipped                          *prometheus.Desc
	exDatagrams, exFlows, exLost, exRepeated          *prometheus.Desc
	exRestarts, exSeen, exUnsampled                   *prometheus.Desc
	queueBytes, queueLimit, healthy, start            *prometheus.Desc
	evicted, evictedTemplates, evictedBytes, borrowed *prometheus.Desc
}

func newMetrics(s *Server) *metrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("flows_"+name, help, labels, nil)
	}
	m := &metrics{
		server: s, accounts: map[netip.Addr]*account{},
		datagrams:        desc("datagrams_total", "Number of datagrams received.", "protocol"),
		bytes:            desc("datagram_bytes_total", "Payload bytes of the datagrams received.", "protocol"),
		flows:            desc("decoded_total", "Number of flows decoded from datagrams and encoded as messages.", "protocol"),
		delivered:        desc("delivered_total", "Number of flows that the output has acknowledged."),
		encodedBytes:     desc("encoded_bytes_total", "Bytes of encoded messages."),
		writtenBytes:     desc("delivered_bytes_total", "Bytes of messages that the output has acknowledged."),
		templates:        desc("templates_total", "Number of templates learnt."),
		options:          desc("options_records_total", "Number of options records read."),
		released:         desc("released_total", "Number of data sets that waited for their template until it came."),
		unsampled:        desc("sampling_unknown_total", "Number of flows whose sampling rate is unknown."),
		held:             desc("sampling_held_total", "Number of flows that waited for their sampling rate."),
		exUnsampled:      desc("exporter_sampling_unknown_total", "Number of flows whose sampling rate is unknown, by exporter.", "exporter"),
		passed:           desc("sflow_samples_passed_total", "Number of sFlow samples skipped because they are not flows, by kind.", "sample"),
		skipped:          desc("structures_skipped_total", "Number of parts of sFlow samples and sampled packets that are not read, by name: a flow lacks what they contain.", "structure"),
		unusedLists:      desc("lists_unused_total", "Number of lists in IPFIX records that fill no column, or whose elements are not true of the flow."),
		reloads:          desc("reloads_total", "Number of reloads of the schema file and the tables."),
		failures:         desc("reload_failures_total", "Number of reloads that changed nothing, because a file has a fault."),
		refusals:         desc("reload_refusals_total", "Number of reloads that changed nothing, because the schema would break readers."),
		retries:          desc("output_retries_total", "Number of writes that failed and were tried again."),
		dataLoss:         desc("output_data_loss_total", "Number of times that acknowledged flows may be lost: Kafka no longer knew them, or a file could not be synced to disk."),
		schema:           desc("schema_info", "The schema in use; always 1.", "message", "wire_hash"),
		exporters:        desc("exporters", "Number of exporters known."),
		exDatagrams:      desc("exporter_datagrams_total", "Number of datagrams received, by exporter.", "exporter"),
		exFlows:          desc("exporter_decoded_total", "Number of flows decoded, by exporter.", "exporter"),
		exLost:           desc("exporter_lost_total", "Number missing by gaps in sequence numbers, by exporter: flows, records or datagrams, depending on the protocol.", "exporter"),
		exRepeated:       desc("exporter_repeated_total", "Number of datagrams that came twice, by exporter: their flows are counted twice.", "exporter"),
		exRestarts:       desc("exporter_restarts_total", "Number of times that sequence numbers began again, by exporter: what was lost then is unknown.", "exporter"),
		exSeen:           desc("exporter_last_seen_seconds", "Time of the exporter's last datagram, in seconds since 1970.", "exporter"),
		evicted:          desc("evicted_exporters_total", "Number of exporters that gave way to others, by what they had shown and what was short.", "rank", "reason"),
		evictedTemplates: desc("evicted_templates_total", "Number of templates of exporters that gave way.", "rank", "reason"),
		evictedBytes:     desc("evicted_bytes_total", "Bytes that were kept of exporters that gave way.", "rank", "reason"),
		borrowed:         desc("templates_borrowed_total", "Number of templates that another port of the exporter's address has sent, and that were used."),
		queueBytes:       desc("queue_bytes", "Bytes of messages that wait for the output."),
		queueLimit:       desc("queue_limit_bytes", "Bytes of messages that may wait for the output."),
		healthy:          desc("healthy", "1 if /healthz says ok, else 0."),
		start:            desc("start_time_seconds", "Start time of the collector, in seconds since 1970."),
	}
	for r := range count.Reasons {
		m.dropped[r] = desc(r.Metric(), r.Help(), "reason")
		m.exDropped[r] = desc("exporter_"+r.Metric(), strings.TrimSuffix(r.Help(), ".")+", by exporter.", "exporter", "reason")
	}
	return m
}

// Describe sends nothing, so the metrics are unchecked: unknown values are left out.
func (m *metrics) Describe(chan<- *prometheus.Desc) {}

func (m *metrics) Collect(out chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, n uint64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	s, c := m.server, m.server.Counters
	for p := range flow.Protocols {
		counter(m.datagrams, c.Datagrams[p].Load(), p.String())
		counter(m.bytes, c.Bytes[p].Load(), p.String())
		counter(m.flows, c.Flows[p].Load(), p.String())
	}
	for r := range count.Reasons {
		counter(m.dropped[r], c.Dropped(r), r.String())
	}
	for rank := range count.Ranks {
		for short := range count.Resources {
			e := &c.Evictions[rank][short]
			counter(m.evicted, e.Exporters.Load(), rank.String(), short.String())
			counter(m.evictedTemplates, e.Templates.Load(), rank.String(), short.String())
			counter(m.evictedBytes, e.Bytes.Load(), rank.String(), short.String())
		}
	}
	counter(m.borrowed, c.Borrowed.Load())
	counter(m.delivered, c.Delivered.Load())
	counter(m.encodedBytes, c.Encoded.Load())
	counter(m.writtenBytes, c.Written.Load())
	counter(m.templates, c.Templates.Load())
	counter(m.options, c.Options.Load())
	counter(m.released, c.Released.Load())
	counter(m.unsampled, c.Unsampled.Load())
	counter(m.held, c.Held.Load())
	c.Passed.Each(func(kind string, n uint64) { counter(m.passed, n, kind) })
	for i := range c.Skipped {
		if n := c.Skipped[i].Load(); n > 0 {
			counter(m.skipped, n, count.Structure(i).String())
		}
	}
	counter(m.unusedLists, c.ListsUnused.Load())
	counter(m.reloads, c.Reloads.Load())
	counter(m.failures, c.ReloadFailures.Load())
	counter(m.refusals, c.ReloadRefusals.Load())
	counter(m.retries, c.OutputRetries.Load())
	counter(m.dataLoss, c.OutputDataLoss.Load())
	layout := s.Layout()
	gauge(m.schema, 1, layout.Plan.Root(), layout.Hash)
	gauge(m.start, float64(s.started.UnixMilli())/1e3)
	healthy := 0.0
	if len(s.problems()) == 0 {
		healthy = 1
	}
	gauge(m.healthy, healthy)
	if s.Waiting != nil {
		bytes, limit := s.Waiting()
		gauge(m.queueBytes, float64(bytes))
		gauge(m.queueLimit, float64(limit))
	}
	for _, g := range s.Gauges {
		gauge(prometheus.NewDesc("flows_"+g.Name, g.Help, nil, nil), float64(g.Value()))
	}
	all := s.Exporters()
	gauge(m.exporters, float64(len(all)))
	for label, a := range m.name(all) {
		counter(m.exDatagrams, a.datagrams, label)
		counter(m.exFlows, a.flows, label)
		counter(m.exLost, a.lost, label)
		counter(m.exRepeated, a.repeated, label)
		counter(m.exRestarts, a.restarts, label)
		counter(m.exUnsampled, a.unsampled, label)
		for r, n := range a.losses {
			if n > 0 {
				counter(m.exDropped[r], n, label, count.Reason(r).String())
			}
		}
		if a.datagrams > 0 { // not known from a state alone: with other collectors, it may send to them
			gauge(m.exSeen, float64(a.last.LastSeen.UnixMilli())/1e3, label)
		}
	}
}
