package decode

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// optionsSet reads a set of options records. They contain sampling rates, and for IPFIX the start of the exporter,
// to which its relative times refer.
func (d *Decoder) optionsSet(dom *domain, m *message, t *inputTemplate, body []byte) (records int) {
	t.seen = m.received
	for len(body) >= t.least {
		var o optionsRecord
		size := t.record(body, func(i int, value []byte) {
			f := t.fields[i]
			if f.Enterprise != 0 {
				return
			}
			if i < t.scopes {
				o.part = partOf(m.protocol, f.Element, value, o.part)
			}
			if m.protocol == flow.IPFIX || i >= t.scopes {
				o.take(f.Element, value)
			}
		})
		if size == 0 {
			d.malformed(m)
			return records
		}
		d.learnOptions(dom, &o, m.received)
		records++
		body = body[size:]
	}
	d.padding(m, body)
	return records
}

// learnOptions keeps the values of an options record.
func (d *Decoder) learnOptions(dom *domain, o *optionsRecord, now time.Time) {
	d.counts.Options.Add(1)
	millis, _ := o.get(systemInitTime)
	if boot, ok := bootOf(millis); ok {
		dom.boot = boot
	}
	rate, told := o.rate()
	if !told {
		return
	}
	if rate == 0 || rate > uint64(d.store.limits.SamplingRate) {
		d.counts.Drop(count.SamplingAbsurd, 1)
		return
	}
	sampler := uint64(wholeDomain)
	if o.part != 0 {
		sampler = o.part
	}
	if o.named {
		sampler = o.sampler
	}
	if !dom.setRate(sampler, uint32(rate), now) {
		d.counts.Drop(count.SamplerLimit, 1)
	}
}

// optionElements are the elements that matter. A record has their values at the same index.
const optionElements = 7

func optionPlace(element uint16) (place int, ok bool) {
	switch element {
	case samplingInterval:
		return 0, true
	case samplerRandomInterval:
		return 1, true
	case samplingPacketInterval:
		return 2, true
	case samplingPacketSpace:
		return 3, true
	case samplingSize:
		return 4, true
	case samplingPopulation:
		return 5, true
	case systemInitTime:
		return 6, true
	}
	return 0, false
}

// optionsRecord has the fields of an options record that matter.
type optionsRecord struct {
	values  [optionElements]uint64
	told    [optionElements]bool
	sampler uint64
	named   bool
	part    uint64 // the part of the domain that the record is about; 0 is the whole
}

// take reads a field. Numbers have up to 8 bytes; longer fields are not numbers.
func (o *optionsRecord) take(element uint16, value []byte) {
	v, ok := number(value)
	if !ok {
		return
	}
	if i, ok := optionPlace(element); ok {
		o.values[i], o.told[i] = v, true
	} else if (element == samplerID || element == selectorID) && !o.named {
		o.sampler, o.named = v, true
	}
}

func (o *optionsRecord) get(element uint16) (v uint64, told bool) {
	i, _ := optionPlace(element)
	return o.values[i], o.told[i]
}

// rate returns N if one packet of N was sampled, and whether the record says so. The record may have N itself, or
// the packets chosen and the packets skipped between them (alone, the first is N for exporters that send it so),
// or x of y packets. N is zero if the record has no sensible values.
func (o *optionsRecord) rate() (rate uint64, told bool) {
	for _, element := range [...]uint16{samplingInterval, samplerRandomInterval} {
		v, has := o.get(element)
		if told = told || has; v > 0 {
			return v, true
		}
	}
	packets, has := o.get(samplingPacketInterval)
	if told = told || has; packets > 0 {
		space, has := o.get(samplingPacketSpace)
		switch {
		case !has:
			return packets, true
		case packets > math.MaxUint32 || space > math.MaxUint32:
			return 0, true
		}
		return (packets + space) / packets, true
	}
	size, has := o.get(samplingSize)
	if told = told || has; size > 0 {
		population, _ := o.get(samplingPopulation)
		return population / size, true
	}
	return 0, told
}

// number is a field of up to 8 bytes.
func number(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 8 {
		return 0, false
	}
	var padded [8]byte
	copy(padded[8-len(b):], b)
	return binary.BigEndian.Uint64(padded[:]), true
}
