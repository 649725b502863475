package stage

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Stats counts what the stages do. It outlives reloads, and is a collector of metrics. Lookups are those that no
// cache has answered.
type Stats struct {
	addressMisses, exporterMisses, interfaceMisses atomic.Uint64

	mu      sync.Mutex
	sources map[string]*sourceCounts
	used    *Tables // by the last Bind: a reload does not read their large files again if they have not changed
}

// sourceCounts counts what a file, or another source, was asked.
type sourceCounts struct {
	lookups, found, errors atomic.Uint64
	data                   atomic.Int64 // when its data was made, in seconds since 1970; 0 if that is unknown

	mu    sync.Mutex
	cause string // of the last error
}

// fail counts an error. It keeps its text for the log.
func (c *sourceCounts) fail(err error) {
	c.errors.Add(1)
	c.mu.Lock()
	c.cause = err.Error()
	c.mu.Unlock()
}

// maxSources bounds the names of sources, which have metrics.
const maxSources = 1000

// source returns the counts of a source.
func (s *Stats) source(name string) *sourceCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.sources[name]
	if c == nil {
		c = &sourceCounts{}
		if s.sources == nil {
			s.sources = map[string]*sourceCounts{}
		}
		if len(s.sources) < maxSources {
			s.sources[name] = c
		}
	}
	return c
}

// retain forgets all sources but those of tables that are used.
func (s *Stats) retain(t *Tables) {
	names := t.sources()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = t
	maps.DeleteFunc(s.sources, func(name string, _ *sourceCounts) bool { return !slices.Contains(names, name) })
}

// tables are those of the last Bind, empty if there was none.
func (s *Stats) tables() *Tables {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil {
		return &Tables{}
	}
	return s.used
}

// Fault is an error of a source, the last of its kind.
type Fault struct {
	Source string
	Number uint64 // of errors so far
	Cause  string
}

// Faults returns the sources that have had errors since the last call.
func (s *Stats) Faults() (list []Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, c := range s.sources {
		c.mu.Lock()
		if c.cause != "" {
			list = append(list, Fault{name, c.errors.Load(), c.cause})
			c.cause = ""
		}
		c.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b Fault) int { return cmp.Compare(a.Source, b.Source) })
	return list
}

var (
	missesDesc  = prometheus.NewDesc("flows_enrichment_misses_total", "Number of addresses, exporters or interfaces whose values were not in the cache.", []string{"cache"}, nil)
	lookupsDesc = prometheus.NewDesc("flows_enrichment_lookups_total", "Number of times that a source was asked, after a miss of the cache.", []string{"source"}, nil)
	foundDesc   = prometheus.NewDesc("flows_enrichment_found_total", "Number of times that a source had an answer.", []string{"source"}, nil)
	errorsDesc  = prometheus.NewDesc("flows_enrichment_errors_total", "Number of errors of a source; the flows go on without its value.", []string{"source"}, nil)
	ageDesc     = prometheus.NewDesc("flows_enrichment_data_age_seconds", "Age of a source's data, in seconds.", []string{"source"}, nil)
)

// Describe sends nothing, so the metrics are unchecked.
func (s *Stats) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics.
func (s *Stats) Collect(out chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, n uint64, label string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), label)
	}
	counter(missesDesc, s.addressMisses.Load(), "addresses")
	counter(missesDesc, s.exporterMisses.Load(), "exporters")
	counter(missesDesc, s.interfaceMisses.Load(), "interfaces")
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, c := range s.sources {
		counter(lookupsDesc, c.lookups.Load(), name)
		counter(foundDesc, c.found.Load(), name)
		counter(errorsDesc, c.errors.Load(), name)
		if made := c.data.Load(); made > 0 {
			out <- prometheus.MustNewConstMetric(ageDesc, prometheus.GaugeValue, time.Since(time.Unix(made, 0)).Seconds(), name)
		}
	}
}
