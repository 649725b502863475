package decode

import (
	"math"
	"slices"
	"time"
)

// samplingRate is what options records report about a part of a domain: a rate, or the samplers one after the other
// that chose the packets.
type samplingRate struct {
	rate     float64 // N if one packet of N was chosen; unclear; 0 if samplers have it
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

// rateCounts counts the rates of a domain or an exporter.
type rateCounts struct {
	named, ports, templates int // the parts with a sampler or selection sequence, an interface, a template
	census                  census
}

func (c *rateCounts) add(p part, n int) {
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
	only  float64 // the rate, or unclear; 0 if there is none or they differ
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

// setRate stores a sampling rate, or the samplers that have it, unless there is no room.
func (d *domain) setRate(p part, rate float64, samplers []uint64, template uint16, now time.Time) bool {
	e := d.exporter
	r := d.rates[p]
	if r == nil {
		if len(d.rates) >= e.store.limits.Samplers || !e.reserve(rateSize) {
			return false
		}
		if d.rates == nil {
			d.rates = map[part]*samplingRate{}
		}
		r = &samplingRate{}
		d.rates[p] = r
		d.counts.add(p, 1)
		e.counts.add(p, 1)
	}
	if r.rate != rate || !slices.Equal(r.samplers, samplers) {
		d.count(p, r.rate, -1)
		d.count(p, rate, 1)
		r.rate, r.samplers = rate, slices.Clone(samplers)
		e.news++
		e.store.changes.Add(1)
		e.address.changes.Add(1)
	}
	r.template, r.seen, r.lent = template, now, false
	return true
}

// count counts a rate of the domain, there and for the exporter's other domains.
func (d *domain) count(p part, rate float64, n int) {
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

// removeRate drops a rate.
func (d *domain) removeRate(p part, r *samplingRate) {
	delete(d.rates, p)
	d.counts.add(p, -1)
	d.exporter.counts.add(p, -1)
	d.count(p, r.rate, -1)
	d.exporter.release(rateSize)
}

// told returns the rate that options report for exactly this part: unclear if that cannot be interpreted or one of its
// samplers has no rate, 0 if there is none. Some exporters report rates in another domain than that of the records:
// those count if the domain has none, and if all such domains agree.
func (d *domain) told(p part) float64 {
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
			return unclear
		}
		selector.used = true
		if rate *= selector.rate; rate > float64(d.exporter.store.limits.SamplingRate) {
			return unclear
		}
	}
	return rate
}

// rate returns the sampling rate of records; 0 if it is unknown. The most exact report counts, even if it is unclear: of
// the selection sequence or sampler that the record names, of the interface that it passed, of its template, of the
// whole domain. Records that name nothing of the kind have the only rate there is.
func (d *domain) rate(def *definition, s *attributes) float64 {
	return max(0, d.reported(def, s))
}

func (d *domain) reported(def *definition, s *attributes) float64 {
	c := &d.counts
	if len(d.rates) == 0 {
		if c = &d.exporter.counts; c.named == 0 && c.ports == 0 && c.census.only == 0 {
			return 0
		}
	}
	named := c.named > 0 && (def.sampler.field > 0 || def.sequence.field > 0)
	ports := c.ports > 0 && (def.in.field > 0 || def.out.field > 0)
	if named && def.sequence.field > 0 {
		if r := d.told(part{kind: oneSequence, id: s.sequence}); r != 0 {
			return r
		}
	}
	if named && def.sampler.field > 0 {
		sampler := part{kind: oneSampler, id: s.sampler}
		if ports {
			if r := d.portRate(sampler, def, s); r != 0 {
				return r
			}
		}
		if r := d.told(sampler); r != 0 {
			return r
		}
	}
	if ports {
		if r := d.portRate(part{}, def, s); r != 0 {
			return r
		}
	}
	if c.templates > 0 {
		if r := d.told(part{template: uint32(def.id)}); r != 0 {
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
func (d *domain) portRate(p part, def *definition, s *attributes) float64 {
	for _, w := range [...]struct {
		has  bool
		port uint64
		way  way
	}{{def.in.field > 0 && s.direction != 1, s.in, ingress}, {def.out.field > 0 && (s.direction == 1 || def.direction.field == 0), s.out, egress}} {
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

// expireRates drops those that were neither used nor sent since a time.
func (d *domain) expireRates(now, before time.Time) {
	e := d.exporter
	for p, r := range d.rates {
		shared := e.shared[p]
		if r.used || d.counts.census.used || e.counts.census.used || shared != nil && shared.used {
			r.used, r.seen = false, now
		}
		if r.seen.Before(before) {
			d.removeRate(p, r)
		}
	}
	d.counts.census.used = false
}
