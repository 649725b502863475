// Package sampling has the sampling rates of exporters: those that options and records report, by the parameters of PSAMP
// (RFC 5476, RFC 5477), and those that the operator sets.
package sampling

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Exporter has the rates of all domains of an exporter.
type Exporter struct {
	Fallback, Override float64 // the operator's rates; 0 for none

	room   Room
	limits Limits

	counts     counts           // of all domains
	shared     map[part]*census // the domains' rates
	news, seen uint64           // changes of rates; those that HasNews has seen
}

// Room is where the rates of an exporter are kept.
type Room interface {
	Reserve(bytes int) bool
	Release(bytes int)
	RateChanged()
}

// Limits bound what an exporter may report.
type Limits struct {
	Rates int     // of a domain
	Rate  float64 // higher ones are absurd
}

// NewExporter returns an exporter without rates of its own.
func NewExporter(room Room, limits Limits, fallback, override float64) Exporter {
	return Exporter{Fallback: fallback, Override: override, room: room, limits: limits}
}

// Silent returns the exporter as it would be without its rates.
func (e *Exporter) Silent() Exporter { return NewExporter(e.room, e.limits, e.Fallback, e.Override) }

// Domain returns a domain without rates.
func (e *Exporter) Domain() Domain { return Domain{exporter: e} }

// HasPorts reports whether rates of interfaces are known.
func (e *Exporter) HasPorts() bool { return e.counts.ports > 0 }

// HasNews reports whether rates have changed since the last call.
func (e *Exporter) HasNews() bool {
	news := e.news != e.seen
	e.seen = e.news
	return news
}

// NextPeriod begins a period in which rates must be used or sent. The one of all domains is over; see Domain.Expire.
func (e *Exporter) NextPeriod() {
	e.counts.census.used = false
	for _, c := range e.shared {
		c.used = false
	}
}

// Domain has the rates of an observation domain.
type Domain struct {
	exporter *Exporter
	rates    map[part]*rate
	counts   counts
}

// rate is what options records report about a part of a domain: a rate, or the samplers one after the other
// that chose the packets.
type rate struct {
	rate     float64 // N if one packet of N was chosen; Unclear; 0 if samplers have it
	samplers []uint64
	template uint16 // of the options that reported it last
	used     bool   // since the last check of whether it is used
	seen     time.Time
	lent     bool // by another port of the address
}

// rateSize is the memory for a rate; mostSelectors is how many samplers a packet may pass through.
const (
	rateSize      = 512
	mostSelectors = 8
)

// counts counts the rates of a domain or an exporter.
type counts struct {
	named, ports, templates int // the parts with a sampler or selection sequence, an interface, a template
	census                  census
}

func (c *counts) add(p part, n int) {
	if p.kind != anySampler {
		c.named += n
	}
	if p.template != 0 {
		c.templates += n
	}
	if p.way != noWay {
		c.ports += n
	}
}

// census counts the parts by their rate.
type census struct {
	parts map[float64]int
	only  float64 // the rate, or Unclear; 0 if there is none or they differ
	used  bool
}

func (c *census) change(rate float64, parts int) {
	if rate == 0 {
		return
	}
	if c.parts == nil {
		c.parts = map[float64]int{}
	}
	if c.parts[rate] += parts; c.parts[rate] == 0 {
		delete(c.parts, rate)
	}
	c.only = 0
	if len(c.parts) == 1 {
		for c.only = range c.parts {
		}
	}
}

// Len returns how many rates there are.
func (d *Domain) Len() int { return len(d.rates) }

// set stores a sampling rate, or the samplers that have it, unless there is no room.
func (d *Domain) set(p part, n float64, samplers []uint64, template uint16, now time.Time) bool {
	e := d.exporter
	r := d.rates[p]
	if r == nil {
		if len(d.rates) >= e.limits.Rates || !e.room.Reserve(rateSize) {
			return false
		}
		if d.rates == nil {
			d.rates = map[part]*rate{}
		}
		r = &rate{}
		d.rates[p] = r
		d.counts.add(p, 1)
		e.counts.add(p, 1)
	}
	if r.rate != n || !slices.Equal(r.samplers, samplers) {
		d.count(p, r.rate, -1)
		d.count(p, n, 1)
		r.rate, r.samplers = n, slices.Clone(samplers)
		e.news++
		e.room.RateChanged()
	}
	r.template, r.seen, r.lent = template, now, false
	return true
}

// count counts a rate of the domain, there and for the exporter's other domains.
func (d *Domain) count(p part, rate float64, n int) {
	if rate == 0 {
		return
	}
	e := d.exporter
	d.counts.census.change(rate, n)
	e.counts.census.change(rate, n)
	c := e.shared[p]
	if c == nil {
		if e.shared == nil {
			e.shared = map[part]*census{}
		}
		c = &census{}
		e.shared[p] = c
	}
	if c.change(rate, n); len(c.parts) == 0 {
		delete(e.shared, p)
	}
}

