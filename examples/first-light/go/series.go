package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A label is one name and value pair.
type label struct{ name, value string }

// A sample's value is kept as its bits: stale markers are NaNs, and those must be equal too.
type sample struct {
	bits      uint64
	timestamp int64
}

// A series is what was found: its place in the request, and what it holds.
type series struct {
	index   int
	labels  []label
	samples []sample
}

func (s *series) sample(value float64, timestamp int64) {
	s.samples = append(s.samples, sample{math.Float64bits(value), timestamp})
}

// refer looks the labels up that a 2.0 series refers to.
func (s *series) refer(refs []uint32, symbols []string) error {
	if len(refs)%2 != 0 {
		return fmt.Errorf("series %d has %d label references, an odd number", s.index, len(refs))
	}
	for i := 0; i < len(refs); i += 2 {
		name, value := refs[i], refs[i+1]
		if int(max(name, value)) >= len(symbols) {
			return fmt.Errorf("series %d refers to symbol %d of %d", s.index, max(name, value), len(symbols))
		}
		s.labels = append(s.labels, label{symbols[name], symbols[value]})
	}
	return nil
}

func (s *series) has(want label) bool { return slices.Contains(s.labels, want) }

func (s *series) equal(t *series) bool {
	return s.index == t.index && slices.Equal(s.labels, t.labels) && slices.Equal(s.samples, t.samples)
}

// String returns the series as Prometheus writes it: metric{name="value", …}.
func (s *series) String() string {
	var metric string
	var rest []string
	for _, l := range s.labels {
		if l.name == "__name__" {
			metric = l.value
		} else {
			rest = append(rest, fmt.Sprintf("%s=%q", l.name, l.value))
		}
	}
	return metric + "{" + strings.Join(rest, ", ") + "}"
}

// last returns the latest sample as "value at time", and how many there are.
func (s *series) last() string {
	if len(s.samples) == 0 {
		return "no sample"
	}
	p := s.samples[len(s.samples)-1]
	when := time.UnixMilli(p.timestamp).UTC().Format("2006-01-02 15:04:05.000Z")
	return fmt.Sprintf("%v at %s", math.Float64frombits(p.bits), when)
}
