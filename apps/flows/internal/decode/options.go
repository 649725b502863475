package decode

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
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
		d.learnOptions(dom, t.id, &o, m.received)
		records++
		body = body[size:]
	}
	return records // what is shorter than a record is padding
}

// learnOptions keeps the values of an options record of a template. A rate that cannot be interpreted replaces one that
// was reported before, because that may be wrong now.
func (d *Decoder) learnOptions(dom *domain, template uint16, o *optionsRecord, now time.Time) {
	d.counts.Options.Add(1)
	if boot, ok := bootOf(o.boot); ok {
		dom.boot, dom.bootLent = boot, false
	}
	rate, found := o.selector.rate()
	p := o.part
	if o.direction.told {
		p.directed(o.direction.value)
	}
	if p.kind == oneSequence { // which implies the observation point (RFC 5476, 6.5.1)
		p.port, p.way, p.scopes = 0, noWay, 0
	}
	samplers := o.samplers[:min(o.selectors, mostSelectors)]
	known := dom.rates[p]
	switch {
	case found == resolved && rate > float64(d.store.limits.SamplingRate):
		d.counts.Drop(count.SamplingAbsurd, 1)
		rate = unclear
	case found == resolved:
	case found != silent:
		d.unclearOptions(o)
		rate = unclear
	case o.selectors > 0 && (p.kind == oneSequence || p.way != noWay):
		if p.kind != oneSequence { // the sampler of an interface
			p.kind, p.id = anySampler, 0
		}
		if o.selectors > mostSelectors {
			d.unclearOptions(o)
			rate = unclear
		}
	case o.selector.told: // only zeros, which say nothing, unless the same options have said more before
		d.unclearOptions(o)
		if known == nil || known.template != template {
			return
		}
		rate = unclear
	default:
		return
	}
	if rate != 0 {
		samplers = nil
	}
	if !dom.setRate(p, rate, samplers, template, now) {
		d.counts.Drop(count.SamplerLimit, 1)
	}
}

// unclearOptions counts an options record whose rate cannot be interpreted.
func (d *Decoder) unclearOptions(o *optionsRecord) {
	d.counts.Drop(count.SamplingUnclear, 1)
	if d.detail.text != "" || d.store.report == nil {
		return
	}
	text := o.selector.String()
	if o.selectors > mostSelectors {
		text = fmt.Sprintf("%d selectors; at most %d are read", o.selectors, mostSelectors)
	}
	d.detail = detail{count.SamplingUnclear, "options: " + text}
}

// optionsRecord has the fields of an options record that matter.
type optionsRecord struct {
	selector  selector
	boot      uint64 // in milliseconds since 1970
	samplers  [mostSelectors]uint64
	selectors int
	part      part
	direction struct {
		value uint64
		told  bool
	}
}

// take reads a field. Longer fields than 8 bytes are not numbers.
func (o *optionsRecord) take(element uint16, value []byte) {
	switch element {
	case samplerID, selectorID:
		if v, ok := number(value); ok {
			if o.selectors < mostSelectors {
				o.samplers[o.selectors] = v
			}
			o.selectors++
		}
	case flowDirection:
		o.direction.value, o.direction.told = number(value)
	case systemInitTime:
		o.boot, _ = number(value)
	default:
		o.selector.take(element, value)
	}
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