func (d *Domain) remove(p part, r *rate) {
	delete(d.rates, p)
	d.counts.add(p, -1)
	d.exporter.counts.add(p, -1)
	d.count(p, r.rate, -1)
	d.exporter.room.Release(rateSize)
}

// Clear drops all rates.
func (d *Domain) Clear() {
	for p, r := range d.rates {
		d.remove(p, r)
	}
}

// Expire drops the rates that were neither used nor sent since a time.
func (d *Domain) Expire(now, before time.Time) {
	e := d.exporter
	for p, r := range d.rates {
		shared := e.shared[p]
		if r.used || d.counts.census.used || e.counts.census.used || shared != nil && shared.used {
			r.used, r.seen = false, now
		}
		if r.seen.Before(before) {
			d.remove(p, r)
		}
	}
	d.counts.census.used = false
}

// told returns the rate that options report for exactly this part: Unclear if that cannot be interpreted or one of its
// samplers has no rate, 0 if there is none. Some exporters report rates in another domain than that of the records:
// those count if the domain has none, and if all such domains agree.
func (d *Domain) told(p part) float64 {
	if len(d.rates) == 0 {
		c := d.exporter.shared[p]
		if c == nil {
			return 0
		}
		c.used = true
		return c.only
	}
	r := d.rates[p]
	if r == nil {
		return 0
	}
	r.used = true
	rate := r.rate
	for i, s := range r.samplers {
		if i == 0 {
			rate = 1
		}
		selector := d.rates[part{kind: oneSampler, id: s}]
		if selector == nil || selector.rate <= 0 {
			return Unclear
		}
		selector.used = true
		if rate *= selector.rate; rate > d.exporter.limits.Rate {
			return Unclear
		}
	}
	return rate
}

// Fields says which fields the records of a template have.
type Fields struct {
	Template                              uint16
	Sampler, Sequence, In, Out, Direction bool
}

// Record is what a record has in these fields.
type Record struct {
	Sampler, Sequence, In, Out, Direction uint64
}

// Rate returns the sampling rate of records; 0 if it is unknown. The most exact report counts, even if it is unclear: of
// the selection sequence or sampler that the record names, of the interface that it passed, of its template, of the
// whole domain. Records that name nothing of the kind have the only rate there is.
func (d *Domain) Rate(f *Fields, r *Record) float64 {
	return max(0, d.reported(f, r))
}

func (d *Domain) reported(f *Fields, s *Record) float64 {
	c := &d.counts
	if len(d.rates) == 0 {
		if c = &d.exporter.counts; c.named == 0 && c.ports == 0 && c.census.only == 0 {
			return 0
		}
	}
	named := c.named > 0 && (f.Sampler || f.Sequence)
	ports := c.ports > 0 && (f.In || f.Out)
	if named && f.Sequence {
		if r := d.told(part{kind: oneSequence, id: s.Sequence}); r != 0 {
			return r
		}
	}
	if named && f.Sampler {
		sampler := part{kind: oneSampler, id: s.Sampler}
		if ports {
			if r := d.portRate(sampler, f, s); r != 0 {
				return r
			}
		}
		if r := d.told(sampler); r != 0 {
			return r
		}
	}
	if ports {
		if r := d.portRate(part{}, f, s); r != 0 {
			return r
		}
	}
	if c.templates > 0 {
		if r := d.told(part{template: uint32(f.Template)}); r != 0 {
			return r
		}
	}
	if r := d.told(part{}); r != 0 {
		return r
	}
	if named || ports { // the reports are about others
		return 0
	}
	c.census.used = true
	return c.census.only
}

// portRate returns the rate of the interface at which the exporter counted the records. Records that do not say in
// which direction were counted where they came in, as RFC 3954 has it; if no rate is known there, where they left.
func (d *Domain) portRate(p part, f *Fields, s *Record) float64 {
	for _, w := range [...]struct {
		has  bool
		port uint64
		way  way
	}{{f.In && s.Direction != 1, s.In, ingress}, {f.Out && (s.Direction == 1 || !f.Direction), s.Out, egress}} {
		if !w.has || w.port > math.MaxUint32 {
			continue
		}
		for _, way := range [...]way{w.way, bothWays} {
			p.port, p.way = uint32(w.port), way
			if r := d.told(p); r != 0 {
				return r
			}
		}
	}
	return 0
}

// Strings returns the rates in words, with what they are of.
func (d *Domain) Strings() (list []string) {
	for p, rate := range d.rates {
		list = append(list, rate.String()+" for "+p.String())
	}
	return list
}

func (r *rate) String() string {
	if len(r.samplers) > 0 {
		return "that of sampler " + strings.Trim(strings.ReplaceAll(fmt.Sprint(r.samplers), " ", " and "), "[]")
	}
	if !(r.rate >= 1) {
		return "unknown"
	}
	return fmt.Sprintf("1 of %v", r.rate)
}
