package bmp

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// refusal is why a connection was refused.
type refusal int

const (
	refuseStranger refusal = iota
	refuseSessions
	refuseFull
	refusals
)

var refusalNames = [refusals]string{"stranger", "sessions", "full"}

// ending is why a session has ended.
type ending int

const (
	endConnection ending = iota
	endTermination
	endTimeout
	endMalformed
	endFull
	endReplaced
	endings
)

var endingNames = [endings]string{"connection", "termination", "timeout", "malformed", "full", "replaced"}

func (e ending) String() string { return endingNames[e] }

// skip is why routes are not used.
type skip int

const (
	skipVRF skip = iota
	skipOut
	skipFamily
	skipUnknown
	skipPathless
	skips
)

var skipNames = [skips]string{"vrf", "adj_rib_out", "family", "unknown_peer", "no_as_path"}

// counts is what has happened.
type counts struct {
	messages [kinds + 1]atomic.Uint64 // the last: other types
	refused  [refusals]atomic.Uint64
	ends     [endings]atomic.Uint64
	skipped  [skips]atomic.Uint64
	peers    atomic.Int64
}

func (c *counts) refuse(r refusal) { c.refused[r].Add(1) }

func (c *counts) skip(s skip) { c.skipped[s].Add(1) }

var (
	routersDesc  = prometheus.NewDesc("flows_bmp_routers", "Number of routers by state: loading (the routes are not used yet), connected, lost (the routes are used until they expire).", []string{"state"}, nil)
	routesDesc   = prometheus.NewDesc("flows_bmp_routes", "Number of routes by the state of their router.", []string{"state"}, nil)
	peersDesc    = prometheus.NewDesc("flows_bmp_peers", "Number of peers of routers that are connected.", nil, nil)
	memoryDesc   = prometheus.NewDesc("flows_bmp_memory_bytes", "Estimated bytes of all routes.", nil, nil)
	messagesDesc = prometheus.NewDesc("flows_bmp_messages_total", "Number of messages of routers.", []string{"type"}, nil)
	refusedDesc  = prometheus.NewDesc("flows_bmp_refused_total", "Number of connections that were refused.", []string{"reason"}, nil)
	endsDesc     = prometheus.NewDesc("flows_bmp_ended_total", "Number of sessions that have ended.", []string{"reason"}, nil)
	skippedDesc  = prometheus.NewDesc("flows_bmp_skipped_total", "Number of messages, or parts of them, whose routes are not used.", []string{"reason"}, nil)
)

// Describe sends nothing, so the metrics are unchecked.
func (s *Server) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics.
func (s *Server) Collect(out chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, n uint64, label string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), label)
	}
	gauge := func(d *prometheus.Desc, n int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	states := [...]string{"loading", "connected", "lost"}
	var routers, routes [len(states)]int64
	s.mu.Lock()
	listening := s.listener != nil
	for _, session := range s.loading {
		routers[0]++
		routes[0] += session.router.Size()
	}
	for _, session := range s.used {
		state := 1
		if !session.lost.IsZero() {
			state = 2
		}
		routers[state]++
		routes[state] += session.router.Size()
	}
	s.mu.Unlock()
	if !listening {
		return
	}
	for i, state := range states {
		gauge(routersDesc, routers[i], state)
		gauge(routesDesc, routes[i], state)
	}
	gauge(peersDesc, s.counts.peers.Load())
	_, memory := s.Size()
	gauge(memoryDesc, memory)
	for k := range s.counts.messages {
		name := "other"
		if kind(k) < kinds {
			name = kind(k).String()
		}
		counter(messagesDesc, s.counts.messages[k].Load(), name)
	}
	for i, name := range refusalNames {
		counter(refusedDesc, s.counts.refused[i].Load(), name)
	}
	for i, name := range endingNames {
		counter(endsDesc, s.counts.ends[i].Load(), name)
	}
	for i, name := range skipNames {
		counter(skippedDesc, s.counts.skipped[i].Load(), name)
	}
}
