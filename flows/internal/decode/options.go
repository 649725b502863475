package decode

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/hotpb/hotpb/flows/internal/count"
	"github.com/hotpb/hotpb/flows/internal/flow"
)

// optionsSet reads a set of options records. They contain sampling rates, and for IPFIX the start of the exporter,
// to which its relative times refer.
func (d *Decoder) optionsSet(dom *domain, m *message, t *inputTemplate, body []byte) (records int) {
	if d.watch != nil && !d.watch.busy {
		return d.watch.options(d, dom, m, t, body)
	}
	t.seen = m.received
	for len(body) >= t.least {
		var o optionsRecord
		size := t.record(body, func(i int, value []byte) {
			f := t.fields[i]
			if f.Enterprise != 0 {
				return
			}
			o.part.scope(m.protocol, i < t.scopes, f.Element, value)
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
	p := o.part
	switch {
	case told && (!(rate >= 1) || rate > float64(d.store.limits.SamplingRate)):
		d.counts.Drop(count.SamplingAbsurd, 1)
		return
	case told:
	case p.kind == oneSequence && o.selectors > 0: // the samplers of a selection sequence (RFC 5476, 6.5.1)
		p.port, p.way = 0, noWay // the observation point, which the sequence implies
	case p.way != noWay && o.selectors > 0: // the sampler of an interface
		p.kind, p.id = anySampler, 0
	default:
		return
	}
	samplers := o.samplers[:o.selectors]
	if told {
		samplers = nil
	}
	if !dom.setRate(p, rate, samplers, now) {
		d.counts.Drop(count.SamplerLimit, 1)
	}
}

// optionElements are the elements that matter, from the first. A record has their values at the same index.
var optionElements = [...]uint16{
	samplingInterval, samplerRandomInterval, samplingPacketInterval, samplingPacketSpace, samplingSize,
	samplingPopulation, systemInitTime, samplingTimeInterval, samplingTimeSpace, selectorAlgorithm,
	hashOutputMin, hashOutputMax, hashSelectedMin,
}

func optionPlace(element uint16) (place int, ok bool) {
	i := slices.Index(optionElements[:], element)
	return max(i, 0), i >= 0
}

// optionsRecord has the fields of an options record that matter.
type optionsRecord struct {
	values      [len(optionElements)]uint64
	told        [len(optionElements)]bool
	probability float64
	probable    bool    // has one
	chosen      float64 // hash values that are selected
	samplers    [mostSelectors]uint64
	selectors   int
	part        part
}

// take reads a field. Numbers have up to 8 bytes; longer fields are not numbers.
func (o *optionsRecord) take(element uint16, value []byte) {
	v, ok := number(value)
	if !ok {
		return
	}
	switch element {
	case samplerID, selectorID:
		if o.selectors < mostSelectors {
			o.samplers[o.selectors] = v
			o.selectors++
		}
	case samplingProbability:
		switch len(value) {
		case 4:
			o.probability, o.probable = float64(math.Float32frombits(uint32(v))), true
		case 8:
			o.probability, o.probable = math.Float64frombits(v), true
		}
	case hashSelectedMax: // of one range of several
		if from, has := o.get(hashSelectedMin); has && v >= from {
			o.chosen += float64(v-from) + 1
		}
	default:
		if i, ok := optionPlace(element); ok {
			o.values[i], o.told[i] = v, true
		}
	}
}

func (o *optionsRecord) get(element uint16) (v uint64, told bool) {
	i, _ := optionPlace(element)
	return o.values[i], o.told[i]
}

// The algorithm of PSAMP that selects packets by their properties, which is not sampling.
const propertyMatch = 5

// rate returns N if one packet of N was sampled, and whether the record says so. The record may have N itself, or
// what the algorithms of RFC 5475 are configured with: packets chosen and packets skipped between them (alone, the
// first is N for exporters that send it so), x of y packets, a probability, time chosen and skipped, or ranges of
// hash values. N is zero if the record has no sensible values.
func (o *optionsRecord) rate() (rate float64, told bool) {
	for _, element := range [...]uint16{samplingInterval, samplerRandomInterval} {
		v, has := o.get(element)
		if told = told || has; v > 0 {
			return float64(v), true
		}
	}
	packets, has := o.get(samplingPacketInterval)
	if told = told || has; packets > 0 {
		if space, has := o.get(samplingPacketSpace); has {
			return (float64(packets) + float64(space)) / float64(packets), true
		}
		return float64(packets), true
	}
	size, has := o.get(samplingSize)
	if told = told || has; size > 0 {
		population, _ := o.get(samplingPopulation)
		return float64(population) / float64(size), true
	}
	if o.probable {
		if told = true; o.probability > 0 {
			return 1 / o.probability, true
		}
	}
	micros, has := o.get(samplingTimeInterval)
	if told = told || has; micros > 0 {
		space, _ := o.get(samplingTimeSpace)
		return (float64(micros) + float64(space)) / float64(micros), true
	}
	if last, has := o.get(hashOutputMax); has && o.chosen > 0 {
		first, _ := o.get(hashOutputMin)
		return (float64(last) - float64(first) + 1) / o.chosen, true
	}
	if algorithm, _ := o.get(selectorAlgorithm); algorithm == propertyMatch {
		return 1, true
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
