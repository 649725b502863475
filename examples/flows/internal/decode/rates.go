package decode

import (
	"hash/crc32"
	"math"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// samplingRate is the rate that options records report for a sampler, for the whole domain, or for a part of it.
type samplingRate struct {
	rate uint32
	used bool // since the last check of whether it is used
	seen time.Time
}

// wholeDomain is the key of the sampling rate of options that name no sampler. partOfDomain is set in the keys of
// options that are about a part of the domain, such as an interface.
const (
	wholeDomain  = math.MaxUint64
	partOfDomain = 1 << 63
)

// rateSize is the memory for a sampler.
const rateSize = 128

// census counts the rates of a domain or an exporter.
type census struct {
	samplers map[uint32]int // that have a rate
	only     uint32         // the rate; 0 if there is none or they differ
	used     bool
}

func (c *census) change(rate uint32, samplers int) {
	if c.samplers == nil {
		c.samplers = map[uint32]int{}
	}
	if c.samplers[rate] += samplers; c.samplers[rate] == 0 {
		delete(c.samplers, rate)
	}
	c.only = 0
	if len(c.samplers) == 1 {
		for c.only = range c.samplers {
		}
	}
}

// setRate stores a sampling rate, unless there is no room for it.
func (d *domain) setRate(sampler uint64, rate uint32, now time.Time) bool {
	e := d.exporter
	r := d.rates[sampler]
	switch {
	case r == nil:
		if len(d.rates) >= e.store.limits.Samplers || !e.reserve(rateSize) {
			return false
		}
		if d.rates == nil {
			d.rates = map[uint64]*samplingRate{}
		}
		r = &samplingRate{}
		d.rates[sampler] = r
		if sampler < partOfDomain {
			d.named++
		}
	case r.rate != rate:
		d.census.change(r.rate, -1)
		e.census.change(r.rate, -1)
	}
	if r.rate != rate {
		d.census.change(rate, 1)
		e.census.change(rate, 1)
	}
	r.rate, r.seen = rate, now
	return true
}

// rate returns the sampling rate of records that name a sampler or none; 0 if it is unknown. Some exporters report
// it in another domain than that of the records.
func (d *domain) rate(sampler uint64, named bool) uint32 {
	c := &d.census
	if len(d.rates) == 0 {
		c = &d.exporter.census
	} else {
		r := d.rates[sampler]
		if r == nil || !named {
			r = d.rates[wholeDomain]
		}
		if r != nil {
			r.used = true
			return r.rate
		}
		if named && d.named > 0 { // others
			return 0
		}
	}
	c.used = true
	return c.only
}

// expireRates drops those that were neither used nor sent since a time.
func (d *domain) expireRates(now, before time.Time) {
	for sampler, r := range d.rates {
		if r.used || d.census.used || d.exporter.census.used {
			r.used, r.seen = false, now
		}
		if r.seen.Before(before) {
			delete(d.rates, sampler)
			if sampler < partOfDomain {
				d.named--
			}
			d.exporter.release(rateSize)
			d.census.change(r.rate, -1)
			d.exporter.census.change(r.rate, -1)
		}
	}
	d.census.used = false
}

// partOf adds the scope of options to the part of a domain that they are about. A scope that is not a part, but
// the whole or a sampler, changes nothing.
func partOf(p flow.Protocol, element uint16, value []byte, already uint64) uint64 {
	switch {
	case p == flow.NetFlow9 && (element == 2 || element == 3 || element == 5): // interface, line card, template
	case p == flow.NetFlow9:
		return already
	default:
		switch element {
		case 10, 14, 82, 141, 142, 145, 252, 253: // interfaces, line card, port, template
		default:
			return already
		}
	}
	return partOfDomain | uint64(crc32.Update(uint32(already)+uint32(element), crc32.IEEETable, value))
}
